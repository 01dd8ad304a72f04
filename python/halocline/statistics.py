"""What measurements allow to be said: medians with intervals, ratios, and 'no difference'.

Run times are skewed and have outliers, so nothing here assumes a normal distribution: medians
with rank-based intervals, as T. Hoefler and R. Belli advise in *Scientific Benchmarking of
Parallel Computing Systems* (SC15, doi:10.1145/2807591.2807644, rules 5 to 7 and section 3.1.3).
Their intervals need independent samples. Repetitions within one launch are not independent (a
launch keeps its memory pages and its cores), so samples come here grouped by launch, and the
number of samples is discounted by what the groups have in common (L. Kish's design effect).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtr, stdtrit

Groups = Sequence[Sequence[float]]
"""Samples, one group for each launch."""


@dataclass(frozen=True)
class Interval:
    """An estimate with a confidence interval, in the unit of the samples."""

    value: float
    low: float
    high: float
    confidence: float = 0.95
    """What the interval really holds; less than asked for when samples are too few."""

    def overlaps(self, other: Interval) -> bool:
        """Whether the intervals do not tell the two apart."""
        return self.low <= other.high and other.low <= self.high

    def scaled(self, factor: float) -> Interval:
        """Return the same in another unit."""
        return Interval(self.value * factor, self.low * factor, self.high * factor, self.confidence)


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
    """Return the median of all samples with an interval that respects the launches."""
    samples = [value for group in groups for value in group]
    return median_interval(samples, confidence, effective_samples(groups))


def ratio_interval(
    numerator: Groups,
    denominator: Groups,
    confidence: float = 0.95,
    draws: int = 2000,
    seed: int = 1,
) -> Interval:
    """Return the ratio of two medians with a bootstrap interval.

    Launches are drawn with replacement, then repetitions within each. A bootstrap from few launches
    is too narrow; it is widened as T. Hesterberg advises (*What Teachers Should Know About the
    Bootstrap*, 2015, section 4.2: the expanded percentile interval, with Student's t for as
    many samples as there are, at worst launches).

    Parameters
    ----------
    numerator, denominator
        Samples grouped by launch; positive.
    draws
        How many bootstrap samples.
    seed
        Of the random numbers: the same samples give the same interval.
    """
    random = np.random.default_rng(seed)
    top, bottom = _medians(numerator, draws, random), _medians(denominator, draws, random)
    n = min(effective_samples(numerator), effective_samples(denominator))
    tail = (1 - confidence) / 2
    expanded = ndtr(stdtrit(n - 1, tail) * math.sqrt(n / (n - 1))) if n >= 2 else 0.0
    low, high = np.quantile(top / bottom, [expanded, 1 - expanded])
    value = np.median(np.concatenate([np.asarray(g, dtype=float) for g in numerator])) / np.median(
        np.concatenate([np.asarray(g, dtype=float) for g in denominator])
    )
    return Interval(float(value), float(low), float(high), confidence)


def _medians(groups: Groups, draws: int, random: np.random.Generator) -> np.ndarray:
    filled = [np.asarray(group, dtype=float) for group in groups if len(group)]
    if not filled:
        raise ValueError("a ratio needs samples on both sides")
    if len({len(group) for group in filled}) == 1:
        table = np.stack(filled)
        launches, repetitions = table.shape
        rows = random.integers(launches, size=(draws, launches))
        columns = random.integers(repetitions, size=(draws, launches, repetitions))
        return np.median(table[rows[:, :, None], columns].reshape(draws, -1), axis=1)
    result = np.empty(draws)
    for i in range(draws):
        rows = random.integers(len(filled), size=len(filled))
        result[i] = np.median(
            np.concatenate([random.choice(filled[row], size=len(filled[row])) for row in rows])
        )
    return result


def like_the_fastest(medians: Sequence[Interval]) -> list[bool]:
    """Say for each scheme whether its interval fails to tell it apart from the fastest."""
    if not medians:
        return []
    fastest = min(medians, key=lambda interval: interval.value)
    return [interval.overlaps(fastest) for interval in medians]
