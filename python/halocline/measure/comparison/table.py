"""What the launches of a comparison say: a line for each setting, and which of them differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from halocline import statistics
from halocline.measure import results
from halocline.measure.comparison.record import Comparison, Setting
from halocline.measure.results import Launches, Result
from halocline.statistics import LEVEL, Interval, Spread, WarmUp

BASELINE = "p2p:nonblocking"
"""The scheme that all others are compared with, where it was measured."""


@dataclass(frozen=True)
class Row:
    """One line of the table: what the launches of one setting say."""

    setting: Setting
    results: list[Result]
    groups: list[list[float]]
    """The samples: seconds per step of the repetitions that count, a list for each launch."""
    warm_up: WarmUp
    median: Interval
    """Seconds per step."""
    spread: Spread
    """The spread of all samples together."""
    ratio: Interval | None
    """Time relative to the baseline, below 1 when faster; None for want of a baseline."""
    shares: dict[str, float]
    """Median share of the time in each phase."""
    p_fastest: float
    """For being as fast as the fastest scheme, corrected for the number of schemes."""
    p_baseline: float | None
    """For being as fast as the baseline, corrected; None for the baseline or for want of one."""
    disturbed: int
    """Launches with interference, or with cores elsewhere than usual."""
    rivals: int = 0
    """How many other schemes cannot be told apart from the fastest; 0 if this one itself can."""
    fastest: bool = False
    """Whether its median is the smallest of those that cannot be told apart from the fastest."""

    @property
    def like_fastest(self) -> bool:
        """Whether it cannot be told apart from the fastest scheme, or is that."""
        return self.p_fastest > LEVEL

    @property
    def verdict(self) -> str:
        """`fastest`; `among the fastest` where several are; empty for a slower one."""
        if not self.like_fastest:
            return ""
        return "among the fastest" if self.rivals else "fastest"

    @property
    def against_baseline(self) -> str:
        """`faster`, `slower` or `no difference`; empty where nothing can be compared or told."""
        if self.p_baseline is None or self.ratio is None or not self.ratio.there:
            return ""
        if self.p_baseline > LEVEL:
            return "no difference"
        return "faster" if self.ratio.value < 1 else "slower"

    def summary(self) -> dict[str, Any]:
        """Return what the comparison's file says of it."""
        return {
            **asdict(self.setting),
            "launches": len(self.groups),
            "samples": sum(map(len, self.groups)),
            "disturbed": self.disturbed,
            "warm_up": asdict(self.warm_up),
            "median_s": self.median.told(),
            "percentiles_s": {str(mark): value for mark, value in self.spread.percentiles.items()},
            "outliers": self.spread.outliers,
            "ratio": None if self.ratio is None else self.ratio.told(),
            "p_fastest": self.p_fastest,
            "verdict": self.verdict or "slower",
            "p_baseline": self.p_baseline,
            "against_baseline": self.against_baseline,
        }


def tabulate(comparison: Comparison) -> dict[tuple[str, int], list[Row]]:
    """Return, for each case and number of ranks, first those like the fastest, each by medians."""
    tables: dict[tuple[str, int], list[Row]] = {}
    measured: dict[tuple[str, int], dict[Setting, list[Result]]] = {}
    for setting, runs in comparison.measured().items():
        measured.setdefault((setting.case, setting.ranks), {})[setting] = runs
    found = {
        key: dict(zip(settings, Launches.compared(list(settings.values()))))
        for key, settings in measured.items()
    }
    disturbed = Counter(launch.setting for launch in comparison.disturbed())
    order = [case.name for case in comparison.cases]
    for key in sorted(found, key=lambda key: (order.index(key[0]), key[1])):
        settings = list(found[key])
        groups = [found[key][setting].groups for setting in settings]
        table = statistics.blocks(groups)
        p_fastest = statistics.as_fast_as_the_fastest(table)
        names = [setting.scheme for setting in settings]
        base = names.index(BASELINE) if BASELINE in names else None
        p_baseline = None if base is None else statistics.as_fast_as(base, table)
        rows = [
            Row(
                setting,
                found[key][setting].results,
                groups[i],
                found[key][setting].warm_up,
                statistics.grouped_median(groups[i]),
                statistics.spread([value for group in groups[i] for value in group]),
                None if base is None else statistics.ratio_interval(groups[i], groups[base]),
                _shares(found[key][setting].results),
                float(p_fastest[i]),
                None if p_baseline is None or i == base else float(p_baseline[i]),
                disturbed[setting],
            )
            for i, setting in enumerate(settings)
        ]
        rows.sort(key=lambda row: (not row.like_fastest, row.median.value))
        alike = sum(row.like_fastest for row in rows)
        tables[key] = [
            replace(row, rivals=alike - 1 if row.like_fastest else 0, fastest=row is rows[0])
            for row in rows
        ]
    return tables


def _shares(found: list[Result]) -> dict[str, float]:
    known = [result.shares for result in found if result.shares]
    if not known:
        return {}
    middle = {name: float(np.median([row[name] for row in known])) for name in results.PHASES}
    total = sum(middle.values())
    return {name: value / total for name, value in middle.items()} if total else {}
