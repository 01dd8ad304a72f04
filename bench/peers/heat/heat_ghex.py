"""examples/python/heat.py by GHEX. mpiexec -n RANKS python heat_ghex.py CELLS STEPS."""

import sys

import numpy as np
from ghex.context import make_context
from ghex.structured.cartesian_sets import IndexSpace
from ghex.structured.regular import (
    DomainDescriptor,
    HaloGenerator,
    make_communication_object,
    make_field_descriptor,
    make_pattern,
)
from ghex.util import Architecture
from mpi4py import MPI

cells, steps = int(sys.argv[1]), int(sys.argv[2])
comm = MPI.COMM_WORLD
cart = comm.Create_cart(dims=MPI.Compute_dims(comm.size, 2), periods=(False, False))
context = make_context(cart, False)
whole = IndexSpace.from_sizes(cells, cells)
part = whole.decompose(cart.dims)[tuple(cart.Get_coords(cart.rank))]
mine = part.subset["definition"]
domain = DomainDescriptor(context.rank(), mine)
generator = HaloGenerator(whole.subset["definition"], ((1, 1), (1, 1)), (False, False))
pattern = make_pattern(context, generator, [domain])
exchange = make_communication_object(context)
shape = tuple(size + 2 for size in mine.shape)
old, new = np.zeros(shape), np.zeros(shape)
fields = {
    id(u): pattern(make_field_descriptor(domain, u, (1, 1), shape, arch=Architecture.CPU))
    for u in (old, new)
}
first, _ = mine[0, 0]
if first == 0:
    for u in (old, new):
        u[0] = 1.0


def step(u, v, a, b, c, d):
    """Update rows a to b and columns c to d of v from u, with slices of the array with halos."""
    v[a:b, c:d] = 0.25 * (
        u[a - 1 : b - 1, c:d] + u[a + 1 : b + 1, c:d]
        + u[a:b, c - 1 : d - 1] + u[a:b, c + 1 : d + 1]
    )  # fmt: skip


rows, columns = shape
for _ in range(steps):
    handle = exchange.exchange([fields[id(old)]])
    step(old, new, 2, rows - 2, 2, columns - 2)
    handle.wait()
    for edge in (1, rows - 2):
        step(old, new, edge, edge + 1, 1, columns - 1)
    for edge in (1, columns - 2):
        step(old, new, 1, rows - 1, edge, edge + 1)
    old, new = new, old

lower = max(0, cells // 2 - first)
warmest = comm.allreduce(np.max(old[1 + lower : -1, 1:-1], initial=0.0), MPI.MAX)
if comm.rank == 0:
    print(f"warmest cell of the lower half: {warmest:.15g}")
