"""Curves of what halobench measured: one HTML file that needs nothing else.

A panel holds what differs in nothing but the scheme and the horizontal axis: time with its 95 %
interval, and beside it bandwidth where bytes are sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from statistics import median
from typing import Any

from halocline import __version__
from halocline.cli.display import digits, plain, scale
from halocline.errors import HaloclineError
from halocline.launch.launcher import short_library
from halocline.measure.benchmark import Benchmark, Point
from halocline.measure.doctor import now
from halocline.report.comparison import Axis
from halocline.statistics.intervals import Interval

ACROSS = ("size", "halo", "threads")
"""Parameters that may be the horizontal axis, best first."""
PALETTE = (
    "#2f6fde", "#d9822b", "#2a9d5c", "#b5396b", "#7a5cd6", "#00838f", "#8d6e1f", "#c0392b",
    "#5d6878", "#3f51b5", "#689f38", "#ad1457",
)  # fmt: skip
DASHES = ("", "6 3", "2 3", "8 3 2 3")
WIDTH, HEIGHT, LEFT, BOTTOM = 460, 300, 66, 44
STYLE = """
body { font: 14px system-ui, sans-serif; color: #1c2430; background: #fff;
  max-width: 1120px; margin: 24px auto; padding: 0 16px }
.soft { color: #5d6878 }
.warn { color: #a04000 }
table { border-collapse: collapse; font-size: 13px }
td, th { padding: 3px 10px; text-align: right; border-bottom: 1px solid #e3e6ea }
td:first-child, th:first-child { text-align: left }
.legend span { display: inline-block; margin: 2px 14px 2px 0 }
pre { white-space: pre-wrap; font-size: 12px }
"""


def panels(points: Sequence[Point]) -> tuple[str, dict[str, list[Point]]]:
    """Return the parameter for the horizontal axis ('' for none) and the points of each panel."""
    varying = {
        name: len({json.dumps(p.parameters.get(name)) for p in points})
        for p in points
        for name in p.parameters
    }
    across = next((name for name in ACROSS if varying.get(name, 0) > 1), "")
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


def colour(place: int) -> str:
    """Return the attributes that tell line number `place` from the others."""
    dash = DASHES[place // len(PALETTE) % len(DASHES)]
    return f'stroke="{PALETTE[place % len(PALETTE)]}"' + (
        f' stroke-dasharray="{dash}"' if dash else ""
    )


def rules(up: Axis, width: float, height: float, digits: int = 10) -> list[str]:
    """Return a line across, with its number, for each tick of a vertical axis."""
    heights = [(height - up(tick), tick) for tick in up.ticks()]
    return [
        f'<line x1="0" x2="{width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e6ea"/>'
        f'<text x="-8" y="{y + 4:.1f}" text-anchor="end" fill="#5d6878">{tick:.{digits}g}</text>'
        for y, tick in heights
    ]


def plot(
    points: Sequence[Point],
    across: str,
    schemes: Sequence[str],
    what: Callable[[Point], Interval | None],
    unit: str,
) -> str:
    """Draw one value of all schemes over the horizontal axis, as SVG."""
    drawn = [(point, what(point)) for point in points]
    shown = [(point, interval) for point, interval in drawn if interval and interval.low > 0]
    if not shown:
        return ""
    places = sorted({point.parameters[across] for point, _ in shown})
    up = Axis([end for _, i in shown for end in (i.low, i.high, i.value)], HEIGHT, 8)
    step = WIDTH / max(len(places), 1)
    x = {place: (i + 0.5) * step for i, place in enumerate(places)}
    parts = rules(up, WIDTH, HEIGHT)
    for place, at in x.items():
        text = size(place) if across == "size" else value(place)
        parts.append(
            f'<text x="{at:.1f}" y="{HEIGHT + 18}" text-anchor="middle" fill="#5d6878">'
            f"{escape(text)}</text>"
        )
    for number, scheme in enumerate(schemes):
        line = [(x[p.parameters[across]], i) for p, i in shown if p.scheme == scheme]
        if not line:
            continue
        style = colour(number)
        path = " ".join(
            f"{'M' if n == 0 else 'L'}{at:.1f} {HEIGHT - up(i.value):.1f}"
            for n, (at, i) in enumerate(line)
        )
        parts.append(f'<path d="{path}" fill="none" {style} stroke-width="1.6"/>')
        for at, i in line:
            parts.append(
                f"<g><title>{escape(scheme)}: {escape(digits(i))} {escape(unit)}</title>"
                f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{HEIGHT - up(i.low):.1f}" '
                f'y2="{HEIGHT - up(i.high):.1f}" {style} stroke-width="5" opacity=".35"/>'
                f'<circle cx="{at:.1f}" cy="{HEIGHT - up(i.value):.1f}" r="3" '
                f'fill="{PALETTE[number % len(PALETTE)]}"/></g>'
            )
    label = {"size": "bytes", "halo": "width of the halo, cells"}.get(across, across)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 10}" '
        f'height="{HEIGHT + BOTTOM + 26}" font-family="system-ui, sans-serif" font-size="12" '
        f'role="img"><text x="{LEFT}" y="14" fill="#1c2430">{escape(unit)}</text>'
        f'<g transform="translate({LEFT} 22)">{"".join(parts)}'
        f'<text x="{WIDTH / 2}" y="{HEIGHT + 38}" text-anchor="middle" fill="#5d6878">'
        f"{escape(label)}</text></g></svg>"
    )


def legend(schemes: Sequence[str]) -> str:
    """Return the names beside their lines."""
    items = "".join(
        f'<span><svg width="26" height="10"><line x1="0" x2="26" y1="5" y2="5" {colour(i)} '
        f'stroke-width="2.4"/></svg> {escape(scheme)}</span>'
        for i, scheme in enumerate(schemes)
    )
    return f'<div class="legend">{items}</div>'


def scale_of(points: Sequence[Point]) -> tuple[float, str]:
    """Return the factor and unit in which most of the times read best."""
    return scale(median(point.median.value for point in points))


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
    """Return a share with its interval: two digits behind the point."""
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


def table(points: Sequence[Point], across: str) -> str:
    """Return all numbers of a panel."""
    factor, unit = scale_of(points)
    found = columns(points, across, f"median [95 % interval], {unit}")
    found["launches"] = lambda p, f: str(p.launches)
    lines = []
    for point in points:
        cells = [point.scheme, *(say(point, factor) for say in found.values())]
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return (
        "<details><summary>All numbers</summary><table><thead><tr>"
        + "".join(f"<th>{escape(name)}</th>" for name in ("scheme", *found))
        + f"</tr></thead><tbody>{''.join(lines)}</tbody></table></details>"
    )


def bars(points: Sequence[Point]) -> str:
    """Draw schemes below each other where there is no horizontal axis to draw them over."""
    factor, unit = scale_of(points)
    ends = [end * factor for p in points for end in (p.median.low, p.median.high)]
    axis = Axis(ends, WIDTH)
    ordered = sorted(points, key=lambda point: point.median.value)
    height = 22 * len(ordered)
    parts = []
    for tick in axis.ticks():
        parts.append(
            f'<line x1="{axis(tick):.1f}" x2="{axis(tick):.1f}" y1="0" y2="{height}" '
            f'stroke="#e3e6ea"/><text x="{axis(tick):.1f}" y="{height + 16}" '
            f'text-anchor="middle" fill="#5d6878">{tick:.10g}</text>'
        )
    for i, point in enumerate(ordered):
        y = 22 * i + 11
        m = point.median.scaled(factor)
        parts.append(
            f'<text x="-10" y="{y + 4}" text-anchor="end">{escape(point.scheme)}</text>'
            f'<line x1="{axis(m.low):.1f}" x2="{max(axis(m.high), axis(m.low) + 1):.1f}" y1="{y}" '
            f'y2="{y}" stroke="{PALETTE[0]}" stroke-width="7" opacity=".35"/>'
            f'<circle cx="{axis(m.value):.1f}" cy="{y}" r="4" fill="{PALETTE[0]}"/>'
            f'<text x="{WIDTH + 8}" y="{y + 4}" fill="#5d6878">{escape(digits(m))}</text>'
        )
    left = 10 + 7 * max(len(point.scheme) for point in ordered)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + WIDTH + 190}" '
        f'height="{height + 46}" font-family="system-ui, sans-serif" font-size="12" role="img">'
        f'<text x="{left}" y="14" fill="#1c2430">{escape(unit)}</text>'
        f'<g transform="translate({left} 20)">{"".join(parts)}</g></svg>'
    )


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
    sections = []
    for title, shown in found.items():
        if across:
            factor, unit = scale_of(shown)
            drawn = plot(shown, across, schemes, lambda p, f=factor: p.median.scaled(f), unit)
            drawn += plot(shown, across, schemes, lambda p: p.gb_s, "GB/s")
            drawn += legend(schemes)
        else:
            drawn = bars(shown)
        sections.append(f"<h2>{escape(title)}</h2>{drawn}{table(shown, across)}")
    notes = [f"{name} left out: {why}" for name, why in benchmark.left_out().items()]
    notes += [
        f"launch {launch.number} on {launch.ranks} ranks {launch.status}: {launch.reason}"
        for launch in benchmark.launches
        if launch.status != "measured"
    ]
    notes += cautions(points)
    said = "".join(f"<p class='warn'>{escape(note)}</p>" for note in notes)
    commands = "\n".join(launch.command for launch in benchmark.launches)
    here, library = first.get("machine", {}), str(first.get("mpi", {}).get("library", ""))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>halobench: {escape(benchmark.kind)}</title>
<style>{STYLE}</style></head><body>
<h1>halobench {escape(benchmark.kind)}</h1>
<p class="soft">{escape(str(here.get("cpu", "")))}, {escape(str(here.get("cores", "?")))} cores ·
{escape(short_library(library))} · {escape(benchmark.time)}</p>{said}
{"".join(sections)}
<h2>How to read it</h2>
<p class="soft">A step ends on a rank when it may use what it receives and may overwrite what it
sends; a sample is the time of the slowest rank. Dots are medians of all launches, bars their 95 %
intervals from order statistics, discounted by what samples of one launch have in common. GB/s are
what the busiest rank sends.</p>
<details><summary>To repeat it</summary><pre>{escape(benchmark.command_line)}

{escape(commands)}</pre></details>
<p class="soft">Written by halocline {__version__} on {now()}.</p>
</body></html>
"""


def write(benchmark: Benchmark) -> Path:
    """Write `benchmark.html` into the folder and return its path."""
    file = benchmark.folder / "benchmark.html"
    file.write_text(render(benchmark))
    return file
