"""Machine files: what things cost on a machine, measured or typed in with their sources."""

from __future__ import annotations

import copy
import json
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

import numpy as np

from halocline import records, shapes
from halocline.errors import HaloclineError
from halocline.outputs import save
from halocline.shapes import Above, AtLeast, OneOf

FORMAT, VERSION = "halocline-machine", 1
SHIPPED = Path(__file__).parent / "machines"
LEVELS = ("socket", "node", "network")
CURVES = dict[str, Union[AtLeast(0.0), list[tuple[AtLeast(0.0), AtLeast(0.0)]]]]
"""Seconds, or seconds at so many bytes."""
PROGRESS = OneOf(("hardware", "target"))
DISTANCE = {
    "costs?": CURVES, "rendezvous_bytes?": Above(0.0), "injection_bytes_per_s?": Above(0.0),
    "injection_messages_per_s?": Above(0.0), "progress?": PROGRESS, "comment?": Any,
}  # fmt: skip
SHAPE = {
    "format": str, "version": int, "name?": str, "source?": str, "comment?": Any,
    "measured?": dict[str, Any], "assumed?": Any, "spread?": tuple[Above(0.0), Above(0.0)],
    "cores_per_node?": AtLeast(1),
    "costs?": CURVES, "compute?": CURVES, "half_intervals_s?": dict[str, float],
    "levels?": {f"{name}?": DISTANCE for name in LEVELS},
}  # fmt: skip
"""The shape of a machine file; tools/halosim/machine_costs.cpp checks costs and levels, too."""


@dataclass
class Machine:
    """One machine file, as it was read."""

    content: dict[str, Any]
    path: Path | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """What the file calls it."""
        return str(self.content.get("name", "a machine"))

    @property
    def spread(self) -> tuple[float, float]:
        """Factors from predictions to the ends of an interval that holds 90 % of what was measured.

        1 and 1 where nothing has been measured beside what was fitted.
        """
        low, high = self.content.get("spread", (1.0, 1.0))
        return float(low), float(high)

    @property
    def cores_per_node(self) -> int | None:
        """How many ranks a node takes; None where the file does not say."""
        return self.content.get("cores_per_node")

    def levels(self) -> list[str]:
        """Return the distances for which the file has costs."""
        return [name for name in LEVELS if name in self.content.get("levels", {})]

    def copying_s(self, count: float) -> float:
        """Return the seconds that it takes to pack so many bytes; 0 where the file does not say."""
        curve = self.content.get("costs", {}).get("pack", 0.0)
        return float(np.interp(count, *zip(*curve)) if isinstance(curve, list) else curve)

    def changed(self) -> Machine:
        """Return a copy to change."""
        return Machine(copy.deepcopy(self.content), self.path)

    def write(self, path: Path) -> None:
        """Write the file."""
        save(path, text_of(self.content))


def text_of(content: dict[str, Any]) -> str:
    """Return a machine file's text: a curve a line, so that people can read and edit it."""

    def shown(value: Any, indent: str) -> str:
        if isinstance(value, dict) and value:
            inner = indent + "  "
            lines = [f"{inner}{json.dumps(k)}: {shown(v, inner)}" for k, v in value.items()]
            return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
        return json.dumps(value, ensure_ascii=False)

    return shown(content, "") + "\n"


def shipped() -> list[str]:
    """Return the names of the files that come with Halocline."""
    return sorted(file.stem for file in SHIPPED.glob("*.json"))


def load(name: str | Path) -> Machine:
    """Read a machine file: a path, or the name of one that comes with Halocline.

    Raises
    ------
    HaloclineError
        When there is none, or it is not a machine file of this version.
    """
    path = Path(name)
    if path.suffix != ".json":
        path = SHIPPED / f"{name}.json"
        if not path.is_file():
            raise HaloclineError(f"--machine {name}: give a file, or one of {', '.join(shipped())}")
    try:
        content = records.content_of(path)
    except HaloclineError as error:
        raise HaloclineError(f"--machine: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise HaloclineError(f'--machine {path}: "format" must be "{FORMAT}"')
    if content.get("version") != VERSION or isinstance(content["version"], bool):
        raise HaloclineError(
            f"--machine {path}: version {shapes.shown(content.get('version'))}; "
            f"this Halocline reads {VERSION}"
        )
    return Machine(_checked(content, f"--machine {path}"), path)


def _checked(content: dict[str, Any], file: str) -> dict[str, Any]:
    found = shapes.fitted(content, SHAPE, file)
    for name in shapes.unknown(found, SHAPE):
        logging.getLogger(__name__).warning('%s: "%s" is no field that is known', file, name)
    if not found.get("costs") and not found.get("levels"):
        raise HaloclineError(f"{file}: has neither costs nor levels")
    tables = {"costs": found.get("costs", {}), "compute": found.get("compute", {})}
    for level, distance in found.get("levels", {}).items():
        if level not in LEVELS:
            raise HaloclineError(f'{file}: "levels.{level}" must be one of {", ".join(LEVELS)}')
        tables[f"levels.{level}.costs"] = distance.get("costs", {})
    for where, curves in tables.items():
        for name, curve in curves.items():
            sizes = [size for size, _ in curve] if isinstance(curve, list) else [0]
            if not sizes or any(one >= other for one, other in zip(sizes, sizes[1:])):
                raise HaloclineError(
                    f'{file}: "{where}.{name}" must be seconds, or pairs [bytes, seconds] by '
                    "ascending bytes"
                )
    low, high = found.get("spread", (1, 1))
    if low > high:
        raise HaloclineError(f'{file}: "spread" must be a factor and a larger one')
    return found
