"""What a trace costs: a program that is traced beside itself that is not, in turns in one launch.

Every scheme has two entrants, so that what differs without a trace is seen as well. Printed are,
for each scheme, the microseconds of a step without a trace, what they are with one by what they are
without, and one entrant by the other without: medians over the launches of what the medians of the
turns are, with 95 % intervals (from six launches on; the range of fewer). With --beside BUILD the
same program of another build, such as one that cannot record (CXXFLAGS=-DHALOCLINE_WITHOUT_TRACE),
is launched beside each launch, and its untraced step stands beside that of this build.

    ./dev build laplace
    python3 bench/peers/beside_its_trace.py --schemes p2p:nonblocking,shm:signal,rma:put:fence \\
        laplace --per-rank 32,32,32 --depth 1 --tolerance 1e-300 --max-iterations 400
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from intervals import said


def turns(build, wish, traced):
    """Seconds of a step, by entrant and whether it was traced, turn by turn after the first."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "turns.json"
        command = [
            build / "mpiexec", "-n", "2", build / "bin" / wish.program, *wish.arguments,
            "--in-turn", ",".join(one for one in wish.schemes for _ in range(2)),
            "--repetitions", str(wish.turns), "--json", file,
            *(["--trace", Path(folder) / "run.trace"] if traced else []),
        ]  # fmt: skip
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        content = json.loads(file.read_text())
    found = {}
    for one in content["solutions"]:
        if one["turn"] > 0:
            steps = content["schemes"][one["scheme"]]["result"]["iterations"]
            key = one["scheme"], one.get("traced", False)
            found.setdefault(key, []).append(one["total_s"] / steps)
    return found


def ratio(ones, others):
    """The median over the turns of one by the other."""
    return median(a / b for a, b in zip(ones, others, strict=True))


def main():
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--beside", type=Path, help="another build of the same program")
    parser.add_argument("--schemes", type=lambda text: text.split(","), required=True)
    parser.add_argument("--launches", type=int, default=6)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    wish = parser.parse_args()
    rows = {scheme: {"us a step": [], "beside": [], "not / not": []} for scheme in wish.schemes}
    for _ in range(wish.launches):
        builds = [wish.build, *([wish.beside] if wish.beside else [])]
        launched = {
            build: turns(build, wish, traced=not wish.beside)
            for build in random.sample(builds, len(builds))
        }
        here = launched[wish.build]
        for i, row in enumerate(rows.values()):
            first, second = ((2 * i, False), (2 * i + 1, False))
            without = median(here[first] + here[second])
            row["us a step"].append(1e6 * without)
            row["not / not"].append(ratio(here[first], here[second]))
            if wish.beside:
                there = launched[wish.beside]
                row["beside"].append(without / median(there[first] + there[second]))
            else:
                on = (
                    ratio(here[entrant, True], here[entrant, False])
                    for entrant, _ in (first, second)
                )
                row["beside"].append(median(on))
    beside = "by the other build" if wish.beside else "traced / not"
    print(f"| scheme | us a step | {beside} | not / not |\n|---|---|---|---|")
    for scheme, row in rows.items():
        print(f"| {scheme} | {' | '.join(said(of, 3) for of in row.values())} |")


if __name__ == "__main__":
    main()
