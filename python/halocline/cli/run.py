"""The command `halocline run`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import List, Optional

import typer

from halocline.cli.options import ARGUMENTS, BIN, PIN, PROGRAM
from halocline.errors import HaloclineError
from halocline.launch import find_program, gaspi_run, launcher_of, outer


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
    by_gaspi: bool = typer.Option(
        False, "--gaspi-run", help="Let GPI-2's launcher start the ranks, not MPI's."
    ),
    machines: Optional[Path] = typer.Option(
        None, help="For --gaspi-run: a file with the host of each rank, a line each."
    ),
    show: bool = typer.Option(False, "--show", help="Print the command instead of running it."),
    programs: Optional[Path] = BIN,
) -> None:
    """Run a program under its MPI, with the flags that root and many ranks need.

    The exit code is that of the program.
    """
    path = find_program(program, programs)
    starter = launcher_of(path, programs)
    own = [*(arguments or []), *(["--scheme", scheme] if scheme else [])]
    if machines and not by_gaspi:
        raise HaloclineError(f"--machines {machines}: goes with --gaspi-run")
    if by_gaspi:
        if show:
            raise HaloclineError("--show: what --gaspi-run does is no single command")
        raise typer.Exit(
            gaspi_run.run(
                starter, ranks, path, own,
                environment=starter.environment(ranks, threads), hosts_file=machines,
            )
        )  # fmt: skip
    command = starter.command(ranks, path, own, pin=pin, threads=threads)
    if show:
        print(starter.shown(ranks, command, threads))
        return
    sys.stdout.flush()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores
    os.execvpe(command[0], command, {**outer.without(), **starter.environment(ranks, threads)})
