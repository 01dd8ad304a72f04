"""What to change in a program: lines in its language, with Halocline and by plain MPI."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.advice import snippets
from halocline.advice.patterns import Pattern
from halocline.advice.places import Place
from halocline.advice.savings import SAVES, Saving
from halocline.figures import percent

SCHEMES = {
    "blocking": "p2p:sendrecv", "nonblocking": "p2p:nonblocking", "persistent": "p2p:persistent",
    "partitioned": "p2p:partitioned", "neighbor": "neighbor:blocking",
    "neighbor nonblocking": "neighbor:nonblocking", "neighbor persistent": "neighbor:persistent",
    "fence": "rma:{move}:fence", "pscw": "rma:{move}:pscw", "lock": "rma:{move}:flush",
    "mixed": "p2p:nonblocking",
}  # fmt: skip
"""The scheme that is nearest to each way of a recording."""

SAME = {
    ("blocking", "none"): ("p2p:sendrecv",),
    ("nonblocking", "waitall"): ("mpi:nonblocking", "p2p:nonblocking"),
    ("nonblocking", "waitany"): ("mpi:waitany",),
    ("persistent", "waitall"): ("mpi:persistent", "p2p:persistent"),
    ("partitioned", "waitall"): ("p2p:partitioned",),
    ("neighbor", "none"): ("mpi:neighbor", "neighbor:blocking"),
    ("neighbor nonblocking", ""): ("neighbor:nonblocking",),
    ("neighbor persistent", ""): ("mpi:neighbor:persistent", "neighbor:persistent"),
    ("fence", ""): ("rma:{move}:fence",),
    ("pscw", ""): ("rma:{move}:pscw",),
}  # fmt: skip
"""Contenders of a replay that do what the program does: by its way, and how it completes."""

OVERLAPPED_S = 1e-6
"""What is computed between starting and finishing for less is no overlap."""


@dataclass(frozen=True)
class Remedy:
    """A change to the program."""

    what: str
    """A sentence."""
    language: str = ""
    lines: tuple[str, ...] = ()


def scheme_of(pattern: Pattern) -> str:
    """Return the scheme that does what the program does."""
    return SCHEMES[pattern.way].format(move=_move(pattern))


def same_as(pattern: Pattern) -> set[str]:
    """Return the contenders of a replay that are nothing else than what the program does."""
    completions = {shape.completion for shape in pattern.shapes if shape.links}
    if len(pattern.ways) > 1 or len(completions) > 1:
        return set()
    names = [
        name
        for (way, finish), some in SAME.items()
        for name in some
        if way == pattern.way and (not finish or {finish} == completions)
    ]
    return {name.format(move=_move(pattern)) for name in names}


def _move(pattern: Pattern) -> str:
    kinds = [link.kind for shape in pattern.shapes for link in shape.links]
    return next((kind for kind in ("get", "accumulate", "put") if kind in kinds), "put")


def of(pattern: Pattern, place: Place, saving: Saving, *, grid: bool) -> list[Remedy]:
    """Return what would bring the saving; nothing where there is none.

    Parameters
    ----------
    grid
        Whether the pattern is on a communicator with a Cartesian topology.
    """
    if saving.verdict != SAVES:
        return []
    found = []
    best = saving.best.name if saving.best else ""
    where = f" in place of the calls at {place}" if str(place) != "?" else ""
    if saving.plain is not None:
        name = saving.plain.name
        saves = "" if name == best else f", which saves {percent(saving.plain.share.value)}"
        lines = snippets.plain(name, place.language)
        what = f"By MPI alone{saves}: {snippets.words(name)}"
        found.append(Remedy(what, place.language, lines))
    if saving.scheme is not None:
        name = saving.scheme.name
        saves = "" if name == best else f", which saves {percent(saving.scheme.share.value)}"
        kind = "ragged" if pattern.ragged else "grid" if grid else "lists"
        overlapped = pattern.inside_s > OVERLAPPED_S and kind != "ragged"
        lines = snippets.with_halocline(name, place.language, kind, overlapped=overlapped)
        found.append(Remedy(f"With Halocline: {name}{where}{saves}", place.language, lines))
    return found
