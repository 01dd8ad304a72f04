"""The record of a benchmark: what was launched, how it went, and where halometer's files are."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from halocline import records, shapes
from halocline.errors import HaloclineError
from halocline.launch import machine
from halocline.measure.benchmark.points import SHARES, Point, points_of
from halocline.shapes import Above, AtLeast
from halocline.tables import Tabular

FORMAT, VERSION = "halocline-benchmark", 1
RECORD = "halocline-benchmark-launches"
FILE = "benchmark.json"
SETTING = {
    "scheme": str,
    "parameters?": dict[str, Any],
    "left_out?": str,
    "bytes?": AtLeast(0.0),
    "samples_s?": list[AtLeast(0.0)],
    "warm_up?": AtLeast(0),
    "narrow?": bool,
    "with_s?": list[float],
    "without_s?": list[float],
    "felt_s?": {"value": float},
    "disturbed?": list[Any],
    "core_distance_s?": list[Above(0.0)],
    **{f"{name}?": float for name in SHARES},
    **{f"{name}_interval?": tuple[float, float] for name in SHARES},
}
SHAPE = {
    "ranks": AtLeast(1),
    "settings": list[SETTING],
    "core_distance_s?": list[Above(0.0)],
    **machine.CIRCUMSTANCES,
}
"""The shape of halometer's file; `measured` looks for what was measured of a setting."""
MEASURED = {
    "parameters": dict[str, Any], "bytes": float, "samples_s": list[float], "warm_up": int,
    "narrow": bool,
}  # fmt: skip
"""What a setting must have that was not left out."""
LOOPS = ("with_s", "without_s")


@dataclass
class Launch:
    """One start of halometer."""

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


@dataclass
class Benchmark(Tabular):
    """A folder of halometer's files and the record of how they came about."""

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
        return shapes.fitted({**content, "folder": folder}, cls, file)

    def whole(self) -> bool:
        """Whether nothing of it was cut off."""
        ended = all(launch.status in ("measured", "failed") for launch in self.launches)
        return ended and not self.interrupted

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
        """Return what was measured, in the order in which halometer names it."""
        return points_of(self.contents())


def _checked(file: Path, content: dict[str, Any]) -> dict[str, Any]:
    for number, setting in enumerate(content["settings"]):
        if "left_out" in setting:
            continue
        where = f"settings[{number}]"
        shapes.fitted(setting, MEASURED, file, where)
        if len(setting["samples_s"]) <= setting["warm_up"]:
            raise HaloclineError(f'{file}: "{where}.samples_s" has none behind its "warm_up"')
        lengths = {len(setting[name]) for name in LOOPS if name in setting}
        if lengths - {len(setting["samples_s"])}:
            raise HaloclineError(
                f'{file}: "{where}" has not as many {" and ".join(LOOPS)} as samples_s'
            )
    return content


load = records.Loader(FORMAT, VERSION, "file of halometer", SHAPE, _checked)
"""Reads one file of halometer."""


def prepare(
    folder: Path,
    kind: str,
    seed: int | None,
    environment: dict[str, str],
    command_line: str | None = None,
    *,
    again: bool = False,
) -> Benchmark:
    """Begin a benchmark in a folder, which is made; an old one in it is refused, or gone on with.

    Of the latter, what was cut off is measured again.
    """
    if command_line is None:
        command_line = records.own_command_line()
    if again and (folder / FILE).is_file():
        found = Benchmark.load(folder.resolve())
        records.check_same_command(folder, found.command_line, command_line)
        found.launches = [one for one in found.launches if one.status in ("measured", "failed")]
        found.interrupted = False
        return found
    return Benchmark(
        folder=records.new_folder(folder, FILE, "benchmark"),
        kind=kind,
        command_line=command_line,
        time=records.now(),
        seed=records.drawn_seed() if seed is None else seed,
        environment=environment,
    )
