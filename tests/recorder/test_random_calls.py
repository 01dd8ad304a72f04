"""Random programs in C and Fortran write down what they call; recordings must say the same."""

import os
import subprocess
from pathlib import Path

import plain_log
import pytest
import recordings
from comparison import Channels, Comparison
from programs import PROGRAMS, SOAK, launch

HERE = Path(__file__).parent
PRELOAD, _, RANDOM_CALLS, *_ = PROGRAMS
MPIFORT = os.environ.get("HALOCLINE_TEST_MPIFORT")
SEEDS = range(1, 20 if SOAK else 3)
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


def test_nothing_changes_with_the_recorder():
    """The same messages are sent as in a plain run."""
    sent = {}
    for name, start in (("plain", ()), ("recorded", (PRELOAD, "--output", "run.recording"))):
        done = launch(*start, RANDOM_CALLS, 3, 60, name, ranks=2)
        assert done.returncode == 0, done.stderr
        sent[name] = Channels(plain_log.read_all(name, 2)).bytes
    assert sent["plain"] == sent["recorded"]


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
                [MPIFORT, *options, str(HERE / "random_calls.F90"), "-o", str(program)],
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


def monitored(ranks):
    """Return messages and bytes from rank to rank as Open MPI's own monitoring has counted them."""
    counted = {}
    for rank in range(ranks):
        for line in Path(f"counted.{rank}.prof").read_text().splitlines():
            if line.startswith("E\t"):
                source, target, size, _, number, *_ = line.split()[1:]
                counted[int(source), int(target)] = int(number), int(size)
    return counted


@pytest.mark.skipif(os.environ["HALOCLINE_TEST_MPI"] != "openmpi", reason="Open MPI has monitoring")
@pytest.mark.parametrize("seed", (1, 3))
def test_counts_are_those_of_monitoring(seed, monkeypatch):
    for name, value in (("enable", "2"), ("enable_output", "3"), ("filename", "counted")):
        monkeypatch.setenv(f"OMPI_MCA_pml_monitoring_{name}", value)
    _, found = recorded(RANDOM_CALLS, seed, 40, "log", 0, "messages", ranks=3)
    sent = {}
    for rank, recording in found.items():
        for shape in recording.shapes.values():
            for link in shape["links"]:
                # It does not count what persistent requests send.
                start = recording.calls[link["call"]]["function"].startswith("MPI_Start")
                if link["kind"] == "send" and not start:
                    number, size = sent.get((rank, link["peer"]), (0, 0))
                    times = shape["times"]
                    sent[rank, link["peer"]] = number + times, size + times * link["bytes"]
    counted = monitored(3)
    if any(recording.functions()["MPI_Comm_create_group"] for recording in found.values()):
        # Which talks by messages that monitoring takes for the program's.
        assert all(counted[pair] >= numbers for pair, numbers in sent.items()), (counted, sent)
    else:
        assert counted == sent
