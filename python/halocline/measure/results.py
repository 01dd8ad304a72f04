"""Read the result files that Halocline programs write with `--json` (docs/reference/results.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Union

from halocline import records, shapes, statistics
from halocline.errors import HaloclineError
from halocline.launch import machine
from halocline.shapes import Above, AtLeast
from halocline.statistics import WarmUp
from halocline.tables import Tabular

FORMAT, VERSION = "halocline-result", 1
PHASES = ("compute_s", "pack_s", "transfer_s", "wait_s", "reduce_s", "copy_s")
"""What a rank's time is divided into; all in seconds, all repetitions together."""
TIMES = {name: AtLeast(0.0) for name in ("value", "low", "high", "confidence")}
TRIED = {"what": str, "laps": AtLeast(0), "times?": TIMES, "why?": str}
CHOSEN = {"what": str, "yardstick?": str, "times?": TIMES, "matters": bool, "tried": list[TRIED]}
RUNNING = {
    "laps": AtLeast(0), "seconds": AtLeast(0.0), "cost_s": AtLeast(0.0), "cost_share": AtLeast(0.0),
    "preparing_s?": AtLeast(0.0), "decided": bool, "contests": AtLeast(0), "chosen": list[CHOSEN],
}  # fmt: skip
"""What `auto+when=running` has found in a program's own steps."""
SHAPE = {
    "scheme": str,
    "ranks": AtLeast(1),
    "threads?": AtLeast(1),
    "style?": str,
    "parameters?": {"style?": str, "schemes?": list[str]},
    "result": {
        "iterations": AtLeast(1),
        "checksum?": Union[str, int, None],
        "residuum?": Any,
        "compute_s?": Union[float, list[float]],
    },
    "samples": {"total_s": list[Above(0.0)], "step_s?": list[list[float]]},
    "phases?": list[{f"{name}?": AtLeast(0.0) for name in PHASES}],
    "running?": RUNNING,
    "core_distance_s?": list[Above(0.0)],
    "environment?": dict[str, str],
    **machine.CIRCUMSTANCES,
}
"""The shape of what all programs write; each adds its own."""


@dataclass(frozen=True)
class Result(Tabular):
    """One result file: one launch of one program with one scheme."""

    path: Path
    content: dict[str, Any]

    @property
    def scheme(self) -> str:
        """The scheme as the program understood it."""
        return str(self.content["scheme"])

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return int(self.content["ranks"])

    @property
    def steps(self) -> int:
        """The number of steps of one repetition."""
        return int(self.content["result"]["iterations"])

    def found(self, name: str, shape: Any) -> Any:
        """Return what the program found under a name, by `halocline.shapes`.

        Raises
        ------
        MisfitError
            When that is missing or has another shape.
        """
        return shapes.fitted(self.content["result"], {name: shape}, self.path, "result")[name]

    @cached_property
    def repetitions(self) -> list[float]:
        """Seconds per step of every repetition: its whole time over its steps.

        The mean within a repetition, because schemes may put the work of several steps into one
        (wide halos, pipelines) and the steps themselves then are not comparable.
        """
        return [total / self.steps for total in self.content["samples"]["total_s"]]

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each repetition: `seconds` per step, and whether it `counts`.

        What does not count warms up, by what this launch alone shows.
        """
        first = len(self.repetitions) - len(self.counted)
        return [
            {"scheme": self.scheme, "ranks": self.ranks, "repetition": number,
             "seconds": seconds, "counts": number >= first}
            for number, seconds in enumerate(self.repetitions)
        ]  # fmt: skip

    @cached_property
    def counted(self) -> list[float]:
        """Those of the repetitions that do not warm up, by what this launch alone shows."""
        return Launches.alone([self]).groups[0]

    @cached_property
    def shares(self) -> dict[str, float]:
        """The share of all ranks' time in each phase of `PHASES`; empty when not recorded."""
        rows = self.content.get("phases", [])
        sums = {name: math.fsum(row.get(name, 0.0) for row in rows) for name in PHASES}
        total = math.fsum(sums.values())
        return {name: value / total for name, value in sums.items()} if total > 0 else {}

    @property
    def identity(self) -> tuple[Any, ...]:
        """What must be the same for all schemes: the solution's bytes, iterations, residuum."""
        result = self.content["result"]
        residuum = result.get("residuum")
        if isinstance(residuum, float) and math.isnan(residuum):
            residuum = None  # which is the same as itself
        return result.get("checksum"), result.get("iterations"), residuum


def style_of_auto(found: Sequence[Result]) -> str:
    """Return the style that `auto` became; where launches differ, in how many: `thread in 5 of 6`.

    `undecided` where steps were too few to choose; empty where no style was left to it.
    """
    asked = [one for one in found if one.content.get("parameters", {}).get("style") == "auto"]
    names = [str(one.content["style"]) for one in asked if one.content.get("style")]
    usual = max(names, key=names.count, default="")
    count = names.count(usual)
    usual = "undecided" if usual == "auto" else usual
    return usual if count == len(names) else f"{usual} in {count} of {len(names)}"


@dataclass(frozen=True)
class Launches:
    """The result files of one setting, in the order of rounds, and which repetitions count."""

    results: list[Result]
    warm_up: WarmUp
    """How many repetitions of each launch warm up."""

    @classmethod
    def alone(cls, results: list[Result]) -> Launches:
        """Return those of a setting that is not compared with others."""
        return cls.compared([results])[0]

    @classmethod
    def compared(cls, settings: Sequence[list[Result]]) -> list[Launches]:
        """Return those of all settings of a table, one after the other.

        They warm up alike: a setting that dropped a repetition more than its rival, by a test of
        its own, would differ from it for that alone.
        """
        warm_up = statistics.warm_up([result.repetitions for one in settings for result in one])
        return [cls(results, warm_up) for results in settings]

    @cached_property
    def groups(self) -> list[list[float]]:
        """The samples: seconds per step of the repetitions that count, a list for each launch."""
        return [list(self.warm_up.rest(result.repetitions)) for result in self.results]

    @cached_property
    def every_step(self) -> list[float]:
        """Seconds of single steps (or groups of steps) of all repetitions that count."""
        return [
            value
            for result in self.results
            for row in self.warm_up.rest(result.content["samples"].get("step_s", []))
            for value in row
        ]


def _result(path: Path, content: dict[str, Any]) -> Result:
    if not content["samples"]["total_s"] or not content["scheme"]:
        raise HaloclineError(f"{path} holds no measurement: no steps, or no time was taken")
    return Result(path, content)


load = records.Loader(FORMAT, VERSION, "result file", SHAPE, _result)
"""Reads and checks one result file."""
