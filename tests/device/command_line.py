"""Programs on a device, from outside: the same checksum as on the host, and what was copied.

On the device that HALOCLINE_DEVICE says: one that a CPU plays, or a GPU; skipped where it is not.
"""

import functools
import itertools
import json

import pytest
from programs import PROGRAMS, SOAK, Program

laplace, partdiff, spmv, halometer, halocheck = map(Program, PROGRAMS)
GRID = ("--grid", "8,8,8")
UNAWARE = "does not say that it takes addresses"
UNREACHABLE = "no process reaches another one's memory"


@functools.cache
def device():
    """Return what halocheck says of the device."""
    found = json.loads(halocheck("--device").stdout)
    if "missing" in found:  # of CPUs that play one there is always one
        assert "cuda" in found["missing"], found
    return found


@pytest.fixture(autouse=True)
def _there_is_one():
    if "missing" in device():
        pytest.skip(device()["missing"])


def says(words, *options):
    """Return whether laplace refuses options on this device with these words."""
    return words in laplace(*GRID, *options, ranks=2).stderr


# What a GPU may lack, and an MPI. A CPU that plays a device lacks nothing.


@functools.cache
def aware():
    """Return whether MPI takes addresses of this device."""
    return device()["played"] or not says(UNAWARE, "--device", "aware")


@functools.cache
def peers():
    """Return whether a process reaches the device memory of another."""
    peer = ("--device", "packed", "--scheme", "p2p:nonblocking+device=peer")
    return device()["played"] or not says(UNREACHABLE, *peer)


def result(program, *arguments):
    """Start a program and return its result file."""
    return program.solve(*arguments, ranks=2)[1]


def run(program, *arguments, fails=False):
    """Start a program and return what it says."""
    done = program(*arguments, ranks=2)
    assert (done.returncode != 0) == fails, (done.args, done.stdout, done.stderr)
    return done.stdout + done.stderr


def check(program, *arguments):
    """Compare the steps with the host."""
    host = result(program, *arguments)["result"]
    steps = ("mapped", "resident", "update", "packed", "overlap") + ("aware",) * aware()
    for step in steps:
        there = result(program, *arguments, "--device", step)
        for key in ("iterations", "residuum", "checksum"):
            assert there["result"][key] == host[key], (program, step, key)
        use = there["result"]["device"]
        assert use["step"] == step and use["sweeps"] == host["iterations"], use
        way = {"aware": "+device=aware", "packed": "+device=staged", "overlap": "+device=staged"}
        assert there["scheme"].endswith(way.get(step, "nonblocking")), there["scheme"]
        copied = (use["bytes_to_host"], use["bytes_to_device"])
        if step == "packed":
            halos = copied
        if step == "overlap":
            assert copied == halos, use
        if step == "aware":
            assert copied == (0, 0), use
    return halos


def test_steps_of_laplace():
    # One face of 8 x 6 points each way, in each of 20 sweeps.
    halos = check(laplace, "--grid", "8,8,6", "--max-iterations", "20", "--tolerance", "1e-9")
    assert halos == (20 * 8 * 6 * 8, 20 * 8 * 6 * 8), halos


def test_steps_of_partdiff():
    check(partdiff, "1", "2", "2", "2", "2", "20")


SCHEMES = "p2p:nonblocking", "shm:signal+device=staged", "auto"
PRODUCTS = list(itertools.product(("crs", "sell"), ("vector", "naive"), SCHEMES))
"""Format, mode and scheme: all in the soak, else so that every two of them meet."""
MEET = [0, 9, 4, 7, 2, 11]


@pytest.mark.parametrize(
    ("layout", "mode", "scheme"), PRODUCTS if SOAK else [PRODUCTS[at] for at in MEET]
)
def test_products_have_the_bits_of_the_plain_loop(layout, mode, scheme):
    # x goes there once and y comes back once; halos go each time: 9 x 8 points each way, in each of
    # 3 products.
    options = ["--format", layout, "--mode", mode, "--scheme", scheme]
    matrix = ["--generate", "7pt:9,8,10", "--products", "3"]
    out = result(spmv, *matrix, *options, "--check", "--device")
    use = out["result"]["device"]
    own, halo = 9 * 8 * 10 * 8 // 2, 3 * 9 * 8 * 8
    if out["scheme"].endswith("device=staged"):
        assert use["bytes_to_host"] == use["bytes_to_device"] == own + halo, use
    elif out["scheme"].endswith("device=aware"):
        assert use["bytes_to_host"] == use["bytes_to_device"] == own, use
    else:
        assert out["scheme"].endswith("device=peer"), out["scheme"]
        assert (use["bytes_to_host"], use["bytes_within"]) == (own, halo), use
    assert all(rank["copy_s"] > 0 for rank in out["phases"]), out["phases"]


def test_what_does_not_go_with_a_device_is_refused():
    said = run(spmv, "--generate", "7pt:9,8,10", "--device", "--threads", "2", fails=True)
    assert "without --device" in said, said
    assert "must be one of mapped" in run(laplace, *GRID, "--device", "far", fails=True)
    assert "--mode sync" in run(laplace, *GRID, "--device", "packed", "--mode", "async", fails=True)
    assert "no field is on a device" in run(
        laplace, *GRID, "--scheme", "auto+device=staged", fails=True
    )
    assert "Jacobi" in run(partdiff, "1", "1", "2", "1", "2", "5", "--device", "packed", fails=True)


def test_every_byte_of_random_patterns_way_by_way():
    ways = ["shm:signal+device=staged"]
    ways += ["p2p:nonblocking+device=peer"] * peers() + ["p2p:nonblocking+device=aware"] * aware()
    said = run(halocheck, "--strict", "--schemes", ",".join(ways), "--cases", "12")
    assert f"{len(ways)} sound, 0 wrong, 0 refused" in said, said


def test_the_microbenchmark():
    said = run(halometer, "device", "--sizes", "4096", "--edge", "8", "--budget", "2")
    for word in ("to_host", "pack_points", "p2p:nonblocking+device=peer"):
        assert word in said, said


def test_a_device_that_keeps_the_host_out_of_its_memory(monkeypatch):
    # As GPUs do: nothing reads or writes it from there, and no MPI is given its addresses.
    if not device()["played"]:
        pytest.skip("is for a CPU that plays a device")
    monkeypatch.setenv("HALOCLINE_OPENMP_APART", "1")
    for scheme in ("p2p:nonblocking", "rma:put:flush+device=staged", "auto"):
        matrix = ["--generate", "7pt:9,8,10", "--products", "3", "--scheme", scheme]
        out = result(spmv, *matrix, "--check", "--device")
        assert out["scheme"].endswith(("device=staged", "device=peer")), out["scheme"]
    assert UNAWARE in run(laplace, *GRID, "--device", "aware", fails=True)
    ways = "p2p:nonblocking+device=peer,shm:signal+device=staged,rma:put:fence+device=staged"
    said = run(halocheck, "--strict", "--schemes", ways, "--cases", "12")
    assert "3 sound, 0 wrong, 0 refused" in said, said
