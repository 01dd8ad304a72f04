"""What visits allow to be said: whether a prediction is right, wrong, or too fine to tell.

All that applications differ by is taken within a turn, between solutions whose cores lay alike; the
interval over the turns is Hodges and Lehmann's with Wilcoxon's test. A prediction is judged by the
whole interval, so that noise makes neither a right one wrong nor a wrong one right.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from halocline.measure.validation.record import LEFT_OUT, Validation, Visit
from halocline.measure.validation.settings import AUTO, BASELINE, SCHEMES
from halocline.statistics import Interval, ratio_interval, shift_interval

PART, LEAST_S = 0.2, 0.3e-6
"""A difference is predicted if it is right to this part of it, or to so many seconds a step."""
CLOSE = 1.03
"""So many times as long as another scheme is as good."""
AGAIN = "again"
"""The second launch of the baseline."""
RIGHT, WRONG, UNDECIDED = "right", "wrong", "undecided"
VERDICTS = (RIGHT, WRONG, UNDECIDED)
HOLDS = 0.9499
"""What an interval must hold to decide anything."""


def judged(predicted: Interval | None, felt: Interval) -> str | None:
    """Say whether a prediction is what the application feels.

    It is right where all values of the two intervals agree to `PART` or `LEAST_S`, wrong where none
    do, and else undecided; so it is, too, where turns are too few for an interval.
    """
    if predicted is None:
        return None
    if felt.confidence < HOLDS:
        return UNDECIDED

    def bounds(value: float) -> tuple[float, float]:
        """Return from where to where what is felt may be for this value to predict it."""
        by_part = sorted((value / (1 - PART), value / (1 + PART)))
        return min(value - LEAST_S, by_part[0]), max(value + LEAST_S, by_part[1])

    (low, below), (above, high) = bounds(predicted.low), bounds(predicted.high)
    if felt.low > high or felt.high < low:
        return WRONG
    return RIGHT if above <= felt.low and felt.high <= below else UNDECIDED


def close(times: Interval) -> str:
    """Say whether something takes at most `CLOSE` times as long as something else."""
    if times.confidence < HOLDS:
        return UNDECIDED
    return RIGHT if times.high <= CLOSE else WRONG if times.low > CLOSE else UNDECIDED


@dataclass(frozen=True)
class Difference:
    """How many seconds two schemes differ by in a step, and what was predicted."""

    one: str
    other: str
    application: Interval
    felt: Interval | None
    tuner: Interval | None

    @property
    def felt_verdict(self) -> str | None:
        """Whether felt time predicts it; None where it was not measured."""
        return judged(self.felt, self.application)

    @property
    def tuner_verdict(self) -> str | None:
        """Whether the tuner's figures predict it; None where it has dropped one at once."""
        return judged(self.tuner, self.application)


@dataclass(frozen=True)
class Row:
    """What all visits of one setting in one state of the machine say."""

    setting: str
    mpi: str
    cores: str
    distance_s: float
    turns: int
    """In which some scheme was measured in this state."""
    step_s: dict[str, float]
    """By scheme, `auto` among them; medians."""
    same: Interval | None
    """How many times as long as the baseline the baseline takes: what no scheme causes."""
    times: dict[str, Interval]
    """How many times as long as the baseline the other schemes take."""
    auto: dict[str, Interval]
    """How many times as long as each scheme `auto` takes."""
    chosen: dict[str, int]
    """What `auto` chose, and how often."""
    differences: list[Difference] = field(default_factory=list)
    """Between all pairs of schemes."""

    @property
    def best(self) -> str:
        """The scheme that takes the least time."""
        return min((s for s in self.step_s if s != AUTO), key=lambda s: self.step_s[s])

    @property
    def auto_verdict(self) -> str | None:
        """Whether `auto` is `CLOSE` to every scheme."""
        found = {close(times) for times in self.auto.values()}
        if not found:
            return None
        return WRONG if WRONG in found else UNDECIDED if UNDECIDED in found else RIGHT

    def slower(self, family: str) -> dict[str, str]:
        """Say of the schemes of a family whether they are `CLOSE` to the baseline."""
        return {s: close(t) for s, t in self.times.items() if s.startswith(family)}

    def against_baseline(self) -> list[Difference]:
        """Return the differences to messages, the usual way."""
        return [d for d in self.differences if d.other == BASELINE]


def rows(found: Validation) -> list[Row]:
    """Return what was found, setting by setting and state by state of the cores."""
    visits: dict[tuple[str, str], list[Visit]] = {}
    for visit in found.visits:
        visits.setdefault((visit.setting, visit.mpi), []).append(visit)
    every = []
    for (setting, mpi), own in visits.items():
        states = {one.conditions.cores for visit in own for one in visit.solutions}
        made = [_row(setting, mpi, cores, own) for cores in sorted(states.difference(LEFT_OUT))]
        every += [row for row in made if row is not None]
    return every


def _turns(visit: Visit, cores: str) -> list[dict[str, float]]:
    """Return seconds of a step by scheme, turn by turn, of solutions in one state of the cores.

    The baseline's second solution stands apart.
    """
    found: dict[int, dict[str, float]] = {}
    for one in visit.solutions:
        if one.conditions.cores == cores:
            turn = found.setdefault(one.turn, {})
            turn[AGAIN if one.scheme in turn else one.scheme] = one.step_s
    return list(found.values())


def _differences(tables: Iterable[dict[str, float]], one: str, other: str) -> list[float]:
    return [table[one] - table[other] for table in tables if one in table and other in table]


def _predicted(tables: Sequence[dict[str, float]], one: str, other: str,
               depth: int) -> Interval | None:  # fmt: skip
    found = _differences(tables, one, other)
    # An exchange serves `depth` steps.
    return shift_interval([value / depth for value in found]) if found else None


def _times(tables: Sequence[dict[str, float]], one: str, other: str) -> Interval | None:
    both = [table for table in tables if one in table and other in table]
    if not both:
        return None
    return ratio_interval([[table[one]] for table in both], [[table[other]] for table in both])


def _row(setting: str, mpi: str, cores: str, visits: list[Visit]) -> Row | None:
    depth = visits[0].depth
    steps = [turn for visit in visits for turn in _turns(visit, cores)]

    def in_state(measured: str) -> list[Any]:
        every = [one for visit in visits for one in getattr(visit, measured)]
        return [one for one in every if one.conditions.cores == cores]

    felt, choices = in_state("felt"), in_state("choices")
    distances = [d for one in in_state("solutions") for d in one.conditions.distances_s]
    measured = [s for s in (*SCHEMES, AUTO) if any(s in table for table in steps)]
    schemes = [s for s in measured if s != AUTO]
    if not schemes:
        return None
    differences = []
    for other, one in itertools.combinations(schemes, 2):
        application = _differences(steps, one, other)
        if application:
            predicted = (
                _predicted([each.seconds for each in source], one, other, depth)
                for source in (felt, choices)
            )
            differences.append(Difference(one, other, shift_interval(application), *predicted))

    def all_times(one: Iterable[str], other: Iterable[str]) -> dict[tuple[str, str], Interval]:
        found = {(a, b): _times(steps, a, b) for a in one for b in other if a != b}
        return {pair: times for pair, times in found.items() if times is not None}

    chosen = [one.scheme for one in choices]
    return Row(
        setting, mpi, cores, median(distances or [0.0]),
        len(steps),
        {s: median(table[s] for table in steps if s in table) for s in measured},
        _times(steps, AGAIN, BASELINE),
        {one: times for (one, _), times in all_times(schemes, [BASELINE]).items()},
        {other: times for (_, other), times in all_times([AUTO], schemes).items()},
        {scheme: chosen.count(scheme) for scheme in sorted(set(chosen))}, differences,
    )  # fmt: skip


def counted(verdicts: Iterable[str | None]) -> dict[str, int]:
    """Return how often each verdict was given."""
    known = list(verdicts)
    return {verdict: known.count(verdict) for verdict in VERDICTS}


def summary(every: Sequence[Row]) -> dict[str, Any]:
    """Return how many differences were predicted, and how good `auto` and shared memory were."""
    differences = [d for row in every for d in row.differences]
    same = [row.same for row in every if row.same is not None and row.same.confidence >= HOLDS]
    return {
        "rows": len(every),
        "pairs": len(differences),
        "felt": counted(d.felt_verdict for d in differences),
        "tuner": counted(d.tuner_verdict for d in differences),
        "auto": counted(row.auto_verdict for row in every),
        "shm": counted(v for row in every for v in row.slower("shm:").values()),
        "same_rows": len(same),
        "same_holds_one": sum(one.low <= 1 <= one.high for one in same),
        "same_half_width": median((one.high - one.low) / 2 for one in same) if same else None,
    }


def said(every: Sequence[Row]) -> list[str]:
    """Return the summary in sentences."""
    all_of = summary(every)

    def three(name: str) -> str:
        return ", ".join(f"{count} {verdict}" for verdict, count in all_of[name].items())

    within = f"{100 * (CLOSE - 1):.0f} %"
    lines = [
        f"Differences between two schemes, to {100 * PART:.0f} % or {1e6 * LEAST_S:.1f} µs a step: "
        f"felt time {three('felt')}; the tuner's figures {three('tuner')}.",
        f"auto within {within} of every scheme: {three('auto')}, of {all_of['rows']} rows.",
        f"Schemes of shared memory at most {within} slower than {BASELINE}: {three('shm')}.",
    ]
    if all_of["same_half_width"] is not None:
        lines.append(
            f"{BASELINE} against itself: known to ±{100 * all_of['same_half_width']:.1f} % in the "
            f"median of {all_of['same_rows']} rows; "
            f"{all_of['same_holds_one']} of these intervals hold 1."
        )
    return lines
