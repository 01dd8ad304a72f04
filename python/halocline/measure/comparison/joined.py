"""Two comparisons of different times, machines or builds, as one whose cases differ in the date.

Their launches were in no rounds together, so nothing cancels of what was different meanwhile: the
same build on a busy and on a quiet machine differs, too. `doubts` says when that forbids a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.measure import distance
from halocline.measure.comparison.record import Comparison, Setting
from halocline.measure.comparison.table import tabulate
from halocline.measure.comparison.variation import DATE


@dataclass
class Joined(Comparison):
    """What was measured of the same problems, first in one folder, then in another."""

    sides: dict[str, Comparison] = field(default_factory=dict)
    """Both, the earlier first, by what tells them apart."""

    paired = False

    @property
    def doubts(self) -> list[str]:
        """What may have changed the times as much as that which is asked about."""
        said = [
            f"the machine was busy {label} ({one.busy()})"
            for label, one in self.sides.items() if one.busy()
        ]  # fmt: skip
        then, now = [
            distance.usual(launch.core_distance_s for launch in one.launches)
            for one in self.sides.values()
        ]
        processors = {one.facts.get("machine", {}).get("cpu") for one in self.sides.values()}
        if then and now and distance.oddity([now], then) and len(processors) == 1:
            said.append(f"cores were elsewhere: {distance.shown([then, now])} apart")
        return said

    def broken(self) -> dict[Setting, str]:
        """Return all that only the earlier one has measured, and why."""
        failed, measured = self.failures(), set(self.measured())
        then, now = self.sides.items()
        found = {}
        for case in self.cases:
            if case.value == then[0]:
                continue
            for one in measured:
                missing = replace(one, case=case.name)
                if one.case == _named(case.problem, then[0]) and missing not in measured:
                    skipped = now[1].skipped.get(one.scheme, "it was not measured")
                    found[missing] = failed.get(missing, skipped)
        return found


def join(then: Path | Comparison, now: Path | Comparison) -> Joined:
    """Return what two comparisons say together; those of their problems that both have measured.

    Parameters
    ----------
    then, now
        The earlier and the later one, or their folders.

    Raises
    ------
    HaloclineError
        When a folder holds no comparison, or they have no problem in common.
    """
    sides = [one if isinstance(one, Comparison) else Comparison.load(one) for one in (then, now)]
    problems = [{(case.name, case.program, *case.arguments) for case in one.cases} for one in sides]
    common = problems[0] & problems[1]
    if not common:
        raise HaloclineError(
            f"{sides[0].folder} and {sides[1].folder} have measured nothing alike: "
            f"'{sides[0].cases[0].shown()}' and '{sides[1].cases[0].shown()}'"
        )
    whole: dict[str, Any] = {"cases": [], "launches": [], "skipped": {}}
    labels = _labels(*sides)
    for label, one in zip(labels, sides):
        names = {}
        for case in one.cases:
            if (case.name, case.program, *case.arguments) in common:
                names[case.name] = _named(case.name, label)
                whole["cases"].append(
                    replace(case, name=names[case.name], value=label, problem=case.name)
                )
        whole["launches"] += [
            replace(launch, case=names[launch.case],
                    file=str(one.folder.resolve() / launch.file) if launch.file else "")
            for launch in one.launches if launch.case in names
        ]  # fmt: skip
        whole["skipped"] |= {f"{name} ({label})": why for name, why in one.skipped.items()}
    last = sides[1]
    joined = Joined(
        last.folder, **whole, command_line=last.command_line, seed=last.seed, time=last.time,
        environment=last.environment, facts=last.facts, settings=last.settings, varied=DATE,
        sides=dict(zip(labels, sides)),
    )  # fmt: skip
    joined.summary = [row.summary() for rows in tabulate(joined).values() for row in rows]
    return joined


def _named(problem: str, label: str) -> str:
    return f"{problem}, {label}"


def _labels(then: Comparison, now: Comparison) -> tuple[str, str]:
    """Return when both began; if that is the same, or not known, their folders."""
    times = [one.time[:16].replace("T", " ") for one in (then, now)]
    if all(times) and times[0] != times[1]:
        return times[0], times[1]
    names = [one.folder.name for one in (then, now)]
    if names[0] != names[1]:
        return names[0], names[1]
    return "then", "now"
