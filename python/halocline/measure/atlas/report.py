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
WIDTH = 130
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
        """Write the file, whole or not at all."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        content["schemes"] = _gathered(content["schemes"])
        return outputs.save(file, _lines(content) + "\n")


def load(path: Path) -> Report:
    """Read a file of the atlas.

    Raises
    ------
    HaloclineError
        When it is missing, of another format, or a field has not the shape it must have.
    """
    content = records.read(path, FORMAT, VERSION, "file of the atlas")
    if isinstance(content.get("schemes"), dict):
        content["schemes"] = {
            name: found for key, found in content["schemes"].items() for name in _names(key)
        }
    report: Report = shapes.fitted(content, Report, path)
    if report.how == "reported" and not report.source:
        raise shapes.MisfitError(f'{path}: "source" is missing; what is reported says from where')
    return report


def _names(key: str) -> list[str]:
    """Return the schemes of a key: "p2p:nonblocking +heads=2" is that one without and with heads.

    A word that begins with a plus is the method of the word before it with that option.
    """
    names: list[str] = []
    for word in key.split():
        method = names[-1].partition("+")[0] if names and word.startswith("+") else ""
        names.append(method + word)
    return names


def _gathered(findings: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return findings under one key where schemes differ only in options, and in no finding."""
    keys: dict[str, list[str]] = {}
    for name, finding in findings.items():
        method, plus, options = name.partition("+")
        said = {field: one for field, one in finding.items() if one not in ("", [])}
        words = keys.setdefault(json.dumps([method, said]), [])
        words.append(plus + options if plus and words else name)
    return {" ".join(words): json.loads(key)[1] for key, words in keys.items()}


def _lines(value: Any, depth: int = 0) -> str:
    """Return JSON in lines that are short, or have one entry."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict) or (depth and len(flat) < WIDTH):
        return flat
    blank = " " * (depth + 1)
    rows: list[str] = []
    for name, one in value.items():
        row = f"{blank}{json.dumps(name, ensure_ascii=False)}: {_lines(one, depth + 1)}"
        if depth and rows and "\n" not in row + rows[-1] and len(rows[-1] + row) < WIDTH:
            rows[-1] += ", " + row.lstrip()
        else:
            rows.append(row)
    return "{\n" + ",\n".join(rows) + "\n" + " " * depth + "}"
