"""Compare a scheme with itself, many times: the claims then are all false, and can be counted.

The launches are as those of any comparison: two in every round, the same program both times. Each
comparison has rounds of its own, so that one does not decide over another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halocline import statistics
from halocline.measure.comparison.record import Case, Comparison
from halocline.measure.results import Launches
from halocline.statistics import LEVEL, Interval

NAMES = ("itself", "itself again")


def cases(program: str, arguments: Sequence[str]) -> list[Case]:
    """Return the same problem under two names."""
    return [Case(name, program, list(arguments)) for name in NAMES]


@dataclass(frozen=True)
class FalseClaims:
    """How often a difference was claimed where there is none."""

    comparisons: int
    claims: int
    rounds: int
    """Launches of each side of a comparison."""

    @property
    def share(self) -> Interval:
        """The share of false claims."""
        return statistics.proportion_interval(self.claims, self.comparisons)

    def text(self) -> str:
        """Say what was found, in a sentence or two."""
        if not self.comparisons:
            return f"Not one comparison of {self.rounds} rounds was complete: nothing can be said."
        share = self.share
        said = (
            f"{self.comparisons} comparisons with itself, {self.rounds} launches of either side "
            f"each: {self.claims} claimed a difference, {100 * share.value:.1f} % "
            f"[{100 * share.low:.1f}, {100 * share.high:.1f}]. "
        )
        allowed = f"Chance allows {100 * LEVEL:.0f} %"
        if share.low > LEVEL:
            return (
                f"{said}{allowed}, and this is more: launches here disturb each other, and claims "
                "of a difference deserve doubt."
            )
        if share.value > LEVEL:
            return f"{said}{allowed}, which the interval does not exclude."
        return f"{said}{allowed}."


def count(comparison: Comparison, rounds: int) -> FalseClaims:
    """Evaluate the launches, `rounds` rounds after `rounds` rounds.

    Rounds that do not make up a whole comparison at the end are left out.
    """
    found = comparison.measured()
    sides = [
        next((runs for setting, runs in found.items() if setting.case == name), [])
        for name in NAMES
    ]
    complete = min(map(len, sides)) // rounds
    claims = 0
    for number in range(complete):
        part = slice(number * rounds, (number + 1) * rounds)
        launches = Launches.compared([list(side[part]) for side in sides])
        table = statistics.blocks([side.groups for side in launches])
        claims += bool((statistics.as_fast_as_the_fastest(table) <= LEVEL).any())
    return FalseClaims(complete, claims, rounds)
