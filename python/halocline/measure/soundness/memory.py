"""What the doctor has found out, remembered from one examination to the next."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from halocline import folders, records, shapes
from halocline.errors import HaloclineError
from halocline.launch import Checker
from halocline.measure.atlas import OUTCOMES, known_broken
from halocline.measure.soundness.examination import Effort, Verdict, examine
from halocline.shapes import AtLeast, OneOf

FORMAT, VERSION = "halocline-doctor", 1
KEY = ("host", "mpi", "environment")
"""What an entry holds for, beside the build: `halocheck` says what it is here."""
VERDICT = {"outcome": OneOf(OUTCOMES), "detail?": str, "ranks?": list[int], "time?": str}
REMEMBERED = tuple(name.rstrip("?") for name in VERDICT)
ENTRY = {
    "host": str, "mpi": str, "environment": dict[str, str], "build": str, "comment?": Any,
    "schemes": dict[str, VERDICT],
}  # fmt: skip
SHAPE = {"format": str, "version": int, "comment?": Any, "entries": list[ENTRY]}
log = logging.getLogger(__name__)


class Memory:
    """The verdicts of earlier examinations, in a JSON file that people can read and edit.

    Each entry holds for one kind of machine, one MPI library, the MPI variables set by the user
    and one build of the library. What it does not know in the file stays there.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        content, self.foreign = self._read()
        kept, passed = shapes.of_shape(content, SHAPE)
        self.entries: list[dict[str, Any]] = kept["entries"]
        for remark in passed:
            log.warning("%s: %s; it is passed over", self.path, remark)
        for name in shapes.unknown(content, SHAPE):
            log.warning('%s: "%s" is no field that is known', self.path, name)
        if self.foreign:
            log.warning("%s: %s; nothing is remembered", self.path, self.foreign)

    def _read(self) -> tuple[dict[str, Any], str]:
        """Return what is in the file, and why it may not be written, if so."""
        empty: dict[str, Any] = {"format": FORMAT, "version": VERSION, "entries": []}
        try:
            content = records.parsed(self.path.read_bytes(), odd="strict")
            shapes.fitted(content, {"format": OneOf((FORMAT,)), "version": int})
            if content["version"] > VERSION:
                version = content["version"]
                return empty, f"its version {version} is newer than {VERSION}; it is left alone"
            shapes.fitted(content, {"version": AtLeast(VERSION), "entries": list[Any]})
        except (FileNotFoundError, NotADirectoryError):
            return empty, ""
        except OSError as error:
            raise HaloclineError(f"cannot read {self.path}: {error.strerror}") from error
        except (ValueError, shapes.MisfitError) as error:
            raise HaloclineError(
                f"{self.path} is not a record of the doctor ({error}); delete it"
            ) from error
        return content, ""

    def verdicts(self, checker: Checker) -> dict[str, Verdict]:
        """Return what is known about the schemes here."""
        here = checker.surroundings
        for entry in self.entries:
            if _is_of(entry, here) and entry["build"] == here["build"]:
                return {
                    name: shapes.fitted(row, Verdict, self.path)
                    for name, row in entry["schemes"].items()
                }
        return {}

    def record(self, checker: Checker, verdicts: dict[str, Verdict]) -> None:
        """Put verdicts into the file as it is now: others may have changed it meanwhile."""
        rows = {
            name: {field: value for field, value in asdict(verdict).items() if field in REMEMBERED}
            for name, verdict in verdicts.items()
        }
        here = checker.surroundings
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with records.locked(self.path):
                content, self.foreign = self._read()
                _put(content["entries"], here, rows)
                if not self.foreign:
                    del content["format"], content["version"]
                    records.write(self.path, FORMAT, VERSION, content)
        except OSError as error:
            raise HaloclineError(
                f"cannot write {self.path}: {error.strerror}; HALOCLINE_CACHE names another folder"
            ) from error
        _put(self.entries, here, rows)


def _is_of(entry: Any, here: dict[str, Any]) -> bool:
    return isinstance(entry, dict) and all(entry.get(name) == here[name] for name in KEY)


def _put(entries: list[Any], here: dict[str, Any], rows: dict[str, dict[str, Any]]) -> None:
    """Add rows to the entry of these surroundings; those of another build go."""
    entry = next((one for one in entries if _is_of(one, here)), None)
    if entry is None:
        entry = {**{name: here[name] for name in KEY}}
        entries.append(entry)
    if entry.get("build") != here["build"] or not isinstance(entry.get("schemes"), dict):
        entry.update(build=here["build"], schemes={})
    entry["schemes"].update(rows)


def default_path() -> Path:
    """Return where verdicts are remembered: HALOCLINE_CACHE, or the user's cache folder."""
    return folders.in_cache("doctor.json")


def check(
    checker: Checker,
    schemes: Sequence[str],
    effort: Effort,
    *,
    fresh: bool = False,
    try_broken: bool = False,
    memory: Memory | None = None,
    progress: Callable[[str, str], None] = lambda scheme, event: None,
) -> dict[str, Verdict]:
    """Return a verdict for every scheme: remembered ones, the rest examined now.

    A scheme is examined with every number of ranks of `effort` until it is found broken. What
    was found is written down after each number of ranks, and at an interruption.
    `progress` is called with each scheme to be examined and `asked`, then as by `examine`.
    Unless `try_broken`, what the atlas knows to be broken here is not examined, and not remembered.
    """
    memory = memory or Memory()
    known = {} if fresh else memory.verdicts(checker)
    verdicts = {name: replace(known[name], remembered=True) for name in schemes if name in known}

    def open_on(ranks: int) -> list[str]:
        return [
            name
            for name in schemes
            if name not in verdicts or (verdicts[name].sound and ranks not in verdicts[name].ranks)
        ]

    if not try_broken:
        left = {name for ranks in effort.ranks for name in open_on(ranks)}
        verdicts |= _untried(checker, left, effort)
    for ranks in effort.ranks:
        todo = open_on(ranks)
        if not todo:
            continue
        for name in todo:
            progress(name, "asked")
        found: dict[str, Verdict] = {}
        try:
            examine(checker, todo, ranks, effort, progress, found)
        finally:
            for name, verdict in found.items():
                if verdict.sound and name in verdicts:
                    verdict.ranks = sorted({*verdicts[name].ranks, ranks})
                verdicts[name] = verdict
            if found:
                memory.record(checker, found)
    return {name: verdicts[name] for name in schemes}


def _untried(checker: Checker, schemes: Collection[str], effort: Effort) -> dict[str, Verdict]:
    """Return the verdicts of the atlas on what it knows to be broken here."""
    return {
        name: Verdict(
            one.finding.outcome,
            f"{one.why}; not tried: 'halocline doctor --try-broken' tries it",
            list(one.finding.ranks),
            one.report.date,
            tried=False,
        )
        for name, one in known_broken(checker, schemes, effort.ranks).items()
    }
