"""md on several ranks beside md on one, and beside copies of itself that exchange nothing.

In every round each of these runs once, in an order drawn anew: md on 1, 2 and 4 ranks, and two
copies of it at the same time, each on 1 rank and on a core of its own. Printed is, in million
particle steps a second, the median of each, and the medians over the rounds of what 2 ranks make
over 1, of what both copies make together over 1 (all that two cores of this machine can do without
an exchange), of 2 ranks over both copies, and of 4 ranks over 2, with 95 % intervals (from six
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

from beside_lammps import CASES
from intervals import said

RATIOS = [("2", "1"), ("copies", "1"), ("2", "copies"), ("4", "2")]


def start(wish, case, ranks, file, core=None):
    """A launch of md under way."""
    pinned = ["taskset", "-c", str(core)] if core is not None else []
    return subprocess.Popen(
        [*pinned, wish.build / "mpiexec", "-n", str(ranks), wish.build / "bin/md", *case.options,
         "--steps", str(round(case.steps * wish.length)), "--scheme", wish.scheme, "--json", file],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def rate(wish, case, what, folder):
    """Million particle steps a second, of all that runs at the same time."""
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
    return sum(json.loads(file.read_text())["result"]["million_particle_steps_s"] for file in files)


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
    print(f"|{'---|' * (5 + len(RATIOS))}")
    for name in wish.cases:
        rates = {what: [] for what in ("1", "2", "4", "copies")}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(wish.rounds):
                for what in random.sample(list(rates), len(rates)):
                    rates[what].append(rate(wish, CASES[name], what, folder))
        cells = [f"{median(of):.3g}" for of in rates.values()]
        for a, b in RATIOS:
            each = zip(rates[a], rates[b], strict=True)
            cells.append(said([x / y for x, y in each]))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
