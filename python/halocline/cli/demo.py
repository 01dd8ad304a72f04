"""The demonstration: one real problem through every scheme that is sound here, in five minutes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.launch.launcher import find_program
from halocline.measure import compare, doctor, picture
from halocline.measure.checker import Checker
from halocline.measure.compare import Case, Comparison, Plan, Setting
from halocline.report import comparison as report

RANKS = 2
INTERLINES = 250
"""Gives 2009 x 2009 points."""
CONVERGED = ["1", "1", "20", "1", "1", "1e-6"]
"""Arguments of the picture: the same equation, small enough to be solved to the end."""
SWEEPS = (240, 240)
"""Sweeps of a launch: Jacobi, Gauss-Seidel; so many that filling the pipeline counts little."""
RESERVE_S = 25
"""Seconds kept back for pictures, the report and a slow last round."""


@dataclass(frozen=True)
class Steps:
    """What the demonstration tells while it runs."""

    checking: Callable[[str, str], None]
    measuring: Callable[[compare.Progress], None]
    say: Callable[[str], None]


def cases(interlines: int = INTERLINES) -> list[Case]:
    """Return the two solvers of the Poisson equation with f = 0."""
    size = str(interlines)
    jacobi, gauss_seidel = (str(sweeps) for sweeps in SWEEPS)
    return [
        Case("Jacobi", "partdiff", ["1", "2", size, "1", "2", jacobi], CONVERGED),
        Case("Gauss-Seidel", "partdiff", ["1", "1", size, "1", "2", gauss_seidel], CONVERGED),
    ]


def run(
    folder: Path,
    programs: Path | None,
    steps: Steps,
    *,
    budget_s: float = 280,
    interlines: int = INTERLINES,
) -> tuple[Comparison, Path]:
    """Check all schemes, measure the sound ones, and return the comparison and its report.

    Parameters
    ----------
    folder
        Where results go.
    programs
        Where programs are; None to look for them.
    budget_s
        Seconds for everything.
    """
    began = time.monotonic()
    checker = Checker(programs)
    program = find_program("partdiff", programs)
    names = [scheme.name for scheme in checker.schemes() if scheme.available]
    steps.say(f"Checking {len(names)} schemes on this machine ...")
    verdicts = doctor.check(checker, names, doctor.QUICK, progress=steps.checking)
    skipped = {name: v.why for name, v in verdicts.items() if not v.sound}
    sound = [name for name in names if name not in skipped]
    if not sound:
        raise HaloclineError("no scheme is sound on this machine; 'halocline doctor' says why")
    seed = random.SystemRandom().randrange(1 << 31)
    comparison = compare.prepare(folder, cases(interlines), skipped, checker.facts(RANKS), seed)
    points = 8 * interlines + 9
    steps.say(f"Solving Poisson's equation on {points} x {points} points with {len(sound)} schemes")
    settings = [Setting(case.name, RANKS, name) for case in comparison.cases for name in sound]
    left = budget_s - RESERVE_S - (time.monotonic() - began)
    plan = Plan(rounds=20, repetitions=1, budget_s=left, limit_s=60)
    compare.measure(
        comparison, settings, {"partdiff": program}, checker.launcher, plan, steps.measuring
    )
    if not comparison.interrupted:
        picture.take(comparison.cases[0], program, checker.launcher, RANKS, comparison.folder)
    return comparison, report.write(comparison)
