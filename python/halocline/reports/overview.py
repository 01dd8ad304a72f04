"""The picture of a series: time per step of every scheme against size, relative to the baseline."""

from __future__ import annotations

import math

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from halocline.figures import digits, plain, scale
from halocline.measure import BASELINE, Row
from halocline.reports import plots
from halocline.reports.plots import COLOURS, NARROW, Plot
from halocline.reports.series import AUTO, LEAST_CONFIDENCE, Series, chosen
from halocline.statistics import Interval

ROUND = (
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    1,
    1.2,
    1.5,
    2,
    3,
    4,
    5,
    7,
    10,
    15,
    20,
    30,
    50,
    100,
)
"""Ratios that an axis may name."""
MOST_TICKS = 9
BREADTH = 0.36
"""How broad the marks of a size are, as a share of the distance between sizes."""


def draw(series: Series, width: float) -> Plot | None:
    """Draw the series; None without a baseline to relate to."""
    shown = [name for name in series.schemes if name != BASELINE and _ratios(series, name)]
    if not shown:
        return None
    narrow = width <= NARROW
    with plots.drawing(width, 430 if not narrow else 360 + 9 * len(shown)) as plot:
        axes = plot.figure.add_subplot()
        axes.set_yscale("log")
        ends = [end for n in shown for v in _ratios(series, n).values() for end in (v.low, v.high)]
        low, high = min([*ends, 0.95]) / 1.05, max([*ends, 1.05]) * 1.05
        axes.set_ylim(low, high)
        inside = [tick for tick in ROUND if low <= tick <= high]
        while len(inside) > MOST_TICKS:
            inside = [tick for i, tick in enumerate(inside) if i % 2 == inside.index(1) % 2]
        axes.yaxis.set_major_locator(FixedLocator(inside))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.axhline(1, color=COLOURS["p2p"], lw=1.6, ls=(0, (4, 3)), zorder=1)
        styles = [_style(name, shown) for name in shown]
        last = []
        for place, (name, (colour, dash)) in enumerate(zip(shown, styles)):
            found = _ratios(series, name)
            # Side by side, so that one interval does not hide another.
            aside = BREADTH * ((place + 0.5) / len(shown) - 0.5)
            plots.curve(
                axes, plot, [at + aside for at in found], list(found.values()), colour,
                [_tip(series, at, name) for at in found], dash, 3 if name == AUTO else 1.6,
            )  # fmt: skip
            last.append(found[max(found)].value)
        plots.at_names(axes, [_under(size.rows, size.label) for size in series.sizes])
        every = [v for name in shown for v in _ratios(series, name).values()]
        certain = min(v.confidence for v in every) > LEAST_CONFIDENCE
        bars = "95 % intervals" if certain else "the range of too few launches"
        axes.set_title(
            f"time per step, {BASELINE} = 1" if narrow
            else f"time per step relative to {BASELINE} (less is faster), with {bars}",
            fontsize=12, fontweight="normal", color=COLOURS["soft"],
        )  # fmt: skip
        axes.set_xlabel(f"{series.axis}; below: {BASELINE}")
        if narrow:
            plots.legend(axes, shown, styles, 2)
        else:
            _label(axes, [*shown, BASELINE], [*last, 1.0], [*styles, (COLOURS["p2p"], "--")])
        return plot


def _ratios(series: Series, scheme: str) -> dict[int, Interval]:
    rows = [size.row(scheme) for size in series.sizes]
    return {i: row.ratio for i, row in enumerate(rows) if row is not None and row.ratio}


def _style(scheme: str, shown: list[str]) -> tuple[str, str]:
    """Return a family's colour; its members differ by their dashes."""
    kind = plots.family(scheme)
    members = [name for name in shown if plots.family(name) == kind]
    return COLOURS[kind], plots.DASHES[members.index(scheme) % len(plots.DASHES)]


def _under(rows: list[Row], label: str) -> str:
    base = next((row for row in rows if row.setting.scheme == BASELINE), None)
    if base is None:
        return label
    factor, unit = scale(base.median.value)
    return f"{label}\n{plain(base.median.value * factor)} {unit}"


def _tip(series: Series, place: int, scheme: str) -> str:
    size = series.sizes[place]
    row = size.row(scheme)
    factor, unit = scale(row.median.value)
    became = f"\nchose {chosen(row)}" if scheme == AUTO and chosen(row) else ""
    return (
        f"{scheme} at {size.label} {series.axis}\n{digits(row.median.scaled(factor))} {unit} "
        f"per step\n{digits(row.ratio)} of {BASELINE}{became}"
    )


def _label(axes, names: list[str], values: list[float], styles: list[tuple[str, str]]) -> None:
    """Write each name to the right of its line's end."""
    low, high = (math.log(end) for end in axes.get_ylim())
    heights = plots.spread_labels([math.log(value) for value in values], (high - low) * 0.052)
    for name, height, (colour, _) in zip(names, heights, styles):
        axes.annotate(
            name, (1.01, (height - low) / (high - low)), xycoords="axes fraction", color=colour,
            va="center", fontsize=12, fontweight="bold" if name == AUTO else "normal",
        )  # fmt: skip
