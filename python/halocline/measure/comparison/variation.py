"""What changes when one thing is varied: the same problem with one value of it after the other.

An option of the program, variables of the environment, the MPI; and, of comparisons made at
different times (`joined`), the date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halocline import statistics
from halocline.errors import HaloclineError
from halocline.launch import programs_of
from halocline.measure.comparison.record import Case, Comparison, Setting
from halocline.measure.comparison.table import BASELINE
from halocline.measure.results import Launches, style_of_auto
from halocline.statistics import LEVEL, Interval

VARIABLES, MPI, DATE = "variables", "MPI", "date"
"""What may be varied beside an option of the program."""


@dataclass(frozen=True)
class Varied:
    """What is varied beside the schemes; nothing by default, and one thing at most."""

    option: str = ""
    """An option of the program without its dashes, and values: `layout=aos,soa`."""
    variables: str = ""
    """Settings of the ranks' environment: `UCX_TLS=tcp;UCX_TLS=shm A=1`; an empty one adds none."""
    builds: str = ""
    """MPIs by the names of their builds, or folders of programs: `mpich,debian-openmpi`."""

    @property
    def what(self) -> str:
        """What `Comparison.varied` is."""
        name = self.option.partition("=")[0]
        return name or (VARIABLES if self.variables else MPI if self.builds else "")

    def cases(self, program: str, arguments: Sequence[str]) -> list[Case]:
        """Return a case for each value; one alone if nothing is varied.

        Raises
        ------
        HaloclineError
            When it says nothing, or more than one thing.
        """
        asked = {"--vary": self.option, "--env": self.variables, "--mpi": self.builds}
        given = [name for name, text in asked.items() if text]
        if len(given) > 1:
            raise HaloclineError(f"{' and '.join(given)}: vary one of them at a time")
        if self.option:
            return self._of_option(program, arguments)
        if self.variables:
            return self._of_variables(program, arguments)
        if self.builds:
            return self._of_builds(program, arguments)
        return [Case(program, program, list(arguments))]

    def _of_option(self, program: str, arguments: Sequence[str]) -> list[Case]:
        option, _, text = self.option.partition("=")
        values = list(dict.fromkeys(text.split(",")))
        if not option or len(values) < 2 or not all(values):
            raise HaloclineError(
                f"--vary {self.option}: give an option and values, as layout=aos,soa"
            )
        return [
            Case(f"{option} {value}", program, [*arguments, f"--{option}", value], value=value)
            for value in values
        ]

    def _of_variables(self, program: str, arguments: Sequence[str]) -> list[Case]:
        texts = list(dict.fromkeys(" ".join(part.split()) for part in self.variables.split(";")))
        made = []
        for text in texts:
            pairs = [word.partition("=") for word in text.split()]
            if len(texts) < 2 or not all(name and equals for name, equals, _ in pairs):
                raise HaloclineError(
                    f"--env {self.variables}: give settings of variables, as "
                    "'UCX_TLS=tcp;UCX_TLS=shm'"
                )
            value = text or "as it is"
            made.append(Case(
                f"{VARIABLES} {value}", program, list(arguments), value=value,
                variables={name: content for name, _, content in pairs},
            ))  # fmt: skip
        return made

    def _of_builds(self, program: str, arguments: Sequence[str]) -> list[Case]:
        names = list(dict.fromkeys(self.builds.split(",")))
        if len(names) < 2 or not all(names):
            raise HaloclineError(
                f"--mpi {self.builds}: give MPIs, or folders of programs, as mpich,openmpi"
            )
        return [
            Case(f"{MPI} {name}", program, list(arguments), value=name,
                 programs=str(programs_of(name)))
            for name in names
        ]  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """What one value comes to, with one scheme on one number of ranks."""

    setting: Setting
    value: str
    problem: str
    """Which one, if there are several; else empty."""
    median: Interval
    """Seconds per step."""
    ratio: Interval | None
    """Time relative to the first value's, below 1 when faster; None for that one."""
    p_first: float | None
    """For being as fast as the first value, corrected for the number of values."""
    gain: Interval | None
    """How many times as fast as on the fewest ranks; None for these."""
    became: str = ""
    """The style that `auto` chose, if that was left to it."""

    @property
    def against_first(self) -> str:
        """`faster`, `slower` or `no difference`, by test.

        Empty for the first value, and where there was one launch.
        """
        if self.p_first is None or self.ratio is None or not self.ratio.there:
            return ""
        if self.p_first > LEVEL:
            return "no difference"
        return "faster" if self.ratio.value < 1 else "slower"


def variants(comparison: Comparison) -> list[Variant]:
    """Return them by problems, schemes, ranks, and in the order of values; none if none varied."""
    if not comparison.varied:
        return []
    measured = comparison.measured()
    launches = Launches.compared(list(measured.values()))  # all warm up alike
    groups = {setting: one.groups for setting, one in zip(measured, launches)}
    fewest = min((setting.ranks for setting in groups), default=1)
    schemes = sorted({setting.scheme for setting in groups}, key=lambda one: (one != BASELINE, one))
    problems: dict[str, list[Case]] = {}
    for case in comparison.cases:
        problems.setdefault(case.problem, []).append(case)
    found = []
    for problem, cases in problems.items():
        for scheme in schemes:
            for ranks in sorted({setting.ranks for setting in groups}):
                there = {
                    setting: case for case in cases
                    if (setting := Setting(case.name, ranks, scheme)) in groups
                }  # fmt: skip
                first = Setting(cases[0].name, ranks, scheme)
                against: Sequence[tuple[Interval, float] | None] = [None] * len(there)
                if first in there:
                    mine = [groups[one] for one in there]
                    against = _against(mine, paired=comparison.paired)
                for (setting, case), said in zip(there.items(), against):
                    few = groups.get(Setting(setting.case, fewest, scheme))
                    found.append(Variant(
                        setting,
                        case.value or case.name.partition(" ")[2],
                        problem,
                        statistics.grouped_median(groups[setting]),
                        None if said is None else said[0],
                        None if said is None else said[1],
                        None if few is None or ranks == fewest
                        else statistics.ratio_interval(few, groups[setting]),
                        style_of_auto(measured[setting]),
                    ))  # fmt: skip
    return found


def _against(
    groups: Sequence[statistics.Groups], *, paired: bool
) -> list[tuple[Interval, float] | None]:
    """Return of each value the ratio to the first one, and the p-value of being as fast."""
    ratio = statistics.ratio_interval if paired else statistics.unpaired_ratio_interval
    if paired:
        p_values = statistics.as_fast_as(0, statistics.blocks(groups))[1:]
    else:
        p_values = statistics.corrected([statistics.unpaired(groups[0], one) for one in groups[1:]])
    return [None, *((ratio(one, groups[0]), float(p)) for one, p in zip(groups[1:], p_values))]


FASTER, SLOWER, SAME, UNTOLD, LOST = "faster", "slower", "the same", "cannot be told", "lost"


@dataclass(frozen=True)
class Judgement:
    """What a value other than the first has made of one scheme on one number of ranks."""

    setting: Setting
    value: str
    verdict: str
    """`faster` or `slower` by more than the threshold, `the same` within it, `cannot be told`, or
    `lost`: with the first value it was measured, with this one it could not be."""
    why: str = ""
    """Why it cannot be told, or is lost."""
    ratio: Interval | None = None


def judged(comparison: Comparison, threshold: float) -> list[Judgement]:
    """Return what became of each scheme, by a test that holds for all claims together.

    Parameters
    ----------
    threshold
        The least change that matters: 0.05 for 5 % more time, or as much less.
    """
    found = variants(comparison)
    asked = [one for one in found if one.p_first is not None]
    p_values = statistics.corrected([one.p_first or 0.0 for one in asked])
    said = []
    for one, p in zip(asked, p_values):
        assert one.ratio is not None
        verdict, why = _verdict(one.ratio, p, threshold)
        if comparison.doubts and verdict != SAME:
            verdict, why = UNTOLD, "; ".join(comparison.doubts)
        said.append(Judgement(one.setting, one.value, verdict, why, one.ratio))
    return said + _lost(comparison, [one.setting for one in found])


def _verdict(ratio: Interval, p: float, threshold: float) -> tuple[str, str]:
    most = 1 + threshold
    if not ratio.known:
        return UNTOLD, "too few launches"
    if p <= LEVEL and ratio.low > most:
        return SLOWER, ""
    if p <= LEVEL and ratio.high < 1 / most:
        return FASTER, ""
    if 1 / most <= ratio.low and ratio.high <= most:
        return SAME, ""
    apart = ratio.low > most or ratio.high < 1 / most
    return UNTOLD, "too few launches for so many schemes" if apart else "the interval is too wide"


def _lost(comparison: Comparison, measured: Sequence[Setting]) -> list[Judgement]:
    """Return what failed, or was left out as broken, with another value than the first."""
    firsts = {case.problem: case.name for case in reversed(comparison.cases)}
    broken = comparison.broken()
    return [
        Judgement(missing, case.value, LOST, broken[missing])
        for case in comparison.cases for one in measured
        if one.case == firsts[case.problem]
        and (missing := Setting(case.name, one.ranks, one.scheme)) not in measured
        and missing in broken
    ]  # fmt: skip
