"""Medians, intervals and ratios: against scipy, and on synthetic data whose truth is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from halocline.statistics import (
    Interval,
    effective_samples,
    grouped_median,
    median_interval,
    ratio_interval,
)

TIMES = st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=60)


def skewed(random, shape):
    """Run times as they are: a sharp left side, a long right tail, median 1."""
    return np.exp(0.1 * np.abs(random.standard_t(3, shape)) - 0.1 * stats.t.ppf(0.75, 3))


@given(TIMES)
def test_the_interval_holds_the_median_and_samples_at_its_ends(samples):
    found = median_interval(samples)
    assert found.value == pytest.approx(np.median(samples))
    assert found.low <= found.value <= found.high
    assert {found.low, found.high} <= set(samples)


@pytest.mark.parametrize("n", [6, 7, 10, 17, 18, 30, 101, 1000])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_interval_is_that_of_scipys_quantile_test(n, confidence):
    samples = np.random.default_rng(n).permutation(n).astype(float)
    found = median_interval(samples, confidence)
    tail = (1 - confidence) / 2
    if 0.5**n > tail:
        assert (found.low, found.high) == (0, n - 1)
        assert found.confidence < confidence
        return
    theirs = stats.quantile_test(samples, q=0, p=0.5).confidence_interval(confidence)
    assert (found.low, found.high) == (theirs.low, theirs.high)
    assert found.confidence >= confidence - 1e-12


def test_too_few_samples_say_what_they_are_worth():
    five = median_interval([1, 2, 3, 4, 5])
    assert (five.low, five.high) == (1, 5)
    assert five.confidence == pytest.approx(1 - 2 / 2**5)
    assert median_interval([7]) == Interval(7, 7, 7, 0)
    assert median_interval([1, 2, 3, 4, 5, 6]).confidence > 0.95


def test_nothing_cannot_have_a_median():
    with pytest.raises(ValueError, match="at least one"):
        median_interval([])


def test_coverage_of_the_median():
    random = np.random.default_rng(5)
    for n in (6, 15, 40):
        hits = 0
        for sample in skewed(random, (2000, n)):
            found = median_interval(sample)
            hits += found.low <= 1 <= found.high
        assert hits / 2000 > 0.94, n


def test_groups_without_effect_count_every_sample():
    random = np.random.default_rng(1)
    worth = [effective_samples(skewed(random, (10, 4))) for _ in range(50)]
    assert np.median(worth) > 33


def test_groups_with_all_the_effect_count_as_one_sample_each():
    groups = [[launch] * 4 for launch in range(10)]
    assert effective_samples(groups) == 10


@given(st.lists(TIMES, min_size=1, max_size=8))
def test_worth_lies_between_groups_and_samples(groups):
    total = sum(map(len, groups))
    assert min(len(groups), total) <= effective_samples(groups) <= total


@pytest.mark.parametrize(
    ("launches", "repetitions", "between"), [(5, 3, 0), (5, 3, 0.1), (8, 2, 0.05), (10, 5, 0.2)]
)
def test_coverage_with_launches_that_differ(launches, repetitions, between):
    random = np.random.default_rng(7)

    def draw():
        return np.exp(random.normal(0, between, (launches, 1))) * skewed(
            random, (launches, repetitions)
        )

    truth = np.median(np.exp(random.normal(0, between, 500_000)) * skewed(random, 500_000))
    trials, median_hits, ratio_hits = 400, 0, 0
    for _ in range(trials):
        ours, theirs = draw(), draw()
        found = grouped_median(ours)
        median_hits += found.low <= truth <= found.high
        ratio = ratio_interval(2 * ours, theirs)
        ratio_hits += ratio.low <= 2 <= ratio.high
    assert median_hits / trials > 0.92
    assert ratio_hits / trials > 0.92


@settings(deadline=None, max_examples=20)
@given(st.lists(st.lists(st.floats(0.1, 10), min_size=1, max_size=5), min_size=1, max_size=5))
def test_a_ratio_knows_its_value_and_repeats(groups):
    twice = [[2 * value for value in group] for group in groups]
    found = ratio_interval(twice, groups)
    assert found.value == pytest.approx(2)
    assert found.low <= found.high
    assert found == ratio_interval(twice, groups)
