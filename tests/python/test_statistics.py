"""Medians, intervals and ratios: against scipy, and on synthetic data whose truth is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from halocline.statistics import (
    Interval,
    WarmUp,
    effective_samples,
    grouped_median,
    median_interval,
    ratio_interval,
    shift_interval,
    signed_sums,
    spread,
    warm_up,
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


@given(st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=40))
def test_shifts_move_with_their_differences(differences):
    found = shift_interval(differences)
    assert min(differences) <= found.low <= found.value <= found.high <= max(differences)
    assert found.confidence > 0.95
    turned = shift_interval([-one for one in differences])
    assert (turned.low, turned.value, turned.high) == pytest.approx(
        (-found.high, -found.value, -found.low)
    )


def test_shifts_hold_what_wilcoxons_test_does_not_reject():
    differences = np.random.default_rng(5).normal(0.3, 1, 12)
    found = shift_interval(differences)
    for end, inside in ((found.low, 1), (found.high, -1)):
        kept, rejected = (
            stats.wilcoxon(differences - end - move).pvalue
            for move in (1e-9 * inside, -1e-9 * inside)
        )
        assert rejected < 0.05 <= kept


def test_five_shifts_say_what_they_are_worth():
    found = shift_interval([1, 2, 3, 4, 5])
    assert (found.low, found.high, found.confidence) == (1, 5, pytest.approx(1 - 2 / 2**5))
    with pytest.raises(ValueError, match="at least one"):
        shift_interval([])


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


def test_few_launches_are_worth_no_more_than_their_number():
    alike = [[1.0, 2.0, 3.0, 4.0]] * 3
    assert grouped_median(alike).confidence == 1 - 2 / 2**3
    assert grouped_median(alike * 2).confidence >= 0.95


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


@pytest.mark.parametrize("n", [1, 2, 6, 9, 30])
def test_the_signed_rank_distribution_is_complete_and_symmetric(n):
    found = signed_sums(range(1, n + 1))
    assert len(found) == n * (n + 1) // 2 + 1
    assert found.sum() == pytest.approx(1)
    assert found == pytest.approx(found[::-1])
    assert found[0] == pytest.approx(0.5**n)


@pytest.mark.parametrize("n", [6, 10, 17])
def test_a_ratio_holds_what_the_signed_rank_test_does_not_reject(n):
    random = np.random.default_rng(n)
    ours, theirs = skewed(random, (2, n, 1))
    found = ratio_interval(ours, theirs)
    logs = np.log(ours / theirs).ravel()
    for end, inwards in ((found.low, 1), (found.high, -1)):
        for step, inside in ((1e-9, True), (-1e-9, False)):
            p = stats.wilcoxon(logs - np.log(end) - inwards * step, method="exact").pvalue
            assert (p > 0.05) == inside
    assert found.confidence > 0.95


def test_what_slows_a_whole_round_leaves_the_ratio_alone():
    drift = [[1.0], [3.0], [2.0], [9.0], [4.0], [5.0]]
    twice = [[2 * value for value in group] for group in drift]
    found = ratio_interval(twice, drift)
    assert (found.low, found.value, found.high) == pytest.approx((2, 2, 2))
    with pytest.raises(ValueError, match="both sides"):
        ratio_interval([], drift)


def test_rounds_that_only_one_side_has_are_left_out():
    found = ratio_interval([[2.0], [4.0]], [[1.0]])
    assert (found.low, found.high, found.confidence) == (2, 2, 0)


def cold(random, launches, excess, repetitions=7):
    """Give launches whose first repetitions take longer by these shares."""
    times = skewed(random, (launches, repetitions)) ** 0.2
    times[:, : len(excess)] *= 1 + np.array(excess)
    return times


@pytest.mark.parametrize("excess", [[0.3], [0.5, 0.2], [1.0, 0.5, 0.2]])
def test_a_warm_up_is_told_by_its_length(excess):
    found = [warm_up(cold(np.random.default_rng(i), 8, excess)) for i in range(40)]
    assert all(one.tested and one.repetitions >= len(excess) for one in found)
    exact = sum(one.repetitions == len(excess) for one in found)
    assert exact >= 0.6 * len(found)


def test_no_warm_up_is_seen_where_there_is_none_but_by_chance():
    found = [warm_up(cold(np.random.default_rng(i), 8, [])).repetitions for i in range(100)]
    assert found.count(0) > 70


def test_few_launches_keep_to_the_rule():
    times = cold(np.random.default_rng(1), 4, [0.5])
    assert warm_up(times) == WarmUp(1, False)
    assert warm_up(times).rest([1, 2, 3]) == [2, 3]
    assert warm_up([[3.0]] * 9) == WarmUp(1, False)
    assert warm_up([[3.0]] * 9).rest([3.0]) == [3.0]
    assert warm_up([]).rest([]) == []


def test_no_more_than_half_of_a_launch_warms_up():
    falling = [[9.0, 8.0, 7.0, 6.0, 5.0]] * 6
    assert warm_up(falling) == WarmUp(2, True)
    assert warm_up([[3.0, 2.0]] * 6) == WarmUp(1, True)


def test_equal_repetitions_do_not_warm_up():
    assert warm_up([[2.0, 2.0, 2.0]] * 6) == WarmUp(0, True)


def test_spread_names_percentiles_and_outliers():
    found = spread([*range(1, 100), 1000])
    assert found.percentiles[50] == 50.5 and found.percentiles[95] == pytest.approx(95.05)
    assert found.outliers == 1 and found.fences[1] < 1000
    assert spread([4.0]).outliers == 0
    assert spread([1.0, 1.0, 1.0, 1.0, 1.1]).outliers == 1


def test_the_width_is_relative_and_needs_its_confidence():
    assert Interval(2.0, 1.9, 2.1, 0.97).width == pytest.approx(0.1)
    assert median_interval([1, 2, 3]).width == np.inf
