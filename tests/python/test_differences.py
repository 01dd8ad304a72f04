"""What may be called faster: exact where it can be, and on made-up measurements of known truth."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from simulation import SCENARIOS, simulate

from halocline.statistics import LEVEL, as_fast_as, as_fast_as_the_fastest, blocks

TABLES = st.tuples(st.integers(1, 7), st.integers(1, 5), st.integers(0, 10**6)).map(
    lambda draw: np.random.default_rng(draw[2]).normal(0, 0.1, draw[:2])
)


TRIALS = 200


def scenario(name):
    return next(one for one in SCENARIOS if one.name == name)


def most(trials):
    """Return the most false claims that a true rate of 5 % makes, but for one time in 1000."""
    return stats.binom.ppf(0.999, trials, LEVEL) / trials


def test_blocks_have_a_row_for_each_round_and_know_who_failed():
    table = blocks([[[1.0, 2.0, 9.0], [4.0]], [[math.e]]])
    assert table[0].tolist() == [math.log(2), 1.0]
    assert table[1, 0] == math.log(4) and math.isnan(table[1, 1])
    assert blocks([]).shape == (0, 0)


@pytest.mark.parametrize("rounds", [6, 8, 12])
def test_two_schemes_are_compared_by_signed_ranks(rounds):
    random = np.random.default_rng(rounds)
    for shift in (0, 0.05, 0.3):
        table = random.normal(0, 0.1, (rounds, 2)) + np.array([0, shift])
        apart = table[:, 1] - table[:, 0]
        # The k-th smallest of n differences has the aligned ranks n + k and n - k + 1.
        scores = 2 * stats.rankdata(np.abs(apart)) - 1
        signs = np.array(list(itertools.product([-1, 1], repeat=rounds)))
        expected = np.mean(np.abs(signs @ scores) >= abs(np.sign(apart) @ scores) - 1e-9)
        assert as_fast_as(0, table)[0] == 1
        assert as_fast_as(0, table)[1] == pytest.approx(expected)
        assert as_fast_as_the_fastest(table).tolist() == pytest.approx(
            [expected if expected > LEVEL else 1, expected]
        )


def test_six_rounds_tell_two_schemes_apart_and_five_do_not():
    table = np.tile([0.0, 0.1], (6, 1)) + np.random.default_rng(1).normal(0, 0.01, (6, 2))
    assert as_fast_as_the_fastest(table)[1] == pytest.approx(2 / 2**6)
    assert as_fast_as_the_fastest(table[:5]).min() == pytest.approx(2 / 2**5)


def test_three_rounds_tell_the_slowest_of_many():
    table = np.tile(np.linspace(0, 2, 12), (3, 1))
    p = as_fast_as_the_fastest(table)
    assert p[-1] <= LEVEL < p[0]


def test_equal_times_are_ties():
    assert (as_fast_as_the_fastest(np.zeros((9, 4))) == 1).all()
    assert (as_fast_as(2, np.zeros((9, 4))) == 1).all()


def test_one_round_or_one_scheme_claims_nothing():
    assert (as_fast_as_the_fastest(np.arange(8.0).reshape(1, 8)) > LEVEL).all()
    assert as_fast_as_the_fastest(np.arange(8.0).reshape(8, 1)).tolist() == [1]


@settings(deadline=None, max_examples=40)
@given(TABLES)
def test_somebody_is_always_fastest_and_p_values_are_such(table):
    for p in (as_fast_as_the_fastest(table, draws=99), as_fast_as(0, table, draws=99)):
        assert ((p > 0) & (p <= 1)).all()
        assert (p > LEVEL).any()
    assert p[0] == 1


@settings(deadline=None, max_examples=40)
@given(TABLES)
def test_units_and_what_slows_a_whole_round_do_not_matter(table):
    moved = 3 + table + np.arange(len(table))[:, None]
    assert as_fast_as_the_fastest(moved, draws=99) == pytest.approx(
        as_fast_as_the_fastest(table, draws=99)
    )


def test_a_scheme_that_failed_midway_neither_hides_the_others_nor_is_lost():
    table = np.tile([0.0, 0.3, 0.3, 0.3], (6, 1))
    table += np.random.default_rng(2).normal(0, 0.01, table.shape)
    table[2:, 3] = np.nan
    p = as_fast_as_the_fastest(table)
    assert p[0] > LEVEL and (p[1:3] <= LEVEL).all()
    assert np.isfinite(p).all()


@pytest.mark.parametrize(
    "name",
    [
        "8 alike, long tails",
        "8 alike, good and bad launches",
        "8 alike, ties",
        "8 alike, 3 fail midway",
        "8 alike, scatter from 1 % to 8 %",
        "8 alike, the base scatters 5 times more",
        "8 alike, 3 rounds",
        "2 alike, 6 slower by 2, 4, ..., 12 %",
    ],
)
def test_one_wrong_claim_or_more_in_at_most_one_table_of_twenty(name):
    found = simulate(scenario(name), TRIALS, intervals=False)
    assert found.false_fastest <= most(TRIALS)
    assert found.false_base <= most(TRIALS)


@pytest.mark.parametrize(
    ("name", "fastest", "base"),
    [
        ("half 10 % slower", 0.95, 0.7),
        ("half 10 % slower, drift", 0.95, 0.7),
        ("7 alike, 1 slower by 4 %", 0.6, 0.2),
        ("2 that differ by 10 %", 0.95, 0.95),
    ],
)
def test_differences_are_found_among_launches_that_scatter_by_2_percent(name, fastest, base):
    found = simulate(scenario(name), 100, intervals=False)
    assert np.mean(found.found_fastest) > fastest
    assert np.mean(found.found_base) > base
    assert max(found.false_fastest, found.false_base) <= most(100)


@pytest.mark.parametrize("launches", [6, 20])
def test_a_scheme_against_itself_200_times(launches):
    name = f"a scheme against itself, {launches} launches"
    found = simulate(scenario(name), 200, intervals=False)
    assert found.false_fastest <= 0.05
    assert found.false_base <= 0.05


def test_intervals_hold_what_they_promise_also_when_rounds_end_by_their_width():
    found = simulate(scenario("8 alike, ended when known to 5 %"), 100)
    assert 6 <= np.mean(found.rounds) < 20
    assert np.mean(found.median_hits) > 0.95
    assert np.mean(found.ratio_hits) > 0.9
    assert max(found.false_fastest, found.false_base) <= most(100)
