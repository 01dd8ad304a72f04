"""A validation as tables for documents and as a plot."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halocline.measure.validation import (
    AUTO,
    BASELINE,
    LEAST_S,
    PART,
    SCHEMES,
    SETTINGS,
    UNDECIDED,
    WRONG,
    Difference,
    Row,
    Validation,
    close,
    rows,
    said,
)
from halocline.outputs import save
from halocline.reports.plots import Picture
from halocline.statistics import Interval

MARKS = {WRONG: " (!)", UNDECIDED: " (?)"}
COLUMNS = (
    "setting", "mpi", "cores", "turns", "scheme", "against",
    *(f"{of}_{end}" for of in ("application", "felt", "tuner")
      for end in ("us", "low_us", "high_us")),
    "felt_verdict", "tuner_verdict",
)  # fmt: skip
"""Columns of the table of all differences."""
SHM = [scheme for scheme in SCHEMES if scheme.startswith("shm:")]


def write(found: Validation, folder: Path) -> None:
    """Write `validation.md`, `validation.csv` and `validation.svg`."""
    every = sorted(rows(found), key=lambda row: (_place(row.setting), row.mpi, row.cores))
    save(folder / "validation.md", markdown(every) + "\n")
    pairs(every, folder / "validation.csv")
    if every:
        plot(every, folder / "validation.svg")


def differences(every: Sequence[Row]) -> list[dict[str, Any]]:
    """Return all differences with their intervals, a row each, in µs a step."""
    rows = []
    for row in every:
        for d in row.differences:
            known = [
                None if one is None else 1e6 * value
                for one in (d.application, d.felt, d.tuner)
                for value in ((one.value, one.low, one.high) if one else (0, 0, 0))
            ]
            rows.append(
                dict(zip(COLUMNS, (
                    row.setting, row.mpi, row.cores, row.turns, d.one, d.other, *known,
                    d.felt_verdict, d.tuner_verdict,
                )))
            )  # fmt: skip
    return rows


def pairs(every: Sequence[Row], file: Path) -> None:
    """Write all differences, a line each."""
    with io.StringIO(newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(COLUMNS)
        for row in differences(every):
            writer.writerow(
                f"{cell:.3f}" if isinstance(cell, float) else "" if cell is None else cell
                for cell in row.values()
            )
        save(file, opened.getvalue())


def markdown(every: Sequence[Row]) -> str:
    """Return both tables and the summary."""
    return "\n".join([*predictions(every), "", *ratios(every), "", *said(every)])


def predictions(every: Sequence[Row]) -> list[str]:
    """Return the table of differences to the baseline, in µs a step.

    A difference stands as application / felt / tuner; what felt time says wrong is marked, and what
    the turns cannot tell.
    """
    schemes = [s for s in SCHEMES if s != BASELINE]
    head = ["setting", "MPI", "cores, µs", "turns", BASELINE, *schemes]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in every:
        found = {d.one: d for d in row.against_baseline()}
        cells = [*_names(row), _us(row.step_s.get(BASELINE))]
        for scheme in schemes:
            d = found.get(scheme)
            cells.append(
                "" if d is None
                else f"{_around(d.application)} / {_signed(d.felt)} / {_signed(d.tuner)}"
                     f"{MARKS.get(d.felt_verdict or UNDECIDED, '')}"
            )  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def ratios(every: Sequence[Row]) -> list[str]:
    """Return the table of times relative to the baseline's, and of `auto` to the best's."""
    head = ["setting", "MPI", "cores, µs", "turns", "again", *SHM, "auto / best", "auto chose"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in every:
        cells = [*_names(row), _times(row.same)]
        for scheme in SHM:
            times = row.times.get(scheme)
            cells.append(_times(times) + (MARKS.get(close(times), "") if times else ""))
        mark = MARKS.get(row.auto_verdict or "", "")
        cells.append(_times(row.auto.get(row.best)) + mark if AUTO in row.step_s else "")
        cells.append(", ".join(f"{scheme} {count}" for scheme, count in row.chosen.items()))
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _names(row: Row) -> list[str]:
    return [row.setting, row.mpi, f"{row.cores} {1e6 * row.distance_s:.2f}", str(row.turns)]


def _place(setting: str) -> int:
    names = [one.name for one in SETTINGS]
    return names.index(setting) if setting in names else len(names)


def _us(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e6 * seconds:.2f}"


def _signed(of: Interval | None) -> str:
    return "-" if of is None else f"{1e6 * of.value:+.2f}"


def _around(of: Interval) -> str:
    return f"{1e6 * of.value:+.2f} [{1e6 * of.low:+.2f}, {1e6 * of.high:+.2f}]"


def _times(of: Interval | None) -> str:
    return "" if of is None else f"{of.value:.3f} [{of.low:.3f}, {of.high:.3f}]"


def plot(every: Sequence[Row], file: Path) -> None:
    """Draw it, and write it as SVG."""
    drawn = io.BytesIO()
    draw(every).savefig(drawn, format="svg", metadata={"Date": None})
    save(file, drawn.getvalue())


def draw(every: Sequence[Row]) -> Picture:
    """Draw what was predicted against what the application feels, for felt time and tuner.

    Bars are the intervals; what the turns cannot decide is pale.
    """
    figure = Picture(figsize=(10, 5))
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    differences = [1e6 * d.application.value for row in every for d in row.against_baseline()]
    reach = 2 * max([1.0, *map(abs, differences)])
    line = np.concatenate([-np.geomspace(reach, 0.01, 200), np.geomspace(0.01, reach, 200)])
    band = np.maximum(PART * abs(line), 1e6 * LEAST_S)
    figures: list[tuple[str, Callable[[Difference], tuple[Interval | None, str | None]]]] = [
        ("felt time (halometer)", lambda d: (d.felt, d.felt_verdict)),
        ("the tuner's figure", lambda d: (d.tuner, d.tuner_verdict)),
    ]
    marks = {"near": ("o", "#2f6fde"), "far": ("^", "#d9822b"), "unknown": ("s", "#5d6878")}
    for plane, (title, figure_of) in zip(axes, figures):
        # What is felt, from what is predicted: a fifth of what is felt.
        plane.fill_between(line, line - band, line + band, color="#2a9d5c", alpha=0.15, lw=0)
        plane.plot(line, line, color="#2a9d5c", lw=1)
        for cores, (mark, colour) in marks.items():
            for pale in (True, False):
                found = [
                    (d.application, predicted)
                    for row in every
                    if row.cores == cores
                    for d in row.against_baseline()
                    for predicted, verdict in [figure_of(d)]
                    if predicted is not None and (verdict == UNDECIDED) == pale
                ]
                if not found:
                    continue
                felt, predicted = (
                    1e6 * np.array([(one[i].value, one[i].low, one[i].high) for one in found])
                    for i in (0, 1)
                )
                plane.errorbar(
                    felt[:, 0], predicted[:, 0],
                    xerr=_bars(felt), yerr=_bars(predicted), fmt=mark, ms=4.5, lw=0.7,
                    color=colour, alpha=0.25 if pale else 0.9,
                    label=f"{cores} cores{', undecided' if pale else ''}",
                )  # fmt: skip
        plane.set(xscale="symlog", yscale="symlog", title=title,
                  xlabel="a step of the application, µs")  # fmt: skip
        plane.grid(color="#e3e6ea", lw=0.6)
        if plane.get_legend_handles_labels()[0]:
            plane.legend(frameon=False, fontsize=8)
    axes[0].set_ylabel(f"predicted difference to {BASELINE}, µs a step")
    figure.tight_layout()
    return figure


def _bars(values):  # type: ignore[no-untyped-def]
    return [values[:, 0] - values[:, 1], values[:, 2] - values[:, 0]]
