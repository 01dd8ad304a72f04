"""What another way would save: never more than a replay has measured, nor than there is to save.

The program's own way is replayed beside the others. If it does not take there what the recording
says, less waiting, medians both, nothing is claimed. A saving is relative: the part of the replayed
exchange that another way saves is the part of the recorded one that it is taken to save.

Nothing is claimed, either, where a replay contradicts itself: others kept the ranks' processors
busy, a way is faster than the same way of the program, or saves more than there is or at one time
much more than at another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
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
STEADY = 0.5
"""The least part that a saving in one half of a replay's rounds may be of that in the other."""
BUSY = "the machine was busy"
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
    """The program's own way as recorded, less waiting: the median of a rank's steps."""
    replayed_s: float = 0.0
    """The same in the replay."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Ways that are not sound or cannot be, and why."""


def judged(
    pattern: Pattern, split: Split, replayed: Replayed | None, untried: str = "", *,
    same: Collection[str] = (), busy: str = "",
) -> Saving:  # fmt: skip
    """Return what a replay allows to be said of a pattern.

    Parameters
    ----------
    replayed
        What was measured; None: nothing.
    untried
        Why nothing was.
    same
        Ways that are what the program does already.
    busy
        When others kept the machine busy, in words that begin with `BUSY`; empty: never.
    """
    movable = split.movable / pattern.all_seconds
    ends = sum(max(pattern.times_of(rank), 1) for rank in pattern.parts)
    recorded, whole = split.own / ends, split.usual / ends
    if pattern.share < WORTH:
        return Saving(NOTHING, f"it takes {percent(pattern.share)} of the run", recorded_s=recorded)
    if movable < WORTH / 2 and busy and split.long / pattern.all_seconds >= WORTH / 2:
        return Saving(UNKNOWN, busy, recorded_s=recorded)  # nobody knows what steps take alone
    if movable < WORTH / 2:
        why = f"it takes {percent(movable)} of the run but for waiting and few long steps"
        return Saving(NOTHING, why, recorded_s=recorded)
    if replayed is None:
        return Saving(UNTRIED, untried, recorded_s=recorded)
    left_out = {one.name: one.left_out for one in replayed.contenders if one.left_out}
    present = replayed.present
    if present is None:
        why = left_out.get(PRESENT, "the program's own way was not measured")
        return Saving(UNKNOWN, why, recorded_s=recorded, left_out=left_out)
    again = present.balanced or present.recorded or 0.0
    why = busy or _too_little(replayed, left_out) or _doubt(split, present, recorded, whole)
    if why:
        return Saving(UNKNOWN, why, None, None, None, recorded, again, left_out)
    others = [one for one in replayed.others if one.name not in same]
    twins = [one for one in replayed.others if one.name in same]

    def best(wanted: Callable[[str], bool]) -> Gain | None:
        return _best(present, [one for one in others if wanted(one.name)], movable)

    gain = best(lambda name: True)
    if gain is None:
        why = "no sound way is faster" if replayed.others else "there is no other sound way"
        return Saving(NOTHING, why, None, None, None, recorded, again, left_out)
    why = _contradiction(present, others, twins, gain, movable)
    if why:
        return Saving(UNKNOWN, why, None, None, None, recorded, again, left_out)
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


def _contradiction(
    present: Contender, others: Sequence[Contender], twins: Sequence[Contender], gain: Gain,
    movable: float,
) -> str:  # fmt: skip
    """Say in what a replay contradicts itself, if it does."""
    if gain.share.value >= movable:
        return f"{BUSY}: {gain.name} saves more in the replay than the exchange takes there"
    chosen = next(one for one in others if one.name == gain.name)
    for twin in _faster(present, twins):
        if not _faster(twin, [chosen]):
            return f"{BUSY}: {twin.name}, which the program does already, is as much faster"
    faster = _faster(present, others)
    scatter = [one for one in faster if not _steady(present, one, movable)]
    if chosen in scatter or 2 * len(scatter) > len(faster):
        name = (chosen if chosen in scatter else scatter[0]).name
        return f"{BUSY}: what {name} saves is not the same in both halves of the replay"
    return ""


def _steady(present: Contender, other: Contender, movable: float) -> bool:
    """Whether a way saves alike in the first and the second half of the rounds.

    Differences that are too small a part of the run to matter are none.
    """
    saved = saved_parts(present, other)
    middle = len(saved) // 2
    first, second = sorted((float(np.median(saved[:middle])), float(np.median(saved[middle:]))))
    return first >= STEADY * second or (second - first) * movable < WORTH / 2


def _too_little(replayed: Replayed, left_out: dict[str, str]) -> str:
    """Say why too little was measured for any answer, if that is so."""
    more = "a larger --budget gives more time"
    rounds = max((len(one.steps) for one in replayed.others), default=0)
    if replayed.others and rounds < LEAST_LAUNCHES:
        return f"{rounds} round{'s' * (rounds != 1)} of the replay tell nothing apart; {more}"
    if not replayed.others and any(why.startswith(NO_TIME) for why in left_out.values()):
        return f"the replay had no time for other ways; {more}"
    return ""


def saved_parts(present: Contender, other: Contender) -> list[float]:
    """Return, round by round, which part of the replayed exchange another way saves."""
    own = max(present.own, 1e-12)
    return [(mine - its) / own for mine, its in zip(present.steps, other.steps)]


def share_saved(saved: Sequence[float], movable: float) -> Interval:
    """Return the part of the run that is saved, from parts of its exchange.

    The upper end is held to what there is; what lies there itself is not to be believed.
    """
    found = shift_interval(saved)
    high = max(min(found.high, 1.0), found.value)
    return Interval(found.value, found.low, high, found.confidence).scaled(movable)


def _best(present: Contender, others: Sequence[Contender], movable: float) -> Gain | None:
    """Return the way that saves most; none where no difference can be told."""
    faster = _faster(present, others)
    if not faster:
        return None
    rounds = min(len(present.steps), *(len(one.steps) for one in faster))
    halves = rounds >= HALVES
    choosing = range(0, rounds, 2) if halves else range(rounds)
    counting = range(1, rounds, 2) if halves else range(rounds)

    def middle(one: Contender) -> float:
        saved = saved_parts(present, one)
        return float(np.median([saved[at] for at in choosing]))

    chosen = max(faster, key=middle)
    saved = saved_parts(present, chosen)
    share = share_saved([saved[at] for at in counting], movable)
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
