"""All plots: drawn by matplotlib, and on a page in the page's own colours, light or dark.

A page shows each plot twice, wide and narrow, and hides what does not fit the screen.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from halocline.figures import digits
from halocline.statistics import Interval

WIDE, NARROW = 960, 350
"""Widths of a plot in pixels."""
COLOURS = {
    "ink": "#1c2430", "soft": "#5d6878", "faint": "#8b95a3", "line": "#e3e6ea",
    "p2p": "#2f6fde", "neighbor": "#0f8a8a", "rma": "#d9660a", "shm": "#8a3ffc",
    "auto": "#1a7f4b", "other": "#6b7280",
    "c0": "#2e6fdd", "c1": "#d9822b", "c2": "#2a9d5c", "c3": "#b5396b", "c4": "#7a5cd6",
    "c5": "#00838f", "c6": "#8d6e1f", "c7": "#c0392b", "c8": "#5c6777", "c9": "#3f51b5",
    "c10": "#689f38", "c11": "#ad1457",
}  # fmt: skip
"""As `style.css` has them for light pages, each but once: a page puts its variable in its place."""
VARIABLES = {value: f"var(--{name})" for name, value in COLOURS.items()}
PALETTE = [COLOURS[f"c{i}"] for i in range(12)]
DASHES = ["-", "--", ":", "-."]
FAMILIES = ("p2p", "neighbor", "rma", "shm", "auto")
STYLE = {
    "svg.fonttype": "none", "font.size": 12, "axes.titlesize": 13, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.edgecolor": COLOURS["line"],
    "axes.labelcolor": COLOURS["soft"], "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": COLOURS["line"],
    "grid.linewidth": 1, "text.color": COLOURS["ink"], "xtick.color": COLOURS["line"],
    "ytick.color": COLOURS["line"], "xtick.labelcolor": COLOURS["soft"],
    "ytick.labelcolor": COLOURS["soft"], "axes.labelsize": 12, "lines.linewidth": 1.8,
    "figure.facecolor": "#ffffff", "legend.frameon": False,
    "text.parse_math": False,  # names may hold dollars
}  # fmt: skip
SPREAD = 3
"""Values that span more than this factor are drawn on a logarithmic axis."""


def family(scheme: str) -> str:
    """Return the name of the colour of a scheme."""
    name = scheme.split(":")[0].split("+")[0]
    return name if name in FAMILIES else "other"


class Picture(Figure):
    """A figure of matplotlib that a notebook shows by itself; `savefig` writes it."""

    def _repr_svg_(self) -> str:
        with mpl.rc_context({**STYLE, "svg.hashsalt": "halocline"}):
            file = io.StringIO()
            self.savefig(file, format="svg", metadata={"Date": None})
        return file.getvalue()


@dataclass
class Plot:
    """A figure being drawn, and what its marks say to a pointer."""

    figure: Picture
    tips: list[str] = field(default_factory=list)

    def tip(self, text: str) -> str:
        """Return the id of a mark that says `text`."""
        self.tips.append(text)
        return f"tip-{len(self.tips) - 1}-"


@contextmanager
def drawing(width: float, height: float) -> Iterator[Plot]:
    """Give a plot of so many pixels; what is drawn within has the house's style."""
    with mpl.rc_context(STYLE):
        yield Plot(Picture((width / 72, height / 72), layout="constrained"))


NUMBERS = itertools.count()


def svg(plot: Plot) -> str:
    """Return a plot as an SVG file with colours of its own."""
    with mpl.rc_context({**STYLE, "svg.hashsalt": f"halocline{next(NUMBERS)}"}):
        file = io.StringIO()
        plot.figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()


def inline(plot: Plot, about: str) -> Markup:
    """Return a plot as part of a page: in its colours, with tips, and without what names files."""
    text = svg(plot)
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"| version="1.1"', "", text)
    text = text.replace("xlink:href", "href")
    text = re.sub(r' (width|height)="[\d.]+pt"', "", text, count=2)
    text = re.sub(
        r'<g id="tip-(\d+)-">', lambda m: f'<g data-tip="{escape(plot.tips[int(m[1])])}">', text
    )
    text = re.sub(r'<g id="\w+">', "<g>", text)
    text = re.sub(r"#[0-9a-f]{6}", lambda m: VARIABLES.get(m[0], m[0]), text)
    text = re.sub(r"^<svg", f'<svg role="img" aria-label="{escape(about)}"', text)
    return Markup(text)


def both(draw: Callable[[float], Plot | None], about: str) -> Markup:
    """Return a plot for wide and for narrow screens; nothing where there is nothing to draw."""
    parts = []
    for name, width in (("wide", WIDE), ("narrow", NARROW)):
        plot = draw(width)
        if plot is not None:
            parts.append(f'<div class="plot {name}">{inline(plot, about)}</div>')
    return Markup("".join(parts))


def spans(values: Sequence[float]) -> bool:
    """Whether values want a logarithmic axis."""
    return min(values) > 0 and max(values) / min(values) > SPREAD


def fit(axis: Axes, values: Sequence[float], which: str = "y") -> None:
    """Scale an axis for values, with round numbers on it."""
    log = spans(values)
    if log:
        getattr(axis, f"set_{which}scale")("log")
    one = getattr(axis, f"{which}axis")
    wide = log and max(values) / min(values) > 50
    one.set_major_locator(
        (LogLocator(subs=(1,)) if max(values) / min(values) > 1e4 else LogLocator(subs=(1, 3)))
        if wide
        else LogLocator(subs=(1, 2, 5))
        if log
        else MaxNLocator(6, steps=[1, 2, 5, 10])
    )
    one.set_minor_locator(NullLocator())
    one.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))


def ticks(values: Sequence[float], most: int = 6) -> list[float]:
    """Return round numbers within the range of values, on the scale that suits them."""
    low, high = min(values), max(values)
    found: list[float] = []
    if spans(values):
        for subs in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
            found = [t for t in LogLocator(subs=subs).tick_values(low, high) if low <= t <= high]
            if len(found) >= 3:
                break
        return [float(t) for t in found]
    found = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high)
    return [float(t) for t in found if low <= t <= high]


def curve(
    axes: Axes,
    plot: Plot,
    places: Sequence[float],
    values: Sequence[Interval],
    colour: str,
    tips: Sequence[str],
    dash: str = "-",
    width: float = 1.8,
) -> None:
    """Draw medians as a line with dots, and their intervals as bars."""
    axes.plot(places, [v.value for v in values], color=colour, ls=dash, lw=width, zorder=3)
    for place, value, text in zip(places, values, tips):
        mark = plot.tip(text)
        axes.plot(
            [place, place], [value.low, value.high], color=colour, lw=width + 4, alpha=0.3,
            solid_capstyle="round", zorder=2,
        )  # fmt: skip
        axes.plot([place], [value.value], "o", color=colour, ms=width + 3.5, gid=mark, zorder=4)


def ranked(
    names: Sequence[str], values: Sequence[Interval], unit: str, width: float = WIDE
) -> Plot:
    """Draw medians with their intervals below each other, where there is no axis to draw over."""
    narrow = width <= NARROW
    with drawing(width, 56 + (38 if narrow else 24) * len(names)) as plot:
        axes = plot.figure.add_subplot()
        fit(axes, [end for value in values for end in (value.low, value.high)], "x")
        for place, (name, value) in enumerate(zip(names, values)):
            mark = plot.tip(f"{name}: {digits(value)} {unit}")
            axes.plot([value.low, value.high], [place] * 2, color=PALETTE[0], lw=6, alpha=0.35)
            axes.plot([value.value], [place], "o", color=PALETTE[0], ms=7, gid=mark)
            text = f"{name}: {digits(value)}" if narrow else digits(value)
            axes.annotate(
                text, (0, place - 0.42) if narrow else (1.01, place), fontsize=11,
                xycoords=("axes fraction", "data"), va="center", color=COLOURS["soft"],
            )  # fmt: skip
        axes.set_yticks(range(len(names)), [] if narrow else list(names))
        axes.tick_params(axis="y", length=0)
        axes.yaxis.grid(False)
        axes.set_ylim(len(names) - 0.5, -0.8)
        axes.set_xlabel(unit)
        return plot


def spread_labels(heights: Sequence[float], least: float) -> list[float]:
    """Return heights for labels, in the order given, at least so far apart."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed = [heights[i] for i in order]
    for _ in range(200):
        moved = False
        for i in range(1, len(placed)):
            gap = placed[i] - placed[i - 1]
            if gap < least - 1e-6:
                push = (least - gap) / 2
                placed[i - 1] -= push
                placed[i] += push
                moved = True
        if not moved:
            break
    found = [0.0] * len(heights)
    for i, height in zip(order, placed):
        found[i] = height
    return found


def legend(axes: Axes, names: Sequence[str], styles: Sequence[tuple[str, str]], columns: int):
    """Put names of lines below the plot."""
    handles = [axes.plot([], [], color=c, ls=d, lw=2.4)[0] for c, d in styles]
    axes.figure.legend(
        handles, names, loc="outside lower left", ncols=columns, handlelength=1.6,
        columnspacing=1.2, fontsize=11,
    )  # fmt: skip


def numbered(place: int) -> tuple[str, str]:
    """Return colour and dashes that tell line number `place` from the others."""
    return PALETTE[place % len(PALETTE)], DASHES[place // len(PALETTE) % len(DASHES)]


def at_names(axes: Axes, names: Sequence[str]) -> None:
    """Name the places 0, 1, ... of a horizontal axis."""
    axes.xaxis.set_major_locator(FixedLocator(range(len(names))))
    axes.set_xticks(range(len(names)), names)
    axes.xaxis.grid(False)
    axes.set_xlim(-0.4, len(names) - 0.6)
