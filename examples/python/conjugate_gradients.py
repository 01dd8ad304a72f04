"""Conjugate gradients on a sparse matrix of scipy.

mpiexec -n RANKS python conjugate_gradients.py [POINTS] [SCHEME]

The matrix is Poisson's on a square of POINTS x POINTS; each rank has some of its rows.
"""

import sys

import halocline as hc
import numpy as np
from mpi4py import MPI
from scipy import sparse

points = int(sys.argv[1]) if len(sys.argv) > 1 else 60
scheme = sys.argv[2] if len(sys.argv) > 2 else "auto"

comm = MPI.COMM_WORLD
line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (points, points))
whole = sparse.kronsum(line, line).tocsr()
mine = hc.Grid(comm, (points**2,), halo=0, decomposition="rows").owned[0]

pattern, matrix = hc.Pattern.from_rows(whole[mine], comm)
rows, elements = matrix.shape
direction = np.zeros(elements)  # this rank's, then those of others that its rows need
ghosts = hc.Exchange(pattern, direction, scheme=scheme)


def dot(a, b):
    """Return the scalar product of two vectors that are spread over the ranks."""
    return comm.allreduce(a @ b)


solution = np.zeros(rows)
residual = np.ones(rows)  # of the right-hand side 1
direction[:rows] = residual
square = first = dot(residual, residual)
iterations = 0
while square > 1e-20 * first:
    ghosts.run()
    product = matrix @ direction
    alpha = square / dot(direction[:rows], product)
    solution += alpha * direction[:rows]
    residual -= alpha * product
    square, before = dot(residual, residual), square
    direction[:rows] = residual + square / before * direction[:rows]
    iterations += 1

largest = comm.allreduce(solution.max(), MPI.MAX)
if comm.rank == 0:
    print(f"{iterations} iterations, largest {largest:.8g}")
