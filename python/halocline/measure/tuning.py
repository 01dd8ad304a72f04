"""What `auto` has chosen: fill its file ahead, and say why it chose what it did.

The library itself measures and remembers (docs/explanation/auto.md); here programs are run so that
it does, and the figures it left are shown.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.launch import (
    Checker,
    Launcher,
    choose,
    counts,
    find_program,
    launcher_of,
    process,
    words,
)
from halocline.measure.soundness import broken, with_other_paths
from halocline.measure.soundness import default_path as doctors_path
from halocline.tables import Tabular

FORMAT, VERSION = "halocline-tuning", 1
SITUATION = ("machine", "job", "pattern")
"""The parts of an entry that say what it is about."""
Say = Callable[[str], None]
ATTEMPTS = 4
"""A job that ends while it measures a scheme leaves this scheme out when it is started again."""


def default_path() -> Path:
    """Return the file of choices: HALOCLINE_TUNING, or beside the doctor's memory."""
    named = os.environ.get("HALOCLINE_TUNING")
    return Path(named).expanduser() if named else doctors_path().with_name("tuning.json")


def load(path: Path) -> dict[str, Any]:
    """Return the content of a file of choices; an empty one where there is no file.

    Raises
    ------
    HaloclineError
        When the file is damaged.
    """
    if not path.exists():
        return {"format": FORMAT, "version": VERSION, "choices": []}
    try:
        content = json.loads(path.read_text("utf-8"))
        if (content["format"], content["version"]) != (FORMAT, VERSION):
            raise ValueError(f"it is no {FORMAT} of version {VERSION}")
        if not all(isinstance(entry, dict) for entry in content["choices"]):
            raise ValueError('"choices" must be a list of entries')
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HaloclineError(
            f"{path} is not a file of choices ({error}); correct it or delete it"
        ) from error
    return content


def same_situation(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two entries are about the same machine, job and pattern."""
    return all(one.get(part) == other.get(part) for part in SITUATION)


@dataclass(frozen=True)
class Job:
    """A program that chooses."""

    program: Path
    arguments: Sequence[str]
    launcher: Launcher
    tuning: Path
    fresh: bool = False
    """Measure even what is known."""
    budget_s: float | None = None
    """Seconds for one choice; the library's own default if None."""
    limit_s: float = 600

    def explain(self, counts: Sequence[int], say: Say = print) -> list[dict[str, Any]]:
        """Run the program on each of these numbers of ranks; return what it chose, explained."""
        choices = [choice for ranks in counts for choice in self.run(ranks, say)]
        return explained(choices, self.tuning)

    def run(self, ranks: int, say: Say = print) -> list[dict[str, Any]]:
        """Run the program with the scheme `auto`; return what it chose, in that order.

        What a scheme breaks while it is measured, the next attempt leaves out.

        Raises
        ------
        HaloclineError
            When it fails for another reason, or chooses nothing.
        """
        arguments = list(self.arguments)
        if not any(word == "--scheme" or word.startswith("--scheme=") for word in arguments):
            arguments += ["--scheme", "auto"]
        command = self.launcher.command(ranks, self.program, arguments)
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "choices"
            environment = {
                **self.launcher.environment(ranks),
                "HALOCLINE_TUNING": str(self.tuning.absolute()),
                "HALOCLINE_TUNING_LOG": str(log),
            }
            if self.budget_s is not None:
                environment["HALOCLINE_TUNING_BUDGET"] = f"{self.budget_s:g}"
            if self.fresh:
                environment["HALOCLINE_TUNING_FRESH"] = "1"
            for _ in range(ATTEMPTS):
                log.unlink(missing_ok=True)
                finished = process.run(command, environment, self.limit_s)
                culprit = self._culprit()
                if finished.ok or culprit is None:
                    break
                say(f"{culprit} did not survive being measured and is left out")
            if not finished.ok:
                words = f"{finished.reason()}\n{finished.last_words()}".rstrip()
                raise HaloclineError(f"{self.program.name} on {ranks} ranks: {words}")
            if not log.exists():
                raise HaloclineError(
                    f"{self.program.name} on {ranks} ranks chose nothing: it has no exchange "
                    "with the scheme auto, or nothing to exchange"
                )
            return [json.loads(line) for line in log.read_text("utf-8").splitlines()]

    def _culprit(self) -> str | None:
        """Return the scheme at which the job ended, from the note that it left."""
        for note in self.tuning.parent.glob(f"{self.tuning.name}.measuring-*"):
            try:
                if not _lives(note):
                    return str(json.loads(note.read_text("utf-8"))["scheme"])
            except (OSError, ValueError, KeyError):
                continue
        return None


def _lives(note: Path) -> bool:
    """Whether the job that writes a note is still there: its process holds a lock on it."""
    with note.open("rb+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def explained(choices: Sequence[dict[str, Any]], tuning: Path) -> list[dict[str, Any]]:
    """Return each choice once, with the figures of the time when it was measured."""
    known = load(tuning)["choices"]
    entries: list[dict[str, Any]] = []
    for choice in choices:
        if any(same_situation(choice, entry) for entry in entries):
            continue
        # What was remembered, the log holds with a short look only.
        full = next((entry for entry in known if same_situation(choice, entry)), choice)
        entries.append({**full, "scheme": choice["scheme"], "why": choice["why"]})
    return entries


@dataclass(frozen=True)
class Choices(Tabular):
    """What `auto` has chosen, with the figures of the time when it was measured."""

    entries: list[dict[str, Any]]
    """As in the file of choices (see docs/explanation/auto.md)."""
    file: Path

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each candidate of each choice, in the order of the file.

        `ranks`, `links` and `bytes` say what was exchanged, `chosen` whether this scheme does it
        now. Times are in µs; None where it was not measured, and `dropped` says why.
        """
        figures = ("median_us", "low_us", "high_us", "mean_us", "samples", "dropped")
        return [
            {
                "ranks": (entry.get("job") or {}).get("ranks"),
                "links": (entry.get("pattern") or {}).get("links"),
                "bytes": (entry.get("pattern") or {}).get("bytes"),
                "scheme": row["scheme"],
                "chosen": row["scheme"] == entry.get("scheme"),
                **{name: row.get(name) for name in figures},
            }
            for entry in self.entries
            for row in entry.get("candidates") or []
        ]


def tune(
    program: str | Path,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int | Sequence[int] = 2,
    file: Path | str | None = None,
    fresh: bool = False,
    budget_s: float = 10,
    timeout_s: float = 600,
    trust: bool = False,
    programs: Path | str | None = None,
    checking: Callable[[str, str], None] = lambda scheme, event: None,
    say: Say = print,
) -> Choices:
    """Let `auto` choose ahead: run a program with it, so that later runs know.

    The doctor checks first which schemes are sound. A scheme that a run does not survive is left
    out of the next.

    Parameters
    ----------
    program
        Name of a Halocline program, or a path.
    arguments
        The program's own, as typed into a shell or as a list.
    ranks
        A number of ranks or several.
    file
        The file of choices; by default the one that all programs read.
    fresh
        Measure again what is known.
    budget_s
        Seconds for one choice.
    timeout_s
        Seconds that one run may take.
    trust
        Do not ask the doctor first.
    programs
        Folder of the programs; None to look for them.
    checking, say
        Called while the doctor looks, and with what went wrong.

    Raises
    ------
    HaloclineError
        When the program fails or chooses nothing, or the file is damaged.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.tune("partdiff", "1 2 20 1 2 50", ranks=2)
    >>> sum(row["chosen"] for row in found.table())
    1
    """
    job, numbers = _job(program, arguments, ranks, file, timeout_s, programs)
    load(job.tuning)
    if not trust:
        checker = Checker(programs)
        broken(checker, with_other_paths(choose("all", checker)), numbers, checking)
    job = replace(job, fresh=fresh, budget_s=budget_s)
    return Choices(job.explain(numbers, say), job.tuning)


def explain(
    program: str | Path | None = None,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int | Sequence[int] = 2,
    file: Path | str | None = None,
    timeout_s: float = 600,
    programs: Path | str | None = None,
    say: Say = print,
) -> Choices:
    """Return what `auto` has chosen, of all patterns or of those of a program, with the figures.

    Parameters
    ----------
    program
        None for all that is in the file; else it is run, so that it chooses. The others are as for
        `tune`.

    Raises
    ------
    HaloclineError
        When nothing has been chosen yet, the program fails, or the file is damaged.

    Examples
    --------
    >>> import halocline
    >>> rows = halocline.explain("partdiff", "1 2 20 1 2 50").table()
    >>> rows[0]["ranks"]
    2
    """
    if program is not None:
        job, numbers = _job(program, arguments, ranks, file, timeout_s, programs)
        load(job.tuning)
        return Choices(job.explain(numbers, say), job.tuning)
    path = Path(file) if file else default_path()
    entries = load(path)["choices"]
    if not entries:
        raise HaloclineError(
            f"nothing has been chosen yet in {path}; 'halocline tune PROGRAM ...' does it"
        )
    return Choices(entries, path)


def _job(
    program: str | Path,
    arguments: str | Sequence[str],
    ranks: int | Sequence[int],
    file: Path | str | None,
    timeout_s: float,
    programs: Path | str | None,
) -> tuple[Job, tuple[int, ...]]:
    path = find_program(program, programs)
    tuning = Path(file) if file else default_path()
    launcher = launcher_of(path, programs)
    return Job(path, words(arguments), launcher, tuning, limit_s=timeout_s), counts(ranks)
