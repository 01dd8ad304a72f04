"""How iterations went: residual against time, and iterations of every worker, as one HTML file.

For result files of solvers that record them (docs/reference/results.md), which is laplace in every
mode.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from halocline import shapes
from halocline.errors import HaloclineError
from halocline.figures import scale
from halocline.measure import results
from halocline.reports import page, plots
from halocline.reports.plots import Plot
from halocline.tables import picked

MOST_BARS = 64
"""With more workers than this, iterations are drawn as a histogram."""

WORKER = {
    "iterations": int,
    "sent": float,
    "skipped": float,
    "superseded": float,
    "age_mean": float,
}
SHAPE = {
    "program": str,
    "arguments": list[str],
    "time?": str,
    "threads": int,
    "parameters": {"mode?": str, "slow?": {"worker": int, "factor": float}},
    "result": {
        "convergence": list[tuple[float, Any]],  # a residual may be no number
        "converged": bool,
        "residuum": Any,
        "halo_period?": float,
        "workers?": list[WORKER],
    },
}
"""What a result file adds that records how its solver converged."""


@dataclass(frozen=True)
class History:
    """What one run recorded."""

    name: str
    content: dict[str, Any]

    @property
    def points(self) -> list[tuple[float, float]]:
        """Seconds and relative residual, in their order."""
        return [
            (s, r)
            for s, r in self.content["result"]["convergence"]
            if isinstance(r, (int, float)) and r > 0
        ]

    @property
    def iterations(self) -> list[int]:
        """Iterations of each worker; in step, one number for all."""
        result = self.content["result"]
        return [w["iterations"] for w in result.get("workers", [])] or [result["iterations"]]

    @property
    def seconds(self) -> float:
        """The time of the solution."""
        return float(self.content["samples"]["total_s"][0])


def name(content: dict[str, Any]) -> str:
    """Return what tells a run from others: mode, scheme, workers, and what slows one down."""
    parameters = content["parameters"]
    mode = parameters.get("mode", "")
    text = f"{mode} {content['scheme']}, {content['ranks'] * content['threads']} workers"
    if "slow" in parameters:
        text += ", worker {worker} {factor:g} times as slow".format(**parameters["slow"])
    period = content["result"].get("halo_period", 1)
    return text if period in (0, 1) else f"{text}, halos every {period}"


def load(files: Sequence[Path]) -> list[History]:
    """Read result files, or those of folders.

    Raises
    ------
    HaloclineError
        When one of them is no result file, or none records how it converged.
    """
    paths = [p for f in files for p in (sorted(f.glob("*.json")) if f.is_dir() else [f])]
    found: list[History] = []
    for path in paths:
        content = results.load(path).content
        if not content["result"].get("convergence"):
            continue
        shapes.fitted(content, SHAPE, path)
        title, number = name(content), 2
        while title in {history.name for history in found}:
            title, number = f"{name(content)} ({number})", number + 1
        found.append(History(title, content))
    if not found:
        shown = ", ".join(map(str, files))
        raise HaloclineError(f"{shown}: no result file that records how a solver converged")
    return found


def named(histories: Sequence[History], name: str | None) -> list[History]:
    """Return all runs, or the one of a name."""
    if name is None:
        return list(histories)
    return [picked({history.name: history for history in histories}, name)]


def profile(histories: Sequence[History], width: float = plots.WIDE) -> Plot:
    """Draw the residual against time."""
    factor, unit = scale(max(h.seconds for h in histories))
    names = [h.name for h in histories]
    columns = 1 if width <= plots.NARROW else 2
    with plots.drawing(width, 360 + 18 * -(-len(names) // columns)) as plot:
        axes = plot.figure.add_subplot()
        axes.set_yscale("log")
        for number, history in enumerate(histories):
            colour, dash = plots.numbered(number)
            axes.plot(
                [s * factor for s, _ in history.points], [r for _, r in history.points],
                color=colour, ls=dash, lw=1.6, gid=plot.tip(history.name),
            )  # fmt: skip
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_xlim(left=0)
        axes.set_title("relative residual", fontsize=12, fontweight="normal")
        axes.set_xlabel(unit)
        plots.legend(axes, names, [plots.numbered(i) for i in range(len(names))], columns)
        return plot


def bars(history: History, number: int, width: float = plots.WIDE) -> Plot:
    """Draw the iterations of every worker, or of many workers how many did how many."""
    counts = history.iterations
    if len(counts) > MOST_BARS:
        heights, edges = np.histogram(counts, bins="sturges")
        labels = [f"{a:.0f} to {b:.0f} iterations" for a, b in zip(edges, edges[1:])]
        values, what = [int(h) for h in heights], "workers"
    else:
        values, what = counts, "iterations"
        labels = [f"worker {i}" for i in range(len(counts))]
    with plots.drawing(width, 160) as plot:
        axes = plot.figure.add_subplot()
        for i, (value, label) in enumerate(zip(values, labels)):
            mark = plot.tip(f"{label}: {value} {what}")
            axes.bar(i, value, 0.9, color=plots.numbered(number)[0], gid=mark)
        ends = f"{labels[0]} ... {labels[-1]}" if len(labels) > 1 else labels[0]
        axes.set_xticks([])
        axes.set_xlabel(f"{what}: {ends}")
        axes.set_xlim(-0.6, max(len(values), 8) - 0.4)
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        return plot


HEAD = [
    "run", "iterations: least", "mean", "most", "seconds", "residual", "converged",
    "messages: sent", "skipped", "superseded", "age of halos",
]  # fmt: skip


def row(history: History) -> list[str]:
    """Return the numbers of a run as cells of the page's table."""
    cells = named_row(history)
    shown = {
        "mean_iterations": "{:.1f}".format, "seconds": "{:.4g}".format,
        "converged": lambda yes: "yes" if yes else "no", "age_of_halos": "{:.2f}".format,
    }  # fmt: skip
    return [
        _residual(value) if name == "residual"
        else "" if value is None
        else shown.get(name, str)(value)
        for name, value in cells.items()
    ]  # fmt: skip


def named_row(history: History) -> dict[str, Any]:
    """Return the numbers of a run as numbers, by the names of the table."""
    result, counts = history.content["result"], history.iterations
    workers = result.get("workers", [])
    sums = {
        name: sum(one[name] for one in workers) if workers else None
        for name in ("sent", "skipped", "superseded")
    }
    return {
        "run": history.name, "least_iterations": min(counts),
        "mean_iterations": float(np.mean(counts)), "most_iterations": max(counts),
        "seconds": history.seconds, "residual": result["residuum"],
        "converged": result["converged"], **sums,
        "age_of_halos": float(np.mean([w["age_mean"] for w in workers])) if workers else None,
    }  # fmt: skip


def _residual(value: Any) -> str:
    """Return a residual; JSON has none that is not a number, and programs write null."""
    known = isinstance(value, (int, float)) and math.isfinite(value)
    return f"{value:.3g}" if known else "not a number"


def render(histories: Sequence[History]) -> str:
    """Return everything as HTML."""
    first = histories[0].content
    rows = [row(history) for history in histories]
    return page.render(
        "convergence.html",
        where=page.where(first, str(first.get("time", ""))),
        profile=plots.both(lambda width: profile(histories, width), "residual against time"),
        head=HEAD,
        rows=rows,
        workers=[
            (h.name, plots.both(lambda width, h=h, i=i: bars(h, i, width), f"iterations, {h.name}"))
            for i, h in enumerate(histories)
            if len(h.iterations) > 1
        ],
        commands=[shlex.join([h.content["program"], *h.content["arguments"]]) for h in histories],
        runs_csv=page.download([dict(zip(HEAD, cells)) for cells in rows]),
        history_csv=page.download([
            {"run": h.name, "seconds": seconds, "relative_residual": residual}
            for h in histories for seconds, residual in h.points
        ]),
    )  # fmt: skip


def default_file(files: Sequence[Path]) -> Path:
    """Return `convergence.html` beside the first result."""
    first = files[0] if files[0].is_dir() else files[0].parent
    return first / "convergence.html"


def write(histories: Sequence[History], file: Path) -> Path:
    """Write the page, and return its path."""
    return page.write(render(histories), file)


def is_asked_for(files: Sequence[Path]) -> bool:
    """Tell whether these are result files rather than folders of `halocline compare`."""
    if any((file / "comparison.json").exists() for file in files):
        return False
    return len(files) > 1 or files[0].is_file() or any(files[0].glob("*.json"))
