"""Launch everything, in random order, until the time is spent, and save what it says."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halocline import outputs, records
from halocline.errors import HaloclineError
from halocline.launch import Checker, Launcher, find_program, machine, process
from halocline.measure import results
from halocline.measure.comparison import (
    Case,
    Comparison,
    Plan,
    Progress,
    Setting,
    Start,
    measure,
    prepare,
)
from halocline.measure.kernels.cases import FULL, QUICK, Effort, Kernel
from halocline.measure.kernels.evaluation import Line, Speed, disagreements, evaluate, speeds
from halocline.measure.kernels.goals import Goal, chosen
from halocline.tables import Tabular, flat

FORMAT, VERSION = "halocline-kernels", 1
LIMIT_S = 300
"""Seconds that one launch may take."""


def fitting(all_kernels: Iterable[Kernel], available: int) -> tuple[list[Kernel], dict[str, str]]:
    """Return the kernels whose grids leave an eighth of the memory free, and why not the others."""
    kept, left_out = [], {}
    for kernel in all_kernels:
        if kernel.grids_bytes <= available * 7 / 8:
            kept.append(kernel)
        else:
            left_out[kernel.name] = (
                f"its grids need {kernel.grids_bytes / 1e9:.1f} GB of memory, "
                f"{available / 1e9:.1f} GB are available"
            )
    return kept, left_out


@dataclass(frozen=True)
class Outcome(Tabular):
    """All that the benchmark found: `plot()` draws the roofline."""

    comparison: Comparison
    lines: list[Line]
    speeds: list[Speed]
    left_out: dict[str, str]
    disagreements: list[str]

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each goal: what was measured of it, and which verdict that gets.

        `measured` is a ratio of speeds, or a share of time where nothing is named `against`;
        `at_least` and `aim` are what is hoped for.
        """
        return [
            flat({
                "goal": line.goal.name, "of": line.goal.of, "against": line.goal.against,
                "measured": None if line.measured is None else line.measured.told(),
                "at_least": line.goal.at_least, "aim": line.goal.aim, "scheme": line.scheme,
                "verdict": line.verdict,
            })
            for line in self.lines
        ]  # fmt: skip

    def save(self) -> Path:
        """Write `kernels.json` beside the record of the launches."""
        content = {
            "command_line": self.comparison.command_line,
            "time": self.comparison.time,
            "goals": [
                {
                    **asdict(line.goal),
                    "measured": None if line.measured is None else line.measured.told(),
                    "scheme": line.scheme,
                    "verdict": line.verdict,
                }
                for line in self.lines
            ],
            "kernels": [{**asdict(one), "rate": one.rate.told()} for one in self.speeds],
            "left_out": self.left_out,
            "disagreements": self.disagreements,
        }
        file = self.comparison.folder / "kernels.json"
        records.write(file, FORMAT, VERSION, content)
        return file


def bench_kernels(
    only: str = "*",
    *,
    quick: bool = False,
    budget_s: float | None = None,
    output: Path | str | None = None,
    seed: int | None = None,
    programs: Path | str | None = None,
    progress: Callable[[Progress], None] = lambda state: None,
    say: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Compare the sweeps with plain loops, with one thread and one rank, with memory.

    Parameters
    ----------
    only
        A shell glob for the lines of the table.
    quick
        Small problems, a minute: to see that it works.
    budget_s
        Seconds for everything; what `quick` or the whole take by default.
    output
        Folder for the results; by default a new one in `results`.
    seed
        Of the random order; drawn by default.
    programs
        Folder of the programs; None to look for them.
    progress, say
        Called with what goes on.

    Raises
    ------
    HaloclineError
        When no line has such a name, a program is missing, or the folder holds results already.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.bench_kernels("Jacobi*plain*", quick=True, budget_s=1)
    >>> [row["verdict"] != "not measured" for row in found.table()]
    [True]
    """
    named = None if output is None else Path(output)
    outputs.check_folder(named, "--output")
    return run(
        named or records.default_folder("kernels"), None if programs is None else Path(programs),
        effort=QUICK if quick else FULL, only=only, budget_s=budget_s, seed=seed,
        progress=progress, say=say,
    )  # fmt: skip


def run(
    folder: Path,
    programs: Path | None = None,
    *,
    effort: Effort = FULL,
    only: str = "*",
    budget_s: float | None = None,
    seed: int | None = None,
    progress: Callable[[Progress], None] = lambda state: None,
    say: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Launch everything, in random order, round by round, and return what it says.

    Parameters
    ----------
    folder
        Where results go.
    programs
        Where programs are; None to look for them.
    only
        A shell glob for the lines of the table.
    budget_s
        Seconds for everything; no round is begun that would not fit. The first always is.
    seed
        Of the random order.
    """
    began = time.monotonic()
    checker = Checker(programs)
    needed, lines = chosen(effort, only)
    paths = {one.program: find_program(one.program, programs) for one in needed}
    wanted, left_out = fitting(needed, machine.memory_available())
    for name, why in left_out.items():
        say(f"{name} is left out: {why}")
    comparison = prepare(folder, [], left_out, checker.facts(2), seed)
    by_name = {kernel.name: kernel for kernel in wanted}
    for kernel in wanted:
        accuracy = None
        if kernel.accurate_as:
            model = by_name[kernel.accurate_as]
            accuracy = _accuracy(model, paths["partdiff"], checker.launcher, comparison.folder)
        comparison.cases.append(Case(kernel.name, kernel.program, kernel.arguments(accuracy)))
    settings = [Setting(kernel.name, kernel.ranks, "") for kernel in wanted]
    left = (effort.budget_s if budget_s is None else budget_s) - (time.monotonic() - began)
    plan = Plan(rounds=1000, repetitions=1, budget_s=max(left, 0), limit_s=LIMIT_S)
    measure(
        comparison, settings, lambda case: Start(paths[case.program], checker.launcher), plan,
        progress,
    )  # fmt: skip
    return outcome(comparison, wanted, lines, left_out)


def outcome(
    comparison: Comparison, wanted: list[Kernel], lines: list[Goal], left_out: dict[str, str]
) -> Outcome:
    """Evaluate a comparison whose cases are kernels, and save what it says."""
    found = {setting.case: runs for setting, runs in comparison.measured().items()}
    said = Outcome(
        comparison,
        evaluate(found, wanted, lines),
        speeds(found, wanted),
        left_out,
        disagreements(found, wanted),
    )
    said.save()
    return said


def _accuracy(kernel: Kernel, program: Path, launcher: Launcher, folder: Path) -> float:
    """Return the accuracy that ends after exactly as many sweeps as a kernel takes.

    The residuum of its last sweep and one bit more: sweeps stop when theirs is below the accuracy.
    """
    file = folder / "accuracy.json"
    command = launcher.command(
        kernel.ranks, program, [*kernel.arguments(), "--json", str(file)], pin=True
    )
    try:
        finished = process.run(command, launcher.environment(kernel.ranks), LIMIT_S)
        if not finished.ok:
            raise HaloclineError(
                f"{kernel.name}: {finished.reason()}\n{finished.last_words()}".rstrip()
            )
        residuum: float = results.load(file).found("residuum", float)
    finally:
        file.unlink(missing_ok=True)
    return math.nextafter(residuum, math.inf)
