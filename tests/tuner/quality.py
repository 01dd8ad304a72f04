#!/usr/bin/env python3
"""How good auto's choices are: quality.py [--ranks 2,4] [--only GLOB] [--output FILE] BUILD...

For every build folder, number of ranks and pattern a job by itself, pinned where there is a core
for each rank: auto chooses without any knowledge of patterns, then an exhaustive measurement,
independent of the tuner, says what would have been best (auto_quality.cpp). Lines of JSON go to the
file; the summary to standard output. On a busy machine the figures say more about the other work.
"""

import argparse
import fnmatch
import json
import pathlib
import statistics
import sys
import tempfile

from halocline.launch import describe, process

ATTEMPTS = 6
"""For a job whose processors are moved for long."""


def job(build, ranks, pattern, folder):
    environment = {"HALOCLINE_TUNING": str(folder / f"{pattern}-{ranks}.json")}
    starter = describe(str(build / "mpiexec"))
    command = starter.command(int(ranks), build / "tests/bin/auto_quality", [pattern])
    for _ in range(ATTEMPTS):
        done = process.run(command, environment, limit_s=300)
        if done.ok:
            return done.output.splitlines()
        print(
            f"{pattern} on {ranks} ranks of {build}: {done.reason()}: {done.last_words()}",
            file=sys.stderr,
        )
    return []


def summary(rows):
    ratios = sorted(row["ratio"] for row in rows)
    means = sorted(row["ratio_mean"] for row in rows)
    costs = sorted(row["tuning_s"] for row in rows)
    worst = max(rows, key=lambda row: row["ratio"])
    return (
        f"{len(rows)} patterns: choice / best: median {statistics.median(ratios):.3f}, "
        f"worst {ratios[-1]:.3f} ({worst['pattern']}: {worst['choice']} "
        f"{worst['choice_us']:.4g} µs, {worst['best']} {worst['best_us']:.4g} µs), "
        f"within 3 %: {sum(ratio <= 1.03 for ratio in ratios)}, "
        f"within 10 %: {sum(ratio <= 1.1 for ratio in ratios)}; "
        f"by the mean: median {statistics.median(means):.3f}, worst {means[-1]:.3f}; "
        f"tuning: median {statistics.median(costs):.2f} s, longest {costs[-1]:.2f} s"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", nargs="+", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("quality.jsonl"))
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name, options.output.open("a") as file:
        folder = pathlib.Path(name)
        for build in options.builds:
            for ranks in options.ranks.split(","):
                mine = []
                for pattern in fnmatch.filter(job(build, 1, "--list", folder), options.only):
                    for line in job(build, ranks, pattern, folder):
                        if line.startswith("{"):
                            mine.append(json.loads(line))
                            file.write(line + "\n")
                            file.flush()
                if mine:
                    print(f"{build.name}, {ranks} ranks, {summary(mine)}", flush=True)
                rows += mine
    if rows:
        print(f"all: {summary(rows)}")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
