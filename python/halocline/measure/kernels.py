"""The benchmark of the sweeps: against plain loops, alone, on two threads and two ranks.

Both sides solve the same problem with the same operations, so that every pair of speeds has a
meaning; `plain_sweeps` is what one would write first, compiled with the same flags. Everything is
launched once a round, in an order drawn anew, until the time is spent (see `compare`), and nothing
here passes or fails by a time.

How many sweeps a case takes is fixed, so that runs can be repeated: some tenths of a second to two
seconds on a core of 2024 once the sweeps are blocked, and at least 400 where several ranks or
threads follow each other, so that filling the pipeline does not show. partdiff's time includes
setting its grids to their initial values, and laplace's the residual after every 100 sweeps; that
of the plain loops does not, which favours them.
"""

from __future__ import annotations

import json
import math
import os
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.launch import process
from halocline.launch.launcher import Launcher, find_program
from halocline.measure import compare, results
from halocline.measure.checker import Checker, matching
from halocline.measure.compare import Case, Comparison, Plan, Setting
from halocline.measure.results import Launches, Result
from halocline.statistics import intervals as statistics
from halocline.statistics.intervals import Interval

FORMAT, VERSION = "halocline-kernels", 1
METHODS = {"gauss-seidel": "1", "jacobi": "2"}
"""How partdiff numbers them."""
SCHEMES = ("shm:message", "shm:signal", "rma:put:flush")
"""What the ranks exchange by, beside partdiff's default, where the best one counts."""
LIMIT_S = 300
"""Seconds that one launch may take."""


@dataclass(frozen=True)
class Effort:
    """How large the problems are, in points along a side, and how often they are swept."""

    points: int
    sweeps: int
    plain_jacobi: int
    """Sweeps of the plain loops, which are slower."""
    plain_gauss_seidel: int
    small: int
    """Points of the problem that stays in a cache."""
    small_sweeps: int
    large: int
    large_sweeps: int
    cube: int
    """Points along a side of laplace's problem, without its surface."""
    cube_sweeps: int
    plain_cube: int
    budget_s: float


FULL = Effort(4105, 800, 60, 20, 201, 60_000, 16009, 64, 400, 100, 16, budget_s=540)
QUICK = Effort(1033, 400, 200, 100, 201, 4_000, 2057, 64, 150, 100, 50, budget_s=60)
"""Shows that everything works; its problems fit into large caches, and its figures say little."""


@dataclass(frozen=True)
class Kernel:
    """One thing that is launched: a program, its problem, and how many work on it."""

    name: str
    program: str
    """`partdiff`, `laplace` or `plain_sweeps`."""
    method: str
    """`jacobi`, `gauss-seidel`, `laplace` or `stream`."""
    points: int
    sweeps: int
    function: int = 1
    threads: int = 1
    ranks: int = 1
    scheme: str = ""
    """Empty for the default."""
    accurate_as: str = ""
    """The kernel whose residuum ends this one (TERM 1); by default the number of sweeps does."""

    @property
    def updates(self) -> int:
        """Points updated by a sweep: all but the boundary."""
        if self.method == "laplace":
            return self.points**3
        return (self.points - 2) ** 2

    @property
    def grids_bytes(self) -> int:
        """The memory of its grids: partdiff works in place, and to an accuracy keeps two copies."""
        if self.method == "laplace":
            return 8 * (self.points + 2) ** 3 * 2
        if self.program == "partdiff":
            grids = 3 if self.accurate_as else 1
        else:
            grids = 1 if self.method == "gauss-seidel" else 2
        return 8 * self.points**2 * grids

    @property
    def problem(self) -> tuple[Any, ...]:
        """What decides about the result: where it is the same, so must be the bytes."""
        return self.method, self.points, self.function, self.sweeps

    def arguments(self, accuracy: float | None = None) -> list[str]:
        """Return the program's arguments.

        Parameters
        ----------
        accuracy
            The residuum to get below, for a kernel that ends by it.
        """
        more = ["--scheme", self.scheme] if self.scheme else []
        if self.program == "partdiff":
            interlines = str((self.points - 9) // 8)
            end = ["2", str(self.sweeps)] if accuracy is None else ["1", repr(accuracy)]
            return [
                str(self.threads), METHODS[self.method], interlines, str(self.function), *end, *more
            ]  # fmt: skip
        if self.program == "laplace":
            return [
                "--grid", ",".join([str(self.points)] * 3), "--max-iterations", str(self.sweeps),
                "--tolerance", "1e-300", "--threads", str(self.threads), *more,
            ]  # fmt: skip
        return [
            "--method", self.method, "--points", str(self.points), "--sweeps", str(self.sweeps),
            "--function", str(self.function), "--threads", str(self.threads),
        ]  # fmt: skip


@dataclass(frozen=True)
class Goal:
    """A line of the table: what is divided by what, and what is hoped for."""

    name: str
    of: str
    """The kernel whose speed is looked at."""
    against: str
    """The kernel whose speed divides it; empty for the share of time that is not computing."""
    at_least: float
    aim: float
    others: tuple[str, ...] = ()
    """For a share: kernels that may stand in for it; the one with the smallest median counts."""

    @property
    def is_share(self) -> bool:
        """Whether less is better: a share of time rather than a ratio of speeds."""
        return not self.against


def kernels(effort: Effort) -> list[Kernel]:
    """Return everything that is launched."""
    n, sweeps = effort.points, effort.sweeps
    found = []
    for name, method, plain in (
        ("Jacobi", "jacobi", effort.plain_jacobi),
        ("Gauss-Seidel", "gauss-seidel", effort.plain_gauss_seidel),
    ):
        sines = f"{name}, sines"
        found += [
            Kernel(name, "partdiff", method, n, sweeps),
            Kernel(f"{name}, plain", "plain_sweeps", method, n, plain),
            Kernel(f"{name}, 2 threads", "partdiff", method, n, sweeps, threads=2),
            Kernel(f"{name}, 2 ranks", "partdiff", method, n, sweeps, ranks=2),
            Kernel(sines, "partdiff", method, n, sweeps, function=2),
            Kernel(f"{sines}, to accuracy", "partdiff", method, n, sweeps, 2, accurate_as=sines),
        ]
        found += [
            Kernel(
                f"{name}, 2 ranks, {scheme}", "partdiff", method, n, sweeps, ranks=2, scheme=scheme
            )
            for scheme in SCHEMES
        ]
    small, large = effort.small, effort.large
    found += [
        Kernel(f"Jacobi, {small}", "partdiff", "jacobi", small, effort.small_sweeps),
        Kernel(f"Jacobi, {small}, plain", "plain_sweeps", "jacobi", small, effort.small_sweeps),
        # As few sweeps on both, so that setting the initial values weighs the same.
        Kernel("Jacobi, few sweeps", "partdiff", "jacobi", n, effort.large_sweeps),
        Kernel(f"Jacobi, {large}", "partdiff", "jacobi", large, effort.large_sweeps),
        Kernel("Laplace", "laplace", "laplace", effort.cube, effort.cube_sweeps),
        Kernel("Laplace, plain", "plain_sweeps", "laplace", effort.cube, effort.plain_cube),
        Kernel(
            "Laplace, 2 threads", "laplace", "laplace", effort.cube, effort.cube_sweeps, threads=2
        ),
        # Arrays in plain memory lie on huge pages, those in shared memory do not everywhere.
        Kernel(
            "Laplace, 2 ranks",
            "laplace",
            "laplace",
            effort.cube,
            effort.cube_sweeps,
            ranks=2,
            scheme="shm:signal+access=slots",
        ),
        Kernel("stream", "plain_sweeps", "stream", FULL.points, 1),
        Kernel("stream, 2 threads", "plain_sweeps", "stream", FULL.points, 1, threads=2),
        Kernel("stream, in L1", "plain_sweeps", "stream", 40, 100_000),
    ]
    return found


def goals(effort: Effort) -> list[Goal]:
    """Return the lines of the table."""
    n = effort.points
    lines = []
    for name, plain, scaling in (
        ("Jacobi", (3, 5), (1.85, 1.95)),
        ("Gauss-Seidel", (6, 12), (1.8, 1.95)),
    ):
        sines, two = f"{name}, sines", f"{name}, 2 ranks"
        others = tuple(f"{two}, {scheme}" for scheme in SCHEMES)
        lines += [
            Goal(f"{name} {n}², 1 thread, against plain loops", name, f"{name}, plain", *plain),
            Goal(f"{name} {n}², 2 threads against 1", f"{name}, 2 threads", name, *scaling),
            Goal(f"{name} {n}², 2 ranks against 1", two, name, *scaling),
            Goal(f"{name} {n}², FUNC 2 against FUNC 1", sines, name, 0.8, 0.95),
            Goal(f"{name} {n}², TERM 1 against TERM 2", f"{sines}, to accuracy", sines, 0.75, 0.9),
            Goal(f"{name} {n}², 2 ranks: communicating and waiting", two, "", 0.05, 0.02, others),
        ]
    small, large = f"Jacobi, {effort.small}", f"Jacobi, {effort.large}"
    lines += [
        Goal(f"Jacobi {effort.small}² against plain loops", small, f"{small}, plain", 1.5, 2.5),
        Goal(f"Jacobi {effort.large}² against {n}²", large, "Jacobi, few sweeps", 0.9, 1),
        *_cube_goals(f"Laplace {effort.cube}³"),
    ]
    return lines


def _cube_goals(name: str) -> list[Goal]:
    return [
        Goal(f"{name}, 1 thread, against plain loops", "Laplace", "Laplace, plain", 1.7, 2.5),
        Goal(f"{name}, 2 threads against 1", "Laplace, 2 threads", "Laplace", 1.85, 1.95),
        Goal(f"{name}, 2 ranks against 1", "Laplace, 2 ranks", "Laplace", 1.85, 1.95),
    ]


def chosen(effort: Effort, only: str) -> tuple[list[Kernel], list[Goal]]:
    """Return the lines of the table that a shell glob matches, and the kernels that they need.

    Raises
    ------
    HaloclineError
        When there are none.
    """
    every = goals(effort)
    names = [goal.name for goal in every]
    wanted = matching(only, names)
    lines = [goal for goal in every if goal.name in wanted]
    if not lines:
        known = "\n  ".join(names)
        raise HaloclineError(f"--only '{only}': no line of the table matches; they are\n  {known}")
    if len(lines) == len(every):
        return kernels(effort), every
    needed = {name for goal in lines for name in (goal.of, goal.against, *goal.others)}
    return [kernel for kernel in kernels(effort) if kernel.name in needed], lines


@dataclass(frozen=True)
class Line:
    """A goal and what was measured of it."""

    goal: Goal
    measured: Interval | None
    """Ratio of speeds or share of time; None where a kernel was left out or failed."""
    scheme: str = ""
    """The best one, where there was a choice."""

    @property
    def verdict(self) -> str:
        """Say what the median reaches: `aim`, `enough`, `short` or `not measured`."""
        if self.measured is None:
            return "not measured"
        value, goal = self.measured.value, self.goal
        sign = -1 if goal.is_share else 1
        if sign * value >= sign * goal.aim:
            return "aim"
        return "enough" if sign * value >= sign * goal.at_least else "short"


@dataclass(frozen=True)
class Speed:
    """What one kernel reaches."""

    kernel: Kernel
    rate: Interval
    """Million points updated in a second; for streams gigabytes copied in a second."""
    launches: int
    sweeps: int
    """That it took, in a repetition."""


def speeds(found: dict[str, list[Result]], all_kernels: Iterable[Kernel]) -> list[Speed]:
    """Return the speed of every kernel that was measured, with intervals that respect launches."""
    rows = []
    for kernel in all_kernels:
        runs = found.get(kernel.name, [])
        launches = Launches.alone(runs)
        if kernel.method == "stream":
            rates = [run.content["result"]["copy_gb_s"] for run in runs]
            groups = [list(launches.warm_up.rest(launch)) for launch in rates]
        else:
            groups = [[kernel.updates / s / 1e6 for s in group] for group in launches.groups]
        if groups:
            median = statistics.grouped_median(groups)
            rows.append(Speed(kernel, median, len(runs), runs[0].steps))
    return rows


def evaluate(
    found: dict[str, list[Result]], all_kernels: Iterable[Kernel], all_goals: Iterable[Goal]
) -> list[Line]:
    """Return the table: for every goal its ratio or share, with an interval.

    Parameters
    ----------
    found
        The result files of every kernel, by its name, one for each launch.
    """
    by_name = {kernel.name: kernel for kernel in all_kernels}

    def seconds_per_update(name: str) -> list[list[float]]:
        kernel = by_name[name]
        return [[s / kernel.updates for s in group] for group in Launches.alone(found[name]).groups]

    def share(name: str) -> Interval | None:
        shares = [1 - run.shares["compute_s"] for run in found.get(name, []) if run.shares]
        return statistics.median_interval(shares) if shares else None

    lines = []
    for goal in all_goals:
        measured, scheme = None, ""
        if goal.is_share:
            choice = {name: share(name) for name in (goal.of, *goal.others)}
            known = {name: interval for name, interval in choice.items() if interval}
            if known:
                best = min(known, key=lambda name: known[name].value)
                measured = known[best]
                scheme = found[best][0].scheme
        elif found.get(goal.of) and found.get(goal.against):
            measured = statistics.ratio_interval(
                seconds_per_update(goal.against), seconds_per_update(goal.of)
            )
        lines.append(Line(goal, measured, scheme))
    return lines


def disagreements(found: dict[str, list[Result]], all_kernels: Iterable[Kernel]) -> list[str]:
    """Name the kernels that solved the same problem with different results."""
    problems: dict[tuple[Any, ...], dict[str, set[str]]] = {}
    for kernel in all_kernels:
        for run in found.get(kernel.name, []):
            if kernel.method != "stream":
                sums = problems.setdefault(kernel.problem, {}).setdefault(kernel.name, set())
                sums.add(str(run.content["result"]["checksum"]))
    return [
        ", ".join(names) for names in problems.values() if len(set().union(*names.values())) > 1
    ]


def memory_available() -> int:
    """Return the bytes that programs may still take, as Linux estimates them."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 1 << 62


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
class Outcome:
    """All that the benchmark found."""

    comparison: Comparison
    lines: list[Line]
    speeds: list[Speed]
    left_out: dict[str, str]
    disagreements: list[str]

    def save(self) -> Path:
        """Write `kernels.json` beside the record of the launches."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "command_line": self.comparison.command_line,
            "time": self.comparison.time,
            "goals": [
                {
                    **asdict(line.goal),
                    "measured": None if line.measured is None else asdict(line.measured),
                    "scheme": line.scheme,
                    "verdict": line.verdict,
                }
                for line in self.lines
            ],
            "kernels": [asdict(speed) for speed in self.speeds],
            "left_out": self.left_out,
            "disagreements": self.disagreements,
        }
        file = self.comparison.folder / "kernels.json"
        fresh = file.with_name(f".{file.name}.{os.getpid()}")
        fresh.write_text(json.dumps(content, indent=1) + "\n")
        fresh.replace(file)
        return file


def run(
    folder: Path,
    programs: Path | None = None,
    *,
    effort: Effort = FULL,
    only: str = "*",
    budget_s: float | None = None,
    seed: int | None = None,
    progress: Callable[[compare.Progress], None] = lambda state: None,
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
    wanted, left_out = fitting(needed, memory_available())
    for name, why in left_out.items():
        say(f"{name} is left out: {why}")
    seed = random.SystemRandom().randrange(1 << 31) if seed is None else seed
    comparison = compare.prepare(folder, [], left_out, checker.facts(2), seed)
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
    compare.measure(comparison, settings, paths, checker.launcher, plan, progress)
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
        residuum = float(results.load(file).content["result"]["residuum"])
    finally:
        file.unlink(missing_ok=True)
    return math.nextafter(residuum, math.inf)
