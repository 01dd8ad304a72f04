"""Pictures of the model: what schemes are predicted to take, and what one does in a step."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from markupsafe import Markup
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle

from halocline.errors import HaloclineError
from halocline.figures import amount, plain, scale
from halocline.model import Machine, Prediction, simulation
from halocline.outputs import save
from halocline.reports import page as pages
from halocline.reports.plots import Picture

COLOURS = {
    "compute": "#9e9e9e", "call": "#bdbdbd", "pack": "#1e88e5", "unpack": "#64b5f6",
    "copy": "#90caf9", "send": "#43a047", "receive": "#a5d6a7", "sent": "#c8e6c9",
    "put": "#43a047", "get": "#43a047", "flush": "#fb8c00", "progress": "#fb8c00",
    "lock": "#e53935", "unlock": "#e53935", "notify": "#8e24aa", "await": "#e1bee7",
    "barrier": "#ffb300", "offer": "#43a047", "look": "#e1bee7",
}  # fmt: skip


def curves(found: Prediction) -> Picture:
    """Draw seconds a step over the number of ranks, a line for each scheme."""
    figure = Picture(figsize=(9, 6), layout="constrained")
    axes = figure.add_subplot()
    ranks = found.ranks()
    factor, unit = scale(min(one.step.value for one in found.estimates))
    schemes = [one.scheme for one in found.at(ranks[-1])]
    styles = ("-", "--", ":", "-.")
    for i, scheme in enumerate(schemes):
        rows = [(n, e) for n in ranks for e in found.at(n) if e.scheme == scheme]
        at = [n for n, _ in rows]
        colour, style = f"C{i % 10}", styles[i // 10 % len(styles)]
        axes.plot(
            at, [factor * e.step.value for _, e in rows], style, color=colour, marker=".",
            label=scheme,
        )  # fmt: skip
    low, high = found.machine.spread
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(ranks, [str(n) for n in ranks])
    axes.minorticks_off()
    axes.set_xlabel("ranks")
    axes.set_ylabel(f"{unit} a step")
    question = found.question
    said = f"; 90 % interval {low:.2f} to {high:.2f} times" if high > low else ""
    axes.set_title(
        f"{' '.join((question.program, *question.arguments))}, {found.machine.name}{said}",
        fontsize=10,
    )
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    return figure


def heat(found: Prediction) -> Picture:
    """Draw schemes over numbers of ranks, coloured by how many times the fastest each takes."""
    ranks = found.ranks()
    schemes = [one.scheme for one in found.at(ranks[-1])]
    times = np.full((len(schemes), len(ranks)), np.nan)
    tied = set()
    for column, n in enumerate(ranks):
        rows = found.at(n)
        for one in rows:
            if one.scheme in schemes:
                place = schemes.index(one.scheme)
                times[place, column] = one.step.value / rows[0].step.value
                if one.tied:
                    tied.add((place, column))
    figure = Picture(figsize=(9, 0.8 + 0.28 * len(schemes)), layout="constrained")
    axes = figure.add_subplot()
    most = max(float(np.nanmax(times)), 1.01)
    shown = axes.imshow(times, aspect="auto", cmap="viridis_r", norm=LogNorm(1, most))
    for (place, column), value in np.ndenumerate(times):
        if np.isfinite(value):
            weight = "bold" if (place, column) in tied else "normal"
            dark = np.log(value) > 0.55 * np.log(most)
            axes.text(
                column, place, f"{value:.2f}" if value < 10 else f"{value:.0f}", ha="center",
                va="center", fontsize=8, weight=weight, color="white" if dark else "black",
            )  # fmt: skip
    for place, column in tied:
        axes.add_patch(_frame(column, place))
    axes.set_xticks(range(len(ranks)), [str(n) for n in ranks])
    axes.set_yticks(range(len(schemes)), schemes, fontsize=8)
    axes.set_xlabel("ranks")
    figure.colorbar(shown, label="times the fastest", ticks=[1, most], format="%.3g")
    return figure


def _frame(column: int, place: int) -> Any:
    return Rectangle((column - 0.48, place - 0.46), 0.96, 0.92, fill=False, ec="black", lw=1.2)


def page(found: Prediction, folder: Path, command: str) -> Path:
    """Write curves, heat map and tables as one page that opens offline; return its path."""
    pictures = {"curves": _written(curves(found), folder / "prediction.svg"),
                "heat": _written(heat(found), folder / "prediction-heat.svg")}  # fmt: skip
    question, tables = found.question, []
    for n in found.ranks():
        rows = found.at(n)
        factor, unit = scale(rows[0].step.value)
        tables.append({
            "ranks": n,
            "rows": [
                (one.scheme, f"{plain(one.step.value * factor)} {unit}",
                 f"{plain(one.communicated_s * factor)} {unit}",
                 f"{plain(one.waited_s * factor)} {unit}", one.waits_for,
                 amount(one.memory_bytes), "tie" if one.tied else "")
                for one in rows
            ],
        })  # fmt: skip
    low, high = found.machine.spread
    last = found.at(found.ranks()[-1])
    sentences = [
        f"On {found.ranks()[-1]} ranks of {found.machine.name} {last[0].scheme} is fastest"
        + (f", with {ties} ties." if (ties := sum(one.tied for one in last) - 1) else "."),
        *(f"{text[0].upper()}{text[1:]}." for text in found.crossovers()),
        *([f"Assumed: {', '.join(found.assumed)}."] if found.assumed else []),
    ]
    text = pages.render(
        "forecast.html",
        asked=" ".join((question.program, *question.arguments)),
        where=f"{found.machine.name} · {found.machine.content.get('source', '')}",
        sentences=sentences,
        **{name: Markup(_inline(file)) for name, file in pictures.items()},
        tables=tables,
        head=("scheme", "a step", "not computing", "of it waiting", "longest to", "memory", ""),
        command=command,
        spread=f"90 % of what was measured was {low:.2f} to {high:.2f} times what this file gives."
        if high > low
        else "The file's numbers were typed in: how far off they are is not known.",
        csv=pages.download(found.table()),
    )
    return pages.write(text, folder / "prediction.html")


def _inline(file: Path) -> str:
    text = file.read_text("utf-8")
    return text[text.index("<svg") :]


def diagram(scheme: str, machine: Machine, file: Path, programs: Path | None = None) -> Path:
    """Draw what two ranks do in a step, after a few others: a lane each, arrows for what travels.

    Rank 1 computes a little longer, so that it shows who waits for whom.
    """
    steps = 3
    case = {
        "scheme": scheme, "ranks": 2, "steps": steps, "warm_up": 1, "record": True,
        "pattern": {"kind": "pair", "bytes": 4096, "pieces": 64}, "compute": 2e-6,
        "slow_rank": 1, "slow_factor": 1.6, "overlapped": 0.3,
    }  # fmt: skip
    events = [
        one
        for one in simulation.simulated(machine, case, programs)["events"]
        if one["step"] == steps - 1
    ]
    return draw(scheme, events, file)


def draw(scheme: str, events: list[dict[str, Any]], file: Path) -> Path:
    """Draw such events."""
    begin = min(one["begin_s"] for one in events)
    figure = Picture(figsize=(10, 3.2), layout="constrained")
    axes = figure.add_subplot()
    last = max(one["end_s"] for one in events) - begin
    factor, unit = scale(last)
    shown: dict[str, Any] = {}
    for one in events:
        left, width = factor * (one["begin_s"] - begin), factor * (one["end_s"] - one["begin_s"])
        (bar,) = axes.barh(
            one["rank"], max(width, factor * last * 2e-3), left=left, height=0.35,
            color=COLOURS[one["verb"]], edgecolor="white", linewidth=0.4,
        )  # fmt: skip
        bar.set_gid(one["text"])
        shown.setdefault(one["verb"], bar)
        if one["arrival_s"] > 0 and one["peer"] >= 0:
            towards = 1 if one["peer"] > one["rank"] else -1
            origin, end = one["rank"], one["peer"]
            if one["verb"] == "get":
                origin, end, towards = end, origin, -towards
            axes.annotate(
                "", (factor * (one["arrival_s"] - begin), end - 0.19 * towards),
                (left + width, origin + 0.19 * towards),
                arrowprops={"arrowstyle": "->", "color": COLOURS[one["verb"]], "lw": 1},
            )  # fmt: skip
    axes.set_yticks([0, 1], ["rank 0", "rank 1"])
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    axes.set_title(scheme, loc="left", fontsize=11)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.legend(
        shown.values(), shown.keys(), loc="outside right upper", fontsize=8, frameon=False
    )
    return _written(figure, file)


def _written(figure: Any, file: Path) -> Path:
    with matplotlib.rc_context({"svg.hashsalt": "halocline", "svg.fonttype": "none"}):
        form, drawn = file.suffix[1:].lower() or "svg", io.BytesIO()
        try:
            figure.savefig(drawn, format=form, metadata={"Date": None} if form == "svg" else None)
        except ValueError as error:  # no such format
            raise HaloclineError(f"{file}: {error}") from error
    return save(file, drawn.getvalue())
