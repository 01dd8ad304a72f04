"""Find what a program has answered among what its MPI says on the same standard output.

MPI libraries and launchers print there as they are asked to (`MPIR_CVAR_DEBUG_SUMMARY`,
`I_MPI_DEBUG`, `HYDRA_DEBUG`), put ranks before lines, and sites greet. So an answer is JSON on one
line, wherever it begins, and is known by what it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from halocline.errors import HaloclineError
from halocline.text import shown

LONGEST = 200
"""Characters of what was printed instead that a message repeats."""


def answer(output: str, fits: Callable[[Any], bool], whose: str) -> Any:
    """Return the first JSON value in an output that is an answer.

    Parameters
    ----------
    output
        All that was printed, or a line of it.
    fits
        Whether a value is an answer, and not somebody else's.
    whose
        Who was asked, for messages.

    Raises
    ------
    HaloclineError
        When there is none; the message says what there is instead.
    """
    decoder = json.JSONDecoder()
    for line in output.splitlines():
        at = 0
        for begin in re.finditer(r"[\[{]", line):
            if begin.start() < at:
                continue
            try:
                value, at = decoder.raw_decode(line, begin.start())
            except (ValueError, RecursionError):
                continue
            if fits(value):
                return value
    said = shown(output.strip())
    instead = f"only '{said[:LONGEST]}{'...' * (len(said) > LONGEST)}'" if said else "nothing"
    raise HaloclineError(f"{whose}: no answer on its standard output, {instead}")


def has(*names: str) -> Callable[[Any], bool]:
    """Return a test for an object with these fields."""
    return lambda value: isinstance(value, dict) and value.keys() >= set(names)


def rows(*names: str) -> Callable[[Any], bool]:
    """Return a test for a list, maybe empty, of objects with these fields."""
    return lambda value: isinstance(value, list) and all(map(has(*names), value))
