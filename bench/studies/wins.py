"""Which side wins a cell, by how much, and whether that is certain.

A side's time is that of its fastest scheme. Which one that is, is chosen for each launch by what
the other launches say: a scheme that is chosen by the very figures that it is then compared with
looks faster than it is. Each launch gives one ratio of two sides, whose schemes were measured in
turn; the ratios of all launches give a value and an interval (Hodges and Lehmann, Wilcoxon).
"""

import math
from collections import Counter
from dataclasses import dataclass
from statistics import median

from halocline.statistics import Interval, shift_interval

CERTAIN = 0.9499
"""What an interval must hold for a claim: six launches do, fewer do not."""
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


def chosen(times, side, launch):
    """The scheme of a side that is fastest in all other launches."""

    def in_others(scheme):
        others = [time for i, time in enumerate(times[scheme]) if i != launch]
        return median(others or times[scheme])

    return min((scheme for scheme in side if scheme in times), key=in_others, default=None)


def verdict(times, side, rival):
    """Compare two sides in a cell."""
    launches = range(min(map(len, times.values()), default=0))
    pairs = [(chosen(times, side, i), chosen(times, rival, i)) for i in launches]
    if not pairs or None in pairs[0]:
        return Verdict(UNMEASURED)
    names = [Counter(names).most_common(1)[0][0] for names in zip(*pairs)]
    felt = [(times[one][i], times[other][i]) for i, (one, other) in enumerate(pairs)]
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
