"""The command `halocline advise`."""

from __future__ import annotations

import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Dict, List, Optional

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand

from halocline import advice, outputs, records, verbs
from halocline.advice import Answer, Row
from halocline.cli import display, terminal
from halocline.cli.options import SEED
from halocline.cli.progress import Checking
from halocline.errors import HaloclineError
from halocline.figures import percent, plain
from halocline.launch import process
from halocline.text import shown

CONTEXT = {
    "allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False,
}  # fmt: skip
"""All behind the first word is the program's."""
SHOWN = 0.001
"""A share of the run below which a pattern is only on the page."""
LOOPS = "--apply-loops"
"""What `--apply=loops` stands for."""
STYLES = {"saves": "bold green", "unknown": "yellow", "not replayed": "dim"}


class Command(TyperCommand):
    """The command, whose option `--apply` may have a value: typer knows only all or none."""

    def parse_args(self, ctx: Any, args: List[str]) -> List[str]:
        """Parse the words: those of our own options end where the program's command begins."""
        flags = [name for one in self.params if getattr(one, "is_flag", True) for name in one.opts]
        valued = {name for one in self.params for name in one.opts} - set(flags)
        end = 0
        while end < len(args) and args[end].startswith("-") and args[end] != "--":
            end += 1 + (args[end] in valued)
        own = [LOOPS if word == "--apply=loops" else word for word in args[:end]]
        for word in own:
            if word.startswith("--apply="):
                raise HaloclineError(f"{shown(word)}: give --apply or --apply=loops")
        return super().parse_args(ctx, own + args[end:])


def advise(
    command: Optional[List[str]] = typer.Argument(
        None,
        metavar="[-- COMMAND]...",
        help="What starts the program: mpiexec -n 4 ./app args, or srun, or what you type today.",
    ),
    budget: float = typer.Option(60, min=1, help="Seconds for trying other ways."),
    output: Optional[Path] = typer.Option(
        None, help="Folder for the recording, the replay and the page; new or empty."
    ),
    html: Optional[Path] = typer.Option(
        None, metavar="F.html", help="The page, which opens offline; by default in the folder."
    ),
    json: Optional[Path] = typer.Option(
        None, metavar="F.json", help="All figures; by default in the folder."
    ),
    record_only: bool = typer.Option(
        False, "--record-only", help="Run and record the program; --recording answers later."
    ),
    recording: Optional[Path] = typer.Option(
        None,
        metavar="DIR",
        help="Answer from this recording; with the command, its exchanges are replayed.",
    ),
    replay: bool = typer.Option(True, "--replay/--no-replay", help="Try other ways for real."),
    environment: bool = typer.Option(
        False, "--environment", help="Try a few variables of the MPI library, too."
    ),
    top: int = typer.Option(5, min=1, help="Patterns to show; the page has all."),
    program: Optional[str] = typer.Option(
        None, metavar="NAME", help="The word of the command that is the program."
    ),
    machine: Optional[str] = typer.Option(
        None, metavar="FILE|NAME", help="Machine file for 100 and 10,000 ranks."
    ),
    apply: bool = typer.Option(
        False,
        "--apply",
        help="Run the program with exchanges that repeat carried by a scheme. --apply=loops: the "
        "report speaks of loops of Isend and Irecv, too, which are left to MPI.",
    ),
    loops: bool = typer.Option(False, LOOPS, hidden=True),
    scheme: Optional[str] = typer.Option(
        None, metavar="NAME", help="With --apply: for what no answer in --recording names one."
    ),
    seed: Optional[int] = SEED,
    programs: Optional[Path] = typer.Option(
        None, "--programs", "--bin", metavar="DIR", help="Folder of Halocline's programs."
    ),
) -> None:
    """Run any MPI program as it is, and say what communicating otherwise would save.

    The program is recorded, what it exchanges is replayed through every sound way, and the answer
    has intervals. 'Nothing to gain' is an answer.
    """  # fmt: skip
    outputs.check(html, "--html")
    outputs.check(json, "--json")
    outputs.check_apart(html=html, json=json)
    outputs.check_folder(output, "--output")
    console = terminal.console()
    sys.stdout.flush()
    if apply or loops:
        left = {"--html": html, "--json": json, "--record-only": record_only or None}
        _refuse("with --apply", left)
        _apply(console, command or [], recording, scheme, loops, output, program, programs, top)
        return
    _refuse("without --apply", {"--scheme": scheme})
    if record_only:
        _record(console, command or [], output, program, recording, programs)
        return

    def say(text: str) -> None:
        console.print(Text(text, "dim"), soft_wrap=True)

    with Checking(console) as checking:
        found = verbs.advise(
            command or [], recording=recording, output=output, budget_s=budget, replay=replay,
            environment=environment, program=program, machine=machine, seed=seed,
            programs=programs, say=say, checking=checking,
        )  # fmt: skip
    with process.signals_wait(deliver=False) if found.answer.interrupted else nullcontext():
        show(console, found.answer, top)
        written = [found.write_page(html or found.folder / advice.campaign.PAGE)]
        if json is not None:
            written.append(found.write_json(json))
        for file in written:
            console.print(f"written: {file}", soft_wrap=True, style="dim", highlight=False)
    if found.answer.interrupted:
        _leave(128 + signal.SIGINT)


def _refuse(with_what: str, options: Dict[str, object]) -> None:
    for name, value in options.items():
        if value is not None:
            raise HaloclineError(f"{name}: has no meaning {with_what}; leave it out")


def _apply(
    console: Console, command: List[str], recording: Optional[Path], scheme: Optional[str],
    loops: bool, output: Optional[Path], program: Optional[str], programs: Optional[Path], top: int,
) -> None:  # fmt: skip
    if not command:
        raise HaloclineError("--apply: give the command that starts the program behind '--'")
    done = verbs.apply(
        command, recording=recording, scheme=scheme, loops=loops, output=output,
        program=program, programs=programs,
    )  # fmt: skip
    summary, *others = done.said
    console.print()
    console.print(Text(summary, "bold"), soft_wrap=True)
    for line in others[:top]:
        console.print(Text(line), soft_wrap=True)
    if len(others) > top:
        console.print(Text(f"and {len(others) - top} more", "dim"))
    console.print(Text(f"schemes: {done.told}", "dim"), soft_wrap=True)
    if done.report is not None:
        console.print(Text(f"written: {done.report}", "dim"), soft_wrap=True)
    _leave(done.code)


def _leave(code: int) -> None:
    """End with the program's exit code, or as a shell does for what a signal has ended."""
    if code != 0:
        raise typer.Exit(code if code > 0 else 128 - code)


def _record(
    console: Console, command: List[str], output: Optional[Path], program: Optional[str],
    recording: Optional[Path], programs: Optional[Path],
) -> None:  # fmt: skip
    if recording is not None:
        raise HaloclineError("--record-only: makes a recording; leave --recording out")
    if not command:
        raise HaloclineError("--record-only: give the command that starts the program behind '--'")
    folder = records.new_folder(
        output or records.default_folder("advise"), advice.campaign.RECORDING, "recording"
    )
    taken, code, _ = advice.campaign.record(
        advice.command.parsed(command, program), folder, programs
    )
    if missing := advice.recording.missing_in(taken):
        console.print(Text(advice.ending.left_nothing(missing)), soft_wrap=True)
    console.print(f"recorded: {taken}", soft_wrap=True, highlight=False)
    _leave(code)


def show(console: Console, answer: Answer, top: int) -> None:
    """Print the answer on a screen: a paragraph, a row for each pattern, what to change."""
    summary, *others = answer.said
    console.print()
    console.print(Text(summary, "bold"))
    for line in others:
        console.print(Text(line))
    rows = [row for row in answer.rows[:top] if row.share >= SHOWN]
    if rows:
        console.print()
        console.print(_table(rows))
        left = len(answer.rows) - len(rows)
        if left:
            share = percent(sum(row.share for row in answer.rows[len(rows) :]))
            console.print(Text(f"and {left} more with {share} of the run together", "dim"))
    for row in rows:
        _show_row(console, row, answer.machine)
    console.print()
    for line in answer.unseen_lines():
        console.print(Text(f"Not seen: {line}", "dim"))


def _table(rows: List[Row]) -> Table:
    table = display.plain_table()
    table.add_column("")
    table.add_column("where", overflow="fold")
    table.add_column("way", no_wrap=True)
    for name in ("peers", "bytes", "a second", "share", "waiting"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("best", overflow="fold")
    table.add_column("saves of the run\n[95 %]", justify="right", no_wrap=True)
    for row in rows:
        best = row.saving.best.name if row.saving.best else ""
        waiting = percent(row.waited) if row.waits_seen else "?"
        style = STYLES.get(row.saving.verdict, "")
        table.add_row(
            str(row.number), str(row.place), row.way, str(row.peers), row.size,
            plain(row.per_second), percent(row.share), waiting, best, row.saved, style=style,
        )  # fmt: skip
    return table


def _show_row(console: Console, row: Row, machine: str) -> None:
    """Print why nothing is claimed, or what to change, and what the model says."""
    if row.saving.why:
        console.print(Text(f"{row.number}: {row.saving.verdict}: {row.saving.why}"), soft_wrap=True)
    for remedy in row.remedies:
        console.print()
        console.print(Text(f"{row.number}: {remedy.what}"), soft_wrap=True)
        for line in remedy.lines:
            console.print(Text(f"    {line}", "cyan"), soft_wrap=True)
    for line in advice.said_of_scale(row, machine):
        console.print(Text(f"{row.number}: {line}", "dim"), soft_wrap=True)
