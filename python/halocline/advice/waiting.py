"""What the time in an exchange is: waiting for ranks that are late, transfer, or the library.

Wait states have the names that those of traces have. They are seen in the messages and meetings
that were kept with their times, and taken for what all are like. Packing is the program's own work
and cannot be seen.

A few steps may take far longer than the others: a rank was taken off its core, or came late where
no message was kept. What all steps take above their median is told apart, as no way of
communicating can be promised to save it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from halocline.advice.patterns import Pattern
from halocline.advice.recording import Message, Rank, Recording, Shape
from halocline.traces import waits

COLLECTIVE = "wait at a collective"
"""At collectives that are neither reductions nor fences; a trace has none."""
FIRST = 16
"""So many messages of a channel are always kept, however many follow: they weigh less then."""
BLOCKING = {
    f"MPI_{name}"
    for name in ("Mrecv", "Recv", "Rsend", "Send", "Sendrecv", "Sendrecv_replace", "Ssend")
}
"""Calls that start a message and return when it is over."""
LONG = 2.0
"""Waits that last longer than so many usual steps are none of a usual step."""


@dataclass
class Split:
    """Where the time of an exchange went, in seconds over all ranks."""

    seconds: float = 0.0
    waiting: dict[str, float] = field(default_factory=dict)
    """By wait state."""
    behind: dict[int, float] = field(default_factory=dict)
    """The same by the rank that was late."""
    library: float = 0.0
    """Calls that start, and completing calls at their shortest."""
    seen: int = 0
    """Waits that were looked at; 0: nothing is known of waiting."""
    usual: float = 0.0
    """What it would take if every step took the median."""
    own: float = 0.0
    """The same less waiting for late ranks."""
    long: float = 0.0
    """What is above that and was not seen to be waiting: few long steps."""

    @property
    def waited(self) -> float:
        """Seconds of waiting for late ranks."""
        return sum(self.waiting.values())

    @property
    def transfer(self) -> float:
        """What remains: bytes under way, and what a wait was made of once the peer had begun."""
        return max(self.movable - self.library, 0.0)

    @property
    def movable(self) -> float:
        """Transfer and library: more than this no other way of communicating can save."""
        return max(self.seconds - self.waited - self.long, 0.0)

    @property
    def culprit(self) -> int | None:
        """The rank that is behind most of the waiting."""
        return max(self.behind, key=self.behind.__getitem__) if self.behind else None

    def wait(self, name: str, behind: int, seconds: float) -> None:
        """Count a wait."""
        self.waiting[name] = self.waiting.get(name, 0.0) + seconds
        self.behind[behind] = self.behind.get(behind, 0.0) + seconds

    def add(self, other: Split) -> None:
        """Count what another one has, too."""
        self.seconds += other.seconds
        self.library += other.library
        self.seen += other.seen
        self.usual += other.usual
        self.own += other.own
        self.long += other.long
        for name, seconds in other.waiting.items():
            self.waiting[name] = self.waiting.get(name, 0.0) + seconds
        for rank, seconds in other.behind.items():
            self.behind[rank] = self.behind.get(rank, 0.0) + seconds


@dataclass(frozen=True)
class Collective:
    """All calls of one collective function."""

    function: str
    times: int
    """By the rank that calls it most."""
    bytes: float
    """Per rank and call."""
    split: Split


@dataclass(frozen=True)
class _End:
    """One end of a kept message, its times those of rank 0's clock."""

    rank: int
    message: Message
    posted: float
    waited: float
    done: float


def of_patterns(recording: Recording, patterns: Sequence[Pattern]) -> dict[int, Split]:
    """Return the split of each pattern by its number."""
    owner = {
        (rank, shape.shape): pattern.number
        for pattern in patterns
        for rank, shapes in pattern.parts.items()
        for shape in shapes
    }
    late = _late_peers(recording)
    meetings = _meetings(recording)
    found = {pattern.number: Split() for pattern in patterns}
    for number, rank in recording.ranks.items():
        for shape in rank.shapes.values():
            split = _of_shape(rank, shape, late.get((number, shape.shape), {}))
            usual = _usual(shape)
            word = "fence" if shape.way == "fence" else "neighbor"
            if word in shape.way:
                keys = _meeting_keys(rank, shape)
                peers = None if word == "fence" else {link.peer for link in shape.links}
                alike = {
                    function: met
                    for (function, comm), met in meetings.items()
                    if comm in keys and word in function.lower()
                }
                own = {rank.calls[call].function for call in shape.calls} & alike.keys()
                lost, short = Split(), Split()
                for function in own or alike:
                    error, some = recording.clock_error, alike[function]
                    lost.add(_lost(some, error, number, peers))
                    short.add(_lost(some, error, number, peers, LONG * usual))
                _spread(split, lost)
                part = short.waited / short.seconds if short.seconds > 0 else 0.0
                split.own = min(split.own, split.usual * (1 - part))
            _settle(split)
            found[owner[number, shape.shape]].add(split)
    return found


def _meeting_keys(rank: Rank, shape: Shape) -> set[str]:
    """Return the keys of what a shape's collectives are on: communicators and windows."""
    keys = {rank.key(link.comm) for link in shape.links}
    for number in shape.calls:
        call = rank.calls[number]
        window = rank.windows.get(call.window) if call.window is not None else None
        keys.add(window.key if window else rank.key(call.comm))
    return keys


def _of_shape(rank: Rank, shape: Shape, waits_of: dict[float, list[_Wait]]) -> Split:
    """Return the split of a rank's shape from its kept waits, by when they began."""
    split = Split(seconds=shape.seconds)
    least = sum(rank.calls[call].least for call in shape.calls if _completes(rank, shape, call))
    started = shape.start if shape.way != "blocking" else 0.0
    if shape.way == "mixed":
        # A blocking send among calls that only start may wait, too.
        blocked = [
            rank.calls[call] for call in shape.calls if rank.calls[call].function in BLOCKING
        ]
        waited = sum(call.seconds * min(shape.times / max(call.times, 1), 1.0) for call in blocked)
        started = max(started - waited, 0.0)
    split.library = min(started + least * shape.times, shape.seconds)
    finishing = shape.seconds - started
    weighed = 0.0
    lost: dict[tuple[str, int], float] = defaultdict(float)
    beyond = sum(1 for some in waits_of.values() if some[0].number >= FIRST)
    stride = max((shape.times - FIRST) / beyond, 1.0) if beyond else 1.0
    for some in waits_of.values():
        weight = _weight(some, stride)
        weighed += weight * some[0].length
        # The last that can have ended it; who sends and receives late is a late sender.
        worst = max(some, key=lambda one: (one.late, one.name == waits.LATE_SENDER))
        if worst.late > 0:
            lost[worst.name, worst.behind] += weight * worst.late
    split.seen = len(waits_of)
    if weighed > 0:
        for (name, behind), seconds in lost.items():
            split.wait(name, behind, seconds / weighed * finishing)
    usual = _usual(shape)
    split.usual = shape.times * usual
    part = _waited_usually(waits_of, stride, LONG * usual)
    split.own = split.usual - part * max(split.usual - started, 0.0)
    return split


def _usual(shape: Shape) -> float:
    """Return what a step usually takes; the mean where no durations were kept."""
    return median(shape.durations) if shape.durations else shape.seconds / shape.times


def _weight(some: Sequence[_Wait], stride: float) -> float:
    """Return for how many waits a kept one stands; the first are kept all."""
    return stride if some[0].number >= FIRST else 1.0


def _waited_usually(waits_of: dict[float, list[_Wait]], stride: float, longest: float) -> float:
    """Return the part of kept waits, but for long ones, until the last peer came."""
    usual = [
        (_weight(some, stride), some) for some in waits_of.values() if some[0].length <= longest
    ]
    whole = sum(weight * some[0].length for weight, some in usual)
    late = sum(weight * max(one.late for one in some) for weight, some in usual)
    return min(late / whole, 1.0) if whole > 0 else 0.0


def _settle(split: Split) -> None:
    """Tell apart what is neither waiting nor a usual step, and hold the parts to their sum."""
    split.long = max(split.seconds - split.waited - split.own, 0.0)
    split.library = min(split.library, split.movable)


def _completes(rank: Rank, shape: Shape, number: int) -> bool:
    """Whether a call of a shape is one that takes time until something is complete."""
    starts = {link.call for link in shape.links}
    blocks = shape.way == "blocking" or rank.calls[number].function in BLOCKING
    return blocks or number not in starts


@dataclass(frozen=True)
class _Wait:
    """One message's part in a wait that was kept."""

    name: str
    behind: int
    late: float
    """Seconds until the peer came."""
    length: float
    """Seconds of the whole wait."""
    number: int
    """The message's number in its channel."""


def _late_peers(recording: Recording) -> dict[tuple[int, int], dict[float, list[_Wait]]]:
    """Return the kept waits of each rank's shapes, by when they began."""
    ends: dict[tuple, dict[str, _End]] = defaultdict(dict)
    for number, rank in recording.ranks.items():
        here = rank.run.here
        for one in rank.messages:
            way = (number, one.peer) if one.message == "sent" else (one.peer, number)
            ends[one.comm, way, one.tag, one.number][one.message] = _End(
                number, one, here(one.posted), here(one.waited), here(one.done)
            )
    found: dict[tuple[int, int], dict[float, list[_Wait]]] = defaultdict(lambda: defaultdict(list))
    error = recording.clock_error
    for both in ends.values():
        if len(both) < 2:
            continue
        sent, received = both["sent"], both["received"]
        for mine, other, name in (
            (received, sent, waits.LATE_SENDER), (sent, received, waits.LATE_RECEIVER)
        ):  # fmt: skip
            if mine.message.shape is None:
                continue
            late = _until(other.posted, mine.waited, mine.done, error)
            found[mine.rank, mine.message.shape][mine.message.waited].append(
                _Wait(name, other.rank, late, mine.done - mine.waited, mine.message.number)
            )
    return found


def _until(came: float, begin: float, end: float, error: float) -> float:
    """Return how long a wait lasted until somebody came; 0 for who came before, or after its end.

    Who comes after the end has not been waited for: an eager send returns before its receive.
    """
    if came > end + error:
        return 0.0
    late = min(came, end) - begin
    return late if late > max(error, 1e-9 * waits.SHORTEST_NS) else 0.0


# ---- collectives -------------------------------------------------------------------------------


def collectives(recording: Recording) -> list[Collective]:
    """Return the collectives of all ranks by function, the most costly first."""
    in_shapes = {
        (number, call)
        for number, rank in recording.ranks.items()
        for shape in rank.shapes.values()
        for call in shape.calls
    }
    times: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    sizes: dict[str, float] = defaultdict(float)
    spent: dict[tuple[str, str], Split] = defaultdict(Split)
    for number, rank in recording.ranks.items():
        for call in rank.calls.values():
            name = call.function
            if (number, call.call) in in_shapes or not is_collective(name):
                continue
            times[name][number] += call.times
            layout = rank.layouts.get(call.layout) if call.layout is not None else None
            sizes[name] = max(sizes[name], (call.count or 0.0) * (layout.bytes if layout else 0))
            one = spent[name, rank.key(call.comm)]
            one.seconds += call.seconds
            one.library += call.times * call.least
    for key, met in _meetings(recording).items():
        if key in spent:
            _spread(spent[key], _lost(met, recording.clock_error))
    found: dict[str, Split] = defaultdict(Split)
    for (name, _), split in spent.items():
        found[name].add(split)
    made = [
        Collective(name, max(times[name].values()), sizes[name], split)
        for name, split in found.items()
    ]
    return sorted(made, key=lambda one: -one.split.seconds)


WORDS = ("all", "barrier", "bcast", "exscan", "gather", "reduce", "scan", "scatter")


def is_collective(function: str) -> bool:
    """Whether a function is one that all ranks of a communicator call to exchange data or meet."""
    name = function.lower().removeprefix("mpi_")
    return name.removeprefix("i").startswith(WORDS) and not name.startswith("alloc")


def _state(function: str) -> str:
    name = function.lower()
    if "win_fence" in name:
        return waits.FENCE
    return waits.REDUCTION if "reduce" in name or "scan" in name else COLLECTIVE


@dataclass
class _Met:
    """A collective that was kept on several ranks: (rank, enter, leave) by rank 0's clock."""

    function: str
    number: int
    there: list[tuple[int, float, float]] = field(default_factory=list)


def _meetings(recording: Recording) -> dict[tuple[str, str], list[_Met]]:
    """Return what was kept of meetings, by function and communicator."""
    found: dict[tuple[str, int], _Met] = {}
    for number, rank in recording.ranks.items():
        here = rank.run.here
        for one in rank.meetings:
            met = found.setdefault((one.meeting, one.number), _Met(one.function, one.number))
            met.there.append((number, here(one.enter), here(one.leave)))
    by_function: dict[tuple[str, str], list[_Met]] = defaultdict(list)
    for (comm, _), met in found.items():
        if len(met.there) > 1:
            by_function[met.function, comm].append(met)
    return by_function


def _lost(
    some: Sequence[_Met], error: float, of: int | None = None, among: set[int] | None = None,
    longest: float = float("inf"),
) -> Split:  # fmt: skip
    """Return what ranks, or one, lost in kept meetings until the last they can have waited for.

    Parameters
    ----------
    among
        Ranks that they can wait for; None: all.
    longest
        What lasts longer is passed over.
    """
    split = Split()
    last_number = max(met.number for met in some)
    beyond = sum(met.number >= FIRST for met in some)
    stride = max((last_number - FIRST) / beyond, 1.0) if beyond else 1.0
    for met in some:
        weight = stride if met.number >= FIRST else 1.0
        for rank, enter, leave in met.there:
            if of not in (None, rank) or leave - enter > longest:
                continue
            split.seconds += weight * (leave - enter)
            split.seen += 1
            can = {
                r: begin
                for r, begin, _ in met.there
                if begin <= leave + error and r != rank and (among is None or r in among)
            }
            if can:
                last = max(can, key=can.__getitem__)
                late = _until(can[last], enter, leave, error)
                if late > 0:
                    split.wait(_state(met.function), last, weight * late)
    return split


def _spread(split: Split, lost: Split) -> None:
    """Take the share that was lost where it was seen for that of all."""
    split.seen += lost.seen
    if lost.seconds <= 0:
        return
    name = next(iter(lost.waiting), "")  # all are of one kind
    for behind, late in lost.behind.items():
        split.wait(name, behind, late / lost.seconds * split.seconds)
    split.library = min(split.library, max(split.seconds - split.waited, 0.0))
