"""Measure one program under many schemes, fairly, and say which differ.

Measurements are interleaved: in each round every scheme is launched once, in an order drawn anew,
so that what changes on the machine meanwhile (load, clock, temperature) hits all alike. A
scheme that fails or hangs is named and left out of later rounds; the rest survives. Everything is
on disk as soon as it is known, so that an interruption loses one launch. Rounds follow until every
median is known as well as was asked for, or until launches or time are spent; what then may be
claimed is said by `differences`.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from halocline.errors import HaloclineError
from halocline.launch import interference, machine, process
from halocline.launch.interference import Activity
from halocline.launch.launcher import Launcher
from halocline.measure import distance, results
from halocline.measure.doctor import now
from halocline.measure.results import Launches, Result
from halocline.statistics import differences
from halocline.statistics import intervals as statistics
from halocline.statistics.intervals import LEAST_LAUNCHES, Interval, Spread, WarmUp

FORMAT, VERSION = "halocline-comparison", 1
BASELINE = "p2p:nonblocking"
"""The scheme that all others are compared with, where it was measured."""


@dataclass(frozen=True)
class Case:
    """One problem to be solved under every scheme: a program and its own arguments."""

    name: str
    program: str
    arguments: list[str]
    picture: list[str] = field(default_factory=list)
    """Arguments that give the picture of the solution; by default those of the case."""

    def shown(self) -> str:
        """Return program and arguments as typed into a shell."""
        return shlex.join([self.program, *self.arguments])


@dataclass(frozen=True)
class Setting:
    """One cell of the comparison: what is launched once in every round."""

    case: str
    ranks: int
    scheme: str
    """Empty for a program that is not asked to use one."""


@dataclass
class Launch:
    """One start of one program, as recorded in the comparison's file."""

    case: str
    ranks: int
    scheme: str
    round: int
    command: str
    load: list[float]
    status: str = "running"
    """`measured`, `failed` (with a reason) or `interrupted`."""
    reason: str = ""
    file: str = ""
    """The result file, relative to the comparison's folder."""
    wall_s: float = 0.0
    activity: Activity = field(default_factory=Activity)
    """What else happened on this host meanwhile."""
    interference: list[str] = field(default_factory=list)
    """What of it may have disturbed the launch; it counts nevertheless."""
    core_distance_s: list[float] = field(default_factory=list)
    """How far two of its cores were apart, before and after measuring; empty where unknown."""

    @property
    def setting(self) -> Setting:
        """The cell this launch belongs to."""
        return Setting(self.case, self.ranks, self.scheme)


@dataclass
class Comparison:
    """A folder of result files and the record of how they came about."""

    folder: Path
    cases: list[Case]
    launches: list[Launch] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Schemes that were not measured, and why (the doctor's verdict)."""
    command_line: str = ""
    seed: int = 0
    time: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    """What `halocheck --facts` said, where it was asked."""
    settings: dict[str, str] = field(default_factory=dict)
    """What shapes timings on this host (governor, turbo, ...), as far as it can be read."""
    width: float | None = None
    """The relative width of the medians' intervals that was asked for."""
    ended: str = ""
    """Why no more was launched: `width`, `launches`, `budget`, `failed` or `interrupted`."""
    summary: list[dict[str, Any]] = field(default_factory=list)
    """What may be said of every setting; for those who read the file, written at the end."""
    interrupted: bool = False

    @property
    def file(self) -> Path:
        """The comparison's own file."""
        return self.folder / "comparison.json"

    def save(self) -> None:
        """Write the record, so that nobody ever reads half of it."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        del content["folder"]
        fresh = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        fresh.write_text(json.dumps(content, indent=1) + "\n")
        fresh.replace(self.file)

    @classmethod
    def load(cls, folder: Path) -> Comparison:
        """Read a comparison's folder.

        Raises
        ------
        HaloclineError
            When the folder holds no comparison, or one of another version.
        """
        file = folder / "comparison.json"
        try:
            content = json.loads(file.read_text())
            kind, version = content.pop("format"), content.pop("version")
            if (kind, version) != (FORMAT, VERSION):
                raise HaloclineError(f"{file} is {kind} {version}, not {FORMAT} {VERSION}")
            content["cases"] = [_known(Case, row) for row in content["cases"]]
            content["launches"] = [_known(Launch, row) for row in content["launches"]]
            for launch in content["launches"]:
                if isinstance(launch.activity, dict):
                    launch.activity = _known(Activity, launch.activity)
            return _known(cls, {**content, "folder": folder})
        except OSError as error:
            raise HaloclineError(
                f"{folder} is not a folder written by 'halocline compare': {error.strerror}: {file}"
            ) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HaloclineError(f"{file} is damaged: {error}") from error

    def measured(self) -> dict[Setting, list[Result]]:
        """Return the result files of every setting, in the order of their rounds."""
        found: dict[Setting, list[Result]] = {}
        for launch in self.launches:
            if launch.status == "measured":
                result = results.load(self.folder / launch.file)
                found.setdefault(launch.setting, []).append(result)
        return found

    def moved(self) -> list[tuple[Launch, str]]:
        """Return the launches whose cores moved, or were not as far apart as usual, and how."""
        by_ranks: dict[int, list[Launch]] = {}
        for launch in self.launches:
            by_ranks.setdefault(launch.ranks, []).append(launch)
        ordinary = {
            ranks: distance.usual(launch.core_distance_s for launch in launches)
            for ranks, launches in by_ranks.items()
        }
        said = [
            (launch, distance.oddity(launch.core_distance_s, ordinary[launch.ranks]))
            for launch in self.launches
        ]
        return [(launch, how) for launch, how in said if how]

    def disturbed(self) -> list[Launch]:
        """Return the launches with interference, or with cores elsewhere than usual."""
        moved = {id(launch) for launch, _ in self.moved()}
        return [one for one in self.launches if one.interference or id(one) in moved]

    def failures(self) -> dict[Setting, str]:
        """Return the settings that failed while being measured, and why."""
        return {row.setting: row.reason for row in self.launches if row.status == "failed"}


def _known(kind: type[Any], row: dict[str, Any]) -> Any:
    """Make a record of the fields it has; a later halocline may have written more."""
    names = {one.name for one in fields(kind)}
    return kind(**{name: value for name, value in row.items() if name in names})


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
    programs: dict[str, Path],
    launcher: Launcher,
    plan: Plan,
    progress: Callable[[Progress], None] = lambda state: None,
) -> None:
    """Launch every setting once a round, in random order, and record what came of it.

    Parameters
    ----------
    comparison
        Receives the launches; saved after each of them.
    programs
        Path of each case's program, by its name.

    Notes
    -----
    Ctrl-C ends the measurement but not the program: what was measured is kept, and
    `comparison.interrupted` is set.
    """
    cases = {case.name: case for case in comparison.cases}
    (comparison.folder / "runs").mkdir(parents=True, exist_ok=True)
    draw = random.Random(comparison.seed)
    alive = list(settings)
    walls: dict[Setting, float] = {}
    found: dict[Setting, list[Result]] = {}
    comparison.width = plan.width
    began = time.monotonic()
    done = 0
    try:
        for number in range(1, plan.rounds + 1):
            spent = time.monotonic() - began
            if number > 1 and spent + sum(walls[s] for s in alive) > plan.budget_s:
                comparison.ended = "budget"
                break
            order = draw.sample(alive, len(alive))
            for position, setting in enumerate(order):
                rounds_left = _rounds_left(plan, number, began, walls, alive)
                total = done + len(order) - position + rounds_left * len(alive)
                left = _time_left(order[position:], rounds_left, alive, walls)
                progress(Progress(done, total, left, setting))
                case = cases[setting.case]
                launch = _launch(
                    comparison, setting, case, programs[case.program], launcher, plan, number
                )
                walls[setting] = launch.wall_s
                done += 1
                if launch.status == "measured":
                    result = results.load(comparison.folder / launch.file)
                    found.setdefault(setting, []).append(result)
                else:
                    alive.remove(setting)
            if not alive:
                comparison.ended = "failed"
                break
            if number >= LEAST_LAUNCHES and _known_well(plan.width, [found[s] for s in alive]):
                comparison.ended = "width"
                break
        else:
            comparison.ended = "launches"
    except KeyboardInterrupt:
        comparison.interrupted = True
        comparison.ended = "interrupted"
        for launch in comparison.launches:
            if launch.status == "running":
                launch.status, launch.reason = "interrupted", "interrupted by the user"
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
    plan: Plan, number: int, began: float, walls: dict[Setting, float], alive: list[Setting]
) -> int:
    """Return how many rounds after this one the plan and its budget leave."""
    rounds = plan.rounds - number
    if plan.budget_s < float("inf") and walls:
        mean = sum(walls.values()) / len(walls)
        fit = int(plan.budget_s / max(mean * len(alive), 1e-9))
        rounds = max(0, min(rounds, fit - number))
    return rounds


def _time_left(
    order: list[Setting], rounds: int, alive: list[Setting], walls: dict[Setting, float]
) -> float | None:
    """Estimate the seconds to go from what each setting, or else the mean one, took."""
    if not walls:
        return None
    mean = sum(walls.values()) / len(walls)
    this = sum(walls.get(setting, mean) for setting in order)
    return this + rounds * sum(walls.get(setting, mean) for setting in alive)


def _launch(
    comparison: Comparison,
    setting: Setting,
    case: Case,
    program: Path,
    launcher: Launcher,
    plan: Plan,
    number: int,
) -> Launch:
    """Start a program once and record how it went."""
    name = re.sub(r"[^\w=.-]+", "_", f"{case.name}-{setting.ranks}-{setting.scheme}-{number}")
    file = comparison.folder / "runs" / f"{name}.json"
    file.unlink(missing_ok=True)
    arguments = [
        *case.arguments, *plan.options, *(["--scheme", setting.scheme] if setting.scheme else []),
        "--repetitions", str(plan.repetitions + 1), "--json", str(file),
    ]  # fmt: skip
    command = launcher.command(setting.ranks, program, arguments, pin=plan.pin)
    launch = Launch(
        **asdict(setting), round=number, load=machine.load(),
        command=launcher.shown(setting.ranks, command),
    )  # fmt: skip
    comparison.launches.append(launch)
    before = interference.read()
    finished = process.run(command, launcher.environment(setting.ranks), plan.limit_s)
    launch.activity = Activity.between(before, interference.read())
    launch.wall_s = round(finished.wall_s, 3)
    if finished.ok:
        try:
            result = results.load(file)
            if result.ranks != setting.ranks:
                raise HaloclineError(
                    f"{setting.ranks} ranks were asked for, {result.ranks} took part"
                )
            launch.status, launch.file = "measured", f"runs/{file.name}"
            threads = setting.ranks * int(result.content.get("threads", 1))
            launch.interference = launch.activity.disturbances(threads)
            launch.core_distance_s = list(result.content.get("core_distance_s", []))
        except HaloclineError as error:
            launch.status, launch.reason = "failed", str(error)
    else:
        words = finished.last_words()
        launch.status = "failed"
        launch.reason = f"{finished.reason()}\n{words}".rstrip()
    comparison.save()
    return launch


@dataclass(frozen=True)
class Row:
    """One line of the table: what the launches of one setting say."""

    setting: Setting
    results: list[Result]
    groups: list[list[float]]
    """The samples: seconds per step of the repetitions that count, a list for each launch."""
    warm_up: WarmUp
    median: Interval
    """Seconds per step."""
    spread: Spread
    """Of all samples together."""
    ratio: Interval | None
    """Time relative to the baseline, below 1 when faster; None for want of a baseline."""
    shares: dict[str, float]
    """Median share of the time in each phase."""
    p_fastest: float
    """Of being as fast as the fastest scheme, corrected for the number of schemes."""
    p_baseline: float | None
    """Of being as fast as the baseline, corrected; None for the baseline or for want of one."""
    disturbed: int
    """Launches with interference, or with cores elsewhere than usual."""
    rivals: int = 0
    """How many other schemes cannot be told apart from the fastest; 0 if this one itself can."""
    fastest: bool = False
    """Whether its median is the smallest of those that cannot be told apart from the fastest."""

    @property
    def like_fastest(self) -> bool:
        """Whether it cannot be told apart from the fastest scheme, or is that."""
        return self.p_fastest > differences.LEVEL

    @property
    def verdict(self) -> str:
        """`fastest`; `among the fastest` where several are; empty for a slower one."""
        if not self.like_fastest:
            return ""
        return "among the fastest" if self.rivals else "fastest"

    @property
    def against_baseline(self) -> str:
        """`faster`, `slower` or `no difference`; empty where there is nothing to compare with."""
        if self.p_baseline is None or self.ratio is None:
            return ""
        if self.p_baseline > differences.LEVEL:
            return "no difference"
        return "faster" if self.ratio.value < 1 else "slower"

    def summary(self) -> dict[str, Any]:
        """Return what the comparison's file says of it."""
        return {
            **asdict(self.setting),
            "launches": len(self.groups),
            "samples": sum(map(len, self.groups)),
            "disturbed": self.disturbed,
            "warm_up": asdict(self.warm_up),
            "median_s": asdict(self.median),
            "percentiles_s": {str(mark): value for mark, value in self.spread.percentiles.items()},
            "outliers": self.spread.outliers,
            "ratio": None if self.ratio is None else asdict(self.ratio),
            "p_fastest": self.p_fastest,
            "verdict": self.verdict or "slower",
            "p_baseline": self.p_baseline,
            "against_baseline": self.against_baseline,
        }


def tabulate(comparison: Comparison) -> dict[tuple[str, int], list[Row]]:
    """Return, for each case and number of ranks, first those like the fastest, each by medians."""
    tables: dict[tuple[str, int], list[Row]] = {}
    measured: dict[tuple[str, int], dict[Setting, list[Result]]] = {}
    for setting, runs in comparison.measured().items():
        measured.setdefault((setting.case, setting.ranks), {})[setting] = runs
    found = {
        key: dict(zip(settings, Launches.compared(list(settings.values()))))
        for key, settings in measured.items()
    }
    disturbed = Counter(launch.setting for launch in comparison.disturbed())
    order = [case.name for case in comparison.cases]
    for key in sorted(found, key=lambda key: (order.index(key[0]), key[1])):
        settings = list(found[key])
        groups = [found[key][setting].groups for setting in settings]
        table = differences.blocks(groups)
        p_fastest = differences.as_fast_as_the_fastest(table)
        names = [setting.scheme for setting in settings]
        base = names.index(BASELINE) if BASELINE in names else None
        p_baseline = None if base is None else differences.as_fast_as(base, table)
        rows = [
            Row(
                setting,
                found[key][setting].results,
                groups[i],
                found[key][setting].warm_up,
                statistics.grouped_median(groups[i]),
                statistics.spread([value for group in groups[i] for value in group]),
                None if base is None else statistics.ratio_interval(groups[i], groups[base]),
                _shares(found[key][setting].results),
                float(p_fastest[i]),
                None if p_baseline is None or i == base else float(p_baseline[i]),
                disturbed[setting],
            )
            for i, setting in enumerate(settings)
        ]
        rows.sort(key=lambda row: (not row.like_fastest, row.median.value))
        alike = sum(row.like_fastest for row in rows)
        tables[key] = [
            replace(row, rivals=alike - 1 if row.like_fastest else 0, fastest=row is rows[0])
            for row in rows
        ]
    return tables


def _shares(found: list[Result]) -> dict[str, float]:
    known = [result.shares for result in found if result.shares]
    if not known:
        return {}
    middle = {name: float(np.median([row[name] for row in known])) for name in results.PHASES}
    total = sum(middle.values())
    return {name: value / total for name, value in middle.items()} if total else {}


def business(comparison: Comparison) -> str:
    """Return a warning when other work kept the machine busy while it was measured, else ''."""
    loads = [launch.load[0] for launch in comparison.launches]
    cores = comparison.facts.get("machine", {}).get("cores", machine.usable_cores())
    usual = max([cores, *(launch.ranks for launch in comparison.launches)])
    if not loads or np.median(loads) < usual + 1:
        return ""
    return (
        f"The machine was busy with other work (load {np.median(loads):.1f} on {cores} cores): "
        "intervals are wide, and pinned ranks suffer most; repeat it on a quiet one."
    )


@dataclass(frozen=True)
class Agreement:
    """Whether all runs of one case computed the same."""

    case: str
    same: bool
    text: str


def agreement(comparison: Comparison) -> list[Agreement]:
    """Compare solution, iterations and residuum of all runs of a case, over schemes and ranks."""
    by_case: dict[str, list[tuple[Setting, Result]]] = {}
    for setting, found in comparison.measured().items():
        by_case.setdefault(setting.case, []).extend((setting, result) for result in found)
    verdicts = []
    for case in [case.name for case in comparison.cases if case.name in by_case]:
        runs = by_case[case]
        counts = Counter(result.identity for _, result in runs)
        schemes = len({setting.scheme for setting, _ in runs})
        usual, _ = counts.most_common(1)[0]
        checksum, iterations, residuum = usual
        if len(counts) == 1:
            residuum = f"{residuum:.6e}" if isinstance(residuum, float) else residuum
            text = (
                f"all {len(runs)} runs of {schemes} schemes gave the same bytes: "
                f"{iterations} iterations, residuum {residuum}, checksum {checksum}"
            )
            if checksum is None:
                text = text.replace("same bytes", "same iterations and residuum")
        else:
            odd = sorted({
                f"{setting.scheme} on {setting.ranks} ranks"
                for setting, result in runs if result.identity != usual
            })  # fmt: skip
            text = f"RESULTS DIFFER: {', '.join(odd)} computed something else than the other runs"
        verdicts.append(Agreement(case, len(counts) == 1, text))
    return verdicts


def prepare(
    folder: Path, cases: list[Case], skipped: dict[str, str], facts: dict[str, Any], seed: int
) -> Comparison:
    """Begin a comparison in a folder, which is made; an old comparison in it is refused."""
    if (folder / "comparison.json").exists():
        raise HaloclineError(f"{folder} already holds a comparison; name another with --output")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HaloclineError(f"cannot make {folder}: {error.strerror}") from error
    kept = machine.mpi_environment()
    kept.update({k: v for k, v in os.environ.items() if k == "GLIBC_TUNABLES" or k[:4] == "OMP_"})
    return Comparison(
        folder=folder.resolve(),
        cases=cases,
        skipped=skipped,
        command_line=shlex.join(["halocline", *sys.argv[1:]]),
        seed=seed,
        time=now(),
        environment=kept,
        facts=facts,
        settings=machine.settings(),
    )
