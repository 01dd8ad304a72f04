"""The file that an examination is shared as (docs/reference/atlas-file.md)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from halocline import outputs, records, shapes
from halocline.measure.atlas.library import Library
from halocline.shapes import AtLeast, OneOf

FORMAT, VERSION = "halocline-atlas", 1
OUTCOMES = ("sound", "refused", "wrong", "error", "crash", "hang")
"""All that can be said of a scheme. One that refuses some patterns, with a clear message, may be
trusted with the others; from `wrong` on it is broken."""
SOUND = OUTCOMES[:2]


@dataclass(frozen=True)
class Finding:
    """What was found out about a scheme."""

    outcome: Annotated[str, OneOf(OUTCOMES)]
    ranks: Annotated[list[int], list[AtLeast(1)]] = field(default_factory=list)
    """The numbers of ranks it was sound with; of a broken one those with which that showed."""
    detail: str = ""

    @property
    def sound(self) -> bool:
        """Whether the scheme may be trusted."""
        return self.outcome in SOUND


@dataclass(frozen=True)
class Times:
    """What one pattern takes."""

    baseline_us: Annotated[list[float], tuple[float, float, float]]
    """Microseconds that the baseline is felt, and its interval."""
    ratios: Annotated[dict[str, list[float]], dict[str, tuple[float, float, float]]]
    """For each scheme how many times as long it is felt, and the interval of that."""


@dataclass(frozen=True)
class Felt:
    """How long exchanges are felt."""

    ranks: Annotated[int, AtLeast(1)]
    launches: Annotated[int, AtLeast(1)]
    confidence: Annotated[float, AtLeast(0.0)]
    """What the intervals hold."""
    patterns: dict[str, Times]


@dataclass(frozen=True)
class Report:
    """One examination of one MPI in one place."""

    how: Annotated[str, OneOf(("measured", "reported"))]
    """By `halocline doctor --share`, or written down from a source that is named."""
    date: str
    mpi: Library
    transport: str
    schemes: dict[str, Finding]
    """By name; in what is reported by globs, too."""
    hosts: Annotated[int, AtLeast(1)] = 1
    source: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    """The MPI variables that were set."""
    machine: dict[str, str] = field(default_factory=dict)
    """`processor`, `cores`, `kernel`."""
    halocline: str = ""
    standard: str = ""
    missing: dict[str, str] = field(default_factory=dict)
    """Schemes that this MPI cannot run, and why."""
    felt: Felt | None = None

    def save(self, file: Path) -> Path:
        """Write the file, a line for each scheme; whole or not at all."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return outputs.save(file, _lines(content) + "\n")


def load(path: Path) -> Report:
    """Read a file of the atlas.

    Raises
    ------
    HaloclineError
        When it is missing, of another format, or a field has not the shape it must have.
    """
    content = records.read(path, FORMAT, VERSION, "file of the atlas")
    report: Report = shapes.fitted(content, Report, path)
    if report.how == "reported" and not report.source:
        raise shapes.MisfitError(f'{path}: "source" is missing; what is reported says from where')
    return report


def _lines(value: Any, depth: int = 0) -> str:
    """Return JSON that differs by a line where a scheme does."""
    inside = list(value.values()) if isinstance(value, dict) else []
    if not inside or (depth > 1 and not any(isinstance(one, (dict, list)) for one in inside)):
        return json.dumps(value, ensure_ascii=False)
    if depth > 1 and set(value) == {"outcome", "ranks", "detail"}:
        kept = {name: one for name, one in value.items() if one not in ("", [])}
        return json.dumps(kept, ensure_ascii=False)
    blank = " " * (depth + 1)
    rows = [
        f"{blank}{json.dumps(name, ensure_ascii=False)}: {_lines(one, depth + 1)}"
        for name, one in value.items()
    ]
    return "{\n" + ",\n".join(rows) + "\n" + " " * depth + "}"
