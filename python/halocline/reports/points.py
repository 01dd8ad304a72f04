"""What halometer measured, in panels and columns: for tables in a terminal and on a page.

A panel holds what differs in nothing but the scheme and the horizontal axis.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from halocline.figures import digits, plain, scale
from halocline.measure import Point
from halocline.statistics import Interval

ACROSS = ("size", "halo", "threads")
"""Parameters that may be the horizontal axis, best first."""


def panels(points: Sequence[Point]) -> tuple[str, dict[str, list[Point]]]:
    """Return the parameter for the horizontal axis ('' for none) and the points of each panel."""
    varying = {
        name: len({json.dumps(p.parameters.get(name)) for p in points})
        for p in points
        for name in p.parameters
    }
    axes = (name for name in ACROSS if varying.get(name, 0) > 1 and _is_axis(name, points))
    across = next(axes, "")
    found: dict[str, list[Point]] = {}
    for point in points:
        fixed = [
            f"{name} {value(point.parameters[name])}"
            for name, count in varying.items()
            if name in point.parameters and count > 1 and name not in (across, "size", "dims")
        ]
        ranks = f"{point.ranks} rank{'s' * (point.ranks != 1)}"
        found.setdefault(", ".join([ranks, *fixed]), []).append(point)
    return across, found


def _is_axis(name: str, points: Sequence[Point]) -> bool:
    """Whether each point has its place on an axis."""
    return all(isinstance(point.parameters.get(name), (int, float)) for point in points)


def value(parameter: Any) -> str:
    """Return a parameter's value as text."""
    return parameter if isinstance(parameter, str) else json.dumps(parameter)


def size(number: float) -> str:
    """Return a number of bytes as one reads it."""
    for unit in ("", " Ki", " Mi", " Gi"):
        if number < 1024 or number % 1024:
            return f"{number:g}{unit}"
        number /= 1024
    return f"{number:g} Ti"


def scale_of(points: Sequence[Point]) -> tuple[float, str]:
    """Return the factor and unit in which most of the times read best."""
    return scale(median(point.first.value for point in points))


def columns(
    points: Sequence[Point], across: str, time: str
) -> dict[str, Callable[[Point, float], str]]:
    """Return what is said of every point beside its scheme: names, and how to say it.

    Columns in which nothing would stand are left out.
    """
    found: dict[str, Callable[[Point, float], str]] = {}
    if across:
        shown = size if across == "size" else value
        found[across] = lambda p, f: shown(p.parameters.get(across, ""))
    if any(point.felt for point in points):
        found[f"felt, {time}"] = lambda p, f: digits(p.felt.scaled(f)) if p.felt else ""
        found[f"until the halo is there, {time}"] = lambda p, f: digits(p.median.scaled(f))
    else:
        found[time] = lambda p, f: digits(p.median.scaled(f))
        found["5 %"] = lambda p, f: plain(p.p5 * f)
        found["95 %"] = lambda p, f: plain(p.p95 * f)
    if any(point.gb_s for point in points):
        found["GB/s"] = lambda p, f: "" if p.gb_s is None else rate(p.gb_s.value)
    for name in dict.fromkeys(name for point in points for name in point.shares):
        found[name.replace("_", " ")] = lambda p, f, name=name: (
            share(p.shares[name]) if name in p.shares else ""
        )
    found["samples"] = lambda p, f: f"{p.samples}{'' if p.narrow else '*'}"
    found["disturbed"] = lambda p, f: str(p.disturbed)
    if any(point.moved for point in points):
        found["moved"] = lambda p, f: f"{len(p.moved)} of {p.launches}" if p.moved else ""
    return found


def share(interval: Interval) -> str:
    """Return a share with its interval, if there is one: two digits behind the point."""
    if not interval.there:
        return f"{interval.value:.2f}"
    ends = [round(end, 2) + 0.0 for end in (interval.value, interval.low, interval.high)]
    return "{:.2f} [{:.2f}, {:.2f}]".format(*ends)


def rate(gb_s: float) -> str:
    """Return a bandwidth; how slow it is below a megabyte in a second does not matter."""
    return plain(gb_s) if gb_s >= 1e-3 else "< 0.001"


def cautions(points: Sequence[Point]) -> list[str]:
    """Say what the marks in the table mean, as far as there are any."""
    said = []
    if not all(point.narrow for point in points):
        said.append(
            "*: the budget was spent before the interval was as narrow as asked for in every launch"
        )
    moved = [how for point in points for how in point.moved]
    if moved:
        said.append(
            "moved: launches during which a cache line took longer or less long between the cores "
            f"than in the others (for example, {moved[0]}): another state of the machine"
        )
    return said
