"""A program in every style: the bits of one rank and one thread.

HALOCLINE_TEST_ALL_STYLES=1 takes every scheme on more ranks and threads.
"""

import fnmatch
import functools
import os
from pathlib import Path

import pytest
from programs import PROGRAMS, Program

program = Program(PROGRAMS[0])
NAME = program.name
STYLES = (
    "masteronly", "naive", "funneled", "single", "thread", "tasks", "partitioned", "multiple",
    "auto",
)  # fmt: skip
SCHEMES = "p2p:nonblocking", "p2p:partitioned", "shm:signal+access=direct"
ALL = "HALOCLINE_TEST_ALL_STYLES" in os.environ
EXCEPT = os.environ.get("HALOCLINE_TEST_EXCEPT", "").split(",")
SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (4, 1)] if ALL else [(1, 2), (2, 2)]
"""Ranks and threads of each."""
TOGETHER = [[style] for style in STYLES] if ALL else [STYLES[:-3], STYLES[-3:]]
"""Styles of one launch: the last three may need a higher thread level."""


STEPS = {"laplace": 23, "partdiff": 14, "spmv": 3}[NAME]


def words(threads, steps=STEPS):
    """Return a small problem for a program on so many threads."""
    return {
        "laplace": ("--grid", "17,13,12", "--max-iterations", steps, "--tolerance", "1e-300",
                    "--check", "every=10", "--threads", threads),
        "partdiff": (threads, 2, 3, 2, 2, steps, "--decomposition", "blocks"),
        "spmv": ("--generate", "7pt:9,8,7", "--products", steps, "--threads", threads),
    }[NAME]  # fmt: skip


@functools.cache
def schemes():
    """Return the schemes that are tried."""
    names = SCHEMES
    # Options follow, also those of methods that this MPI lacks.
    listed = program("--list-schemes").stdout.split("\n\n")[0].splitlines()
    here = [line for line in listed if ":" in line and " " not in line]
    if ALL:
        names = here
    names = [name for name in names if name.split("+")[0] in here]
    return [name for name in names if not any(fnmatch.fnmatchcase(name, glob) for glob in EXCEPT)]


@functools.cache
def right():
    """Return the checksum of one rank and one thread."""
    return program.solve(*words(1))[1]["result"]["checksum"]


@pytest.mark.parametrize("styles", TOGETHER, ids=" ".join)
@pytest.mark.parametrize(("ranks", "threads"), SHAPES)
def test_bits_of_one_rank_and_one_thread(ranks, threads, styles):
    entrants = [f"{scheme}@{style}" for style in styles for scheme in schemes()]
    _, content = program.solve(*words(threads), "--in-turn", ",".join(entrants), ranks=ranks)
    assert [one["asked"] for one in content["schemes"]] == entrants
    for one in content["schemes"]:
        assert one["result"]["checksum"] == right(), one["asked"]


def test_one_style():
    _, content = program.solve(*words(2), "--style", "thread", ranks=2)
    assert content["parameters"]["style"] == "thread"
    assert content["style"] == "thread"
    assert content["mpi"]["thread_level"] == "funneled"
    _, content = program.solve(*words(2), "--style", "multiple", ranks=2)
    assert content["mpi"]["thread_level"] == "multiple"


def test_what_auto_became_is_said(monkeypatch):
    monkeypatch.setenv("HALOCLINE_TUNING_REGRET", "0.9")  # much is tried in few steps
    remembered = "--tuning", Path("tuning.json")
    few = *words(1), "--style", "auto", *remembered
    _, content = program.solve(*few, ranks=2)
    assert content["style"] == "auto"  # not decided
    entrants = "p2p:nonblocking@auto", "p2p:nonblocking@naive"
    many = *words(1, 4_000), *remembered, "--in-turn", ",".join(entrants)
    _, content = program.solve(*many, "--repetitions", 1, ranks=2)
    auto, naive = content["schemes"]
    assert auto["parameters"]["style"] == "auto"
    assert auto["style"] in STYLES[:-1]
    assert naive["style"] == "naive"
    _, content = program.solve(*few, ranks=2)
    assert content["style"] == auto["style"]


def test_what_does_not_fit_is_named():
    refused = {
        "laplace": (["--slow", "0:2"], "--style tasks: is for ranks that are as fast as"),
        "partdiff": (["--halo-depth", "4"], "an exchange in every sweep, --halo-depth 1"),
        "spmv": (["--mode", "naive"], "--mode"),
    }
    for more, says in (
        (["--style", "hybrid"], "there is no style 'hybrid'; there are masteronly, naive"),
        (["--style", "tasks", *refused[NAME][0]], refused[NAME][1]),
        (["--in-turn", "p2p:nonblocking@x", "--json", "a.json"], "there is no style 'x'"),
    ):
        done = program(*words(2), *more, ranks=2)
        assert done.returncode != 0
        assert says in done.stderr
    assert "needs MPI_THREAD_MULTIPLE" in program("--list-styles").stdout
