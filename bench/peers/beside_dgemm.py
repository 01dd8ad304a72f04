"""matmul on several ranks, ScaLAPACK's pdgemm where the build has it, and OpenBLAS' own dgemm with
as many threads as there are cores, in turn.

In every round each is launched once, in an order drawn anew, and repeats the product; a launch's
time is the median of its repetitions but the first. Printed: the speed of dgemm, and the median
over the rounds of each one's speed divided by that round's dgemm, with its 95 % interval. pdgemm
has the grid and the block with which it was fastest when each was launched once before.

    ./dev build matmul dgemm
    python3 bench/peers/beside_dgemm.py --shapes 2048,2048,2048 64,64,500000

Debian has a ScaLAPACK for its own MPI (libscalapack-openmpi-dev, libscalapack-mpich-dev), which the
build must have then; build the target pdgemm, too.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from intervals import interval

SHAPES = (
    "512,512,512", "1024,1024,1024", "2048,2048,2048",
    "8192,8192,64", "64,64,500000", "4096,64,4096",
)  # fmt: skip
SCHEMES = ("p2p:nonblocking", "shm:signal+access=direct")
BLOCKS = (64, 128, 256)  # of pdgemm


def run(*command, threads=None):
    """Run a command, with so many threads of OpenBLAS a process; return what it says."""
    environment = {**os.environ, **({"OPENBLAS_NUM_THREADS": str(threads)} if threads else {})}
    words = [str(word) for word in command]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout


def printed(said):
    """Seconds of a launch that prints those of each repetition."""
    return median([float(line) for line in said.split()][1:])


def threads_of(ranks):
    """Threads a rank, so that all cores have one."""
    return max(1, (os.cpu_count() or 1) // ranks)


def dgemm(build, shape, repetitions):
    """Seconds of one launch of OpenBLAS' own."""
    said = run(build / "bin/dgemm", *shape.split(","), repetitions, threads=threads_of(1))
    return printed(said)


def matmul(build, shape, repetitions, ranks, scheme):
    """Seconds of one launch of matmul."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        run(
            build / "mpiexec", "-n", ranks, build / "bin/matmul", "--shape", shape,
            "--scheme", scheme, "--threads", threads_of(ranks),
            "--repetitions", repetitions, "--json", file,
        )  # fmt: skip
        return median(json.loads(file.read_text())["samples"]["total_s"][1:])


def pdgemm(build, shape, repetitions, grid, block):
    """Seconds of one launch of ScaLAPACK's."""
    ranks = grid[0] * grid[1]
    said = run(
        build / "mpiexec", "-n", ranks, build / "bin/pdgemm", *shape.split(","), repetitions,
        *grid, block, threads=threads_of(ranks),
    )  # fmt: skip
    return printed(said)


def best_pdgemm(build, shape, ranks):
    """Return which of all grids and some blocks are fastest in one launch."""
    grids = [(rows, ranks // rows) for rows in range(1, ranks + 1) if ranks % rows == 0]
    return min(
        ((grid, block) for grid in grids for block in BLOCKS),
        key=lambda one: pdgemm(build, shape, 3, *one),
    )


def main():
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--shapes", nargs="*", default=SHAPES, metavar="M,N,K")
    parser.add_argument("--ranks", nargs="*", type=int, default=[2, 4])
    parser.add_argument("--schemes", nargs="*", default=SCHEMES)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--repetitions", type=int, default=7)
    wish = parser.parse_args()
    print("| M, N, K | ranks | by | dgemm GF/s | its speed of dgemm's |\n|---|---|---|---|---|")
    for shape in wish.shapes:
        common = (wish.build, shape, wish.repetitions)
        alone = partial(dgemm, *common)
        others = {
            f"{ranks} | matmul, {scheme}": partial(matmul, *common, ranks, scheme)
            for ranks in wish.ranks
            for scheme in wish.schemes
        }
        if (wish.build / "bin/pdgemm").exists():
            for ranks in wish.ranks:
                grid, block = best_pdgemm(wish.build, shape, ranks)
                name = f"{ranks} | pdgemm, {grid[0]} x {grid[1]} ranks, blocks of {block}"
                others[name] = partial(pdgemm, *common, grid, block)
        times = {one: [] for one in [alone, *others.values()]}
        for _ in range(wish.rounds):
            for one in random.sample(list(times), len(times)):
                times[one].append(one())
        m, n, k = map(int, shape.split(","))
        speed = 2e-9 * m * n * k / median(times[alone])
        for name, one in others.items():
            ratios = [x / y for x, y in zip(times[alone], times[one], strict=True)]
            middle, low, high = interval(ratios)
            print(f"| {shape} | {name} | {speed:.1f} | {middle:.2f} [{low:.2f}, {high:.2f}] |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
