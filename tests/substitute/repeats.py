"""Two ranks repeat a neighbourhood collective, by mpi4py, which opens its MPI itself."""

from mpi4py import MPI

grid = MPI.COMM_WORLD.Create_cart([2], periods=[True])
for step in range(40):
    sent = bytearray([step, grid.rank] * 2)
    received = bytearray(4)
    grid.Neighbor_alltoall([sent, 2, MPI.BYTE], [received, 2, MPI.BYTE])
    assert received == bytearray([step, 1 - grid.rank] * 2), step
