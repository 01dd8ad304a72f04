"""Into what a scheme's time divides: computing, and communicating, which is all the rest.

Only of programs whose results say what each repetition computed (`result.compute_s`), as matmul's
do. Time of communication that computing hides counts as computing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halocline import statistics
from halocline.measure.comparison.record import Setting
from halocline.measure.comparison.table import Row
from halocline.statistics import Interval


@dataclass(frozen=True)
class Division:
    """The medians of one scheme's repetitions that count, in seconds a repetition."""

    setting: Setting
    total: Interval
    computing: Interval
    communicating: Interval
    share: Interval
    """Communicating's part of the total."""


def divisions(rows: Sequence[Row]) -> list[Division]:
    """Return one for each row of a table; none where a result lacks what is needed."""
    found = []
    for row in rows:
        totals, computing = [], []
        for result in row.results:
            total = result.content["samples"]["total_s"]
            computed = result.content["result"].get("compute_s")
            if not isinstance(computed, list) or len(computed) != len(total):
                return []
            totals.append(list(row.warm_up.rest(total)))
            computing.append(list(row.warm_up.rest(computed)))
        rest = [[t - c for t, c in zip(*one)] for one in zip(totals, computing)]
        shares = [[r / t for r, t in zip(*one)] for one in zip(rest, totals)]
        medians = [
            statistics.grouped_median(groups) for groups in (totals, computing, rest, shares)
        ]
        found.append(Division(row.setting, *medians))
    return found
