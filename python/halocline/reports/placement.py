"""How much ways to place ranks send across nodes and sockets, and which node has which part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap

from halocline.reports import plots
from halocline.reports.plots import COLOURS, PALETTE, Plot

SHADES = {"nodes": COLOURS["c7"], "sockets": COLOURS["c1"], "inside": COLOURS["c2"]}


def words(rows: Sequence[Mapping[str, Any]]) -> Plot:
    """Draw what crosses nodes, sockets and neither, a bar for each way."""
    with plots.drawing(plots.WIDE, 110 + 36 * len(rows)) as plot:
        axes = plot.figure.add_subplot()
        begin = np.zeros(len(rows))
        for across, colour in SHADES.items():
            count = np.array([row[f"{across}_words"] for row in rows])
            axes.barh(range(len(rows)), count, 0.6, begin, color=colour)
            begin = begin + count
        axes.set_yticks(range(len(rows)), [row["ranks"] for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.yaxis.grid(False)
        axes.set_xlabel("words of all halos")
        names = ["from node to node", "from socket to socket", "inside a socket"]
        plots.legend(axes, names, [(colour, "-") for colour in SHADES.values()], 3)
        return plot


def nodes(plan: Mapping[str, Any], way: str) -> Plot:
    """Draw a plane process grid, a colour and a number for the node of each part."""
    rows, columns = plan[way]["dims"]
    node = np.zeros(rows * columns, int)
    for rank, part in enumerate(plan[way]["position"]):
        if 0 <= part < len(node):
            node[part] = plan["places"][rank][0]
    node = node.reshape(rows, columns)
    cell = max(18, min(44, plots.WIDE // max(columns, rows)))
    with plots.drawing(max(cell * columns + 40, 240), cell * rows + 60) as plot:
        axes = plot.figure.add_subplot()
        colours = ListedColormap([PALETTE[i % len(PALETTE)] for i in range(node.max() + 1)])
        axes.imshow(node, cmap=colours, vmin=-0.5, vmax=node.max() + 0.5, alpha=0.55)
        for (row, column), number in np.ndenumerate(node):
            axes.text(column, row, str(number), ha="center", va="center", fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.grid(False)
        axes.set_title(f"{way}: the node of each part", fontsize=11, fontweight="normal")
        return plot
