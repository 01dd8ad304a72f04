"""What another way would save: never more than a replay has measured, nor than there is to save.

The program's own way is replayed beside the others. If it does not take there what the recording
says, less waiting, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from halocline.advice.patterns import Pattern
from halocline.advice.replay import PLAIN, PRESENT, Contender, Replayed
from halocline.advice.waiting import Split
from halocline.figures import percent
from halocline.statistics import (
    LEAST_LAUNCHES,
    LEVEL,
    Interval,
    as_fast_as,
    blocks,
    shift_interval,
)

WORTH = 0.01
"""A share of the run below which a pattern is not replayed."""
NEAR = 0.2
"""How far the program's own way may be from the recording when it is replayed."""
HALVES = 12
"""From so many rounds on, one half chooses and the other says how much: else choosing flatters."""
NO_TIME = "no time"
"""How a replay begins to say that it has not come to a way."""

SAVES = "saves"
NOTHING = "nothing to gain"
UNKNOWN = "unknown"
UNTRIED = "not replayed"


@dataclass(frozen=True)
class Gain:
    """A way that is faster than the program's, and what it saves of the run."""

    name: str
    share: Interval


@dataclass(frozen=True)
class Saving:
    """What is known of other ways for a pattern."""

    verdict: str
    """`SAVES`, `NOTHING`, `UNKNOWN` or `UNTRIED`."""
    why: str = ""
    best: Gain | None = None
    """The best sound way."""
    plain: Gain | None = None
    """The best of those that are calls of MPI by the program itself."""
    scheme: Gain | None = None
    """The best of Halocline's."""
    recorded_s: float = 0.0
    """The program's own way as recorded, less waiting, of a rank at a time."""
    replayed_s: float = 0.0
    """The same in the replay."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Ways that are not sound or cannot be, and why."""


def judged(
    pattern: Pattern, split: Split, run_s: float, replayed: Replayed | None, untried: str = ""
) -> Saving:
    """Return what a replay allows to be said of a pattern.

    Parameters
    ----------
    run_s
        How long the program ran.
    replayed
        What was measured; None: nothing.
    untried
        Why nothing was.
    """
    movable = split.movable / pattern.all_seconds
    ends = sum(max(pattern.times_of(rank), 1) for rank in pattern.parts)
    recorded, whole = split.movable / ends, split.seconds / ends
    if pattern.share < WORTH:
        return Saving(NOTHING, f"it takes {percent(pattern.share)} of the run", recorded_s=recorded)
    if movable < WORTH / 2:
        why = f"it takes {percent(movable)} of the run but for waiting"
        return Saving(NOTHING, why, recorded_s=recorded)
    if replayed is None:
        return Saving(UNTRIED, untried, recorded_s=recorded)
    left_out = {one.name: one.left_out for one in replayed.contenders if one.left_out}
    present = replayed.present
    if present is None:
        why = left_out.get(PRESENT, "the program's own way was not measured")
        return Saving(UNKNOWN, why, recorded_s=recorded, left_out=left_out)
    again = present.balanced or present.recorded or 0.0
    why = _too_little(replayed, left_out) or _doubt(split, present, recorded, whole)
    if why:
        return Saving(UNKNOWN, why, None, None, None, recorded, again, left_out)
    per_second = pattern.times / max(run_s, 1e-9)

    def best(wanted: Callable[[str], bool]) -> Gain | None:
        some = [one for one in replayed.others if wanted(one.name)]
        return _best(present, some, per_second, movable)

    gain = best(lambda name: True)
    if gain is None:
        why = "no sound way is faster" if replayed.others else "there is no other sound way"
        return Saving(NOTHING, why, None, None, None, recorded, again, left_out)
    return Saving(
        SAVES, "", gain, best(lambda name: name.startswith(PLAIN)),
        best(lambda name: not name.startswith(PLAIN)), recorded, again, left_out,
    )  # fmt: skip


def _doubt(split: Split, present: Contender, recorded: float, whole: float) -> str:
    """Say why a replay is not the recorded exchange, if it is not.

    It is if ranks that compute alike take what was recorded less waiting, or those that compute as
    recorded take all that was: a late rank finds its messages there, and hides their transfer.
    """
    pairs = [
        (again, then)
        for again, then in ((present.balanced, recorded), (present.recorded, whole))
        if again is not None and then > 0
    ]
    if any(abs(again - then) <= NEAR * then for again, then in pairs):
        return ""
    if not pairs:
        return "the replay does not say how long the program's own way takes"
    again, then = pairs[0]
    times = f"{again / then:.2g} times what was recorded"
    if not split.seen:
        times += ", of which nobody knows how much is waiting"
    return f"the replay of the program's own way takes {times}"


def _too_little(replayed: Replayed, left_out: dict[str, str]) -> str:
    """Say why too little was measured for any answer, if that is so."""
    more = "a larger --budget gives more time"
    rounds = max((len(one.steps) for one in replayed.others), default=0)
    if replayed.others and rounds < LEAST_LAUNCHES:
        return f"{rounds} round{'s' * (rounds != 1)} of the replay tell nothing apart; {more}"
    if not replayed.others and any(why.startswith(NO_TIME) for why in left_out.values()):
        return f"the replay had no time for other ways; {more}"
    return ""


def _best(
    present: Contender, others: Sequence[Contender], per_second: float, most: float
) -> Gain | None:
    """Return the way that saves most; none where no difference can be told."""
    faster = _faster(present, others)
    if not faster:
        return None
    rounds = min(len(present.steps), *(len(one.steps) for one in faster))
    halves = rounds >= HALVES
    choosing = range(0, rounds, 2) if halves else range(rounds)
    counting = range(1, rounds, 2) if halves else range(rounds)

    def middle(one: Contender) -> float:
        return float(np.median([present.steps[at] - one.steps[at] for at in choosing]))

    chosen = max(faster, key=middle)
    saved = shift_interval([present.steps[at] - chosen.steps[at] for at in counting])
    share = saved.scaled(per_second).through(lambda value: min(max(value, 0.0), most))
    return Gain(chosen.name, share) if share.value > 0 else None


def _faster(present: Contender, others: Sequence[Contender]) -> list[Contender]:
    """Return the ways that differ from the program's by test, and are faster."""
    if not others:
        return []
    # A way that is clearly slower has fewer rounds; what is compared with it is, too.
    most = max(len(one.steps) for one in others)
    full = [one for one in others if 2 * len(one.steps) >= most]
    table = blocks([[[step] for step in one.steps[:most]] for one in (present, *full)])
    chances = as_fast_as(0, table)
    medians = np.nanmedian(table, axis=0)
    return [
        one
        for one, chance, median in zip(full, chances[1:], medians[1:])
        if chance <= LEVEL and median < medians[0]
    ]
