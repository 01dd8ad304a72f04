"""The command `halocline validate`."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import List, Optional

import typer

from halocline import outputs, records
from halocline.cli import terminal
from halocline.errors import HaloclineError
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
    settings = [one for one in validation.SETTINGS if fnmatch.fnmatch(one.name, only)]
    if not settings:
        names = ", ".join(one.name for one in validation.SETTINGS)
        raise HaloclineError(f"--only '{only}' matches none of: {names}")
    if add and output:
        raise HaloclineError("--add names the folder already; leave --output out")
    outputs.check_folder(output, "--output")
    before = validation.load(add) if add else None
    folder = add.resolve() if add else records.new_folder(
        output or records.default_folder("validation"), validation.FILE, "validation"
    )  # fmt: skip
    console = terminal.console()
    found = validation.measure(
        programs or [None], settings=settings, budget_s=budget, seed=seed, pin=pin, folder=folder,
        before=before, say=lambda text: console.print(text, style="dim"),
    )  # fmt: skip
    from halocline.report import validation as pages  # it loads matplotlib

    pages.write(found, folder)
    for line in validation.said(validation.rows(found)):
        console.print(line)
    states = [one.cores for visit in found.visits for one in visit.conditions()]
    left_out = [f"{states.count(s)} {s}" for s in validation.LEFT_OUT if s in states]
    if left_out:
        console.print(
            f"left out, of {len(states)} measurements: {', '.join(left_out)}", style="yellow"
        )
    for problem in found.failures:
        console.print(problem, style="red", soft_wrap=True)
    console.print(f"Tables and plot: {folder}/validation.md, .csv, .svg", soft_wrap=True)
    if found.interrupted:
        raise typer.Exit(130)
    if found.failures or not found.visits:
        raise typer.Exit(3)
