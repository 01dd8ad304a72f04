"""Do what a page tells its reader to do.

examples.py PAGE BUILD FOLDER: in an empty FOLDER that looks like a checkout whose build is BUILD,
blocks with a title become files, `sh` blocks are run by the shell (`bash` blocks, which only a
centre could run or which take long, are not), and what a `text` block shows
must be in what was said before it. `./dev mpiexec` starts ranks; of `./dev`'s other verbs it is
only asked whether they exist.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PROJECT = "cmake_minimum_required(VERSION 3.22)\nproject(example LANGUAGES CXX)\n"
BUILT = """
cmake -S solver -B solver/build -Dhalocline_DIR=$PWD/build/release
cmake --build solver/build
./dev mpiexec -n 2 solver/build/solver
"""
DEV = """#!/bin/sh
case $1 in
  mpiexec) shift; exec build/release/mpiexec "$@" ;;
  *) {root}/dev help | grep -q "^  $1 " || {{ echo "there is no ./dev $1"; exit 1; }} ;;
esac
"""


def checkout(folder, build):
    """Make a folder that looks like a checkout."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "build").mkdir(parents=True)
    (folder / "build/release").symlink_to(build)
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/halocline").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m halocline "$@"\n'
    )
    (folder / "dev").write_text(DEV.format(root=ROOT))
    for script in (folder / ".venv/bin/halocline", folder / "dev"):
        script.chmod(0o755)


def run(script, folder, environment):
    """Run a block of commands, and return what they said."""
    print(script, flush=True)
    done = subprocess.run(
        ["sh", "-ec", script], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    print(done.stdout, flush=True)
    if done.returncode:
        sys.exit(f"exit code {done.returncode} of:\n{script}")
    return done.stdout


def main(page, build, folder):
    """Follow the page."""
    checkout(folder, build)
    environment = {
        **os.environ,
        "HALOCLINE_CACHE": str(folder / "cache"),
        "HALOCLINE_BIN": str(build / "bin"),
        "PATH": f"{folder / '.venv/bin'}:{build}:{build / 'bin'}:{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    said, did = "", 0
    for language, title, text in BLOCK.findall(page.read_text()):
        if title:
            file = folder / title
            file.parent.mkdir(parents=True, exist_ok=True)
            whole = language != "cmake" or "project(" in text
            file.write_text(text if whole else PROJECT + text)
            if not whole:  # a page that shows a part leaves building to the reader
                run(BUILT, folder, environment)
        elif language == "sh":
            said = run(text, folder, environment)
        elif language == "text":
            for line in text.splitlines():
                if line not in said:
                    sys.exit(f"{page} shows '{line}', but the commands before it said:\n{said}")
        else:
            continue
        did += 1
    if not did:
        sys.exit(f"{page} tells the reader to do nothing: is it the right page?")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve())
