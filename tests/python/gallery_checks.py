"""What the programs in examples/python find, against plain numpy: mpiexec -n RANKS python FILE.

Bit for bit, but for sums over ranks. Every rank says what is wrong of its part.
"""

import contextlib
import io
import runpy
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI
from scipy import sparse

PROGRAMS = Path(__file__).parents[2] / "examples" / "python"


def ran(program, *arguments):
    """Run a program in this process and return its variables."""
    sys.argv = [program, *map(str, arguments)]
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(PROGRAMS / f"{program}.py"), run_name="__main__")


def heat(cells=20, steps=15):
    found = ran("heat", cells, steps, "p2p:nonblocking")
    u = np.zeros((cells + 2, cells + 2))
    u[0] = 1
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u = v
    return found["old"].owned, u[1:-1, 1:-1][found["grid"].owned]


def wave(cells=12, steps=10):
    found = ran("wave", cells, steps, "shm:signal")
    x, y, z = np.ogrid[:cells, :cells, :cells]
    now = np.exp(-0.1 * ((x - cells / 2) ** 2 + (y - cells / 2) ** 2 + (z - cells / 2) ** 2))
    before = now
    for _ in range(steps):
        around = sum(np.roll(now, -by, axis) for axis in range(3) for by in (-1, 1))
        before, now = now, 2 * now - before + 0.1 * (around - 6 * now)
    return found["now"].owned, now[found["grid"].owned]


def shallow_water(cells=18, steps=20):
    found = ran("shallow_water", cells, steps, "p2p:persistent")
    y, x = np.ogrid[:cells, :cells]
    height = np.exp(-0.02 * ((x - cells / 3) ** 2 + (y - cells / 3) ** 2))
    u, v = np.zeros((cells, cells)), np.zeros((cells + 1, cells))
    for _ in range(steps):
        u -= 0.1 * 9.81 * (height - np.roll(height, 1, 1))
        v[1:-1] -= 0.1 * 9.81 * (height[1:] - height[:-1])
        height -= 0.1 * 1.0 * (np.roll(u, -1, 1) - u + v[1:] - v[:-1])
    return found["height"].owned, height[found["grid"].owned]


def particles(count=300, steps=15):
    found = ran("particles", count, steps, "p2p:nonblocking")
    random = np.random.default_rng(1)
    place, speed = random.random((count, 2)), random.normal(0, 1, (count, 2))
    for _ in range(steps):
        place = (place + found["time_step"] * speed) % 1
    mine = found["mine"]
    return mine["place"], place[mine["number"]]


def conjugate_gradients(points=12):
    found = ran("conjugate_gradients", points, "p2p:nonblocking")
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (points, points))
    whole = sparse.kronsum(line, line).tocsc()
    right = sparse.linalg.spsolve(whole, np.ones(points**2))[found["mine"]]
    close = np.abs(found["solution"] - right).max() < 1e-9 * np.abs(right).max()
    return np.array([close]), np.array([True])


def main():
    for check in (heat, wave, shallow_water, particles, conjugate_gradients):
        found, expected = check()
        if not np.array_equal(found, expected):
            print(f"rank {MPI.COMM_WORLD.rank}: {check.__name__} finds other bits", flush=True)


if __name__ == "__main__":
    main()
