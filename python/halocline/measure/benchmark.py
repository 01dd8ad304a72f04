"""Launch `halobench` several times and put together what the launches say.

A launch keeps its memory pages, cores and windows, so samples of one launch resemble each other:
every kind of measurement is launched several times, each time with the schemes in another random
order, and intervals respect the launches (see `statistics`).
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from halocline import records, statistics
from halocline.errors import HaloclineError
from halocline.launch import (
    Checker,
    Launcher,
    choose,
    counts,
    find_program,
    launcher_of,
    machine,
    process,
    words,
)
from halocline.measure import distance
from halocline.statistics import Interval
from halocline.tables import Tabular, flat

FORMAT, VERSION = "halocline-benchmark", 1
RECORD = "halocline-benchmark-launches"
FILE = "benchmark.json"
KINDS = {
    "roundtrip": "Measure there and back between two ranks, by message size.",
    "bandwidth": "Measure many messages at once from one rank to another.",
    "sync": "Measure synchronisation alone, without data.",
    "neighbors": "Send doubles to each of 2, 4, 6, 8 or 26 neighbours.",
    "halo": "Exchange halos of 2-D and 3-D grids, by extent, width and periodicity.",
    "rings": "Measure several communicating rings at once.",
    "overlap": "Find out how much of a transfer a computation hides.",
    "progress": "Put to and get from a rank that is busy outside MPI.",
    "setup": "Measure making one more exchange: time, and bytes kept.",
    "memory": "Measure STREAM's copy and triad, by threads.",
}
"""What halobench measures, and the command's help."""
SHARES = ("hidden_at_sender", "hidden_at_receiver", "waited_for_target", "kept_bytes")
"""What kinds add to a setting: `overlap`, `progress` and `setup`."""
OWN_SCHEMES = ("sync", "memory", "progress")
"""Kinds whose `--schemes` halobench itself understands."""


@dataclass
class Launch:
    """One start of halobench."""

    ranks: int
    number: int
    command: str
    load: list[float]
    status: str = "running"
    """`measured`, `failed` (groups complete before that count) or `interrupted`."""
    reason: str = ""
    file: str = ""
    """The result file, relative to the folder; empty if nothing was complete."""
    wall_s: float = 0.0


@dataclass(frozen=True)
class Point:
    """What all launches say about one scheme under one set of parameters."""

    ranks: int
    scheme: str
    parameters: dict[str, Any]
    bytes: float
    median: Interval
    """Seconds of a step; where it is felt, until the halo is there."""
    p5: float
    p95: float
    launches: int
    samples: int
    narrow: bool
    """Whether every launch reached the width asked for, rather than the end of its budget."""
    shares: dict[str, Interval] = field(default_factory=dict)
    """What the kind adds: the median over launches, with an interval that holds theirs."""
    disturbed: int = 0
    """Samples in which some rank was made to give up its core."""
    moved: list[str] = field(default_factory=list)
    """For each launch whose cores moved or were not as far apart as usual, how."""
    felt: Interval | None = None
    """Seconds that it adds to a step of a loop that writes its cells and reads its halos; None
    where the kind has no such loop."""

    @property
    def first(self) -> Interval:
        """The figure to compare by: the time that is felt, where it is known."""
        return self.felt or self.median

    @property
    def gb_s(self) -> Interval | None:
        """Gigabytes that the busiest rank sends in a second."""
        if not self.bytes or not self.median.low:
            return None
        m = self.median
        rates = [1e-9 * self.bytes / seconds for seconds in (m.value, m.high, m.low)]
        return Interval(*rates, m.confidence)

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table: parameters and shares in columns of their own."""
        row: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "parameters":
                row.update(value)
            elif one.name == "shares":
                row.update({name: asdict(share) for name, share in value.items()})
            elif isinstance(value, Interval):
                row[f"{one.name}_s"] = asdict(value)
            elif one.name in ("p5", "p95"):
                row[f"{one.name}_s"] = value
            else:
                row[one.name] = len(value) if isinstance(value, list) else value
        row["gb_s"] = None if self.gb_s is None else asdict(self.gb_s)
        return flat(row)


@dataclass
class Benchmark(Tabular):
    """A folder of halobench's files and the record of how they came about."""

    folder: Path
    kind: str
    launches: list[Launch] = field(default_factory=list)
    command_line: str = ""
    time: str = ""
    seed: int = 0
    environment: dict[str, str] = field(default_factory=dict)
    """What the user added for the launches."""
    interrupted: bool = False

    def save(self) -> None:
        """Write `benchmark.json`, so that nobody ever reads half of it."""
        content = asdict(self)
        del content["folder"]
        records.write(self.folder / FILE, RECORD, VERSION, content)

    @classmethod
    def load(cls, folder: Path) -> Benchmark:
        """Read a benchmark's folder.

        Raises
        ------
        HaloclineError
            When the folder holds no benchmark, or a damaged one or one of another version.
        """
        file = folder / FILE
        content = records.read(file, RECORD, VERSION, "record of a benchmark")
        try:
            content["launches"] = [records.known(Launch, row) for row in content["launches"]]
            return records.known(cls, {**content, "folder": folder})
        except (KeyError, TypeError) as error:
            raise HaloclineError(f"{file} is damaged: {error}") from error

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each scheme under each set of parameters, these in columns of their own.

        Times are in seconds of a step: `median_s` has its 95 % interval in `median_s_low` and
        `median_s_high`, `gb_s` is what the busiest rank sends.
        """
        rows = [point.row() for point in self.points()]
        columns = dict.fromkeys(name for row in rows for name in row)
        return [{name: row.get(name) for name in columns} for row in rows]

    def contents(self) -> list[dict[str, Any]]:
        """Return the result files that there are."""
        return [load(self.folder / launch.file) for launch in self.launches if launch.file]

    def left_out(self) -> dict[str, str]:
        """Return the schemes that could not be measured, and why."""
        return {
            setting["scheme"]: setting["left_out"]
            for content in self.contents()
            for setting in content["settings"]
            if "left_out" in setting
        }

    def points(self) -> list[Point]:
        """Return what was measured, in the order in which halobench names it."""
        rows: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        for content in self.contents():
            for setting in content["settings"]:
                if "left_out" not in setting:
                    key = json.dumps([content["ranks"], setting["scheme"], setting["parameters"]])
                    rows.setdefault(key, []).append((content["ranks"], setting))
        ordinary = {
            ranks: distance.usual(
                setting.get("core_distance_s", [])
                for found in rows.values()
                for count, setting in found
                if count == ranks
            )
            for ranks in {found[0][0] for found in rows.values()}
        }
        return [
            _point(found[0][0], [setting for _, setting in found], ordinary[found[0][0]])
            for found in rows.values()
        ]


def _point(ranks: int, settings: list[dict[str, Any]], ordinary: float | None) -> Point:
    groups = [setting["samples_s"][setting["warm_up"] :] for setting in settings]
    ordered = sorted(value for group in groups for value in group)
    first = settings[0]
    odd = [distance.oddity(setting.get("core_distance_s", []), ordinary) for setting in settings]
    return Point(
        ranks,
        first["scheme"],
        first["parameters"],
        first["bytes"],
        statistics.grouped_median(groups),
        ordered[int(0.05 * (len(ordered) - 1))],
        ordered[-1 - int(0.05 * (len(ordered) - 1))],
        len(settings),
        len(ordered),
        all(setting["narrow"] for setting in settings),
        {name: _share(name, settings) for name in SHARES if name in first},
        sum(len(setting.get("disturbed", [])) for setting in settings),
        [how for how in odd if how],
        _felt(settings),
    )


def _felt(settings: list[dict[str, Any]]) -> Interval | None:
    """Return the median difference between the loop with the exchange and without."""
    if any("with_s" not in setting for setting in settings):
        return None
    return statistics.grouped_median(
        [
            np.subtract(setting["with_s"], setting["without_s"])[setting["warm_up"] :]
            for setting in settings
        ]
    )


def _share(name: str, settings: list[dict[str, Any]]) -> Interval:
    values = [setting[name] for setting in settings]
    within = [setting.get(f"{name}_interval", [value]) for setting, value in zip(settings, values)]
    known = all(f"{name}_interval" in setting for setting in settings)
    ends = [end for interval in within for end in interval]
    middle = float(np.median(values))
    # What differs between launches is unknown from a few: the interval reaches over all of theirs.
    return Interval(middle, min(ends), max(ends), 0.95 if known else 0.0)


def load(file: Path) -> dict[str, Any]:
    """Read one file of halobench.

    Raises
    ------
    HaloclineError
        When it is missing, damaged or of another format.
    """
    return records.read(file, FORMAT, VERSION, "file of halobench")


def prepare(
    folder: Path,
    kind: str,
    seed: int | None,
    environment: dict[str, str],
    command_line: str | None = None,
) -> Benchmark:
    """Begin a benchmark in a folder, which is made; an old one in it is refused."""
    return Benchmark(
        folder=records.new_folder(folder, FILE, "benchmark"),
        kind=kind,
        command_line=records.own_command_line() if command_line is None else command_line,
        time=records.now(),
        seed=records.drawn_seed() if seed is None else seed,
        environment=environment,
    )


def measure(
    benchmark: Benchmark,
    program: Path,
    launcher: Launcher,
    arguments: Sequence[str],
    *,
    ranks: Sequence[int],
    launches: int,
    limit_s: float,
    pin: bool = True,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Launch halobench `launches` times for every number of ranks, and record what came of it.

    A launch that fails is recorded with its reason, and the others go on. Ctrl-C ends the
    measurement; what is complete stays.
    """
    try:
        for number in range(1, launches + 1):
            for count in ranks:
                say(f"launch {number} of {launches} on {count} rank{'s' * (count != 1)}")
                _launch(benchmark, program, launcher, arguments, count, number, limit_s, pin)
    except KeyboardInterrupt:
        benchmark.interrupted = True
        for launch in benchmark.launches:
            if launch.status == "running":
                launch.status, launch.reason = "interrupted", "interrupted by the user"
    benchmark.save()


def _launch(
    benchmark: Benchmark,
    program: Path,
    launcher: Launcher,
    arguments: Sequence[str],
    ranks: int,
    number: int,
    limit_s: float,
    pin: bool,
) -> None:
    file = benchmark.folder / f"{benchmark.kind}-{ranks}-{number}.json"
    seed = (benchmark.seed + number) % (1 << 31)
    command = launcher.command(
        ranks, program,
        [benchmark.kind, *arguments, "--seed", str(seed), "--json", str(file)], pin=pin,
    )  # fmt: skip
    shown = " ".join(
        [f"{k}={shlex.quote(v)}" for k, v in benchmark.environment.items()]
        + [launcher.shown(ranks, command)]
    )
    launch = Launch(ranks, number, shown, machine.load())
    benchmark.launches.append(launch)
    began = time.monotonic()
    try:
        finished = process.run(
            command, {**launcher.environment(ranks), **benchmark.environment}, limit_s
        )
        launch.status = "measured" if finished.ok else "failed"
        if not finished.ok:
            launch.reason = f"{finished.reason()}\n{finished.last_words(of_output=False)}".rstrip()
    finally:
        launch.wall_s = round(time.monotonic() - began, 3)
        # halobench writes its file anew after every group: what is there is complete.
        if file.is_file():
            launch.file = file.name
        benchmark.save()


def bench(
    kind: str,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int | Sequence[int] = 2,
    schemes: str | Sequence[str] | None = None,
    launches: int = 3,
    budget_s: float = 60,
    environment: dict[str, str] | None = None,
    output: Path | str | None = None,
    seed: int | None = None,
    pin: bool = True,
    programs: Path | str | None = None,
    command_line: str | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Benchmark:
    """Measure one thing that schemes do with `halobench`, in several launches.

    Parameters
    ----------
    kind
        What is measured: one of `KINDS`.
    arguments
        halobench's own, as typed into a shell or as a list: `"--extent 50x50x50 --faces"`.
    ranks
        A number of ranks or several.
    schemes
        Names or globs, a list or separated by commas; halobench's own choice by default.
    launches
        For each number of ranks.
    budget_s
        Seconds that one launch may measure.
    environment
        Variables set for the launches.
    output
        Folder for the results; by default a new one in `results`.
    seed
        Of the random order; drawn by default.
    pin
        Give each rank its own cores, if there are enough.
    programs
        Folder of the programs; None to look for them.
    command_line
        How to repeat it, for the record; by default this call.
    say
        Called with what goes on.

    Returns
    -------
    The benchmark: `table()` or `to_pandas()` has a row for each scheme and set of parameters.

    Raises
    ------
    HaloclineError
        When there is no such kind, program or scheme, or the folder holds a benchmark already.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.bench("roundtrip", "--sizes 8,1024", launches=2, budget_s=2)
    >>> sorted({row["size"] for row in found.table()})
    [8, 1024]
    """
    if kind not in KINDS:
        raise HaloclineError(f"halobench measures no {kind}; it measures {', '.join(KINDS)}")
    program = find_program("halobench", programs)
    given = words(arguments)
    own = [*given, "--budget", str(budget_s)]
    if schemes is not None:
        named = [schemes] if isinstance(schemes, str) else list(schemes)
        if kind not in OWN_SCHEMES:
            named = choose(",".join(named), Checker(programs))
        own += ["--schemes", ",".join(named)]
    if command_line is None:
        shown = shlex.join(given)
        command_line = f"halocline.bench({kind!r}, {shown!r}, ranks={ranks!r}, schemes={schemes!r})"
    benchmark = prepare(
        Path(output) if output else records.default_folder(kind), kind, seed, environment or {},
        command_line,
    )  # fmt: skip
    measure(
        benchmark, program, launcher_of(program, programs), own, ranks=counts(ranks),
        launches=launches, limit_s=10 * budget_s + 600, pin=pin, say=say,
    )  # fmt: skip
    return benchmark
