"""Particles in a periodic box: mpiexec -n RANKS python particles.py [PARTICLES] [STEPS] [SCHEME].

Each rank has a slab. Particles fly straight on; those that leave go to the neighbour, as many as
there are in each step.
"""

import sys

import halocline as hc
import numpy as np
from mpi4py import MPI

particles = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
scheme = sys.argv[3] if len(sys.argv) > 3 else "auto"

comm = MPI.COMM_WORLD
kind = np.dtype([("place", "f8", 2), ("speed", "f8", 2), ("number", "i8")])
left, right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
begin, end = comm.rank / comm.size, (comm.rank + 1) / comm.size

# The same on any number of ranks: all draw all particles, and each keeps those of its slab.
random = np.random.default_rng(1)
mine = np.empty(particles, kind)
mine["place"] = random.random((particles, 2))
mine["speed"] = random.normal(0, 1, (particles, 2))
mine["number"] = np.arange(particles)
mine = mine[(mine["place"][:, 0] >= begin) & (mine["place"][:, 0] < end)]

exchange = hc.RaggedExchange([left, right], [right, left], kind, capacity=100, scheme=scheme)
slab = 1 / comm.size
time_step = min(0.01, slab / 5)  # nobody flies over a slab

for _ in range(steps):
    mine["place"] += time_step * mine["speed"]
    x = mine["place"][:, 0]
    mine["place"][:, 1] %= 1
    goes_left, goes_right = x < begin, x >= end
    leaving = [mine[goes_left], mine[goes_right]]
    for group in leaving:
        group["place"][:, 0] %= 1
    arrived = exchange.run(leaving)
    mine = np.concatenate([mine[~(goes_left | goes_right)], *arrived])

found = comm.gather(mine)
if comm.rank == 0:
    found = np.sort(np.concatenate(found), order="number")
    assert (found["number"] == np.arange(particles)).all(), "particles are lost"
    print(f"{particles} particles, mean place {found['place'].mean():.6f}")
