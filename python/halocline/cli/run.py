"""The command `halocline run`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import List, Optional

import typer

from halocline.cli.options import ARGUMENTS, BIN, PIN, PROGRAM
from halocline.launch import find_program, launcher_of


def run(
    program: str = PROGRAM,
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: int = typer.Option(2, "--ranks", "-n", min=1, help="Number of ranks."),
    threads: Optional[int] = typer.Option(
        None,
        min=1,
        help="Cores for so many threads of each rank, and OMP_NUM_THREADS; the program is told how "
        "many to start by its own option.",
    ),
    scheme: Optional[str] = typer.Option(None, help="Given to the program as --scheme."),
    pin: bool = PIN,
    show: bool = typer.Option(False, "--show", help="Print the command instead of running it."),
    programs: Optional[Path] = BIN,
) -> None:
    """Run a program under its MPI, with the flags that root and many ranks need.

    The exit code is that of the program.
    """
    path = find_program(program, programs)
    starter = launcher_of(path, programs)
    own = [*(arguments or []), *(["--scheme", scheme] if scheme else [])]
    command = starter.command(ranks, path, own, pin=pin, threads=threads)
    if show:
        print(starter.shown(ranks, command, threads))
        return
    sys.stdout.flush()
    os.execvpe(command[0], command, {**os.environ, **starter.environment(ranks, threads)})
