"""The command `halocline trace`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, List, Optional

import typer
from rich.console import Console

from halocline import outputs
from halocline.cli import terminal
from halocline.cli.options import ARGUMENTS, BIN, PIN
from halocline.errors import HaloclineError
from halocline.launch import (
    TRACE,
    find_program,
    first_bytes,
    is_program,
    is_there,
    launcher_of,
    process,
)
from halocline.report import screenshot

SHOT = (1100, 450)
"""Pixels of a page of two ranks."""

if TYPE_CHECKING:
    from halocline.trace import Trace


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
    from halocline.trace import otf2_archive, page
    from halocline.trace import perfetto as perfetto_file

    if image is not None and html is None:
        raise HaloclineError("--screenshot: is of the page; give --html F.html, too")
    for option, named in (
        ("--output", output), ("--html", html), ("--screenshot", image), ("--perfetto", perfetto)
    ):  # fmt: skip
        outputs.check(named, option)
    outputs.check_folder(otf2, "--otf2", empty=True)
    console = terminal.console()
    if arguments or not is_trace(program):
        with tempfile.TemporaryDirectory() as folder:
            file = output or Path(folder) / "run.trace"
            _run(program, arguments or [], ranks, scheme, file, pin, programs)
            found = say(console, file, against)
    else:
        found = say(console, program, against)
    for file, form in ((html, page), (perfetto, perfetto_file), (otf2, otf2_archive)):
        if file is not None:
            console.print(f"written: {form.write(found, file)}", soft_wrap=True, style="dim")
    if image is not None and html is not None:
        part = f"#step={page.middle(found)}"
        console.print(f"written: {screenshot.take(html, image, part, SHOT)}", style="dim")


def is_trace(name: str) -> bool:
    """Whether a word is the file of a trace: its first bytes say so, not its mode.

    A file that is no program either, or one that is called as a trace, is looked at as one, so that
    the message is about that.
    """
    file = Path(name)
    called = name.endswith(".trace") and ("/" in name or is_there(file))
    if first_bytes(file, len(TRACE)) == TRACE or called:
        return True
    return is_there(file) and not is_program(file)


def say(console: Console, file: Path | str, against: Path | None = None) -> Trace:
    """Print what a trace's file says; return the trace."""
    from halocline.trace import Trace, told  # they load numpy

    found = Trace.load(file)
    for line in told(found, Trace.load(against) if against else None):
        console.print(line, soft_wrap=True, highlight=False)
    return found


def _run(
    program: str,
    arguments: List[str],
    ranks: int,
    scheme: Optional[str],
    file: Path,
    pin: bool,
    programs: Optional[Path],
) -> None:
    path = find_program(program, programs)
    starter = launcher_of(path, programs)
    own = [*arguments, *(["--scheme", scheme] if scheme else []), "--trace", str(file)]
    sys.stdout.flush()
    code = process.attend(starter.command(ranks, path, own, pin=pin), starter.environment(ranks))
    if code != 0:
        raise HaloclineError(f"{program}: {process.describe_exit(code)}; there is no trace")
