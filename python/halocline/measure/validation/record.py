"""The record of a validation: what was launched, and what each launch took."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from halocline import records, shapes

FORMAT, VERSION = "halocline-validation", 2
FILE = "validation.json"
FAR_S = 0.25e-6
"""From so many seconds for a cache line there and back two cores are far apart."""


LEFT_OUT = ("disturbed", "moved")
"""States of what says nothing of either near or far cores."""


@dataclass
class Conditions:
    """What the machine was like during a measurement."""

    distances_s: list[float] = field(default_factory=list)
    """A cache line there and back between the two cores, before and after measuring."""
    disturbances: list[str] = field(default_factory=list)
    """What else kept the host busy."""

    @property
    def cores(self) -> str:
        """How the cores lay, `near`, `far` or `unknown`, or why it does not count."""
        if self.disturbances:
            return "disturbed"
        far = {seconds >= FAR_S for seconds in self.distances_s}
        if len(far) > 1:
            return "moved"
        return "unknown" if not far else "far" if far.pop() else "near"


@dataclass
class Solution:
    """One solution by an application in its turn."""

    scheme: str
    turn: int
    """All schemes have their turn once, in random order, before they have it again."""
    step_s: float
    conditions: Conditions


@dataclass
class Choice:
    """What `auto` chose in a launch, and what it had measured."""

    scheme: str
    seconds: dict[str, float]
    """By scheme: the tuner's figure for one exchange and its cells."""
    conditions: Conditions


@dataclass
class Felt:
    """What one launch of halometer said: all schemes in turns."""

    seconds: dict[str, float]
    """By scheme, of one exchange."""
    conditions: Conditions


@dataclass
class Visit:
    """One setting under one MPI: a launch of the application, and one of halometer."""

    setting: str
    mpi: str
    programs: str
    """The folder that they are in."""
    depth: int
    solutions: list[Solution] = field(default_factory=list)
    """The baseline has two in each turn: what they differ by, no scheme has caused."""
    choices: list[Choice] = field(default_factory=list)
    felt: list[Felt] = field(default_factory=list)

    def counts(self) -> bool:
        """Say whether most of its solutions may be used."""
        kept = [one for one in self.solutions if one.conditions.cores not in LEFT_OUT]
        return 2 * len(kept) > len(self.solutions)

    def conditions(self) -> list[Conditions]:
        """Return those of all that was measured."""
        return [one.conditions for one in (*self.solutions, *self.choices, *self.felt)]


@dataclass
class Validation:
    """All visits, and the circumstances."""

    visits: list[Visit] = field(default_factory=list)
    command_lines: list[str] = field(default_factory=list)
    """One for every call that has added visits."""
    time: str = ""
    """When it began."""
    machine: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    interrupted: bool = False

    def save(self, folder: Path, summary: dict[str, Any]) -> None:
        """Write `validation.json`, so that nobody ever reads half of it."""
        records.write(folder / FILE, FORMAT, VERSION, {**asdict(self), "summary": summary})


def load(folder: Path) -> Validation:
    """Read a validation's folder.

    Raises
    ------
    HaloclineError
        When the folder holds no validation, or a damaged one or one of another version.
    """
    file = folder / FILE
    return shapes.fitted(records.read(file, FORMAT, VERSION, "validation"), Validation, file)
