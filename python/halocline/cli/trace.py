"""The command `halocline trace`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List, Optional

import typer
from rich.console import Console

from halocline import outputs, verbs
from halocline.cli import terminal
from halocline.cli.options import ARGUMENTS, BIN, PIN
from halocline.errors import HaloclineError
from halocline.reports import screenshot
from halocline.verbs import Traced

SHOT = (1100, 450)
"""Pixels of a page of two ranks."""


def trace(
    program: str = typer.Argument(
        ..., metavar="PROGRAM|FILE", help="A Halocline program, or the file of a trace."
    ),
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: int = typer.Option(2, "--ranks", "-n", min=1, help="Number of ranks."),
    scheme: Optional[str] = typer.Option(None, help="Given to the program as --scheme."),
    output: Optional[Path] = typer.Option(
        None, "--output", metavar="F.trace", help="Keep the trace."
    ),
    html: Optional[Path] = typer.Option(None, metavar="F.html", help="A page that opens offline."),
    image: Optional[Path] = typer.Option(
        None,
        "--screenshot",
        metavar="FILE.png",
        help="With --html: the page, at a step in the middle of the run, by Chromium.",
    ),
    perfetto: Optional[Path] = typer.Option(
        None, metavar="F", help="For https://ui.perfetto.dev, with arrows from put to wait."
    ),
    otf2: Optional[Path] = typer.Option(
        None, metavar="DIR", help="For Vampir, Scalasca and others that read OTF2."
    ),
    against: Optional[Path] = typer.Option(
        None, metavar="F.trace", help="Another trace of the same problem: is computing slower here?"
    ),
    pin: bool = PIN,
    programs: Optional[Path] = BIN,
) -> None:
    """Run a program, record what every rank does when, and say where its time went.

    Of a file written by --trace or --output it says the same without running anything.
    """
    if image is not None and html is None:
        raise HaloclineError("--screenshot: is of the page; give --html F.html, too")
    for option, named in (
        ("--output", output), ("--html", html), ("--screenshot", image), ("--perfetto", perfetto)
    ):  # fmt: skip
        outputs.check(named, option)
    outputs.check_apart(output=output, html=html, screenshot=image, perfetto=perfetto)
    outputs.check_folder(otf2, "--otf2", empty=True)
    console = terminal.console()
    sys.stdout.flush()
    found = verbs.trace(
        program, arguments or [], ranks=ranks, scheme=scheme, output=output, against=against,
        pin=pin, attended=True, programs=programs,
    )  # fmt: skip
    show(console, found)
    for file, write in (
        (html, found.write_page), (perfetto, found.write_perfetto), (otf2, found.write_otf2)
    ):  # fmt: skip
        if file is not None:
            console.print(f"written: {write(file)}", soft_wrap=True, style="dim")
    if image is not None and html is not None:
        from halocline.traces import page  # it loads numpy

        part = f"#step={page.middle(found.trace)}"
        console.print(f"written: {screenshot.take(html, image, part, SHOT)}", style="dim")


def show(console: Console, found: Traced) -> None:
    """Print what a trace says."""
    for line in found.said:
        console.print(line, soft_wrap=True, highlight=False)
