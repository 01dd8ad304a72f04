"""The command `halocline report`."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional

import typer

from halocline import outputs, verbs
from halocline.reports import screenshot


def report(
    paths: List[Path] = typer.Argument(
        ..., metavar="DIR|FILE...", help="Folder written by compare or demo, or result files."
    ),
    output: Optional[Path] = typer.Option(None, help="The HTML file; by default in the folder."),
    image: Optional[Path] = typer.Option(
        None, "--screenshot", metavar="FILE.png", help="Also the page's top, by Chromium."
    ),
) -> None:
    """Write one self-contained HTML file about a comparison, or about how solvers converged.

    For result files of laplace it draws the residual against time and every worker's iterations.
    """
    outputs.check(output, "--output")
    outputs.check(image, "--screenshot")
    outputs.check_apart(output=output, screenshot=image)
    file = verbs.report(paths, output=output).file
    print(file)
    if image is not None:
        print(screenshot.take(file, image))
