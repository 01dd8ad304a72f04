"""What the doctor found, as a file; and what has changed since: known, new, mended and lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline import records
from halocline.measure.atlas import OUTCOMES
from halocline.measure.soundness.visit import Diagnosis
from halocline.shapes import OneOf

FORMAT, VERSION = "halocline-verdicts", 1
MISSING = "missing"
ROW = {
    "scheme": str, "outcome": OneOf((*OUTCOMES, MISSING)), "sound": bool, "ranks": list[int],
    "detail": str, "time": str,
}  # fmt: skip
SHAPE = {
    "time": str, "asked": dict[str, Any],
    "holds_for": {"host": str, "mpi": str, "environment": dict[str, str], "build": str},
    "verdicts": list[ROW],
}  # fmt: skip


def content(found: Diagnosis, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what such a file says; `asked` is how the doctor was asked."""
    return {
        "time": records.now(), "asked": dict(asked),
        "holds_for": found.facts["verdicts_hold_for"], "verdicts": found.table(),
    }  # fmt: skip


def write(file: Path, said: Mapping[str, Any]) -> None:
    """Write the file, whole or not at all."""
    records.write(file, FORMAT, VERSION, dict(said))


def load(file: Path) -> dict[str, Any]:
    """Read a file of verdicts.

    Raises
    ------
    HaloclineError
        When it is missing, damaged or of another format.
    """
    return records.read(file, FORMAT, VERSION, "file of verdicts", SHAPE)


@dataclass(frozen=True)
class Changes:
    """What has become of the schemes since a baseline; each with what is said of it now."""

    since: str
    new: dict[str, str]
    """Broken now, and not then."""
    known: dict[str, str]
    """Broken then and now, in whatever way."""
    mended: dict[str, str]
    """Broken then, and sound now."""
    lost: dict[str, str]
    """Sound then, and not there any more."""
    surroundings: dict[str, tuple[str, str]]
    """What they hold for that has changed: what it was then, and what it is now."""

    def sentences(self) -> list[str]:
        """Say it in lines, the worst first."""
        lines = [
            f"{name} is another than in the baseline: {then}; now {now}"
            for name, (then, now) in self.surroundings.items()
        ]
        groups = {
            "new": (self.new, "broken now, but not in the baseline"),
            "lost": (self.lost, "sound in the baseline, and gone now"),
            "known": (self.known, "broken as in the baseline"),
            "mended": (self.mended, "broken in the baseline, and sound now"),
        }
        lines += [
            f"{word}: {name} ({what}{f'; {why}' if why else ''})"
            for word, (rows, what) in groups.items() for name, why in rows.items()
        ]  # fmt: skip
        return lines or [f"all is as in the baseline of {self.since}"]


def changes(now: Mapping[str, Any], then: Mapping[str, Any]) -> Changes:
    """Compare two files' contents; what is asked for today alone has no baseline.

    What was asked for then and is not today is lost only if the doctor was asked in the same way,
    or says that it is missing.
    """
    before = {row["scheme"]: row for row in then["verdicts"]}
    after = {row["scheme"]: row for row in now["verdicts"]}
    there = {name: row for name, row in after.items() if row["outcome"] != MISSING}
    why = {name: row["detail"] if row["outcome"] == MISSING else "" for name, row in after.items()}
    bad = {name: row for name, row in before.items() if not row["sound"] and _tried(row)}
    same = now["asked"] == then["asked"]
    told = {name: f"{row['outcome']}: {row['detail']}" for name, row in there.items()}
    return Changes(
        then["time"],
        {name: told[name] for name, row in there.items() if not row["sound"] and name not in bad},
        {name: told[name] for name, row in there.items() if not row["sound"] and name in bad},
        {name: "" for name, row in there.items() if row["sound"] and name in bad},
        {name: why.get(name, "") for name, row in before.items()
         if row["sound"] and name not in there and (same or name in after)},
        {name: (str(then["holds_for"][name]), str(now["holds_for"][name]))
         for name in ("host", "mpi", "environment", "build")
         if then["holds_for"][name] != now["holds_for"][name]},
    )  # fmt: skip


def _tried(row: Mapping[str, Any]) -> bool:
    return row["outcome"] != MISSING
