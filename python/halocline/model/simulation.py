"""Ask `halosim`: cases in, times out."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.launch import answer, find_program, has, process
from halocline.model.machines import Machine
from halocline.outputs import save


def asked(arguments: Sequence[str], programs: Path | None = None, limit_s: float = 3600) -> str:
    """Return what `halosim` prints.

    Raises
    ------
    HaloclineError
        When it fails; the message is the program's.
    """
    finished = process.run([str(find_program("halosim", programs)), *arguments], None, limit_s)
    if not finished.ok:
        said = finished.last_words(1) or finished.reason()
        raise HaloclineError(said.removeprefix("halosim: "))
    return finished.output


def simulate(
    machine: Machine, cases: Sequence[dict[str, Any]], programs: Path | None = None
) -> list[dict[str, Any]]:
    """Return the outcome of each case, in order; of one that cannot be, its `error`."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "request.json"
        save(file, json.dumps({"machine": machine.content, "cases": list(cases)}))
        said = asked(["run", str(file)], programs)
    return list(answer(said, lambda rows: _are_outcomes(rows, len(cases)), "halosim run"))


def _are_outcomes(rows: Any, count: int) -> bool:
    return isinstance(rows, list) and len(rows) == count and all(isinstance(r, dict) for r in rows)


def simulated(
    machine: Machine, case: dict[str, Any], programs: Path | None = None
) -> dict[str, Any]:
    """Return the outcome of one case.

    Raises
    ------
    HaloclineError
        When it cannot be simulated.
    """
    (outcome,) = simulate(machine, [case], programs)
    if "error" in outcome:
        raise HaloclineError(outcome["error"])
    return outcome


def described(
    scheme: str, request: dict[str, Any] | None = None, programs: Path | None = None
) -> dict[str, Any]:
    """Return what a scheme does in one step, operation by operation."""
    if request is None:
        return _steps(asked(["describe", scheme], programs))
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "request.json"
        save(file, json.dumps(request))
        said = asked(["describe", scheme, "--request", str(file)], programs)
    return _steps(said)


def _steps(said: str) -> dict[str, Any]:
    return dict(answer(said, has("start", "finish"), "halosim describe"))


def methods(programs: Path | None = None) -> list[str]:
    """Return all methods that have a description."""
    return asked(["methods"], programs).split()
