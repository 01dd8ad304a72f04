"""Draw who wins: a square for each cell, blue where the first side is faster, red where slower."""

import io
import math

from halocline.reports import plots
from matplotlib.colors import Normalize
from PIL import Image
from wins import FASTER, SLOWER, UNDECIDED

COLOURS = "RdBu"
"""Red below, blue above: the logarithm of how many times as fast the first side is."""
MOST = 2
"""Where the colours end: a logarithm to base 2."""


def said(verdict):
    """The ratio as a square has it; in brackets where it may as well be 1."""
    if verdict.ratio is None:
        return "–"
    ratio = verdict.ratio.value
    value = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
    return f"({value})" if verdict.word == UNDECIDED else value


def draw(panels, rows, columns, across):
    """A picture with a map for each of the panels, which are titles and what is said of squares.

    `rows` and `columns` are keys and their names; a panel has `panel[row, column]`.
    """
    least = 26
    height = len(panels) * (30 + least * len(rows)) + 60
    with plots.drawing(plots.WIDE, height) as plot:
        every = plot.figure.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
        for axes, (title, squares) in zip(every, panels):
            shades = [[0.0] * len(columns) for _ in rows]
            for y, row in enumerate(rows):
                for x, column in enumerate(columns):
                    verdict = squares.get((row, column))
                    if verdict is None:
                        continue
                    certain = verdict.word in (FASTER, SLOWER)
                    if certain:
                        shades[y][x] = -math.log2(verdict.ratio.value)
                    axes.text(
                        x, y, said(verdict), ha="center", va="center", fontsize=10,
                        color=shade(shades[y][x], certain),
                    )  # fmt: skip
            axes.imshow(shades, cmap=COLOURS, norm=Normalize(-MOST, MOST), aspect="auto")
            axes.set_xticks(range(len(columns)), list(columns.values()))
            axes.set_yticks(range(len(rows)), list(rows.values()))
            axes.tick_params(length=0)
            axes.grid(False)
            axes.set_title(title, fontsize=12)
        every[-1].set_xlabel(across)
        plot.figure.supxlabel(
            "time of the first over that of the second; blue: the first is faster; "
            "red: the second; in brackets: not told apart",
            fontsize=11, color=plots.COLOURS["soft"],
        )  # fmt: skip
        return plot


def shade(value, certain):
    """The colour of a text that is read on the square's."""
    if not certain:
        return plots.COLOURS["soft"]
    return "#ffffff" if abs(value) > 0.62 * MOST else plots.COLOURS["ink"]


def save(plot, file):
    """Write a picture of few colours, which a repository can hold."""
    drawn = io.BytesIO()
    plot.figure.savefig(drawn, format="png", dpi=100)
    file.parent.mkdir(parents=True, exist_ok=True)
    few = Image.open(drawn).convert("RGB").quantize(64, Image.Quantize.MAXCOVERAGE, dither=0)
    few.save(file, optimize=True)
