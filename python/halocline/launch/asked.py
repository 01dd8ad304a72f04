"""What may be asked for in several ways: words as typed or as a list, one number or several."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from halocline.errors import HaloclineError


def words(arguments: str | Sequence[str]) -> list[str]:
    """Return the arguments of a program as a list; a string is split as a shell does.

    Raises
    ------
    HaloclineError
        When a quotation does not end.
    """
    if not isinstance(arguments, str):
        return list(arguments)
    try:
        return shlex.split(arguments)
    except ValueError as error:
        raise HaloclineError(f"arguments {arguments}: {str(error).lower()}") from error


def counts(ranks: int | str | Sequence[int], option: str = "--ranks") -> tuple[int, ...]:
    """Return numbers of ranks, each once: one, several, or several as typed, `2,4`.

    Raises
    ------
    HaloclineError
        When one of them is none.
    """
    given = ranks.split(",") if isinstance(ranks, str) else ranks
    try:
        listed = [given] if isinstance(given, int) else list(given)
        found = tuple(dict.fromkeys(int(one) for one in listed))
        whole = all(isinstance(one, str) or one == int(one) for one in listed)
    except (TypeError, ValueError):
        found, whole = (), False
    if not found or not whole or min(found) < 1:
        raise HaloclineError(f"{option} {ranks}: give positive numbers separated by commas, as 2,4")
    return found


def count(ranks: int | str, option: str = "--ranks") -> int:
    """Return one number of ranks.

    Raises
    ------
    HaloclineError
        When it is none.
    """
    try:
        (found,) = counts(ranks, option)
    except (HaloclineError, ValueError):
        raise HaloclineError(f"{option} {ranks}: give one positive number") from None
    return found
