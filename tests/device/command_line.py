"""Programs on a device, from outside: the same checksum as on the host, and what was copied.

On the device that HALOCLINE_DEVICE says: one that a CPU plays, or a GPU; skipped where it is not.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCHER, LAPLACE, PARTDIFF, SPMV, HALOMETER, HALOCHECK = sys.argv[1:]


def start(program, *arguments, ranks=2):
    """Start a program and return how it ended, whatever way."""
    command = [LAUNCHER, "-n", str(ranks), program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def run(program, *arguments, fails=False):
    """Start a program and return what it says."""
    done = start(program, *arguments)
    assert (done.returncode != 0) == fails, (done.args, done.stdout, done.stderr)
    return done.stdout + done.stderr


def result(program, *arguments):
    """Start a program and return its result file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "result.json")
        run(program, *arguments, "--json", str(file))
        return json.loads(file.read_text())


device = json.loads(start(HALOCHECK, "--device", ranks=1).stdout)
if "missing" in device:  # of CPUs that play one there is always one
    assert "cuda" in device["missing"], device
    print(device["missing"])
    sys.exit(77)
grid = ["--grid", "8,8,8"]
unaware = "does not say that it takes addresses"
unreachable = "no process reaches another one's memory"


def says(words, *options):
    """Return whether laplace refuses options on this device with these words."""
    return words in start(LAPLACE, *grid, *options).stderr


# What a GPU may lack, and an MPI. A CPU that plays a device lacks nothing.
aware = device["played"] or not says(unaware, "--device", "aware")
peer = ["--device", "packed", "--scheme", "p2p:nonblocking+device=peer"]
peers = device["played"] or not says(unreachable, *peer)


def check(program, *arguments):
    """Compare the steps with the host."""
    host = result(program, *arguments)["result"]
    steps = ("mapped", "resident", "update", "packed", "overlap") + ("aware",) * aware
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


# One face of 8 x 6 points each way, in each of 20 sweeps.
halos = check(LAPLACE, "--grid", "8,8,6", "--max-iterations", "20", "--tolerance", "1e-9")
assert halos == (20 * 8 * 6 * 8, 20 * 8 * 6 * 8), halos
check(PARTDIFF, "1", "2", "2", "2", "2", "20")

# Products have the bits of the plain loop. x goes there once and y comes back once; halos go each
# time: 9 x 8 points each way, in each of 3 products.
for layout in ("crs", "sell"):
    for mode in ("vector", "naive"):
        for scheme in ("p2p:nonblocking", "shm:signal+device=staged", "auto"):
            options = ["--format", layout, "--mode", mode, "--scheme", scheme]
            matrix = ["--generate", "7pt:9,8,10", "--products", "3"]
            out = result(SPMV, *matrix, *options, "--check", "--device")
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
said = run(SPMV, "--generate", "7pt:9,8,10", "--device", "--threads", "2", fails=True)
assert "without --device" in said, said

assert "must be one of mapped" in run(LAPLACE, *grid, "--device", "far", fails=True)
assert "--mode sync" in run(LAPLACE, *grid, "--device", "packed", "--mode", "async", fails=True)
assert "no field is on a device" in run(
    LAPLACE, *grid, "--scheme", "auto+device=staged", fails=True
)
assert "Jacobi" in run(PARTDIFF, "1", "1", "2", "1", "2", "5", "--device", "packed", fails=True)

# Every byte of random patterns, way by way.
ways = ["shm:signal+device=staged"]
ways += ["p2p:nonblocking+device=peer"] * peers + ["p2p:nonblocking+device=aware"] * aware
said = run(HALOCHECK, "--strict", "--schemes", ",".join(ways), "--cases", "12")
assert f"{len(ways)} sound, 0 wrong, 0 refused" in said, said

said = run(HALOMETER, "device", "--sizes", "4096", "--edge", "8", "--budget", "2")
for word in ("to_host", "pack_points", "p2p:nonblocking+device=peer"):
    assert word in said, said

if not device["played"]:
    sys.exit()

# A device that keeps the host out of its memory, as GPUs do: nothing reads or writes it from there,
# and no MPI is given its addresses.
os.environ["HALOCLINE_OPENMP_APART"] = "1"
for scheme in ("p2p:nonblocking", "rma:put:flush+device=staged", "auto"):
    matrix = ["--generate", "7pt:9,8,10", "--products", "3", "--scheme", scheme]
    out = result(SPMV, *matrix, "--check", "--device")
    assert out["scheme"].endswith(("device=staged", "device=peer")), out["scheme"]
assert unaware in run(LAPLACE, *grid, "--device", "aware", fails=True)
ways = "p2p:nonblocking+device=peer,shm:signal+device=staged,rma:put:fence+device=staged"
said = run(HALOCHECK, "--strict", "--schemes", ways, "--cases", "12")
assert "3 sound, 0 wrong, 0 refused" in said, said
