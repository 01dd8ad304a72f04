"""What an option of the program changes: the same problem with one value of it after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halocline import statistics
from halocline.errors import HaloclineError
from halocline.measure.comparison.record import Case, Comparison, Setting
from halocline.measure.results import Launches, style_of_auto
from halocline.statistics import LEVEL, Interval


def cases(program: str, arguments: Sequence[str], vary: str) -> list[Case]:
    """Return a case for each value.

    Parameters
    ----------
    vary
        The option without its dashes, and values: `layout=aos,soa`.
    """
    option, _, text = vary.partition("=")
    values = list(dict.fromkeys(text.split(",")))
    if not option or len(values) < 2 or not all(values):
        raise HaloclineError(f"--vary {vary}: give an option and values, as layout=aos,soa")
    return [
        Case(f"{option} {value}", program, [*arguments, f"--{option}", value]) for value in values
    ]


@dataclass(frozen=True)
class Variant:
    """What one value of the option comes to, with one scheme on one number of ranks."""

    setting: Setting
    median: Interval
    """Seconds per step."""
    ratio: Interval | None
    """Time relative to the first value's, below 1 when faster; None for that one."""
    p_first: float | None
    """Of being as fast as the first value, corrected for the number of values."""
    gain: Interval | None
    """How many times as fast as on the fewest ranks; None for these."""
    became: str = ""
    """The style that `auto` chose, if that was left to it."""

    @property
    def against_first(self) -> str:
        """`faster`, `slower` or `no difference`, by test; empty for the first value."""
        if self.p_first is None or self.ratio is None:
            return ""
        if self.p_first > LEVEL:
            return "no difference"
        return "faster" if self.ratio.value < 1 else "slower"


def variants(comparison: Comparison) -> list[Variant]:
    """Return them by schemes, by ranks, and in the order of the values; none if nothing varied."""
    if not comparison.varied:
        return []
    measured = comparison.measured()
    launches = Launches.compared(list(measured.values()))  # all warm up alike
    groups = {setting: one.groups for setting, one in zip(measured, launches)}
    names = [case.name for case in comparison.cases]
    schemes = dict.fromkeys(setting.scheme for setting in groups)
    fewest = min((setting.ranks for setting in groups), default=1)
    found = []
    for scheme in schemes:
        for ranks in sorted({setting.ranks for setting in groups}):
            settings = [Setting(name, ranks, scheme) for name in names]
            settings = [setting for setting in settings if setting in groups]
            p_first = [None] * len(settings)
            if settings and settings[0].case == names[0]:
                table = statistics.blocks([groups[setting] for setting in settings])
                p_first[1:] = [float(p) for p in statistics.as_fast_as(0, table)[1:]]
            for setting, p in zip(settings, p_first):
                mine, few = groups[setting], groups.get(Setting(setting.case, fewest, scheme))
                found.append(Variant(
                    setting,
                    statistics.grouped_median(mine),
                    None if p is None else statistics.ratio_interval(mine, groups[settings[0]]),
                    p,
                    None if few is None or ranks == fewest
                    else statistics.ratio_interval(few, mine),
                    style_of_auto(measured[setting]),
                ))  # fmt: skip
    return found
