"""What programs compute for each point, measured on two ranks here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from halocline import measure, outputs, records, shapes
from halocline.measure.results import Result
from halocline.outputs import save
from halocline.shapes import Above, AtLeast

SCHEMES = ("p2p:nonblocking", "rma:put:fence", "shm:signal")
REPETITIONS = 5
"""Per run; the first warms up."""
LAUNCHES = 3
"""Per scheme, in turns; the one in the middle counts."""
FILE = "computing.json"
RUN = {
    "program": str,
    "asked": list[str],
    "points": Above(0.0),
    "rate": str,
    "scheme": str,
    "step_s": Above(0.0),
    "compute_s": AtLeast(0.0),
    "core_distance_s": list[Above(0.0)],
}
"""What such a file, a list, says of each run."""


@dataclass(frozen=True)
class Problem:
    """A run that does so many steps, and does not end before."""

    program: str
    asked: tuple[str, ...]
    """What the model is asked: the arguments that say how large the problem is."""
    points: float
    """Per rank."""
    more: tuple[str, ...] = ()
    """Arguments that the model need not know."""
    rate: str = ""
    """The name that the machine file has for the computing, if not the program's."""
    computing: tuple[str, ...] = ("compute_s", "reduce_s")
    """Phases that count as computing: all that is not an exchange of the model."""


def _laplace(points: int, iterations: int) -> Problem:
    return Problem(
        "laplace", ("--per-rank", ",".join([str(points)] * 3), "--depth", "1"), points**3,
        ("--tolerance", "1e-300", "--max-iterations", str(iterations)),
    )  # fmt: skip


def _partdiff(method: int, interlines: int, iterations: int) -> Problem:
    asked = ("1", str(method), str(interlines), "1", "2", str(iterations), "--halo-depth", "1")
    rate = "gauss-seidel" if method == 1 else "partdiff"
    points = (8 * interlines + 7) ** 2 / 2
    return Problem("partdiff", asked, points, (), rate)


def _md(size: int, steps: int, shell: str = "full") -> Problem:
    asked = ("--scenario", "melt", "--size", str(size), "--shell", shell)
    rate = "md" if shell == "full" else "md-half"
    computing = ("compute_s", "reduce_s", "transfer_s")
    return Problem("md", asked, 2 * size**3, ("--steps", str(steps)), rate, computing)


def _heat(points: int, steps: int) -> Problem:
    return Problem("heat", ("--points", str(points)), points**2 / 2, ("--steps", str(steps)))


def _spmv(side: int, products: int) -> Problem:
    asked = ("--generate", f"7pt:{side},{side},{side}")
    entries = 7 * side**3 - 6 * side**2
    return Problem("spmv", asked, entries / 2, ("--products", str(products)))


PROBLEMS = (
    *(_laplace(n, i) for n, i in ((8, 20000), (16, 5000), (24, 3000), (32, 1500), (64, 200))),
    *(_partdiff(2, n, i) for n, i in ((7, 10000), (15, 4000), (31, 1000))),
    _partdiff(1, 15, 2000),
    *(_md(n, steps) for n, steps in ((8, 400), (12, 120))),
    _md(8, 400, "half"),
    *(Problem("matmul", ("--shape", f"{n},{n},{n}"), n**3 / 2) for n in (256, 512, 1024)),
    *(_heat(n, steps) for n, steps in ((128, 10000), (512, 1000), (2048, 50))),
    *(_spmv(n, products) for n, products in ((32, 500), (64, 100))),
)


QUICK = (
    *(_laplace(n, i) for n, i in ((16, 2000), (32, 400), (64, 60))),
    *(_partdiff(2, n, i) for n, i in ((7, 3000), (31, 300))),
    _partdiff(1, 15, 600),
    _md(8, 100),
    _md(8, 100, "half"),
    Problem("matmul", ("--shape", "512,512,512"), 512**3 / 2),
    _heat(512, 300),
    _spmv(64, 30),
)
"""For a first answer: each once, and through one scheme."""
MEASURED = frozenset(one.rate or one.program for one in QUICK)
"""The names of what is known of a machine then."""


def run(
    folder: Path,
    programs: Path | None = None,
    problems: Sequence[Problem] = PROBLEMS,
    schemes: Sequence[str] = SCHEMES,
    turns: int = LAUNCHES,
    say: Callable[[str], None] = lambda text: None,
) -> Any:
    """Measure programs' steps and what of them is computing; keep it in the folder.

    What a program adds up besides its exchanges (laplace's residual, a sum over all ranks of what
    each computes from all its points) counts as computing, and so do the messages by which md's
    ranks build lists anew.

    Returns
    -------
    A list with `program`, `asked`, `points` of a rank, `rate`, `scheme`, `step_s` and `compute_s`
    a step, and `core_distance_s` of each run.
    """
    file = folder / FILE
    if file.is_file():
        kept = records.content_of(file)
        return shapes.fitted({"runs": kept}, {"runs": list[RUN]}, file)["runs"]
    found = []
    for one in problems:
        say(" ".join(("computing of", one.program, *one.asked)))
        launches: dict[str, list[Result]] = {scheme: [] for scheme in schemes}
        for scheme in [*schemes] * turns:
            launches[scheme].append(measure.run(
                one.program, [*one.asked, *one.more, "--repetitions", str(REPETITIONS)],
                ranks=2, scheme=scheme, programs=programs,
            ).result)  # fmt: skip
        for scheme, results in launches.items():
            step, result = sorted(
                ((median(one.counted), one) for one in results),
                key=lambda pair: pair[0],
            )[turns // 2]
            computing = sum(result.shares.get(phase, 0.0) for phase in one.computing)
            found.append({
                "program": one.program, "asked": list(one.asked), "points": one.points,
                "rate": one.rate or one.program, "scheme": scheme, "step_s": step,
                "compute_s": step * computing,
                "core_distance_s": result.content.get("core_distance_s", []),
            })  # fmt: skip
    save(outputs.make_folder(folder) / FILE, json.dumps(found, indent=1) + "\n")
    return found


def rates(found: Sequence[dict[str, Any]]) -> dict[str, list[list[float]]]:
    """Return seconds a point over points of a rank, as a machine file has them.

    The middle of all schemes: exchanges leave the sweep after them other lines in the caches, each
    in its way, so that the least is what computing takes beside none of them.
    """
    curves: dict[str, list[list[float]]] = {}
    for rate in dict.fromkeys(one["rate"] for one in found):
        mine = [one for one in found if one["rate"] == rate]
        for points in sorted({one["points"] for one in mine}):
            middle = median(one["compute_s"] for one in mine if one["points"] == points)
            curves.setdefault(rate, []).append([points, float(f"{middle / points:.4g}")])
    return curves
