"""Contests in laps keep what they promise, in thousands that are made up (contests.py)."""

import os
from functools import cache

import pytest
from programs import PROGRAMS

np = pytest.importorskip("numpy")

from contests import SCENARIOS, Contests, simulate  # noqa: E402

CONTESTS = Contests(PROGRAMS[0])
RUNS = int(os.environ.get("HALOCLINE_CONTESTS", "60"))
"""For each scenario that a goal is about; a tenth for the others."""
GOAL = ("noise of 5 %", "noise of 5 %, alike")
UNCERTAIN = ("noise of 20 %", "noise of 5 %, laps of 0.1 s, 3000", "noisy")
"""Too few laps for such times, or interruptions that take nearly all of it."""


@cache
def found(name):
    scenario = next(one for one in SCENARIOS if one.name == name)
    return simulate(CONTESTS, scenario, RUNS if name in GOAL else max(20, RUNS // 10))


def at_most(happened, share):
    """No more than that share, or than chance lets happen of it once in a thousand times."""
    n = len(happened)
    assert happened.sum() <= n * share + 3.1 * np.sqrt(n * share * (1 - share)) + 1, happened.mean()


def names(kind):
    return [one.name for one in SCENARIOS if one.schemes == kind]


DIFFERENT = names("various") + names("first")


@pytest.mark.parametrize("name", names("alike"))
def test_claims_no_difference_where_there_is_none(name):
    at_most(found(name).changed, 0.05)


@pytest.mark.parametrize("name", [name for name in DIFFERENT if name not in UNCERTAIN])
def test_is_seldom_wrong(name):
    at_most(found(name).wrong, 0.02)


def test_loses_little():
    assert found("noise of 5 %").regret.mean() < 0.01


@pytest.mark.parametrize("name", DIFFERENT)
def test_trying_costs_no_more_than_it_may(name):
    # Over a share of 0.01 by little: only an estimate says what the next bout costs.
    assert found(name).trying.mean() < 0.011
