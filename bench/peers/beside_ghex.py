"""Halos of 2-D and 3-D grids by Halocline and by GHEX (https://github.com/ghex-org/GHEX), in turn.

All fields are rewritten before each exchange, as a sweep does; all exchanges are called from this
script, and an empty call shows what that costs. In every round each is measured once, in an order
drawn anew; a time is that of the slowest rank. Printed: the median time of p2p:nonblocking, and the
median over the rounds of each one's time divided by that round's, with its 95 % interval.

GHEX and mpi4py must be compiled with the MPI of the build; GHEX needs Boost (libboost-dev):

    ./dev build halo_for_peers
    python3 -m venv peers && MPI_HOME=$PWD/.venv MPICC=$PWD/.venv/bin/mpicc \
        peers/bin/pip install --no-binary mpi4py mpi4py numpy ghex
    LD_LIBRARY_PATH=.venv/lib ./dev mpiexec -n 2 peers/bin/python bench/peers/beside_ghex.py
"""

import argparse
import ctypes
import os
import random
from pathlib import Path

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
from intervals import said
from mpi4py import MPI

COMM = MPI.COMM_WORLD
REFERENCE = "p2p:nonblocking"
SCHEMES = (REFERENCE, "shm:signal")


def load(path):
    """The shared library with its functions' types."""
    library = ctypes.CDLL(str(path))
    library.halo_make.restype = ctypes.c_void_p
    library.halo_field.restype = ctypes.POINTER(ctypes.c_double)
    for function in (library.halo_field, library.halo_exchange, library.halo_nothing):
        function.argtypes = [ctypes.c_void_p]
    return library


def halocline(library, scheme, shape, width, periodic, dims):
    """The field (halo included) and the call that exchanges it."""
    axes = len(shape)
    numbers = ctypes.c_int * axes
    halo = library.halo_make(
        axes, numbers(*shape), width, int(periodic), numbers(*dims), scheme.encode()
    )
    if not halo:
        COMM.Abort(1)
    local = tuple(cells + 2 * width for cells in shape)
    field = np.ctypeslib.as_array(library.halo_field(halo), shape=local)
    return field, lambda: library.halo_exchange(halo)


def ghex(shape, width, periodic, dims):
    """The same by GHEX's Python interface."""
    axes = len(shape)
    cart = COMM.Create_cart(dims=dims, periods=[periodic] * axes)
    context = make_context(cart, False)
    whole = IndexSpace.from_sizes(*[cells * ranks for cells, ranks in zip(shape, dims)])
    part = whole.decompose(cart.dims)[tuple(cart.Get_coords(cart.rank))]
    domain = DomainDescriptor(context.rank(), part.subset["definition"])
    halos = HaloGenerator(whole.subset["definition"], ((width, width),) * axes, (periodic,) * axes)
    pattern = make_pattern(context, halos, [domain])
    exchange = make_communication_object(context)
    local = tuple(cells + 2 * width for cells in shape)
    field = np.zeros(local)
    fields = [
        pattern(make_field_descriptor(domain, field, (width,) * axes, local, arch=Architecture.CPU))
    ]

    def run(_alive=(cart, context, domain, pattern)):  # GHEX keeps pointers to them
        exchange.exchange(fields).wait()

    return field, run


def check(contenders, shape, width, dims):
    """All leave the same numbers in the halos, or the job ends."""
    cart = np.unravel_index(COMM.rank, dims)
    number = np.zeros(shape)
    for axis, cells in enumerate(np.indices(shape)):
        number = number * (shape[axis] * dims[axis]) + cells + cart[axis] * shape[axis]
    expected = None
    for name, (field, exchange) in contenders.items():
        field[...] = -1
        field[(slice(width, -width),) * len(shape)] = number
        COMM.Barrier()
        exchange()
        COMM.Barrier()
        if expected is None:
            expected = field.copy()
        elif not np.array_equal(expected, field):
            print(f"rank {COMM.rank}: {name} leaves other numbers than {REFERENCE}", flush=True)
            COMM.Abort(1)


def measure(library, extent, axes, width, periodic, rounds):
    """One row of the table."""
    shape = (extent,) * axes
    dims = MPI.Compute_dims(COMM.size, [0] * axes)
    contenders = {
        scheme: halocline(library, scheme, shape, width, periodic, dims) for scheme in SCHEMES
    }
    contenders["ghex"] = ghex(shape, width, periodic, dims)
    check(contenders, shape, width, dims)
    contenders["call"] = np.zeros(1), lambda: library.halo_nothing(None)

    inner = (slice(width, -width),) * axes
    names, dice = list(contenders), random.Random(1)
    times = {name: np.zeros(rounds) for name in names}
    for step in range(rounds):
        dice.shuffle(names)
        for name in names:
            field, exchange = contenders[name]
            if field.ndim == axes:
                field[inner] = step + 1.0
            COMM.Barrier()
            begin = MPI.Wtime()
            exchange()
            times[name][step] = MPI.Wtime() - begin
    for mine in times.values():
        COMM.Allreduce(MPI.IN_PLACE, mine, op=MPI.MAX)
    if COMM.rank == 0:
        reference = times.pop(REFERENCE)
        boundary = "periodic" if periodic else "open"
        row = f"{axes}-D {boundary:8} {width}{1e6 * np.median(reference):20.2f}"
        for name in (*SCHEMES[1:], "ghex", "call"):
            row += f"   {said(times[name] / reference)}"
        print(row, flush=True)


def main():
    here = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument(
        "--library", default=here / "build/release/bench/peers/libhalo_for_peers.so"
    )
    options = parser.parse_args()
    if COMM.size <= os.cpu_count():
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[COMM.rank]})
    library = load(options.library)
    if COMM.rank == 0:
        columns = "".join(f"{name:>23}" for name in (*SCHEMES[1:], "ghex", "call"))
        print(f"grid, halo    {REFERENCE}, us{columns}", flush=True)
    for axes, extent in ((2, 512), (3, 64)):
        for periodic in (False, True):
            for width in (1, 2, 3):
                measure(library, extent, axes, width, periodic, options.rounds)


if __name__ == "__main__":
    main()
