"""What the doctor has found out, remembered from one examination to the next."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import Checker, machine
from halocline.measure.soundness.examination import Effort, Verdict, examine

FORMAT, VERSION = "halocline-doctor", 1


class Memory:
    """The verdicts of earlier examinations, in a JSON file that people can read and edit.

    Each entry holds for one kind of machine, one MPI library, the MPI variables set by the user
    and one build of the programs.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self.entries: list[dict[str, Any]] = []
        if self.path.is_file():
            try:
                content = json.loads(self.path.read_text("utf-8"))
                if (content["format"], content["version"]) == (FORMAT, VERSION):
                    self.entries = content["entries"]
            except (ValueError, KeyError, TypeError) as error:
                raise HaloclineError(
                    f"{self.path} is not a record of the doctor ({error}); delete it"
                ) from error

    def entry(self, checker: Checker) -> dict[str, Any]:
        """Return the entry for this machine, MPI, environment and build; a new one if none."""
        key = {
            "host": machine.host_type(),
            "mpi": checker.library,
            "environment": machine.mpi_environment(),
        }
        for entry in self.entries:
            if all(entry.get(name) == value for name, value in key.items()):
                if entry.get("build") != checker.build:
                    entry.update(build=checker.build, schemes={})
                return entry
        entry = {**key, "build": checker.build, "schemes": {}}
        self.entries.append(entry)
        return entry

    def verdicts(self, checker: Checker) -> dict[str, Verdict]:
        """Return what is known about the schemes here."""
        return {name: Verdict(**row) for name, row in self.entry(checker)["schemes"].items()}

    def record(self, checker: Checker, verdicts: dict[str, Verdict]) -> None:
        """Add verdicts and write the file, so that nobody ever reads half of it."""
        rows = self.entry(checker)["schemes"]
        rows.update({name: asdict(verdict) for name, verdict in verdicts.items()})
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            records.write(self.path, FORMAT, VERSION, {"entries": self.entries})
        except OSError as error:
            raise HaloclineError(
                f"cannot write {self.path}: {error.strerror}; HALOCLINE_CACHE names another folder"
            ) from error


def default_path() -> Path:
    """Return where verdicts are remembered: HALOCLINE_CACHE, or the user's cache folder."""
    folder = os.environ.get("HALOCLINE_CACHE")
    if folder:
        return Path(folder).expanduser() / "doctor.json"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "halocline" / "doctor.json"


def check(
    checker: Checker,
    schemes: Sequence[str],
    effort: Effort,
    *,
    fresh: bool = False,
    memory: Memory | None = None,
    progress: Callable[[str, str], None] = lambda scheme, event: None,
) -> dict[str, Verdict]:
    """Return a verdict for every scheme: remembered ones, the rest examined now.

    A scheme is examined with every number of ranks of `effort` until it is found broken. What
    was found is written down after each number of ranks, so an interruption loses little.
    `progress` is called with each scheme to be examined and `asked`, then as by `examine`.
    """
    memory = memory or Memory()
    known = {} if fresh else memory.verdicts(checker)
    verdicts = {name: known[name] for name in schemes if name in known}
    for ranks in effort.ranks:
        todo = [
            name
            for name in schemes
            if name not in verdicts or (verdicts[name].sound and ranks not in verdicts[name].ranks)
        ]
        if not todo:
            continue
        for name in todo:
            progress(name, "asked")
        found = examine(checker, todo, ranks, effort, progress)
        for name, verdict in found.items():
            if verdict.sound and name in verdicts:
                verdict.ranks = sorted({*verdicts[name].ranks, ranks})
            verdicts[name] = verdict
        memory.record(checker, found)
    return {name: verdicts[name] for name in schemes}
