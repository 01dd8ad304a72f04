"""A complex matrix from rows to columns by Halocline, MPI_Alltoallw and mpi4py-fft, in turn.

All of it is rewritten before each transpose, as a transform does; all are called from this script.
In every round each is measured once, in an order drawn anew; a time is that of the slowest rank.
Printed: the median time, and the median over the rounds of each one's time divided by that of
MPI_Alltoallw (mpi4py's, with subarrays as datatypes), with its 95 % interval.

mpi4py-fft (https://mpi4py-fft.readthedocs.io) needs FFTW to be built (libfftw3-dev):

    ./dev build transpose_for_peers
    python3 -m venv peers
    MPICC=$PWD/.venv/bin/mpicc peers/bin/pip install numpy mpi4py mpi4py-fft
    LD_LIBRARY_PATH=.venv/lib ./dev mpiexec -n 2 peers/bin/python bench/peers/beside_mpi4py_fft.py
"""

import argparse
import ctypes
import os
import random
from pathlib import Path

import numpy as np
from intervals import said
from mpi4py import MPI
from mpi4py_fft.pencil import Pencil, Subcomm

COMM = MPI.COMM_WORLD
REFERENCE = "MPI_Alltoallw"
SCHEMES = ("p2p:nonblocking", "p2p:persistent", "shm:signal", "shm:signal+access=copy")


def array(address, shape):
    """A numpy array over memory of the library."""
    count = int(np.prod(shape))
    numbers = (ctypes.c_double * (2 * count)).from_address(address)
    return np.frombuffer(numbers, dtype=complex).reshape(shape)


def halocline(library, scheme, side, mine):
    """Rows, columns and the call that makes these of those."""
    transpose = library.transpose_make(side, side, scheme.encode())
    if not transpose:
        COMM.Abort(1)
    rows = array(library.transpose_rows(transpose), (mine.stop - mine.start, side))
    columns = array(library.transpose_columns(transpose), (side, mine.stop - mine.start))
    return rows, columns, lambda: library.transpose_run(transpose)


def alltoallw(side, parts, mine):
    """The same by one call of MPI."""
    rows = np.zeros((mine.stop - mine.start, side), dtype=complex)
    columns = np.zeros((side, mine.stop - mine.start), dtype=complex)

    def types(shape, part_shapes, starts):
        made = []
        for part, start in zip(part_shapes, starts):
            made.append(MPI.C_DOUBLE_COMPLEX.Create_subarray(shape, part, start).Commit())
        return made

    height = mine.stop - mine.start
    sends = types(
        rows.shape, [(height, p.stop - p.start) for p in parts], [(0, p.start) for p in parts]
    )
    receives = types(
        columns.shape, [(p.stop - p.start, height) for p in parts], [(p.start, 0) for p in parts]
    )
    counts = [1] * len(parts), [0] * len(parts)
    own = COMM.Dup()
    return rows, columns, lambda: own.Alltoallw([rows, counts, sends], [columns, counts, receives])


def mpi4py_fft(side):
    """The same by a transfer between two pencils."""
    by_rows = Pencil(Subcomm(COMM, [0, 1]), (side, side), axis=1)
    by_columns = by_rows.pencil(0)
    transfer = by_rows.transfer(by_columns, complex)
    rows = np.zeros(by_rows.subshape, dtype=complex)
    columns = np.zeros(by_columns.subshape, dtype=complex)
    return rows, columns, lambda: transfer.forward(rows, columns)


def main():
    here = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument(
        "--library", default=here / "build/release/bench/peers/libtranspose_for_peers.so"
    )
    options = parser.parse_args()
    if COMM.size <= os.cpu_count():
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[COMM.rank]})
    library = ctypes.CDLL(str(options.library))
    for name in ("transpose_make", "transpose_rows", "transpose_columns"):
        getattr(library, name).restype = ctypes.c_void_p
    for name in ("transpose_rows", "transpose_columns", "transpose_run"):
        getattr(library, name).argtypes = [ctypes.c_void_p]

    side = options.side
    cuts = [side * rank // COMM.size for rank in range(COMM.size + 1)]
    if side % COMM.size:
        parser.error("--side must be a multiple of the number of ranks")
    parts = [slice(begin, end) for begin, end in zip(cuts, cuts[1:])]
    mine = parts[COMM.rank]
    contenders = {REFERENCE: alltoallw(side, parts, mine), "mpi4py-fft": mpi4py_fft(side)}
    for scheme in SCHEMES:
        contenders[scheme] = halocline(library, scheme, side, mine)

    whole = np.arange(side * side, dtype=float).reshape(side, side) * (1 + 0.5j)
    for name, (rows, columns, run) in contenders.items():
        rows[...] = whole[mine]
        columns[...] = -1
        COMM.Barrier()
        run()
        if not np.array_equal(columns, whole[:, mine]):
            print(f"rank {COMM.rank}: {name} leaves wrong numbers", flush=True)
            COMM.Abort(1)

    names, dice = list(contenders), random.Random(1)
    times = {name: np.zeros(options.rounds) for name in names}
    for step in range(options.rounds):
        dice.shuffle(names)
        for name in names:
            rows, _, run = contenders[name]
            rows[...] = step + 1.0
            COMM.Barrier()
            begin = MPI.Wtime()
            run()
            times[name][step] = MPI.Wtime() - begin
    for each in times.values():
        COMM.Allreduce(MPI.IN_PLACE, each, op=MPI.MAX)
    if COMM.rank == 0:
        print(f"{side} x {side} complex on {COMM.size} ranks: times of {REFERENCE}")
        for name in contenders:
            share = said(times[name] / times[REFERENCE])
            print(f"{name:24}{1e3 * np.median(times[name]):8.3f} ms   {share}", flush=True)


if __name__ == "__main__":
    main()
