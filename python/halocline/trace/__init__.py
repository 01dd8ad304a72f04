"""Traces: read what ranks did when, say why they waited, and write it for other tools."""

from halocline.trace.drift import Spread, spread, step_begins
from halocline.trace.file import Exchange, Rank, Trace, made
from halocline.trace.messages import Message, ages, messages
from halocline.trace.path import Stretch, critical_path, shares
from halocline.trace.reasons import Reason, traced
from halocline.trace.summary import Copies, Loss, Part, Slower, copies, losses, slower, told
from halocline.trace.waits import Analysis, WaitState, wait_states

__all__ = [
    "Analysis",
    "Copies",
    "Exchange",
    "Loss",
    "Message",
    "Part",
    "Rank",
    "Reason",
    "Slower",
    "Spread",
    "Stretch",
    "Trace",
    "WaitState",
    "ages",
    "copies",
    "critical_path",
    "losses",
    "made",
    "messages",
    "otf2_archive",
    "page",
    "perfetto",
    "reasons",
    "shares",
    "slower",
    "spread",
    "step_begins",
    "told",
    "traced",
    "wait_states",
]
