"""What samples allow to be said of one scheme, and of the ratio of two.

Run times are skewed and have outliers, so nothing here assumes a normal distribution: medians
with rank-based intervals, as T. Hoefler and R. Belli advise in *Scientific Benchmarking of
Parallel Computing Systems* (SC15, doi:10.1145/2807591.2807644, rules 5 to 8 and section 3.1.3).
Their intervals need independent samples. Repetitions within one launch are not independent (a
launch keeps its memory pages and its cores), so samples come here grouped by launch, and the
number of samples is discounted by what the groups have in common (L. Kish's design effect).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

LEAST_LAUNCHES = 6
"""The least that give a 95 % interval by themselves, and that tell two schemes apart."""

Groups = Sequence[Sequence[float]]
"""Samples, one group for each launch."""


@dataclass(frozen=True)
class Interval:
    """An estimate with a confidence interval, in the unit of the samples."""

    value: float
    low: float
    high: float
    confidence: float = 0.95
    """What the interval really holds; less than asked for when samples are too few, and 0 where
    there is none: `low` and `high` then are ends of a range that says nothing."""

    @property
    def known(self) -> bool:
        """Whether it is an interval of 95 % at least; else it is no more than a range."""
        return self.confidence > 0.9499

    @property
    def there(self) -> bool:
        """Whether there is an interval at all, be it of less than 95 %."""
        return self.confidence > 0

    def told(self) -> dict[str, float | None]:
        """Return what files and tables say of it: None for all but the value if there is none."""
        ends = {"low": self.low, "high": self.high, "confidence": self.confidence}
        return {"value": self.value, **(ends if self.there else dict.fromkeys(ends))}

    @property
    def width(self) -> float:
        """The interval's width relative to the estimate; infinite where it holds less than 95 %."""
        holds = self.known and self.value > 0
        return (self.high - self.low) / self.value if holds else math.inf

    def scaled(self, factor: float) -> Interval:
        """Return the same in another unit."""
        return self.through(lambda value: value * factor)

    def through(self, change: Callable[[float], float]) -> Interval:
        """Return that of a figure that follows from this one, and rises or falls with it."""
        low, high = sorted((change(self.low), change(self.high)))
        return Interval(change(self.value), low, high, self.confidence)


def median_interval(
    samples: Sequence[float], confidence: float = 0.95, effective: float | None = None
) -> Interval:
    """Return the median and its nonparametric interval from order statistics.

    The number of samples below the true median is binomial(n, 1/2), so the interval reaches
    from the d-th smallest to the d-th largest sample, with the largest d that keeps the
    confidence (Hoefler and Belli, section 3.1.3). Below 6 samples there is none at 95 %: it then is
    the whole range, and `confidence` says what that is worth.

    Parameters
    ----------
    samples
        At least one.
    confidence
        Between 0 and 1.
    effective
        How many independent samples these are worth; all of them by default.
    """
    from scipy.special import bdtr  # scipy takes longer to import than most commands to answer

    ordered = np.sort(np.asarray(samples, dtype=float))
    if ordered.size == 0:
        raise ValueError("a median needs at least one sample")
    middle = float(np.median(ordered))
    n = ordered.size if effective is None else min(max(effective, 1.0), ordered.size)
    whole = math.floor(n)
    # The largest number of samples outside on each side that keeps both tails below alpha / 2.
    tails = bdtr(np.arange(whole), whole, 0.5)
    outside = int(np.searchsorted(tails, (1 - confidence) / 2, side="right")) - 1
    kept = 1 - 2 * tails[max(outside, 0)]
    if outside < 0:
        low, high = ordered[0], ordered[-1]
    else:
        # With fewer independent samples than samples, take the same share of each tail.
        position = outside / (whole - 1) * (ordered.size - 1)
        low = ordered[math.floor(position)]
        high = ordered[ordered.size - 1 - math.floor(position)]
    return Interval(middle, float(low), float(high), float(kept))


def effective_samples(groups: Groups) -> float:
    """Return how many independent samples grouped samples are worth.

    With the share rho of the variance that lies between groups (the intraclass correlation, from
    a one-way analysis of variance), n samples in groups of m are worth n / (1 + (m - 1) rho)
    independent ones (Kish's design effect): n when groups do not matter, the number of groups when
    nothing else does. One group alone cannot tell, and counts as it is.
    """
    filled = [np.asarray(group, dtype=float) for group in groups if len(group)]
    n, k = sum(len(group) for group in filled), len(filled)
    if k < 2 or n == k:
        return float(n)
    size = (n - sum(len(group) ** 2 for group in filled) / n) / (k - 1)
    # Ranks in place of values: an outlier would hide what groups have in common.
    _, order, counts = np.unique(np.concatenate(filled), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[order]
    parts = np.split(ranks, np.cumsum([len(group) for group in filled])[:-1])
    between = sum(len(p) * (p.mean() - ranks.mean()) ** 2 for p in parts) / (k - 1)
    within = sum(((p - p.mean()) ** 2).sum() for p in parts) / (n - k)
    if between + within == 0:
        return float(n)
    rho = (between - within) / (between + (size - 1) * within)
    rho = min(max(rho, 0.0), 1.0)
    return float(min(n, max(k, n / (1 + (size - 1) * rho))))


def grouped_median(groups: Groups, confidence: float = 0.95) -> Interval:
    """Return the median of all samples with an interval that respects the launches.

    Fewer than `LEAST_LAUNCHES` cannot tell what their samples have in common; they then count as
    one sample each.
    """
    samples = [value for group in groups for value in group]
    launches = sum(1 for group in groups if len(group))
    worth = launches if launches < LEAST_LAUNCHES else effective_samples(groups)
    return median_interval(samples, confidence, worth)


def ratio_interval(numerator: Groups, denominator: Groups, confidence: float = 0.95) -> Interval:
    """Return by which factor two schemes differ, from the launches of the same rounds.

    The median of all means of two log ratios (the estimate of J. Hodges and E. Lehmann, Ann. Math.
    Statist. 34, 1963), with the interval that Wilcoxon's signed-rank test gives: the factors that
    it does not reject. It holds where the two scatter alike, whatever that looks like, and what
    slows a whole round cancels. Below 6 rounds it is the whole range, worth less than 95 %.

    Parameters
    ----------
    numerator, denominator
        Positive samples grouped by launch, the first launch of both from the same round, and so on;
        the longer one's last launches are left out.
    """
    ratios = [
        math.log(np.median(top) / np.median(bottom))
        for top, bottom in zip(numerator, denominator)
        if len(top) and len(bottom)
    ]
    if not ratios:
        raise ValueError("a ratio needs samples on both sides")
    return shift_interval(ratios, confidence).through(math.exp)


def shift_interval(differences: Sequence[float], confidence: float = 0.95) -> Interval:
    """Return around what paired differences scatter.

    The median of all means of two (Hodges and Lehmann) with the interval of Wilcoxon's signed-rank
    test, as for `ratio_interval`. Below 6 differences it is their whole range, worth less than
    95 %.
    """
    if not len(differences):
        raise ValueError("an interval needs at least one difference")
    n = len(differences)
    first, second = np.triu_indices(n)
    means = np.sort((np.take(differences, first) + np.take(differences, second)) / 2)
    return _within(means, np.cumsum(signed_sums(range(1, n + 1))), confidence)


def unpaired_ratio_interval(
    numerator: Groups, denominator: Groups, confidence: float = 0.95
) -> Interval:
    """Return by which factor two differ whose launches were in no rounds together.

    The median of all log ratios of a launch of one to a launch of the other (Hodges and Lehmann),
    with the factors that the rank-sum test of F. Wilcoxon, H. Mann and D. Whitney does not reject.
    Nothing cancels: it holds for what both were measured on, which may differ by more than them.
    Parameters as for `ratio_interval`, but in no order.
    """
    top, bottom = ([math.log(np.median(group)) for group in groups if len(group)]
                   for groups in (numerator, denominator))  # fmt: skip
    if not top or not bottom:
        raise ValueError("a ratio needs samples on both sides")
    apart = np.sort(np.subtract.outer(top, bottom).ravel())
    tails = np.cumsum(rank_sums(len(top), len(bottom)))
    return _within(apart, tails, confidence).through(math.exp)


def _within(ordered: np.ndarray, tails: np.ndarray, confidence: float) -> Interval:
    """Return the median of ordered estimates, and which of them a test does not reject.

    Parameters
    ----------
    tails
        The chance that so many of them, or fewer, lie below the truth.
    """
    # The largest number of them outside on each side that keeps both tails below alpha / 2.
    outside = int(np.searchsorted(tails, (1 - confidence) / 2, side="right")) - 1
    kept = 1 - 2 * tails[max(outside, 0)]
    ends = ordered[max(outside, 0)], ordered[-1 - max(outside, 0)]
    return Interval(float(np.median(ordered)), *map(float, ends), max(float(kept), 0.0))


def proportion_interval(hits: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return the share of trials that hit, with C. Clopper and E. Pearson's interval (1934)."""
    from scipy.stats import binomtest  # scipy takes longer to import than commands to answer

    found = binomtest(hits, trials).proportion_ci(confidence, "exact")
    return Interval(hits / trials, float(found.low), float(found.high), confidence)


def range_of_launches(launches: Sequence[Interval]) -> Interval:
    """Return the median of what launches found, with an interval that reaches over all of theirs.

    What differs between launches is unknown from a few.
    """
    return Interval(
        float(np.median([one.value for one in launches])),
        min(min(one.low, one.high) for one in launches),
        max(max(one.low, one.high) for one in launches),
        min(one.confidence for one in launches),
    )


def signed_sums(scores: Iterable[int]) -> np.ndarray:
    """Return the chances that the scores of those differences which are positive sum to 0, 1, ...

    Each difference is positive or negative with equal chance; with the scores 1 to n it is
    Wilcoxon's signed-rank distribution.
    """
    chances = np.ones(1)
    for score in scores:
        more = np.zeros(len(chances) + score)
        more[: len(chances)] += chances / 2
        more[score:] += chances / 2
        chances = more
    return chances


def rank_sums(m: int, n: int) -> np.ndarray:
    """Return the chances that, of m values among n others of their kind, 0 to m n pairs descend.

    Mann and Whitney's distribution, by their recursion (Ann. Math. Statist. 18, 1947).
    """
    # What a row holds belongs to i values among 0 to n others.
    row = [np.ones(1)] * (n + 1)
    for i in range(1, m + 1):
        made = [np.ones(1)]
        for j in range(1, n + 1):
            chances = np.zeros(i * j + 1)
            chances[j:] = row[j] * (i / (i + j))
            chances[: i * (j - 1) + 1] += made[j - 1] * (j / (i + j))
            made.append(chances)
        row = made
    return row[n]
