"""Compiles the programs of docs/atlas/programs and runs them under an MPI.

programs.py --mpi mpich|openmpi|impi --release R --mpicc PATH --mpiexec PATH --folder PATH [NAME...]

One that names this MPI as broken must fail and say what is wrong, one that names it as sound must
not. What names it as neither is run, and said.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs" / "generate"))
import atlas  # noqa: E402

NAMES = {"mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel MPI"}
STRICT = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow")
"""MPICH before 4.1 says MPI_STATUSES_IGNORE in a way that GCC takes for an array of no length."""
LONGEST = 60
"""Lines."""


def title_of(mpi, release):
    """Return what the atlas calls the MPI."""
    return f"{NAMES.get(mpi, mpi)} {release}"


def judge(program, title, arguments):
    """Compile and run one; return what is wrong with it, or nothing."""
    text = program.file.read_text()
    if text.count("\n") > LONGEST or "halocline" in text.partition("*/")[2].lower():
        return f"must be plain MPI in at most {LONGEST} lines"
    binary = arguments.folder / program.file.stem
    words = [*STRICT, str(program.file), "-o", str(binary)]
    made = subprocess.run([arguments.mpicc, *words], capture_output=True, text=True, check=False)
    if made.returncode:
        known = title in (*program.broken, *program.sound)
        print(f"{program.file.name}: cannot be compiled with {title}\n{made.stderr}")
        return "must compile" if known else ""
    settings = program.settings if title in program.broken else {}
    # What waits too long where much else runs does not do so twice, a race may come out well, and a
    # launcher may drop the last words of a job that was ended.
    for _ in range(3):
        ran = subprocess.run(
            [arguments.mpiexec, "-n", str(program.ranks), str(binary)], capture_output=True,
            text=True, timeout=60, check=False, env={**os.environ, **settings},
        )  # fmt: skip
        first = next((line for line in ran.stdout.splitlines() if line), "nothing")
        unlike = program.sound if ran.returncode else program.broken
        if first != "nothing" and title not in unlike:
            break
    print(f"{program.file.name} under {title}: exit code {ran.returncode}, {first}")
    if title in program.broken:
        right = ran.returncode != 0 and first not in ("right", "nothing")
        return "" if right else "must fail, and say what is wrong"
    if title in program.sound:
        return "" if ran.returncode == 0 and "right" in ran.stdout else f"must pass\n{ran.stderr}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("mpi", "release", "mpicc", "mpiexec"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("names", nargs="*", help="some of them")
    arguments = parser.parse_args()
    title = title_of(arguments.mpi, arguments.release)
    chosen = [p for p in atlas.programs() if p.file.stem in arguments.names or not arguments.names]
    problems = [
        f"{program.file.name}: {problem}"
        for program in chosen
        if (problem := judge(program, title, arguments))
    ]
    print(*problems, sep="\n")
    return 1 if problems or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
