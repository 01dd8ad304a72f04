"""Ask a program that runs alone, without an MPI launcher: what it prints, or why it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.launch import process
from halocline.launch.answers import answer

LIMIT_S = 600
NO_OPTION = "there is no such option"
"""What programs of ours say of one (apps/common/command_line)."""


def printed(
    program: Path, arguments: Sequence[str], limit_s: float = LIMIT_S, *, inner: bool = False
) -> str:
    """Return what a program prints.

    Parameters
    ----------
    inner
        Whoever uses the command does not know of the program: its name is left out of messages.

    Raises
    ------
    HaloclineError
        When it fails; the message is the program's last line.
    """
    finished = process.run([str(program), *arguments], None, limit_s)
    if not finished.ok:
        said = finished.last_words(1) or f"{program.name}: {finished.reason()}"
        raise HaloclineError(said.removeprefix(f"{program.name}: ") if inner else said)
    return finished.output


def check_options(program: Path, arguments: Sequence[str]) -> None:
    """Refuse options that a program of ours does not have, before it is started many times.

    Where it cannot be asked, as programs that start on compute nodes alone, nothing is refused.

    Raises
    ------
    HaloclineError
        What the program says of them.
    """
    try:
        printed(program, [*arguments, "--help"], 20)
    except HaloclineError as error:
        if NO_OPTION in str(error) and str(error).startswith(f"{program.name}: "):
            raise


def ask(
    program: Path,
    arguments: Sequence[str],
    fits: Callable[[Any], bool],
    limit_s: float = LIMIT_S,
    *,
    inner: bool = False,
) -> Any:
    """Return the first JSON value that a program prints and that is an answer.

    Raises
    ------
    HaloclineError
        When the program fails, or prints none.
    """
    return answer(printed(program, arguments, limit_s, inner=inner), fits, program.name)
