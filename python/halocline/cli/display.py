"""How comparisons and verdicts look in a terminal."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from halocline.launch.launcher import short_library
from halocline.measure.compare import BASELINE, Comparison, Row, agreement, business, tabulate
from halocline.measure.doctor import Advice, Verdict
from halocline.measure.kernels import Line, Outcome
from halocline.report import notes
from halocline.statistics.intervals import Interval

STYLES = {
    "sound": "green",
    "refused": "yellow",
    "wrong": "bold red",
    "error": "red",
    "crash": "red",
    "hang": "red",
}
GOAL_STYLES = {"aim": "bold green", "enough": "green", "short": "yellow", "not measured": "dim"}


def scale(seconds: float) -> tuple[float, str]:
    """Return the factor and unit in which a time reads best."""
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return factor, unit
    return 1.0, "s"


def digits(interval: Interval) -> str:
    """Return `median [low, high]` with as many digits as the width of the interval deserves."""
    width = interval.high - interval.low or abs(interval.value) or 1
    places = 0 if width >= 20 else 1 if width >= 2 else 2 if width >= 0.2 else 3
    if interval.low > 0:
        places = max(places, min(6, -math.floor(math.log10(interval.low))))
    return f"{interval.value:.{places}f} [{interval.low:.{places}f}, {interval.high:.{places}f}]"


def console() -> Console:
    """Return the console: as wide as the terminal, a page of 100 characters in a file or pipe."""
    return Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100)


def plain(value: float) -> str:
    """Return a number with three digits that count, or all before the point; no exponent."""
    if value == 0:
        return "0"
    places = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{min(max(places, 0), 12)}f}"


def reach(row: Row, factor: float) -> str:
    """Return the range from the 5th to the 95th percentile of a scheme's samples."""
    return "-".join(plain(row.spread.percentiles[mark] * factor) for mark in (5, 95))


def plain_table(title: str) -> Table:
    """Return a table without lines: columns so near that many fit a page of 100 characters."""
    return Table(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=None,
        pad_edge=False, padding=(0, 2, 0, 0),
    )  # fmt: skip


def comparison_table(title: str, rows: Sequence[Row]) -> Table:
    """Return the table of one case and one number of ranks."""
    factor, unit = scale(rows[0].median.value)
    table = plain_table(title)
    table.add_column("scheme", overflow="fold")
    table.add_column(f"{unit} per step\n[95 %]", justify="right", no_wrap=True)
    table.add_column("5-95 %\nof samples", justify="right", no_wrap=True)
    table.add_column(f"ratio to\n{BASELINE}", justify="right", no_wrap=True)
    table.add_column("by\ntest", no_wrap=True)
    table.add_column("comp./\npack./\nwait. %", justify="right", no_wrap=True)
    table.add_column("against\nall", no_wrap=True)
    for row in rows:
        style = "bold green" if row.fastest else "green" if row.like_fastest else ""
        table.add_row(
            row.setting.scheme,
            digits(row.median.scaled(factor)),
            reach(row, factor),
            ratio_of(row),
            "tie" if row.against_baseline == "no difference" else row.against_baseline,
            "/".join(part.replace(" %", "") for part in split(row.shares) if part),
            "tie" if row.rivals else row.verdict,
            style=style,
        )
    return table


def ratio_of(row: Row) -> str:
    """Return the ratio to the baseline with its interval; nothing where there is none."""
    if row.ratio is None:
        return ""
    return "1" if row.setting.scheme == BASELINE else digits(row.ratio)


def split(shares: dict[str, float]) -> list[str]:
    """Return the shares computing, packing and waiting (all that is neither) as percentages."""
    if not shares:
        return ["", "", ""]
    compute, pack = shares["compute_s"], shares["pack_s"]
    return [f"{100 * part:.0f} %" for part in (compute, pack, max(0.0, 1 - compute - pack))]


def show_comparison(console: Console, comparison: Comparison) -> None:
    """Print the tables of a comparison, what agreed, and what was left out."""
    cases = {case.name: case for case in comparison.cases}
    tables = tabulate(comparison)
    for (case, ranks), rows in tables.items():
        plural = "s" if ranks != 1 else ""
        title = f"{case}: {cases[case].shown()} on {ranks} rank{plural}"
        if case == cases[case].program:
            title = f"{cases[case].shown()} on {ranks} rank{plural}"
        console.print(comparison_table(title, rows))
        if notes.few_launches(rows):
            console.print(Text(f"  {notes.few_launches(rows)}", style="yellow"))
        for note in (notes.warm_up(rows), notes.outliers(rows)):
            if note:
                console.print(Text(f"  {note}", style="dim"))
    for verdict in agreement(comparison):
        style = "green" if verdict.same else "bold red"
        console.print(Text(f"{verdict.case}: {verdict.text}", style=style))
    if notes.ending(comparison, tables.values()):
        console.print(Text(notes.ending(comparison, tables.values()), style="yellow"))
    show_caveats(console, comparison)
    if not tables:
        console.print("Nothing was measured.", style="bold red")


def show_caveats(console: Console, comparison: Comparison) -> None:
    """Print what disturbed a comparison, and what is missing from it."""
    for note in (notes.disturbances(comparison), notes.moved(comparison), business(comparison)):
        if note:
            console.print(Text(note, style="yellow"))
    for scheme, why in comparison.skipped.items():
        console.print(Text(f"skipped {scheme}: {why}", style="yellow"))
    for schemes, why in failures(comparison):
        console.print(Text(f"failed {schemes}: {why}", style="red"))
    if comparison.interrupted:
        console.print("Interrupted: what was measured until then is kept.", style="yellow")


def show_kernels(console: Console, outcome: Outcome) -> None:
    """Print the table of goals, the speeds behind it, and what was left out or failed."""
    table = Table(title="Ratios of speeds", title_justify="left", title_style="bold")
    table.add_column("case", no_wrap=True)
    table.add_column("measured\n[95 % interval]", justify="right", no_wrap=True)
    for name in ("at least", "aim"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for line in outcome.lines:
        name = f"{line.goal.name} ({line.scheme})" if line.scheme else line.goal.name
        table.add_row(name, *goal_cells(line), style=GOAL_STYLES[line.verdict])
    console.print(table)

    table = Table(title="Speeds", title_justify="left", title_style="bold")
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


def failures(comparison: Comparison) -> list[tuple[str, str]]:
    """Return who failed and why; those that failed for the same reason together."""
    groups: dict[tuple[str, int, str], list[str]] = {}
    for setting, why in comparison.failures().items():
        groups.setdefault((setting.case, setting.ranks, why), []).append(setting.scheme)
    return [
        (f"{', '.join(sorted(schemes))} on {ranks} ranks ({case})", why)
        for (case, ranks, why), schemes in groups.items()
    ]


def show_verdicts(console: Console, verdicts: dict[str, Verdict], missing: dict[str, str]) -> None:
    """Print the doctor's verdicts: broken and missing schemes each, sound ones together."""
    table = Table(header_style="bold", box=None, pad_edge=False)
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


def fact_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts as pairs of name and text."""
    here, mpi, build = (facts.get(name, {}) for name in ("machine", "mpi", "build"))
    rows = []
    if here:
        cores, nodes = here.get("cores", "?"), here.get("numa_nodes", "?")
        rows.append(("host", str(here.get("host", "?"))))
        rows.append(
            (
                "processor",
                f"{here.get('cpu', '?')}, {cores} cores, {nodes} NUMA node{'s' * (nodes != 1)}",
            )
        )
        rows.append(("memory", amount(here.get("memory_bytes"))))
        if "shm_bytes_free" in here:
            free, total = amount(here["shm_bytes_free"]), amount(here.get("shm_bytes_total"))
            rows.append(("/dev/shm", f"{free} free of {total}"))
        rows.append(("kernel", str(here.get("kernel", "?"))))
    if mpi:
        library = short_library(str(mpi.get("library", "")))
        rows.append(("MPI", f"{library}, standard {mpi.get('standard', '?')}"))
        rows.append(("thread level", str(mpi.get("thread_level", "?"))))
    if facts.get("windows"):
        text = ", ".join(f"{name} {model}" for name, model in facts["windows"].items())
        rows.append(("windows", text))
    if facts.get("ranks"):
        rows.append(
            (
                "pinning",
                "; ".join(
                    f"rank {r.get('rank')} on {r.get('host', '?')} CPU {cpu_list(r.get('binding'))}"
                    for r in facts["ranks"]
                ),
            )
        )
    if build:
        rows.append(
            ("built with", f"{build.get('compiler', '?')} {build.get('flags', '')}".strip())
        )
    return rows


def cpu_list(cpus: Sequence[int] | None) -> str:
    """Return CPU numbers as ranges: 0-3,8."""
    if not cpus:
        return "any"
    parts, first = [], cpus[0]
    for cpu, following in zip(cpus, [*cpus[1:], None]):
        if following != cpu + 1:
            parts.append(f"{first}" if first == cpu else f"{first}-{cpu}")
            first = following
    return ",".join(parts)


def amount(count: float | None) -> str:
    """Return a number of bytes in the unit in which it reads best."""
    if count is None:
        return "?"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"
