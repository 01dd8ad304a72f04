"""What Python's classes do, on all ranks: mpiexec -n RANKS python binding_checks.py.

Rank 0 writes a line for each check: its name, and what is wrong, if anything is.
"""

import copy
import doctest
import gc
import itertools
import json
import os
import pickle
import sys
import threading
import time
import traceback
import types
import weakref

import numpy as np
from mpi4py import MPI

import halocline as hc

COMM = MPI.COMM_WORLD
RANK, RANKS = COMM.rank, COMM.size
SCHEMES = [
    "p2p:nonblocking",
    "p2p:persistent",
    "shm:signal",
    "rma:put:fence",
    "neighbor:persistent" if "neighbor:persistent" in hc.schemes() else "neighbor:nonblocking",
]
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def refused(kind, *words):
    """Return a context that expects an error with these words."""

    class Refused:
        def __enter__(self):
            return self

        def __exit__(self, caught, value, traceback):
            assert caught is not None, f"nothing is refused, but {words} were to be said"
            assert issubclass(caught, kind), f"{caught.__name__}: {value}"
            missing = [word for word in words if word not in str(value)]
            assert not missing, f"{missing} not in: {value}"
            return True

    return Refused()


def filled_halo(whole, grid, before, corners=True):
    """Return what a rank's array is to hold: the cells of the whole grid wherever there are any."""
    expected = before.copy()
    ranges = []
    for axis in range(grid.axes):
        begin = grid.owned[axis].start - grid.widths[axis][0]
        ranges.append(range(begin, begin + grid.shape[axis]))
    for local in itertools.product(*(range(len(cells)) for cells in ranges)):
        cell = [cells[i] for cells, i in zip(ranges, local)]
        outside = 0
        for axis, owned in enumerate(grid.owned):
            outside += not owned.start <= cell[axis] < owned.stop
            if grid.periodic[axis]:
                cell[axis] %= grid.cells[axis]
        if (corners or outside <= 1) and all(0 <= c < n for c, n in zip(cell, grid.cells)):
            expected[local] = whole[tuple(cell)]
    return expected


def random_whole(random, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.names:
        whole = np.zeros(shape, dtype)
        for name in dtype.names:
            whole[name] = random.integers(1, 100, shape)
        return whole
    return random.integers(1, 100, shape).astype(dtype)


def laid_out(layout, shape, dtype, random):
    """Return an array of this shape whose elements lie in memory in one of several ways."""
    if layout == "C":
        made = np.zeros(shape, dtype)
    elif layout == "F":
        made = np.zeros(shape, dtype, order="F")
    elif layout == "strided":
        made = np.zeros([2 * n + 1 for n in shape], dtype)[tuple(slice(0, 2 * n, 2) for n in shape)]
    else:
        made = np.zeros(shape, dtype)[tuple(slice(None, None, -1) for _ in shape)]
    return made


@check
def halos_of_grids():
    random = np.random.default_rng(1)
    types = ["f8", "f4", "c16", "?", "i2", ">f4", "M8[s]", [("p", "f8"), ("n", "i4")]]
    for number, dtype in enumerate(types):
        axes = 1 + number % 3
        cells = tuple(int(n) for n in random.integers(9, 12, axes))
        halo = [tuple(int(n) for n in random.integers(0, 3, 2)) for _ in range(axes)]
        grid = hc.Grid(
            COMM,
            cells,
            halo=halo,
            periodic=[bool(p) for p in random.integers(0, 2, axes)],
            corners=bool(number % 2),
        )
        whole = random_whole(random, cells, dtype)
        layout = ["C", "F", "strided", "backwards"][number % 4]
        u = laid_out(layout, grid.shape, dtype, random)
        u[grid.inner] = whole[grid.owned]
        expected = filled_halo(whole, grid, u, corners=bool(number % 2))
        hc.Exchange(grid.halo(), u, scheme=SCHEMES[number % len(SCHEMES)]).run()
        assert (u == expected).all(), f"{dtype}, {layout}"


@check
def memory_of_the_library():
    random = np.random.default_rng(2)
    whole = random_whole(random, (10, 11), "f8")
    for scheme in ["auto", *SCHEMES]:
        grid = hc.Grid(COMM, (10, 11), periodic=True)
        u = grid.array(whole, scheme=scheme)
        v = grid.zeros("f4", scheme=scheme, components=(2,))
        v.owned[:] = whole[grid.owned][..., None]
        expected = filled_halo(whole, grid, np.asarray(u))
        halos = hc.Exchange(grid.halo(), u, v, scheme=scheme)
        with halos:
            assert (u.owned == whole[grid.owned]).all()
        assert (u == expected).all(), scheme
        assert (v == expected[..., None]).all(), scheme
        assert type(u + 1).__name__ == "GridArray" and (u + 1).owned.shape == u.owned.shape
        assert halos.bytes_sent >= 0 and halos.scheme in str(halos)


@check
def boxes_of_larger_arrays():
    grid = hc.Grid(COMM, (12,), periodic=True)
    large = np.zeros((grid.shape[0] + 4, 3))
    u = large[2:-2, 1]
    u[grid.inner] = np.arange(12.0)[grid.owned]
    expected = filled_halo(np.arange(12.0), grid, u)
    hc.Exchange(grid.halo(), u).run()
    assert (u == expected).all() and (large[:, [0, 2]] == 0).all()
    shared = grid.zeros(scheme="shm:signal", components=(3,))
    part = [shared[..., i] for i in range(3)]
    shared.owned[:] = 7
    hc.Exchange(grid.halo(), part, scheme="shm:signal").run()
    assert (shared == 7).all()


def random_pattern(seed, elements=40):
    """Return who sends what to whom: {(from, to): (indices, places)}, the same on all ranks."""
    random = np.random.default_rng(seed)
    half = np.arange(elements // 2, elements)
    free = {rank: list(random.permutation(half)) for rank in range(RANKS)}
    links = {}
    for source, target in itertools.permutations(range(RANKS), 2):
        count = int(random.integers(0, 1 + elements // 2 // RANKS))
        if count:
            places = [free[target].pop() for _ in range(count)]
            links[source, target] = random.integers(0, elements // 2, count), np.array(places)
    return links


@check
def random_indices():
    for seed in range(6):
        links = random_pattern(seed)
        send = {t: indices for (s, t), (indices, _) in links.items() if s == RANK}
        receive = {s: places for (s, t), (_, places) in links.items() if t == RANK}
        if seed % 2:  # compressed rows
            send, receive = (
                (
                    np.array(list(lists), int),
                    np.cumsum([0, *map(len, lists.values())]),
                    np.concatenate([np.array([], int), *lists.values()]),
                )
                for lists in (send, receive)
            )
        pattern = hc.Pattern.from_indices(send, receive, comm=COMM)
        start = [np.arange(80.0).reshape(40, 2) + 1000 * rank for rank in range(RANKS)]
        x, expected = start[RANK].copy(), start[RANK].copy()
        for (s, t), (indices, places) in links.items():
            if t == RANK:
                expected[places] = start[s][indices]
        hc.Exchange(pattern, x, scheme=SCHEMES[seed % len(SCHEMES)]).run()
        assert (x == expected).all(), seed
        sums, total = np.ones(40), np.ones(40)
        for (s, _), (indices, _) in links.items():
            if s == RANK:
                np.add.at(total, indices, 1)
        hc.Exchange(copy.deepcopy(pattern).reversed(), sums, combine="sum").run()
        assert (sums == total).all(), seed


@check
def parts_and_other_arrays():
    grid = hc.Grid(COMM, (12, 9), periodic=(True, False))
    faces = grid.faces(1)
    assert faces.cells == (12, 10)
    u, v = grid.zeros(), faces.zeros("f4")
    u.owned[:], v.owned[:] = 1, 2
    hc.Exchange([(grid.halo(), u), (faces.halo(), [v])]).run()
    assert (u[:, 1:-1] == 1).all() and (v[:, 1:-1] == 2).all()
    known = np.ones(grid.shape)
    known.flags.writeable = False
    ghosts = np.zeros(grid.shape)
    hc.Exchange(grid.halo(), known, to=ghosts).run()
    assert (ghosts[0, 1:-1] == 1).all() and (ghosts[grid.inner] == 0).all()
    halos = hc.Exchange(grid.halo(), hc.unbound("f8"))
    for value in (3, 4):
        w = np.full(grid.shape, 0.0)
        w[grid.inner] = value
        halos.run(w)
        assert (w[:, 1:-1] == value).all()
    like = hc.Exchange(grid.halo(), hc.unbound(np.zeros(grid.shape, order="F")))
    w = np.zeros(grid.shape, order="F")
    w[grid.inner] = 5
    like.start(w)
    like.finish()
    assert (w[:, 1:-1] == 5).all()


@check
def changes():
    right, left = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    if RANKS == 1:
        return
    x = np.arange(10.0) + 100 * RANK
    exchange = hc.Exchange(
        hc.Pattern.from_indices({right: [0]}, {left: [9]}, comm=COMM), x, changes=True, capacity=4
    )
    exchange.run()
    assert x[9] == 100 * left
    exchange.change(hc.Pattern.from_indices({right: [2, 3]}, {left: [8, 7]}))
    exchange.run()
    assert x[8] == 100 * left + 2 and x[7] == 100 * left + 3


@check
def ragged():
    right, left = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    exchange = hc.RaggedExchange([right], [left], [("x", "f8"), ("n", "i4")], comm=COMM)
    for step in range(4):
        mine = np.zeros(step * (RANK + 1), exchange_type := [("x", "f8"), ("n", "i4")])
        mine["n"] = RANK
        (arrived,) = exchange.run([mine])
        assert len(arrived) == step * (left + 1) and (arrived["n"] == left).all(), exchange_type


@check
def gather_scatter():
    # Elements of a row of cells: the last node of each rank is the first of the next.
    numbers = np.arange(4) + 3 * RANK
    u = np.ones(4)
    v = np.full((4, 2), float(RANK))
    sums = hc.GatherScatter(numbers, u, v, comm=COMM)
    sums.run()
    expected = np.ones(4)
    expected[0] += RANK > 0
    expected[3] += RANK < RANKS - 1
    assert (u == expected).all()
    assert v[3, 0] == (RANK + RANK + 1 if RANK < RANKS - 1 else RANK)
    sums = hc.GatherScatter(numbers, hc.unbound("f8"), comm=COMM)
    for _ in range(2):
        w = np.ones(4)
        sums.run(w)
        assert (w == expected).all()


@check
def redistribution():
    whole = np.arange(7 * 8.0).reshape(7, 8)
    rows = hc.Distribution((7, 8), (RANKS, 1))
    columns = hc.Distribution((7, 8), (1, RANKS), order=(1, 0))
    pattern = hc.Pattern.between(rows, columns, comm=COMM)
    begin = sum(rows.shape(rank)[0] for rank in range(RANK))
    u = whole[begin : begin + rows.shape(RANK)[0]].copy()
    v = np.zeros(columns.shape(RANK))
    hc.Exchange(pattern, u, to=v).run()
    first = sum(columns.shape(rank)[0] for rank in range(RANK))
    assert (v == whole.T[first : first + len(v)]).all()


@check
def several_blocks_a_rank():
    boxes = [[[(8 * r, 8 * r + 4)], [(8 * r + 4, 8 * r + 8)]] for r in range(RANKS)]
    parts = hc.Distribution.of_boxes(boxes, halos=1)
    pattern = hc.Pattern.halo_of(parts, comm=COMM)
    assert pattern.shape is None and parts.shape(RANK) == (12,)
    u = np.full(12, -1.0)
    for part in range(2):
        u[6 * part + 1 : 6 * part + 5] = np.arange(4.0) + boxes[RANK][part][0][0]
    hc.Exchange(pattern, u).run()
    expected = np.concatenate([np.arange(6.0) + boxes[RANK][part][0][0] - 1 for part in range(2)])
    expected[expected == 8 * RANKS] = -1
    assert (u == expected).all()
    empty = hc.Exchange([], comm=COMM)
    empty.run()
    with refused(hc.Error, "several patterns"):
        empty.run(u)


@check
def asynchronous():
    grid = hc.Grid(COMM, (12,), periodic=True)
    u = grid.zeros()
    exchange = hc.AsyncExchange(grid.halo(), buffers=2)
    for iteration in range(1, 6):
        u.owned[:] = iteration
        exchange.send(u, iteration)
        exchange.receive(u)
    with refused(hc.Error, "axis 0 of the array", "but the pattern counts"):
        exchange.send(np.zeros((2, len(u) // 2)), 6)
    exchange.drain(u)
    assert exchange.counts["sent"] + exchange.counts["skipped"] == 5 * len(grid.halo().sends)
    COMM.Barrier()


@check
def arrays_of_other_libraries():
    class Hosted:
        """Shows its memory by DLPack alone, as arrays of other libraries do."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    random = np.random.default_rng(4)
    grid = hc.Grid(COMM, (12, 9), periodic=True)
    whole = random_whole(random, (12, 9), "f4")
    for layout in ("C", "F", "strided"):
        u = laid_out(layout, grid.shape, "f4", random)
        u[grid.inner] = whole[grid.owned]
        expected = filled_halo(whole, grid, u)
        hc.Exchange(grid.halo(), Hosted(u)).run()
        assert (u == expected).all(), layout
    u[grid.inner] = 1
    halos = hc.Exchange(grid.halo(), hc.unbound(Hosted(u)))
    halos.run(Hosted(u))
    assert (u == 1).all()
    rows, columns = grid.shape
    with refused(hc.Error, "axis 1", f"has {columns + 1} elements"):
        hc.Exchange(grid.halo(), Hosted(np.zeros((rows, columns + 1))))
    known = {"data": (4096, False), "shape": grid.shape, "typestr": "<f8", "version": 3}

    class OnDevice:
        __cuda_array_interface__ = known

    with refused(hc.Error, "OnDevice lies on a device (at 0x1000), but "):
        hc.Exchange(grid.halo(), OnDevice())
    OnDevice.__cuda_array_interface__ = {"shape": 3}
    with refused(hc.Error, "OnDevice.__cuda_array_interface__ is not as"):
        hc.Exchange(grid.halo(), OnDevice())


@check
def arrays_that_only_say_what_they_hold():
    class Hosted:
        def __init__(self, array, **wanted):
            self.array, self.wanted = array, wanted

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options | self.wanted)

    class Old(Hosted):
        def __dlpack__(self):
            return self.array.__dlpack__()

    class Refuses(Hosted):
        def __dlpack__(self, **options):
            raise BufferError("it requires a gradient; use detach()")

    grid = hc.Grid(COMM, (4 * RANKS,), periodic=True)
    pattern, n = grid.halo(), grid.shape[0]
    known, ghosts = np.arange(float(n)) + 100 * RANK, np.zeros(n)
    known.flags.writeable = False
    for array in (known, Hosted(known)):
        ghosts[:] = 0
        hc.Exchange(pattern, array, to=ghosts).run()
        assert ghosts[0] == n - 2 + 100 * ((RANK - 1) % RANKS)
        with refused(hc.Error, "field 0 is read-only"):
            hc.Exchange(pattern, array)
    u = np.zeros(n)
    u[1:-1] = 1
    hc.Exchange(pattern, Old(u)).run()
    assert u.all()
    with refused(hc.Error, "__dlpack__() gives a copy"):
        hc.Exchange(pattern, Hosted(u, copy=True))
    with refused(hc.Error, "Refuses.__dlpack__() refuses: it requires a gradient; use detach()"):
        hc.Exchange(pattern, Refuses(u))
    # Nobody may change an array of JAX, though it does not say so.
    jax = types.ModuleType("jax")
    jax.Array = Old
    sys.modules["jax"] = jax
    try:
        hc.Exchange(pattern, Old(u), to=ghosts).run()
        with refused(hc.Error, "field 0 is read-only"):
            hc.Exchange(pattern, Old(u))
    finally:
        del sys.modules["jax"]
    for copied in ([1.0] * n, memoryview(u)):
        with refused(hc.Error, "is no field"):
            hc.Exchange(pattern, copied)


@check
def masked_arrays():
    grid = hc.Grid(COMM, (4 * RANKS,), periodic=True)
    masked = np.ma.masked_equal(np.arange(float(grid.shape[0])), 1)
    numbers = np.ma.masked_equal(np.arange(grid.shape[0]), 1)
    with refused(hc.Error, "masked array", "data and mask as two fields"):
        hc.Exchange(grid.halo(), masked)
    with refused(hc.Error, "masked array"):
        hc.Exchange(grid.halo(), np.zeros(grid.shape), to=masked)
    with refused(hc.Error, "masked array"):
        hc.Exchange(grid.halo(), hc.unbound("f8")).run(masked)
    for values in (masked[1:-1], [masked[1], masked[2], 3.0], [masked, masked]):
        with refused(hc.Error, "masked array"):
            grid.array(values)
    with refused(hc.Error, "masked array"):
        grid.zeros().fill_owned(masked[1:-1])
    with refused(hc.Error, "masked array"):
        hc.Pattern.from_indices({0: numbers}, {})
    with refused(hc.Error, "masked array"):
        hc.GatherScatter(numbers, np.zeros(grid.shape), comm=COMM)
    with refused(hc.Error, "masked array"):
        hc.RaggedExchange([RANK], [RANK]).run([masked])
    u, mask = masked.data, np.ma.getmaskarray(masked)
    hc.Exchange(grid.halo(), u, mask).run()
    assert mask[-1] == (u[-1] == 1)

    told = {"data": (4096, False), "shape": grid.shape, "typestr": "<f8", "version": 3}

    class OnDevice:
        __cuda_array_interface__ = told | {"mask": masked}

    with refused(hc.Error, "OnDevice is a masked array"):
        hc.Exchange(grid.halo(), OnDevice())


@check
def arrays_of_a_grid():
    grid = hc.Grid(COMM, (6 * RANKS, 6), halo=((1, 1), (2, 0)), dims=(RANKS, 1), periodic=True)
    u, pair, both = (
        grid.zeros(),
        grid.zeros(components=(8,)),
        grid.zeros([("p", "f8"), ("n", "i4")]),
    )
    assert grid.shape == (8, 8)
    u[...] = -1
    u.owned[:] = 7
    same = {
        "copies": [u + 1, abs(u), u > 0, u.copy(), u.astype("f4"), np.zeros_like(u), u.copy("F")],
        "views": [u[...], u.T.T, u.reshape(u.shape), u[..., None], u.view("i8"), (1j * u).imag],
        "components": [pair[..., 1], pair[..., ::-1], both["p"], both["n"], both[["n"]]],
        "in place": [np.add(u, 0, out=grid.zeros()), copy.deepcopy(u)],
    }
    for name, arrays in same.items():
        for number, array in enumerate(arrays):
            assert array.grid is grid, (name, number)
            assert array.owned.shape[:2] == (6, 6), (name, number)
    assert ((u + 1).owned == 8).all() and (u.T.T.owned == 7).all()
    turned = [u.T, np.transpose(u), np.moveaxis(u, 0, 1), u.swapaxes(0, 1), np.rot90(u)]
    turned += [np.rot90(u, 2), np.flip(u), np.fliplr(u), u[::-1], u[:, ::-1], pair.swapaxes(0, 1)]
    turned += [np.rot90(np.rot90(u)), u.T[::-1].T, both["p"].T]
    parts = [u[0], u[1:], u[None], u.ravel(), u.view("f4"), u.sum(axis=0), pair[0], u.T + 1]
    parts += [np.moveaxis(pair, -1, 0), pair.sum(axis=-1), u @ u, u.T.copy(), u[np.arange(8)[::-1]]]
    parts += [pickle.loads(pickle.dumps(u)), u[:, :1] + u[:1]]
    for number, array in enumerate(turned + parts):
        assert array.grid is None, number
        with refused(hc.Error, "turned", "u.owned.T"):
            array.owned.sum()
    # What is picked need not lie where the cells do, even if it has the shape.
    back, twice = np.arange(8)[::-1], [0, 2] + [1] * 6
    picked = [u.take(back, axis=1), np.take(u, back, 0), u.repeat(twice, 0)]
    picked += [np.repeat(u, twice, 1), np.compress([True] * 8, u, 1)]
    assert {(type(array), array.shape) for array in picked} == {(np.ndarray, (8, 8))}
    for array in turned:
        with refused(hc.Error, "axes in another order or backwards"):
            hc.Exchange(grid.halo(), array)
    hc.Exchange(grid.halo(), u, both["p"], pair[..., 1]).run()
    assert (u == 7).all()
    assert json.dumps([u.max(), u.mean(), u.sum(), np.median(u)]) and type(u.min()) is np.float64
    v = u
    v += 1
    assert v is u and u.grid is grid


@check
def what_one_rank_gets_wrong():
    wrong = RANK == RANKS - 1
    grid = hc.Grid(COMM, (4, 4 * RANKS), periodic=True)
    u, pattern = grid.zeros(), grid.halo()

    def on_one(right, other):
        return other if wrong else right

    rows = whole_matrix(RANKS * 2)[2 * RANK : 2 * RANK + 2]
    kinds = {
        "scheme: give a text, not 5": lambda: hc.Exchange(pattern, u, scheme=on_one("auto", 5)),
        "scheme: give a text, not None": lambda: grid.zeros(scheme=on_one("auto", None)),
        "changes: give True or False": lambda: hc.Exchange(pattern, u, changes=on_one(False, "x")),
        "capacity: give a number": lambda: hc.Exchange(pattern, u, capacity=on_one(0, -1)),
        "pattern: NoneType": lambda: hc.Exchange(on_one(pattern, None), u, comm=COMM),
        "no field": lambda: hc.Exchange(pattern, on_one(u, None)),
        "TypeError: data type": lambda: grid.zeros(on_one("f8", "nothing")),
        "components: give a number": lambda: grid.zeros(components=on_one((2,), "x")),
        "shape: give a number": lambda: hc.zeros(on_one((8,), ("x",)), comm=COMM),
        "shape: (-1,)": lambda: hc.zeros(on_one(8, -1), comm=COMM),
        "values of shape (1, 2)": lambda: grid.array(on_one(1.0, [[1.0, 2.0]])),
        "ValueError: setting": lambda: grid.array(on_one(1.0, [[1.0], [1.0, 2.0]])),
        "sparse matrix": lambda: hc.Pattern.from_rows(on_one(rows, None), COMM),
        "targets: give": lambda: hc.RaggedExchange(on_one([RANK], "x"), [RANK], comm=COMM),
        "no bytes": lambda: hc.RaggedExchange([], [], on_one("f8", "V0"), comm=COMM),
        "most_direct": lambda: hc.GatherScatter(
            [0], np.ones(1), most_direct=on_one(8, "x"), comm=COMM
        ),
        "integers": lambda: hc.GatherScatter(on_one([0], [0.5]), np.ones(1), comm=COMM),
        "buffers": lambda: hc.AsyncExchange(pattern, buffers=on_one(1, "x")),
        "pattern counts": lambda: asynchronous.drain(on_one(u, np.zeros(1))),
        "not of int": lambda: hc.Section(on_one(halos, 3), comm=COMM),
        "dims: give": lambda: hc.Grid(COMM, (8, 8), renumber=True, dims=on_one((RANKS, 1), "x")),
        "cells: give": lambda: hc.Grid(COMM, on_one((8, 8), "x"), renumber=True),
    }
    asynchronous = hc.AsyncExchange(pattern)
    halos = hc.Exchange(pattern, u, scheme="auto+when=running")
    for words, act in kinds.items():
        try:
            act()
        except hc.Error as problem:
            said = str(problem)
        else:
            said = "nothing"
        assert words in said, (words, said)
        assert COMM.bcast(said) == said
    asynchronous.drain(u)
    halos.run()


def whole_matrix(rows):
    try:
        from scipy import sparse
    except ImportError:
        return np.zeros((rows, rows))
    return sparse.diags([1.0], [0], (rows, rows)).tocsr()


@check
def choices_that_differ():
    kinds = {
        "as they are": (["rows"], [16, 64], 0),
        "'rows' of 16 64": (["rows"], [64, 16], 0),
        "'rows' of 16 64 on rank 0, but 'rows' of 16": (["rows"], [16], 0),
        "'rows' of 16 64 on rank 0, but none": ([], [16, 64], 0),
        "choice 2 is none on rank 0, but 'tile'": (["rows", "tile"], [16, 64], 0),
        "none on rank": (["rows"], [16, 64], 3),
    }
    for words, (names, values, since) in kinds.items():
        step, lap, here = hc.Section(comm=COMM), 0, RANK == RANKS - 1 and RANKS > 1
        try:
            for lap in range(300):
                with step.lap():
                    for name in names if here else ["rows"]:
                        if lap >= since or not here:
                            step.choice(name, values if here else [16, 64])
        except hc.Error as problem:
            assert here or RANKS > 1
            assert words in str(problem) and "choice" in str(problem), (words, str(problem))
            assert COMM.bcast((str(problem), lap)) == (str(problem), lap)
            with refused(hc.Error, str(problem)):
                step.begin()
        else:
            assert RANKS == 1 or words == "as they are", words
            assert step.findings()["chosen"][0]["what"].startswith("rows=")


@check
def steps_in_parts():
    for scheme in ("p2p:partitioned", "p2p:nonblocking"):
        if scheme not in hc.schemes():
            continue
        grid = hc.Grid(COMM, (12, 9), periodic=True)
        u = grid.zeros(scheme=scheme)
        halos = hc.Exchange(grid.halo(), u, scheme=scheme)
        sends, receives = grid.halo().sends, grid.halo().receives
        for step in range(1, 4):
            u.owned[:] = step
            halos.open()
            for link, sent in enumerate(sends.values()):
                half = len(sent) // 2
                halos.ready(link, half, len(sent) - half)
                halos.ready(link, 0, half)
            for link, (peer, received) in enumerate(receives.items()):
                if halos.await_(link, 0, len(received)):
                    assert (u.ravel()[received] == step).all(), peer
            halos.finish()
            assert (u == step).all(), scheme
        with refused(hc.Error, "ready"):
            halos.ready(0, 0, 1)
        if not sends:
            continue
        most = len(next(iter(sends.values())))
        halos.open()
        for first, count in ((0, most + 1), (most, 1), (2, 2**63)):
            with refused(hc.Error, f"{count} elements from {first} on of link 0, which has {most}"):
                halos.ready(0, first, count)
        for link, sent in enumerate(sends.values()):
            halos.ready(link, 0, len(sent))
        with refused(hc.Error, "mark each once in a step"):
            halos.ready(0, 0, most)
        halos.finish()


@check
def functions_that_combine():
    for scheme in ("p2p:nonblocking", "shm:signal"):
        for seed in range(4):
            links = random_pattern(seed)
            send = {t: indices for (s, t), (indices, _) in links.items() if s == RANK}
            receive = {s: places for (s, t), (_, places) in links.items() if t == RANK}
            pattern = hc.Pattern.from_indices(send, receive, comm=COMM).reversed()
            x, y = np.arange(80.0).reshape(40, 2), np.arange(80.0).reshape(40, 2)
            hc.Exchange(pattern, x, scheme=scheme, combine="sum").run()
            hc.Exchange(pattern, y, scheme=scheme, combine=lambda a, b: a + b).run()
            assert (x == y).all(), (scheme, seed)
    pair = np.dtype([("cost", "f8"), ("owner", "i4")])
    best = np.array([(2.0 + RANK, RANK)], pair)

    def cheaper(here, arrived):
        return np.where(arrived["cost"] < here["cost"], arrived, here)

    sums = hc.GatherScatter([0], best, combine=cheaper, comm=COMM)
    sums.run()
    assert best[0]["owner"] == 0 and best[0]["cost"] == 2
    grid = hc.Grid(COMM, (12,), periodic=True)
    u = grid.zeros()
    back = grid.halo().reversed()
    with refused(hc.Error, "numbers of one type", "float32"):
        hc.Exchange(back, u, grid.zeros("f4"), combine=np.hypot)
    with refused(ZeroDivisionError, ""):
        hc.Exchange(back, u, combine=lambda a, b: 1 // 0).run()
    with refused(hc.Error, "return one for each"):
        hc.Exchange(back, u, combine=lambda a, b: a[:0]).run()
    with refused(hc.Error, "returns None; return a number for each"):
        hc.Exchange(back, u, combine=lambda a, b: None).run()


@check
def patterns_link_by_link():
    right, left = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    ring = hc.Pattern.shift(
        None if right == 0 else right, np.s_[-1, :], None if RANK == 0 else left, np.s_[0, :],
        shape=(4, 3), comm=COMM,
    )  # fmt: skip
    x = np.full((4, 3), float(RANK))
    hc.Exchange(ring, x).run()
    assert (x[0] == max(RANK - 1, 0)).all() and (x[1:] == RANK).all()
    with refused(hc.Error, "a shift sends 3 elements and receives 1"):
        hc.Pattern.shift(right, [0, 1, 2], left, [3])
    with refused(hc.Error, "send", "give its shape= too"):
        hc.Pattern().send(right, np.s_[1:])
    if RANKS == 1:  # links are to others
        return
    periodic = hc.Pattern(comm=COMM)
    periodic.send(right, [0])
    periodic.receive(left, [1], shift=[12.0 * (RANK == 0), 0])
    periodic.copy([2], [3], shift=[1, 2])
    positions = np.arange(8.0).reshape(4, 2) + RANK
    hc.Exchange(periodic, positions).run()
    came = [left + 12.0 * (RANK == 0), 1.0 + left]
    assert positions[1].tolist() == came and positions[3].tolist() == [5.0 + RANK, 7.0 + RANK]


@check
def halos_read_in_place():
    grid = hc.Grid(COMM, (4 * RANKS, 5), dims=(RANKS, 1))
    how = "shm:signal+access=direct"
    u = grid.zeros("f4", scheme=how, components=(2,))
    u.owned[:] = RANK
    halos = hc.Exchange(grid.halo(), u, scheme=how, in_place=True)
    halos.run()
    assert halos.direct
    for link, (peer, cells) in enumerate(grid.halo().receives.items()):
        there = halos.view(link)
        assert there.shape == (1, 1, 5, 2) and (there == peer).all() and there.dtype == "f4"
        assert not there.flags.writeable and len(cells) == 5
    halos.fill_halos()
    assert RANK == 0 or (u[0, 1:-1] == RANK - 1).all()
    with refused(hc.Error, "link 9 of"):
        halos.view(9)


@check
def memory_without_a_grid():
    links = random_pattern(1)
    send = {t: indices for (s, t), (indices, _) in links.items() if s == RANK}
    receive = {s: places for (s, t), (_, places) in links.items() if t == RANK}
    x = hc.zeros((40, 3), "f4", scheme="shm:signal", comm=COMM)
    x[:] = RANK
    halos = hc.Exchange(hc.Pattern.from_indices(send, receive, comm=COMM), x, scheme="shm:signal")
    halos.run()
    assert all((x[places] == source).all() for source, places in receive.items())
    assert "memory of the library" in str(halos)
    with refused(hc.Error, "shape", "below 0"):
        hc.zeros((3, -1), comm=COMM)


@check
def cuts_of_any_ranks():
    grid = hc.Grid(COMM, (17, 12), halo=(2, 1), periodic=(True, False))
    for cut in (grid.cut, hc.GridCut(RANKS, (17, 12), halo=(2, 1), periodic=(True, False))):
        assert (cut.ranks, cut.cells, cut.dims) == (RANKS, grid.cells, grid.dims)
        assert (cut.periodic, cut.widths, cut.axes) == (grid.periodic, grid.widths, grid.axes)
        assert cut.owned(RANK) == grid.owned and cut.shape(RANK) == grid.shape
        assert cut.coordinates(RANK) == grid.coordinates and cut.idle(RANK) == grid.idle
        assert cut.neighbour(RANK, (1, 0)) == grid.neighbour((1, 0))
        assert cut.owned_by(0, 0) == grid.owned_by(0, 0) and cut.parts == np.prod(cut.dims)
        for mine, theirs in ((cut, grid), (cut.faces(1), grid.faces(1))):
            sent = {peer: list(cells) for peer, cells in mine.halo(RANK).sends.items()}
            assert sent == {peer: list(cells) for peer, cells in theirs.halo().sends.items()}
        assert cut.distribution().shape(RANK) == grid.shape
    whole = np.zeros((60, 40), int)
    large = hc.GridCut(24, (60, 40))
    for rank in range(24):
        whole[large.owned(rank)] += 1
    assert (whole == 1).all()
    with refused(hc.Error, "rank"):
        large.shape(24)


@check
def arenas():
    for scheme in ("p2p:nonblocking", "shm:signal+access=copy"):
        arena = hc.Arena(1 << 16, scheme=scheme, comm=COMM)
        free = arena.bytes_free
        several = [arena.zeros((3, 5), "f4") for _ in range(2 + RANK)]  # each rank as it likes
        grid = hc.Grid(COMM, (4 * RANKS,), periodic=True)
        u = arena.empty(grid.shape)
        u[:] = RANK
        halos = hc.Exchange(grid.halo(), u, scheme=scheme)
        assert halos.memory_hint() == "", "memory of an arena is known"
        halos.run()
        assert u[0] == (RANK - 1) % RANKS and all((one == 0).all() for one in several)
        assert arena.bytes_free < free
        free = arena.bytes_free
        del several
        gc.collect()
        assert arena.bytes_free > free
        with refused(hc.Error, "in one piece"):
            arena.zeros(1 << 20)
        with refused(hc.Error, "below 0"):
            arena.zeros((2, -1))
    with refused(hc.Error, "bytes"):
        hc.Arena(-1 if RANK == RANKS - 1 else 8, comm=COMM)


@check
def what_an_exchange_is_of():
    grid = hc.Grid(COMM, (4 * RANKS,), periodic=True)
    u, v = grid.zeros(), grid.zeros("f4")
    halos = hc.Exchange(grid.halo(), u, v)
    assert halos.scheme == "p2p:nonblocking", "without a scheme nothing is measured"
    assert len(halos.arrays) == 2 and halos.arrays[0] is u and halos.arrays[1] is v
    assert (halos.comm.rank, halos.comm.size) == (RANK, RANKS)
    assert list(halos.pattern.sends) == list(grid.halo().sends)
    hc.Exchange(halos.pattern, u).run()  # of its shape, and its ranks
    each = hc.Exchange(grid.halo(), hc.unbound("f8"))
    assert each.arrays == ()
    each.run(u)
    assert each.arrays[0] is u
    assert hc.GatherScatter(np.arange(2), np.ones(2), comm=COMM).comm.size == RANKS


@check
def sparse_rows():
    scipy_sparse = __import__("scipy.sparse").sparse
    whole = scipy_sparse.random(30, 30, 0.2, random_state=3, format="csr")
    mine = hc.Grid(COMM, (30,), halo=0).owned[0]
    pattern, local = hc.Pattern.from_rows(whole[mine], comm=COMM)
    x = np.zeros(local.shape[1])
    vector = np.arange(30.0)
    x[: local.shape[0]] = vector[mine]
    hc.Exchange(pattern, x).run()
    assert np.allclose(local @ x, (whole @ vector)[mine])


@check
def what_does_not_fit_is_named():
    grid = hc.Grid(COMM, (12, 9))
    pattern = grid.halo()
    rows, columns = grid.shape
    with refused(hc.Error, "axis 1", "but the pattern counts", "grid.zeros()"):
        hc.Exchange(pattern, np.zeros((rows, columns + 1)))
    with refused(hc.Error, "1 axis", "counts along 2"):
        hc.Exchange(pattern, np.zeros(rows))
    with refused(hc.Error, "axis 2", "bytes", "ascontiguousarray"):
        hc.Exchange(pattern, np.zeros((rows, columns, 4))[..., ::2])
    with refused(hc.Error, "object", "references"):
        hc.Exchange(pattern, np.zeros(grid.shape, object))
    with refused(hc.Error, "list is no field", "numpy"):
        hc.Exchange(pattern, [[1.0, 2.0]])
    with refused(hc.Error, "constant"):
        around = hc.Grid(COMM, (12, 9), periodic=True)
        constant = np.zeros(around.shape)
        constant.flags.writeable = False
        hc.Exchange(around.halo(), constant)
    with refused(hc.Error, "numbers"):
        hc.Exchange(pattern, np.zeros(grid.shape, "i2"), combine="sum")
    with refused(hc.Error, "combine", "'sum'"):
        hc.Exchange(pattern, np.zeros(grid.shape), combine="mean")
    adds = {"scheme": "rma:accumulate:fence", "combine": "sum"}
    with refused(hc.Error, "any_order"):
        hc.Exchange(pattern, np.zeros(grid.shape), **adds)
    hc.Exchange(pattern, np.zeros(grid.shape), **adds, any_order=True)
    with refused(hc.Error, "p2p"):
        hc.Exchange(pattern, np.zeros(grid.shape), scheme="p2p:nonsense")
    with refused(hc.Error, "pattern", "grid.halo()"):
        hc.Exchange(np.zeros(3), np.zeros(3))
    with refused(hc.Error, "comm", "MPI.COMM_WORLD"):
        hc.Grid("world", (12, 9))
    with refused(hc.Error, "cells"):
        hc.Grid(COMM, "many")
    with refused(hc.Error, "halo"):
        hc.Grid(COMM, (12, 9), halo=(1, 2, 3))
    with refused(hc.Error, "integers"):
        hc.Pattern.from_indices({0: [1.5]}, {})
    with refused(hc.Error, "offsets"):
        hc.Pattern.from_indices(([0], [0], []), {})
    with refused(hc.Error, "index -1"):
        hc.Pattern.from_indices({0: [-1]}, {})
    for much in (2**63, 2**64 - 1):
        with refused(hc.Error, f"send: {much} is above"):
            hc.Pattern.from_indices({0: np.array([much], "u8")}, {})
        with refused(hc.Error, f"numbers: {much} is above"):
            hc.GatherScatter(np.array([much], "u8"), np.ones(1), comm=COMM)
    with refused(hc.Error, "periodic: give True or False, not 'no'"):
        hc.Grid(COMM, (12, 9), periodic="no")
    with refused(hc.Error, "values of shape", "(12, 9) of the whole grid"):
        hc.Grid(COMM, (12, 9)).array(np.zeros((12, 9, 3)))
    with refused(hc.Error, "iteration: they count from 1"):
        hc.AsyncExchange(grid.halo()).send(grid.zeros(), 0)
    with refused(hc.Error, "seconds above 0"):
        hc.set_time_limit(0)
    with refused(hc.Error, "0 or above"):
        hc.set_spin(-1)
    # One rank's mistake is everybody's error.
    if RANKS > 1:
        with refused(hc.Error, "halo"):
            hc.Grid(COMM, (2 * RANKS,), halo=30)
        with refused(hc.Error, "axis 0"):
            hc.Exchange(pattern, np.zeros((rows + (RANK == 1), columns)))
        with refused(hc.Error, "bytes of an element"):
            hc.RaggedExchange([], [], "f4" if RANK else "f8", comm=COMM)
        around = hc.Grid(COMM, (4 * RANKS,), periodic=True)
        with refused(hc.Error, "receives as", "sends as", "give both the same type"):
            hc.Exchange(around.halo(), around.zeros("f8" if RANK else "i8"))
        with refused(hc.Error, "gives the scheme p2p:persistent, but rank 0 p2p:nonblocking"):
            how = "p2p:persistent" if RANK else "p2p:nonblocking"
            hc.Exchange(around.halo(), around.zeros(), scheme=how)
    halos = hc.Exchange(pattern, np.zeros(grid.shape))
    with refused(hc.Error, "start"):
        halos.finish()
    halos.start()
    with refused(hc.Error, ""):
        halos.start()
    halos.finish()
    ragged = hc.RaggedExchange([], [], comm=COMM)
    for one in (grid, halos, ragged, pattern, grid.distribution(), hc.unbound("f8")):
        with refused(TypeError, "pickle"):
            pickle.dumps(one)
    assert pickle.loads(pickle.dumps(hc.Scheme("p2p:persistent"))) == "p2p:persistent"


@check
def lifetimes():
    for order in itertools.permutations(range(4)):
        grid = hc.Grid(COMM, (12, 9), periodic=True)
        u = grid.zeros(scheme="shm:signal")
        halos = hc.Exchange(grid.halo(), u, scheme="shm:signal")
        things = [grid, u, halos, u.owned]
        del grid, u, halos
        for i in order:
            things[i] = None
            if things[2] is not None:
                things[2].run()
            if things[3] is not None:
                things[3][:] = 1
    # Ranks let go at different times, of different things.
    grid = hc.Grid(COMM, (12, 9), periodic=True)
    kept = []
    for step in range(8):
        u = grid.zeros(scheme="rma:put:fence")
        u.owned[:] = 1
        halos = hc.Exchange(grid.halo(), u, scheme="rma:put:fence")
        halos.run()
        assert (u == 1).all()
        if step % RANKS == RANK:
            kept.append((u, halos))
        cycle = [u, halos]
        cycle.append(cycle)
        del u, halos, cycle
        if RANK == 0:
            gc.collect()
    del kept
    things = []
    for number in range(20):
        scheme = SCHEMES[number % len(SCHEMES)]
        u = grid.zeros(scheme=scheme) if number % 3 else np.ones(grid.shape)
        halos = hc.Exchange(grid.halo(), u, scheme=scheme)
        halos.run()
        things += [u, halos]
        del u, halos
        if RANK % 2:
            things.reverse()
        del things[0]
    np.random.default_rng(RANK).shuffle(things)
    while things:
        things.pop()
    part = COMM.Dup()
    u = hc.Grid(part, (12, 9)).zeros(scheme="shm:signal")
    u[:] = 3
    part.Free()
    assert (u == 3).all()
    # An array that has what keeps it as an attribute.
    u = grid.zeros()
    u.halos = hc.Exchange(grid.halo(), u)
    gone = weakref.ref(u)
    del u
    gc.collect()
    grid.zeros()
    assert gone() is None
    # A step that an exception leaves.
    u = grid.zeros()
    halos = hc.Exchange(grid.halo(), u)
    with refused(ZeroDivisionError, ""), halos:
        raise ZeroDivisionError
    del halos, u
    COMM.Barrier()


@check
def sections():
    """Bring what a fixed scheme brings, whatever is tried in a lap."""
    running = "auto+when=running"
    # So that much is tried in few laps, whatever earlier runs have found.
    os.environ.update(HALOCLINE_TUNING_REGRET="0.5", HALOCLINE_TUNING_FRESH="1")
    random = np.random.default_rng(8)
    twins = []
    for seed in (11, 12):
        links = random_pattern(seed)
        pattern = hc.Pattern.from_indices(
            {t: indices for (s, t), (indices, _) in links.items() if s == RANK},
            {s: places for (s, t), (_, places) in links.items() if t == RANK},
            comm=COMM,
        )
        x, y = np.zeros(40), np.zeros(40)
        chooses = hc.Exchange(pattern, x, scheme=running)
        twins.append((x, chooses, y, hc.Exchange(pattern, y, scheme="p2p:nonblocking")))
    u_halos, v_halos = (twin[1] for twin in twins)
    step = hc.Section(u_halos, v_halos)
    for lap in range(300):
        for x, _, y, fixed in twins:
            x[:] = y[:] = random.random(40)
            fixed.run()
        work = 1 + lap % 2
        if lap % 3:
            with step.lap(work) as same:
                assert same is step and step.choice("way", (7, 8)) in (7, 8)
                with u_halos:
                    v_halos.run()
        else:
            step.begin()
            u_halos.run()
            v_halos.run()
            step.end(work)
        assert all((x == y).all() for x, _, y, _ in twins), lap
    assert step.laps == 300 and isinstance(step.decided, bool)
    assert step.report().startswith("section: 300 laps")
    assert RANKS == 1 or "times as long" in step.report()
    found = step.findings()
    assert found["laps"] == 300 and 0 <= found["preparing"] <= found["cost"] <= found["seconds"]
    assert found["decided"] == step.decided and found["contests"] >= 1
    way = found["chosen"][-1]
    assert way["yardstick"] == "way=7" and len(way["tried"]) == 1
    for one in found["chosen"]:
        assert one["what"] in step.report() and one["matters"] in (True, False)
        for other in one["tried"]:
            assert other["what"] in step.report() and other["laps"] <= 300
            assert other["why"] in step.report()
            times = other["times"]
            assert times is None or 0 < times["low"] <= times["value"] <= times["high"]
    assert all(one == found for one in COMM.allgather(found))
    # What one rank's exception leaves is a lap, as it is for the others.
    with refused(ZeroDivisionError, ""), step.lap():
        raise ZeroDivisionError
    assert step.laps == 301
    # One without a section.
    x, y = np.zeros(40), np.zeros(40)
    alone, fixed = (
        hc.Exchange(pattern, x, scheme=running),
        hc.Exchange(pattern, y, scheme="p2p:nonblocking"),
    )
    for lap in range(100):
        x[:] = y[:] = lap + 1000 * RANK + np.arange(40)
        alone.run()
        fixed.run()
        assert (x == y).all(), lap
    del os.environ["HALOCLINE_TUNING_REGRET"], os.environ["HALOCLINE_TUNING_FRESH"]


@check
def what_a_section_refuses():
    grid = hc.Grid(COMM, (12, 9), periodic=True)
    u = grid.zeros()
    fixed = hc.Exchange(grid.halo(), u, scheme="p2p:nonblocking")
    halos = hc.Exchange(grid.halo(), u, scheme="auto+when=running")
    with refused(hc.Error, "section: exchange 0 by p2p:nonblocking chooses nothing while it runs"):
        hc.Section(fixed)
    with refused(hc.Error, "a section is of exchanges, not of int"):
        hc.Section(halos, 7 if RANK == RANKS - 1 else fixed)
    if RANKS > 1:
        with refused(hc.Error, "the number of a section's exchanges differs", "0 to 1"):
            hc.Section(*[halos][RANK:], comm=COMM)
    step = hc.Section([halos])
    with refused(hc.Error, "is, or was, in another section"):
        hc.Section(halos)
    other = hc.Exchange(grid.halo(), u, scheme="auto+when=running")
    with refused(hc.Error, "is named twice"):
        hc.Section(other, other)
    with refused(hc.Error, "section: no lap is under way; begin one first"):
        step.end()
    with refused(hc.Error, "a lap begins while one is under way"), step.lap(), step.lap():
        pass
    for work in (0, -1, float("nan"), float("inf")):
        with refused(hc.Error, "section: a lap of", "it is above 0 and finite"), step.lap(work):
            pass
    with step.lap(), refused(hc.Error, "it is above 0"):
        step.end(0)
    halos.start()
    with refused(hc.Error, "while a step of one of its exchanges is under way"), step.lap():
        pass
    halos.finish()
    assert step.choice("way", [1, 2]) == 1
    with refused(hc.Error, "choice 'way' had other values before"):
        step.choice("way", [1, 3])
    with refused(hc.Error, "choice 'none' has no values"):
        step.choice("none", [])
    with refused(TypeError, "choice"):
        step.choice("none", ["a"])
    assert step.laps == 2
    with refused(TypeError, "pickle"):
        pickle.dumps(step)


@check
def lifetimes_of_sections():
    for order in list(itertools.permutations(range(4)))[::5]:
        grid = hc.Grid(COMM, (12, 9), periodic=True)
        u, v = grid.zeros(), grid.zeros()
        make = [hc.Exchange(grid.halo(), x, scheme="auto+when=running") for x in (u, v)]
        things = [hc.Section(*make), *make, grid]
        gone = weakref.ref(u)
        del grid, u, v, make
        for i in order:
            things[i] = None
            if things[0] is not None:
                for _ in range(3):
                    with things[0].lap():
                        for halos in filter(None, things[1:3]):
                            halos.run()
            elif things[1] is not None:
                things[1].run()
            gc.collect()
            assert gone() is not None or things[0] is None
            halos = None
    # Ranks let go at different times, also within a lap, and of cycles.
    grid = hc.Grid(COMM, (12, 9), periodic=True)
    kept = []
    for number in range(4):
        u = grid.zeros()
        u.halos = hc.Exchange(grid.halo(), u, scheme="auto+when=running")
        u.step = hc.Section(u.halos)
        with u.step.lap():
            u.halos.run()
        u.step.begin()
        if number % RANKS == RANK:
            kept.append(u)
        gone = weakref.ref(u)
        del u
        if RANK == 0:
            gc.collect()
    del kept
    gc.collect()
    grid.zeros()
    grid.zeros()
    assert gone() is None
    COMM.Barrier()


@check
def threads():
    # Others run while one waits.
    grid = hc.Grid(COMM, (12,), periodic=True)
    u = grid.zeros()
    halos = hc.Exchange(grid.halo(), u, scheme="p2p:nonblocking")
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    if RANK == 0:
        time.sleep(0.3)
    before = counted[0]
    halos.run()
    passed = counted[0] - before
    stop.set()
    counter.join()
    assert RANK == 0 or RANKS == 1 or passed > 5 or RANK not in (1, RANKS - 1), passed
    # Each thread with a communicator of its own.
    comms = [COMM.Dup() for _ in range(2)]
    problems = []

    def work(comm, value):
        try:
            grid = hc.Grid(comm, (12,), periodic=True)
            u = grid.zeros()
            halos = hc.Exchange(grid.halo(), u, scheme="p2p:nonblocking")
            for _ in range(20):
                u.owned[:] = value
                halos.run()
                assert (u == value).all()
        except BaseException as problem:
            problems.append(problem)

    if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
        workers = [threading.Thread(target=work, args=(comms[i], i + 1)) for i in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert not problems, problems


@check
def facts():
    assert hc.library_version() == hc.__version__
    assert hc.schemes().keys() <= hc.schemes(all=True).keys()
    assert "p2p:nonblocking" in hc.async_schemes()
    scheme = hc.Scheme("p2p:nonblocking")
    assert scheme.matches("p2p:*") and scheme.option("pack") in scheme.full
    assert scheme.with_option("pack", scheme.option("pack")) == scheme
    grid = hc.Grid(COMM, (12, 9), cuts=[None, [0, 9]], dims=(RANKS, 1))
    assert grid.dims == (RANKS, 1) and grid.rank == RANK and grid.ranks == RANKS
    assert grid.comm is COMM or RANKS == 1 or grid.comm == COMM
    assert grid.owned_by(1, 0) == slice(0, 9)
    renumbered = hc.Grid(COMM, (12, 9), renumber=True, periodic=True)
    u = renumbered.zeros()
    u.owned[:] = 1
    pattern = renumbered.halo()
    del renumbered
    hc.Exchange(pattern, u).run()
    assert (u == 1).all()


@check
def examples():
    """Run the example of every docstring: each class, function and method has one."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    told, bare = [], []
    for name in hc.__all__:
        one = getattr(hc, name)
        owner = str(getattr(one, "__module__", ""))
        if "_native" not in owner and name != "GridArray":
            continue
        members = {name: one}
        if isinstance(one, type):
            members.update({f"{name}.{key}": getattr(one, key) for key in vars(one)})
        for key, member in members.items():
            text = getattr(member, "__doc__", None)
            has = isinstance(text, str) and ">>>" in text
            if has:
                lines = [line[4:] if line.startswith("    ") else line for line in text.split("\n")]
                case = parser.get_doctest("\n".join(lines), {}, key, None, 0)
                runner.run(case, out=told.append)
            elif callable(member) and "._" not in key:
                bare.append(key)
    assert not bare, bare
    assert not told, "".join(told)


def main():
    hc.set_time_limit(60)
    for function in CHECKS:
        problem = ""
        try:
            function()
        except BaseException as caught:  # a rank that ends alone keeps the others waiting
            line = caught.__traceback__
            while line.tb_next is not None and line.tb_next.tb_frame.f_code.co_filename == __file__:
                line = line.tb_next
            if "-v" in sys.argv:
                traceback.print_exc()
            problem = f"line {line.tb_lineno}: {type(caught).__name__}: {caught}"
        problems = COMM.allgather(problem)
        if RANK == 0:
            wrong = [f"rank {rank}: {text}" for rank, text in enumerate(problems) if text]
            print(json.dumps({"name": function.__name__, "wrong": wrong}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
