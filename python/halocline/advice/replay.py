"""What a replay has measured of each way of an exchange, round by round.

docs/reference/replay.md is the format of its results.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from halocline import records
from halocline.shapes import AtLeast

FORMAT, VERSION = "halocline-replay", 1
PRESENT = "mpi:present"
"""The way that the program has now."""
PLAIN = "mpi:"
"""What the ways begin with that are calls of MPI by the program itself."""
SECONDS = list[AtLeast(0.0)]  # type: ignore[misc]
MEASURED = {"with_s?": SECONDS, "without_s?": SECONDS, "inside_s?": SECONDS}
CONTENDER = {
    "name": str, "left_out?": str, "slower?": bool, "recorded?": MEASURED, "balanced?": MEASURED,
}  # fmt: skip
PATTERN = {"name": str, "scale?": float, "contenders": list[CONTENDER]}
SHAPE = {"complete": bool, "mpi?": dict[str, Any], "patterns": list[PATTERN]}


@dataclass(frozen=True)
class Contender:
    """One way to do a pattern's exchange."""

    name: str
    """`PRESENT`, another way of plain MPI, or a scheme."""
    steps: tuple[float, ...] = ()
    """Seconds of a step with the exchange, of the slowest rank, one for each round."""
    balanced: float | None = None
    """Seconds within the calls of the exchange, of the mean rank, if all compute as long."""
    recorded: float | None = None
    """The same if each computes as long as it was recorded."""
    felt: float | None = None
    """Seconds of a step of the slowest rank above those of one without the exchange."""
    left_out: str = ""
    """Why it was not measured: it cannot be here, or was not sound."""

    @property
    def own(self) -> float:
        """What a step of the exchange takes, late ranks apart: what a saving is a part of."""
        inside = self.recorded if self.balanced is None else self.balanced
        return max(inside or 0.0, self.felt or 0.0)


@dataclass(frozen=True)
class Replayed:
    """All ways of one pattern, in rounds of random order."""

    contenders: tuple[Contender, ...]
    scale: float = 1.0
    """Computing was shortened by this factor."""

    @property
    def present(self) -> Contender | None:
        """The program's own way, if it was measured."""
        return next((one for one in self.contenders if one.name == PRESENT and one.steps), None)

    @property
    def others(self) -> list[Contender]:
        """All that was measured but that."""
        return [one for one in self.contenders if one.name != PRESENT and one.steps]


@dataclass(frozen=True)
class Results:
    """What a replay has written."""

    patterns: dict[str, Replayed]
    """By the names that the plan gave them."""
    complete: bool = True
    library: str = ""
    """The MPI library that it ran with."""
    content: dict[str, Any] = field(default_factory=dict)


def load(file: Path) -> Results:
    """Read the results of a replay.

    Raises
    ------
    HaloclineError
        When there are none, or a field is of another shape.
    """
    content = records.read(file, FORMAT, VERSION, "file of a replay", SHAPE)
    patterns = {
        one["name"]: Replayed(tuple(map(_contender, one["contenders"])), one.get("scale", 1.0))
        for one in content["patterns"]
    }
    library = str(content.get("mpi", {}).get("library", ""))
    return Results(patterns, content["complete"], library, content)


def _contender(content: dict[str, Any]) -> Contender:
    recorded, balanced = content.get("recorded", {}), content.get("balanced", {})
    steps = recorded.get("with_s") or balanced.get("with_s") or []
    return Contender(
        content["name"], tuple(steps), _mean(balanced.get("inside_s")),
        _mean(recorded.get("inside_s")), _felt(balanced or recorded), content.get("left_out", ""),
    )  # fmt: skip


def _felt(series: dict[str, Any]) -> float | None:
    pairs = list(zip(series.get("with_s", []), series.get("without_s", [])))
    return median(there - alone for there, alone in pairs) if pairs else None


def _mean(seconds: list[float] | None) -> float | None:
    return sum(seconds) / len(seconds) if seconds else None
