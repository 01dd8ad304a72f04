"""The command `halocline topology`: who sends how much across what, in sequence and placed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Optional

import typer
from rich.console import Console
from rich.text import Text

from halocline.cli import display
from halocline.cli.options import BIN
from halocline.errors import HaloclineError
from halocline.launch import find_program, process

WAYS = ("sequential", "placed")
COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red", "white")
WIDEST = 40
"""Parts along an axis that a picture has room for."""


def topology(
    mesh: str = typer.Option(..., help="Cells along each axis, slowest first: 1800x580."),
    ranks: int = typer.Option(..., "--ranks", "-n", min=1, help="Number of ranks."),
    machine: Optional[str] = typer.Option(
        None, help="nodes=4,sockets=2,cores=6, or ranks=12+12+10,sockets=2 for uneven nodes."
    ),
    halo: str = typer.Option("1", help="Width, or one for each axis: 2x1."),
    dims: Optional[str] = typer.Option(None, help="The process grid before, by hand: 25x24."),
    file: Optional[Path] = typer.Option(None, "--json", metavar="FILE", help="Write all there."),
    programs: Optional[Path] = BIN,
) -> None:
    """Show what a grid's halos send across nodes and sockets, with ranks in sequence and placed."""
    given = {"--mesh": mesh, "--ranks": ranks, "--halo": halo, "--machine": machine, "--dims": dims}
    plan = planned(
        {name: str(value) for name, value in given.items() if value is not None}, programs
    )
    if file is not None:
        try:
            file.write_text(json.dumps(plan) + "\n")
        except OSError as error:
            raise HaloclineError(f"--json {file}: {error.strerror}") from error
    show(display.console(), plan)


def planned(options: dict[str, str], programs: Path | None = None) -> dict[str, Any]:
    """Return what `haloplan` says.

    Raises
    ------
    HaloclineError
        When mesh, ranks and machine do not fit; the message is the program's.
    """
    words = [f"{name}={value}" for name, value in options.items()]
    finished = process.run([str(find_program("haloplan", programs)), *words], None, limit_s=600)
    if not finished.ok:
        said = finished.last_words(1) or finished.reason()
        raise HaloclineError(said.removeprefix("haloplan: "))
    return dict(json.loads(finished.output))


def show(console: Console, plan: dict[str, Any]) -> None:
    """Print the table, and a picture of each way where it has room."""
    title = f"{by(plan['mesh'])} on {plan['ranks']} ranks ({plan['machine']})"
    table = display.plain_table(title)
    table.add_column("ranks", no_wrap=True)
    table.add_column("process grid", no_wrap=True)
    for head in ("node to node\nlinks", "\nwords", "most by\na node", "socket to socket\nlinks",
                 "\nwords", "inside\nlinks", "\nwords"):  # fmt: skip
        table.add_column(head, justify="right", no_wrap=True)
    for way in WAYS:
        one = plan[way]
        nodes, sockets, cores = (one[across] for across in ("nodes", "sockets", "cores"))
        cells = (nodes["links"], nodes["words"], one["busiest_node"], sockets["links"],
                 sockets["words"], cores["links"], cores["words"])  # fmt: skip
        table.add_row(way, grid_of(one), *map(str, cells))
    console.print(table)
    for way in WAYS:
        picture = drawn(plan, way)
        if picture:
            console.print(Text(f"\n{way}: the node of each part, letters by socket", "bold"))
            console.print(picture)


def by(sizes: list[int]) -> str:
    """Return `6 x 8`."""
    return " x ".join(map(str, sizes))


def grid_of(one: dict[str, Any]) -> str:
    """Return a process grid, with what of it nodes, sockets and cores are."""
    parts = [level for level in one["levels"] if level != [1] * len(level)]
    inside = " x ".join(f"({'x'.join(map(str, level))})" for level in parts)
    return f"{'x'.join(map(str, one['dims']))}" + (f" = {inside}" if len(parts) > 1 else "")


def drawn(plan: dict[str, Any], way: str) -> Text | None:
    """Draw a process grid, a number for the node and a letter for the socket of each part.

    None for three axes, and for grids that are too wide.
    """
    one = plan[way]
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
