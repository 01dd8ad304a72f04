"""Text that others have written, or that not every terminal and file can show."""

from __future__ import annotations

import codecs
import unicodedata

WORDS = {
    "µ": "u", "×": "x", "·": "-", "…": "...", "–": "-", "→": "->", "›": ">", "²": "2", "│": "|",
}  # fmt: skip
"""What stands for the characters that Halocline itself uses, where they cannot be shown."""
NAME = "halocline"
"""The error handler of that name, for streams: `open(..., errors=text.NAME)`."""


def shown(text: str) -> str:
    """Return a name or a line of others on one line: what cannot be shown is replaced.

    Bytes that were no UTF-8, and control characters, become U+FFFD; tabs and line ends become
    blanks.
    """
    return "".join(map(_shown, text))


def _shown(one: str) -> str:
    if one in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    return "\ufffd" if unicodedata.category(one) in ("Cc", "Cs") else one


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    """Stand in for what an encoding has not: by a word, by the bytes of a file's name, or by ?."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    try:  # a name in UTF-8 that this locale could not read, so that it is shown as it was
        data = part.encode("ascii", "surrogateescape")
        data.decode()
        return data, error.end
    except UnicodeError:
        return "".join(WORDS.get(one, "?") for one in part), error.end


codecs.register_error(NAME, _replaced)
