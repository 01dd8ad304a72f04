"""The commands `halocline demo` and `halocline bench` without a kind."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import typer

from halocline import outputs, records
from halocline.cli import demo, display, terminal
from halocline.cli.compare import leave
from halocline.cli.options import BIN, OUTPUT, VERBOSE
from halocline.cli.screen import Screen


def demonstrate(
    output: Optional[Path] = OUTPUT,
    budget: float = typer.Option(180, min=10, help="Seconds for everything."),
    build: str = typer.Option("", hidden=True, help="A command that compiles partdiff."),
    verbose: bool = VERBOSE,
    programs: Optional[Path] = BIN,
) -> None:
    """Show where the choice of a scheme matters: a 3-D solver at several sizes, and partdiff.

    Ctrl-C ends the measurement and reports what there is.
    """
    _show("demo", output, demo.Effort(budget, build=build), verbose, programs)


def bench(
    context: typer.Context,
    output: Optional[Path] = OUTPUT,
    budget: float = typer.Option(1200, min=10, help="Seconds for everything."),
    verbose: bool = VERBOSE,
    programs: Optional[Path] = BIN,
) -> None:
    """Do the same as demo for longer and with every scheme: figures to rely on."""
    if context.invoked_subcommand is None:
        _show("bench", output, demo.Effort(budget, every_scheme=True), verbose, programs)


def _show(
    name: str, output: Optional[Path], effort: demo.Effort, verbose: bool, programs: Optional[Path]
) -> None:
    console = terminal.console()
    outputs.check_folder(output, "--output")
    with Screen(console) as screen:
        found = demo.run(output or records.default_folder(name), programs, screen, effort)
    display.show_demo(console, found, verbose=verbose)
    if found.measured():
        from halocline.reports import comparison  # it loads matplotlib

        console.print(f"Report: {comparison.write(found)}", soft_wrap=True)
    leave(found)
