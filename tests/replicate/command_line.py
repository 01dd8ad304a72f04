"""The exercise as users call it."""

import pytest
from programs import PROGRAMS, Program

replicate = Program(PROGRAMS[0])


MIB = 2**20


def solve(*arguments, ranks=1):
    run, content = replicate.solve(*arguments, ranks=ranks)
    return run, content["result"]


def test_the_lines_of_the_exercise():
    run, result = solve("--elements", 1000, "--steps", 2, "--island", 2, ranks=3)
    lines = [line.strip() for line in run.stdout.splitlines() if line.startswith("it: ")]
    places = [
        "rank ( world: 0/3, shm: 0/2, head: 0/2 ):",
        "rank ( world: 1/3, shm: 1/2, head: -1/-1 ):",
        "rank ( world: 2/3, shm: 0/1, head: 1/2 ):",
    ]
    sums = ["\tsum(i=0...i=999) = 499500", "\tsum(i=1...i=1000) = 500500"]
    expected = [f"it: {step}, {p}{sums[step]}" for step in range(2) for p in places]
    assert lines == expected
    assert result["sum"] == 500500
    assert result["copy_a_rank"]["copies"] == 3
    assert result["copy_an_island"]["copies"] == 2


def test_memory_falls_by_the_ranks_of_an_island():
    elements = 4_000_000
    _, result = solve("--elements", elements, "--steps", 1, ranks=2)
    used = [result[way]["bytes_of_a_node"] for way in ("copy_a_rank", "copy_an_island")]
    if None in used:
        pytest.skip("this system does not tell the proportional set size")
    for measured, copies in zip(used, (2, 1), strict=True):
        assert abs(measured - copies * 8 * elements) < 6 * MIB


def test_one_way_alone_through_any_scheme():
    for scheme in ("rma:put:fence", "neighbor:nonblocking"):
        _, result = solve(
            "--elements", 5000, "--island", 1, "--copies", "island", "--scheme", scheme,
            ranks=3,
        )  # fmt: skip
        assert "copy_a_rank" not in result
        assert result["copy_an_island"]["copies"] == 3


def test_refuses():
    for arguments, words in (
        (("--elements", 0), ("--elements 0", "integer from 1")),
        (("--steps", "many"), ("--steps many", "integer from 1")),
        (("--island", "blue"), ("island 'blue'", "node, numa or a number")),
        (("--copies", "none"), ("--copies none", "rank, island, both")),
        (("--elements", 10**12), ("out of memory", "GiB")),
    ):
        run = replicate(*arguments, ranks=2)
        assert run.returncode != 0, arguments
        said = [line for line in run.stderr.splitlines() if line.startswith("replicate: ")]
        assert len(said) == 1, run.stderr
        for word in words:
            assert word in said[0]
