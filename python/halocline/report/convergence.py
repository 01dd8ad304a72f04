"""How iterations went: residual against time, and iterations of every worker, as one HTML file.

For result files of solvers that record them (docs/results.md), which is laplace in every mode.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from halocline import __version__
from halocline.cli.display import scale
from halocline.errors import HaloclineError
from halocline.measure import results
from halocline.measure.doctor import now
from halocline.report.comparison import Axis
from halocline.report.curves import PALETTE, STYLE, colour, legend, rules

WIDTH, HEIGHT, LEFT = 760, 340, 70
MOST_BARS = 64
"""With more workers than this, iterations are drawn as a histogram."""


@dataclass(frozen=True)
class History:
    """What one run recorded."""

    name: str
    content: dict[str, Any]

    @property
    def points(self) -> list[tuple[float, float]]:
        """Seconds and relative residual, in their order."""
        return [(s, r) for s, r in self.content["result"]["convergence"] if r > 0]

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
        title, number = name(content), 2
        while title in {history.name for history in found}:
            title, number = f"{name(content)} ({number})", number + 1
        found.append(History(title, content))
    if not found:
        shown = ", ".join(map(str, files))
        raise HaloclineError(f"{shown}: no result file that records how a solver converged")
    return found


def profile(histories: Sequence[History]) -> str:
    """Draw the residual against time."""
    factor, unit = scale(max(h.seconds for h in histories))
    up = Axis([r for h in histories for _, r in h.points], HEIGHT, 8)
    end = max(s for h in histories for s, _ in h.points) * factor or 1.0
    parts = rules(up, WIDTH, HEIGHT, digits=3)
    step = 10 ** math.floor(math.log10(end / 4))
    step = max(m * step for m in (1, 2, 5, 10) if end / (m * step) >= 4 or m == 1)
    for i in range(math.floor(end / step) + 1):
        parts.append(
            f'<text x="{i * step / end * WIDTH:.1f}" y="{HEIGHT + 18}" text-anchor="middle" '
            f'fill="#5d6878">{i * step:g}</text>'
        )
    for number, history in enumerate(histories):
        path = " ".join(
            f"{'M' if i == 0 else 'L'}{s * factor / end * WIDTH:.1f} {HEIGHT - up(r):.1f}"
            for i, (s, r) in enumerate(history.points)
        )
        parts.append(
            f'<path d="{path}" fill="none" {colour(number)} stroke-width="1.5">'
            f"<title>{escape(history.name)}</title></path>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 10}" '
        f'height="{HEIGHT + 68}" font-family="system-ui, sans-serif" font-size="12" role="img">'
        f'<text x="{LEFT}" y="14">relative residual</text>'
        f'<g transform="translate({LEFT} 22)">{"".join(parts)}'
        f'<text x="{WIDTH / 2}" y="{HEIGHT + 40}" text-anchor="middle" fill="#5d6878">{unit}</text>'
        "</g></svg>"
    )


def bars(history: History, number: int) -> str:
    """Draw the iterations of every worker, or of many workers how many did how many."""
    counts = history.iterations
    if len(counts) > MOST_BARS:
        heights, edges = np.histogram(counts, bins="sturges")
        labels = [f"{a:.0f} to {b:.0f} iterations" for a, b in zip(edges, edges[1:])]
        values, what = [int(h) for h in heights], "workers"
    else:
        values, what = counts, "iterations"
        labels = [f"worker {i}" for i in range(len(counts))]
    most, height = max(values), 120
    each = min(60.0, WIDTH / len(values))
    drawn = []
    for i, (value, label) in enumerate(zip(values, labels)):
        tall = value / most * height if most else 0
        drawn.append(
            f"<g><title>{escape(label)}: {value} {what}</title>"
            f'<rect x="{i * each:.1f}" y="{height - tall:.1f}" width="{max(each - 2, 1):.1f}" '
            f'height="{tall:.1f}" fill="{PALETTE[number % len(PALETTE)]}"/></g>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 10}" '
        f'height="{height + 30}" font-family="system-ui, sans-serif" font-size="12" role="img">'
        f'<text x="{LEFT - 8}" y="14" text-anchor="end" fill="#5d6878">{most}</text>'
        f'<g transform="translate({LEFT} 8)">{"".join(drawn)}</g>'
        f'<text x="{LEFT}" y="{height + 24}" fill="#5d6878">{escape(what)}: {escape(labels[0])}'
        f"{' ... ' + escape(labels[-1]) if len(labels) > 1 else ''}</text></svg>"
    )


def row(history: History) -> str:
    """Return the numbers of a run as a row of the table."""
    result, counts = history.content["result"], history.iterations
    workers = result.get("workers", [])
    sums = {n: sum(w[n] for w in workers) for n in ("sent", "skipped", "superseded")}
    age = np.mean([w["age_mean"] for w in workers]) if workers else None
    cells = [
        escape(history.name), min(counts), f"{np.mean(counts):.1f}", max(counts),
        f"{history.seconds:.4g}", f"{result['residuum']:.3g}",
        "yes" if result["converged"] else "no",
        *(sums[n] if workers else "" for n in sums), "" if age is None else f"{age:.2f}",
    ]  # fmt: skip
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def render(histories: Sequence[History]) -> str:
    """Return everything as HTML."""
    head = [
        "run", "iterations: least", "mean", "most", "seconds", "residual", "converged",
        "messages: sent", "skipped", "superseded", "age of halos",
    ]  # fmt: skip
    commands = "\n".join(
        shlex.join([h.content["program"], *h.content["arguments"]]) for h in histories
    )
    machine = histories[0].content.get("machine", {})
    drawn = "".join(
        f"<h3>{escape(h.name)}</h3>{bars(h, i)}"
        for i, h in enumerate(histories)
        if len(h.iterations) > 1
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Convergence</title>
<style>{STYLE}</style></head><body>
<h1>Convergence</h1>
<p class="soft">{escape(str(machine.get("cpu", "")))}, {escape(str(machine.get("cores", "?")))}
cores · {escape(str(histories[0].content.get("time", "")))}</p>
{profile(histories)}{legend([h.name for h in histories])}
<p class="soft">The residual as the workers' sum told it; the last point of each line is the true
one of the solution.</p>
<table><thead><tr>{"".join(f"<th>{escape(word)}</th>" for word in head)}</tr></thead>
<tbody>{"".join(map(row, histories))}</tbody></table>
{"<h2>Iterations of every worker</h2>" + drawn if drawn else ""}
<details><summary>To repeat it</summary><pre>{escape(commands)}</pre></details>
<p class="soft">Written by halocline {__version__} on {now()}.</p>
</body></html>
"""


def write(files: Sequence[Path], output: Path | None = None) -> Path:
    """Write the file, by default `convergence.html` beside the first result; return its path."""
    histories = load(files)
    first = files[0] if files[0].is_dir() else files[0].parent
    path = output or first / "convergence.html"
    path.write_text(render(histories))
    return path


def is_asked_for(files: Sequence[Path]) -> bool:
    """Tell whether these are result files rather than a folder of `halocline compare`."""
    if len(files) > 1 or files[0].is_file():
        return True
    return not (files[0] / "comparison.json").exists() and any(files[0].glob("*.json"))
