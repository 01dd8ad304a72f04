"""The commands `halocline bench KIND`, one for each kind of measurement, and `bench kernels`."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional

import typer
from rich.console import Console
from rich.table import Table

from halocline import measure, outputs, records
from halocline.cli import compare, demonstrate, display, terminal
from halocline.cli.in_job import starts_ranks
from halocline.cli.options import BIN, OUTPUT, PASSING, RANKS, SEED, variables
from halocline.cli.progress import Measuring
from halocline.figures import level
from halocline.measure import Benchmark, Point, benchmark, kernels
from halocline.reports.points import cautions, columns, panels, scale_of

app = typer.Typer(invoke_without_command=True)
app.callback()(demonstrate.bench)


def _command(kind: str):
    def command(
        arguments: Optional[List[str]] = typer.Argument(
            None,
            metavar="[ARGS]...",
            help=f"halometer's own, as 'halometer {kind} --help' lists them: --sizes, --width, ...",
        ),
        ranks: str = RANKS,
        chosen: Optional[str] = typer.Option(
            None, "--schemes", help="Names or globs, separated by commas."
        ),
        launches: int = typer.Option(3, min=1, help="Launches for each number of ranks."),
        budget: float = typer.Option(60, min=0, help="Seconds that one launch may measure."),
        environment: Optional[List[str]] = typer.Option(
            None, "--env", metavar="NAME=VALUE", help="Set for the launches; may be repeated."
        ),
        output: Optional[Path] = OUTPUT,
        seed: Optional[int] = SEED,
        pin: bool = typer.Option(True, "--pin/--no-pin", help="Give each rank its own cores."),
        programs: Optional[Path] = BIN,
    ) -> None:
        console = terminal.console()
        outputs.check_folder(output, "--output")
        found = measure.bench(
            kind, arguments or [], ranks=ranks, schemes=chosen,
            launches=launches, budget_s=budget, environment=variables(environment or [], "--env"),
            output=output, seed=seed, pin=pin, programs=programs,
            command_line=records.own_command_line(),
            say=lambda text: console.print(text, style="dim"),
        )  # fmt: skip
        _leave(console, found)

    return command


for _kind, _help in benchmark.KINDS.items():
    app.command(_kind, context_settings=PASSING, help=_help)(starts_ranks(_command(_kind)))


@app.command("kernels")
@starts_ranks
def bench_kernels(
    output: Optional[Path] = OUTPUT,
    budget: Optional[float] = typer.Option(
        None, min=1, show_default=f"{kernels.FULL.budget_s:.0f}", help="Seconds for everything."
    ),
    only: str = typer.Option("*", metavar="GLOB", help="Only the lines of the table that match."),
    quick: bool = typer.Option(False, help="Small problems, a minute: to see that it works."),
    seed: Optional[int] = SEED,
    programs: Optional[Path] = BIN,
) -> None:
    """Compare the sweeps with plain loops, with one thread and one rank, with memory.

    Ctrl-C ends the measurement and tabulates what there is.
    """
    console = terminal.console()
    outputs.check_folder(output, "--output")
    with Measuring(console) as measuring:
        outcome = kernels.bench_kernels(
            only, quick=quick, budget_s=budget, output=output, seed=seed, programs=programs,
            progress=measuring, say=lambda text: console.print(text, style="yellow"),
        )  # fmt: skip
    from halocline.reports import roofline  # it loads matplotlib

    display.show_kernels(console, outcome)
    picture = roofline.write(outcome)
    where = f"Results in {outcome.comparison.folder}" + (
        f", roofline in {picture}" if picture else ""
    )
    console.print(where, soft_wrap=True)
    compare.leave(outcome.comparison)
    if outcome.disagreements:
        raise typer.Exit(4)


def _leave(console: Console, running: Benchmark) -> None:
    """Print what there is; exit code 130 after Ctrl-C, 3 where a launch failed."""
    points = running.points()
    if points:
        across, found = panels(points)
        for title, shown in found.items():
            console.print(_table(console, f"{running.kind}, {title}", shown, across))
        for note in cautions(points):
            console.print(note, style="yellow")
    for scheme, why in running.left_out().items():
        console.print(f"{scheme} left out: {why}", style="yellow", soft_wrap=True)
    failed = [launch for launch in running.launches if launch.status == "failed"]
    for launch in failed:
        console.print(
            f"launch {launch.number} on {launch.ranks} ranks failed: {launch.reason}",
            style="red", soft_wrap=True,
        )  # fmt: skip
    if points:
        from halocline.reports import curves  # it loads matplotlib

        console.print(f"Curves: {curves.write(running)}", soft_wrap=True)
    if running.interrupted:
        raise typer.Exit(130)
    if failed or not points:
        raise typer.Exit(3)


def _table(console: Console, title: str, points: list[Point], across: str) -> Table:
    factor, unit = scale_of(points)
    holds = level(point.first for point in points)
    shown = columns(points, across, f"{unit} {holds}".rstrip())
    if any(point.shares for point in points):
        del shown["5 %"], shown["95 %"]  # a page is not wide enough for everything
    table = display.plain_table(title)
    table.add_column("scheme", no_wrap=True)
    for name in shown:
        table.add_column(name.replace(" at ", "\nat ").replace(" for ", "\nfor "),
                         justify="right", no_wrap=True)  # fmt: skip
    for point in points:
        table.add_row(
            display.broken(console, point.scheme), *(say(point, factor) for say in shown.values())
        )
    return table
