"""Who sends how much across nodes and sockets, with ranks in sequence and placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import ask, count, find_program, has
from halocline.measure import results
from halocline.shapes import AtLeast
from halocline.tables import Tabular, picked

if TYPE_CHECKING:
    from halocline.reports.plots import Picture

ACROSS = {"nodes": "nodes", "sockets": "sockets", "inside": "cores"}
"""What links cross, and what `haloplan` calls it."""


@dataclass(frozen=True)
class Plan(Tabular):
    """How ranks are spread over a machine, in each of several ways."""

    content: dict[str, Any]
    """What `haloplan` says: `ways`, and for each what it sends across what."""

    @property
    def subject(self) -> str:
        """What is spread over the ranks."""
        plan = self.content
        if "mesh" in plan:
            return " x ".join(map(str, plan["mesh"]))
        return f"{Path(plan['graph']).name}, {plan['vertices']} vertices and {plan['edges']} edges"

    def grid(self, way: str) -> str:
        """Return a process grid, with what of it nodes, sockets and cores are."""
        one = self.content[way]
        parts = [level for level in one["levels"] if level != [1] * len(level)]
        inside = " x ".join(f"({'x'.join(map(str, level))})" for level in parts)
        return f"{'x'.join(map(str, one['dims']))}" + (f" = {inside}" if len(parts) > 1 else "")

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each way, `sequential` and `placed` among them.

        `nodes_links` and `nodes_words` cross nodes, `sockets_...` sockets of a node, `inside_...`
        neither; `busiest_node` is what the node that sends most sends to others, in words.
        """
        rows = []
        for way in self.content["ways"]:
            one = self.content[way]
            row = {"ranks": way, "grid": self.grid(way) if "mesh" in self.content else None}
            for name, across in ACROSS.items():
                row[f"{name}_links"] = one[across]["links"]
                row[f"{name}_words"] = one[across]["words"]
            rows.append({**row, "busiest_node": one["busiest_node"]})
        return rows

    def plot(self, part: str | None = None) -> Picture:
        """Draw the words of each way; or of a plane grid the node of each part, in one `part`.

        Parameters
        ----------
        part
            `words`, or one of the ways.
        """
        from halocline.reports import placement

        drawn = {"words": partial(placement.words, self.table())}
        for way in self.content["ways"]:
            if "mesh" in self.content and len(self.content[way]["dims"]) == 2:
                drawn[way] = partial(placement.nodes, self.content, way)
        return picked(drawn, part)().figure


def topology(
    mesh: str | Sequence[int] | None = None,
    *,
    graph: Path | str | None = None,
    result: Path | str | None = None,
    ranks: int | None = None,
    machine: str | None = None,
    by: str | None = None,
    parts: Path | str | None = None,
    halo: str | int | Sequence[int] = 1,
    dims: str | Sequence[int] | None = None,
    programs: Path | str | None = None,
) -> Plan:
    """Say what halos send across nodes and sockets, with ranks in sequence and placed.

    Parameters
    ----------
    mesh
        Cells along each axis, slowest first: `(1800, 580)` or `1800x580`.
    graph
        Or a file: a matrix of Matrix Market (coordinates), or a graph of METIS.
    result
        Or a result file of laplace: its grid, process grid and ranks.
    ranks
        How many.
    machine
        `nodes=4,sockets=2,cores=6`, or for uneven nodes `hosts=a:12,b:12,c:10,sockets=2`.
    by
        How a graph is cut into parts: `best`, `metis` or `curve`.
    parts
        A file: the part of each of the graph's vertices, a line each, as gpmetis writes it.
    halo
        Its width, or one for each axis.
    dims
        The process grid before, by hand.
    programs
        Folder of the programs; None to look for them.

    Raises
    ------
    HaloclineError
        When mesh, ranks and machine do not fit, or a file has no grid.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.topology((1800, 580), ranks=12, machine="nodes=2,cores=6")
    >>> [row["nodes_words"] for row in found.table()]
    [1160, 1160]
    """
    if result is not None:
        mesh, dims, ranks = of_result(Path(result), _times(mesh), _times(dims), ranks)
    if ranks is None:
        raise HaloclineError("--ranks says how many there are")
    given = {"--mesh": _times(mesh), "--graph": graph, "--ranks": count(ranks),
             "--halo": _times(halo), "--dims": _times(dims), "--machine": machine, "--by": by,
             "--parts": parts}  # fmt: skip
    return planned(
        {name: str(value) for name, value in given.items() if value is not None}, programs
    )


def _times(sizes: str | int | Sequence[int] | None) -> str | None:
    """Return `6x8`."""
    if sizes is None or isinstance(sizes, str):
        return sizes
    return str(sizes) if isinstance(sizes, int) else "x".join(map(str, sizes))


def of_result(
    file: Path, mesh: str | None, dims: str | None, ranks: int | None
) -> tuple[str, str | None, int]:
    """Return mesh, process grid and ranks of a program that has run, if they are not given.

    Raises
    ------
    HaloclineError
        When the file has no grid.
    """
    shape = {"ranks": AtLeast(1), "parameters?": {"grid?": list[int], "dims?": list[int]}}
    record = records.read(file, results.FORMAT, results.VERSION, "result file", shape)
    parameters = record.get("parameters", {})
    if "grid" not in parameters or "dims" not in parameters:
        raise HaloclineError(f"{file}: has no grid; it must be a result of laplace on a grid")
    cells, parts = parameters["grid"], parameters["dims"]
    own = ranks is None or ranks == record["ranks"]
    return (
        mesh or "x".join(map(str, reversed(cells))),
        dims or ("x".join(map(str, parts)) if own else None),
        ranks or record["ranks"],
    )


def planned(options: dict[str, str], programs: Path | str | None = None) -> Plan:
    """Return what `haloplan` says.

    Raises
    ------
    HaloclineError
        When mesh, ranks and machine do not fit; the message is the program's.
    """
    words = [f"{name}={value}" for name, value in options.items()]
    program = find_program("haloplan", programs)
    return Plan(dict(ask(program, words, has("ways", "hosts"), inner=True)))
