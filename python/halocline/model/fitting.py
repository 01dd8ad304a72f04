"""Fit a machine file to what halometer measured.

A simulated time is a sum: the longest chain of operations counts each number of the file so many
times. So the numbers follow from least squares, and the chain from the numbers; a few turns of both
settle. Curves may only rise with the bytes, and what the measurements do not determine stays where
it began.
"""

from __future__ import annotations

import copy
import datetime
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from halocline import shapes
from halocline.errors import HaloclineError
from halocline.measure import distance
from halocline.model import simulation
from halocline.model.machines import FORMAT, VERSION, Machine
from halocline.shapes import AtLeast

KNOTS = (0, 256, 2048, 4096, 8191, 8192, 16384, 32768, 131072, 524288, 1048576, 4194304)
"""Bytes between which curves are straight."""
RENDEZVOUS = 8192
"""From so many bytes on MPICH's messages on a node wait for their receiver."""
SPANS = (8192, 32768, 131072, 524288, 2097152, 8388608)
"""Bytes of arrays, by which a cache line of theirs is near or far."""
BY_BYTES = {
    # What is put or got on a node is copied by whoever calls: no computing hides it.
    "node": ("message", "put", "put:accumulate", "get", "pack:slot", "unpack:slot", "copy:peer"),
    "": ("pack", "unpack", "copy"),
}
BY_SPAN = ("cells", "cells:written")
SINGLE = {
    "node": (
        "send", "receive", "send:persistent", "receive:persistent", "send:partitioned",
        "receive:partitioned", "send:sendrecv", "receive:sendrecv", "send:neighbor",
        "receive:neighbor", "landing", "landing:accumulate", "fetching", "flush", "flush:fence",
        "flush:pscw", "lock", "unlock",
        "notify", "notified", "notify:flag", "notify:counter", "post", "start", "complete", "wait",
        "fence", "fence:shm", "signal", "line", "seen", "piece:slot", "piece:peer",
        "piece:accumulate",
    ),
    "": ("collective", "collective:nonblocking", "collective:persistent", "lock:own", "piece"),
}  # fmt: skip
MEASURED = {
    "roundtrip": ("roundtrip", "--no-limit --sizes 8,64,512,2K,8K,24K,64K,256K,1M,4M"),
    "halo": ("halo", "--rewrite field --boundary open,periodic "
    "--extent 64x64,256x256,1024x1024,8x8x8,16x16x16,24x24x24,32x32x32,48x48x48,64x64x64"),
    # Two ranks cut the slowest axis if nobody says otherwise, and send whole planes: here each
    # element of a message lies by itself, as in programs that cut the others.
    "strided": ("halo", "--rewrite field --boundary open --faces --dims 1x1x2 "
    "--extent 8x8x8,16x16x16,24x24x24,32x32x32,48x48x48,64x64x64"),
}  # fmt: skip
"""What halometer is asked, by the folder of its results: kinds and their arguments."""
PAIR = {"size": AtLeast(0)}
GRID = {
    "extent": str,
    "dims": list[AtLeast(1)],
    "halo": AtLeast(0),
    "corners": bool,
    "boundary": str,
}
"""The parameters that halometer's files must have for a fit."""
QUICK = {
    "roundtrip": ("roundtrip", "--no-limit --sizes 8,2K,24K,256K"),
    "halo": ("halo", "--rewrite field --boundary open --extent 256x256,16x16x16,32x32x32"),
    "strided": ("halo", "--rewrite field --boundary open --faces --dims 1x1x2 "
    "--extent 16x16x16,32x32x32"),
}  # fmt: skip
"""The same for a first answer: fewer sizes between which curves are straight."""
TURNS = 8
STIFFNESS = 0.02
"""Weight of where a number began beside a measurement: as one that is 50 times less certain."""


@dataclass(frozen=True)
class Sample:
    """A measured time, and the case that has it."""

    case: dict[str, Any]
    exchanges: int
    """That the time is of."""
    seconds: float
    kind: str
    bytes: float
    again: float = 1.0
    """The same from one half of the measurement's repetitions by the same from the other."""

    @property
    def scheme(self) -> str:
        """The scheme."""
        return str(self.case["scheme"])

    @property
    def near(self) -> bool:
        """Whether the ranks' cores shared a cache."""
        return "ranks_per_socket" not in self.case

    @property
    def setting(self) -> str:
        """Whatever is the same for all schemes."""
        return f"{self.case['pattern']} {self.near}"


def border_of(contents: Iterable[dict[str, Any]]) -> float | None:
    """Return the distance that tells near cores from far ones, if these launches had both."""
    return distance.border(
        setting.get("core_distance_s", [])
        for content in contents
        for setting in content["settings"]
    )


def samples_of(
    contents: Sequence[dict[str, Any]], kind: str, border: float | None = None
) -> list[Sample]:
    """Return what launches of `halometer roundtrip` or `halo` measured, as cases.

    With a border cores within it are those of one socket, others those of two; measurements
    meanwhile cores moved across it are left out, as are halometer's limits.
    """
    found = []
    for content in contents:
        for setting in content["settings"]:
            parameters, apart = setting.get("parameters", {}), setting.get("core_distance_s", [])
            if "left_out" in setting or parameters.get("size") == 0:  # the latter without links
                continue
            if ":" not in setting["scheme"] or setting["scheme"].startswith(
                ("limit:", "handwritten:")
            ):
                continue
            far = [one > border for one in apart] if border else []
            if any(far) and not all(far):
                continue
            times = setting["samples_s"][setting["warm_up"] :]
            if not times:
                continue
            case = {
                "scheme": setting["scheme"], "ranks": content["ranks"],
                "pattern": _pattern(parameters, kind), "steps": 12, "warm_up": 4, "parts": True,
            }  # fmt: skip
            if any(far) or border is None:
                case["ranks_per_socket"] = 1
            halves = median(times[::2]) / median(times[1::2]) if len(times) > 1 else float("nan")
            found.append(Sample(case, 2 if kind == "roundtrip" else 1, median(times), kind,
                                setting["bytes"], halves))  # fmt: skip
    return found


def _pattern(parameters: dict[str, Any], kind: str) -> dict[str, Any]:
    whose = "parameters of a setting of halometer"
    if kind == "roundtrip":
        return {"kind": "pair", "bytes": shapes.fitted(parameters, PAIR, whose)["size"]}
    parameters = shapes.fitted(parameters, GRID, whose)
    extent = parameters["extent"].split("x")
    dims = parameters["dims"]
    if len(extent) != len(dims) or not all(cells.isdecimal() for cells in extent):
        raise HaloclineError(
            f'{whose}: "extent" must be {len(dims)} numbers of cells such as '
            f"{'x'.join(['64'] * len(dims))}, not {shapes.shown(parameters['extent'])}"
        )
    return {
        "kind": "grid", "cells": [int(one) * parts for one, parts in zip(extent, dims)],
        "dims": dims, "halo": parameters["halo"], "corners": parameters["corners"],
        "periodic": list(range(len(dims))) if parameters["boundary"] == "periodic" else [],
    }  # fmt: skip


def beginning(levels: Sequence[str] = ("node",)) -> Machine:
    """Return what a fit starts from: calls of 0.1 us, 5 GB/s, on each of these distances."""
    content: dict[str, Any] = {
        "format": FORMAT, "version": VERSION, "costs": {},
        "levels": {level: {"rendezvous_bytes": RENDEZVOUS, "costs": {}} for level in levels},
    }  # fmt: skip

    def tables(level: str) -> list[dict[str, Any]]:
        return [one["costs"] for one in content["levels"].values()] if level else [content["costs"]]

    for level, names in BY_BYTES.items():
        for costs in tables(level):
            for name in names:
                costs[name] = [[size, 5e-8 + size * 2e-10] for size in KNOTS]
    for name in BY_SPAN:
        content["costs"][name] = [[size, 1e-9] for size in SPANS]
    for level, names in SINGLE.items():
        for costs, name in itertools.product(tables(level), names):
            costs[name] = 5e-9 if name.startswith("piece") else 1e-7
    return Machine(content)


@dataclass
class Fit:
    """A fitted machine, and how well it fits."""

    machine: Machine
    ratios: np.ndarray
    """Predicted by measured, of each sample."""
    determined: dict[str, float]
    """How sure each number of the file is: half of its 95 % interval, in seconds."""


class _Numbers:
    """The numbers of a file as steps: what a curve rises by from knot to knot."""

    def __init__(self, machine: Machine) -> None:
        self.names: list[str] = []
        self.first: list[bool] = []
        values: list[float] = []
        for where, costs in _tables(machine):
            for name, curve in costs.items():
                points = [[0, curve]] if isinstance(curve, (int, float)) else curve
                for i, (size, seconds) in enumerate(points):
                    self.names.append(f"{where}{name}/{size}")
                    self.first.append(i == 0)
                    values.append(seconds)
        self.place = {name: i for i, name in enumerate(self.names)}
        self.values = np.array(values)

    def rises(self, values: np.ndarray) -> np.ndarray:
        previous = np.where(self.first, 0.0, np.roll(values, 1))
        return values - previous

    def sums(self, rises: np.ndarray) -> np.ndarray:
        values = rises.copy()
        for i in range(1, len(values)):
            if not self.first[i]:
                values[i] += values[i - 1]
        return values

    def matrix(self, counts: np.ndarray) -> np.ndarray:
        """Turn counts of values into counts of rises."""
        turned = counts.copy()
        for i in range(len(self.names) - 2, -1, -1):
            if not self.first[i + 1]:
                turned[:, i] += turned[:, i + 1]
        return turned

    def into(self, machine: Machine, values: np.ndarray) -> Machine:
        made = machine.changed()
        at = 0
        for _, costs in _tables(made):
            for name, curve in costs.items():
                if isinstance(curve, (int, float)):
                    costs[name] = float(f"{values[at]:.4g}")
                    at += 1
                else:
                    for point in curve:
                        point[1] = float(f"{values[at]:.4g}")
                        at += 1
        return made


def _tables(machine: Machine) -> list[tuple[str, dict[str, Any]]]:
    levels = machine.content["levels"]
    return [("", machine.content["costs"])] + [
        (f"{name}/", level["costs"]) for name, level in levels.items()
    ]


def fit(
    samples: Sequence[Sample], programs: Path | None = None, start: Machine | None = None
) -> Fit:
    """Find the numbers that explain the samples best, by their relative errors.

    Raises
    ------
    HaloclineError
        When there are too few samples, or a case cannot be simulated.
    """
    from scipy.optimize import lsq_linear

    if len(samples) < 10:
        raise HaloclineError(f"{len(samples)} measurements are too few to fit a machine to")
    machine = start or _start(samples, programs)
    measured = np.array([one.seconds for one in samples])
    times = np.array([one.exchanges for one in samples])
    best: tuple[float, Machine, np.ndarray] | None = None
    numbers = _Numbers(machine)
    # What is nothing in the beginning may still become something.
    least = 0.1 * numbers.rises(_Numbers(beginning(list(machine.content["levels"]))).values)
    origin = np.maximum(numbers.rises(numbers.values), np.maximum(least, 1e-10))
    covariance = np.zeros((len(origin), len(origin)))
    for _ in range(TURNS):
        counts, predicted = _counted(machine, samples, numbers, programs)
        ratios = predicted * times / measured
        error = float(np.mean(np.abs(np.log(ratios))))
        if best is None or error < best[0]:
            best = (error, machine, ratios)
        # Half as long is as wrong as twice: errors are by the middle of both.
        middle = np.clip(np.sqrt(ratios), 0.5, 2)
        rows = numbers.matrix(counts * times[:, None]) / (measured * middle)[:, None] * origin
        near_origin = STIFFNESS * np.eye(len(origin))
        # Large errors count as their size, not as its square: one odd scheme bends no curve.
        weights = 1 / np.sqrt(np.maximum(np.abs(np.log(ratios)), 0.03))
        left = np.vstack([rows * weights[:, None], near_origin])
        right = np.concatenate([weights / middle, STIFFNESS * np.ones(len(origin))])
        solved = lsq_linear(left, right, bounds=(0, np.inf)).x
        covariance = np.linalg.pinv(left.T @ left)
        old = numbers.rises(_Numbers(machine).values) / origin
        machine = numbers.into(machine, numbers.sums((0.3 * old + 0.7 * solved) * origin))
    counts, predicted = _counted(machine, samples, numbers, programs)
    ratios = predicted * times / measured
    error = float(np.mean(np.abs(np.log(ratios))))
    if best is None or error < best[0]:
        best = (error, machine, ratios)
    spread = float(np.median(np.abs(best[2] - 1))) * 1.5
    sure = 1.96 * spread * np.sqrt(np.abs(np.diag(covariance))) * origin
    return Fit(best[1], best[2], dict(zip(numbers.names, map(float, sure))))


def _start(samples: Sequence[Sample], programs: Path | None) -> Machine:
    """Where cores were near in some samples and far in others, both are as both together.

    So sizes that were met in one state only say something of the other.
    """
    if not any(one.near for one in samples):
        return beginning()
    alike = [replace(one, case={**one.case, "ranks_per_socket": 1}) for one in samples]
    machine = fit(alike, programs).machine.changed()
    levels = machine.content["levels"]
    levels["socket"] = copy.deepcopy(levels["node"])
    return machine


def _counted(
    machine: Machine, samples: Sequence[Sample], numbers: _Numbers, programs: Path | None
) -> tuple[np.ndarray, np.ndarray]:
    outcomes = simulation.simulate(machine, [one.case for one in samples], programs)
    counts = np.zeros((len(samples), len(numbers.names)))
    seconds = np.zeros(len(samples))
    for row, outcome in enumerate(outcomes):
        if "error" in outcome:
            raise HaloclineError(outcome["error"])
        seconds[row] = outcome["step_s"]
        for name, often in outcome["parts"].items():
            counts[row, numbers.place[name]] = often
    return counts, seconds


def predicted(
    machine: Machine, samples: Sequence[Sample], programs: Path | None = None
) -> np.ndarray:
    """Return the seconds that the model gives for each sample."""
    cases = [{**one.case, "parts": False} for one in samples]
    outcomes = simulation.simulate(machine, cases, programs)
    return np.array([outcome["step_s"] * one.exchanges for one, outcome in zip(samples, outcomes)])


def finished(
    found: Fit, name: str, source: str, spread: tuple[float, float], machine: dict[str, Any]
) -> Machine:
    """Return the fitted machine with what a reader wants to know of it."""
    for cost in BY_SPAN:  # beyond the last cache nothing is farther away
        curve = found.machine.content["costs"][cost]
        curve.append([2 * curve[-1][0], curve[-1][1]])
    content = {
        "format": FORMAT, "version": VERSION, "name": name, "source": source,
        "measured": {
            "time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            **machine,
        },
        "spread": [round(bound, 3) for bound in spread],
        **{k: v for k, v in found.machine.content.items() if k in ("costs", "compute", "levels")},
        "half_intervals_s": {k: float(f"{v:.2g}") for k, v in found.determined.items()},
    }  # fmt: skip
    return Machine(content)
