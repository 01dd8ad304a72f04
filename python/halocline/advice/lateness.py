"""Which rank is late, and of what: it computes longer, or some of its steps take far longer.

A rank's own work is told from others' on its core by the time that it has had a processor, where
the recorder has asked for that: before long computing it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from halocline import statistics
from halocline.advice.recording import Rank, Recording, Shape
from halocline.statistics import Interval

LONGER = 0.02
"""Ranks whose computing differs by less are alike."""
BLOCKS = 20
"""Parts of a run that are compared, each by its median: steps beside each other are alike."""
LONG = 2.0
"""Computing that lasts longer than so many usual times is none of a usual step."""
KNOWN = 0.5
"""The share of computing for which the time on a processor must be known."""
SMALLEST = 0.01
"""The share of the run that long steps must take to be worth a word."""


@dataclass(frozen=True)
class Slow:
    """A rank that computes longer than the others in usual steps."""

    rank: int
    longer: Interval
    """Its computing over the median of the others, less 1."""
    by_processor: bool
    """Whether that is time on a processor, so that others on its core do not count."""


@dataclass(frozen=True)
class Long:
    """Steps of a rank that take far longer than its usual ones before they exchange."""

    rank: int
    every: int | None
    """So many steps from one to the next; None: they come at no regular distance."""
    share: float
    """What they take beyond usual steps, as a share of the run."""
    foreign: bool
    """Whether it was off its processor for most of that."""


def slowest(recording: Recording) -> Slow | None:
    """Return the rank that computes longest, if it does so clearly longer than the others."""
    ranks = recording.ranks
    if len(ranks) < 2:
        return None
    by_processor = all(_known(rank) for rank in ranks.values())
    steps = {number: _steps(rank, by_processor) for number, rank in ranks.items()}
    if len({len(some) for some in steps.values()}) == 1 and len(next(iter(steps.values()))) >= 6:
        usual = {number: median(some) for number, some in steps.items()}
        rank = max(usual, key=usual.__getitem__)
        others = [some for number, some in steps.items() if number != rank]
        rest = [median(values) for values in zip(*others)]
        if min([*rest, *steps[rank]]) <= 0:
            return None
        ratio = statistics.ratio_interval(_blocks(steps[rank]), _blocks(rest))
        longer = ratio.through(lambda value: value - 1)
        return Slow(rank, longer, by_processor) if longer.low >= LONGER else None
    computing = {number: rank.run.computing_s for number, rank in ranks.items()}
    rank = max(computing, key=computing.__getitem__)
    others_s = median(seconds for number, seconds in computing.items() if number != rank)
    longer_s = computing[rank] / others_s - 1 if others_s > 0 else 0.0
    alone = Interval(longer_s, longer_s, longer_s, 0.0)
    return Slow(rank, alone, by_processor=False) if longer_s >= LONGER else None


def longest(recording: Recording) -> Long | None:
    """Return the rank whose long steps take most of the run, if that is worth a word."""
    found = [one for rank in recording.ranks.values() if (one := _long(rank)) is not None]
    return max(found, key=lambda one: one.share, default=None)


def _known(rank: Rank) -> bool:
    return rank.run.timed > KNOWN * rank.run.computing_s > 0


def _main(rank: Rank) -> list[Shape]:
    """Return the shapes of a step: those that come as often as that before which most is done."""
    shapes = [one for one in rank.shapes.values() if one.befores]
    if not shapes:
        return []
    most = max(shapes, key=lambda one: one.before)
    return [
        one for one in shapes
        if one.times == most.times and len(one.befores) == len(most.befores)
    ]  # fmt: skip


def _steps(rank: Rank, by_processor: bool) -> list[float]:
    """Return the seconds of computing in steps that are spread evenly over the run."""
    series = []
    for one in _main(rank):
        known = one.processors if by_processor else []
        known = known if len(known) == len(one.befores) else [None] * len(one.befores)
        series.append([
            before if processor is None else min(before, processor)
            for before, processor in zip(one.befores, known)
        ])  # fmt: skip
    return [sum(values) for values in zip(*series)]


def _blocks(values: Sequence[float]) -> list[list[float]]:
    count = min(BLOCKS, len(values))
    ends = [len(values) * number // count for number in range(count + 1)]
    return [[median(values[first:last])] for first, last in zip(ends, ends[1:])]


def _long(rank: Rank) -> Long | None:
    shapes = _main(rank)
    if not shapes:
        return None
    one = max(shapes, key=lambda shape: shape.before)
    usual = median(one.befores)
    long = sorted(row for row in one.longest if row[1] > LONG * usual)
    if len(long) < 3 or rank.run.seconds <= 0:
        return None
    every = _period([number for number, _, _ in long])
    above = [seconds - usual for _, seconds, _ in long]
    seconds = sum(above)
    if len(long) == len(one.longest):  # there may be more of them than were kept
        whole = max(one.before - one.times * usual, seconds)
        seconds = one.times / every * seconds / len(long) if every else whole
    off = sum(time - min(time, on) for _, time, on in long if on is not None)
    share = seconds / rank.run.seconds
    if share < SMALLEST:
        return None
    return Long(rank.number, every, share, foreign=every is None and off > sum(above) / 2)


def _period(numbers: Sequence[int]) -> int | None:
    """Return the distance from one to the next; None if they are not multiples of one."""
    apart = [second - first for first, second in zip(numbers, numbers[1:])]
    least = min(apart)
    times = [round(one / least) for one in apart]
    even = all(abs(one / least - many) < 0.1 for one, many in zip(apart, times))
    every = round(sum(apart) / sum(times))
    return every if even and every > 1 else None
