"""The picture of each kind of result: `Tabular.plot` asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, singledispatch

from matplotlib.ticker import MaxNLocator

from halocline.figures import amount, scale
from halocline.measure import (
    Benchmark,
    Choices,
    Comparison,
    Diagnosis,
    Outcome,
    Result,
    Run,
    soundness,
    tabulate,
)
from halocline.model import Prediction
from halocline.reports import (
    comparison,
    curves,
    forecast,
    overview,
    plots,
    points,
    roofline,
    series,
)
from halocline.reports.plots import COLOURS, Picture, Plot
from halocline.statistics import Interval
from halocline.tables import Tabular, picked

Draw = Callable[[], Plot]


def plot(found: Tabular, part: str | None = None) -> Picture:
    """Draw one of the parts of a result; the first by default.

    Raises
    ------
    HaloclineError
        When there is no such part, or nothing to draw.
    """
    return picked(parts(found), part)().figure


@singledispatch
def parts(found: Tabular) -> Mapping[str, Draw]:
    """Return what can be drawn of a result: names, and what draws it."""
    return {}


@parts.register
def _(found: Comparison) -> Mapping[str, Draw]:
    """Return a curve over sizes, if there are several, then the samples of each case."""
    tables = tabulate(found)
    drawn: dict[str, Draw] = {}
    for one in series.find(found, tables):
        draw = partial(overview.draw, one, plots.WIDE)
        if draw() is not None:
            drawn[f"{one.program} by {one.axis} on {_ranks(one.ranks)}"] = draw
    for (case, ranks), rows in tables.items():
        drawn[f"{case} on {_ranks(ranks)}"] = partial(comparison.samples, rows, plots.WIDE)
    return drawn


@parts.register
def _(found: Benchmark) -> Mapping[str, Draw]:
    """Return the times of each panel."""
    measured = found.points()
    schemes = list(dict.fromkeys(point.scheme for point in measured))
    across, panels = points.panels(measured)
    return {
        title: partial(curves.first, some, across, schemes) for title, some in panels.items()
    }  # fmt: skip


@parts.register
def _(found: Prediction) -> Mapping[str, Draw]:
    """Return curves over ranks and a heat map, or for one number of ranks its schemes in order."""
    if len(found.ranks()) > 1:
        return {
            "curves": lambda: Plot(forecast.curves(found)),
            "heat": lambda: Plot(forecast.heat(found)),
        }
    factor, unit = scale(found.estimates[0].step.value)
    names = [one.scheme for one in found.estimates]
    values = [one.step.scaled(factor) for one in found.estimates]
    return {"schemes": lambda: plots.ranked(names, values, f"{unit} a step")}


@parts.register
def _(found: Choices) -> Mapping[str, Draw]:
    """Return the candidates of each choice, as they were measured."""
    drawn: dict[str, Draw] = {}
    for entry in found.entries:
        rows = [row for row in entry.get("candidates", []) if "median_us" in row]
        if not rows:
            continue
        rows.sort(key=lambda row: row["median_us"])
        values = [
            Interval(
                row["median_us"], row.get("low_us", row["median_us"]),
                row.get("high_us", row["median_us"]), 0.99,
            )
            for row in rows
        ]  # fmt: skip
        pattern = entry.get("pattern", {})
        title = (
            f"{_ranks(int(entry.get('job', {}).get('ranks', 0)))}, "
            f"{pattern.get('links', 0):g} links, {amount(pattern.get('bytes'))}"
        )
        while title in drawn:
            title += "'"
        names = [row["scheme"] for row in rows]
        drawn[title] = partial(plots.ranked, names, values, "µs")
    return drawn


@parts.register
def _(found: Outcome) -> Mapping[str, Draw]:
    """Return the roofline, where the kernels and the memory's speed were measured."""
    drawn = roofline.drawn(found)
    return {} if drawn is None else {"roofline": drawn}


@parts.register
def _(found: Diagnosis) -> Mapping[str, Draw]:
    """Return a mark for each scheme under what the doctor says of it."""
    return {"outcomes": partial(_outcomes, found)} if found.table() else {}


@parts.register
def _(found: Result) -> Mapping[str, Draw]:
    """Return the repetitions in their order."""
    return {"repetitions": partial(_repetitions, found)}


@parts.register
def _(found: Run) -> Mapping[str, Draw]:
    """Return those of what it wrote."""
    return parts(found.result)


def _ranks(count: int) -> str:
    return f"{count} rank{'s' * (count != 1)}"


def _outcomes(found: Diagnosis) -> Plot:
    rows = found.table()
    said = [one for one in (*soundness.OUTCOMES, "missing") if one in {r["outcome"] for r in rows}]
    with plots.drawing(plots.WIDE, 60 + 22 * len(rows)) as plot:
        axes = plot.figure.add_subplot()
        for place, row in enumerate(rows):
            colour = COLOURS["auto" if row["sound"] else "c7"]
            if row["outcome"] == "missing":
                colour = COLOURS["faint"]
            tip = plot.tip(f"{row['scheme']}: {row['outcome']} {row['detail']}")
            axes.plot([said.index(row["outcome"])], [place], "s", color=colour, ms=9, gid=tip)
        axes.set_yticks(range(len(rows)), [row["scheme"] for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        plots.at_names(axes, said)
        axes.xaxis.tick_top()
        return plot


def _repetitions(found: Result) -> Plot:
    factor, unit = scale(found.repetitions[0])
    colour, by = COLOURS[plots.family(found.scheme)], found.scheme or "its own exchange"
    with plots.drawing(plots.WIDE, 260) as plot:
        axes = plot.figure.add_subplot()
        for number, row in enumerate(found.table()):
            axes.plot(
                [number], [factor * row["seconds"]], "o", ms=8, color=colour,
                mfc=None if row["counts"] else "none",
                gid=plot.tip(f"repetition {number}: {factor * row['seconds']:.4g} {unit} per step"),
            )  # fmt: skip
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("repetition (hollow: warming up)")
        axes.set_title(f"{unit} per step, {by}", fontweight="normal")
        return plot
