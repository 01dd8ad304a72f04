"""Curves of what halometer measured: one HTML file that needs nothing else.

A panel holds what differs in nothing but the scheme and the horizontal axis: time with its 95 %
interval, and beside it bandwidth where bytes are sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.figures import digits
from halocline.measure import Benchmark, Point
from halocline.reports import page, plots
from halocline.reports.plots import Plot
from halocline.reports.points import cautions, columns, panels, scale_of, size, value
from halocline.statistics import Interval


def plot(
    points: Sequence[Point],
    across: str,
    schemes: Sequence[str],
    what: Callable[[Point], Interval | None],
    unit: str,
    width: float = plots.WIDE,
) -> Plot | None:
    """Draw one value of all schemes over the horizontal axis; None where there is none to draw."""
    drawn = [(point, what(point)) for point in points]
    shown = [(point, interval) for point, interval in drawn if interval and interval.low > 0]
    if not shown:
        return None
    places = sorted({point.parameters[across] for point, _ in shown})
    lines = [scheme for scheme in schemes if any(p.scheme == scheme for p, _ in shown)]
    columns = 2 if width <= plots.NARROW else 4
    with plots.drawing(width, 340 + 18 * -(-len(lines) // columns)) as drawing:
        axes = drawing.figure.add_subplot()
        plots.fit(axes, [end for _, i in shown for end in (i.low, i.high, i.value)])
        for scheme in lines:
            line = [(places.index(p.parameters[across]), i) for p, i in shown if p.scheme == scheme]
            colour, dash = plots.numbered(schemes.index(scheme))
            tips = [f"{scheme}: {digits(i)} {unit}" for _, i in line]
            plots.curve(axes, drawing, *zip(*line), colour, tips, dash)
        names = [size(at) if across == "size" else value(at) for at in places]
        if width <= plots.NARROW:
            names = [name if i % 2 == 0 or len(names) < 7 else "" for i, name in enumerate(names)]
        plots.at_names(axes, names)
        axes.set_xlabel({"size": "bytes", "halo": "width of the halo, cells"}.get(across, across))
        axes.set_title(unit, fontsize=12, fontweight="normal")
        styles = [plots.numbered(schemes.index(scheme)) for scheme in lines]
        plots.legend(axes, lines, styles, columns)
        return drawing


def table(points: Sequence[Point], across: str) -> tuple[list[str], list[list[str]]]:
    """Return all numbers of a panel: names of the columns, and rows."""
    factor, unit = scale_of(points)
    found = columns(points, across, f"median [95 % interval], {unit}")
    found["launches"] = lambda p, f: str(p.launches)
    rows = [[point.scheme, *(say(point, factor) for say in found.values())] for point in points]
    return ["scheme", *found], rows


def bars(points: Sequence[Point], width: float = plots.WIDE) -> Plot:
    """Draw schemes below each other where there is no horizontal axis to draw them over."""
    factor, unit = scale_of(points)
    ordered = sorted(points, key=lambda point: point.first.value)
    names, values = [p.scheme for p in ordered], [p.first.scaled(factor) for p in ordered]
    return plots.ranked(names, values, unit, width)


def first(points: Sequence[Point], across: str, schemes: Sequence[str]) -> Plot | None:
    """Draw the times of a panel."""
    if not across:
        return bars(points)
    factor, unit = scale_of(points)
    return plot(points, across, schemes, lambda point: point.first.scaled(factor), unit)


def panel(title: str, points: Sequence[Point], across: str, schemes: Sequence[str]) -> dict:
    """Return a panel as its template shows it."""
    if across:
        factor, unit = scale_of(points)
        values = [(lambda p: p.first.scaled(factor), unit), (lambda p: p.gb_s, "GB/s")]
        drawn = [
            plots.both(
                lambda width, what=what, unit=unit: plot(
                    points, across, schemes, what, unit, width
                ),
                f"{unit} by {across}, {title}",
            )
            for what, unit in values
        ]
    else:
        drawn = [plots.both(lambda width: bars(points, width), title)]
    head, rows = table(points, across)
    return {"title": title, "pictures": list(filter(None, drawn)), "head": head, "rows": rows}


def point_rows(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return every point as a row of numbers; times in seconds."""
    return [
        {"ranks": p.ranks, "scheme": p.scheme, **{n: value(v) for n, v in p.parameters.items()},
         "bytes": p.bytes, "median_s": p.median.value, "low_s": p.median.low,
         "high_s": p.median.high, "felt_s": p.felt.value if p.felt else None, "p5_s": p.p5,
         "p95_s": p.p95, "launches": p.launches,
         "samples": p.samples, **{name: share.value for name, share in p.shares.items()}}
        for p in points
    ]  # fmt: skip


def render(benchmark: Benchmark) -> str:
    """Return everything as HTML.

    Raises
    ------
    HaloclineError
        When nothing was measured.
    """
    points = benchmark.points()
    if not points:
        raise HaloclineError(f"{benchmark.folder} holds no measurement to draw")
    first = benchmark.contents()[0]
    schemes = list(dict.fromkeys(point.scheme for point in points))
    across, found = panels(points)
    notes = [f"{name} left out: {why}" for name, why in benchmark.left_out().items()]
    notes += [
        f"launch {launch.number} on {launch.ranks} ranks {launch.status}: {launch.reason}"
        for launch in benchmark.launches
        if launch.status != "measured"
    ]
    return page.render(
        "curves.html",
        kind=benchmark.kind,
        felt=any(point.felt for point in points),
        where=page.where(first, benchmark.time),
        notes=[*notes, *cautions(points)],
        panels=[panel(title, shown, across, schemes) for title, shown in found.items()],
        command=benchmark.command_line,
        launches=[launch.command for launch in benchmark.launches],
        points_csv=page.download(point_rows(points)),
    )


def write(benchmark: Benchmark) -> Path:
    """Write `benchmark.html` into the folder and return its path."""
    return page.write(render(benchmark), benchmark.folder / "benchmark.html")
