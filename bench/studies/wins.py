"""Which side wins a cell, by how much, and whether that is certain.

A side is represented by its fastest scheme. Which one that is, the first two launches say, and only
the others compare: a scheme that is chosen by the very figures that it is then compared with looks
faster than it is. (Choosing it for each launch by all others does not help: of two sides that are
alike one was then claimed to be faster three times as often as the interval allows.) Each launch
that compares gives one ratio of two schemes, which were measured in turn; these ratios give a value
and an interval (Hodges and Lehmann, Wilcoxon).
"""

import math
from dataclasses import dataclass
from statistics import median

from halocline.statistics import Interval, shift_interval

CHOOSING = 2
"""Launches that choose; where there are no more, they compare as well."""
CERTAIN = 0.9499
"""What an interval must hold for a claim: those of six launches do, of fewer they do not."""
FASTER, SLOWER, UNDECIDED, UNFELT, UNMEASURED = (
    "faster", "slower", "not told apart", "not felt", "not measured"
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """What a map has a square for."""

    peers: int
    links: str
    compute_us: float
    bytes: int

    @property
    def row(self):
        """All but the size."""
        return (self.peers, self.compute_us, self.links)


@dataclass(frozen=True)
class Verdict:
    """What is said of one side against another in a cell."""

    word: str
    ratio: Interval = None
    """The first's time over the other's; None where one of them is not felt or not measured."""
    scheme: str = ""
    rival: str = ""


def cells_of(content):
    """By cell, what each scheme was felt in each launch."""
    found = {}
    for one in content["cells"]:
        cell = Cell(one["peers"], one["links"], one["compute_us"], one["bytes"])
        found.setdefault(cell, {})[one["scheme"]] = one["felt_us"]
    return dict(sorted(found.items(), key=lambda pair: (pair[0].row, pair[0].bytes)))


def chosen(times, side):
    """The scheme of a side that is fastest in the launches that choose; None if it has none."""
    there = (scheme for scheme in side if times.get(scheme))
    return min(there, key=lambda scheme: median(times[scheme][:CHOOSING]), default=None)


def verdict(times, side, rival):
    """Compare two sides in a cell."""
    names = [chosen(times, one) for one in (side, rival)]
    if None in names:
        return Verdict(UNMEASURED)
    felt = list(zip(*(times[name] for name in names)))
    felt = felt[CHOOSING:] or felt
    if min(map(min, felt)) <= 0:
        return Verdict(UNFELT, None, *names)
    ratio = shift_interval([math.log(one / other) for one, other in felt]).through(math.exp)
    word = UNDECIDED
    if ratio.confidence > CERTAIN:
        word = FASTER if ratio.high < 1 else SLOWER if ratio.low > 1 else UNDECIDED
    return Verdict(word, ratio, *names)


def verdicts(content, study):
    """By comparison, what is said in each cell."""
    found = cells_of(content)
    return {
        (side, rival): {
            cell: verdict(times, study.sides[side], study.sides[rival])
            for cell, times in found.items()
        }
        for side, rival in study.comparisons
    }
