"""Fuzz the readers for a while: a row of docs/measured/fuzzing.md says what each has reached.

    HALOCLINE_FUZZ_SECONDS=60 python tests/fuzz/measure.py build/fuzz [READER...]

`./dev fuzz [READER...]` builds them before, and `./dev soak` does both. The build is that of the
preset `fuzz`, target `fuzzers`: Clang's sanitizers, libFuzzer, and its counters of lines, which
llvm-cov reads. A reader's row takes the place of its last. It fails where something has ended a
reader; the end of what libFuzzer said is shown then, and its input is where libfuzzer.sh says.
"""

import argparse
import fcntl
import os
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TABLE = ROOT / "docs/measured/fuzzing.md"
HEAD = (
    "| reader | its file | examples | executions | s | lines | reached by the examples | by all "
    "| ended by | when |"
)
FORMATS, FRAME = "apps/common/formats/", "apps/common/frame/"
SANITIZERS = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
READERS = {
    "scheme": ["src/exchange/core/scheme.cpp"],
    "words": ["src/topology/islands.cpp"],
    "tuning": ["src/tuner/choices.cpp", "src/tuner/file_shape.cpp"],
    "doctor": ["src/tuner/choices.cpp"],
    "machine": ["tools/halosim/machine_costs.cpp"],
    "request": ["tools/halosim/job.cpp", "tools/halosim/world.cpp"],
    "plan": ["tools/haloreplay/plan.cpp"],
    "state": [FRAME + "state_file.cpp"],
    "settings": [FRAME + "settings_file.cpp"],
    "market": [FORMATS + "market.cpp"],
    "matrix": ["apps/matmul/matrix_file.cpp", "apps/matmul/matrix_reading.cpp"],
    "npy": [FORMATS + "npy.cpp"],
    "vector": [FRAME + "vector_file.cpp"],
    "metis": [FORMATS + "metis.cpp"],
    "graph": ["tools/haloplan/graph_file.cpp"],
    "lammps": [FORMATS + "lammps_data.cpp"],
    "xyz": [FORMATS + "extended_xyz.cpp"],
    "lines": [FORMATS + "lines.cpp"],
    "numbers": [FORMATS + "number.cpp"],
    "shares": [FORMATS + "share.cpp"],
    "executable": ["tools/preload/executable.cpp"],
}
"""Where each reader is; lines that write the same format count as well."""


def covered(program, profiles, sources):
    """Return which lines of the sources were reached, and which there are."""
    with tempfile.TemporaryDirectory() as folder:
        merged = Path(folder) / "profile"
        subprocess.run(["llvm-profdata", "merge", "-sparse", *profiles, "-o", merged], check=True)
        said = subprocess.run(
            ["llvm-cov", "export", "-format=lcov", f"-instr-profile={merged}", program,
             *(ROOT / source for source in sources)],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    counts = {}
    file = ""
    for line in said.splitlines():
        if line.startswith("SF:"):
            file = line
        elif found := re.match(r"DA:(\d+),(\d+)", line):
            place = (file, int(found[1]))
            counts[place] = counts.get(place, 0) + int(found[2])
    return sum(map(bool, counts.values())), len(counts)


def of_seeds(program, corpus, profile):
    """Read the committed examples alone."""
    subprocess.run(
        [program, "-runs=0", corpus], check=True, capture_output=True,
        env={**SANITIZERS, "LLVM_PROFILE_FILE": str(profile)},
    )  # fmt: skip
    return profile


def fuzzed(program, corpus, found):
    """Run libFuzzer; return executions, seconds, and what has ended it."""
    done = subprocess.run(
        ["sh", HERE / "libfuzzer.sh", program, corpus, found], env=SANITIZERS,
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    said = done.stderr.decode("utf-8", "replace")
    (found / f"{corpus.name}.log").write_text(said)
    ran = re.search(r"Done (\d+) runs in (\d+) second", said)
    units = re.search(r"stat::number_of_executed_units:\s+(\d+)", said)
    ended = re.search(r"(SUMMARY: .*|Test unit written to .*)", said) if done.returncode else None
    return int((ran or units or [0, 0])[1]), int(ran[2]) if ran else 0, ended[1] if ended else ""


def measured(build, reader):
    """Fuzz a reader; return its row, and what libFuzzer said if something has ended it."""
    program, corpus = build / f"tests/bin/fuzz_{reader}", HERE / "corpus" / reader
    found = build / "tests/fuzz/found"
    found.mkdir(parents=True, exist_ok=True)
    if not program.is_file():
        raise SystemExit(f"measure.py: there is no {program}: ./dev fuzz {reader}")
    seeds = of_seeds(program, corpus, found / f"{reader}-seeds.profraw")
    runs, seconds, ended = fuzzed(program, corpus, found)
    by_seeds, lines = covered(program, [seeds], READERS[reader])
    profile = found / f"{reader}.profraw"  # there is none of a reader that has crashed
    by_all, _ = covered(program, [seeds, profile] if profile.exists() else [seeds], READERS[reader])
    cells = [
        reader, ", ".join(f"`{source}`" for source in READERS[reader]),
        len(list(corpus.iterdir())), f"{runs:,}", seconds, lines,
        f"{100 * by_seeds // lines} %", f"{100 * by_all // lines} %", ended, when(),
    ]  # fmt: skip
    row = "| " + " | ".join(map(str, cells)) + " |"
    return row, (found / f"{reader}.log").read_text() if ended else ""


def when():
    """Return the day and the commit, with + if what is compiled differs from it."""
    git = ["git", "-C", str(ROOT)]
    said = subprocess.run(
        [*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False
    )
    compiled = ["include", "src", "apps", "tools", "tests/fuzz"]
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", *compiled], check=False)
    day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    return f"{day}, {said.stdout.strip()}{'+' if changed.returncode else ''}"


def with_row(text, row):
    """Return the page with a reader's row instead of its last."""

    def place(line):
        reader = line.split("|")[1].strip()
        return list(READERS).index(reader) if reader in READERS else len(READERS)

    lines = text.splitlines()
    first = lines.index(HEAD) + 2
    last = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    rows = {place(line): line for line in [*lines[first:last], row]}
    return "\n".join([*lines[:first], *(rows[i] for i in sorted(rows)), *lines[last:]]) + "\n"


def note(table, row):
    """Put a row into the table's file, which other readers' may be put into now."""
    with table.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = with_row(file.read(), row)
        file.seek(0)
        file.write(text)
        file.truncate()


def main():
    """Fuzz and measure each reader, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--table", type=Path, default=TABLE)
    asked = parser.parse_args()
    bad = False
    for reader in asked.readers or READERS:
        if reader not in READERS:
            raise SystemExit(f"measure.py: {reader}: no reader; these are: {', '.join(READERS)}")
        row, said = measured(asked.build, reader)
        print(row, flush=True)
        note(asked.table, row)
        if said:
            bad = True
            print("\n".join(said.splitlines()[-60:]), file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
