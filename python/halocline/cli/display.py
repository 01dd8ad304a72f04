"""How comparisons and verdicts look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from halocline.figures import digits, level, plain, scale
from halocline.measure import (
    BASELINE,
    Advice,
    Comparison,
    Division,
    Joined,
    Line,
    Outcome,
    Row,
    Verdict,
    agreement,
    divisions,
    tabulate,
)
from halocline.reports import notes, series, variation
from halocline.reports.facts import differences, fact_rows
from halocline.reports.notes import business, failures, ratio_of, split
from halocline.statistics import Interval
from halocline.traces import Reason

STYLES = {
    "sound": "green",
    "refused": "yellow",
    "wrong": "bold red",
    "error": "red",
    "crash": "red",
    "hang": "red",
}
GOAL_STYLES = {"aim": "bold green", "enough": "green", "short": "yellow", "not measured": "dim"}


def division_table(console: Console, divided: Sequence[Division]) -> Table:
    """Return the table of what schemes compute and communicate in a repetition."""
    factor, unit = scale(divided[0].total.value)
    table = plain_table("")
    table.add_column("scheme", no_wrap=True)
    holds = level(one.total for one in divided)
    for column in (f"total, {unit}", "computing", "communicating", "its share, %"):
        table.add_column(f"{column}\n{holds}", justify="right", no_wrap=True)
    for one in divided:
        seconds = (one.total, one.computing, one.communicating)
        table.add_row(
            broken(console, one.setting.scheme),
            *(digits(interval.scaled(factor)) for interval in seconds),
            digits(one.share.scaled(100)),
        )
    return table


def reach(row: Row, factor: float) -> str:
    """Return the range from the 5th to the 95th percentile of a scheme's samples."""
    return "-".join(plain(row.spread.percentiles[mark] * factor) for mark in (5, 95))


def broken(console: Console, scheme: str, most: int = 22) -> str:
    """Return a scheme that a narrow terminal can hold: its options on lines of their own."""
    narrow = console.width <= 100 and len(scheme) > most
    return scheme.replace("+", "\n  +") if narrow else scheme


class Folding(Table):
    """A table whose cells fold where a terminal is too narrow: no figure is ever cut."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it."""
        least = sum(
            max((_width(console, options, cell, column.no_wrap) for cell in
                 (column.header, *column.cells)), default=0) + 2
            for column in self.columns
        )  # fmt: skip
        if least > options.max_width:
            for column in self.columns:
                column.no_wrap, column.overflow = False, "fold"
        yield from super().__rich_console__(console, options)


def _width(console: Console, options: ConsoleOptions, cell: RenderableType, no_wrap: bool) -> int:
    """Return how many columns a cell takes at least."""
    width = Measurement.get(console, options.update(max_width=WIDE), cell)
    return width.maximum if no_wrap else width.minimum


WIDE = 100_000
"""Columns, more than any cell takes."""


def plain_table(title: str | None = None) -> Table:
    """Return a table without lines: columns so near that many fit a page of 80 characters."""
    return Folding(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=None,
        pad_edge=False, padding=(0, 2, 0, 0),
    )  # fmt: skip


def comparison_table(
    console: Console, title: str, rows: Sequence[Row], *, verbose: bool = False
) -> Table:
    """Return the table of one case and one number of ranks; if verbose, how samples scatter."""
    factor, unit = scale(rows[0].median.value)
    table = plain_table(title)
    table.add_column("scheme", no_wrap=True)
    holds = level(row.median for row in rows)
    table.add_column(f"{unit} per step\n{holds}", justify="right", no_wrap=True)
    table.add_column(f"ratio to\n{BASELINE}", justify="right", no_wrap=True)
    table.add_column("by\ntest", no_wrap=True)
    if verbose:
        table.add_column("5-95 %\nof samples", justify="right", no_wrap=True)
        table.add_column("comp./\npack./\nwait. %", justify="right", no_wrap=True)
    table.add_column("against\nall", no_wrap=True)
    for row in rows:
        style = "bold green" if row.fastest else "green" if row.like_fastest else ""
        scatter = [
            reach(row, factor),
            "/".join(part.replace(" %", "") for part in split(row.shares) if part),
        ]
        table.add_row(
            broken(console, row.setting.scheme),
            digits(row.median.scaled(factor)),
            ratio_of(row),
            "tie" if row.against_baseline == "no difference" else row.against_baseline,
            *(scatter if verbose else []),
            "" if not row.median.there else "tie" if row.rivals else row.verdict,
            style=style,
        )
    return table


def variation_table(found: variation.Variation) -> Table:
    """Return the table of what an option of the program changes."""
    table = plain_table(found.title)
    for column in found.columns:
        words = column in found.columns[:2] or column.startswith("by")
        table.add_column(column, justify="left" if words else "right", no_wrap=True)
    for row in found.rows:
        table.add_row(*row)
    return table


def show_differences(console: Console, comparison: Comparison) -> None:
    """Print what was not the same for all values of what is varied."""
    rows = differences(comparison)
    if not rows:
        console.print(Text("Nothing else that is known of the surroundings differed.", style="dim"))
        return
    table = plain_table("What differed besides")
    for column in ("", *dict.fromkeys(case.value for case in comparison.cases)):
        table.add_column(column, overflow="fold")
    for name, texts in rows:
        table.add_row(name, *texts)
    console.print(table)


def show_comparison(
    console: Console, comparison: Comparison, *, verbose: bool = False,
    threshold: float | None = None,
) -> None:  # fmt: skip
    """Print the tables of a comparison, what agreed, and what was left out.

    Parameters
    ----------
    threshold
        Of what is varied, say what became slower by more; None: say what a test says.
    verbose
        Print caveats in full rather than their number, and the tables of a series case by case.
    """
    cases = {case.name: case for case in comparison.cases}
    tables = tabulate(comparison)
    found = series.find(comparison, tables)
    varied = variation.find(comparison, threshold)
    if comparison.varied in variation.WORDS:
        show_differences(console, comparison)
    for (case, ranks), rows in tables.items():
        plural = "s" if ranks != 1 else ""
        title = f"{case}: {cases[case].shown()} on {ranks} rank{plural}"
        if case == cases[case].program:
            title = f"{cases[case].shown()} on {ranks} rank{plural}"
        if varied and (len(rows) == 1 or isinstance(comparison, Joined)) and not verbose:
            continue
        if verbose or not found:
            console.print(comparison_table(console, title, rows, verbose=verbose))
            if divided := divisions(rows):
                console.print(division_table(console, divided))
            for text in series.choices_of(rows):
                console.print(Text(text))
    for table in varied:
        console.print(variation_table(table))
    if threshold is not None:
        for text in variation.sentences(comparison, threshold):
            console.print(Text(text, style="bold"))
    for one in found:
        show_series(console, one)
    for verdict in agreement(comparison):
        if not verdict.same or verbose or not found:
            style = "green" if verdict.same else "bold red"
            console.print(Text(f"{verdict.case}: {verdict.text}", style=style))
    show_caveats(console, comparison, tables, verbose=verbose)
    if not tables:
        console.print("Nothing was measured.", style="bold red")


def show_reasons(console: Console, reasons: Sequence[Reason]) -> None:
    """Print where the time of each scheme goes, as traces have it."""
    for reason in reasons:
        for sentence in reason.sentences:
            console.print(Text(sentence), soft_wrap=True)


def show_demo(console: Console, comparison: Comparison, *, verbose: bool = False) -> None:
    """Print the tables of the demonstration, with what they say in sentences behind them."""
    tables = tabulate(comparison)
    found = series.find(comparison, tables)
    show_comparison(console, comparison, verbose=verbose)
    for text in series.sentences(comparison, tables, found):
        console.print(Text(text, style="bold"))


def show_series(console: Console, one: series.Series) -> None:
    """Print the times of all sizes in one table, what `auto` takes off, and what it chose."""
    plural = "s" if one.ranks != 1 else ""
    table = plain_table(f"{one.program} on {one.ranks} rank{plural}: µs per step, by {one.axis}")
    table.add_column("scheme", no_wrap=True)
    for size in one.sizes:
        table.add_column(size.label, justify="right", no_wrap=True)
    for scheme in one.schemes:
        rows = [size.row(scheme) for size in one.sizes]
        cells = [
            ""
            if row is None
            else plain(1e6 * row.median.value) + ("*" if row.like_fastest else " ")
            for row in rows
        ]
        table.add_row(scheme, *cells, style="bold green" if scheme == series.AUTO else "")
    shares = [series.saving(row) if (row := size.row(series.AUTO)) else None for size in one.sizes]
    if any(shares):
        # The median of what each launch took off, which is not the ratio of the medians above.
        told = [None if share is None or series.undecided(share) else share for share in shares]
        table.add_row("auto takes off", *(_percent(share, "value") for share in told), style="bold")
    if any(share and share.confidence > series.LEAST_CONFIDENCE for share in shares):
        table.add_row("  95 %: from", *(_percent(share, "low") for share in shares), style="dim")
        table.add_row("        to", *(_percent(share, "high") for share in shares), style="dim")
    console.print(table)
    console.print(Text("*: cannot be told apart from the fastest of its column", style="dim"))
    for scheme, labels in series.choices(one):
        console.print(Text(f"auto chose {scheme} at {', '.join(labels)}"))


def _percent(share: Interval | None, end: str) -> str:
    """Return a share, or an end of its interval where there is one, for a narrow column."""
    if share is None or (end != "value" and share.confidence < series.LEAST_CONFIDENCE):
        return ""
    return f"{round(getattr(share, end)) + 0:d} %"


def show_caveats(
    console: Console, comparison: Comparison, tables: series.Tables, *, verbose: bool = False
) -> None:
    """Print in a line what limits a comparison, or all of it; and what is missing from it."""
    said = notes.of(comparison, tables)
    if verbose:
        for text in said.remarks:
            console.print(Text(text, style="dim"))
        for text in said.caveats.values():
            console.print(Text(text, style="yellow"))
    elif said.caveats:
        console.print(Text(said.gist(" (-v)"), style="yellow"))
    for scheme, why in comparison.skipped.items():
        console.print(Text(f"skipped {scheme}: {why}", style="yellow"))
    for schemes, why in failures(comparison):
        console.print(Text(f"failed {schemes}: {why}", style="red"))
    if comparison.interrupted:
        console.print("Interrupted: what was measured until then is kept.", style="yellow")


def show_kernels(console: Console, outcome: Outcome) -> None:
    """Print the table of goals, the speeds behind it, and what was left out or failed."""
    table = Folding(title="Ratios of speeds", title_justify="left", title_style="bold")
    table.add_column("case", no_wrap=True)
    table.add_column("measured\n[95 % interval]", justify="right", no_wrap=True)
    for name in ("at least", "aim"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for line in outcome.lines:
        name = f"{line.goal.name} ({line.scheme})" if line.scheme else line.goal.name
        table.add_row(name, *goal_cells(line), style=GOAL_STYLES[line.verdict])
    console.print(table)

    table = Folding(title="Speeds", title_justify="left", title_style="bold")
    table.add_column("case", no_wrap=True)
    for name in ("MLUP/s (streams: GB/s)\n[95 % interval]", "sweeps", "launches"):
        table.add_column(name, justify="right", no_wrap=True)
    for speed in outcome.speeds:
        table.add_row(
            speed.kernel.name, estimate(speed.rate), str(speed.sweeps), str(speed.launches)
        )
    console.print(table)

    least = min((speed.rate.confidence for speed in outcome.speeds), default=1.0)
    if least < 0.945:
        console.print(
            f"Too few launches for 95 %: the intervals of the speeds are whole ranges and hold "
            f"{100 * least:.0f} %. A larger --budget gives more.",
            style="yellow",
        )
    for names in outcome.disagreements:
        console.print(Text(f"RESULTS DIFFER: {names}", style="bold red"))
    for note in (notes.disturbances(outcome.comparison), business(outcome.comparison)):
        if note:
            console.print(Text(note, style="yellow"))
    for setting, why in outcome.comparison.failures().items():
        console.print(Text(f"failed {setting.case}: {why}", style="red"))
    if outcome.comparison.interrupted:
        console.print("Interrupted: what was measured until then is kept.", style="yellow")


def estimate(interval: Interval) -> str:
    """Return median and interval, or only the median of what was launched once."""
    return digits(interval) if interval.low < interval.high else digits(interval).split()[0]


def goal_cells(line: Line) -> list[str]:
    """Return what was measured of a goal, both bounds, and the verdict in words."""
    goal = line.goal
    if goal.is_share:
        bounds = [f"below {100 * bound:g} %" for bound in (goal.at_least, goal.aim)]
        measured = "" if line.measured is None else estimate(line.measured.scaled(100)) + " %"
    else:
        bounds = [f"{bound:g}" for bound in (goal.at_least, goal.aim)]
        measured = "" if line.measured is None else estimate(line.measured)
    return [measured, *bounds, line.verdict]


def show_verdicts(console: Console, verdicts: dict[str, Verdict], missing: dict[str, str]) -> None:
    """Print the doctor's verdicts: broken and missing schemes each, sound ones together."""
    table = Folding(header_style="bold", box=None, pad_edge=False)
    for name in ("scheme", "verdict", "ranks", "detail"):
        table.add_column(name, overflow="fold")
    for scheme, verdict in verdicts.items():
        ranks = ",".join(map(str, verdict.ranks))
        table.add_row(
            scheme, Text(verdict.outcome, STYLES.get(verdict.outcome, "")), ranks,
            Text(verdict.detail),
        )  # fmt: skip
    for scheme, reason in missing.items():
        table.add_row(scheme, Text("missing", "dim"), "", Text(reason, "dim"))
    console.print(table)
    sound = sum(verdict.sound for verdict in verdicts.values())
    broken = len(verdicts) - sound
    console.print(
        Text(f"{sound} sound, {broken} broken, {len(missing)} missing",
             "bold red" if broken else "bold green")
    )  # fmt: skip
    if untried := sum(not verdict.tried for verdict in verdicts.values()):
        console.print(
            Text(f"{untried} of them are known to the atlas and were not tried; --try-broken does")
        )


def show_facts(console: Console, facts: dict[str, Any], advice: Sequence[Advice]) -> None:
    """Print what is known about machine and MPI, and what to do about its flaws."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, text in fact_rows(facts):
        table.add_row(name, text)
    console.print(table)
    for item in advice:
        console.print(Text(f"{item.about}: {item.text}", "yellow" if item.serious else "dim"))
