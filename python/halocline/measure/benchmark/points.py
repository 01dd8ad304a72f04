"""What the launches of a benchmark say together, scheme by scheme."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from halocline import statistics
from halocline.measure import distance
from halocline.statistics import Interval
from halocline.tables import flat

SHARES = (
    "hidden_at_sender", "hidden_at_receiver", "waited_for_target", "kept_bytes",
    "times_fixed", "times_lists", "times_out",
)  # fmt: skip
"""What kinds add to a setting: `overlap`, `progress`, `setup`, `neighbors` and `reverse`."""


@dataclass(frozen=True)
class Point:
    """What all launches say about one scheme under one set of parameters."""

    ranks: int
    scheme: str
    parameters: dict[str, Any]
    bytes: float
    median: Interval
    """Seconds of a step; where it is felt, until the halo is there."""
    p5: float
    p95: float
    launches: int
    samples: int
    narrow: bool
    """Whether every launch reached the width asked for, rather than the end of its budget."""
    shares: dict[str, Interval] = field(default_factory=dict)
    """What the kind adds: the median over launches, with an interval that holds theirs."""
    disturbed: int = 0
    """Samples in which some rank was made to give up its core."""
    moved: list[str] = field(default_factory=list)
    """For each launch whose cores moved or were not as far apart as usual, how."""
    felt: Interval | None = None
    """Seconds that it adds to a step of a loop that writes its cells and reads its halos; None
    where the kind has no such loop."""

    @property
    def first(self) -> Interval:
        """The figure to compare by: the time that is felt, where it is known."""
        return self.felt or self.median

    @property
    def gb_s(self) -> Interval | None:
        """Gigabytes that the busiest rank sends in a second."""
        if not self.bytes or not self.median.low:
            return None
        return self.median.through(lambda seconds: 1e-9 * self.bytes / seconds)

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table: parameters and shares in columns of their own."""
        row: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "parameters":
                row.update(value)
            elif one.name == "shares":
                row.update({name: share.told() for name, share in value.items()})
            elif isinstance(value, Interval):
                row[f"{one.name}_s"] = value.told()
            elif one.name in ("p5", "p95"):
                row[f"{one.name}_s"] = value
            else:
                row[one.name] = len(value) if isinstance(value, list) else value
        row["gb_s"] = None if self.gb_s is None else self.gb_s.told()
        return flat(row)


def points_of(contents: Sequence[dict[str, Any]]) -> list[Point]:
    """Put together what files of halometer say, in the order in which halometer names it."""
    rows: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for content in contents:
        for setting in content["settings"]:
            if "left_out" not in setting:
                key = json.dumps([content["ranks"], setting["scheme"], setting["parameters"]])
                rows.setdefault(key, []).append((content["ranks"], setting))
    ordinary = {
        ranks: distance.usual(
            setting.get("core_distance_s", [])
            for found in rows.values()
            for count, setting in found
            if count == ranks
        )
        for ranks in {found[0][0] for found in rows.values()}
    }
    return [
        _point(found[0][0], [setting for _, setting in found], ordinary[found[0][0]])
        for found in rows.values()
    ]


def _point(ranks: int, settings: list[dict[str, Any]], ordinary: float | None) -> Point:
    groups = [setting["samples_s"][setting["warm_up"] :] for setting in settings]
    ordered = sorted(value for group in groups for value in group)
    first = settings[0]
    odd = [distance.oddity(setting.get("core_distance_s", []), ordinary) for setting in settings]
    return Point(
        ranks,
        first["scheme"],
        first["parameters"],
        first["bytes"],
        statistics.grouped_median(groups),
        ordered[int(0.05 * (len(ordered) - 1))],
        ordered[-1 - int(0.05 * (len(ordered) - 1))],
        len(settings),
        len(ordered),
        all(setting["narrow"] for setting in settings),
        {name: _share(name, settings) for name in SHARES if all(name in one for one in settings)},
        sum(len(setting.get("disturbed", [])) for setting in settings),
        [how for how in odd if how],
        _felt(settings),
    )


def _felt(settings: list[dict[str, Any]]) -> Interval | None:
    """Return the median difference between the loop with the exchange and without."""
    if not all({"with_s", "without_s"} <= setting.keys() for setting in settings):
        return None
    return statistics.grouped_median(
        [
            np.subtract(setting["with_s"], setting["without_s"])[setting["warm_up"] :]
            for setting in settings
        ]
    )


def _share(name: str, settings: list[dict[str, Any]]) -> Interval:
    known = all(f"{name}_interval" in setting for setting in settings)
    return statistics.range_of_launches([
        Interval(
            setting[name], *setting.get(f"{name}_interval", 2 * (setting[name],)),
            0.95 if known else 0.0,
        )
        for setting in settings
    ])  # fmt: skip
