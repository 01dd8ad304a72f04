"""The one kind of error that the user is meant to read."""


class HaloclineError(Exception):
    """Something the user can act on: the message names what is wrong and what would be right."""
