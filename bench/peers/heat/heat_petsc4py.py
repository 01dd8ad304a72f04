"""examples/python/heat.py by petsc4py. mpiexec -n RANKS python heat_petsc4py.py CELLS STEPS."""

import sys

import numpy as np
from petsc4py import PETSc

cells, steps = int(sys.argv[1]), int(sys.argv[2])
grid = PETSc.DMDA().create(
    (cells, cells), stencil_width=1, boundary_type=(PETSc.DM.BoundaryType.GHOSTED,) * 2
)
(left, right), (first, end) = grid.getRanges()
new = grid.createGlobalVec()
halos = grid.createLocalVec()
with halos as flat:
    u = flat.reshape(end - first + 2, right - left + 2)
    if first == 0:
        u[0] = 1.0

for _ in range(steps):
    grid.globalToLocal(new, halos)
    with new as v, halos as flat:
        u = flat.reshape(end - first + 2, right - left + 2)
        v[...] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]).ravel()

lower = max(0, cells // 2 - first)
cells_of_mine = new.getArray().reshape(end - first, right - left)
warmest = grid.comm.tompi4py().allreduce(np.max(cells_of_mine[lower:], initial=0.0), max)
if grid.comm.rank == 0:
    print(f"warmest cell of the lower half: {warmest:.15g}")
