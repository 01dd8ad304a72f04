"""Programs under the substitute receive what they would without it, and it says what it did."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import needs, why_not
from programs import MPIEXEC, PROGRAMS, SOAK

SUBSTITUTE, PRELOAD, NEIGHBORS, WINDOWS, CORE, OVERLAPPED = PROGRAMS
SOURCES = Path(__file__).parent
RANKS = (1, 2, 3, 4) if SOAK else (3,)
SEEDS = range(1, 9) if SOAK else range(1, 2)
PAUSES = ("1", "3000") if SOAK else ("3000",)
SCHEMES = ("p2p:nonblocking", "shm:signal", "rma:put:fence") if SOAK else ("shm:signal",)


def run(program, *arguments, ranks=2, **variables):
    """Start a program with the substitute in front of its MPI; return the run and the report."""
    report = Path("report.jsonl")
    variables = {"SCHEME": "p2p:nonblocking", "REPORT": str(report)} | variables
    environment = dict(os.environ)
    for name, text in variables.items():
        whole = {"APPLY": "HALOCLINE_APPLY"}.get(name, f"HALOCLINE_APPLY_{name}")
        environment[name if name.startswith("TEST_") else whole] = text
    start = [MPIEXEC, "-n", str(ranks), "env", f"LD_PRELOAD={SUBSTITUTE}", program]
    done = subprocess.run(
        [*start, *map(str, arguments)],
        capture_output=True, text=True, timeout=200, env=environment,
    )  # fmt: skip
    lines = report.read_text().splitlines() if report.exists() else ['{"substitute": 1}']
    report.unlink(missing_ok=True)
    assert json.loads(lines[0]) == {"substitute": 1}
    return done, [json.loads(line) for line in lines[1:]]


def passes(program, *arguments, **options):
    """Start a program that must find nothing wrong; return what became of its patterns."""
    done, patterns = run(program, *arguments, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return patterns


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("program", "scenario", "taken_at"),
    [(NEIGHBORS, "same", 13), (NEIGHBORS, "cycle", 25), (NEIGHBORS, "grid", 13),
     (WINDOWS, "same", 13), (WINDOWS, "cycle", 25)],
)  # fmt: skip
def test_what_repeats_is_taken_over(program, scenario, taken_at, ranks, scheme, seed):
    for pattern in passes(program, scenario, seed, ranks=ranks, SCHEME=scheme):
        assert pattern["taken_at"] == taken_at, pattern
        assert pattern["carried"] == pattern["steps"] - taken_at + 1, pattern
        assert (pattern["scheme"], pattern["back_at"], pattern["why"]) == (scheme, 0, "")


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("program", "scenario", "why"),
    [(NEIGHBORS, "changes", "other arguments than agreed on"),
     (NEIGHBORS, "exceptions", "other arguments than agreed on"),
     (WINDOWS, "more", "other operations than agreed on"),
     (WINDOWS, "less", "other operations than agreed on"),
     (WINDOWS, "never", "other operations than agreed on"),
     (WINDOWS, "gets", "other operations than agreed on"),
     (WINDOWS, "get_first", "other operations than agreed on"),
     (WINDOWS, "locks", "other operations than agreed on"),
     (WINDOWS, "pscw", "other operations than agreed on"),
     (WINDOWS, "freed", None)],
)  # fmt: skip
def test_surprises_hand_back_without_harm(program, scenario, why, ranks, seed):
    (pattern,) = passes(program, scenario, seed, ranks=ranks, TEST_PAUSES_US="3000")
    if why is None:  # a random pattern may have none of the datatype
        return
    if program == NEIGHBORS and pattern["back_at"] == 0:  # nor edges that change
        return
    assert pattern["taken_at"] > 0, pattern
    assert pattern["back_at"] > pattern["taken_at"], pattern
    assert pattern["why"] == why


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "scenario", ["same", "mixed", "ahead", "between", "grid", "persistent", "freed"]
)
@pytest.mark.parametrize("pauses", PAUSES)
def test_what_is_completed_later_is_taken_over(scenario, ranks, seed, pauses):
    """Each step from the 14th on, however many are open and whatever is completed with them."""
    options = {"ranks": ranks, "SCHEME": "shm:signal", "TEST_PAUSES_US": pauses}
    for pattern in passes(OVERLAPPED, scenario, seed, **options):
        if pattern["pattern"] == "MPI_Start and MPI_Startall":  # messages
            assert pattern["taken_at"] == 0
            continue
        assert pattern["taken_at"] == 14, pattern
        assert pattern["carried"] == pattern["steps"] - 13, pattern
        assert (pattern["scheme"], pattern["back_at"], pattern["why"]) == ("shm:signal", 0, "")


def test_threads_start_and_complete_at_the_same_time():
    for pattern in passes(OVERLAPPED, "threads", 1, ranks=2, SCHEME="shm:signal"):
        assert pattern["carried"] == pattern["steps"] - 13, pattern


def test_a_message_that_is_too_long_is_an_error():
    (pattern,) = passes(OVERLAPPED, "truncated", ranks=2, SCHEME="shm:signal")
    assert pattern["carried"] == 17


def test_a_difference_hands_open_steps_back():
    """Where blocks that are received overlap, MPI's own order is kept."""
    (pattern,) = passes(OVERLAPPED, "overlapping", ranks=2, SCHEME="shm:signal")
    assert (pattern["taken_at"], pattern["carried"], pattern["back_at"]) == (0, 0, 14)
    assert pattern["why"] == "bytes differed"


def test_what_waits_when_it_starts_cannot_carry_open_steps():
    (pattern,) = passes(OVERLAPPED, "same", 1, SCHEME="p2p:nonblocking")
    assert (pattern["taken_at"], pattern["why"]) == (
        0,
        "not to be carried so: p2p:nonblocking may wait for others when it starts; "
        "shm:signal does not",
    )


def test_what_never_repeats_is_left_alone():
    (pattern,) = passes(NEIGHBORS, "never", 1)
    assert (pattern["taken_at"], pattern["why"]) == (0, "not repeated alike on all ranks")


@pytest.mark.parametrize("program", [NEIGHBORS, WINDOWS, OVERLAPPED])
def test_communicators_windows_and_types_come_and_go(program):
    passes(program, "many", 1, ranks=2, SCHEME="shm:signal")


@pytest.mark.parametrize("scheme", ["p2p:nonblocking", "shm:signal"])
def test_a_rank_that_waits_lets_mpi_progress(scheme):
    (pattern,) = passes(NEIGHBORS, "progress", SCHEME=scheme)
    assert pattern["carried"] == 28


def test_a_graph_of_mpi_1():
    (pattern,) = passes(NEIGHBORS, "legacy", ranks=3)
    assert pattern["carried"] == 48


def test_messages_are_left_to_mpi():
    """The report says so of loops only if they are asked for."""
    reason = "MPI alone knows the order of such messages"
    found = passes(NEIGHBORS, "progress", APPLY="loops")
    left = [pattern for pattern in found if pattern["pattern"] == "MPI_Isend"]
    assert [(one["steps"], one["taken_at"], one["why"]) for one in left] == [(40, 0, reason)]


@pytest.mark.parametrize("program", [NEIGHBORS, WINDOWS, OVERLAPPED])
def test_a_program_that_aborts_ends(program):
    done, patterns = run(program, "abort", 1, ranks=2, SCHEME="shm:signal")
    assert done.returncode != 0
    assert patterns == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [("SCHEME", "p2p:no", "HALOCLINE_APPLY_SCHEME=p2p:no: "),
     ("COMPARE", "0", "HALOCLINE_APPLY_COMPARE=0: give a number of steps from 1 to 1000000")],
)  # fmt: skip
def test_nonsense_is_refused(name, text, says):
    done, _ = run(NEIGHBORS, "same", 1, **{name: text})
    assert done.returncode != 0
    assert len([line for line in done.stderr.splitlines() if says in line]) == 1, done.stderr


def test_it_is_put_in_front_of_the_program_alone():
    """By `halocline-preload`, which finds it by the interface of the program's MPI."""
    front = [MPIEXEC, "-n", "2", PRELOAD, "--substitute", "--report", "own.jsonl"]
    environment = os.environ | {"HALOCLINE_APPLY_SCHEME": "p2p:nonblocking"}
    done = subprocess.run(
        [*front, NEIGHBORS, "same", "1"],
        capture_output=True, text=True, timeout=200, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    first, *patterns = map(json.loads, Path("own.jsonl").read_text().splitlines())
    assert first == {"substitute": 1}
    assert {(one["scheme"], one["taken_at"]) for one in patterns} == {("p2p:nonblocking", 13)}
    assert not list(Path().glob("*.recording"))


@pytest.mark.parametrize(
    ("options", "says"),
    [(["--substitute", "--output", "a"],
      "--output is for recordings; with --substitute say --report FILE"),
     (["--report", "a"], "--report is for --substitute; recordings go to --output FOLDER")],
)  # fmt: skip
def test_options_of_the_recorder_are_not_its(options, says):
    done = subprocess.run([PRELOAD, *options, NEIGHBORS], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, f"halocline-preload: {says}\n")


@needs("readelf")
def test_it_names_no_mpi_and_is_in_front_of_all_that_it_does():
    said = {
        file: subprocess.run(["readelf", "-dsW", file], capture_output=True, text=True).stdout
        for file in (SUBSTITUTE, CORE)
    }
    assert not re.search(r"NEEDED.*lib(mpi|oshmem)", "".join(said.values()))
    front, core = (
        set(re.findall(r"FUNC +GLOBAL +DEFAULT +\d+ (MPI_\w+)", said[file]))
        for file in (SUBSTITUTE, CORE)
    )
    assert front == core
    assert "MPI_Win_fence" in front


def preloaded(launcher, *command):
    """Run two ranks with the substitute of `halocline-preload`; return the run and the patterns."""
    ours = {"SCHEME": "shm:signal", "REPORT": "other.jsonl"}
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment = os.environ | {f"HALOCLINE_APPLY_{name}": text for name, text in ours.items()}
    environment |= as_root | {"OMPI_MCA_rmaps_base_oversubscribe": "1"}
    done = subprocess.run(
        [launcher, "-n", "2", PRELOAD, "--substitute", *command],
        capture_output=True, text=True, timeout=200, env=environment,
    )  # fmt: skip
    report = Path("other.jsonl")
    lines = report.read_text().splitlines()[1:] if report.exists() else []
    report.unlink(missing_ok=True)
    return done, [json.loads(line) for line in lines]


@pytest.mark.parametrize("source", ["neighbors", "windows"])
def test_another_release_of_the_same_mpi(source):
    """The program's libmpi is Debian's, not that of the build."""
    mark = re.search(rb"halocline-preload-interface:(\w+)", Path(SUBSTITUTE).read_bytes())
    mpi = mark[1].decode()
    compiler, launcher = f"mpicxx.{mpi}", f"mpiexec.{mpi}"
    if why := why_not(compiler, launcher):
        pytest.skip(why)
    head = subprocess.run(
        [compiler, "-E", "-x", "c++", "-"], input=b"#include <mpi.h>\n", capture_output=True,
        check=False,
    )  # fmt: skip
    if head.returncode:
        pytest.skip(f"needs the headers of Debian's {mpi} (lib{mpi}-dev)")
    subprocess.run(
        [compiler, "-std=c++20", SOURCES / f"{source}.cpp", "-o", source], check=True, timeout=200
    )
    done, patterns = preloaded(launcher, f"./{source}", "same", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert patterns
    assert {(one["scheme"], one["taken_at"]) for one in patterns} == {("shm:signal", 13)}


def test_python_that_opens_its_mpi_itself():
    done, patterns = preloaded(MPIEXEC, sys.executable, SOURCES / "repeats.py")
    elsewhere = "cannot load MPI library|No module named|the program runs on the interface"
    if re.search(elsewhere, done.stderr):
        pytest.skip("mpi4py finds another MPI, or none")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(one["taken_at"], one["carried"]) for one in patterns] == [(13, 28)]


def test_what_cannot_be_run_is_said_once():
    """And not by each of the ranks."""
    done, _ = preloaded(MPIEXEC, "/bin/true")
    said = [line for line in done.stderr.splitlines() if "halocline-preload: " in line]
    assert done.returncode != 0
    assert len(said) == 1, done.stderr
    assert "/bin/true loads no MPI" in said[0]
