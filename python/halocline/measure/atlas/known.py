"""Look up in the atlas that came with Halocline what is broken here."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from halocline.launch import Checker
from halocline.measure.atlas.library import library_of
from halocline.measure.atlas.private import Hidden, settings_of
from halocline.measure.atlas.report import Finding, Report, load

PACKAGE = Path(__file__).parents[2]
FOLDERS = (PACKAGE / "atlas", PACKAGE.parents[1] / "docs" / "atlas")
"""Where an installation (packaging/wheel/CMakeLists.txt) has the atlas, and where a checkout."""
ON_A_HOST = "shared memory"
CARRIERS = ("UCX_TLS", "FI_PROVIDER", "OMPI_MCA_btl")
"""Variables that say what carries messages between hosts."""


@dataclass(frozen=True)
class Known:
    """A scheme that is known to be broken, and from where."""

    finding: Finding
    report: Report

    @property
    def why(self) -> str:
        """From where it is known, and what goes wrong, in a line."""
        said = f"{self.report.how} {self.report.date}"
        if self.report.source:
            said += f", {self.report.source}"
        return f"known of {self.report.mpi.title} ({said}): {self.finding.detail}"


def reports(folder: Path | None = None) -> tuple[Report, ...]:
    """Return the files of a folder, by default of the atlas that came with Halocline.

    Raises
    ------
    HaloclineError
        When one of them is damaged.
    """
    if folder is None:
        folder = next((one for one in FOLDERS if one.is_dir()), None)
    return () if folder is None else _read(folder)


@lru_cache
def _read(folder: Path) -> tuple[Report, ...]:
    return tuple(load(file) for file in sorted(folder.glob("*.json")))


def transport_of(facts: dict[str, Any]) -> str:
    """Return what carries messages between the hosts of a job; shared memory where it has one."""
    if hosts_of(facts) < 2:
        return ON_A_HOST
    set_here = facts.get("verdicts_hold_for", {}).get("environment", {})
    carriers = ",".join(set_here.get(name, "") for name in CARRIERS)
    return "tcp" if "tcp" in carriers.split(",") else "network"


def hosts_of(facts: dict[str, Any]) -> int:
    """Return how many hosts a job is on."""
    return len({rank.get("host") for rank in facts.get("ranks", [])}) or 1


def known_broken(
    checker: Checker, schemes: Collection[str], ranks: Sequence[int], folder: Path | None = None
) -> dict[str, Known]:
    """Return which of the schemes are known to be broken on one of these numbers of ranks.

    That is said of one version of one MPI, under the same settings and over the same transport,
    with as many ranks or fewer; and only if nobody has found it sound with as many. What is
    reported stands all the same: it has a source, and random patterns may miss a race.
    """
    mpi = library_of(checker.surroundings["mpi"])
    of_mpi = [
        one for one in reports(folder) if (one.mpi.name, one.mpi.version) == (mpi.name, mpi.version)
    ]
    if not schemes or not of_mpi:
        return {}
    facts = checker.facts(max(ranks))
    settings = settings_of(checker.surroundings["environment"], Hidden.of(facts))
    situation = (transport_of(facts), settings)
    here = [one for one in of_mpi if (one.transport, one.settings) == situation]
    found = {}
    for name in schemes:
        broken = [
            Known(finding, report)
            for report in here
            for glob, finding in report.schemes.items()
            if not finding.sound and fnmatch.fnmatchcase(name, glob) and _shows(finding, ranks)
        ]
        standing = [
            one
            for one in broken
            if one.report.how == "reported"
            or not any(_was_sound(report, name, one.finding) for report in here)
        ]
        if standing:
            found[name] = standing[0]
    return found


def _shows(finding: Finding, ranks: Sequence[int]) -> bool:
    return max(ranks) >= min(finding.ranks, default=1)


def _was_sound(report: Report, name: str, broken: Finding) -> bool:
    found = report.schemes.get(name)
    return found is not None and found.sound and set(broken.ranks) <= set(found.ranks)
