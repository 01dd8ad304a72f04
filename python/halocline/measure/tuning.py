"""What `auto` has chosen: fill its file ahead, and say why it chose what it did.

The library itself measures and remembers (docs/auto.md); here programs are run so that it does,
and the figures it left are shown.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from halocline.cli.display import amount
from halocline.errors import HaloclineError
from halocline.launch import process
from halocline.launch.launcher import Launcher, short_library
from halocline.measure import doctor

FORMAT, VERSION = "halocline-tuning", 1
SITUATION = ("machine", "job", "pattern")
"""The parts of an entry that say what it is about."""
ATTEMPTS = 4
"""A job that ends while it measures a scheme leaves this scheme out when it is started again."""


def default_path() -> Path:
    """Return the file of choices: HALOCLINE_TUNING, or beside the doctor's memory."""
    named = os.environ.get("HALOCLINE_TUNING")
    return Path(named).expanduser() if named else doctor.default_path().with_name("tuning.json")


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
        content = json.loads(path.read_text())
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

    def explain(self, counts: Sequence[int], say=print) -> list[dict[str, Any]]:
        """Run the program on each of these numbers of ranks; return what it chose, explained."""
        choices = [choice for ranks in counts for choice in self.run(ranks, say)]
        return explained(choices, self.tuning)

    def run(self, ranks: int, say=print) -> list[dict[str, Any]]:
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
            return [json.loads(line) for line in log.read_text().splitlines()]

    def _culprit(self) -> str | None:
        """Return the scheme at which the job ended, from the note that it left."""
        for note in self.tuning.parent.glob(f"{self.tuning.name}.measuring-*"):
            try:
                if not _lives(note):
                    return str(json.loads(note.read_text())["scheme"])
            except (OSError, ValueError, KeyError):
                continue
        return None


def _lives(note: Path) -> bool:
    """Whether the job that writes a note is still there: its process holds a lock on it."""
    with note.open("r+") as file:
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


def title(entry: dict[str, Any]) -> str:
    """Say in two lines what an entry is about."""
    machine, job, pattern = (entry.get(part) or {} for part in SITUATION)
    links = f"{pattern.get('links', 0):g}"
    about = [
        f"{job.get('ranks', '?'):g} ranks, {job.get('ranks_per_island', 0):g} an island",
        f"{links} link{'s' * (links != '1')}, {amount(pattern.get('bytes'))} sent "
        f"(largest {amount(pattern.get('largest'))}, {pattern.get('runs', 0):g} pieces)",
        f"fields of {amount(pattern.get('field_bytes'))} in {pattern.get('memory', '?')} memory",
    ]
    if job.get("yielding"):
        about.insert(1, "more ranks than cores")
    where = (
        f"{machine.get('cpu', '?')}, {machine.get('cores', 0):g} cores, "
        f"{short_library(str(machine.get('mpi', '')))}"
    )
    return f"{', '.join(about)}\n{where}"


def table(entry: dict[str, Any]) -> Table:
    """Return the candidates of an entry, the fastest first, with where each was dropped."""
    found = Table(title=title(entry), title_justify="left", title_style="bold", box=None)
    found.add_column("scheme", no_wrap=True, overflow="fold")
    found.add_column("µs [99 % interval]", justify="right", no_wrap=True)
    found.add_column("mean", justify="right")
    found.add_column("samples", justify="right")
    found.add_column("", overflow="fold")

    def place(row: dict[str, Any]) -> tuple[bool, float]:
        return row["scheme"] != entry["scheme"], row.get("median_us", 0)

    rows = sorted(entry.get("candidates") or [], key=place)
    untried: dict[str, list[str]] = {}
    for row in rows:
        chosen = row["scheme"] == entry["scheme"]
        if "median_us" not in row:
            untried.setdefault(row.get("dropped", ""), []).append(row["scheme"])
            continue
        found.add_row(
            row["scheme"],
            f"{row['median_us']:.4g} [{row['low_us']:.4g}, {row['high_us']:.4g}]",
            f"{row['mean_us']:.4g}" if "mean_us" in row else "",
            f"{row['samples']:g}",
            "chosen" if chosen else row.get("dropped") or "in the race to the end, not faster",
            style="bold green" if chosen else "",
        )
    for why, schemes in untried.items():
        found.add_row(Text(f"{len(schemes)} more", "dim"), "", "", "",
                      Text(f"{why}: {', '.join(schemes)}", "dim"))  # fmt: skip
    return found


def show(console: Console, entries: Sequence[dict[str, Any]]) -> None:
    """Print for each entry what was chosen, why, and the figures."""
    for entry in entries:
        console.print(table(entry))
        cost = f" in {entry['seconds']:g} s" if "seconds" in entry else ""
        time = f", measured {entry['time']}{cost}" if "time" in entry else ""
        console.print(Text(f"{entry.get('scheme')}: {entry.get('why', 'written by hand')}{time}\n"))
