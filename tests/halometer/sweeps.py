"""The yardstick of sweeps: what it computes is the programs' result, bit for bit."""

import pytest
from programs import PROGRAMS, Program

halometer, partdiff, laplace = map(Program, PROGRAMS)
NUMBERS = {"gauss-seidel": 1, "jacobi": 2}
SHORT = ("--least", 6, "--most", 6, "--budget", 1)


def plain(method, points, *more):
    """Return halometer's file, and its only entry."""
    _, found = halometer.solve("sweeps", "--schemes", method, "--points", points, *SHORT, *more)
    (setting,) = found["settings"]
    return found, setting


@pytest.mark.parametrize(
    ("method", "interlines", "function", "sweeps", "threads"),
    [
        ("jacobi", 0, 1, 1, 1),
        ("jacobi", 7, 2, 8, 1),
        ("jacobi", 24, 1, 37, 3),
        ("jacobi", 31, 2, 50, 2),
        ("gauss-seidel", 0, 2, 3, 1),
        ("gauss-seidel", 24, 1, 37, 1),
        ("gauss-seidel", 31, 2, 50, 1),
    ],
)
def test_bits_are_those_of_partdiff(method, interlines, function, sweeps, threads):
    _, theirs = partdiff.solve(1, NUMBERS[method], interlines, function, 2, sweeps)
    ours, setting = plain(
        method, 8 * interlines + 9, "--function", function, "--sweeps", sweeps,
        "--threads", threads,
    )  # fmt: skip
    assert setting["result"]["checksum"] == theirs["result"]["checksum"]
    assert ours["build"] == theirs["build"]
    if threads == 1:
        assert ours["pinning"] == theirs["pinning"]


@pytest.mark.parametrize(("points", "sweeps", "threads"), [(9, 1, 1), (33, 20, 3), (50, 37, 2)])
def test_bits_are_those_of_laplace(points, sweeps, threads):
    _, theirs = laplace.solve(
        "--grid", f"{points},{points},{points}", "--threads", threads,
        "--max-iterations", sweeps, "--tolerance", "1e-300",
    )  # fmt: skip
    _, setting = plain("laplace", points, "--sweeps", sweeps, "--threads", threads)
    assert setting["result"]["checksum"] == theirs["result"]["checksum"]
    assert theirs["result"]["iterations"] == sweeps


def test_what_the_file_says():
    found, setting = plain("jacobi", 201, "--sweeps", 5, "--threads", 2)
    assert (found["ranks"], found["threads"]) == (1, 2)
    assert setting["parameters"] == {"points": 201, "function": 1, "threads": 2, "sweeps": 5}
    assert setting["bytes"] == 5 * 24 * 199 * 199
    assert setting["result"]["iterations"] == 5
    assert min(setting["samples_s"]) > 0


@pytest.mark.parametrize(
    ("method", "points", "words", "says"),
    [
        ("gauss-seidel", 201, ("--threads", 2), "Gauss-Seidel loop is serial"),
        ("jacobi", 200, (), "--points 200: partdiff's grids have 8 * interlines + 9"),
        ("laplace", 33, ("--function", 2), "laplace has no source term"),
        ("laplace", 100001, (), "--points 100001: a cube"),
    ],
)
def test_what_a_loop_cannot_do_is_left_out(method, points, words, says):
    _, setting = plain(method, points, *words)
    assert says in setting["left_out"]


@pytest.mark.parametrize(
    "words",
    [
        ("--schemes", "sor"), ("--points", 1), ("--function", 3), ("--sweeps", 0), ("--threads", 0),
        ("--unheard-of",), ("--json", "/no/such/folder/result.json"),
    ],
)  # fmt: skip
def test_anything_invalid_is_named(words):
    halometer.fails("sweeps", *words, says=words[0])
