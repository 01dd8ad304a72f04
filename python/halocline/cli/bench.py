"""The commands `halocline bench KIND`: one for each kind of measurement of halobench."""

from __future__ import annotations

import time
from pathlib import Path
from typing import List, Optional

import typer
from rich.console import Console
from rich.table import Table

from halocline.cli import display
from halocline.errors import HaloclineError
from halocline.launch.launcher import find_program
from halocline.measure import benchmark
from halocline.measure.checker import Checker, choose, launcher_of
from halocline.report import curves

PASSING = {"allow_extra_args": True, "ignore_unknown_options": True}


def add_to(bench: typer.Typer) -> None:
    """Give `bench` a command for each kind."""
    for kind, help_text in benchmark.KINDS.items():
        bench.command(kind, context_settings=PASSING, help=help_text)(_command(kind))


def _command(kind: str):
    def command(
        arguments: Optional[List[str]] = typer.Argument(
            None,
            metavar="[ARGS]...",
            help=f"halobench's own, as 'halobench {kind} --help' lists them: --sizes, --width, ...",
        ),
        ranks: str = typer.Option("2", "--ranks", "-n", help="Numbers of ranks: 2 or 2,4."),
        chosen: Optional[str] = typer.Option(
            None, "--schemes", help="Names or globs, separated by commas."
        ),
        launches: int = typer.Option(3, min=1, help="Launches for each number of ranks."),
        budget: float = typer.Option(60, min=0, help="Seconds that one launch may measure."),
        variables: Optional[List[str]] = typer.Option(
            None, "--env", metavar="NAME=VALUE", help="Set for the launches; may be repeated."
        ),
        output: Optional[Path] = typer.Option(None, help="Folder for the results."),
        seed: Optional[int] = typer.Option(None, min=0, help="Of the random order."),
        pin: bool = typer.Option(True, "--pin/--no-pin", help="Give each rank its own cores."),
        programs: Optional[Path] = typer.Option(
            None, "--bin", metavar="DIR", help="Folder of the programs."
        ),
    ) -> None:
        counts = _numbers(ranks)
        program = find_program("halobench", programs)
        words = [*(arguments or []), "--budget", str(budget)]
        if chosen is not None:
            named = chosen
            if kind not in benchmark.OWN_SCHEMES:
                named = ",".join(choose(chosen, Checker(programs)))
            words += ["--schemes", named]
        environment = _environment(variables or [])
        folder = output or Path("results") / f"{kind}-{time.strftime('%Y%m%d-%H%M%S')}"
        console = display.console()
        running = benchmark.prepare(folder, kind, seed, environment)
        benchmark.measure(
            running, program, launcher_of(program, programs), words, ranks=counts,
            launches=launches, limit_s=10 * budget + 600, pin=pin,
            say=lambda text: console.print(text, style="dim"),
        )  # fmt: skip
        _leave(console, running)

    return command


def _leave(console: Console, running: benchmark.Benchmark) -> None:
    """Print what there is; exit code 130 after Ctrl-C, 3 where a launch failed."""
    points = running.points()
    if points:
        across, panels = curves.panels(points)
        for title, shown in panels.items():
            console.print(_table(f"{running.kind}, {title}", shown, across))
        for note in curves.cautions(points):
            console.print(note, style="yellow")
    for scheme, why in running.left_out().items():
        console.print(f"{scheme} left out: {why}", style="yellow", soft_wrap=True)
    failed = [launch for launch in running.launches if launch.status == "failed"]
    for launch in failed:
        console.print(
            f"launch {launch.number} on {launch.ranks} ranks failed: {launch.reason}",
            style="red", soft_wrap=True, markup=False,
        )  # fmt: skip
    if points:
        console.print(f"Curves: {curves.write(running)}", soft_wrap=True)
    if running.interrupted:
        raise typer.Exit(130)
    if failed or not points:
        raise typer.Exit(3)


def _table(title: str, points: list[benchmark.Point], across: str) -> Table:
    factor, unit = curves.scale_of(points)
    columns = curves.columns(points, across, f"{unit} [95 %]")
    if any(point.shares for point in points):
        del columns["5 %"], columns["95 %"]  # a page is not wide enough for everything
    table = display.plain_table(title)
    table.add_column("scheme", overflow="fold")
    for name in columns:
        table.add_column(name.replace(" at ", "\nat ").replace(" for ", "\nfor "),
                         justify="right", no_wrap=True)  # fmt: skip
    for point in points:
        table.add_row(point.scheme, *(say(point, factor) for say in columns.values()))
    return table


def _numbers(text: str) -> list[int]:
    try:
        numbers = list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise HaloclineError(f"--ranks {text}: give positive numbers separated by commas, as 2,4")
    return numbers


def _environment(variables: list[str]) -> dict[str, str]:
    pairs = {}
    for text in variables:
        name, equals, content = text.partition("=")
        if not name or not equals:
            raise HaloclineError(f"--env {text}: must be NAME=VALUE")
        pairs[name] = content
    return pairs
