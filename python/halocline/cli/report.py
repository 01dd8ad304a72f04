"""The command `halocline report`."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional

import typer

from halocline.measure import Comparison
from halocline.report import comparison, convergence


def report(
    paths: List[Path] = typer.Argument(
        ..., metavar="DIR|FILE...", help="Folder written by compare or demo, or result files."
    ),
    output: Optional[Path] = typer.Option(None, help="The HTML file; by default in the folder."),
) -> None:
    """Write one self-contained HTML file about a comparison, or about how solvers converged.

    For result files of laplace it draws the residual against time and every worker's iterations.
    """
    if convergence.is_asked_for(paths):
        print(convergence.write(paths, output))
    else:
        print(comparison.write(Comparison.load(paths[0]), output))
