"""What choosing costs and brings a whole run: schemes, `auto` and `auto+when=running` in turns.

Each run is a launch, timed from its start to its end, with nothing left of earlier ones but where
the way says `again`: that one has the tuning file of the run before it. Printed are the medians of
the times as shares of the fastest fixed scheme's in the same turn, with 95 % intervals, and what
each run has chosen.

    ./dev build heat laplace
    python bench/whole_runs.py --turns 3 "heat --points 128 --steps 1000000"
"""

import argparse
import json
import random
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from halocline.statistics import median_interval

FIXED = ("p2p:nonblocking", "shm:signal", "rma:put:fence", "neighbor:nonblocking")
CHOOSING = ("auto", "auto+when=running", "auto again", "auto+when=running again")


def run(launcher, program, way, folder):
    """Return the seconds of a run, and what its own steps have chosen and found."""
    scheme, _, again = way.partition(" ")
    tuning = folder / f"{scheme}.tuning.json"
    if not again:
        tuning.unlink(missing_ok=True)
    result = folder / "result.json"
    words = [*launcher, *program, "--scheme", scheme, "--tuning", tuning, "--json", result]
    began = time.monotonic()
    subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
    seconds = time.monotonic() - began
    return seconds, json.loads(result.read_text()).get("running")


def said(found):
    """What laps have chosen, after how many, and at what cost."""
    chosen = "+".join(one["what"] for one in found["chosen"])
    decided = "decided" if found["decided"] else "not decided"
    return f"{chosen} ({decided}, {found['laps']} laps, trying {100 * found['cost_share']:.2g} %)"


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="+", help='as "heat --points 128 --steps 1000000"')
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--fixed", default=",".join(FIXED))
    wish = parser.parse_args()
    fixed = wish.fixed.split(",")
    launcher = [wish.build / "mpiexec", "-n", wish.ranks]
    for text in wish.program:
        name, *rest = shlex.split(text)
        program = [wish.build / "bin" / name, *rest]
        times = {way: [] for way in (*fixed, *CHOOSING)}
        chosen = {way: [] for way in times}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(wish.turns):
                first = [*fixed, "auto", "auto+when=running"]
                for way in [*random.sample(first, len(first)), *CHOOSING[2:]]:
                    seconds, found = run(launcher, program, way, Path(folder))
                    times[way].append(seconds)
                    if found:
                        chosen[way].append(said(found))
        print(f"{text}: {wish.ranks} ranks, {wish.turns} turns", flush=True)
        best = min(fixed, key=lambda way: sorted(times[way])[wish.turns // 2])
        for way, samples in times.items():
            shares = [mine / other for mine, other in zip(samples, times[best])]
            found, seconds = median_interval(shares), median_interval(samples)
            print(
                f"  {way:26} {seconds.value:7.2f} s  {found.value:.3f} "
                f"[{found.low:.3f}, {found.high:.3f}]"
            )
            for line in chosen[way]:
                print(f"    {line}")


if __name__ == "__main__":
    main()
