"""matmul on several ranks and OpenBLAS' dgemm with as many threads as there are cores, in turn.

In every round each is launched once, in an order drawn anew, and repeats the product; a launch's
time is the median of its repetitions but the first. Printed: the speed of dgemm, and the median
over the rounds of each one's speed divided by that round's dgemm, with its 95 % interval.

    ./dev build matmul dgemm
    python3 bench/peers/beside_dgemm.py --shapes 2048,2048,2048 64,64,500000
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from intervals import interval

SHAPES = (
    "512,512,512", "1024,1024,1024", "2048,2048,2048",
    "8192,8192,64", "64,64,500000", "4096,64,4096",
)  # fmt: skip
SCHEMES = ("p2p:nonblocking", "shm:signal", "shm:signal+access=direct")


def dgemm(build, shape, repetitions):
    """Seconds of one launch of OpenBLAS' own."""
    command = [build / "bin/dgemm", *shape.split(","), str(repetitions)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(os.cpu_count())}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return median([float(line) for line in said.stdout.split()][1:])


def matmul(build, shape, repetitions, ranks, scheme, threads):
    """Seconds of one launch of matmul."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        command = [
            build / "mpiexec", "-n", str(ranks), build / "bin/matmul", "--shape", shape,
            "--scheme", scheme, "--threads", str(threads),
            "--repetitions", str(repetitions), "--json", file,
        ]  # fmt: skip
        subprocess.run(command, capture_output=True, check=True)
        return median(json.loads(file.read_text())["samples"]["total_s"][1:])


def main():
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--shapes", nargs="*", default=SHAPES, metavar="M,N,K")
    parser.add_argument("--ranks", nargs="*", type=int, default=[2])
    parser.add_argument("--schemes", nargs="*", default=SCHEMES)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--repetitions", type=int, default=7)
    wish = parser.parse_args()
    print("| M, N, K | ranks | scheme | dgemm GF/s | matmul against dgemm |\n|---|---|---|---|---|")
    for shape in wish.shapes:
        each = [(ranks, scheme) for ranks in wish.ranks for scheme in wish.schemes]
        times = {one: [] for one in [None, *each]}
        for _ in range(wish.rounds):
            for one in random.sample(list(times), len(times)):
                if one is None:
                    seconds = dgemm(wish.build, shape, wish.repetitions)
                else:
                    threads = max(1, (os.cpu_count() or 1) // one[0])
                    seconds = matmul(wish.build, shape, wish.repetitions, *one, threads)
                times[one].append(seconds)
        m, n, k = map(int, shape.split(","))
        speed = 2e-9 * m * n * k / median(times[None])
        for ranks, scheme in each:
            ratios = [x / y for x, y in zip(times[None], times[ranks, scheme], strict=True)]
            middle, low, high = interval(ratios)
            print(
                f"| {shape} | {ranks} | {scheme} | {speed:.1f} | "
                f"{middle:.2f} [{low:.2f}, {high:.2f}] |",
                flush=True,
            )


if __name__ == "__main__":
    main()
