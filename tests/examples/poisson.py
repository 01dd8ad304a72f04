"""The multigrid example: as good as textbooks say, and the same bits however it communicates."""

import os
import re
import subprocess

import pytest
from programs import PROGRAMS, Program, some

# What this machine has chosen before is not known here, and trying may cost more than it should.
TUNING = {"HALOCLINE_TUNING": "tuning.json", "HALOCLINE_TUNING_REGRET": "0.5"}
poisson = Program(PROGRAMS[0], env={**os.environ, **TUNING})


def solve(*arguments, ranks=1):
    """Run it; return what it says, the numbers by their names."""
    run = poisson(*arguments, ranks=ranks)
    assert run.returncode == 0, run.stderr
    said = re.search(
        r"residual (?P<residual>\S+), times (?P<factor>\S+) .*\nerror (?P<error>\S+), "
        r"checksum (?P<checksum>\S+)\n",
        run.stdout,
    )
    return said.groupdict() | {"schemes": re.findall(r"\^3  (\S+)", run.stdout), "all": run.stdout}


def test_cycles_converge_alike_on_all_sizes_and_the_error_falls_with_the_square():
    found = {cells: solve("--cells", cells) for cells in (16, 32, 64)}
    factors = [float(one["factor"]) for one in found.values()]
    assert all(0.1 < factor < 0.15 for factor in factors)
    assert max(factors) < 1.15 * min(factors)
    coarse, middle, fine = (float(one["error"]) for one in found.values())
    assert 3.6 < coarse / middle < 4.1
    assert 3.8 < middle / fine < 4.1


@pytest.mark.parametrize(("cells", "ranks"), [(4, 2), (6, 1), (10, 2), (24, 1)])
def test_any_cube_that_halves_down_to_few_cells_converges(cells, ranks):
    assert float(solve("--cells", cells, ranks=ranks)["factor"]) < 0.2


def bits(*arguments, ranks):
    return solve("--cells", 16, "--cycles", 2, *arguments, ranks=ranks)["checksum"]


def test_the_same_bits_on_any_number_of_ranks():
    # The coarsest level has four cells along an edge: of five ranks one has none.
    assert len({bits("--scheme", "p2p:nonblocking", ranks=ranks) for ranks in (1, 2, 3, 4, 5)}) == 1


def test_the_same_bits_through_any_scheme():
    listed = subprocess.run([PROGRAMS[1], "--list"], capture_output=True, text=True, check=True)
    schemes = re.findall(r"^(\w+:\S+)$", listed.stdout, re.MULTILINE)
    assert len(schemes) > 10
    once = bits("--scheme", "p2p:nonblocking", ranks=1)
    groups = [",".join(schemes[i : i + 3]) for i in range(0, len(schemes), 3)]
    for levels in some(groups):  # another one on each level
        assert bits("--scheme", levels, ranks=2) == once, levels


def test_cycles_choose_for_each_level_and_leave_the_same_bits():
    cube = ("--cells", 8, "--cycles", 250)  # the first 128 only tell how long a cycle takes
    chosen = solve(*cube, ranks=2)
    assert "times as long" in chosen["all"]
    assert chosen["checksum"] == solve(*cube, "--scheme", "p2p:nonblocking")["checksum"]
    assert len(chosen["schemes"]) == 2


def test_levels_with_a_scheme_by_hand_go_with_those_that_choose():
    mixed = solve(
        "--cells", 8, "--cycles", 2, "--scheme", "p2p:persistent,auto+when=running", ranks=2
    )
    assert mixed["schemes"][0] == "p2p:persistent"
    assert "section: 2 laps" in mixed["all"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--cells", "100"), "--cells takes 4, 5, 6 or 7 times a power of two, 1024 at most, not"),
        (("--cells", "3"), "1024 at most, not 3"),
        (("--cells", "2048"), "1024 at most, not 2048"),
        (("--cells", "64x"), "--cells takes a number from 1 to 1000000, not '64x'"),
        (("--cycles", "0"), "--cycles takes a number from 1 to 1000000, not '0'"),
        (("--cycles",), "--cycles takes a value"),
        (("--cell", "64"), "no option '--cell'; there are --cells, --cycles, --scheme"),
        (("--scheme", "p2p:nonblockin"), "p2p:nonblockin"),
        (("--cells", "8", "--scheme", "shm:signal,"), "the scheme is empty"),
        (("--cells", "8", "--scheme", "shm:signal,shm:fence,shm:pscw"), "3 schemes for 2 levels"),
    ],
)
def test_bad_input_is_one_line(arguments, says):
    poisson.fails(*arguments, says=says, ranks=2, refused=False)
