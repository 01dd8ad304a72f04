"""Launch every setting once a round, in an order drawn anew, until enough is known.

Measurements are interleaved, so that what changes on the machine meanwhile (load, clock,
temperature) hits all alike. A scheme that fails or hangs is named and left out of later rounds; the
rest survives. Rounds follow until every median is known as well as was asked for, or until launches
or time are spent.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from halocline import statistics
from halocline.errors import HaloclineError
from halocline.launch import Activity, Launcher, interference, machine, process
from halocline.measure import results
from halocline.measure.comparison import meter, turns
from halocline.measure.comparison.record import Case, Comparison, Launch, Setting
from halocline.measure.comparison.table import tabulate
from halocline.measure.comparison.turns import together
from halocline.measure.results import Launches, Result
from halocline.outputs import make_folder
from halocline.statistics import LEAST_LAUNCHES


@dataclass(frozen=True)
class Plan:
    """How much to measure."""

    rounds: int = 20
    """Launches of every setting at most."""
    width: float | None = None
    """No round is begun when every median's 95 % interval is narrower, relative to the median; not
    before `LEAST_LAUNCHES`. None: all rounds."""
    repetitions: int = 3
    """Repetitions within a launch that count; one more before them warms up."""
    budget_s: float = float("inf")
    """No round is begun that would not fit into this many seconds; the first always is."""
    limit_s: float = 120
    """Seconds that one launch may take."""
    pin: bool = True
    options: tuple[str, ...] = ()
    """Options for every launch of the program."""
    in_turn: bool = False
    """One launch a round solves through all schemes (and styles) in turns, so that what differs
    between launches concerns all of them alike."""


@dataclass(frozen=True)
class Start:
    """What a case is started with."""

    program: Path
    launcher: Launcher


@dataclass(frozen=True)
class Progress:
    """Where a running comparison is."""

    done: int
    total: int
    left_s: float | None
    """Estimated seconds to go; None as long as there is no ground for an estimate."""
    setting: Setting | None


def measure(
    comparison: Comparison,
    settings: Sequence[Setting],
    start_of: Callable[[Case], Start],
    plan: Plan,
    progress: Callable[[Progress], None] = lambda state: None,
) -> None:
    """Launch every setting once a round, in random order, and record what came of it.

    Parameters
    ----------
    comparison
        Receives the launches; saved after each of them.
    start_of
        Says what a case is started with.

    Notes
    -----
    Ctrl-C ends the measurement but not the program: what was measured is kept, and
    `comparison.interrupted` is set. What the comparison holds already is not launched again: the
    seed draws the same orders.
    """
    cases = {case.name: case for case in comparison.cases}
    make_folder(comparison.folder / "runs")
    draw = random.Random(comparison.seed)
    alive = together(settings) if plan.in_turn else [(setting,) for setting in settings]
    walls: dict[tuple[Setting, ...], float] = {}
    found: dict[Setting, list[Result]] = {}
    comparison.width = plan.width
    known = {(launch.setting, launch.round): launch for launch in comparison.launches}
    began = time.monotonic() - sum(launch.wall_s for launch in known.values())
    done = 0
    try:
        for number in range(1, plan.rounds + 1):
            spent = time.monotonic() - began
            if number > 1 and spent + sum(walls[s] for s in alive) > plan.budget_s:
                comparison.ended = "budget"
                break
            order = draw.sample(alive, len(alive))
            for position, group in enumerate(order):
                rounds_left = _rounds_left(plan, number, began, walls, alive)
                total = done + len(order) - position + rounds_left * len(alive)
                left = _time_left(order[position:], rounds_left, alive, walls)
                progress(Progress(done, total, left, group[0]))
                start = start_of(cases[group[0].case])
                launches = [known[one, number] for one in group if (one, number) in known]
                if len(launches) < len(group):
                    launches = _launch(
                        comparison, [(one, cases[one.case]) for one in group], start, plan, number,
                    )  # fmt: skip
                walls[group] = sum(launch.wall_s for launch in launches)
                done += 1
                for launch in launches:
                    if launch.status == "measured":
                        result = results.load(comparison.folder / launch.file)
                        found.setdefault(launch.setting, []).append(result)
                if launches[0].status != "measured":
                    alive.remove(group)
            if not alive:
                comparison.ended = "failed"
                break
            if number >= LEAST_LAUNCHES and _known_well(
                plan.width, [found[setting] for group in alive for setting in group]
            ):
                comparison.ended = "width"
                break
        else:
            comparison.ended = "launches"
    except KeyboardInterrupt as error:
        comparison.interrupted = True
        comparison.ended = "interrupted"
        for launch in comparison.launches:
            if launch.status == "running":
                launch.status, launch.reason = "interrupted", process.why_interrupted(error)
    comparison.summary = [row.summary() for rows in tabulate(comparison).values() for row in rows]
    comparison.save()
    progress(Progress(done, done, 0.0, None))


def _known_well(width: float | None, found: list[list[Result]]) -> bool:
    """Say whether every median's interval is narrower than was asked for."""
    if width is None:
        return False
    medians = (statistics.grouped_median(Launches.alone(runs).groups) for runs in found)
    return all(median.width < width for median in medians)


def _rounds_left(
    plan: Plan,
    number: int,
    began: float,
    walls: dict[tuple[Setting, ...], float],
    alive: list[tuple[Setting, ...]],
) -> int:
    """Return how many rounds after this one the plan and its budget leave."""
    rounds = plan.rounds - number
    if plan.budget_s < float("inf") and walls:
        mean = sum(walls.values()) / len(walls)
        fit = int(plan.budget_s / max(mean * len(alive), 1e-9))
        rounds = max(0, min(rounds, fit - number))
    return rounds


def _time_left(
    order: list[tuple[Setting, ...]],
    rounds: int,
    alive: list[tuple[Setting, ...]],
    walls: dict[tuple[Setting, ...], float],
) -> float | None:
    """Estimate the seconds to go from what each launch, or else the mean one, took."""
    if not walls:
        return None
    mean = sum(walls.values()) / len(walls)
    this = sum(walls.get(setting, mean) for setting in order)
    return this + rounds * sum(walls.get(setting, mean) for setting in alive)


def _launch(
    comparison: Comparison,
    group: Sequence[tuple[Setting, Case]],
    start: Start,
    plan: Plan,
    number: int,
) -> list[Launch]:
    """Start a program once and record how it went, for each setting that it measures."""
    first, case = group[0]
    name = re.sub(r"[^\w=.-]+", "_", f"{case.name}-{first.ranks}-{first.scheme}-{number}")
    if plan.in_turn:
        name = f"in-turn-{first.ranks}-{number}"
        told = turns.told(case, [(setting.scheme, case) for setting, case in group])
    else:
        told = [*case.arguments, *(["--scheme", first.scheme] if first.scheme else [])]
    file = comparison.folder / "runs" / f"{name}.json"
    file.unlink(missing_ok=True)
    metered = case.program == meter.PROGRAM
    # halometer says by itself when it has measured enough.
    often = [] if metered else ["--repetitions", str(plan.repetitions + 1)]
    arguments = [*told, *plan.options, *often, "--json", str(file)]
    launcher = start.launcher
    command = launcher.command(first.ranks, start.program, arguments, pin=plan.pin)
    load = machine.load()
    launches = [
        Launch(
            **asdict(setting), round=number, load=load,
            command=launcher.shown(first.ranks, command),
        )
        for setting, _ in group
    ]  # fmt: skip
    comparison.launches += launches
    before = interference.read()
    finished = process.run(command, launcher.environment(first.ranks), plan.limit_s)
    activity = Activity.between(before, interference.read())
    try:
        if not finished.ok:
            raise HaloclineError(f"{finished.reason()}\n{finished.last_words()}".rstrip())
        result = meter.as_result(file) if metered else file
        files = turns.split(file) if plan.in_turn else [result]
        for launch, one in zip(launches, files):
            _take(launch, one, activity)
    except HaloclineError as error:
        for launch in launches:
            launch.status, launch.reason = "failed", str(error)
    for launch in launches:
        launch.activity = activity
        launch.wall_s = round(finished.wall_s / len(launches), 3)
    comparison.save()
    return launches


def _take(launch: Launch, file: Path, activity: Activity) -> None:
    """Record that a launch has measured what is in a file."""
    result = results.load(file)
    if result.ranks != launch.ranks:
        raise HaloclineError(f"{launch.ranks} ranks were asked for, {result.ranks} took part")
    launch.status, launch.file = "measured", f"runs/{file.name}"
    threads = launch.ranks * int(result.content.get("threads", 1))
    launch.interference = activity.disturbances(threads)
    launch.core_distance_s = list(result.content.get("core_distance_s", []))
