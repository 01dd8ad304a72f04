"""examples/python/heat.py by mpiarray. mpiexec -n RANKS python heat_mpiarray.py CELLS STEPS."""

import sys

import mpiarray as mpa
import numpy as np

cells, steps = int(sys.argv[1]), int(sys.argv[2])
old, new = (mpa.zeros((cells, cells), split=(0, 1), halo=1) for _ in range(2))
first = old.layout.index_bounds[0][0]
if first == 0:
    for u in (old, new):
        u.local_with_halos[0] = 1.0


def step(u, v, a, b, c, d):
    """Update rows a to b and columns c to d of v from u, with slices of the array with halos."""
    v[a:b, c:d] = 0.25 * (
        u[a - 1 : b - 1, c:d] + u[a + 1 : b + 1, c:d]
        + u[a:b, c - 1 : d - 1] + u[a:b, c + 1 : d + 1]
    )  # fmt: skip


for _ in range(steps):
    u, v = old.local_with_halos, new.local_with_halos
    rows, columns = u.shape
    update = old.update_halos(wait=False)
    step(u, v, 2, rows - 2, 2, columns - 2)
    update.wait()
    for edge in (1, rows - 2):
        step(u, v, edge, edge + 1, 1, columns - 1)
    for edge in (1, columns - 2):
        step(u, v, 1, rows - 1, edge, edge + 1)
    old, new = new, old

lower = max(0, cells // 2 - first)
warmest = old.layout.comm.allreduce(np.max(old.local[lower:], initial=0.0), max)
if old.layout.rank == 0:
    print(f"warmest cell of the lower half: {warmest:.15g}")
