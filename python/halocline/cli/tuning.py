"""The commands `halocline tune` and `halocline explain`, and the tables that they show."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, List, Optional

import typer
from rich.console import Console
from rich.text import Text

from halocline import measure, verbs
from halocline.cli import display, terminal
from halocline.cli.options import ARGUMENTS, BIN, PROGRAM, RANKS
from halocline.cli.progress import Checking
from halocline.cli.trace import show as show_trace
from halocline.figures import amount
from halocline.launch import counts, is_there, short_library
from halocline.model import machines as model
from halocline.model.machines import Machine
from halocline.traces import reasons

TUNING = typer.Option(None, "--tuning", metavar="FILE", help="The file of what auto has chosen.")
HEADS = ("scheme", "µs [99 % interval]", "mean", "samples")
LAP_HEADS = ("scheme", "times as long [95 % interval]", "", "laps")
"""Heads of the table of what laps have found (`when=running`)."""
INDENT = 4


def tune(
    program: str = PROGRAM,
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: str = RANKS,
    file: Optional[Path] = TUNING,
    fresh: bool = typer.Option(False, help="Measure again what is known."),
    budget: float = typer.Option(10, min=0.01, help="Seconds for one choice."),
    timeout: float = typer.Option(600, min=1, help="Seconds that one run may take."),
    trust: bool = typer.Option(False, help="Do not ask the doctor first."),
    programs: Optional[Path] = BIN,
) -> None:
    """Let `auto` choose ahead: run a program with it, so that later runs know.

    The doctor checks first which schemes are sound. A scheme that a run does not survive is left
    out of the next.
    """
    console = terminal.console()
    with Checking(console) as checking:
        found = measure.tune(
            program, arguments or [], ranks=ranks, file=file, fresh=fresh,
            budget_s=budget, timeout_s=timeout, trust=trust, programs=programs, checking=checking,
            say=lambda text: console.print(text, style="yellow"),
        )  # fmt: skip
    show(console, found.entries)
    console.print(f"Remembered in {found.file}", style="dim", soft_wrap=True)


def explain(
    program: Optional[str] = typer.Argument(None, help="Only what this program chooses."),
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: str = RANKS,
    file: Optional[Path] = TUNING,
    why: bool = typer.Option(
        False, help="Then trace the program with what was chosen, and with what came next to it."
    ),
    machine: Optional[str] = typer.Option(
        None, help="A machine file, or the name of one: how long copies take."
    ),
    timeout: float = typer.Option(600, min=1, help="Seconds that one run may take."),
    programs: Optional[Path] = BIN,
) -> None:
    """Say what `auto` has chosen and why, with the figures: of all patterns, or of a program's.

    Where the fields lie in memory of the program's own, which some schemes cannot work on, it says
    what memory of the library would spare them.

    Of the file of a trace, or the folder of a comparison with --why, it says where the time went
    instead, and who made whom wait.
    """
    console = terminal.console()
    if program is not None and not arguments and verbs.is_trace(program):
        show_trace(console, verbs.trace(program))
        return
    if program is not None and is_there(Path(program) / reasons.FILE):
        display.show_reasons(console, reasons.load(Path(program)))
        return
    found = measure.explain(
        program, arguments or [], ranks=ranks, file=file, timeout_s=timeout,
        programs=programs, say=lambda text: console.print(text, style="yellow"),
    )  # fmt: skip
    show(console, found.entries, None if machine is None else model.load(machine))
    if why and program is not None:
        nearest = dict.fromkeys(scheme for entry in found.entries for scheme in best(entry))
        display.show_reasons(console, reasons.of_program(
            program, arguments or [], counts(ranks)[0], list(nearest),
            programs=programs, limit_s=timeout,
        ))  # fmt: skip


def best(entry: dict[str, Any]) -> list[str]:
    """Return what was chosen, and the fastest of the others that were measured."""
    rows = [row for row in entry.get("candidates", []) if "median_us" in row]
    rows.sort(key=lambda row: row["median_us"])
    chosen = entry.get("scheme")
    others = [row["scheme"] for row in rows if row["scheme"] != chosen]
    return [*([chosen] if chosen else []), *others][:2]


def show(
    console: Console, entries: Sequence[dict[str, Any]], machine: Machine | None = None
) -> None:
    """Print for each entry what was chosen, why, and the figures."""
    for entry in entries:
        _say(console, Text(title(entry), "bold"))
        for line in lines(entry, console.width if console.is_terminal else None):
            _say(console, line)
        for line in gains(entry, machine):
            _say(console, Text(line))
        cost = f" in {entry['seconds']:g} s" if "seconds" in entry else ""
        time = f", measured {entry['time']}{cost}" if "time" in entry else ""
        if in_laps(entry) and time:
            time = f", trying cost {entry.get('seconds', 0):g} s, {entry['time']}"
        _say(console, Text(f"{outcome(entry)}: {entry.get('why', 'written by hand')}{time}\n"))


def outcome(entry: dict[str, Any]) -> str:
    """Return what was chosen, or what people ask for there."""
    wishes = [f"pinned to {entry['pin']}"] if entry.get("pin") else []
    wishes += [f"without {', '.join(entry['forbid'])}"] if entry.get("forbid") else []
    chosen = [entry["scheme"]] if entry.get("scheme") else []
    return ", ".join([*chosen, *wishes]) or "nothing chosen yet"


def title(entry: dict[str, Any]) -> str:
    """Say in two lines what an entry is about."""
    machine, job, pattern = (entry.get(part, {}) for part in measure.tuning.SITUATION)
    links = _number(pattern, "links")
    nodes = f" on {_number(job, 'nodes')} node{'s' * (job['nodes'] != 1)}" if "nodes" in job else ""
    about = [
        f"{_number(job, 'ranks')} ranks{nodes}, {_number(job, 'ranks_per_island')} an island",
        f"{links} link{'s' * (links != '1')}, {amount(pattern.get('bytes'))} sent "
        f"(largest {amount(pattern.get('largest'))}, {_number(pattern, 'runs')} pieces)",
        *([f"{amount(pattern['away'])} of it to other islands"] if pattern.get("away") else []),
        f"fields of {amount(pattern.get('field_bytes'))} in {pattern.get('memory', '?')} memory",
    ]
    if job.get("yielding"):
        about.insert(1, "more ranks than cores")
    where = (
        f"{machine.get('cpu', '?')}, {_number(machine, 'cores')} cores, "
        f"{short_library(machine.get('mpi', ''))}"
    )
    where += "".join(f", {name}={value}" for name, value in machine.get("environment", {}).items())
    return f"{', '.join(about)}\n{where}"


def _number(of: dict[str, Any], name: str) -> str:
    return f"{of[name]:g}" if name in of else "?"


def lines(entry: dict[str, Any], width: int | None) -> list[Text]:
    """Return the candidates of an entry, the fastest first, with where each was dropped.

    Parameters
    ----------
    entry
        As in the file of choices.
    width
        Of the terminal. What does not fit goes to a line of its own; no name is ever broken. None
        for a file or pipe: a line each, however long.
    """
    tried, untried = candidates(entry)
    titles = LAP_HEADS if in_laps(entry) else HEADS
    heads = [(*titles, ""), *((*cells, why) for cells, why in tried)]
    wide = [max(len(cells[column]) for cells in heads) for column in range(len(titles))]
    needed = sum(wide) + 2 * len(wide)
    reasons = max(len(why) for *_, why in heads)

    def row(cells: Sequence[str]) -> str:
        numbers = (f"{cell:>{wide[place]}}" for place, cell in enumerate(cells[1:], 1))
        return "  ".join([f"{cells[0]:<{wide[0]}}", *numbers])

    if width is None or needed + reasons <= width:
        found = [Text(row(titles), "bold")]
        found += [Text(f"{row(cells)}  {why}", style(why)) for cells, why in tried]
    elif needed - 2 <= width:
        found = [Text(row(titles), "bold")]
        for cells, why in tried:
            found += [Text(row(cells), style(why)), _below(why)]
    else:
        found = []
        for cells, why in tried:
            scheme, median, mean, samples = cells
            numbers = f"{median} times as long" if titles is LAP_HEADS else f"{median} µs"
            numbers += f", mean {mean}" if mean else ""
            found += [
                Text(scheme, style(why)), _below(f"{numbers}, {samples} {titles[-1]}; {why}"),
            ]  # fmt: skip
    for why, schemes in untried.items():
        found.append(Text(f"{len(schemes)} more: {why}", "dim"))
        found.append(_below(", ".join(schemes)))
    return found


def candidates(
    entry: dict[str, Any],
) -> tuple[list[tuple[tuple[str, ...], str]], dict[str, list[str]]]:
    """Return what was measured, as cells and a reason, and the names of the rest by reason."""
    chosen = entry.get("scheme")

    def place(row: dict[str, Any]) -> tuple[bool, float]:
        return row["scheme"] != chosen, row.get("median_us", row.get("times", 0))

    tried, untried = [], {}
    for row in sorted(entry.get("candidates", []), key=place):
        if "median_us" in row:
            cells = (
                row["scheme"],
                f"{row['median_us']:.4g}{_interval(row, 'low_us', 'high_us')}",
                f"{row['mean_us']:.4g}" if "mean_us" in row else "",
                f"{row['samples']:g}" if "samples" in row else "?",
            )
        elif "times" in row:
            interval = _interval(row, "times_low", "times_high")
            laps = f"{row['laps']:g}" if "laps" in row else ""
            cells = (row["scheme"], f"{row['times']:.4g}{interval}", "", laps)
        else:
            why = row.get("dropped", "too few laps" if in_laps(entry) else "")
            untried.setdefault(why, []).append(row["scheme"])
            continue
        undecided = "too few laps" if in_laps(entry) else "in the race to the end, not faster"
        why = row.get("dropped") or undecided
        tried.append((cells, CHOSEN if row["scheme"] == chosen else why))
    return tried, untried


def in_laps(entry: dict[str, Any]) -> bool:
    """Whether an entry is of what laps have found, and not of measurements."""
    return any("times" in row for row in entry.get("candidates", []))


def _interval(row: dict[str, Any], low: str, high: str) -> str:
    return f" [{row[low]:.4g}, {row[high]:.4g}]" if {low, high} <= row.keys() else ""


def gains(entry: dict[str, Any], machine: Machine | None = None) -> list[str]:
    """Say what memory of the library would spare the candidates that cannot work on the fields.

    Parameters
    ----------
    entry
        As in the file of choices.
    machine
        Says how long copies take; without it only their bytes are told.
    """
    schemes: dict[int, list[str]] = {}
    for row in entry.get("candidates", []):
        if row.get("avoidable_bytes"):
            schemes.setdefault(row["avoidable_bytes"], []).append(row["scheme"])
    said = []
    for count, names in sorted(schemes.items()):
        seconds = machine.copying_s(count) if machine else 0
        time = f", about {1e6 * seconds:.3g} µs," if seconds else ""
        said.append(
            "fields by halocline::Array or ArenaAllocator would spare a step "
            f"{amount(count)} of copies{time} with {', '.join(names)}"
        )
    return said


CHOSEN = "chosen"


def style(why: str) -> str:
    """Return how the line of a candidate looks."""
    return "bold green" if why == CHOSEN else ""


def _below(text: str) -> Text:
    return Text(" " * INDENT + text, "dim")


def _say(console: Console, text: Text) -> None:
    """Print lines; in a terminal they are wrapped, but only between words."""
    for line in text.plain.split("\n"):
        parts = [line]
        if console.is_terminal and len(line) > console.width:
            indent = " " * (len(line) - len(line.lstrip()))
            parts = textwrap.wrap(
                line, console.width, subsequent_indent=indent,
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
        for part in parts:
            console.print(Text(part, text.style), soft_wrap=True)
