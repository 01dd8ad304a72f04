"""How far workers drift apart: when each of them begins to compute in the steps of a run.

A worker is a thread of a rank. Those of a rank that meet at barriers begin together; ranks may run
ahead of each other as far as their halos let them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.errors import HaloclineError
from halocline.statistics import Interval, median_interval
from halocline.traces.file import NUMBER, Rank, Trace


@dataclass(frozen=True)
class Spread:
    """Between the first and the last worker that begins a step."""

    steps: int
    step_s: Interval
    """From a step's beginning to the next, seconds, median."""
    all_s: Interval
    """Between the first and the last of all workers, seconds, median."""
    ranks_s: Interval
    """The same between the first workers of each rank."""


def step_begins(trace: Trace) -> np.ndarray:
    """Return when each worker begins to compute, ns: a row for each step, a column for each worker.

    Only steps in which all workers compute count. Workers are rank after rank, in the order of
    their threads.

    Raises
    ------
    HaloclineError
        When no step is in the trace of all ranks.
    """
    columns = [begins for rank in trace.ranks for begins in _of_threads(rank)]
    common = set.intersection(*map(set, columns)) if columns else set()
    if not common:
        raise HaloclineError("the trace has no step in which all threads of all ranks compute")
    rows = [[column[step] for column in columns] for step in common]
    return np.array(sorted(rows, key=min), dtype=np.int64)


def spread(trace: Trace, skip: int = 5) -> Spread:
    """Return how far apart workers begin, without the first `skip` steps.

    Raises
    ------
    HaloclineError
        When there are fewer than three other steps.
    """
    begins = step_begins(trace)[skip:]
    if len(begins) < 3:
        raise HaloclineError(f"the trace has {len(begins) + skip} steps; take {skip + 3} or more")
    first = [
        begins[:, columns].min(axis=1)
        for columns in np.split(np.arange(begins.shape[1]), np.cumsum(_threads(trace))[:-1])
    ]
    return Spread(
        len(begins),
        _median(np.diff(begins.min(axis=1))),
        _median(np.ptp(begins, axis=1)),
        _median(np.ptp(np.stack(first), axis=0)),
    )


def _median(nanoseconds: np.ndarray) -> Interval:
    return median_interval(1e-9 * nanoseconds)


def _threads(trace: Trace) -> list[int]:
    return [len(_of_threads(rank)) for rank in trace.ranks]


def _of_threads(rank: Rank) -> list[dict[tuple[int, int], int]]:
    """Return when each thread that computes begins to, by (exchange, step)."""
    events = rank.events
    levels = np.array([-1, *(one.level for one in rank.exchanges)])
    steps = events[(events["activity"] == NUMBER["begin step"]) & (levels[events["exchange"]] == 0)]
    steps = steps[np.argsort(steps["begin"], kind="stable")]
    # Threads that exchange parts of their own begin a step together, each that of its exchange.
    exchanges = np.unique(steps["exchange"])
    of_main = np.unique(steps["exchange"][steps["thread"] == 0])
    parts = max(1, len(exchanges) // max(1, len(of_main)))
    steps["exchange"] = exchanges[np.searchsorted(exchanges, steps["exchange"]) // parts * parts]
    _, earliest = np.unique(steps[["exchange", "step"]], return_index=True)
    steps = steps[np.sort(earliest)]
    computing = events[events["activity"] == NUMBER["compute"]]
    found = []
    for thread in np.unique(computing["thread"]):
        begins = np.sort(computing["begin"][computing["thread"] == thread])
        # The first that is not earlier than the step, if it is earlier than the step after.
        place = np.searchsorted(begins, steps["begin"])
        ends = np.append(steps["begin"][1:], np.iinfo(np.int64).max)
        found.append(
            {
                (rank.exchanges[step["exchange"] - 1].number, int(step["step"])): int(begins[at])
                for step, at, end in zip(steps, place, ends)
                if at < len(begins) and begins[at] < end
            }
        )
    return found
