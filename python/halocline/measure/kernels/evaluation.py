"""What launches say of the goals: ratios of speeds, shares of time, speeds, and who disagrees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Union

from halocline import statistics
from halocline.measure.kernels.cases import Kernel
from halocline.measure.kernels.goals import Goal
from halocline.measure.results import Launches, Result
from halocline.statistics import Interval


@dataclass(frozen=True)
class Line:
    """A goal and what was measured of it."""

    goal: Goal
    measured: Interval | None
    """Ratio of speeds or share of time; None where a kernel was left out or failed."""
    scheme: str = ""
    """The best one, where there was a choice."""

    @property
    def verdict(self) -> str:
        """Say what the median reaches: `aim`, `enough`, `short` or `not measured`."""
        if self.measured is None:
            return "not measured"
        value, goal = self.measured.value, self.goal
        sign = -1 if goal.is_share else 1
        if sign * value >= sign * goal.aim:
            return "aim"
        return "enough" if sign * value >= sign * goal.at_least else "short"


@dataclass(frozen=True)
class Speed:
    """What one kernel reaches."""

    kernel: Kernel
    rate: Interval
    """Million points updated in a second; for streams gigabytes copied in a second."""
    launches: int
    sweeps: int
    """That it took, in a repetition."""


def speeds(found: dict[str, list[Result]], all_kernels: Iterable[Kernel]) -> list[Speed]:
    """Return the speed of every kernel that was measured, with intervals that respect launches."""
    rows = []
    for kernel in all_kernels:
        runs = found.get(kernel.name, [])
        if groups := Launches.alone(runs).groups:
            groups = [[kernel.amount / s for s in group] for group in groups]
            median = statistics.grouped_median(groups)
            rows.append(Speed(kernel, median, len(runs), runs[0].steps))
    return rows


def evaluate(
    found: dict[str, list[Result]], all_kernels: Iterable[Kernel], all_goals: Iterable[Goal]
) -> list[Line]:
    """Return the table: for every goal its ratio or share, with an interval.

    Parameters
    ----------
    found
        The result files of every kernel, by its name, one for each launch.
    """
    by_name = {kernel.name: kernel for kernel in all_kernels}

    def seconds_per_update(name: str) -> list[list[float]]:
        kernel = by_name[name]
        return [[s / kernel.updates for s in group] for group in Launches.alone(found[name]).groups]

    def share(name: str) -> Interval | None:
        shares = [1 - run.shares["compute_s"] for run in found.get(name, []) if run.shares]
        return statistics.median_interval(shares) if shares else None

    lines = []
    for goal in all_goals:
        measured, scheme = None, ""
        if goal.is_share:
            choice = {name: share(name) for name in (goal.of, *goal.others)}
            known = {name: interval for name, interval in choice.items() if interval}
            if known:
                best = min(known, key=lambda name: known[name].value)
                measured = known[best]
                scheme = found[best][0].scheme
        elif found.get(goal.of) and found.get(goal.against):
            measured = statistics.ratio_interval(
                seconds_per_update(goal.against), seconds_per_update(goal.of)
            )
        lines.append(Line(goal, measured, scheme))
    return lines


def disagreements(found: dict[str, list[Result]], all_kernels: Iterable[Kernel]) -> list[str]:
    """Name the kernels that solved the same problem with different results."""
    problems: dict[tuple[Any, ...], dict[str, set[str]]] = {}
    for kernel in all_kernels:
        for run in found.get(kernel.name, []):
            if kernel.method != "stream":
                sums = problems.setdefault(kernel.problem, {}).setdefault(kernel.name, set())
                sums.add(str(run.found("checksum", Union[str, int])))
    return [
        ", ".join(names) for names in problems.values() if len(set().union(*names.values())) > 1
    ]
