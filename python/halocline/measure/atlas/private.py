"""What of a machine stays on it: names of hosts and people, and where they keep their files."""

from __future__ import annotations

import contextlib
import getpass
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

SHORTEST = 2
"""Letters of a name below which it would be found everywhere."""
PLACES = (
    re.compile(r"[\w.+-]+@[\w.-]+"),  # somebody at a host
    re.compile(r"(?<![\w.*)])~?/[\w.~-][^\s:,;'\")\]]*"),  # a path
    re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),  # an address
    re.compile(r"(?<![\w:])(?:[\da-fA-F]{0,4}:){4,7}[\da-fA-F]{0,4}(?![\w:])"),  # and others
)
HIDDEN = "..."


@dataclass(frozen=True)
class Hidden:
    """Names that are kept out of what is shared."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Hidden:
        """Return the names of this user and of all hosts of a job."""
        found = [socket.gethostname(), facts.get("machine", {}).get("host", "")]
        found += [str(rank.get("host", "")) for rank in facts.get("ranks", [])]
        with contextlib.suppress(OSError, KeyError):  # a user without a name
            found.append(getpass.getuser())
        found += [name.partition(".")[0] for name in found]
        longest_first = sorted({name for name in found if len(name) >= SHORTEST}, key=len)[::-1]
        return cls(tuple(longest_first))

    def without(self, text: str) -> str:
        """Return a text without these names, and without paths and addresses."""
        for place in PLACES:
            text = place.sub(HIDDEN, text)
        for name in self.names:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", HIDDEN, text)
        return text

    def names_one(self, texts: Iterable[str]) -> bool:
        """Whether any of the texts would have to be changed."""
        return any(self.without(text) != text for text in texts)


SILENT = re.compile(r".*_(LOG|DEBUG|STATS|VERBOSE)(_.*)?|.*_ROOT")
"""Variables of MPI libraries that say what is printed, or where the library is."""


def settings_of(environment: dict[str, str], hidden: Hidden) -> dict[str, str]:
    """Return what has been set of an MPI, without what prints and what names something."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if not SILENT.fullmatch(name) and not hidden.names_one((name, value))
    }
