"""One exchange on all ranks, with mpi4py's communicator (argument `mpi4py`) or without.

Rank 0 says which build was taken, which MPI runs, and on how many ranks.
"""

import sys

comm = None
if "mpi4py" in sys.argv:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD

import halocline as hc  # noqa: E402

grid = hc.Grid(comm, (8, 6), halo=1, periodic=True)
for scheme in ("p2p:persistent", "rma:put:fence", "shm:signal", "auto"):
    u = grid.zeros("f8", scheme=scheme)
    u.owned[:] = 1
    hc.Exchange(grid.halo(), u, scheme=scheme).run()
    assert (u == 1).all(), f"{scheme}: {u}"
from halocline import libmpi, library  # noqa: E402

if grid.rank == 0:
    mpi = libmpi.load()
    folder = library.module_file().parent.name
    print(f"build {folder[1:]}, MPI {mpi.path}, ranks {grid.ranks}", flush=True)
