"""Fuzz the readers for a while, and say what that has reached: docs/measured/fuzzing.md has it.

    HALOCLINE_FUZZ_SECONDS=60 python tests/fuzz/measure.py build/fuzz [READER...]

Rows are printed as they come. The build is that of the preset `fuzz`, target `fuzzers`: Clang's
sanitizers, libFuzzer, and its counters of lines, which llvm-cov reads. `./dev soak` runs the same
for ten minutes each.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
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


def main():
    """Fuzz and measure each reader, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("readers", nargs="*", metavar="READER")
    asked = parser.parse_args()
    found = asked.build / "tests/fuzz/found"
    found.mkdir(parents=True, exist_ok=True)
    bad = False
    for reader in asked.readers or READERS:
        program, corpus = asked.build / f"tests/bin/fuzz_{reader}", HERE / "corpus" / reader
        if not program.is_file():
            raise SystemExit(f"measure.py: there is no {program}: cmake --build --target fuzzers")
        seeds = of_seeds(program, corpus, found / f"{reader}-seeds.profraw")
        runs, seconds, ended = fuzzed(program, corpus, found)
        by_seeds, lines = covered(program, [seeds], READERS[reader])
        profile = found / f"{reader}.profraw"
        by_all, _ = (
            covered(program, [seeds, profile], READERS[reader]) if profile.exists() else (0, 0)
        )
        names = ", ".join(f"`{source}`" for source in READERS[reader])
        print(
            f"| {reader} | {names} | {len(list(corpus.iterdir()))} | {runs:,} | {seconds} "
            f"| {lines} | {100 * by_seeds // lines} % | {100 * by_all // lines} % | {ended} |",
            flush=True,
        )
        bad = bad or bool(ended)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
