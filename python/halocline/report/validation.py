"""A validation as a table for documents and as a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from halocline.measure.validation import (
    BASELINE,
    LEAST_S,
    PART,
    SCHEMES,
    SETTINGS,
    Difference,
    Row,
    Validation,
    in_us,
    said,
)


def write(found: Validation, folder: Path) -> None:
    """Write `validation.md` and `validation.svg`."""
    rows = found.rows()
    (folder / "validation.md").write_text(markdown(rows) + "\n")
    if rows:
        plot(rows, folder / "validation.svg")


def markdown(rows: Sequence[Row]) -> str:
    """Return the table: for each setting time per step, and differences to the baseline.

    A difference stands as application / felt / tuner; one that was not predicted is marked.
    """
    schemes = [s for s in SCHEMES if s != BASELINE]
    head = ["setting", "MPI", "cores, µs", BASELINE, *schemes, "auto / best", "auto chose"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in sorted(rows, key=lambda r: (r.mpi, _place(r.setting), r.cores)):
        found = {d.one: d for d in row.against_baseline()}
        cells = [
            row.setting, row.mpi, f"{row.cores} {1e6 * row.distance_s:.2f}",
            in_us(row.step_s.get(BASELINE)),
        ]  # fmt: skip
        for scheme in schemes:
            d = found.get(scheme)
            mark = "" if d is None or d.right(d.felt) else " (!)"
            cells.append(
                "" if d is None
                else f"{_signed(d.application)} / {_signed(d.felt)} / {_signed(d.tuner)}{mark}"
            )  # fmt: skip
        cells += [f"{row.auto:.3f}", row.chosen]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *said(rows)])


def _place(setting: str) -> int:
    names = [one.name for one in SETTINGS]
    return names.index(setting) if setting in names else len(names)


def _signed(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1e6 * seconds:+.2f}"


def plot(rows: Sequence[Row], file: Path) -> None:
    """Draw what was predicted against what the application feels, for felt time and tuner."""
    import numpy as np
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5))
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    every = [1e6 * d.application for row in rows for d in row.against_baseline()]
    reach = 2 * max([1.0, *map(abs, every)])
    line = np.concatenate([-np.geomspace(reach, 0.01, 200), np.geomspace(0.01, reach, 200)])
    band = np.maximum(PART * abs(line), 1e6 * LEAST_S)
    figures: list[tuple[str, Callable[[Difference], float | None]]] = [
        ("felt time (halobench)", lambda d: d.felt),
        ("the tuner's figure", lambda d: d.tuner),
    ]
    marks = {"near": ("o", "#2f6fde"), "far": ("^", "#d9822b"), "unknown": ("s", "#5d6878")}
    for plane, (title, figure_of) in zip(axes, figures):
        plane.fill_between(line, line - band, line + band, color="#2a9d5c", alpha=0.15, lw=0)
        plane.plot(line, line, color="#2a9d5c", lw=1)
        for cores, (mark, colour) in marks.items():
            found = [
                (1e6 * d.application, 1e6 * predicted)
                for row in rows
                if row.cores == cores
                for d in row.against_baseline()
                if (predicted := figure_of(d)) is not None
            ]
            if found:
                plane.scatter(*zip(*found), s=22, marker=mark, color=colour, alpha=0.8,
                              label=f"{cores} cores")  # fmt: skip
        plane.set(xscale="symlog", yscale="symlog", title=title,
                  xlabel="a step of the application, µs")  # fmt: skip
        plane.grid(color="#e3e6ea", lw=0.6)
        plane.legend(frameon=False)
    axes[0].set_ylabel(f"predicted difference to {BASELINE}, µs a step")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
