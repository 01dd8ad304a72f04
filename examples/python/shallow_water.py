"""Shallow water in a channel: mpiexec -n RANKS python shallow_water.py [CELLS] [STEPS] [SCHEME].

Height and both speeds are three fields in the same messages. Speeds stand on the faces between
cells (Arakawa's C grid); walls are above and below, left and right are one.
"""

import sys

import halocline as hc
import numpy as np
from mpi4py import MPI

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 128
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
scheme = sys.argv[3] if len(sys.argv) > 3 else "auto"
gravity, depth, time_step = 9.81, 1.0, 0.1

grid = hc.Grid(MPI.COMM_WORLD, (cells, cells), halo=1, periodic=(False, True), corners=False)
height, u, v = (grid.zeros(scheme=scheme) for _ in range(3))
y, x = np.ogrid[grid.owned]
height.owned[:] = np.exp(-0.02 * ((x - cells / 3) ** 2 + (y - cells / 3) ** 2))
speeds = hc.Exchange(grid.halo(), u, v, scheme=scheme)
heights = hc.Exchange(grid.halo(), height, scheme=scheme)

rows, columns = grid.inner
below = slice(rows.start - 1, rows.stop - 1), columns
left = rows, slice(columns.start - 1, columns.stop - 1)
above = slice(rows.start + 1, rows.stop + 1), columns
right = rows, slice(columns.start + 1, columns.stop + 1)
wall = grid.owned[0].start == 0  # this rank has the lower one, where nothing flows

for _ in range(steps):
    heights.run()
    u.owned[:] -= time_step * gravity * (height.owned - height[left])
    v.owned[:] -= time_step * gravity * (height.owned - height[below])
    if wall:
        v.owned[0] = 0
    speeds.run()
    height.owned[:] -= time_step * depth * (u[right] - u.owned + v[above] - v.owned)

water = grid.comm.allreduce(np.sum(height.owned))
energy = grid.comm.allreduce(np.sum(height.owned**2))
if grid.rank == 0:
    print(f"water {water:.8g}, square of the height {energy:.8g}")
