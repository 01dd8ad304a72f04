"""What ranks do in a few steps of a trace: a lane each, coloured by what it is."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Patch

from halocline.errors import HaloclineError
from halocline.figures import scale
from halocline.reports import plots
from halocline.reports.plots import COLOURS, Picture
from halocline.traces import ACTIVITIES, NUMBER, Trace

STEPS = 3
KINDS = {
    "computing": (COLOURS["line"], ("compute", "region")),
    "packing": (COLOURS["c0"], ("pack", "unpack", "copy")),
    "transferring": (
        COLOURS["c2"], ("transfer", "send", "receive", "put", "get", "accumulate", "signal"),
    ),
    "waiting": (
        COLOURS["c1"],
        ("wait", "fence", "post", "start", "complete", "lock", "unlock", "flush", "barrier"),
    ),
    "reducing": (COLOURS["c4"], ("reduce",)),
    "else in a step": (COLOURS["faint"], ("begin step", "end step")),
}  # fmt: skip
"""Colours, and what has them; what lies within something else is drawn over it."""
KIND_OF = {name: kind for kind, (_, names) in KINDS.items() for name in names}


def draw(trace: Trace, first: int | None = None) -> Picture:
    """Draw so many steps of all ranks, by default in the middle of the run.

    Raises
    ------
    HaloclineError
        When there is no such step, or none at all.
    """
    begins = _begins(trace)
    last = max(len(begins) - 2, 0)
    if first is None:
        first = last // 2
    if len(begins) < 2 or not 0 <= first <= last:
        raise HaloclineError(f"step {first}: the trace has {max(len(begins) - 1, 0)} whole steps")
    begin, end = int(begins[first]), int(begins[min(first + STEPS, len(begins) - 1)])
    factor, unit = scale(1e-9 * (end - begin))
    factor *= 1e-9
    shown = set()
    with plots.drawing(plots.WIDE, 110 + 30 * len(trace.ranks)) as plot:
        axes = plot.figure.add_subplot()
        for place, rank in enumerate(trace.ranks):
            events = rank.main[(rank.main["end"] > begin) & (rank.main["begin"] < end)]
            for depth in np.unique(events["depth"]):
                for name in np.unique(events["activity"][events["depth"] == depth]):
                    mine = events[(events["depth"] == depth) & (events["activity"] == name)]
                    kind = KIND_OF.get(ACTIVITIES[name])
                    if kind is None:
                        continue
                    shown.add(kind)
                    left = np.maximum(mine["begin"], begin)
                    bars = zip(
                        factor * (left - begin), factor * (np.minimum(mine["end"], end) - left)
                    )
                    axes.broken_barh(
                        list(bars), (place - 0.35, 0.7), color=KINDS[kind][0], lw=0,
                        zorder=2 + depth,
                    )  # fmt: skip
        axes.set_yticks(range(len(trace.ranks)), [f"rank {one.rank}" for one in trace.ranks])
        axes.set_ylim(len(trace.ranks) - 0.5, -0.5)
        axes.yaxis.grid(False)
        axes.set_xlim(0, factor * (end - begin))
        axes.set_xlabel(f"{unit} since step {first} began")
        kinds = [kind for kind in KINDS if kind in shown]
        axes.figure.legend(
            [Patch(color=KINDS[kind][0]) for kind in kinds], kinds,
            loc="outside lower left", ncols=len(kinds), fontsize=11,
        )  # fmt: skip
        return plot.figure


def _begins(trace: Trace) -> np.ndarray:
    """Return when the first rank began each of its steps."""
    events = trace.ranks[0].main
    return events["begin"][events["activity"] == NUMBER["begin step"]]
