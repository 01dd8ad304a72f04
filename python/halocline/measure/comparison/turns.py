"""Comparisons within a launch: one of them solves through all schemes and styles, in turns.

What such a launch writes (docs/reference/results.md, solutions in turns) is taken apart into a
result file for each scheme, as launches of their own would have written it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import machine
from halocline.measure import results
from halocline.measure.comparison.record import Case, Setting
from halocline.shapes import Above, AtLeast

FORMAT, VERSION = "halocline-turns", 1
STYLE = "--style"
"""The only option that may differ between turns, beside the scheme."""
OF_SCHEMES = ("scheme", "style", "parameters", "result", "running")
"""What such a file says of each scheme, and a result file of the one it has."""


SCHEME = {
    "asked": str, "scheme?": str, "style?": str, "parameters?": dict[str, Any],
    "result": {"iterations": AtLeast(1)}, "running?": results.RUNNING,
    "core_distance_s?": list[float],
}  # fmt: skip
SOLUTION = {
    "scheme": AtLeast(0), "turn": AtLeast(0), "total_s": Above(0.0), "traced?": bool,
    "core_distance_s?": list[float],
}  # fmt: skip
SHAPE = {
    "schemes": list[SCHEME],
    "solutions": list[SOLUTION],
    **machine.CIRCUMSTANCES,
}  # fmt: skip


def together(settings: Sequence[Setting]) -> list[tuple[Setting, ...]]:
    """Return what one launch can measure: all that is asked for on so many ranks."""
    numbers = dict.fromkeys(setting.ranks for setting in settings)
    return [tuple(one for one in settings if one.ranks == ranks) for ranks in numbers]


def told(case: Case, entrants: Sequence[tuple[str, Case]]) -> list[str]:
    """Return a launch's arguments: those that all cases share, and scheme and style of each."""
    if case.arguments[-2:-1] != [STYLE]:
        return [*case.arguments, "--in-turn", ",".join(scheme for scheme, _ in entrants)]
    names = (f"{scheme}@{one.arguments[-1]}" for scheme, one in entrants)
    return [*case.arguments[:-2], "--in-turn", ",".join(names)]


def split(file: Path) -> list[Path]:
    """Write a result file for each of a launch's schemes; return them in the order asked for.

    Raises
    ------
    HaloclineError
        When the file is missing, or no such file.
    """
    content = dict(load(file))
    del content["format"], content["version"]
    schemes, solutions = content.pop("schemes"), content.pop("solutions")
    found = []
    for number, scheme in enumerate(schemes):
        mine = [one for one in solutions if one["scheme"] == number and not one.get("traced")]
        distances = [d for one in mine for d in one.get("core_distance_s", [])]
        result = {
            **content,
            **{name: scheme[name] for name in OF_SCHEMES if name in scheme},
            "samples": {"total_s": [one["total_s"] for one in mine]},
            **({"core_distance_s": [distances[0], distances[-1]]} if distances else {}),
        }
        found.append(file.with_name(f"{file.stem}-{number}.json"))
        records.write(found[-1], results.FORMAT, results.VERSION, result)
    return found


def _checked(file: Path, content: dict[str, Any]) -> dict[str, Any]:
    for number, one in enumerate(content["solutions"]):
        if one["scheme"] >= len(content["schemes"]):
            raise HaloclineError(
                f'{file}: "solutions[{number}].scheme" is {one["scheme"]} of '
                f"{len(content['schemes'])} schemes"
            )
    return content


load = records.Loader(FORMAT, VERSION, "file of solutions in turns", SHAPE, _checked)
"""Reads the file of a launch in turns."""
