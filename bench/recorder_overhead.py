"""What the recorder costs a program: runs without it and with it in turns, each a launch.

The program computes for some 100 us a step, a fixed amount of work, and then exchanges with both
neighbours of a ring (exchanging_steps.cpp). Printed are the medians of a step's time, with 95 %
intervals, and that of what the recorder adds, from pairs of neighbouring runs: in microseconds of a
step and in percent.

    ./dev build exchanging_steps halocline-preload halocline_record
    python bench/recorder_overhead.py --pairs 21
"""

import argparse
import random
import subprocess
import tempfile
from pathlib import Path

from halocline.statistics import median_interval


def step_time(launcher, words):
    """Seconds of a step, and of the work in it."""
    done = subprocess.run([*launcher, *words], capture_output=True, text=True, check=True)
    step, work, _ = map(float, done.stdout.split())
    return step, work


def said(samples, unit, scale, digits=3):
    """A median with its interval."""
    found = median_interval([scale * sample for sample in samples])
    return f"{found.value:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}] {unit}"


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--program", type=Path, help="exchanging_steps of another build")
    parser.add_argument("--launcher", type=Path, help="an mpiexec")
    parser.add_argument("--preload", type=Path, help="halocline-preload of another build")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--work", type=int, default=40000, help="turns of a loop; some 100 us")
    parser.add_argument("--pairs", type=int, default=21)
    wish = parser.parse_args()
    program = wish.program or wish.build / "bin/exchanging_steps"
    launcher = [wish.launcher or wish.build / "mpiexec", "-n", str(wish.ranks)]
    steps = [str(program), str(wish.steps), str(wish.work)]
    plain, recorded, work = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        preload = [str(wish.preload or wish.build / "bin/halocline-preload"), "--output", folder]
        for _ in range(wish.pairs):
            runs = [(plain, steps), (recorded, [*preload, *steps])]
            for kept, words in random.sample(runs, 2):
                step, alone = step_time(launcher, words)
                kept.append(step)
                work.append(alone)
    added = [b - a for a, b in zip(plain, recorded)]
    shares = [b / a - 1 for a, b in zip(plain, recorded)]
    print(f"{wish.pairs} pairs of runs, {wish.ranks} ranks, {wish.steps} steps of 4 messages")
    print(f"work of a step: {said(work, 'us', 1e6, 1)}")
    print(f"a step without the recorder: {said(plain, 'us', 1e6, 2)}")
    print(f"a step with the recorder: {said(recorded, 'us', 1e6, 2)}")
    print(f"added: {said(added, 'us', 1e6)}, {said(shares, '%', 100, 2)}")


if __name__ == "__main__":
    main()
