"""How many repetitions at the beginning of a launch warm up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halocline.statistics.intervals import Groups

LEAST_FOR_WARM_UP = 5
"""Launches below which a warm-up cannot be told: the first repetition then warms up by rule."""


@dataclass(frozen=True)
class WarmUp:
    """How many repetitions at the beginning of each launch warm up and do not count."""

    repetitions: int
    tested: bool
    """Whether a test said so; else it is the first one, by rule, unless there is no other."""

    def rest(self, repetitions: Sequence[Any]) -> Sequence[Any]:
        """Return the repetitions of one launch that count; at least the last one does."""
        return repetitions[max(0, min(self.repetitions, len(repetitions) - 1)) :]


def warm_up(launches: Groups, doubt: float = 0.2) -> WarmUp:
    """Find out by a test how many repetitions of a launch warm up: at most half of them.

    The first repetition is compared with the later ones of its launch, by its place in the order of
    their times, summed over all launches (a one-sided rank-sum test stratified by launch, P. van
    Elteren, Bull. Int. Stat. Inst. 37, 1960); where it is slower, so is the second, and so on. A
    warm-up that reaches beyond the middle leaves too little to tell it by (as in MSER, K. White,
    Simulation 69, 1997). The launch is the unit, because what disturbs one repetition often
    disturbs the next. Every launch of a scheme drops as many, so that no launch is chosen by its
    times. Single steps are not looked at: the first steps of any repetition may differ from later
    ones (pipelines that fill, deep halos).

    Parameters
    ----------
    launches
        All repetitions of each launch, the first one first.
    doubt
        The level of the test. High, because a repetition dropped in vain costs a little precision
        and a warm-up that is kept costs the truth.
    """
    shortest = min(map(len, launches), default=0)
    if len(launches) < LEAST_FOR_WARM_UP or shortest < 2:
        return WarmUp(1, False)
    for number in range(shortest // 2):
        if _first_is_slower([group[number:] for group in launches]) > doubt:
            return WarmUp(number, True)
    return WarmUp(shortest // 2, True)


def _first_is_slower(launches: Groups) -> float:
    """Return the chance of first repetitions as late in the order of times, if none differed."""
    chances, behind = np.ones(1), 0.0
    for first, *later in launches:
        behind += sum(time < first for time in later) + sum(time == first for time in later) / 2
        chances = np.convolve(chances, np.full(len(later) + 1, 1 / (len(later) + 1)))
    return float(chances[math.floor(behind) :].sum())
