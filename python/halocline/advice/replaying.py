"""Launch a replay in the place of the program: same ranks, placement and environment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from halocline import outputs, records
from halocline.advice import builds, planning, replay
from halocline.advice.analysis import Analysis
from halocline.advice.command import Command
from halocline.advice.patterns import Pattern
from halocline.advice.recording import Recording
from halocline.advice.replay import Results
from halocline.errors import HaloclineError
from halocline.launch import Checker, process
from halocline.measure import soundness

PLAN, RESULTS = "plan.json", "replay.json"
LAUNCHES = 30
"""A replay is launched again where a call that cannot be given up ends it; not for ever."""
MARGIN_S = 120
"""For starting, preparing and comparing, on top of a replay's budget."""
FEW = 4
"""Ranks that the doctor looks with; the replay itself compares all bytes on all of them."""
Say = Callable[[str], None]


@dataclass
class Replay:
    """How the exchanges of a recording are replayed."""

    command: Command
    folder: Path
    """Where plan and results go."""
    budget_s: float = 60
    seed: int | None = None
    programs: Path | None = None
    say: Say = lambda text: None
    checking: Callable[[str, str], None] = lambda scheme, event: None
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, found: Analysis) -> Results:
        """Replay the patterns that are worth it, by every sound way.

        Raises
        ------
        HaloclineError
            When it cannot be done here; the message says why.
        """
        run = found.recording.run
        folder = builds.folder_for(run.interface, run.library, self.programs)
        return self.measured(
            found, [*weighed(found)], PLAN, RESULTS, self.budget_s, folder,
            schemes=self.sound(found.recording, folder),
        )  # fmt: skip

    def sound(self, taken: Recording, folder: Path) -> list[str]:
        """Return the schemes that the doctor trusts here."""
        checker = Checker(folder)
        names = [one.name for one in checker.schemes() if one.available]
        names = [name for name in names if not name.startswith("auto")]
        self.say(f"checking {len(names)} schemes")
        ranks = max(min(taken.size, FEW), 2)
        broken = soundness.broken(checker, names, [ranks], self.checking)
        return [name for name in names if name not in broken]

    def measured(
        self, found: Analysis, chosen: Sequence[tuple[Pattern, float]], plan: str, results: str,
        budget_s: float, folder: Path, *, schemes: Sequence[str] | str = "all",
        alternatives: Sequence[str] | str = "all", quietly: bool = False,
    ) -> Results:  # fmt: skip
        """Write a plan, launch it until it is done, and read what it has measured."""
        seed = records.drawn_seed() if self.seed is None else self.seed
        content = planning.plan(
            found.recording, chosen, budget_s=budget_s, schemes=schemes,
            alternatives=alternatives, seed=seed,
        )  # fmt: skip
        file, made = self.folder / plan, self.folder / results
        outputs.save(file, planning.text_of(content))
        for earlier in (made, _under_way(made)):  # what another launch has left is no result
            earlier.unlink(missing_ok=True)
        if not quietly:
            self.say(f"replaying {_patterns(len(chosen))} for {budget_s:.0f} s")
        self._launch(found.recording, folder, file, made, budget_s)
        return replay.load(made)

    def _launch(
        self, taken: Recording, folder: Path, file: Path, made: Path, budget_s: float
    ) -> None:
        end = time.monotonic() + budget_s + MARGIN_S
        arguments = [str(file), "--output", str(made)]
        if taken.run.threads:
            arguments += ["--threads", taken.run.threads]
        program = str(folder / builds.REPLAY)
        for attempt in range(LAUNCHES):
            more = ["--resume"] if attempt else []
            command = self.command.replaced([program, *arguments, *more])
            left = end - time.monotonic()
            finished = process.run(command, dict(self.environment), max(left, 1))
            if finished.ok:
                return
            # What wrong plans and launchers say is final; a contender that took the launch with it
            # is not.
            if not _under_way(made).exists() or finished.timed_out or time.monotonic() > end:
                if made.exists():
                    return
                own = finished.last_words(1)
                said = own if own.startswith(builds.REPLAY) else f"{builds.REPLAY}: {own}"
                said = said if own else f"{builds.REPLAY}: {finished.reason()}"
                raise HaloclineError(f"{said}\n{finished.reason()}\n{finished.last_words(20)}")


def _under_way(made: Path) -> Path:
    """Return the file in which a replay says what it is measuring."""
    return made.with_name(made.name + ".now")


def weighed(found: Analysis) -> list[tuple[Pattern, float]]:
    """Return the patterns to replay, with their weights: none of whose ranks have left nothing."""
    return [
        (one, found.splits[one.number].movable / one.all_seconds)
        for one in found.worth
        if not one.among(found.recording.missing)
    ]


def _patterns(count: int) -> str:
    return f"{count} pattern{'s' * (count != 1)}"
