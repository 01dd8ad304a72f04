"""The yardstick as users call it.

What it computes is the programs' result bit for bit; what it cannot do it says.
"""

import pytest
from programs import PROGRAMS, Program

plain_sweeps, partdiff, laplace = map(Program, PROGRAMS)
NUMBERS = {"gauss-seidel": 1, "jacobi": 2}


def result(program, *arguments):
    return program.solve(*arguments)[1]


def plain(method, points, *more):
    return result(plain_sweeps, "--method", method, "--points", points, *more)


def test_bits_are_those_of_partdiff():
    for method, interlines, function, sweeps, threads in (
        ("jacobi", 0, 1, 1, 1),
        ("jacobi", 7, 2, 8, 1),
        ("jacobi", 24, 1, 37, 3),
        ("jacobi", 31, 2, 50, 2),
        ("gauss-seidel", 0, 2, 3, 1),
        ("gauss-seidel", 24, 1, 37, 1),
        ("gauss-seidel", 31, 2, 50, 1),
    ):
        words = [1, NUMBERS[method], interlines, function, 2, sweeps]
        theirs = result(partdiff, *words)
        ours = plain(
            method, 8 * interlines + 9, "--function", function, "--sweeps", sweeps,
            "--threads", threads, "--repetitions", 2,
        )  # fmt: skip
        assert ours["result"]["checksum"] == theirs["result"]["checksum"]
        assert ours["build"] == theirs["build"]
        if threads == 1:
            assert ours["pinning"] == theirs["pinning"]


def test_bits_are_those_of_laplace():
    for points, sweeps, threads in ((9, 1, 1), (33, 20, 3), (50, 37, 2)):
        theirs = result(
            laplace, "--grid", f"{points},{points},{points}", "--threads", threads,
            "--max-iterations", sweeps, "--tolerance", "1e-300",
        )  # fmt: skip
        ours = plain(
            "laplace", points, "--sweeps", sweeps, "--threads", threads, "--repetitions", 2
        )
        assert ours["result"]["checksum"] == theirs["result"]["checksum"]
        assert theirs["result"]["iterations"] == sweeps


def test_result_file():
    result = plain("jacobi", 201, "--sweeps", 5, "--repetitions", 3, "--threads", 2)
    assert (result["format"], result["version"]) == ("halocline-result", 1)
    assert (result["ranks"], result["threads"]) == (1, 2)
    assert result["result"]["iterations"] == 5
    for seconds, rate in zip(result["samples"]["total_s"], result["result"]["mlups"]):
        assert abs(seconds * rate * 1e6 / (199 * 199 * 5) - 1) < 0.5e-7
    assert len(result["samples"]["total_s"]) == 3


def test_stream():
    result = plain("stream", 500, "--repetitions", 3, "--sweeps", 4, "--threads", 2)
    for name in ("copy_gb_s", "triad_gb_s"):
        assert len(result["result"][name]) == 3
        assert min(result["result"][name]) > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "gauss-seidel", "--threads", "2"], "Gauss-Seidel loop is serial"),
        (["--method", "sor"], "--method"),
        (["--points", "200"], "--points 200: partdiff's grids have 8 * interlines + 9"),
        (["--points", "1"], "--points"),
        (["--function", "3"], "--function"),
        (["--method", "laplace", "--function", "2"], "laplace has no source term"),
        (["--method", "laplace", "--points", "100001"], "--points 100001: a cube"),
        (["--sweeps", "0"], "--sweeps"),
        (["--threads", "0"], "--threads"),
        (["--unheard-of"], "--unheard-of"),
        (["--json", "/no/such/folder/result.json"], "--json"),
    ],
)
def test_anything_invalid_is_named(words, message):
    ended = plain_sweeps(*words)
    assert ended.returncode != 0
    assert message in ended.stderr


def test_usage():
    ended = plain_sweeps("--help")
    assert ended.returncode == 0
    assert "--repetitions" in ended.stdout
