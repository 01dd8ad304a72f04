#!/usr/bin/env python3
"""Find out what interference looks like here: launches by themselves, and beside busy loops.

    python tests/python/disturbances.py [--launches N] [--ranks R,...] [--loops L,...]

Launches partdiff N times with nothing else running and N times beside each number of busy loops,
alternating, and prints for every reading its quantiles, and the share of launches that are marked.
The limits in `halocline.interference` were chosen by this. A quiet machine is needed, or the first
half is not what it says; the reading of what others did shows whether it was.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from contextlib import ExitStack

from halocline.launch import interference, process
from halocline.launch.interference import Activity
from halocline.launch.launcher import find_program
from halocline.measure.checker import launcher_of

READINGS = ("other_cpus", "stolen", "waited", "switches_per_s")
PROBLEM = ["1", "1", "100", "1", "2"]
"""Gauss-Seidel, whose ranks wait for each other; the sweeps decide how long a launch takes."""
QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)


def measured(loops: int, ranks: int, sweeps: int) -> tuple[Activity, float]:
    """Launch partdiff once beside busy loops; return what happened and how long it took."""
    program = find_program("partdiff")
    launcher = launcher_of(program, None)
    command = launcher.command(ranks, program, [*PROBLEM, str(sweeps)])
    with ExitStack() as stack:
        for _ in range(loops):
            loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        time.sleep(0.1 if loops else 0)
        before = interference.read()
        finished = process.run(command, launcher.environment(ranks), 60)
        return Activity.between(before, interference.read()), finished.wall_s


def show(title: str, found: list[Activity], threads: int) -> None:
    """Print the quantiles of every reading, and how many launches are marked."""
    marked = sum(bool(one.disturbances(threads)) for one in found)
    print(f"{title}: {marked} of {len(found)} marked")
    for name in READINGS:
        values = sorted(v for one in found if (v := getattr(one, name)) is not None)
        if values:
            cuts = [f"{values[round(q * (len(values) - 1))]:10.3f}" for q in QUANTILES]
            print(f"  {name:15}{''.join(cuts)}")


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--launches", type=int, default=30)
    words.add_argument("--ranks", default="2")
    words.add_argument("--loops", default="1")
    words.add_argument("--sweeps", default="200,20000", help="short and long launches")
    chosen = words.parse_args()
    print(f"{'quantiles':17}{''.join(f'{100 * q:9.0f} %'[-10:] for q in QUANTILES)}")
    for ranks in map(int, chosen.ranks.split(",")):
        for sweeps in map(int, chosen.sweeps.split(",")):
            found: dict[int, list[Activity]] = {}
            walls = []
            for _ in range(chosen.launches):
                for loops in (0, *map(int, chosen.loops.split(","))):
                    activity, wall = measured(loops, ranks, sweeps)
                    found.setdefault(loops, []).append(activity)
                    walls += [wall] * (not loops)
            usual = sorted(walls)[len(walls) // 2]
            for loops, activities in found.items():
                beside = f"beside {loops} busy loop{'s' * (loops > 1)}" if loops else "alone"
                show(f"{ranks} ranks, {usual:.2f} s a launch, {beside}", activities, ranks)


if __name__ == "__main__":
    main()
