"""The critical path: what would have to be shorter for the run to be shorter."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from halocline.traces.file import NUMBER, Trace
from halocline.traces.waits import Analysis, WaitState


@dataclass(frozen=True)
class Stretch:
    """A part of the path: what one rank did from `begin` to `end`, ns."""

    rank: int
    begin: int
    end: int


def critical_path(trace: Trace, states: list[WaitState] | None = None) -> list[Stretch]:
    """Walk back from the rank that ends last; whoever waited was held up by the culprit.

    Returns
    -------
    list of Stretch
        In the order of time, without gaps: their lengths add up to the trace's.
    """
    states = Analysis(trace).states if states is None else states
    ends: list[list[int]] = [[] for _ in trace.ranks]
    waits: list[list[WaitState]] = [[] for _ in trace.ranks]
    for state in sorted(states, key=lambda state: state.end):
        ends[state.rank].append(state.end)
        waits[state.rank].append(state)
    lasts = [int(one.events["end"].max()) if len(one.events) else 0 for one in trace.ranks]
    rank, time = int(np.argmax(lasts)), max(lasts, default=0)
    path = []
    while time > trace.begin:
        place = bisect_right(ends[rank], time) - 1
        # One that ends where the path comes from is a wait of two for each other.
        if place < 0:
            path.append(Stretch(rank, trace.begin, time))
            break
        state = waits[rank][place]
        if state.end < time:
            path.append(Stretch(rank, state.end, time))
        del ends[rank][place:], waits[rank][place:]
        rank, time = state.culprit, state.end
    return path[::-1]


def shares(trace: Trace, path: list[Stretch]) -> dict[tuple[int, str], float]:
    """Return the share of the path that each rank's activities have, by (rank, activity).

    Activities are those within a step of an exchange; everything else is "compute".
    """
    found: dict[tuple[int, str], float] = defaultdict(float)
    total = sum(one.end - one.begin for one in path) or 1
    names = ("pack", "unpack", "transfer", "wait", "reduce")
    for rank in trace.ranks:
        mine = [one for one in path if one.rank == rank.rank]
        if not mine:
            continue
        times = np.array([(one.begin, one.end) for one in mine], dtype=np.int64)
        rest = float((times[:, 1] - times[:, 0]).sum())
        for name in names:
            events = rank.main
            events = events[(events["activity"] == NUMBER[name]) & (rank.depth <= 1)]
            length = min(_within(times, events["begin"], events["end"]), rest)
            rest -= length
            if length > 0:
                found[rank.rank, name] += length / total
        found[rank.rank, "compute"] += max(rest, 0) / total
    return dict(found)


def _within(times: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> float:
    """Return how much of the intervals lies within `times`."""
    if len(begins) == 0:
        return 0.0
    length = np.concatenate([[0], np.cumsum(ends - begins)]).astype(float)
    points = np.column_stack([begins, ends]).ravel()
    values = np.column_stack([length[:-1], length[1:]]).ravel()
    return float(
        (np.interp(times[:, 1], points, values) - np.interp(times[:, 0], points, values)).sum()
    )
