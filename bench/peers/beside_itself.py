"""md on several ranks beside md on one, and beside copies of itself that exchange nothing.

In every round each of these runs once, in an order drawn anew: md on 1, 2 and 4 ranks, and two
copies of it at the same time, each on 1 rank and on a core of its own. Printed is, in million
particle steps a second, the median of each, and the medians over the rounds of what 2 ranks make
over 1, of what both copies make together over 1 (all that two cores of this machine can do without
an exchange), of what they would make if at every step, or every seven (the time between two builds
of the melt's lists), the faster one had waited for the slower, as ranks must who exchange
something, over 1, of 2 ranks over both copies, and of 4 ranks over 2, with 95 % intervals (from six
rounds on; the range of fewer).

    ./dev build md
    python3 bench/peers/beside_itself.py melt dense
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
from beside_lammps import CASES
from intervals import said

RATIOS = [("2", "1"), ("copies", "1"), ("in step", "1"), ("in sevens", "1"), ("2", "copies"),
          ("4", "2")]  # fmt: skip
RUNS = ["1", "2", "4", "copies"]
TOGETHER = {"in step": 1, "in sevens": 7}


def start(wish, case, ranks, file, core=None):
    """A launch of md under way."""
    pinned = ["taskset", "-c", str(core)] if core is not None else []
    return subprocess.Popen(
        [*pinned, wish.build / "mpiexec", "-n", str(ranks), wish.build / "bin/md", *case.options,
         "--steps", str(round(case.steps * wish.length)), "--scheme", wish.scheme, "--json", file],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def rates(wish, case, what, folder):
    """Million particle steps a second, of all that runs at a time; of copies also if in step."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    wanted = [(1, core) for core in cores] if what == "copies" else [(int(what), None)]
    files = [Path(folder) / f"{k}.json" for k in range(len(wanted))]
    runs = [
        start(wish, case, ranks, file, core)
        for (ranks, core), file in zip(wanted, files, strict=True)
    ]
    codes = [run.wait() for run in runs]
    if any(codes):
        raise SystemExit("md failed")
    said = [json.loads(file.read_text()) for file in files]
    found = {what: sum(one["result"]["million_particle_steps_s"] for one in said)}
    if what == "copies":
        steps = np.array([one["samples"]["step_s"][0] for one in said])
        million = said[0]["result"]["particles"] * steps.size / 1e6
        for name, many in TOGETHER.items():
            starts = range(0, steps.shape[1], many)
            slowest = np.add.reduceat(steps, starts, axis=1).max(axis=0)
            found[name] = million / slowest.sum()
    return found


def main():
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="+", choices=list(CASES), metavar="CASE")
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--scheme", default="p2p:nonblocking")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--length", type=float, default=1, help="times as many steps as usual")
    wish = parser.parse_args()
    named = " | ".join(f"{a} / {b}" for a, b in RATIOS)
    print(f"| case | 1 rank | 2 | 4 | two copies | {named} |")
    print(f"|{'---|' * (1 + len(RUNS) + len(RATIOS))}")
    for name in wish.cases:
        rounds = []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(wish.rounds):
                found = {}
                for what in random.sample(RUNS, len(RUNS)):
                    found |= rates(wish, CASES[name], what, folder)
                rounds.append(found)
        cells = [f"{median(found[what] for found in rounds):.3g}" for what in RUNS]
        cells += [said([found[a] / found[b] for found in rounds]) for a, b in RATIOS]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
