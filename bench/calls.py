"""What a step costs from Python, beside C++ and C: `python bench/calls.py`, on one rank.

halometer measures the two (`halometer calls`), this program the same step from Python: with nothing
to wait for, what differs is the way into the library. Rounds take turns; medians are printed.
"""

import argparse
import tempfile
import time
from statistics import median

import halocline as hc
import numpy as np

CELLS, STEPS, BATCHES = 8, 500, 60


def per_step(step):
    """Return seconds a step takes: of the batch that other work on the machine disturbs least."""
    found = []
    for _ in range(BATCHES):
        begin = time.perf_counter()
        for _ in range(STEPS):
            step()
        found.append((time.perf_counter() - begin) / STEPS)
    return min(found)


def ways():
    """Return the ways to call a step."""
    grid = hc.Grid((CELLS,), periodic=True)
    u = np.zeros(grid.shape)
    halos = hc.Exchange(grid.halo(), u, scheme="p2p:nonblocking")
    given = hc.Exchange(grid.halo(), hc.unbound("f8"), scheme="p2p:nonblocking")

    def block():
        with halos:
            pass

    return {"Python, run()": halos.run, "Python, with": block,
            "Python, run(u)": lambda: given.run(u)}  # fmt: skip


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    seconds = {name: [] for name in ways()}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            compiled = hc.bench(
                "calls", ranks=1, launches=1, budget_s=2, output=folder, say=lambda text: None
            )
            for row in compiled.table():
                seconds.setdefault(row["scheme"], []).append(row["median_s"])
        for name, step in ways().items():
            seconds[name].append(per_step(step))
    for name, some in seconds.items():
        beside = "C++ run(u)" if name.endswith("run(u)") else "C++"
        more = median(some) - median(seconds[beside])
        print(f"{name:15} {1e6 * median(some):7.3f} µs, {1e6 * more:+.3f} to {beside}")


if __name__ == "__main__":
    main()
