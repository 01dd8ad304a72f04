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
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from halocline.measure import Outcome, Speed
from halocline.report.comparison import Axis
from halocline.statistics import Interval

FLOPS = 4
BYTES = {
    ("plain_sweeps", "jacobi"): 24.0,
    ("plain_sweeps", "gauss-seidel"): 16.0,
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
WIDTH, HEIGHT, LEFT, TOP, LABELS = 520, 400, 74, 52, 230
COLOURS = {"plain_sweeps": "#5d6878", "partdiff": "#2f6fde"}


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


def write(outcome: Outcome) -> Path | None:
    """Draw `roofline.svg` in the folder of the results; None where nothing can be drawn."""
    shown, lines = marks(outcome.speeds), roofs(outcome.speeds)
    if not shown or not lines:
        return None
    file = outcome.comparison.folder / "roofline.svg"
    machine = outcome.comparison.facts.get("machine", {})
    file.write_text(svg(shown, lines, str(machine.get("cpu", ""))))
    return file


def svg(shown: Sequence[Mark], lines: Sequence[Roof], machine: str = "") -> str:
    """Return the plot."""
    cached = [FLOPS / CACHED_BYTES * roof.gb_s for roof in lines if roof.name.startswith("L1")]
    lowest = min(mark.gflops.low for mark in shown)
    highest = max([mark.gflops.high for mark in shown] + cached)
    across = Axis([1 / 32, 8], WIDTH, 0)
    upward = Axis([lowest / 1.5, highest * 1.5], HEIGHT, 0)
    x, y = across, lambda value: HEIGHT - upward(value)
    parts = [_frame(across, upward)]
    for roof in lines:
        parts.append(_slope(roof, across, upward))
    for ceiling in cached:
        parts.append(
            f'<line x1="0" x2="{WIDTH}" y1="{y(ceiling):.1f}" y2="{y(ceiling):.1f}" class="roof"/>'
            f'<text x="{WIDTH - 4}" y="{y(ceiling) - 5:.1f}" text-anchor="end" class="soft">'
            f"L1, {CACHED_BYTES} bytes an update</text>"
        )
    # From the top down, each label a line below the one before.
    free = -1e9
    for mark in sorted(shown, key=lambda mark: -mark.gflops.value):
        at, height = x(mark.intensity), y(mark.gflops.value)
        label = max(height, free + 15)
        free = label
        colour = COLOURS[mark.program]
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y(mark.gflops.high):.1f}" '
            f'y2="{y(mark.gflops.low):.1f}" stroke="{colour}" stroke-width="6" opacity=".3"/>'
            f'<circle cx="{at:.1f}" cy="{height:.1f}" r="4.5" fill="{colour}"/>'
            f'<path d="M{at + 6:.1f} {height:.1f} L{WIDTH + 6} {label:.1f}" stroke="{colour}" '
            'stroke-width=".6" opacity=".6" fill="none"/>'
            f'<text x="{WIDTH + 10}" y="{label + 4:.1f}" fill="{colour}">'
            f"{escape(mark.name)}: {mark.gflops.value:.1f}</text>"
        )
    width, height = LEFT + WIDTH + LABELS, TOP + HEIGHT + 64
    title = "Roofline" + (f" on {machine}" if machine else "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="12">\n'
        "<style>.soft{fill:#5d6878} .grid{stroke:#e3e6ea} .roof{stroke:#1c2430;stroke-width:1.4}"
        "</style>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        f'<text x="{LEFT}" y="24" font-size="16" font-weight="600">{escape(title)}</text>\n'
        f'<text x="{LEFT}" y="42" class="soft">GFLOP/s over operations per byte of memory; '
        f"{FLOPS} operations a point</text>\n"
        f'<g transform="translate({LEFT} {TOP})">\n' + "\n".join(parts) + "\n</g>\n</svg>\n"
    )


def _frame(across: Axis, upward: Axis) -> str:
    """Draw the grid and the numbers of both axes."""
    parts = []
    for tick in [2.0**power for power in range(-5, 4)]:
        text = f"{tick:g}" if tick >= 1 else f"1/{1 / tick:g}"
        parts.append(
            f'<line x1="{across(tick):.1f}" x2="{across(tick):.1f}" y1="0" y2="{HEIGHT}" '
            f'class="grid"/><text x="{across(tick):.1f}" y="{HEIGHT + 18}" text-anchor="middle" '
            f'class="soft">{text}</text>'
        )
    for tick in upward.ticks():
        height = HEIGHT - upward(tick)
        parts.append(
            f'<line x1="0" x2="{WIDTH}" y1="{height:.1f}" y2="{height:.1f}" class="grid"/>'
            f'<text x="-8" y="{height + 4:.1f}" text-anchor="end" class="soft">{tick:g}</text>'
        )
    parts.append(
        f'<text x="{WIDTH / 2}" y="{HEIGHT + 40}" text-anchor="middle" class="soft">'
        "operations per byte</text>"
    )
    return "\n".join(parts)


def _slope(roof: Roof, across: Axis, upward: Axis) -> str:
    """Draw a roof from where it enters the plot to where it leaves it."""
    begin = max(across.low, upward.low / roof.gb_s)
    end = min(across.high, upward.high / roof.gb_s)
    if begin >= end:
        return ""
    x1, x2 = across(begin), across(end)
    y1, y2 = (HEIGHT - upward(roof.gb_s * intensity) for intensity in (begin, end))
    angle = math.degrees(math.atan2(y2 - y1, x2 - x1))
    label = -6 if roof.label_above else 15
    return (
        f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" class="roof"/>'
        f'<text transform="translate({x1 + 0.1 * (x2 - x1):.1f} {y1 + 0.1 * (y2 - y1):.1f}) '
        f'rotate({angle:.1f})" y="{label}" class="soft">{escape(roof.name)}: {roof.gb_s:.0f} GB/s'
        "</text>"
    )
