"""Traces: read what ranks did when, say why they waited, and write it for other tools."""

from halocline.traces.drift import Spread, spread, step_begins
from halocline.traces.file import ACTIVITIES, NUMBER, Exchange, Rank, Trace, made
from halocline.traces.messages import Message, ages, messages
from halocline.traces.path import Stretch, critical_path, shares
from halocline.traces.reasons import Reason, traced
from halocline.traces.summary import Copies, Loss, Part, Slower, copies, losses, slower, told
from halocline.traces.waits import Analysis, WaitState, wait_states

__all__ = [
    "ACTIVITIES",
    "NUMBER",
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
    "waits",
]
