"""Set what is measured without an application against what it feels.

Applications are launched through several schemes in turns, and so is halobench, on the same
pattern; `auto` chooses afresh for each launch. What schemes differ by in the application's time of
a step is set against what they differ by in the time felt and in the tuner's figures.
"""

from __future__ import annotations

import csv
import itertools
import json
import random
import shlex
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import Launcher, find_program, launcher_of, process, short_library
from halocline.measure import benchmark, results

FORMAT, VERSION = "halocline-validation", 1
BASELINE = "p2p:nonblocking"
SCHEMES = (
    BASELINE,
    "rma:put:flush",
    "shm:message",
    "shm:signal",
    "shm:signal+access=copy",
    "shm:signal+access=direct",
)
"""What is compared; schemes that read in place only where the application can."""
AUTO = "auto"
FAR_S = 0.25e-6
"""From so many seconds for a cache line there and back two cores are far apart."""
PART, LEAST_S = 0.2, 0.3e-6
"""A difference is predicted if it is right to this part of it, or to so many seconds a step."""
CLOSE = 1.03
"""`auto` is right where it takes at most so many times as long as the best."""
REPETITIONS = 9
REPETITION_S = 0.02
LIMIT_S = 60.0
"""Of one launch."""


@dataclass(frozen=True)
class Setting:
    """One problem of an application, and the pattern that it exchanges on each of two ranks."""

    name: str
    program: str
    problem: tuple[str, ...]
    points: int
    """Of a rank; how many steps a repetition has follows from it."""
    extent: str
    dims: str
    depth: int
    """Steps from one exchange to the next, and width of the halo."""

    def steps(self) -> int:
        """Return the steps of a repetition, which takes some `REPETITION_S`."""
        once = 1e-6 + self.points * 0.4e-9
        return max(int(REPETITION_S / once) // 100, 1) * 100

    def arguments(self) -> list[str]:
        """Return the application's command line without scheme and files."""
        steps = str(self.steps())
        if self.program == "partdiff":
            return [*self.problem, steps, "--halo-depth", str(self.depth)]
        return [
            *self.problem, "--depth", str(self.depth), "--max-iterations", steps,
            "--check", f"every={steps}", "--tolerance", "1e-300",
        ]  # fmt: skip

    def pattern(self) -> list[str]:
        """Return the arguments of halobench for the same pattern."""
        return [
            "halo", "--extent", self.extent, "--dims", self.dims, "--halo", str(self.depth),
            "--boundary", "open", "--faces",
        ]  # fmt: skip

    def schemes(self) -> list[str]:
        """Return the schemes that the application has."""
        return [s for s in SCHEMES if self.depth == 1 or "access=direct" not in s]


def _laplace(n: int, depth: int = 1, *, stacked: bool = False) -> Setting:
    """Return two cubes of n³ points, side by side along x or on top of each other."""
    shape = ["--grid", f"{n},{n},{2 * n}"] if stacked else ["--per-rank", f"{n},{n},{n}"]
    name = f"laplace {n}³{' stacked' if stacked else ''}, depth {depth}"
    dims = "2x1x1" if stacked else "1x1x2"
    return Setting(name, "laplace", tuple(shape), n**3, f"{n}x{n}x{n}", dims, depth)


def _partdiff(interlines: int, depth: int = 1) -> Setting:
    """Return Jacobi's method on a square, cut into two halves of its rows."""
    cells = 8 * interlines + 7
    rows = (cells + 1) // 2
    problem = ("1", "2", str(interlines), "1", "2")
    name = f"partdiff {cells + 1}², depth {depth}"
    return Setting(name, "partdiff", problem, rows * cells, f"{rows}x{cells}", "2x1", depth)


SETTINGS = (
    _laplace(16), _laplace(24), _laplace(32), _laplace(48), _laplace(64),
    _laplace(32, stacked=True), _laplace(64, stacked=True),
    _laplace(48, 8), _laplace(64, 8),
    _partdiff(10), _partdiff(30), _partdiff(60), _partdiff(125),
    _partdiff(30, 8), _partdiff(125, 8),
)  # fmt: skip


@dataclass
class Launch:
    """What one launch of an application through one scheme took."""

    scheme: str
    step_s: float
    """The median of the repetitions but the first."""
    chosen: str
    """The scheme that carried it out; of `auto`, what it chose."""


@dataclass
class Visit:
    """One setting under one MPI, everything measured one right after the other."""

    setting: str
    mpi: str
    number: int
    depth: int
    distances_s: list[float]
    launches: list[Launch] = field(default_factory=list)
    felt_s: dict[str, float] = field(default_factory=dict)
    """By scheme, of one exchange."""
    tuner_s: dict[str, float] = field(default_factory=dict)
    """By scheme, of one exchange and its cells."""

    @property
    def cores(self) -> str:
        """`near` or `far`; `moved` where the cores were both, which says nothing of either."""
        if not self.distances_s:
            return "unknown"
        far = {seconds >= FAR_S for seconds in self.distances_s}
        return "moved" if len(far) > 1 else "far" if far.pop() else "near"


@dataclass(frozen=True)
class Difference:
    """By what two schemes differ in a step, in seconds; medians over the visits."""

    one: str
    other: str
    application: float
    felt: float | None
    tuner: float | None

    def right(self, predicted: float | None) -> bool:
        """Say whether that is what the application feels."""
        if predicted is None:
            return False
        off = abs(predicted - self.application)
        return off <= max(PART * abs(self.application), LEAST_S)


@dataclass(frozen=True)
class Row:
    """What all visits of one setting in one state of the machine say."""

    setting: str
    mpi: str
    cores: str
    distance_s: float
    visits: int
    step_s: dict[str, float]
    """By scheme, `auto` among them."""
    chosen: str
    """What `auto` chose most often."""
    auto: float
    """How many times as long as the best it takes."""
    differences: list[Difference]
    """Of all pairs of schemes."""

    @property
    def best(self) -> str:
        """The scheme that takes the least time."""
        return min((s for s in self.step_s if s != AUTO), key=lambda s: self.step_s[s])

    def against_baseline(self) -> list[Difference]:
        """Return the differences to messages, the usual way."""
        return [d for d in self.differences if d.other == BASELINE]


@dataclass
class Validation:
    """All visits, and the circumstances."""

    visits: list[Visit] = field(default_factory=list)
    command_line: str = ""
    time: str = ""
    machine: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    interrupted: bool = False

    def rows(self) -> list[Row]:
        """Return what was found, setting by setting; visits during which cores moved are left out.

        Where they moved in all of a setting's visits, it has no row.
        """
        found: dict[tuple[str, str, str], list[Visit]] = {}
        for visit in self.visits:
            if visit.launches and visit.cores != "moved":
                found.setdefault((visit.setting, visit.mpi, visit.cores), []).append(visit)
        return [_row(*key, visits) for key, visits in found.items()]

    def save(self, folder: Path) -> None:
        """Write `validation.json` and `validation.csv`."""
        rows = self.rows()
        content = {"format": FORMAT, "version": VERSION, **asdict(self), "summary": summary(rows)}
        (folder / "validation.json").write_text(json.dumps(content, indent=1) + "\n")
        with (folder / "validation.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(
                ["setting", "mpi", "cores", "scheme", "against", "application_us", "felt_us",
                 "tuner_us", "felt_right", "tuner_right"]
            )  # fmt: skip
            for row in rows:
                for d in row.differences:
                    writer.writerow(
                        [row.setting, row.mpi, row.cores, d.one, d.other, in_us(d.application),
                         in_us(d.felt), in_us(d.tuner), d.right(d.felt), d.right(d.tuner)]
                    )  # fmt: skip


def load(file: Path) -> Validation:
    """Read a `validation.json`."""
    content = records.read(file, FORMAT, VERSION, "validation")
    visits = [
        Visit(**{**visit, "launches": [Launch(**launch) for launch in visit["launches"]]})
        for visit in content["visits"]
    ]
    known = ("command_line", "time", "machine", "failures", "interrupted")
    return Validation(visits, **{name: content[name] for name in known})


def _paired(visits: Iterable[Visit], what: Callable[[Visit], dict[str, float]], one: str,
            other: str) -> float | None:  # fmt: skip
    found = [what(visit) for visit in visits]
    values = [v[one] - v[other] for v in found if one in v and other in v]
    return median(values) if values else None


def _steps(visit: Visit) -> dict[str, float]:
    return {launch.scheme: launch.step_s for launch in visit.launches}


def _row(setting: str, mpi: str, cores: str, visits: list[Visit]) -> Row:
    depth = visits[0].depth
    every = {launch.scheme for visit in visits for launch in visit.launches}
    measured = [scheme for scheme in (*SCHEMES, AUTO) if scheme in every]
    step_s = {s: median(v for v in (_steps(x).get(s) for x in visits) if v) for s in measured}
    pairs = []
    for other, one in itertools.combinations([s for s in measured if s != AUTO], 2):
        application = _paired(visits, _steps, one, other)
        if application is None:
            continue
        felt = _paired(visits, lambda v: v.felt_s, one, other)
        tuner = _paired(visits, lambda v: v.tuner_s, one, other)
        # An exchange serves `depth` steps.
        per_step = [None if exchange is None else exchange / depth for exchange in (felt, tuner)]
        pairs.append(Difference(one, other, application, *per_step))
    chosen = [launch.chosen for v in visits for launch in v.launches if launch.scheme == AUTO]
    best = min(step_s[s] for s in step_s if s != AUTO)
    return Row(
        setting, mpi, cores, median(d for v in visits for d in v.distances_s or [0.0]),
        len(visits), step_s, max(chosen, key=chosen.count) if chosen else "",
        step_s[AUTO] / best if AUTO in step_s else float("nan"), pairs,
    )  # fmt: skip


def measure(
    folders: Sequence[Path | None],
    *,
    settings: Sequence[Setting] = SETTINGS,
    budget_s: float,
    seed: int | None = None,
    pin: bool = True,
    folder: Path,
    say: Callable[[str], None] = lambda text: None,
) -> Validation:
    """Visit all settings in turns, in random order, until the budget is spent; each once at least.

    Parameters
    ----------
    folders
        Where the programs are; one for each MPI.
    folder
        For the files of launches, and for what is found, which is whole after each visit.
    """
    dice = random.Random(seed)
    found = Validation(command_line=records.own_command_line(), time=records.now())
    sites = [_Site(where, pin) for where in folders]
    end = time.monotonic() + budget_s
    longest = 0.0
    try:
        for number in itertools.count(1):
            visits = [(site, setting) for site in sites for setting in settings]
            dice.shuffle(visits)
            for done, (site, setting) in enumerate(visits):
                began = time.monotonic()
                if number > 1 and began + longest > end:
                    return found
                left = max(0.0, end - began)
                say(f"round {number}, {done + 1} of {len(visits)}: {setting.name} "
                    f"({site.mpi or 'MPI'}); {left:.0f} s left")  # fmt: skip
                try:
                    visit, facts = site.visit(setting, number, folder, dice)
                    found.visits.append(visit)
                    found.machine = found.machine or facts
                except HaloclineError as problem:
                    found.failures.append(f"{setting.name}: {problem}")
                    if found.failures[1:] and not found.visits:
                        raise
                found.save(folder)
                longest = max(longest, time.monotonic() - began)
    except KeyboardInterrupt:
        found.interrupted = True
    return found


class _Site:
    """The programs of one build, and how its MPI launches them."""

    def __init__(self, folder: Path | None, pin: bool) -> None:
        self.programs = {
            name: find_program(name, folder) for name in ("halobench", "laplace", "partdiff")
        }
        self.launcher: Launcher = launcher_of(self.programs["halobench"], folder)
        self.pin = pin
        self.mpi = ""

    def visit(
        self, setting: Setting, number: int, folder: Path, dice: random.Random
    ) -> tuple[Visit, dict[str, Any]]:
        """Measure one setting through all schemes, by halobench, and by the tuner."""
        visit = Visit(setting.name, "", number, setting.depth, [])
        machine: dict[str, Any] = {}
        work: list[str] = [*setting.schemes(), AUTO, "halobench"]
        dice.shuffle(work)
        for part in work:
            if part == "halobench":
                content = self._bench(setting, folder)
                for entry in content["settings"]:
                    if "felt_s" in entry:
                        visit.felt_s[entry["scheme"]] = entry["felt_s"]["value"]
            else:
                content = self._solve(setting, part, visit, folder)
            visit.distances_s += content.get("core_distance_s", [])
            self.mpi = visit.mpi = short_library(content["mpi"]["library"])
            machine = content["machine"]
        return visit, machine

    def _solve(self, setting: Setting, scheme: str, visit: Visit, folder: Path) -> dict[str, Any]:
        file, log = folder / "launch.json", folder / "tuner.jsonl"
        for old in (file, log, folder / "tuning.json"):
            old.unlink(missing_ok=True)
        words = [
            *setting.arguments(), "--scheme", scheme, "--repetitions", str(REPETITIONS),
            "--json", str(file),
        ]  # fmt: skip
        self._run(
            setting.program, words,
            {"HALOCLINE_TUNING": str(folder / "tuning.json"), "HALOCLINE_TUNING_LOG": str(log)},
        )  # fmt: skip
        content = records.read(file, results.FORMAT, results.VERSION, "result file")
        steps = content["result"]["iterations"]
        seconds = median(content["samples"]["total_s"][1:]) / steps
        named = content["parameters"].get("schemes") or [content["scheme"]]
        visit.launches.append(Launch(scheme, seconds, named[0]))
        if scheme == AUTO and log.is_file():
            for line in log.read_text().splitlines():
                for row in json.loads(line)["candidates"]:
                    if "median_us" in row:
                        visit.tuner_s[row["scheme"]] = 1e-6 * row["median_us"]
        return content

    def _bench(self, setting: Setting, folder: Path) -> dict[str, Any]:
        file = folder / "launch.json"
        file.unlink(missing_ok=True)
        schemes = ",".join(setting.schemes())
        words = [*setting.pattern(), "--schemes", schemes, "--budget", "1.5", "--width", "0.02"]
        self._run("halobench", [*words, "--json", str(file)], {})
        return benchmark.load(file)

    def _run(self, program: str, words: Sequence[str], variables: dict[str, str]) -> None:
        command = self.launcher.command(2, self.programs[program], words, pin=self.pin)
        done = process.run(command, {**self.launcher.environment(2), **variables}, LIMIT_S)
        if not done.ok:
            raise HaloclineError(f"{shlex.join(command)}: {done.reason()}: {done.last_words()}")


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how many differences were predicted, and how good `auto` was."""
    every = [d for row in rows for d in row.differences]
    known = [d for d in every if d.tuner is not None]
    autos = [row.auto for row in rows if row.auto == row.auto]
    return {
        "rows": len(rows),
        "pairs": len(every),
        "felt_right": sum(d.right(d.felt) for d in every),
        "tuner_pairs": len(known),
        "tuner_right": sum(d.right(d.tuner) for d in known),
        "auto_close": sum(ratio <= CLOSE for ratio in autos),
        "auto_worst": max(autos, default=None),
    }


def said(rows: Sequence[Row]) -> list[str]:
    """Return the summary in sentences."""
    all_of = summary(rows)
    lines = [
        f"Felt time predicts {all_of['felt_right']} of {all_of['pairs']} differences between two "
        f"schemes to {100 * PART:.0f} % or {1e6 * LEAST_S:.1f} µs a step; the tuner's figure "
        f"{all_of['tuner_right']} of {all_of['tuner_pairs']}.",
    ]
    if all_of["auto_worst"] is not None:
        lines.append(
            f"auto takes at most {CLOSE} times as long as the best scheme in "
            f"{all_of['auto_close']} of {all_of['rows']} rows, and "
            f"{all_of['auto_worst']:.3f} at worst."
        )
    return lines


def in_us(seconds: float | None) -> str:
    """Return microseconds as text; empty where they are not known."""
    return "" if seconds is None else f"{1e6 * seconds:.2f}"
