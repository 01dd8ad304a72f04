"""Read the file of a trace: what each rank did when.

The file is described in docs/reference/trace-file.md.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from halocline import records, shapes
from halocline.errors import HaloclineError
from halocline.shapes import AtLeast, OneOf
from halocline.text import shown

MAGIC = b"halocline-trace\n"
VERSION = 1
EVENT = np.dtype(
    [
        ("begin", "<i8"), ("end", "<i8"), ("bytes", "<u8"), ("step", "<u4"), ("peer", "<i4"),
        ("exchange", "<u2"), ("name", "<u2"), ("activity", "u1"), ("depth", "u1"),
        ("thread", "<u2"),
    ]
)  # fmt: skip
NOBODY = -1
ACTIVITIES = (
    "none", "compute", "pack", "unpack", "copy", "transfer", "send", "receive", "put", "get",
    "accumulate", "wait", "fence", "post", "start", "complete", "lock", "unlock", "flush",
    "barrier", "signal", "reduce", "begin step", "end step", "region",
)  # fmt: skip
NUMBER = {name: number for number, name in enumerate(ACTIVITIES)}
"""What the numbers of `EVENT.activity` mean."""
MESSAGES = "messages"
SYMMETRIC = "symmetric memory"
SHARED = "shared memory"
SHARED_EPOCHS = "shared memory by epochs"
SHARED_FENCES = "shared memory by fences"
FENCES = "fences"
NEAR_FENCES = "near fences"
EPOCHS = "epochs"
GET_EPOCHS = "epochs of gets"
TARGETS = "passive targets"
GET_TARGETS = "passive targets of gets"
NO_ONE = "nobody"
WAITS = (
    MESSAGES, SYMMETRIC, SHARED, SHARED_EPOCHS, SHARED_FENCES, FENCES, NEAR_FENCES, EPOCHS,
    GET_EPOCHS, TARGETS, GET_TARGETS, NO_ONE,
)  # fmt: skip
"""How ranks wait for each other: methods say it of themselves (docs/reference/trace-file.md)."""


@dataclass(frozen=True)
class Exchange:
    """An exchange, or what else ranks do together, as one of its ranks knows it."""

    number: int
    """The same on all its ranks."""
    what: str
    """Its scheme, or a collective's name."""
    ranks: tuple[int, ...]
    """The ranks of its communicator, as the trace numbers them."""
    sends: dict[int, int] = field(default_factory=dict)
    """Bytes to each peer in a step."""
    receives: dict[int, int] = field(default_factory=dict)
    waits: str = MESSAGES
    """How its ranks wait for each other: one of WAITS."""
    within: Exchange | None = None
    """The exchange whose steps it carries out in part: links to other islands, or a stage."""

    @property
    def name(self) -> str:
        """Its scheme, and what it is a part of."""
        return f"{self.what} within {self.within.name}" if self.within else self.what

    @property
    def level(self) -> int:
        """How many exchanges it lies within."""
        return 1 + self.within.level if self.within else 0

    @property
    def asynchronous(self) -> bool:
        """Whether its ranks do not wait for each other."""
        return self.waits == NO_ONE

    @property
    def shared(self) -> bool:
        """Whether ranks read what others have stored in memory that they share."""
        return self.waits.startswith(SHARED)

    @property
    def in_memory(self) -> bool:
        """Whether ranks take what they find in memory, where no message of MPI has come."""
        return self.shared or self.waits == SYMMETRIC

    @property
    def one_sided(self) -> bool:
        """Whether it puts or gets."""
        return self.waits in (
            FENCES, NEAR_FENCES, EPOCHS, GET_EPOCHS, TARGETS, GET_TARGETS
        )  # fmt: skip


@dataclass
class Rank:
    """What one rank did."""

    rank: int
    host: str
    events: np.ndarray
    """As type EVENT, each thread's by the time of their ends; times in ns since the trace began."""
    exchanges: list[Exchange]
    """`events["exchange"]` counts them from 1."""
    regions: list[list[str]]
    """Names of each thread's regions, counted from 1 by `events["name"]`."""
    dropped: int
    """Events of the main thread that found no room, ..."""
    dropped_after: int
    """... behind so many."""
    steps: int
    steps_a_row: int
    sums: np.ndarray
    """Seconds of each activity (column) in each step, or in so many steps after each other."""

    @cached_property
    def main(self) -> np.ndarray:
        """The main thread's events in the order of their beginnings, outer ones first."""
        mine = self.events[self.events["thread"] == 0]
        return mine[np.lexsort((mine["depth"], -mine["end"], mine["begin"]))]

    @cached_property
    def depth(self) -> np.ndarray:
        """The depth of each of the main thread's events within the exchange that it belongs to."""
        levels = np.array([0, *(one.level for one in self.exchanges)])
        return self.main["depth"] - levels[self.main["exchange"]]

    def name(self, event: np.void) -> str:
        """Return what an event is called."""
        if event["name"]:
            return self.regions[event["thread"]][event["name"] - 1]
        return ACTIVITIES[event["activity"]]

    def exchange(self, event: np.void) -> Exchange | None:
        """Return what an event belongs to."""
        return self.exchanges[event["exchange"] - 1] if event["exchange"] else None

    def peer(self, event: np.void) -> int | None:
        """Return the rank of the trace that an event is about."""
        found = self.exchange(event)
        return None if event["peer"] == NOBODY or not found else found.ranks[event["peer"]]


@dataclass
class Trace:
    """All ranks' events of a run."""

    job: dict
    ranks: list[Rank]
    clock_source: str = "steady clock"
    clock_error_s: float = 0.0

    @property
    def seconds(self) -> float:
        """From the first event to the last."""
        return 1e-9 * (self.end - self.begin)

    @cached_property
    def begin(self) -> int:
        """The first event's beginning, ns."""
        return min(
            (int(one.events["begin"].min()) for one in self.ranks if len(one.events)), default=0
        )

    @cached_property
    def end(self) -> int:
        """The last event's end, ns."""
        return max(
            (int(one.events["end"].max()) for one in self.ranks if len(one.events)), default=0
        )

    @property
    def dropped(self) -> int:
        """Events that found no room, on all ranks."""
        return sum(one.dropped for one in self.ranks)

    @property
    def schemes(self) -> list[str]:
        """The exchanges' schemes, each once."""
        return list(
            dict.fromkeys(e.what for e in self.ranks[0].exchanges if e.sends or ":" in e.what)
        )

    @classmethod
    def load(cls, file: Path | str) -> Trace:
        """Read a file.

        Raises
        ------
        HaloclineError
            When it cannot be read, is no trace, of another version, or not whole.
        """
        file = Path(file)
        try:
            content = file.read_bytes()
        except OSError as error:
            raise HaloclineError(f"{file}: {error.strerror}") from None
        if not content.startswith(MAGIC):
            raise HaloclineError(f"{file} is not a trace: PROGRAM --trace FILE writes one")
        try:
            return cls._parse(content)
        except _OtherVersionError as other:
            raise HaloclineError(
                f"{file}: version {other} of the format; this command reads {VERSION}"
            ) from None
        except (_FaultError, shapes.MisfitError) as fault:
            raise HaloclineError(f"{file}: the trace is not whole: {fault}") from None

    @classmethod
    def _parse(cls, content: bytes) -> Trace:
        place = len(MAGIC)
        version, size = struct.unpack("<QQ", _bytes(content, place, 16, "its head"))
        if version != VERSION:
            raise _OtherVersionError(version)
        head = _told(content, place + 16, size, "its head", HEAD)
        place += 16 + size
        known = np.array([NUMBER.get(name, 0) for name in head["activities"]], dtype="u1")
        ranks = []
        for number, part in enumerate(head["ranks"]):
            where = f"rank {number}"
            _bytes(content, place, part["bytes"], where)
            sizes = part["description_bytes"], part["events"] * EVENT.itemsize, part["sums"] * 4
            if sum(sizes) > part["bytes"] or part["sums"] % len(known):
                raise _FaultError(f"{where}: its part has not the size that the head says")
            about = _told(content, place, sizes[0], f"the description of {where}", ABOUT)
            for one in about["exchanges"]:
                one.setdefault("ranks", list(range(len(head["ranks"]))))
            events = np.frombuffer(content, EVENT, part["events"], place + sizes[0]).copy()
            _check_links(about["exchanges"], len(head["ranks"]), where)
            _check(events, about, len(known), len(head["ranks"]), where)
            events["activity"] = known[events["activity"]]
            sums = np.frombuffer(content, "<f4", part["sums"], place + sizes[0] + sizes[1])
            place += part["bytes"]
            ranks.append(_rank(number, about, events, sums.reshape(-1, len(known))))
        return cls(head["job"], ranks, head["clock"]["source"], head["clock"]["error_s"])


class _OtherVersionError(Exception):
    pass


class _FaultError(Exception):
    """What is wrong with the content of a file, and where."""


RANK = {
    "bytes": AtLeast(0),
    "description_bytes": AtLeast(0),
    "events": AtLeast(0),
    "sums": AtLeast(0),
}
HEAD = {
    "job": dict[str, Any],
    "activities": list[str],
    "clock": {"source": str, "error_s": AtLeast(0.0)},
    "ranks": list[RANK],
}
THREAD = {"regions": list[str], "dropped": AtLeast(0), "dropped_after": AtLeast(0)}
EXCHANGE = {
    "number": AtLeast(1),
    "what": str,
    "waits?": OneOf(WAITS),
    "ranks?": list[AtLeast(0)],
    "sends": list[tuple[AtLeast(0), AtLeast(0)]],
    "receives": list[tuple[AtLeast(0), AtLeast(0)]],
}
ABOUT = {
    "host": str,
    "threads": list[THREAD],
    "steps": AtLeast(0),
    "steps_a_row": AtLeast(1),
    "exchanges": list[EXCHANGE],
}
LONGEST_NS = 10**17
"""Three years: what is longer is no run."""
WAYS = ("sends", "receives")


def _bytes(content: bytes, place: int, size: int, what: str) -> bytes:
    if len(content) - place < size:
        missing = size - max(len(content) - place, 0)
        raise _FaultError(f"{what} begins at byte {place}; its last {missing} bytes are missing")
    return content[place : place + size]


def _told(content: bytes, place: int, size: int, what: str, shape: dict[str, Any]) -> Any:
    """Return the JSON in a part of a file."""
    try:
        found = records.parsed(_bytes(content, place, size, what))
    except ValueError as error:
        raise _FaultError(f"{what} (byte {place}) is not JSON: {error}") from None
    found = shapes.fitted(found, shape, what)
    if not found.get("activities", True) or not found.get("threads", True):
        raise _FaultError(f"{what} has no activities or threads")
    return found


def _check_links(exchanges: Sequence[dict[str, Any]], ranks: int, where: str) -> None:
    """Refuse exchanges whose ranks are not there."""
    for number, one in enumerate(exchanges, 1):
        if any(rank >= ranks for rank in one["ranks"]):
            raise _FaultError(f"{where}: exchange {number} has a rank that is none of {ranks}")
        if any(peer >= len(one["ranks"]) for way in WAYS for peer, _ in one[way]):
            raise _FaultError(f"{where}: exchange {number} has a link to none of its ranks")


def _check(
    events: np.ndarray, about: dict[str, Any], activities: int, ranks: int, where: str
) -> None:
    """Refuse events that point to nothing, or are at no time."""
    begin, end, thread, exchange = (events[k] for k in ("begin", "end", "thread", "exchange"))

    def refuse(bad: np.ndarray, why: str) -> None:
        if bad.any():
            raise _FaultError(f"{where}, event {int(np.argmax(bad))}: {why}")

    refuse(events["activity"] >= activities, f"its activity is none of {activities}")
    refuse(thread >= len(about["threads"]), f"its thread is none of {len(about['threads'])}")
    refuse(exchange > len(about["exchanges"]), f"its exchange is none of {len(about['exchanges'])}")
    regions = np.array([len(one["regions"]) for one in about["threads"]])
    refuse(events["name"] > regions[thread], "its name is none of its thread's regions")
    sizes = np.array([ranks, *(len(one["ranks"]) for one in about["exchanges"])])
    peer = events["peer"]
    refuse((peer < NOBODY) | (peer >= sizes[exchange]), "its peer is no rank of its exchange")
    refuse((begin < -LONGEST_NS) | (end > LONGEST_NS), "it is at no time of a run")
    refuse(begin > end, "it ends before it begins")
    later = np.zeros(len(events), bool)
    later[1:] = (thread[1:] < thread[:-1]) | ((thread[1:] == thread[:-1]) & (end[1:] < end[:-1]))
    refuse(later, "it ends before the one that it follows")


def _rank(number: int, about: dict, events: np.ndarray, sums: np.ndarray) -> Rank:
    main = about["threads"][0]
    exchanges = [
        Exchange(
            one["number"], one["what"], tuple(one["ranks"]),
            *({one["ranks"][peer]: size for peer, size in one[way]} for way in WAYS),
            waits=one.get("waits", MESSAGES),
        )
        for one in about["exchanges"]
    ]  # fmt: skip
    _nest(exchanges, events[events["thread"] == 0])
    regions = [[shown(name) for name in one["regions"]] for one in about["threads"]]
    return Rank(
        number, shown(about["host"]), events, exchanges, regions,
        main["dropped"], main["dropped_after"], about["steps"], about["steps_a_row"], sums,
    )  # fmt: skip


def _nest(exchanges: list[Exchange], events: np.ndarray) -> None:
    """Find out which exchanges are parts of others; their links are no longer the others'."""
    parts = events[np.isin(events["activity"], (NUMBER["begin step"], NUMBER["end step"]))]
    parts = parts[parts["exchange"] > 0]
    if not len(parts) or not parts["depth"].any():
        return
    within: dict[int, int] = {}
    around: list[tuple[int, int]] = []  # of the exchanges that are open: (end, number)
    columns = (parts[name].tolist() for name in ("begin", "end", "depth", "exchange"))
    for begin, end, _, number in sorted(zip(*columns), key=lambda one: (one[0], one[2], -one[1])):
        while around and around[-1][0] <= begin and around[-1][0] < end:
            around.pop()
        if around and around[-1][1] != number:
            within.setdefault(number, around[-1][1])
        around.append((end, number))
    for inner in sorted(within, key=lambda one: -one):  # outer ones have described themselves later
        one = exchanges[within[inner] - 1]
        peers = exchanges[inner - 1]
        exchanges[within[inner] - 1] = replace(
            one,
            sends={peer: size for peer, size in one.sends.items() if peer not in peers.sends},
            receives={
                peer: size for peer, size in one.receives.items() if peer not in peers.receives
            },
        )
    for inner in sorted(within, key=lambda one: -one):
        exchanges[inner - 1] = replace(exchanges[inner - 1], within=exchanges[within[inner] - 1])


def made(
    ranks: Sequence[Sequence[dict]],
    exchanges: Sequence[Exchange] = (),
    regions: Sequence[str] = (),
) -> Trace:
    """Return a trace of given events, as models and tests make them.

    Parameters
    ----------
    ranks
        Of each rank its events: dicts with the fields of `EVENT`, activities by name.
    exchanges
        The same for all ranks but for their links: those whose `sends` are keyed by pairs
        (from, to) become each rank's.
    regions
        Names of regions.
    """
    found = []
    for number, events in enumerate(ranks):
        table = np.zeros(len(events), EVENT)
        table["peer"] = NOBODY
        for place, event in enumerate(events):
            for key, value in event.items():
                table[place][key] = NUMBER[value] if key == "activity" else value
        mine = [
            Exchange(
                one.number, one.what, one.ranks,
                {to: size for (of, to), size in one.sends.items() if of == number},
                {of: size for (of, to), size in one.sends.items() if to == number},
                waits=one.waits,
            )
            for one in exchanges
        ]  # fmt: skip
        _nest(mine, table)
        sums = np.zeros((0, len(ACTIVITIES)), "<f4")
        found.append(Rank(number, "host", table, mine, [list(regions)], 0, len(table), 0, 1, sums))
    return Trace({}, found)
