"""Launch `halobench` several times and put together what the launches say.

A launch keeps its memory pages, cores and windows, so samples of one launch resemble each other:
every kind of measurement is launched several times, each time with the schemes in another random
order, and intervals respect the launches (see `statistics`).
"""

from __future__ import annotations

import json
import random
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from halocline.errors import HaloclineError
from halocline.launch import machine, process
from halocline.launch.launcher import Launcher
from halocline.measure import distance, results
from halocline.measure.doctor import now
from halocline.statistics import intervals as statistics
from halocline.statistics.intervals import Interval

FORMAT, VERSION = "halocline-benchmark", 1
RECORD = "halocline-benchmark-launches"
KINDS = {
    "roundtrip": "Measure there and back between two ranks, by message size.",
    "bandwidth": "Measure many messages at once from one rank to another.",
    "sync": "Measure synchronisation alone, without data.",
    "neighbors": "Send doubles to each of 2, 4, 6, 8 or 26 neighbours.",
    "halo": "Exchange halos of 2-D and 3-D grids, by extent, width and periodicity.",
    "rings": "Measure several communicating rings at once.",
    "overlap": "Find out how much of a transfer a computation hides.",
    "progress": "Put to and get from a rank that is busy outside MPI.",
    "memory": "Measure STREAM's copy and triad, by threads.",
}
"""What halobench measures, and the command's help."""
SHARES = ("hidden_at_sender", "hidden_at_receiver", "waited_for_target")
"""What kinds add to a setting: `overlap` and `progress`."""
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
    """Seconds of a step."""
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

    @property
    def gb_s(self) -> Interval | None:
        """Gigabytes that the busiest rank sends in a second."""
        if not self.bytes or not self.median.low:
            return None
        m = self.median
        rates = [1e-9 * self.bytes / seconds for seconds in (m.value, m.high, m.low)]
        return Interval(*rates, m.confidence)


@dataclass
class Benchmark:
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
        content = {"format": RECORD, "version": VERSION, **asdict(self)}
        del content["folder"]
        file = self.folder / "benchmark.json"
        fresh = file.with_suffix(".partial")
        fresh.write_text(json.dumps(content, indent=1) + "\n")
        fresh.replace(file)

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
    return results.read(file, FORMAT, VERSION, "file of halobench")


def prepare(folder: Path, kind: str, seed: int | None, environment: dict[str, str]) -> Benchmark:
    """Begin a benchmark in a folder, which is made; an old one in it is refused."""
    if (folder / "benchmark.json").exists():
        raise HaloclineError(f"{folder} already holds a benchmark; name another with --output")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HaloclineError(f"cannot make {folder}: {error.strerror}") from error
    return Benchmark(
        folder=folder.resolve(),
        kind=kind,
        command_line=shlex.join(["halocline", *sys.argv[1:]]),
        time=now(),
        seed=random.SystemRandom().randrange(1 << 31) if seed is None else seed,
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
