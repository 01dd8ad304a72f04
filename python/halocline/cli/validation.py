"""The command `halocline validate`."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import List, Optional

import typer

from halocline import records
from halocline.cli import display
from halocline.errors import HaloclineError
from halocline.measure import validation


def validate(
    only: str = typer.Option("*", metavar="GLOB", help="Only settings of such names."),
    budget: float = typer.Option(300, min=0, help="Seconds; each setting has one visit at least."),
    output: Optional[Path] = typer.Option(None, help="Folder for the results."),
    seed: Optional[int] = typer.Option(None, min=0, help="Of the random order."),
    pin: bool = typer.Option(True, "--pin/--no-pin", help="Give each rank its own cores."),
    programs: Optional[List[Path]] = typer.Option(
        None, "--bin", metavar="DIR", help="Folder of the programs; once for each MPI."
    ),
) -> None:
    """Set the times of halobench and `auto` against what laplace and partdiff feel, on 2 ranks."""
    settings = [one for one in validation.SETTINGS if fnmatch.fnmatch(one.name, only)]
    if not settings:
        names = ", ".join(one.name for one in validation.SETTINGS)
        raise HaloclineError(f"--only '{only}' matches none of: {names}")
    folder = (output or records.default_folder("validation")).resolve()
    if (folder / "validation.json").exists():
        raise HaloclineError(f"{folder} already holds a validation; name another with --output")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HaloclineError(f"cannot make {folder}: {error.strerror}") from error
    console = display.console()
    found = validation.measure(
        programs or [None], settings=settings, budget_s=budget, seed=seed, pin=pin, folder=folder,
        say=lambda text: console.print(text, style="dim", markup=False),
    )  # fmt: skip
    found.save(folder)
    from halocline.report import validation as pages  # it loads matplotlib

    pages.write(found, folder)
    for line in validation.said(found.rows()):
        console.print(line)
    moved = sum(visit.cores == "moved" for visit in found.visits)
    if moved:
        console.print(f"left out: {moved} visits during which the cores moved", style="yellow")
    for problem in found.failures:
        console.print(problem, style="red", soft_wrap=True, markup=False)
    console.print(f"Table and plot: {folder}/validation.md, .csv, .svg", soft_wrap=True)
    if found.interrupted:
        raise typer.Exit(130)
    if found.failures or not found.visits:
        raise typer.Exit(3)
