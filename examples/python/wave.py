"""A wave in a periodic cube: mpiexec -n RANKS python wave.py [CELLS] [STEPS] [SCHEME].

One exchange serves the arrays in turn; cells that need no halo are computed while it is under way.
"""

import sys

import halocline as hc
import numpy as np
from mpi4py import MPI

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 64
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 50
scheme = sys.argv[3] if len(sys.argv) > 3 else "auto"

grid = hc.Grid(MPI.COMM_WORLD, (cells, cells, cells), halo=1, periodic=True, corners=False)
before, now, after = (grid.zeros(scheme=scheme) for _ in range(3))
x, y, z = np.ogrid[grid.owned]
now.owned[:] = np.exp(-0.1 * ((x - cells / 2) ** 2 + (y - cells / 2) ** 2 + (z - cells / 2) ** 2))
before.owned[:] = now.owned
halos = hc.Exchange(grid.halo(), hc.unbound("f8"), scheme=scheme)


def shifted(u, box, axis, by):
    """Return the cells beside those of a box."""
    moved = list(box)
    moved[axis] = slice(box[axis].start + by, box[axis].stop + by)
    return u[tuple(moved)]


def advance(box):
    """Compute the next values in a box of the array."""
    around = sum(shifted(now, box, axis, by) for axis in range(3) for by in (-1, 1))
    after[box] = 2 * now[box] - before[box] + 0.1 * (around - 6 * now[box])


inner = tuple(slice(axis.start + 1, axis.stop - 1) for axis in grid.inner)
shell = []  # the owned cells beside the halos, each once
for axis, owned in enumerate(grid.inner):
    for edge in (owned.start, owned.stop - 1):
        box = [*inner[:axis], slice(edge, edge + 1), *grid.inner[axis + 1 :]]
        shell.append(tuple(box))

for _ in range(steps):
    halos.start(now)
    advance(inner)
    halos.finish()
    for box in shell:
        advance(box)
    before, now, after = now, after, before

total = grid.comm.allreduce(np.sum(now.owned**2))
if grid.rank == 0:
    print(f"{total:.8g}")
