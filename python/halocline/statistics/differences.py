"""Which schemes differ in speed: permutation tests within rounds, corrected for many comparisons.

Every round launches each scheme once, in random order: a randomised block design, with rounds for
blocks and the launch for its unit (repetitions within a launch are not independent; S. Hunold and
A. Carpen-Amarie, *Reproducible MPI Benchmarking is Still Not as Easy as You Think*, IEEE TPDS 27,
2016). Schemes that do not differ could have swapped their times in any round. So the times of a
round, less its median, are ranked among those of all rounds (the aligned ranks of J. Hodges and
E. Lehmann, Ann. Math. Statist. 33, 1962), and what is seen is compared with what swapping within
rounds would give. Nothing is assumed of how times scatter, and what slows a whole round cancels.

Many comparisons are corrected by the largest difference of all (the maximum statistic of
P. Westfall and S. Young, *Resampling-Based Multiple Testing*, 1993), step by step: what differs
most is tested among all, and, where it does differ, the rest without it. Each step must besides
find the two schemes themselves different, as closed testing wants (R. Marcus et al., Biometrika 63,
1976); this keeps the promise where one scheme scatters much more than others. Two schemes alone are
compared by signed ranks. docs/explanation/statistics.md says what follows, and what it was chosen
against.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from halocline.statistics.intervals import Groups, rank_sums, signed_sums

LEVEL = 0.05
"""The chance of one false claim or more in a table."""
DRAWS = 2000
"""Random permutations of many schemes; two schemes are permuted in all ways."""


def blocks(schemes: Sequence[Groups]) -> np.ndarray:
    """Return the logarithm of every launch's median, a row for each round, a column a scheme.

    Parameters
    ----------
    schemes
        For each scheme its samples, grouped by launch: the first launch of round 1, and so on. A
        scheme that failed midway has fewer launches; its later rounds are NaN.
    """
    table = np.full((max(map(len, schemes), default=0), len(schemes)), np.nan)
    for column, groups in enumerate(schemes):
        for row, group in enumerate(groups):
            table[row, column] = math.log(np.median(group))
    return table


def as_fast_as_the_fastest(table: np.ndarray, *, draws: int = DRAWS, seed: int = 1) -> np.ndarray:
    """Return, for each scheme, the p-value of its being as fast as the fastest one.

    Up to `LEVEL`, the scheme is slower than the fastest, whichever that may be: all schemes of the
    table stand for it, so that its choice needs no correction of its own. The chance that any
    scheme as fast as the fastest gets such a p-value is at most `LEVEL`. The others cannot be told
    apart from the fastest; at least one is left.

    Parameters
    ----------
    table
        As returned by `blocks`.
    draws, seed
        Of the random permutations: the same table gives the same p-values.
    """
    return _step_down(table, None, draws, seed)


def as_fast_as(base: int, table: np.ndarray, *, draws: int = DRAWS, seed: int = 1) -> np.ndarray:
    """Return, for each scheme, the p-value of its being as fast as the scheme in column `base`.

    Two-sided, and corrected for the number of schemes: the chance that any scheme as fast as the
    base gets a p-value up to `LEVEL` is at most `LEVEL`. Where there are rounds enough, every
    scheme is compared with the base alone and the p-values are `corrected`; else all are permuted
    together, which finds less, but something. Parameters as above.
    """
    others = [column for column in range(table.shape[1]) if column != base]
    if 2.0 ** (1 - len(table)) * len(others) > LEVEL:
        return _step_down(table, base, draws, seed)
    found = np.ones(table.shape[1])
    found[others] = corrected([_pair(table[:, [base, column]]) for column in others])
    return found


def unpaired(first: Groups, second: Groups) -> float:
    """Return the exact two-sided p-value of two that were in no rounds together: their rank sums.

    Parameters
    ----------
    first, second
        Samples grouped by launch; a launch counts once, by its median.
    """
    a, b = ([math.log(np.median(group)) for group in groups if len(group)]
            for groups in (first, second))  # fmt: skip
    apart = np.round(np.subtract.outer(a, b), 12)
    below = float((apart < 0).sum() + (apart == 0).sum() / 2)
    extreme = math.floor(max(below, apart.size - below))  # of ties halves count less
    return min(1.0, 2 * float(rank_sums(len(a), len(b))[extreme:].sum()))


def corrected(p_values: Sequence[float]) -> list[float]:
    """Return p-values that hold for all claims together (S. Holm, Scand. J. Statist. 6, 1979)."""
    found = [1.0] * len(p_values)
    reached = 0.0
    for place, number in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        reached = max(reached, min(1.0, p_values[number] * (len(p_values) - place)))
        found[number] = reached
    return found


def _pair(table: np.ndarray) -> float:
    """Return the exact two-sided p-value of two columns; rounds of one alone do not count."""
    ranks = _aligned_ranks(table[~np.isnan(table).any(axis=1)])
    # Twice the ranks: those of ties are halves.
    scores = np.rint(2 * (ranks[:, 1] - ranks[:, 0])).astype(int)
    positive, total = scores[scores > 0].sum(), np.abs(scores).sum()
    extreme = max(positive, total - positive)
    return min(1.0, 2 * float(signed_sums(np.abs(scores))[extreme:].sum()))


def _step_down(table: np.ndarray, base: int | None, draws: int, seed: int) -> np.ndarray:
    """Remove one scheme after another as long as it differs; return adjusted p-values."""
    random = np.random.default_rng(seed)
    left = [column for column in range(table.shape[1]) if not np.isnan(table[:, column]).all()]
    found = np.ones(table.shape[1])
    reached = 0.0
    while len(left) > 1 and (base is None or base in left):
        at = None if base is None else left.index(base)
        p, worst, other = _together(table[:, left], at, draws, random)
        pair = table[:, [left[worst], left[other]]]
        alone = _pair(pair)
        if len(left) == 2:
            p = alone
        # Below 6 rounds two schemes alone cannot reach the level; then all rounds must agree.
        rounds = int((~np.isnan(pair).any(axis=1)).sum())
        if alone > max(LEVEL, 2.0 ** (1 - rounds)):
            p = max(p, alone)
        reached = max(reached, p)
        if reached > LEVEL:
            found[left] = reached
            break
        found[left.pop(worst)] = reached
    if base is not None:
        found[base] = 1.0
    return found


def _together(
    table: np.ndarray, base: int | None, draws: int, random: np.random.Generator
) -> tuple[float, int, int]:
    """Test whether all columns are alike.

    Returns
    -------
    The p-value, the column that differs most (is slowest, without a base), and the one it differs
    from.
    """
    ranks = _aligned_ranks(table[~np.isnan(table).all(axis=1)])
    counts = (~np.isnan(ranks)).sum(axis=0)
    seen = _differences(np.nansum(ranks, axis=0) / counts, counts, base)
    worst, other = np.unravel_index(np.argmax(seen), seen.shape)
    sums = np.zeros((draws, len(counts)))
    for row in ranks:
        present = np.flatnonzero(~np.isnan(row))
        sums[:, present] += random.permuted(np.tile(row[present], (draws, 1)), axis=1)
    extreme = _differences(sums / counts, counts, base).max(axis=(1, 2)) >= seen.max() - 1e-9
    # A random permutation may be the one seen (B. Phipson and G. Smyth, SAGMB 9, 2010).
    return float((1 + extreme.sum()) / (1 + draws)), int(worst), int(other)


def _aligned_ranks(table: np.ndarray) -> np.ndarray:
    """Rank all values together, each less the median of its row; NaN stays."""
    from scipy.stats import rankdata  # scipy takes longer to import than most commands to answer

    # Equal times must give equal differences, whatever rounding does.
    centred = np.round(table - np.nanmedian(table, axis=1, keepdims=True), 12)
    known = ~np.isnan(centred)
    ranks = np.full(table.shape, np.nan)
    ranks[known] = rankdata(centred[known])
    return ranks


def _differences(means: np.ndarray, counts: np.ndarray, base: int | None) -> np.ndarray:
    """Return how much slower each column is than each other (or how far from the base).

    In units of what as many launches let expect; equal numbers of launches weigh alike.
    """
    weights = 1 / np.sqrt(1 / counts[:, None] + 1 / counts)
    if base is None:
        return (means[..., :, None] - means[..., None, :]) * weights
    apart = np.zeros((*means.shape, means.shape[-1]))
    apart[..., base] = np.abs(means - means[..., [base]]) * weights[base]
    return apart
