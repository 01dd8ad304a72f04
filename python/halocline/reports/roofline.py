"""A roofline plot of the kernels: how near memory and cache let them come to computing.

After S. Williams, A. Waterman and D. Patterson, *Roofline* (CACM 52(4), 2009,
doi:10.1145/1498765.1498785). All axes are logarithmic; the roofs are measured by the streams of
the same run, the intensities are assumed:

- A point costs 4 operations: the kernels shown solve the problem with f = 0.
- A plain Jacobi sweep moves 24 bytes an update between core and memory: 8 read, 8 written, and 8
  that a cache reads before it is written to. Stores past the caches would save these: 16 bytes.
- A plain Gauss-Seidel sweep reads and writes its one grid: 16 bytes.
- partdiff does 8 sweeps while a block is in a cache: 16 bytes for 8 updates.
- Rows above and below come from a cache; the boundary is left out.

The slanted roofs are what a copy (c = a) reaches, in memory and in a core's first-level cache. The
flat one is what that cache allows where every update loads four values and stores one, 40 bytes; a
kernel that keeps values in registers may pass it. The processor's peak is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from halocline.measure import Outcome, Speed
from halocline.outputs import save
from halocline.reports import plots
from halocline.reports.plots import COLOURS, Plot
from halocline.statistics import Interval

FLOPS = 4
BYTES = {
    ("halometer", "jacobi"): 24.0,
    ("halometer", "gauss-seidel"): 16.0,
    ("partdiff", "jacobi"): 16 / 8,
    ("partdiff", "gauss-seidel"): 16 / 8,
}
"""Moved between core and memory for one update."""
CACHED_BYTES = 40
"""Moved between registers and the first-level cache by an update without reuse."""
DRAWN = [
    method + way
    for method in ("Jacobi", "Gauss-Seidel")
    for way in ("", ", plain", ", 2 threads", ", 2 ranks")
]
ACROSS = (1 / 32, 8)
"""Ends of the horizontal axis, in operations per byte."""


@dataclass(frozen=True)
class Mark:
    """A kernel in the plot."""

    name: str
    program: str
    intensity: float
    """Operations for each byte moved."""
    gflops: Interval


@dataclass(frozen=True)
class Roof:
    """What a memory allows: its bandwidth times the intensity."""

    name: str
    gb_s: float
    label_above: bool = True


def marks(speeds: Sequence[Speed]) -> list[Mark]:
    """Return the kernels to be drawn: those whose bytes from memory are known."""
    return [
        Mark(
            speed.kernel.name,
            speed.kernel.program,
            FLOPS / BYTES[speed.kernel.program, speed.kernel.method],
            speed.rate.scaled(FLOPS / 1000),
        )
        for speed in speeds
        if speed.kernel.name in DRAWN
    ]


def roofs(speeds: Sequence[Speed]) -> list[Roof]:
    """Return the roofs that the streams measured."""
    words = {
        "stream": "memory, 1 thread",
        "stream, 2 threads": "memory, 2 threads",
        "stream, in L1": "L1 cache, 1 thread",
    }
    return [
        Roof(words[speed.kernel.name], speed.rate.value, speed.kernel.name != "stream")
        for speed in speeds
        if speed.kernel.name in words
    ]


def drawn(outcome: Outcome) -> Callable[[], Plot] | None:
    """Return what draws the roofline; None where nothing can be drawn."""
    shown, lines = marks(outcome.speeds), roofs(outcome.speeds)
    if not shown or not lines:
        return None
    return partial(
        draw, shown, lines, str(outcome.comparison.facts.get("machine", {}).get("cpu", ""))
    )


def write(outcome: Outcome) -> Path | None:
    """Draw `roofline.svg` in the folder of the results; None where nothing can be drawn."""
    picture = drawn(outcome)
    if picture is None:
        return None
    file = outcome.comparison.folder / "roofline.svg"
    save(file, plots.svg(picture()))
    return file


def draw(shown: Sequence[Mark], lines: Sequence[Roof], machine: str = "") -> Plot:
    """Return the plot."""
    cached = [FLOPS / CACHED_BYTES * roof.gb_s for roof in lines if roof.name.startswith("L1")]
    lowest = min(mark.gflops.low for mark in shown) / 1.5
    highest = max([mark.gflops.high for mark in shown] + cached) * 1.5
    with plots.drawing(824, 516) as plot:
        axes = plot.figure.add_subplot()
        axes.set_xscale("log", base=2)
        axes.set_xlim(*ACROSS)
        plots.fit(axes, [lowest, highest])
        axes.set_ylim(lowest, highest)
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:g}" if value >= 1 else f"1/{1 / value:g}")
        )
        for roof in lines:
            _slope(axes, roof)
        for ceiling in cached:
            axes.axhline(ceiling, color=COLOURS["ink"], lw=1.4)
            axes.annotate(
                f"L1, {CACHED_BYTES} bytes an update", (0.99, ceiling), va="bottom", ha="right",
                xycoords=("axes fraction", "data"), color=COLOURS["soft"],
            )  # fmt: skip
        ordered = sorted(shown, key=lambda mark: mark.gflops.value)
        low, high = math.log(lowest), math.log(highest)
        heights = plots.spread_labels(
            [math.log(mark.gflops.value) for mark in ordered], (high - low) * 0.036
        )
        for mark, height in zip(ordered, heights):
            colour = COLOURS["p2p" if mark.program == "partdiff" else "soft"]
            axes.plot([mark.intensity] * 2, [mark.gflops.low, mark.gflops.high], color=colour,
                      lw=6, alpha=0.3)  # fmt: skip
            axes.plot([mark.intensity], [mark.gflops.value], "o", color=colour, ms=7)
            axes.annotate(
                f"{mark.name}: {mark.gflops.value:.1f}", (mark.intensity, mark.gflops.value),
                (1.02, (height - low) / (high - low)), textcoords="axes fraction", color=colour,
                va="center", arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5},
            )  # fmt: skip
        axes.set_title("Roofline" + (f" on {machine}" if machine else ""))
        axes.set_ylabel("GFLOP/s")
        axes.set_xlabel(f"operations per byte of memory; {FLOPS} operations a point")
    return plot


def _slope(axes: Axes, roof: Roof) -> None:
    """Draw a roof from where it enters the plot to where it leaves it."""
    low, high = axes.get_ylim()
    begin = max(ACROSS[0], low / roof.gb_s)
    end = min(ACROSS[1], high / roof.gb_s)
    if begin >= end:
        return
    ends = [(at, roof.gb_s * at) for at in (begin, end)]
    axes.plot(*zip(*ends), color=COLOURS["ink"], lw=1.4)
    axes.annotate(
        f"{roof.name}: {roof.gb_s:.0f} GB/s", ends[0], (10, 4 if roof.label_above else -18),
        textcoords="offset points", rotation=45, rotation_mode="anchor", color=COLOURS["soft"],
        transform_rotates_text=True,
    )  # fmt: skip
