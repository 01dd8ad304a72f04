"""Tests that a busy machine can make wrong: they must be right so many times of so many."""

import functools


def at_least(right, *, of):
    """Run a test until it was right so often, or was wrong too often for that in `of` attempts.

    Others on the same cores may stop a rank anywhere, which makes some attempts of a right program
    wrong. A wrong program is wrong in each, and one that is right by luck is not so often.
    """

    def decorate(test):
        @functools.wraps(test)
        def attempts(*arguments, **named):
            missing, spare = right, of - right
            while missing:
                try:
                    test(*arguments, **named)
                    missing -= 1
                except AssertionError:
                    if not spare:
                        raise
                    spare -= 1

        return attempts

    return decorate
