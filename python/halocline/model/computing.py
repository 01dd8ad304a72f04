"""What programs compute for each point, measured on two ranks here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from halocline import measure

SIZES = {8: 20000, 16: 5000, 24: 3000, 32: 1500, 48: 500, 64: 200, 96: 60}
"""Points of a rank along each axis of laplace, and iterations of a run."""
SCHEMES = ("p2p:nonblocking", "p2p:persistent", "rma:put:fence", "rma:put:flush", "shm:signal")
REPETITIONS = 6
"""Of a run; the first warms up."""
FILE = "computing.json"


def laplace(points: int) -> list[str]:
    """Return the arguments of a run that never converges."""
    return [
        "--per-rank", ",".join([str(points)] * 3), "--depth", "1", "--tolerance", "1e-300",
        "--max-iterations", str(SIZES[points]), "--repetitions", str(REPETITIONS),
    ]  # fmt: skip


def run(folder: Path, programs: Path | None = None, sizes: Sequence[int] = tuple(SIZES)) -> Any:
    """Measure laplace's steps and what of them is computing; keep it in the folder.

    Returns
    -------
    A list with `points` along an axis, `scheme`, `step_s` and `compute_s` a step of each run.
    """
    file = folder / FILE
    if file.is_file():
        return json.loads(file.read_text())
    found = []
    for points in sizes:
        for scheme in SCHEMES:
            result = measure.run(
                "laplace", laplace(points), ranks=2, scheme=scheme, programs=programs
            ).result
            step = median(result.repetitions[1:])
            found.append({
                "points": points, "scheme": scheme, "step_s": step,
                "compute_s": step * result.shares.get("compute_s", 0.0),
            })  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found, indent=1) + "\n")
    return found


def rates(found: Sequence[dict[str, Any]]) -> dict[str, list[list[float]]]:
    """Return seconds a point over points of a rank, as a machine file has them."""
    curve = []
    for points in sorted({one["points"] for one in found}):
        # What an exchange leaves for the sweep is the exchange's: the least is computing.
        least = min(one["compute_s"] for one in found if one["points"] == points)
        curve.append([points**3, float(f"{least / points**3:.4g}")])
    return {"laplace": curve}
