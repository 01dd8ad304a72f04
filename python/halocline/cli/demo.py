"""The demonstration: where the choice of a scheme matters and where it does not.

A solver in three dimensions at several sizes, through one or two schemes of each family and through
`auto`; beside it partdiff, which hardly communicates. The first answer, at one size, comes before
the rest is even checked, and before what only the rest needs is compiled.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from halocline import outputs
from halocline.errors import HaloclineError
from halocline.launch import Checker, find_program
from halocline.measure import BASELINE, Case, Comparison, Plan, Progress, Setting, tabulate
from halocline.measure.comparison import Start, measure, picture, prepare
from halocline.measure.soundness import QUICK, check
from halocline.records import drawn_seed
from halocline.reports import series
from halocline.reports.series import AUTO
from halocline.statistics import LEAST_LAUNCHES

RANKS = 2
SIZES = {16: 8000, 24: 5000, 32: 3000, 48: 1000, 64: 500, 96: 200}
"""Points of a rank along each side, and sweeps of a repetition: some 50 ms of them."""
FIRST = 32
"""The size of the first answer."""
SCHEMES = (
    "p2p:persistent",
    "neighbor:nonblocking",
    "rma:put:fence",
    "rma:put:pscw",
    "shm:message",
    "shm:signal",
)
"""What `auto` is shown beside, and the baseline: the usual ones of each family."""
FLAT = Case(
    "partdiff 2009x2009",
    "partdiff",
    ["1", "2", "250", "1", "2", "100"],
    ["1", "1", "20", "1", "1", "1e-6"],
)
"""2009 x 2009 points in two dimensions; the picture is of a smaller problem, solved to the end."""
FLAT_SCHEMES = (BASELINE, "rma:put:fence", "shm:signal", AUTO)
REPETITIONS = 2
LIMIT_S = 60
RESERVE_S = 15
"""Seconds kept back for the picture, the report and a slow last round."""


@dataclass(frozen=True)
class Effort:
    """How much is shown."""

    budget_s: float
    """Seconds for everything."""
    every_scheme: bool = False
    """Rather than those of `SCHEMES`."""
    build: str = ""
    """A command of the shell that compiles what the first answer does not need."""


class Screen(Protocol):
    """Where the demonstration tells what it does."""

    def say(self, text: str) -> None:
        """Tell a line."""

    def checking(self, scheme: str, event: str) -> None:
        """Tell what the doctor looks at."""

    def measuring(self, comparison: Comparison, state: Progress) -> None:
        """Show what is known so far."""


def case(points: int) -> Case:
    """Return the solver with so many points of a rank along each side, an exchange a sweep.

    The tolerance is out of reach: all that counts is the time of the sweeps.
    """
    return Case(
        f"laplace {points}x{points}x{points}",
        "laplace",
        ["--per-rank", ",".join([str(points)] * 3), "--depth", "1", "--tolerance", "1e-300",
         "--max-iterations", str(SIZES[points])],
    )  # fmt: skip


def run(folder: Path, programs: Path | None, screen: Screen, effort: Effort) -> Comparison:
    """Tell the first answer, measure all sizes, and return the comparison.

    Parameters
    ----------
    folder
        Where results go.
    programs
        Where programs are; None to look for them.
    """
    began = time.monotonic()
    checker = Checker(programs)
    first_needs = ("laplace",) if effort.build else ("laplace", "partdiff")
    paths = {name: find_program(name, programs) for name in first_needs}
    there = [scheme.name for scheme in checker.schemes() if scheme.available]
    wanted = there if effort.every_scheme else [n for n in (BASELINE, *SCHEMES) if n in there]
    cases = [case(points) for points in SIZES]
    # A tuning file of its own: what is shown here is measured here; stale choices show nothing.
    outputs.make_folder(folder)
    options = ("--tuning", str(folder.resolve() / "tuning.json"))
    seed = drawn_seed()

    def left() -> float:
        return effort.budget_s - RESERVE_S - (time.monotonic() - began)

    def launch(into: Comparison, settings: list[Setting], rounds: int) -> None:
        plan = Plan(
            rounds=rounds, repetitions=REPETITIONS, budget_s=left(), limit_s=LIMIT_S,
            options=options,
        )  # fmt: skip
        measure(
            into, settings, lambda case: Start(paths[case.program], checker.launcher), plan,
            lambda state: screen.measuring(into, state),
        )  # fmt: skip

    def broken(names: Sequence[str]) -> dict[str, str]:
        verdicts = check(checker, names, QUICK, progress=screen.checking)
        return {name: verdict.why for name, verdict in verdicts.items() if not verdict.sound}

    skipped = broken([BASELINE] if BASELINE in wanted else [])
    if BASELINE not in wanted or skipped:
        raise HaloclineError(f"{BASELINE} is not sound here; 'halocline doctor' says why")
    if FIRST in SIZES:
        first = case(FIRST)
        early = prepare(folder / "first", [first], {}, checker.facts(RANKS), seed)
        launch(early, [Setting(first.name, RANKS, n) for n in (BASELINE, AUTO)], LEAST_LAUNCHES)
        if early.interrupted:
            raise KeyboardInterrupt
        screen.say(_first_answer(early))

    if effort.build:
        _build(effort.build, screen)
        paths["partdiff"] = find_program("partdiff", programs)
    screen.say(f"Checking {len(wanted)} schemes on this machine ...")
    skipped = broken(wanted)
    sound = [name for name in wanted if name not in skipped]
    comparison = prepare(folder, [*cases, FLAT], skipped, checker.facts(RANKS), seed)
    settings = [Setting(one.name, RANKS, name) for one in cases for name in (*sound, AUTO)]
    settings += [Setting(FLAT.name, RANKS, n) for n in FLAT_SCHEMES if n in (*sound, AUTO)]
    screen.say(
        f"Measuring {len(sound) + 1} schemes at {len(cases)} sizes, and partdiff, in random order "
        f"for {max(left(), 0):.0f} s; Ctrl-C keeps what there is ..."
    )
    launch(comparison, settings, 20)
    if not comparison.interrupted:
        picture.take(FLAT, paths["partdiff"], checker.launcher, RANKS, comparison.folder)
    return comparison


def _build(command: str, screen: Screen) -> None:
    """Compile the rest of the programs; nothing is measured meanwhile."""
    began = time.monotonic()
    screen.say("Compiling what the other measurements need ...")
    done = subprocess.run(
        ["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise HaloclineError(f"'{command}' failed:\n{(done.stdout + done.stderr)[-2000:].strip()}")
    screen.say(f"Compiled in {time.monotonic() - began:.0f} s.")


def _first_answer(comparison: Comparison) -> str:
    """Say what the first launches say; the later ones will say it better."""
    (only,) = comparison.cases
    tables = tabulate(comparison)
    rows = tables.get((only.name, RANKS), [])
    text = series.against(series.Size(series.label(only.arguments[1]), only, rows), "points a rank")
    return f"First answer: {text}." if text else "The first launches failed."
