"""The streams of the command: whatever they are, full, closed, narrow, or of another encoding."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator

from rich.console import Console

from halocline import text

NARROWEST = 40
"""Columns that tables need at least; a terminal that says less is not believed."""
ENDLESS = 1000
"""Columns of a file or pipe."""


class OutputError(Exception):
    """The standard output takes nothing any more."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"standard output: {cause.strerror}")
        self.closed = cause.errno == errno.EPIPE
        """Whether its reader has gone, which is no fault: `halocline ... | head`."""


class _Output(io.FileIO):
    """The standard output, whose errors are no other file's."""

    failed = False

    def write(self, data: bytes) -> int:
        if self.failed:  # what is left in buffers has nowhere to go
            return len(data)
        try:
            return super().write(data)
        except OSError as error:
            self.failed = True
            raise OutputError(error) from None


@contextlib.contextmanager
def prepared() -> Iterator[None]:
    """Within, the standard streams and what the environment says of the terminal can be used.

    Raises
    ------
    OutputError
        When the standard output is closed, or, at the end, when it cannot take what was written.
    """
    for number in (0, 1, 2):
        _open(number)
    if sys.__stdout__ is None:
        raise OutputError(OSError(errno.EBADF, "it is closed"))
    for name in ("COLUMNS", "LINES"):
        if not os.environ.get(name, "1").isdecimal() or not int(os.environ.get(name, "1")):
            del os.environ[name]
    if sys.stderr is not None and hasattr(sys.stderr, "reconfigure"):
        sys.stderr.reconfigure(errors=text.NAME)
    if sys.stdout is not sys.__stdout__:  # somebody else's, as in a notebook
        yield
        return
    kept = sys.stdout
    kept.flush()
    own = io.TextIOWrapper(
        io.BufferedWriter(_Output(1, "w", closefd=False)), encoding=kept.encoding,
        errors=text.NAME, line_buffering=kept.isatty(), write_through=kept.write_through,
    )  # fmt: skip
    sys.stdout = own
    try:
        yield
        own.flush()
    finally:
        with contextlib.suppress(OutputError):
            own.flush()
        sys.stdout = kept


def _open(number: int) -> None:
    """Give a closed stream's number to nothing, so that no file of ours gets it."""
    try:
        os.fstat(number)
    except OSError:
        os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, which is this one


def console() -> Console:
    """Return the console: as wide as the terminal; a file or pipe gets lines of any length.

    Names of others are shown as they are: brackets are no markup, and colons no emoji.
    """
    asked = os.environ.get("COLUMNS")
    width = max(NARROWEST, int(asked)) if asked else None if sys.stdout.isatty() else ENDLESS
    made = Console(width=width, markup=False, emoji=False)
    if made.width < NARROWEST:
        made.width = NARROWEST
    return made
