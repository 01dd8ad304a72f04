"""Options that several commands have, and how their values are read."""

from __future__ import annotations

import math
from collections.abc import Sequence

import typer

from halocline.errors import HaloclineError

PASSING = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Context of commands that hand arguments on to a program."""
PROGRAM = typer.Argument(..., help="Name of a Halocline program, or a path.")
ARGUMENTS = typer.Argument(
    None, metavar="[ARGS]...",
    help="The program's own arguments; behind '--' even those that look like options of halocline.",
)  # fmt: skip
RANKS = typer.Option("2", "--ranks", "-n", help="Numbers of ranks: 2 or 2,4.")
BIN = typer.Option(None, "--bin", metavar="DIR", help="Folder of the programs.")
PIN = typer.Option(True, "--pin/--no-pin", help="Give each rank its own cores, if there are.")
VERBOSE = typer.Option(False, "--verbose", "-v", help="Caveats in full, and every table.")
OUTPUT = typer.Option(None, help="Folder for the results.")
SEED = typer.Option(None, min=0, help="Of the random order.")


def percent(text: str, option: str) -> float:
    """Read a percentage, with its sign or without."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise HaloclineError(f"{option} {text}: give a percentage, as 5%")
    return value / 100


def variables(texts: Sequence[str], option: str) -> dict[str, str]:
    """Read variables of the environment: NAME=VALUE each."""
    pairs = {}
    for text in texts:
        name, equals, content = text.partition("=")
        if not name or not equals:
            raise HaloclineError(f"{option} {text}: must be NAME=VALUE")
        pairs[name] = content
    return pairs
