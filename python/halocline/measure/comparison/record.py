"""The record of a comparison: what was launched, how it went, and where its results are.

Everything is on disk as soon as it is known, so that an interruption loses one launch.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from halocline import records, shapes
from halocline.errors import HaloclineError
from halocline.launch import Activity, batch, machine, short_library
from halocline.measure import distance, results
from halocline.measure.results import Result
from halocline.shapes import AtLeast
from halocline.tables import Tabular, flat

FORMAT, VERSION = "halocline-comparison", 1
FILE = "comparison.json"
Summary = Annotated[
    dict[str, Any],
    {"case": str, "ranks": int, "scheme": str, "warm_up": {"repetitions": AtLeast(0)}},
]
Facts = Annotated[dict[str, Any], machine.FACTS]


@dataclass(frozen=True)
class Case:
    """One problem to be solved under every scheme: a program and its own arguments."""

    name: str
    program: str
    arguments: list[str]
    picture: list[str] = field(default_factory=list)
    """Arguments that give the picture of the solution; by default those of the case."""
    value: str = ""
    """What it has of that in which cases of one problem differ: the value of an option, variables
    of the environment, an MPI, a date. Empty if nothing varies."""
    problem: str = ""
    """What such cases have in common, if there are several problems."""
    variables: dict[str, str] = field(default_factory=dict)
    """What its ranks get beside the variables of the command."""
    programs: str = ""
    """The folder of its programs, if it is another one than of the rest."""

    def shown(self) -> str:
        """Return variables, program and arguments as typed into a shell."""
        own = [f"{name}={shlex.quote(text)}" for name, text in self.variables.items()]
        program = str(Path(self.programs) / self.program) if self.programs else self.program
        return " ".join([*own, shlex.join([program, *self.arguments])])


@dataclass(frozen=True)
class Setting:
    """One cell of the comparison: what is launched once in every round."""

    case: str
    ranks: int
    scheme: str
    """Empty for a program that is not asked to use one."""


@dataclass
class Launch:
    """One start of one program, as recorded in the comparison's file."""

    case: str
    ranks: int
    scheme: str
    round: int
    command: str
    load: list[float]
    status: str = "running"
    """`measured`, `failed` (with a reason) or `interrupted`."""
    reason: str = ""
    file: str = ""
    """The result file, relative to the comparison's folder."""
    wall_s: float = 0.0
    activity: Activity = field(default_factory=Activity)
    """What else happened on this host meanwhile."""
    interference: list[str] = field(default_factory=list)
    """What of it may have disturbed the launch; it counts nevertheless."""
    core_distance_s: list[float] = field(default_factory=list)
    """How far two of its cores were apart, before and after measuring; empty where unknown."""

    @property
    def setting(self) -> Setting:
        """The cell this launch belongs to."""
        return Setting(self.case, self.ranks, self.scheme)


@dataclass
class Comparison(Tabular):
    """A folder of result files and the record of how they came about."""

    folder: Path
    cases: list[Case]
    launches: list[Launch] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Schemes that were not measured, and why (the doctor's verdict)."""
    command_line: str = ""
    seed: int = 0
    time: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)
    """What `halocheck --facts` said, where it was asked."""
    settings: dict[str, str] = field(default_factory=dict)
    """What shapes timings on this host (governor, turbo, ...), as far as it can be read."""
    varied: str = ""
    """What the values of the cases are of: an option, `variables`, `MPI` or `date`; empty if the
    cases are problems of their own."""
    threshold: float | None = None
    """The least change that matters of what is varied, if it was named."""
    width: float | None = None
    """The relative width of the medians' intervals that was asked for."""
    ended: str = ""
    """Why no more was launched: `width`, `launches`, `budget`, `failed` or `interrupted`."""
    summary: list[Summary] = field(default_factory=list)
    """What may be said of every setting; for those who read the file, written at the end."""
    interrupted: bool = False

    paired: ClassVar[bool] = True
    """Whether launches of the same round belong together."""
    doubts: ClassVar[Sequence[str]] = ()
    """What forbids to say that anything became faster or slower."""

    @property
    def file(self) -> Path:
        """The comparison's own file."""
        return self.folder / FILE

    def save(self) -> None:
        """Write the record, so that nobody ever reads half of it."""
        content = asdict(self)
        del content["folder"]
        records.write(self.file, FORMAT, VERSION, content)

    @classmethod
    def load(cls, folder: Path) -> Comparison:
        """Read a comparison's folder.

        Raises
        ------
        HaloclineError
            When the folder holds no comparison, or one of another version.
        """
        file = folder / FILE
        if not file.is_file():
            raise HaloclineError(
                f"{folder} is not a folder written by 'halocline compare': no {file}"
            )
        content = records.read(file, FORMAT, VERSION, "record of a comparison")
        found = shapes.fitted({**content, "folder": folder}, cls, file)
        names = {case.name for case in found.cases}
        for number, launch in enumerate(found.launches):
            if launch.case not in names:
                raise HaloclineError(
                    f'{file}: "launches[{number}].case" is {shapes.shown(launch.case)}, which is '
                    'none of "cases"'
                )
        return found

    def table(self) -> list[dict[str, Any]]:
        """Return what may be said of every setting, a row each, the fastest of a case first.

        Times are in seconds per step; `median_s` has its 95 % interval in `median_s_low` and
        `median_s_high`, `ratio` is the time relative to the baseline (below 1 when faster).
        `verdict` is `fastest`, `among the fastest` or `slower`, `against_baseline` is `faster`,
        `slower` or `no difference`, both by test.
        """
        rows = [flat(row) for row in self.summary]
        columns = dict.fromkeys(name for row in rows for name in row)
        return [{name: row.get(name) for name in columns} for row in rows]

    def samples(self) -> list[dict[str, Any]]:
        """Return every repetition, a row each: `seconds` per step, and whether it `counts`.

        What does not count warms up. `pandas.DataFrame(comparison.samples())` is the table in long
        form.
        """
        keys = ("case", "ranks", "scheme")
        warm = {tuple(row[key] for key in keys): row["warm_up"] for row in self.summary}
        rows = []
        for launch in self.launches:
            if launch.status != "measured":
                continue
            setting = asdict(launch.setting)
            repetitions = results.load(self.folder / launch.file).repetitions
            first = warm.get(tuple(setting.values()), {"repetitions": 0})["repetitions"]
            rows += [
                {
                    **setting, "round": launch.round, "repetition": number, "seconds": seconds,
                    "counts": number >= min(first, len(repetitions) - 1),
                    "disturbed": bool(launch.interference),
                }
                for number, seconds in enumerate(repetitions)
            ]  # fmt: skip
        return rows

    def measured(self) -> dict[Setting, list[Result]]:
        """Return the result files of every setting, in the order of their rounds."""
        found: dict[Setting, list[Result]] = {}
        for launch in self.launches:
            if launch.status == "measured":
                result = results.load(self.folder / launch.file)
                found.setdefault(launch.setting, []).append(result)
        return found

    def moved(self) -> list[tuple[Launch, str]]:
        """Return the launches whose cores moved, or were not as far apart as usual, and how."""
        by_ranks: dict[int, list[Launch]] = {}
        for launch in self.launches:
            by_ranks.setdefault(launch.ranks, []).append(launch)
        ordinary = {
            ranks: distance.usual(launch.core_distance_s for launch in launches)
            for ranks, launches in by_ranks.items()
        }
        said = [
            (launch, distance.oddity(launch.core_distance_s, ordinary[launch.ranks]))
            for launch in self.launches
        ]
        return [(launch, how) for launch, how in said if how]

    def disturbed(self) -> list[Launch]:
        """Return the launches with interference, or with cores elsewhere than usual."""
        moved = {id(launch) for launch, _ in self.moved()}
        return [one for one in self.launches if one.interference or id(one) in moved]

    def busy(self) -> str:
        """Say how busy other work kept the machine while it was measured; empty if it did not."""
        loads = [launch.load[0] for launch in self.launches if launch.load]
        cores = self.facts.get("machine", {}).get("cores", machine.usable_cores())
        usual = max([cores, *(launch.ranks for launch in self.launches)])
        if not loads or np.median(loads) < usual + 1:
            return ""
        return f"load {np.median(loads):.1f} on {cores} cores"

    def failures(self) -> dict[Setting, str]:
        """Return the settings that failed while being measured, and why."""
        return {row.setting: row.reason for row in self.launches if row.status == "failed"}

    def broken(self) -> dict[Setting, str]:
        """Return the settings that failed, or that the doctor had left out, and why."""
        skipped = {
            Setting(case.name, ranks, scheme): why
            for case in self.cases for ranks in {launch.ranks for launch in self.launches}
            for scheme in dict.fromkeys(launch.scheme for launch in self.launches)
            if (why := self.skipped.get(skipped_of(scheme, case)))
        }  # fmt: skip
        return {**skipped, **self.failures()}


def skipped_of(scheme: str, case: Case) -> str:
    """Return what a scheme is called in `Comparison.skipped` that is skipped in one case alone."""
    return f"{scheme} ({case.name})"


def prepare(
    folder: Path,
    cases: list[Case],
    skipped: dict[str, str],
    facts: dict[str, Any],
    seed: int | None = None,
    command_line: str | None = None,
) -> Comparison:
    """Begin a comparison in a folder, which is made; an old comparison in it is refused.

    In a job that its system has started again, the same comparison is gone on with.

    Parameters
    ----------
    folder
        Where its files go.
    cases
        What is solved.
    skipped
        Schemes that are not measured, and why.
    facts
        What `halocheck --facts` said.
    seed
        Of the random order; drawn if None.
    command_line
        How to repeat it; by default the command that runs.
    """
    if command_line is None:
        command_line = records.own_command_line()
    if batch.continues() and (folder / FILE).is_file():
        return _gone_on_with(folder.resolve(), skipped, facts, command_line)
    kept = machine.mpi_environment()
    kept.update({k: v for k, v in os.environ.items() if k == "GLIBC_TUNABLES" or k[:4] == "OMP_"})
    return Comparison(
        folder=records.new_folder(folder, FILE, "comparison"),
        cases=cases,
        skipped=skipped,
        command_line=command_line,
        seed=records.drawn_seed() if seed is None else seed,
        time=records.now(),
        environment=kept,
        facts=facts,
        settings=machine.settings(),
    )


def _gone_on_with(
    folder: Path, skipped: dict[str, str], facts: dict[str, Any], command_line: str
) -> Comparison:
    """Return what an earlier start of a command has measured, without what was cut off."""
    found = Comparison.load(folder)
    records.check_same_command(folder, found.command_line, command_line)
    there, here = _place(found.facts), _place(facts)
    if there != here:
        raise HaloclineError(
            f"{folder} holds what was measured on {there}, this is {here}; name another folder "
            "with --output"
        )
    found.launches = [one for one in found.launches if one.status in ("measured", "failed")]
    found.skipped, found.interrupted, found.ended = skipped, False, ""
    return found


def _place(facts: dict[str, Any]) -> str:
    """Say on what was measured: processor and MPI library."""
    library = short_library(str(facts.get("mpi", {}).get("library", "")))
    return f"{facts.get('machine', {}).get('cpu', 'an unknown processor')}, {library}"
