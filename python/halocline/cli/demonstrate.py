"""The commands `halocline demo` and `halocline bench` without a kind."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import typer

from halocline import records
from halocline.cli import demo, display
from halocline.cli.compare import leave
from halocline.cli.options import BIN, OUTPUT
from halocline.cli.progress import Checking, Measuring


def demonstrate(
    output: Optional[Path] = OUTPUT,
    budget: float = typer.Option(280, min=10, help="Seconds for everything."),
    interlines: int = typer.Option(demo.INTERLINES, min=0, help="Size of the problem."),
    programs: Optional[Path] = BIN,
) -> None:
    """Solve Poisson's equation through every scheme, and report which is fastest."""
    _solve_through_all("demo", output, budget, interlines, programs)


def bench(
    context: typer.Context,
    output: Optional[Path] = OUTPUT,
    budget: float = typer.Option(1200, min=10, help="Seconds for everything."),
    interlines: int = typer.Option(512, min=0, help="Size of the problem."),
    programs: Optional[Path] = BIN,
) -> None:
    """Do the same as demo for longer and on a larger problem: figures to rely on."""
    if context.invoked_subcommand is None:
        _solve_through_all("bench", output, budget, interlines, programs)


def _solve_through_all(
    name: str, output: Optional[Path], budget: float, interlines: int, programs: Optional[Path]
) -> None:
    console = display.console()
    folder = output or records.default_folder(name)
    with Checking(console) as checking, Measuring(console) as measuring:
        steps = demo.Steps(checking, measuring, lambda text: console.print(text, style="bold"))
        comparison, file = demo.run(folder, programs, steps, budget_s=budget, interlines=interlines)
    display.show_comparison(console, comparison)
    console.print(f"Report: {file}", soft_wrap=True)
    leave(comparison)
