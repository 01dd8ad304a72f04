"""How figures are written, in a terminal and on a page: units, digits that count, no exponents."""

from __future__ import annotations

import math
from collections.abc import Iterable

from halocline.statistics import Interval


def scale(seconds: float) -> tuple[float, str]:
    """Return the factor and unit in which a time reads best."""
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return factor, unit
    return 1.0, "s"


def digits(interval: Interval) -> str:
    """Return `median [low, high]` with as many digits as the width of the interval deserves.

    Where there is no interval, there is none.
    """
    width = interval.high - interval.low or abs(interval.value) or 1
    places = 0 if width >= 20 else 1 if width >= 2 else 2 if width >= 0.2 else 3
    if interval.low > 0:
        places = max(places, min(6, -math.floor(math.log10(interval.low))))
    if not interval.there:
        return f"{interval.value:.{places}f}"
    return f"{interval.value:.{places}f} [{interval.low:.{places}f}, {interval.high:.{places}f}]"


def level(intervals: Iterable[Interval]) -> str:
    """Return what all intervals of a column hold, for its head: `[95 %]`; empty without any."""
    holds = [one.confidence for one in intervals if one.there]
    if not holds:
        return ""
    return "[95 %]" if min(holds) > 0.9499 else f"[{math.floor(100 * min(holds))} %]"


def plain(value: float) -> str:
    """Return a number with three digits that count, or all before the point; no exponent."""
    if value == 0:
        return "0"
    places = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{min(max(places, 0), 12)}f}"


def percent(share: float) -> str:
    """Return a share in words, with two digits that count; what is next to nothing has none."""
    if 0 < share < 5e-5:
        return "< 0.01 %"
    return f"{100 * share:.2g} %" if share < 0.095 else f"{100 * share:.0f} %"


def amount(count: float | None) -> str:
    """Return a number of bytes in the unit in which it reads best."""
    if count is None:
        return "?"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"
