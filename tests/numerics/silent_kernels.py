"""silent_kernels.py BUILD PROCESSOR...: kernels compile for these processors without a warning.

What this machine has decides which of their code the build itself compiles.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path


def main(build, processors):
    commands = json.loads((build / "compile_commands.json").read_text())
    kernels = [
        one for one in commands if "_parts.dir/" in one["command"] and "/Unity/" not in one["file"]
    ]
    if not kernels:
        sys.exit(f"FAILED: no kernels in {build}")
    failed = False
    for one in kernels:
        words = [word for word in shlex.split(one["command"]) if word != "-Winvalid-pch"]
        words[words.index("-o") + 1] = "/dev/null"
        for processor in processors:
            said = subprocess.run(
                [*words, f"-march={processor}", "-Werror"],
                cwd=one["directory"],
                capture_output=True,
                text=True,
                check=False,
            )
            if said.returncode != 0:
                print(f"FAILED: {one['file']} for {processor}\n{said.stderr}")
                failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
