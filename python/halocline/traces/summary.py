"""What a trace says in a few lines: where the time of each scheme goes, and who is to blame."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from halocline.errors import HaloclineError
from halocline.figures import digits, percent, scale
from halocline.statistics import Interval
from halocline.traces.drift import spread
from halocline.traces.file import NUMBER, Rank, Trace
from halocline.traces.messages import ages
from halocline.traces.path import critical_path, shares
from halocline.traces.waits import REDUCTION, Analysis

REDUCTIONS = "reductions"
SMALLEST = 0.005
"""A share of the time that is worth a word."""


@dataclass(frozen=True)
class Part:
    """A part of what a scheme loses."""

    name: str
    share: float
    """Part of all ranks' time."""
    culprit: int | None = None
    """The rank that is behind most of a wait state."""

    def __str__(self) -> str:
        behind = "" if self.culprit is None else f" behind rank {self.culprit}"
        return f"{percent(self.share)} {self.name}{behind}"


@dataclass(frozen=True)
class Loss:
    """What a scheme, or the reductions, take of all ranks' time."""

    what: str
    share: float
    parts: tuple[Part, ...]
    """The largest first; without those that are not worth a word."""

    def __str__(self) -> str:
        """Return a sentence: 'rma:put:fence loses 31 % here: 24 % wait at fence behind rank 3'."""
        told = ", ".join(map(str, self.parts))
        verb = "lose" if self.what == REDUCTIONS else "loses"
        return f"{self.what} {verb} {percent(self.share)} here" + (f": {told}" if told else "")


@dataclass(frozen=True)
class Copies:
    """What went between hosts and devices by one way."""

    way: str
    """`to host`, `to device` or `between devices`."""
    count: int
    bytes: int
    share: float
    """Part of all ranks' time."""

    def __str__(self) -> str:
        """Return a sentence: 'copies to host: 40 of 1.2 MB in all, 3.1 % of the time'."""
        return (
            f"copies {self.way}: {self.count} of {1e-6 * self.bytes:.3g} MB in all, "
            f"{percent(self.share)} of the time"
        )


@dataclass(frozen=True)
class Slower:
    """Computing that takes longer in one trace than in another."""

    region: str
    times: float
    """Median duration here over that there."""


def losses(trace: Trace, analysis: Analysis | None = None) -> list[Loss]:
    """Return what each scheme takes, the most costly first; what is computing is no loss."""
    analysis = analysis or Analysis(trace)
    all_ns = max(trace.end - trace.begin, 1) * len(trace.ranks)
    spent: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    copied: dict[tuple[str, str], int] = defaultdict(int)
    for rank in trace.ranks:
        for number, one in enumerate(rank.exchanges, 1):
            mine = rank.main[rank.main["exchange"] == number]
            what = REDUCTIONS if _is_reduction(mine) else one.name
            for name in ("begin step", "end step", "reduce"):
                spent[what]["all"] += _length(mine, name)
                if one.within:
                    spent[one.within.name]["all"] -= _length(mine, name)
            packing = sum(_length(mine, name) for name in ("pack", "unpack"))
            spent[what]["packing"] += packing
            spent[what]["calls"] += _length(mine, "transfer")
            for way, some in _copies(rank, mine).items():
                copied[what, way] += int((some["end"] - some["begin"]).sum())
    waited: dict[tuple[str, str], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for state in analysis.states:
        what = REDUCTIONS if state.name == REDUCTION else state.exchange.name
        waited[what, state.name][state.culprit] += state.end - state.begin
    found = []
    for what, times in spent.items():
        if not times["all"]:
            continue
        parts = [
            Part(name, sum(by.values()) / all_ns, max(by, key=by.__getitem__))
            for (of, name), by in waited.items()
            if of == what
        ]
        parts.append(Part("packing", times["packing"] / all_ns))
        parts += [
            Part(f"copies {way}", ns / all_ns) for (of, way), ns in copied.items() if of == what
        ]
        rest = times["all"] / all_ns - sum(part.share for part in parts)
        parts.append(Part("transfers and calls", rest))
        worth = sorted((p for p in parts if p.share >= SMALLEST), key=lambda part: -part.share)
        found.append(Loss(what, times["all"] / all_ns, tuple(worth)))
    return sorted(found, key=lambda loss: -loss.share)


def copies(trace: Trace) -> list[Copies]:
    """Return what was copied between hosts and devices: which way bytes really went."""
    all_ns = max(trace.end - trace.begin, 1) * len(trace.ranks)
    found: dict[str, list[np.ndarray]] = defaultdict(list)
    for rank in trace.ranks:
        for way, some in _copies(rank, rank.main).items():
            found[way].append(some)
    together = {way: np.concatenate(some) for way, some in found.items()}
    return [
        Copies(
            way, len(some), int(some["bytes"].sum()),
            int((some["end"] - some["begin"]).sum()) / all_ns,
        )
        for way, some in together.items()
    ]  # fmt: skip


def slower(trace: Trace, reference: Trace) -> list[Slower]:
    """Compare computing with that of another run: what the exchange before it does to it.

    Stores into lines that a peer has read take longer; no clock around the exchange shows that.
    Both runs must solve the same problem on as many ranks.
    """
    there = _medians(reference)
    here = _medians(trace)
    return [Slower(name, here[name] / there[name]) for name in here if there.get(name)]


def told(trace: Trace, reference: Trace | None = None) -> list[str]:
    """Return a trace in sentences."""
    analysis = Analysis(trace)
    lines = [f"{len(trace.ranks)} ranks, {trace.seconds:.3g} s"]
    if trace.dropped:
        lines[0] += f"; {trace.dropped} events in the middle found no room and are left out"
    lines += [f"{loss}" for loss in losses(trace, analysis)]
    lines += [f"{one}" for one in copies(trace)]
    lines += [
        f"{name}: what is taken is {np.median(behind):g} iterations behind in the middle, "
        f"{behind.min()} to {behind.max()} in all"
        for name, behind in ages(trace).items()
    ]
    on_path = shares(trace, critical_path(trace, analysis.states))
    ranks: dict[int, float] = defaultdict(float)
    for (rank, _), share in on_path.items():
        ranks[rank] += share
    path = [
        f"{percent(share)} rank {rank} ("
        + ", ".join(
            f"{percent(on_path[key])} {key[1]}"
            for key in sorted(on_path, key=lambda key: -on_path[key])
            if key[0] == rank and on_path[key] >= SMALLEST
        )
        + ")"
        for rank, share in sorted(ranks.items(), key=lambda item: -item[1])[:4]
        if share >= SMALLEST
    ]
    if path:
        lines.append("critical path: " + ", ".join(path))
    lines += _drift(trace)
    if reference is not None:
        lines += [
            f"computing '{one.region}' takes {one.times:.2f} times as long as in the other trace"
            for one in slower(trace, reference)
        ]
    return lines


def _drift(trace: Trace) -> list[str]:
    try:
        found = spread(trace)
    except HaloclineError:  # too few steps, or none that all compute in
        return []
    return [
        f"a step takes {_time(found.step_s)}; its workers begin {_time(found.all_s)} apart, "
        f"ranks {_time(found.ranks_s)} ({found.steps} steps)"
    ]


def _time(interval: Interval) -> str:
    factor, unit = scale(interval.value)
    return f"{digits(interval.scaled(factor))} {unit}"


def _is_reduction(events: np.ndarray) -> bool:
    return bool(len(events)) and bool((events["activity"] == NUMBER["reduce"]).all())


def _length(events: np.ndarray, name: str) -> int:
    mine = events[events["activity"] == NUMBER[name]]
    return int((mine["end"] - mine["begin"]).sum())


def _copies(rank: Rank, events: np.ndarray) -> dict[str, np.ndarray]:
    """Return those of events that are copies from or to a device, by their way."""
    mine = events[(events["activity"] == NUMBER["copy"]) & (events["name"] > 0)]
    return {
        _region(rank, int(name)): mine[mine["name"] == name] for name in np.unique(mine["name"])
    }


def _medians(trace: Trace) -> dict[str, float]:
    found: dict[str, list[np.ndarray]] = defaultdict(list)
    for rank in trace.ranks:
        events = rank.main[rank.main["activity"] == NUMBER["compute"]]
        for name in np.unique(events["name"]):
            mine = events[events["name"] == name]
            found[_region(rank, int(name))].append(mine["end"] - mine["begin"])
    return {name: float(np.median(np.concatenate(some))) for name, some in found.items()}


def _region(rank: Rank, number: int) -> str:
    return rank.regions[0][number - 1] if number else "compute"
