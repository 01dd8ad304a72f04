"""Launch applications and halometer in turns, visit by visit, and keep what they say."""

from __future__ import annotations

import random
import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import (
    Activity,
    Launcher,
    find_program,
    interference,
    launcher_of,
    process,
    short_library,
)
from halocline.measure import benchmark, tuning
from halocline.measure.comparison import turns
from halocline.measure.validation.judgement import rows, summary
from halocline.measure.validation.record import (
    Choice,
    Conditions,
    Felt,
    Solution,
    Validation,
    Visit,
)
from halocline.measure.validation.settings import AUTO, BASELINE, SETTINGS, Setting

TURNS = 13
"""The first is left out."""
BENCH_S = 1.0
"""That halometer measures in a visit."""
LIMIT_S = 300.0
"""For one launch: between nodes of a busy machine a step can take milliseconds."""


def measure(
    folders: Sequence[Path | None],
    *,
    settings: Sequence[Setting] = SETTINGS,
    budget_s: float,
    seed: int | None = None,
    pin: bool = True,
    folder: Path,
    before: Validation | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Validation:
    """Visit settings until the budget is spent: always one of those that have the fewest turns.

    Parameters
    ----------
    folders
        Where the programs are; one for each MPI.
    budget_s
        Seconds; no visit begins that would not end within them, but the first.
    folder
        For the files of launches, and for what is found, which is whole after each visit.
    before
        A validation to go on with.

    Raises
    ------
    HaloclineError
        When nothing can be measured, or `before` is of another processor.
    """
    dice = random.Random(seed)
    found = before or Validation(time=records.now())
    found.command_lines.append(records.own_command_line())
    found.interrupted = False
    sites = [_Site(where, pin) for where in folders]
    counts = {(site, setting): 0 for site in sites for setting in settings}
    for visit in found.visits:
        for site, setting in counts:
            if (visit.programs, visit.setting) == (site.folder, setting.name):
                counts[site, setting] += visit.counts()
    end, longest = time.monotonic() + budget_s, 0.0
    failed = 0
    try:
        while not longest or time.monotonic() + longest <= end:
            fewest = min(counts.values())
            site, setting = key = dice.choice([k for k, n in counts.items() if n == fewest])
            began = time.monotonic()
            say(f"{setting.name} ({site.mpi or 'MPI'}) after {fewest} visits; "
                f"{max(0.0, end - began):.0f} s left")  # fmt: skip
            try:
                visit, facts = site.visit(setting, folder, dice)
                if found.machine and found.machine.get("cpu") != facts.get("cpu"):
                    raise _elsewhere(found.machine, facts)
                found.visits.append(visit)
                counts[key] += visit.counts()
                found.machine = found.machine or facts
            except _LaunchError as problem:
                found.failures.append(f"{setting.name}: {problem}")
                counts[key] += 1
                failed += 1
                if failed > 1 and not found.visits:
                    raise
            found.save(folder, summary(rows(found)))
            longest = max(longest, time.monotonic() - began)
    except KeyboardInterrupt:
        found.interrupted = True
    return found


class _LaunchError(HaloclineError):
    """A launch went wrong; others may not."""


def _elsewhere(there: dict[str, Any], here: dict[str, Any]) -> HaloclineError:
    return HaloclineError(
        f"these visits were made on {there.get('cpu')}, this is {here.get('cpu')}; begin another "
        "validation with --output"
    )


class _Site:
    """The programs of one build, and how its MPI launches them."""

    def __init__(self, folder: Path | None, pin: bool) -> None:
        self.programs = {
            name: find_program(name, folder) for name in ("halometer", "laplace", "partdiff")
        }
        self.folder = str(self.programs["halometer"].parent)
        self.launcher: Launcher = launcher_of(self.programs["halometer"], folder)
        self.pin = pin
        self.mpi = ""
        self.exchange_s: dict[str, float] = {}
        """What the slowest exchange of a setting takes, where it has been measured."""

    def visit(
        self, setting: Setting, folder: Path, dice: random.Random
    ) -> tuple[Visit, dict[str, Any]]:
        """Measure one setting through all schemes, by halometer, and by the tuner."""
        visit = Visit(setting.name, "", self.folder, setting.depth)
        parts = [self._bench, self._solve]
        if setting.name in self.exchange_s:
            dice.shuffle(parts)
        for part in parts:
            content = part(setting, visit, folder)
        self.mpi = visit.mpi = short_library(content.get("mpi", {}).get("library", ""))
        return visit, content.get("machine", {})

    def _solve(self, setting: Setting, visit: Visit, folder: Path) -> dict[str, Any]:
        file, log = folder / "launch.json", folder / "tuner.jsonl"
        for old in (file, log, folder / "tuning.json"):
            old.unlink(missing_ok=True)
        words = [
            *setting.arguments(self.exchange_s[setting.name]),
            "--in-turn", ",".join([BASELINE, *setting.schemes(), AUTO]),
            "--repetitions", str(TURNS), "--json", str(file),
        ]  # fmt: skip
        disturbances = self._run(
            setting.program, words,
            {"HALOCLINE_TUNING": str(folder / "tuning.json"), "HALOCLINE_TUNING_LOG": str(log)},
        )  # fmt: skip
        content = turns.load(file)
        for one in content["solutions"]:
            scheme = content["schemes"][one["scheme"]]
            if one["turn"] > 0:
                visit.solutions.append(
                    Solution(
                        scheme["asked"], one["turn"],
                        one["total_s"] / scheme["result"]["iterations"],
                        Conditions(one.get("core_distance_s", []), disturbances),
                    )
                )  # fmt: skip
        for scheme in content["schemes"]:
            if scheme["asked"] == AUTO and log.is_file():
                first = tuning.logged(log.read_bytes().partition(b"\n")[0], 1)
                seconds = {
                    row["scheme"]: 1e-6 * row["median_us"]
                    for row in first.get("candidates", [])
                    if "median_us" in row
                }
                conditions = Conditions(scheme.get("core_distance_s", []), disturbances)
                visit.choices.append(Choice(first["scheme"], seconds, conditions))
        return content

    def _bench(self, setting: Setting, visit: Visit, folder: Path) -> dict[str, Any]:
        file = folder / "launch.json"
        file.unlink(missing_ok=True)
        words = [
            *setting.pattern(), "--schemes", ",".join(setting.schemes()),
            "--budget", str(BENCH_S), "--width", "0.02", "--json", str(file),
        ]  # fmt: skip
        disturbances = self._run("halometer", words, {})
        content = benchmark.load(file)
        felt = {
            entry["scheme"]: entry["felt_s"]["value"]
            for entry in content["settings"]
            if "felt_s" in entry
        }
        self.exchange_s.setdefault(setting.name, max([0.0, *felt.values()]))
        conditions = Conditions(content.get("core_distance_s", []), disturbances)
        visit.felt.append(Felt(felt, conditions))
        return content

    def _run(self, program: str, words: Sequence[str], variables: dict[str, str]) -> list[str]:
        """Run a program on two ranks; what else kept the host busy meanwhile."""
        command = self.launcher.command(2, self.programs[program], words, pin=self.pin)
        before = interference.read()
        done = process.run(command, {**self.launcher.environment(2), **variables}, LIMIT_S)
        activity = Activity.between(before, interference.read())
        if not done.ok:
            raise _LaunchError(f"{shlex.join(command)}: {done.reason()}: {done.last_words()}")
        return activity.disturbances(threads=2)
