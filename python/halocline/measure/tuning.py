"""What `auto` has chosen: fill its file ahead, and say why it chose what it did.

The library itself measures and remembers (docs/explanation/auto.md); here programs are run so that
it does, and the figures it left are shown.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline import folders, records, shapes
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
from halocline.tables import Tabular

FORMAT, VERSION = "halocline-tuning", 1
SITUATION = ("machine", "job", "pattern")
"""The parts of an entry that say what it is about."""
WISHED = {"forbid?": list[str], "pin?": str}
WISHES = {**WISHED, "choices": list[WISHED]}
"""What people ask for: of another shape it would be lost, and is an error."""
MACHINE = {"cpu?": str, "cores?": float, "mpi?": str, "environment?": dict[str, str]}
CANDIDATE = {
    "scheme": str, "median_us?": float, "low_us?": float, "high_us?": float, "mean_us?": float,
    "samples?": float, "avoidable_bytes?": float, "dropped?": str,
    "laps?": float, "times?": float, "times_low?": float, "times_high?": float,
}  # fmt: skip
ENTRY = {
    "machine?": MACHINE,
    "job?": {
        "ranks?": float, "nodes?": float, "ranks_per_island?": float, "yielding?": bool,
        "asked?": str,
    },
    "pattern?": {
        "memory?": str, "fields?": float, "two_way?": bool, "links?": float, "bytes?": float,
        "largest?": float, "runs?": float, "copied?": float, "field_bytes?": float,
        "away?": float,
    },
    "scheme?": str, "why?": str, "time?": str, "seconds?": float, "jobs?": float, "laps?": float,
    "candidates?": list[CANDIDATE], "comment?": Any, **WISHED,
}  # fmt: skip
STYLE_TRIED = {"style": str, "median_us?": float}
STYLE = {
    "machine?": MACHINE,
    "job?": {
        "ranks?": float, "nodes?": float, "threads?": float, "yielding?": bool, "scheme?": str,
    },
    "step?": {"inner?": float, "border?": float, "bytes?": float},
    "style?": str, "decided?": bool, "time?": str,
    "candidates?": list[STYLE_TRIED],
}  # fmt: skip
UNFINISHED = {"scheme": str, "machine?": MACHINE, "time?": str, "jobs?": float}
SHAPE = {
    "format": str, "version": int, "comment?": Any, **WISHED,
    "choices": list[ENTRY],
    "styles?": list[STYLE],
    "unfinished?": list[UNFINISHED],
}  # fmt: skip
"""All of the file, as src/tuner/file_shape.cpp has it; facts of other shapes are passed over."""
NOTE = {"scheme": str}
"""The shape of what a job writes beside the file while it measures."""
Say = Callable[[str], None]
ATTEMPTS = 8
"""A scheme at which two jobs have ended is left out when the program is started again."""
_words = logging.getLogger(__name__)


def default_path() -> Path:
    """Return the file of choices: HALOCLINE_TUNING, or beside the doctor's memory."""
    named = os.environ.get("HALOCLINE_TUNING")
    if not named:
        return folders.in_cache("tuning.json")
    path = folders.expanded(named)
    if not path:
        raise HaloclineError(f"HALOCLINE_TUNING={named}: no home is known of that user")
    return Path(path)


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
        if not path.is_file():
            raise ValueError("it is not a regular file")
        content = records.parsed(path.read_bytes(), odd="strict")
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f'"format" must be "{FORMAT}"')
        version = content.get("version")
        if isinstance(version, bool) or version != VERSION:
            raise ValueError(f'"version" must be {VERSION}')
        shapes.fitted(content, WISHES)
    except (OSError, ValueError, shapes.MisfitError) as error:
        raise HaloclineError(
            f"{path} is not a file of choices ({error}); correct it or delete it"
        ) from error
    kept, passed = shapes.of_shape(content, SHAPE)
    for remark in passed:
        _words.warning("%s: %s; it is passed over", path, remark)
    for name in shapes.unknown(content, SHAPE):
        _words.warning('%s: "%s" is no field that is known', path, name)
    return kept


def remark_on_globs(content: dict[str, Any], path: Path, programs: Path | str | None) -> None:
    """Warn of globs in `forbid` and `pin` that match no scheme, as far as programs are built."""
    globs: dict[str, list[str]] = {}
    for number, wishes in enumerate([content, *content["choices"]]):
        where = f'"choices[{number - 1}]": ' if number else ""
        for glob in filter(None, [wishes.get("pin", ""), *wishes.get("forbid", [])]):
            globs.setdefault(glob, []).append(where)
    if not globs:
        return
    try:
        found = Checker(programs).meaningless(list(globs))
    except HaloclineError:
        return  # nothing is built here, or it does not start: no reason not to show the file
    for glob in found:
        for where in globs.get(glob, []):
            _words.warning('%s: %s"%s" matches no scheme', path, where, glob)


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
            seen: set[str] = set()
            for _ in range(ATTEMPTS):
                log.unlink(missing_ok=True)
                finished = process.run(command, environment, self.limit_s)
                culprit = self._culprit()
                if finished.ok or culprit is None:
                    break
                twice = culprit in seen
                seen.add(culprit)
                say(
                    f"{culprit} did not survive being measured, "
                    + ("twice, and is left out" if twice else "and is tried once more")
                )
            if not finished.ok:
                words = f"{finished.reason()}\n{finished.last_words()}".rstrip()
                raise HaloclineError(f"{self.program.name} on {ranks} ranks: {words}")
            if not log.exists():
                raise HaloclineError(
                    f"{self.program.name} on {ranks} ranks chose nothing: it has no exchange "
                    "with the scheme auto, or nothing to exchange"
                )
            return [logged(line, number) for number, line in enumerate(_lines(log), 1)]

    def _culprit(self) -> str | None:
        """Return the scheme at which the job ended, from the note that it left."""
        prefix = f"{self.tuning.name}.measuring-"
        try:
            notes = [one for one in self.tuning.parent.iterdir() if one.name.startswith(prefix)]
        except OSError:
            return None
        for note in notes:
            try:
                said = shapes.fitted(records.parsed(note.read_bytes()), NOTE)
                if not records.writer_lives(note, said.get("host"), said.get("process")):
                    return said["scheme"]
            except (OSError, ValueError, shapes.MisfitError):
                continue
        return None


def _lines(file: Path) -> list[bytes]:
    return file.read_bytes().split(b"\n")[:-1]


def logged(line: bytes, number: int) -> dict[str, Any]:
    """Return a choice as a job has logged it."""
    where = f"line {number} of the log of choices"
    try:
        return shapes.fitted(records.parsed(line), {**ENTRY, "scheme": str, "why": str}, where)
    except ValueError as error:
        raise HaloclineError(f"{where} is not JSON: {error}") from error


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
        now. Times are in µs; None where it was not measured, and `dropped` says why. What laps have
        found (`when=running`) has `times`: how many times as long as with the chosen one a lap
        takes.
        """
        figures = (
            "median_us", "low_us", "high_us", "mean_us", "samples", "avoidable_bytes", "dropped",
            "laps", "times", "times_low", "times_high",
        )  # fmt: skip
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
        remark_on_globs(load(job.tuning), job.tuning, programs)
        return Choices(job.explain(numbers, say), job.tuning)
    path = Path(file) if file else default_path()
    content = load(path)
    remark_on_globs(content, path, programs)
    entries = content["choices"]
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
