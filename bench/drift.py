"""Why ranks may beat threads: partdiff on ranks alone and in every style, with and without drift.

Jacobi's method on 8000 x 8000 points takes all of a machine's memory bandwidth. Each shape of
RANKSxTHREADS and style runs once a round, in an order drawn anew, with a trace. Printed are medians
over the rounds with 95 % intervals (the range of fewer than six): milliseconds of a step, the mean
of a launch; how far apart workers, and ranks, begin to compute in it; and the share of the time in
which all workers compute, and only some. Of one thread a rank the styles that differ are measured.

    ./dev build partdiff
    python bench/drift.py 1x1 2x1 1x2
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import fmean

import numpy as np
from halocline.errors import HaloclineError
from halocline.figures import digits
from halocline.launch import launcher_of
from halocline.statistics import median_interval
from halocline.traces import Trace, spread
from halocline.traces.file import NUMBER

STYLES = "masteronly,naive,funneled,single,thread,tasks,partitioned,multiple"
OF_ONE_THREAD = "masteronly,naive"
SKIPPED = 5  # steps, which warm up
COLUMNS = ("a step, ms", "workers begin apart, ms", "ranks, ms", "all compute, %", "some, %")


def computing(trace):
    """The shares of time, in percent, in which all workers compute, and in which only some do."""
    changes, begins, workers = [], [], 0
    for rank in trace.ranks:
        begun = rank.events["begin"][rank.events["activity"] == NUMBER["begin step"]]
        begins.append(np.sort(begun)[SKIPPED])
        events = rank.events[rank.events["activity"] == NUMBER["compute"]]
        for thread in np.unique(events["thread"]):
            mine = np.sort(events[events["thread"] == thread], order="begin")
            # What lies within another event is no more work.
            until = np.maximum.accumulate(mine["end"])
            first = np.append(True, mine["begin"][1:] > until[:-1])
            last = np.append(first[1:], True)
            changes += [(at, 1) for at in mine["begin"][first]]
            changes += [(at, -1) for at in until[last]]
            workers += 1
    times, steps = np.array(sorted(changes)).T
    busy = np.cumsum(steps)[:-1]
    lasts = np.diff(np.maximum(times, max(begins)))
    some = (busy > 0) & (busy < workers)
    return tuple(100 * lasts[which].sum() / lasts.sum() for which in (busy == workers, some))


def figures(wish, ranks, threads, style, folder):
    """What one launch says, as COLUMNS have it."""
    program = wish.build / "bin/partdiff"
    file, times = Path(folder) / "run.trace", Path(folder) / "run.json"
    launcher = launcher_of(program)
    words = [
        threads, 2, wish.interlines, 1, 2, wish.steps, "--style", style, "--scheme", wish.scheme,
        "--trace", file, "--json", times,
    ]  # fmt: skip
    subprocess.run(
        launcher.command(ranks, program, list(map(str, words)), threads=threads),
        env={**os.environ, **launcher.environment(ranks, threads)},
        stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    trace = Trace.load(file)
    steps = json.loads(times.read_text())["samples"]["step_s"][0][SKIPPED:]
    try:
        found = spread(trace, SKIPPED)
        apart = [1e3 * found.all_s.value, 1e3 * found.ranks_s.value]
    except HaloclineError:  # a thread had no task in most steps
        apart = [None, None]
    return (1e3 * fmean(steps), *apart, *computing(trace))


def cell(column):
    """The median of what launches say, with its interval."""
    known = [value for value in column if value is not None]
    return digits(median_interval(known)) if known else ""


def main():
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("shapes", nargs="+", metavar="RANKSxTHREADS")
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--scheme", default="p2p:nonblocking")
    parser.add_argument("--interlines", type=int, default=999)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--budget", type=float, default=1e9, help="seconds; begin no more rounds")
    wish = parser.parse_args()
    shapes = [tuple(map(int, shape.split("x"))) for shape in wish.shapes]
    runs = [
        (ranks, threads, style)
        for ranks, threads in shapes
        for style in (STYLES if threads > 1 else OF_ONE_THREAD).split(",")
    ]
    found = {run: [] for run in runs}
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        for done in range(wish.rounds):
            spent = time.monotonic() - began
            if done and spent * (done + 1) / done > wish.budget:
                break
            for run in random.sample(runs, len(runs)):
                found[run].append(figures(wish, *run, folder))
    print(f"{len(found[runs[0]])} rounds\n")
    print(f"| ranks | threads | style | {' | '.join(COLUMNS)} |")
    print(f"|{'---|' * (3 + len(COLUMNS))}")
    for (ranks, threads, style), launches in found.items():
        cells = map(cell, zip(*launches, strict=True))
        print(f"| {ranks} | {threads} | {style} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
