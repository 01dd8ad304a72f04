"""The command `halocline topology`: who sends how much across what, in sequence and placed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Optional

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from halocline import outputs, verbs
from halocline.cli import display, terminal
from halocline.cli.options import BIN
from halocline.verbs import Plan

COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red", "white")
WIDEST = 40
"""Parts along an axis that a picture has room for."""
MOST_HOSTS = 8
"""Nodes of which a table has room for what each sends each other one."""


def topology(
    mesh: Optional[str] = typer.Option(
        None, help="Cells along each axis, slowest first: 1800x580."
    ),
    graph: Optional[Path] = typer.Option(
        None, help="Or a file: a matrix of Matrix Market (coordinates), or a graph of METIS."
    ),
    result: Optional[Path] = typer.Option(
        None, help="Or a result file of laplace: its grid, process grid and ranks."
    ),
    ranks: Optional[int] = typer.Option(None, "--ranks", "-n", min=1, help="Number of ranks."),
    machine: Optional[str] = typer.Option(
        None, help="nodes=4,sockets=2,cores=6, or for uneven nodes hosts=a:12,b:12,c:10,sockets=2."
    ),
    cut: Optional[str] = typer.Option(
        None, "--by", help="How a graph is cut into parts: best, metis or curve."
    ),
    parts: Optional[Path] = typer.Option(
        None, help="The part of each of the graph's vertices, a line each, as gpmetis writes it."
    ),
    halo: str = typer.Option("1", help="Width, or one for each axis: 2x1."),
    dims: Optional[str] = typer.Option(None, help="The process grid before, by hand: 25x24."),
    file: Optional[Path] = typer.Option(None, "--json", metavar="FILE", help="Write all there."),
    programs: Optional[Path] = BIN,
) -> None:
    """Show what halos send across nodes and sockets, with ranks in sequence and placed.

    Of a grid, or of the parts of a graph.
    """
    outputs.check(file, "--json")
    found = verbs.topology(
        mesh, graph=graph, result=result, ranks=ranks, machine=machine, by=cut, parts=parts,
        halo=halo, dims=dims, programs=programs,
    )  # fmt: skip
    if file is not None:
        outputs.save(file, json.dumps(found.content) + "\n")
    show(terminal.console(), found)


def show(console: Console, found: Plan) -> None:
    """Print the table, and a picture of each way where it has room."""
    plan = found.content
    title = f"{found.subject} on {plan['ranks']} ranks ({plan['machine']})"
    table = display.plain_table(title)
    table.add_column("ranks", no_wrap=True)
    if "mesh" in plan:
        table.add_column("process grid", no_wrap=True)
    for head in ("node to node\nlinks", "\nwords", "most by\na node", "socket to socket\nlinks",
                 "\nwords", "inside\nlinks", "\nwords"):  # fmt: skip
        table.add_column(head, justify="right", no_wrap=True)
    for way in plan["ways"]:
        one = plan[way]
        nodes, sockets, cores = (one[across] for across in ("nodes", "sockets", "cores"))
        cells = (nodes["links"], nodes["words"], one["busiest_node"], sockets["links"],
                 sockets["words"], cores["links"], cores["words"])  # fmt: skip
        table.add_row(way, *([found.grid(way)] if "mesh" in plan else []), *map(str, cells))
    console.print(table)
    if 1 < len(plan["hosts"]) <= MOST_HOSTS:
        for way in plan["ways"]:
            console.print()
            console.print(who_to_whom(plan, way))
    for way in plan["ways"]:
        picture = drawn(plan, way)
        if picture:
            console.print(Text(f"\n{way}: the node of each part, letters by socket", "bold"))
            console.print(picture)


def who_to_whom(plan: dict[str, Any], way: str) -> Table:
    """Make a table of the words that each node sends each other one."""
    table = display.plain_table()
    table.add_column(f"{way}: words from", no_wrap=True)
    for host in plan["hosts"]:
        table.add_column(f"to {host}", justify="right", no_wrap=True)
    sent = {(one["from"], one["to"]): one["words"] for one in plan[way]["node_to_node"]}
    nodes = range(len(plan["hosts"]))
    for node in nodes:
        words = [sent.get((node, other), 0) for other in nodes]
        table.add_row(plan["hosts"][node], *(str(count) if count else "-" for count in words))
    return table


def drawn(plan: dict[str, Any], way: str) -> Text | None:
    """Draw a process grid, a number for the node and a letter for the socket of each part.

    None for three axes, and for grids that are too wide.
    """
    one = plan[way]
    if "mesh" not in plan:
        return None
    dims = [1, *one["dims"]][-2:]
    if len(one["dims"]) > 2 or max(dims) > WIDEST:
        return None
    owner = {part: rank for rank, part in enumerate(one["position"])}
    several = any(socket for _, socket in plan["places"])
    width = len(str(max(node for node, _ in plan["places"]))) + several
    picture = Text()
    for row in range(dims[0]):
        for column in range(dims[1]):
            node, socket = plan["places"][owner[row * dims[1] + column]]
            letter = chr(ord("a") + socket % 26) if several else ""
            picture.append(f"{f'{node}{letter}':>{width}} ", COLOURS[node % len(COLOURS)])
        picture.append("\n")
    return picture
