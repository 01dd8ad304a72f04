"""The errors that the user is meant to read."""


class HaloclineError(Exception):
    """Something the user can act on: the message names what is wrong and what would be right."""


class Error(HaloclineError):
    """What the library refuses (halocline::Error): the text is the same as in C++."""


class Timeout(Error, TimeoutError):  # noqa: N818 - the library's name
    """A wait without progress for longer than the time limit (halocline::Timeout)."""
