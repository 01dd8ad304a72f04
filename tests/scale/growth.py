"""What a rank does and holds for an exchange does not grow with the number of ranks.

The most of any rank, on more and more ranks with as much work each (scale_counts.cpp).
"""

import itertools
import json
import math
import os

import pytest
from programs import PROGRAMS, SOAK, launch

RANKS = [int(number) for number in os.environ["HALOCLINE_TEST_RANKS"].split(":")]
SOME = [
    "shm:signal", "p2p:nonblocking+heads=node, in a row", "auto",
    "p2p:nonblocking, columns of sparse rows",
]  # fmt: skip
"""What is looked at where there is no time for all."""

ROOT = "p2p:nonblocking, ranks renumbered"
"""Rank 0 places all ranks."""
TIMES = {ROOT: 2, "p2p:nonblocking, gather-scatter": 3}
"""A grid's communicator has rounds, too; the more ranks, the fewer are asked twice by chance."""
OF_AUTO = {"peers", "largest_gathered"}
"""The rest depends on how long things take, and so on what is tried."""
MEMORY = {"allocated", "peak", "largest"}
A_DOUBLING = 120
"""Bytes of memory: numbers have more digits, and the end of a communicator has a round more, whose
messages say what ranks have let go of, too."""


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """For each number of ranks, the cases by name."""
    return {ranks: _counts(ranks, tmp_path_factory.mktemp(str(ranks))) for ranks in RANKS}


def _counts(ranks, folder):
    done = launch(PROGRAMS[0], *([] if SOAK else SOME), ranks=ranks, cwd=folder, timeout=1500)
    assert done.returncode == 0, done.stderr
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(cases) > len(SOME) if SOAK else len(cases) == len(SOME)
    return {case.pop("case"): case for case in cases}


def _grown(counts, when, among=lambda case: True):
    """Return what grows faster than the logarithm of the number of ranks; memory: what grows."""
    found = []
    for fewer, more in itertools.pairwise(RANKS):
        assert counts[fewer].keys() == counts[more].keys()
        for case, few in counts[fewer].items():
            for what, before in few[when].items():
                after = counts[more][case][when][what]
                most = before * math.log(more) / math.log(fewer) + 2
                if what in MEMORY:
                    most = before + TIMES.get(case, 1) * A_DOUBLING * math.log2(more / fewer)
                looked_at = what in OF_AUTO or not case.startswith("auto")
                if after > most and looked_at and among(case):
                    found.append(f"{case}: {what} {before} on {fewer}, {after} on {more} ranks")
    return found


def test_making_an_exchange_takes_as_much_on_any_number_of_ranks(counts):
    assert _grown(counts, "made", lambda case: case != ROOT) == []


def test_so_does_its_whole_life(counts):
    assert _grown(counts, "life", lambda case: case != ROOT) == []


def test_what_rank_0_does_for_all_costs_the_others_nothing(counts):
    assert _grown(counts, "others", lambda case: case == ROOT) == []


def test_auto_holds_no_more_than_what_it_tries(counts):
    for cases in counts.values():
        others = [case["life"] for name, case in cases.items() if not name.startswith("auto")]
        for name, case in cases.items():
            if name.startswith("auto"):
                assert case["life"]["largest"] <= max(one["largest"] for one in others)
                assert case["life"]["largest_reduced"] <= 16384
