"""The command `halocline validate`."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional

import typer

from halocline import verbs
from halocline.cli import terminal
from halocline.measure import validation


def validate(
    only: str = typer.Option("*", metavar="GLOB", help="Only settings of such names."),
    budget: float = typer.Option(300, min=0, help="Seconds; one visit at least."),
    output: Optional[Path] = typer.Option(None, help="Folder for the results."),
    add: Optional[Path] = typer.Option(
        None, metavar="DIR", help="Go on with the validation in this folder."
    ),
    seed: Optional[int] = typer.Option(None, min=0, help="Of the random order."),
    pin: bool = typer.Option(True, "--pin/--no-pin", help="Give each rank its own cores."),
    programs: Optional[List[Path]] = typer.Option(
        None, "--bin", metavar="DIR", help="Folder of the programs; once for each MPI."
    ),
) -> None:
    """Set the times of halometer and `auto` against what laplace and partdiff feel, on 2 ranks."""
    console = terminal.console()
    judged = verbs.validate(
        only, budget_s=budget, output=output, add=add, seed=seed, pin=pin, programs=programs,
        say=lambda text: console.print(text, style="dim"),
    )  # fmt: skip
    found = judged.validation
    for line in judged.said:
        console.print(line)
    states = [one.cores for visit in found.visits for one in visit.conditions()]
    left_out = [f"{states.count(s)} {s}" for s in validation.LEFT_OUT if s in states]
    if left_out:
        console.print(
            f"left out, of {len(states)} measurements: {', '.join(left_out)}", style="yellow"
        )
    for problem in found.failures:
        console.print(problem, style="red", soft_wrap=True)
    console.print(f"Tables and plot: {judged.folder}/validation.md, .csv, .svg", soft_wrap=True)
    if found.interrupted:
        raise typer.Exit(130)
    if found.failures or not found.visits:
        raise typer.Exit(3)
