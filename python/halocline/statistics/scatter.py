"""How samples scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Spread:
    """How samples scatter: percentiles, and how many are outliers."""

    percentiles: dict[int, float]
    """5, 25, 50, 75 and 95; between samples where there are fewer."""
    outliers: int
    """Beyond the quartiles by more than 1.5 times their distance (J. Tukey's fences)."""
    fences: tuple[float, float]


def spread(samples: Sequence[float]) -> Spread:
    """Return how samples scatter, as Hoefler and Belli advise (rule 8)."""
    ordered = np.asarray(samples, dtype=float)
    marks = (5, 25, 50, 75, 95)
    found = {mark: float(value) for mark, value in zip(marks, np.percentile(ordered, marks))}
    reach = 1.5 * (found[75] - found[25])
    low, high = found[25] - reach, found[75] + reach
    return Spread(found, int(((ordered < low) | (ordered > high)).sum()), (low, high))
