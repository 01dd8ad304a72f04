"""What may be asked for in two ways: words as typed or as a list, one number or several."""

from __future__ import annotations

import shlex
from collections.abc import Sequence


def words(arguments: str | Sequence[str]) -> list[str]:
    """Return the arguments of a program as a list; a string is split as a shell does."""
    return shlex.split(arguments) if isinstance(arguments, str) else list(arguments)


def counts(ranks: int | Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of ranks."""
    return (ranks,) if isinstance(ranks, int) else tuple(ranks)
