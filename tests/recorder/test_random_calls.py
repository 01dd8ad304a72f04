"""Random programs in C and Fortran write down what they call; their recordings must say the same."""

import os
import subprocess
from pathlib import Path

import plain_log
import pytest
import recordings
from comparison import Comparison
from programs import PROGRAMS, SOAK, launch

HERE = Path(__file__).parent
PRELOAD, _, RANDOM_CALLS, *_ = PROGRAMS
MPIFORT = os.environ.get("HALOCLINE_TEST_MPIFORT")
SEEDS = range(1, 40 if SOAK else 3)
RANKS = (1, 2, 3, 4, 8) if SOAK else (1, 2, 4)


def recorded(program, *arguments, ranks, folder="run.recording"):
    """Run a program with the recorder; it finds its own data right."""
    done = launch(PRELOAD, "--output", folder, program, *arguments, ranks=ranks)
    assert done.returncode == 0, done.stderr
    return done.stdout, recordings.read_all(folder)


def compare(program, seed, phases, ranks, *more):
    said, found = recorded(program, seed, phases, "log", *more, ranks=ranks)
    assert f"all data are right: seed {seed}" in said
    Comparison(plain_log.read_all("log", ranks), found).check()
    return found


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_call_is_recorded(seed, ranks):
    found = compare(RANDOM_CALLS, seed, 60, ranks)
    assert all(recording.head["how"] == "finalized" for recording in found.values())


def test_communicators_come_and_go():
    found = compare(RANDOM_CALLS, 5, 5, 2, 400 if SOAK else 60)
    for recording in found.values():
        assert recording.functions()["MPI_Comm_free"] >= 60


def test_nothing_changes_without_the_recorder():
    """A plain run has the same calls, apart from how often it looks whether something is complete."""
    logs = {}
    for name, start in (("plain", ()), ("recorded", (PRELOAD, "--output", "r"))):
        done = launch(*start, RANDOM_CALLS, 3, 60, name, ranks=2)
        assert done.returncode == 0, done.stderr
        logs[name] = [
            [line.function for line in log.calls if "Test" not in line.function
             and not line.function.endswith(("probe", "_status", "arrived", "any", "some", "Mrecv", "Recv"))]
            for log in plain_log.read_all(name, 2).values()
        ]  # fmt: skip
    assert logs["plain"] == logs["recorded"]


@pytest.fixture(scope="session")
def fortran(tmp_path_factory):
    """The Fortran programs of an interface, compiled when they are first asked for."""
    folder = tmp_path_factory.mktemp("fortran")

    def compiled(interface):
        program = folder / f"random_calls_{interface}"
        options = ["-cpp", "-O1", "-ffree-line-length-none", f"-DINTERFACE={interface}", "-w"]
        if os.environ["HALOCLINE_TEST_MPI"] == "mpich":
            options += ["-fallow-argument-mismatch", *["-DWITHOUT_INDICES"] * (interface == 3)]
        if not program.exists():
            subprocess.run(
                [MPIFORT, *options, f"-J{folder}", str(HERE / "random_calls.F90"), "-o", str(program)],
                check=True, cwd=folder,
            )  # fmt: skip
        return str(program)

    return compiled


@pytest.mark.skipif(not MPIFORT, reason="this MPI has no Fortran")
@pytest.mark.parametrize("interface", [1, 2, 3])
@pytest.mark.parametrize("ranks", RANKS[1:3] if SOAK else (2,))
def test_fortran_is_recorded(fortran, interface, ranks):
    for seed in SEEDS:
        compare(fortran(interface), seed, 60, ranks)
