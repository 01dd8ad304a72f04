"""What another way to communicate would bring to a program that nobody has changed.

A recorder writes what every rank of the program exchanges (`recording`); shapes of ranks become
patterns (`patterns`), their time is split as that of traces is (`waiting`), a replay tries other
ways (`replay`), and what follows is said in words (`answer`).
"""

from halocline.advice import (
    applying,
    campaign,
    command,
    ending,
    lateness,
    patterns,
    places,
    planning,
    recording,
    replay,
    savings,
    scaling,
    snippets,
    waiting,
)
from halocline.advice.analysis import Analysis
from halocline.advice.answer import Answer, Row, said_of_scale, share_of
from halocline.advice.recording import Recording

__all__ = [
    "Analysis",
    "Answer",
    "Recording",
    "Row",
    "applying",
    "campaign",
    "command",
    "ending",
    "lateness",
    "patterns",
    "places",
    "planning",
    "recording",
    "replay",
    "said_of_scale",
    "savings",
    "scaling",
    "share_of",
    "snippets",
    "waiting",
]
