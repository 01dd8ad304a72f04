"""Patterns: the shapes of all ranks that are one exchange, put together.

Two shapes belong together when a message that one has sent is one that the other has received.
Where no message was kept, and for windows and collectives of neighbours, those do that are called
from the same places on the same communicator. Shapes of a rank that differ in sizes alone are one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from halocline.advice.recording import Rank, Recording, Shape

Part = tuple[int, int]
"""A rank and one of its shapes."""


@dataclass(frozen=True)
class Edge:
    """What goes from one rank to another at a time."""

    origin: int
    target: int
    bytes: int


@dataclass
class Pattern:
    """An exchange of the program."""

    number: int
    """Patterns count from 1, the most costly first."""
    parts: dict[int, tuple[Shape, ...]]
    """The shapes of each rank."""
    all_seconds: float
    """All ranks' time of the run."""

    @cached_property
    def main(self) -> tuple[int, Shape]:
        """The rank and the shape that take most: what is said of the pattern is said of it."""
        return max(
            ((rank, shape) for rank, shapes in self.parts.items() for shape in shapes),
            key=lambda one: (one[1].seconds, len(one[1].links), -one[0]),
        )

    @property
    def ways(self) -> list[str]:
        """How it is done, the most costly way first; several where ranks or times differ."""
        spent: dict[str, float] = defaultdict(float)
        for shape in self.shapes:
            spent[shape.way] += shape.seconds
        return sorted(spent, key=lambda way: -spent[way])

    @property
    def way(self) -> str:
        """How it is done."""
        return self.ways[0]

    @property
    def shapes(self) -> list[Shape]:
        """All shapes of all ranks."""
        return [shape for shapes in self.parts.values() for shape in shapes]

    @cached_property
    def times(self) -> int:
        """How often it is done: what is usual among its ranks."""
        return round(median(self.times_of(rank) for rank in self.parts))

    def times_of(self, rank: int) -> int:
        """Return how often a rank takes part: as often as its busiest link is used."""
        used: dict[Hashable, int] = defaultdict(int)
        for shape in self.parts[rank]:
            for key in {(one.kind, one.comm, one.peer, one.tag) for one in shape.links}:
                used[key] += shape.times
        return max(used.values(), default=max(shape.times for shape in self.parts[rank]))

    @property
    def seconds(self) -> float:
        """Seconds in MPI, over all ranks."""
        return sum(shape.seconds for shape in self.shapes)

    @property
    def share(self) -> float:
        """Part of all ranks' time."""
        return self.seconds / self.all_seconds

    @property
    def peers(self) -> int:
        """Ranks that a rank has to do with: the most of any."""
        return max(
            len({link.peer for shape in shapes for link in shape.links} - {rank})
            for rank, shapes in self.parts.items()
        )

    @property
    def bytes(self) -> tuple[int, int]:
        """Least and most bytes that the rank which sends most sends at a time."""
        sent = [
            (min(shape.bytes) if shape.varies else shape.sent, shape.sent) for shape in self.shapes
        ]
        most = max(most for _, most in sent)
        return (min(least for least, _ in sent) if self.ragged else most, most)

    @property
    def ragged(self) -> bool:
        """Whether sizes vary from time to time."""
        if any(shape.varies for shape in self.shapes):
            return True
        for shapes in self.parts.values():
            sizes: dict[Hashable, set[int]] = defaultdict(set)
            for shape in shapes:
                for key, link in zip(link_keys(shape), shape.links):
                    sizes[key].add(link.bytes)
            if any(len(some) > 1 for some in sizes.values()) and _alike(shapes):
                return True
        return False

    @property
    def inside_s(self) -> float:
        """Seconds that a rank computes between starting and finishing, at a time."""
        return self._usual("inside")

    @property
    def before_s(self) -> float:
        """Seconds that a rank computes before it begins, at a time."""
        return self._usual("before")

    def _usual(self, name: str) -> float:
        return median(
            sum(getattr(shape, name) for shape in shapes) / max(self.times_of(rank), 1)
            for rank, shapes in self.parts.items()
        )

    def among(self, ranks: Iterable[int]) -> list[int]:
        """Return which of some ranks have to do with it."""
        ends = {end for edge in self.edges() for end in (edge.origin, edge.target)}
        return [rank for rank in ranks if rank in ends]

    def edges(self) -> list[Edge]:
        """Return what goes from whom to whom at a time: the most, where it varies.

        What one end alone has recorded counts, too.
        """
        found: dict[tuple[int, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for rank, shapes in self.parts.items():
            most: dict[tuple[int, int, str], int] = defaultdict(int)
            for shape in shapes:
                mine: dict[tuple[int, int, str], int] = defaultdict(int)
                for link in shape.links:
                    ends = (rank, link.peer) if link.outgoing else (link.peer, rank)
                    mine[(*ends, "out" if link.outgoing else "in")] += link.bytes
                for key, size in mine.items():
                    most[key] = max(most[key], size)
            for (origin, target, side), size in most.items():
                found[origin, target][side] = size
        return [
            Edge(origin, target, sides.get("out", sides.get("in", 0)))
            for (origin, target), sides in sorted(found.items())
            if origin != target
        ]


def find(recording: Recording) -> list[Pattern]:
    """Return the patterns of a recording, the most costly first."""
    groups = _Groups(
        (number, shape) for number, rank in recording.ranks.items() for shape in rank.shapes
    )
    _join_sizes(recording, groups)
    matched = _join_messages(recording, groups)
    _join_places(recording, groups, matched)
    made = [
        {
            rank: tuple(recording.ranks[rank].shapes[shape] for of, shape in parts if of == rank)
            for rank in sorted({rank for rank, _ in parts})
        }
        for parts in groups.all()
    ]
    spent = [sum(one.seconds for some in parts.values() for one in some) for parts in made]
    order = sorted(range(len(made)), key=lambda place: -spent[place])
    return [
        Pattern(number, made[place], recording.all_seconds) for number, place in enumerate(order, 1)
    ]


class _Groups:
    """Shapes that belong together (disjoint sets)."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.above = {part: part for part in parts}

    def top(self, part: Part) -> Part:
        while self.above[part] != part:
            self.above[part] = self.above[self.above[part]]
            part = self.above[part]
        return part

    def join(self, one: Part, other: Part) -> None:
        first, second = sorted((self.top(one), self.top(other)))
        self.above[second] = first

    def join_all(self, by_key: dict[Hashable, list[Part]]) -> None:
        for first, *rest in by_key.values():
            for part in rest:
                self.join(first, part)

    def all(self) -> list[list[Part]]:
        found: dict[Part, list[Part]] = defaultdict(list)
        for part in self.above:
            found[self.top(part)].append(part)
        return list(found.values())


def _join_sizes(recording: Recording, groups: _Groups) -> None:
    """Join shapes of a rank that have the same links from the same places, but for sizes."""
    by_key: dict[Hashable, list[Part]] = defaultdict(list)
    for number, rank in recording.ranks.items():
        for shape in rank.shapes.values():
            by_key[number, shape.way, _calls(rank, shape), _links(shape)].append(
                (number, shape.shape)
            )
    groups.join_all(by_key)


def _join_messages(recording: Recording, groups: _Groups) -> set[Part]:
    """Join shapes that a kept message has left and reached; return those for which there is one."""
    ends: dict[Hashable, list[Part]] = defaultdict(list)
    for number, rank in recording.ranks.items():
        for one in rank.messages:
            if one.shape is not None:
                way = (number, one.peer) if one.message == "sent" else (one.peer, number)
                ends[one.comm, way, one.tag, one.number].append((number, one.shape))
    both = {key: parts for key, parts in ends.items() if len(parts) > 1}
    groups.join_all(both)
    return {part for parts in both.values() for part in parts}


def _join_places(recording: Recording, groups: _Groups, matched: set[Part]) -> None:
    """Join what no message has joined by where it is called from, and on which communicator."""
    by_key: dict[Hashable, list[Part]] = defaultdict(list)
    for number, rank in recording.ranks.items():
        for shape in rank.shapes.values():
            if (number, shape.shape) not in matched:
                comms = frozenset(rank.key(link.comm) for link in shape.links)
                by_key[shape.way, comms, _calls(rank, shape)].append((number, shape.shape))
    groups.join_all(by_key)


def _calls(rank: Rank, shape: Shape) -> frozenset[Hashable]:
    """Return what a shape calls from where, alike on all ranks of a program."""
    found = set()
    for number in shape.calls:
        call = rank.calls[number]
        site = rank.sites.get(call.site) if call.site is not None else None
        frames = tuple((file, offset) for file, offset, *_ in site.frames) if site else ()
        found.add((call.function, frames))
    return frozenset(found)


def link_keys(shape: Shape) -> list[tuple[Hashable, ...]]:
    """Tell the links of a shape apart, also those of the same peer and tag."""
    count: dict[Hashable, int] = defaultdict(int)
    keys = []
    for link in shape.links:
        key = (link.kind, link.comm, link.peer, link.tag)
        keys.append((*key, count[key]))
        count[key] += 1
    return keys


def _links(shape: Shape) -> tuple[Hashable, ...]:
    """Return the links of a shape but for their sizes."""
    return tuple(sorted((one.kind, one.comm, one.peer, one.tag) for one in shape.links))


def _alike(shapes: Iterable[Shape]) -> bool:
    """Whether two shapes have the same links but for sizes."""
    keys = [_links(shape) for shape in shapes]
    return len(set(keys)) < len(keys)
