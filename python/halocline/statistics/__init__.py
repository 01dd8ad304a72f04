"""What samples allow to be said: medians, ratios and their intervals, warm-ups, and differences.

Samples come grouped by launch, because repetitions of one launch resemble each other. Nothing here
knows of programs, schemes or MPI.
"""

from halocline.statistics.differences import (
    LEVEL,
    as_fast_as,
    as_fast_as_the_fastest,
    blocks,
    corrected,
    unpaired,
)
from halocline.statistics.intervals import (
    LEAST_LAUNCHES,
    Groups,
    Interval,
    effective_samples,
    grouped_median,
    median_interval,
    proportion_interval,
    range_of_launches,
    rank_sums,
    ratio_interval,
    shift_interval,
    signed_sums,
    unpaired_ratio_interval,
)
from halocline.statistics.scatter import Spread, spread
from halocline.statistics.warming import LEAST_FOR_WARM_UP, WarmUp, warm_up

__all__ = [
    "LEAST_FOR_WARM_UP",
    "LEAST_LAUNCHES",
    "LEVEL",
    "Groups",
    "Interval",
    "Spread",
    "WarmUp",
    "as_fast_as",
    "as_fast_as_the_fastest",
    "blocks",
    "corrected",
    "effective_samples",
    "grouped_median",
    "median_interval",
    "proportion_interval",
    "range_of_launches",
    "rank_sums",
    "ratio_interval",
    "shift_interval",
    "signed_sums",
    "spread",
    "unpaired",
    "unpaired_ratio_interval",
    "warm_up",
]
