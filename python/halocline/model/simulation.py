"""Ask `halosim`: cases in, times out."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.launch import ask, find_program, has, printed
from halocline.model.machines import Machine
from halocline.outputs import save

LIMIT_S = 3600


def _ask(arguments: Sequence[str], programs: Path | None, fits: Callable[[Any], bool]) -> Any:
    return ask(find_program("halosim", programs), arguments, fits, LIMIT_S, inner=True)


def _lines(arguments: Sequence[str], programs: Path | None) -> list[str]:
    return printed(find_program("halosim", programs), arguments, inner=True).split()


def simulate(
    machine: Machine, cases: Sequence[dict[str, Any]], programs: Path | None = None
) -> list[dict[str, Any]]:
    """Return the outcome of each case, in order; of one that cannot be, its `error`."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "request.json"
        save(file, json.dumps({"machine": machine.content, "cases": list(cases)}))
        fits = functools.partial(_are_outcomes, count=len(cases))
        return list(_ask(["run", str(file)], programs, fits))


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
        return _step([scheme], programs)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "request.json"
        save(file, json.dumps(request))
        return _step([scheme, "--request", str(file)], programs)


def _step(of: Sequence[str], programs: Path | None) -> dict[str, Any]:
    return dict(_ask(["describe", *of], programs, has("start", "finish")))


def methods(programs: Path | None = None) -> list[str]:
    """Return all methods that have a description."""
    return _lines(["methods"], programs)


def in_place(schemes: Sequence[str], programs: Path | None = None) -> list[str]:
    """Return those of these schemes whose halos are read in the neighbour's memory."""
    return _lines(["in-place", *schemes], programs)
