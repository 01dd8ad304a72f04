"""Heat in a plate: mpiexec -n RANKS python heat.py [CELLS] [STEPS] [SCHEME].

Jacobi's method on a square whose upper edge is hot; inner cells are updated while halos travel.
"""

import sys

import halocline as hc
import numpy as np
from mpi4py import MPI

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 256
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
scheme = sys.argv[3] if len(sys.argv) > 3 else "auto"

grid = hc.Grid(MPI.COMM_WORLD, (cells, cells), halo=1, corners=False)
old, new = grid.zeros(scheme=scheme), grid.zeros(scheme=scheme)
if grid.owned[0].start == 0:
    for u in (old, new):
        u[0] = 1.0
halos = {id(u): hc.Exchange(grid.halo(), u, scheme=scheme) for u in (old, new)}


def step(u, v, rows, columns):
    """Update v[rows, columns] from u, with slices of the array with halos."""
    (a, b), (c, d) = (rows.start, rows.stop), (columns.start, columns.stop)
    v[a:b, c:d] = 0.25 * (
        u[a - 1 : b - 1, c:d] + u[a + 1 : b + 1, c:d]
        + u[a:b, c - 1 : d - 1] + u[a:b, c + 1 : d + 1]
    )  # fmt: skip


rows, columns = grid.inner
first, last = columns.start, columns.stop
for _ in range(steps):
    with halos[id(old)]:
        step(old, new, slice(rows.start + 1, rows.stop - 1), slice(first + 1, last - 1))
    for edge in (rows.start, rows.stop - 1):
        step(old, new, slice(edge, edge + 1), columns)
    for edge in (first, last - 1):
        step(old, new, rows, slice(edge, edge + 1))
    old, new = new, old

lower = max(0, cells // 2 - grid.owned[0].start)
warmest = grid.comm.allreduce(np.max(old.owned[lower:], initial=0.0), MPI.MAX)
if grid.rank == 0:
    print(f"warmest cell of the lower half: {warmest:.15g}")
