"""Why ranks wait: wait states by the literature's names, and who makes them wait.

The names are those of Scalasca (Geimer, Wolf et al., "The Scalasca performance toolset
architecture", Concurrency and Computation 22(6), 2010, doi:10.1002/cpe.1556; for one-sided
communication Hermanns et al., "Understanding the formation of wait states in applications with
one-sided communication", EuroMPI 2013). A wait is looked at as an
interval of one rank that a call of another rank ends; what lies between its beginning and that of
the call is the wait state, and the other rank is its culprit. What remains is communication.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from halocline.traces.file import (
    EPOCHS,
    FENCES,
    GET_EPOCHS,
    GET_TARGETS,
    NEAR_FENCES,
    NOBODY,
    NUMBER,
    SHARED_FENCES,
    TARGETS,
    Exchange,
    Rank,
    Trace,
)

LATE_SENDER = "late sender"
LATE_RECEIVER = "late receiver"
LATE_POST = "late post"
EARLY_WAIT = "early wait"
LATE_COMPLETE = "late complete"
FENCE = "wait at fence"
PROGRESS = "wait for progress"
LOCK = "lock competition"
REDUCTION = "imbalance before a reduction"
STATES = (
    LATE_SENDER, LATE_RECEIVER, LATE_POST, EARLY_WAIT, LATE_COMPLETE, FENCE, PROGRESS, LOCK,
    REDUCTION,
)  # fmt: skip

SHORTEST_NS = 200
"""What is shorter is not told from no wait."""


@dataclass(frozen=True)
class WaitState:
    """Time that a rank lost because another one was not there yet."""

    name: str
    """One of STATES."""
    rank: int
    culprit: int
    begin: int
    """Nanoseconds, as `end`."""
    end: int
    exchange: Exchange
    step: int

    @property
    def seconds(self) -> float:
        """How long it took."""
        return 1e-9 * (self.end - self.begin)


@dataclass
class Step:
    """What a rank did in one step of an exchange: intervals (begin, end) in ns, in order."""

    started: tuple[int, int] | None = None
    finished: tuple[int, int] | None = None
    transfers: list[tuple[int, int]] = field(default_factory=list)
    start_waits: list[tuple[int, int]] = field(default_factory=list)
    finish_waits: list[tuple[int, int]] = field(default_factory=list)
    unpacks: list[tuple[int, int]] = field(default_factory=list)
    calls: dict[str, list[tuple[int, int, int | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Fences, posts, puts, locks and the like: (begin, end, peer)."""

    def last(self, name: str) -> int | None:
        """Return when the last call of this name began."""
        found = self.calls.get(name)
        return found[-1][0] if found else None

    def moved(self) -> int:
        """Return when the last put or get was over; 0 if there was none."""
        return max((self.calls[move][-1][1] for move in MOVES if self.calls.get(move)), default=0)


CALLS = {
    NUMBER[name]: name
    for name in (
        "put", "get", "accumulate", "fence", "post", "start", "complete", "lock", "unlock", "flush",
        "signal", "send",
    )
}  # fmt: skip
MOVES = ("put", "get", "accumulate")
OUTSIDE = [NUMBER[name] for name in ("lock", "unlock", "flush")]
"""Calls that are looked at also where an application makes them itself."""
OUTSIDE_NUMBER = 0

Steps = dict[tuple[int, int], Step]
"""By the exchange's number and the step."""


def wait_states(trace: Trace) -> list[WaitState]:
    """Find all wait states of a trace, in the order of their beginnings."""
    return Analysis(trace).states


class Analysis:
    """The wait states of a trace, and what is made of them."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.tolerance = SHORTEST_NS + round(1e9 * trace.clock_error_s)
        self.steps: list[Steps] = [_steps_of(rank) for rank in trace.ranks]
        self.in_mpi = [_in_mpi(rank) for rank in trace.ranks]
        found = (state for rank in trace.ranks for state in self._of_rank(rank))
        self.states = sorted(found, key=lambda state: (state.begin, state.rank))

    # ---- each kind ---------------------------------------------------------------------------

    def _of_rank(self, rank: Rank) -> Iterator[WaitState]:
        everyone = tuple(range(len(self.trace.ranks)))
        by_number = {OUTSIDE_NUMBER: Exchange(OUTSIDE_NUMBER, "outside of exchanges", everyone)}
        by_number.update((one.number, one) for one in rank.exchanges)
        for (number, step), mine in self.steps[rank.rank].items():
            exchange = by_number[number]
            for name, culprit, begin, end in self._of_step(rank.rank, exchange, step, mine):
                if culprit != rank.rank and end - begin > SHORTEST_NS:
                    yield WaitState(name, rank.rank, culprit, begin, end, exchange, step)

    def _of_step(
        self, me: int, exchange: Exchange, step: int, mine: Step
    ) -> Iterator[tuple[str, int, int, int]]:
        if exchange.asynchronous:
            return
        key = (exchange.number, step)
        if mine.calls.get("reduce"):
            yield from self._of_all(REDUCTION, "reduce", exchange.ranks, key, mine)
            return
        yield from self._of_all(FENCE, "fence", self._at_fence(me, exchange), key, mine)
        if exchange.waits in (EPOCHS, GET_EPOCHS):
            yield from self._pscw(exchange, key, mine, exchange.waits == GET_EPOCHS)
        elif exchange.waits in (TARGETS, GET_TARGETS):
            yield from self._passive(me, exchange, key, mine, exchange.waits == GET_TARGETS)
        elif exchange.waits not in (FENCES, NEAR_FENCES, SHARED_FENCES):  # those are all
            yield from self._messages(exchange, key, mine, exchange.shared)
        yield from self._locked(me, exchange, mine)

    def _at_fence(self, me: int, exchange: Exchange) -> Iterable[int]:
        if exchange.shared or exchange.waits == NEAR_FENCES:
            return {me, *exchange.sends, *exchange.receives}
        return exchange.ranks

    def _of_all(
        self, name: str, call: str, ranks: Iterable[int], key: tuple[int, int], mine: Step
    ) -> Iterator[tuple[str, int, int, int]]:
        """Yield waits in calls that all ranks make, one for one, until the last has come."""
        for place, (begin, end, _) in enumerate(mine.calls.get(call, ())):
            came = {}
            for rank in ranks:
                theirs = self._step(rank, key).calls.get(call, ())
                if place < len(theirs):
                    came[rank] = theirs[place][0]
            yield from self._until(name, came, begin, end)

    def _messages(
        self, exchange: Exchange, key: tuple[int, int], mine: Step, shared: bool
    ) -> Iterator[tuple[str, int, int, int]]:
        """Two-sided messages, and cells that are read in shared memory once they are announced."""
        sent = {one: _sent(self._step(one, key)) for one in exchange.receives}
        taken = {}
        for one in exchange.sends:
            theirs = self._step(one, key)
            if shared:
                taken[one] = theirs.unpacks[-1][1] if theirs.unpacks else None
            else:
                taken[one] = _posted(theirs)
        for begin, end in mine.finish_waits:
            rest = begin
            for state in self._until(LATE_SENDER, sent, begin, end):
                yield state
                rest = state[3]
            if shared:
                rest = max([rest, *(e for b, e in mine.unpacks if b >= begin and e <= end)])
            yield from self._until(LATE_RECEIVER, taken, rest, end)

    def _pscw(
        self, exchange: Exchange, key: tuple[int, int], mine: Step, get: bool
    ) -> Iterator[tuple[str, int, int, int]]:
        targets = exchange.receives if get else exchange.sends
        origins = exchange.sends if get else exchange.receives
        posted = {one: self._step(one, key).last("post") for one in targets}
        for call in ("start", *MOVES, "complete"):
            for begin, end, peer in mine.calls.get(call, ()):
                some = posted if peer is None else {peer: posted.get(peer)}
                yield from self._until(LATE_POST, some, begin, end)
        completed, moved = {}, {}
        for one in origins:
            theirs = self._step(one, key)
            completed[one] = theirs.last("complete")
            moved[one] = theirs.moved()
        for begin, end in mine.finish_waits:
            own = [e for b, e, _ in mine.calls.get("complete", ()) if b >= begin and e <= end]
            yield from self._until_completed(completed, moved, max([begin, *own]), end, EARLY_WAIT)

    def _passive(
        self, me: int, exchange: Exchange, key: tuple[int, int], mine: Step, get: bool
    ) -> Iterator[tuple[str, int, int, int]]:
        told, moved = {}, {}
        for one in exchange.receives:
            theirs = self._step(one, key)
            signals = [b for b, _, peer in theirs.calls.get("signal", ()) if peer in (me, None)]
            told[one] = signals[-1] if signals else None
            moved[one] = theirs.moved()
        permits = {}
        for one in exchange.sends:
            # Said at the end of a step before, or, in place, in this one.
            steps = range(key[1] - 2, key[1] + 1)
            said = [self._step(one, (key[0], step)).last("post") for step in steps]
            permits[one] = [time for time in said if time is not None]
        for begin, end in mine.start_waits:
            yield from self._until(LATE_POST, _latest_before(permits, end), begin, end)
        own = [e for b, e, _ in mine.calls.get("signal", ())]
        for place, (begin, end) in enumerate(mine.finish_waits):
            if place > 0:  # until what was got in place has been read
                yield from self._until(LATE_RECEIVER, _latest_before(permits, end), begin, end)
            elif get:
                yield from self._until(LATE_SENDER, told, begin, end)
            else:
                since = max([begin, *(e for e in own if begin <= e <= end)])
                yield from self._until_completed(told, moved, since, end, LATE_SENDER)

    def _until_completed(
        self, completed: dict, moved: dict, begin: int, end: int, before: str
    ) -> Iterator[tuple[str, int, int, int]]:
        """Yield a target's wait: `before` until data have left, then a late complete."""
        for _, culprit, since, until in self._until(LATE_COMPLETE, completed, begin, end):
            middle = min(max(moved[culprit], since), until)
            yield before, culprit, since, middle
            yield LATE_COMPLETE, culprit, middle, until

    def _locked(
        self, me: int, exchange: Exchange, mine: Step
    ) -> Iterator[tuple[str, int, int, int]]:
        """Yield waits in calls to a target that another rank has locked, or that is not in MPI."""
        for call in ("lock", "unlock", "flush", *MOVES):
            for begin, end, peer in mine.calls.get(call, ()):
                if peer is None or end - begin < 10 * SHORTEST_NS:
                    continue
                if exchange.number == OUTSIDE_NUMBER:  # those of exchanges are all shared
                    holders = {
                        rank: released
                        for rank, taken, released in self._locks[exchange.number, peer]
                        if rank != me and taken < end and begin < released <= end + self.tolerance
                    }
                    if holders:
                        yield from self._until(LOCK, holders, begin, end)
                        continue
                since, back = self._away(peer, begin, end)
                # A call that goes on long after its target is back has waited for something else.
                if since < back and end - back < 0.2 * (end - begin):
                    yield PROGRESS, peer, since, back

    # ---- what they are made of ---------------------------------------------------------------

    def _until(
        self, name: str, times: dict[int, int | None], begin: int, end: int
    ) -> Iterator[tuple[str, int, int, int]]:
        """Yield the part of a wait before the last event that can have ended it."""
        can = {r: t for r, t in times.items() if t is not None and t <= end + self.tolerance}
        if can:
            culprit = max(can, key=can.__getitem__)
            if can[culprit] > begin:
                yield name, culprit, begin, min(can[culprit], end)

    def _step(self, rank: int, key: tuple[int, int]) -> Step:
        return self.steps[rank].get(key, NOTHING)

    def _away(self, rank: int, begin: int, end: int) -> tuple[int, int]:
        """Return when in a call a rank was longest out of MPI, and when it came back."""
        begins, ends = self.in_mpi[rank]
        longest = (begin, begin)
        for place in range(bisect_right(ends, begin), bisect_right(begins, end + self.tolerance)):
            since = max(begin, ends[place - 1] if place > 0 else self.trace.begin)
            if begins[place] - since > longest[1] - longest[0]:
                longest = (since, begins[place])
        return longest

    @property
    def _locks(self) -> dict[tuple[int, int], list[tuple[int, int, int]]]:
        """For each exchange and target: (rank, when it had the lock, when it gave it back)."""
        if not hasattr(self, "_locks_found"):
            found = defaultdict(list)
            for rank, steps in enumerate(self.steps):
                for (number, _), step in steps.items():
                    taken, given = step.calls.get("lock", ()), step.calls.get("unlock", ())
                    for (_, since, peer), (until, _, _) in zip(taken, given):
                        found[number, peer].append((rank, since, until))
            self._locks_found = found
        return self._locks_found


NOTHING = Step()


def _sent(step: Step) -> int | None:
    """When a rank's messages left it: in start, or, where a call does all, in finish."""
    if step.transfers:
        return step.transfers[-1][0]
    return step.finish_waits[0][0] if step.finish_waits else None


def _posted(step: Step) -> int | None:
    """When a rank was ready for messages."""
    if step.transfers:
        return step.transfers[0][0]
    return step.finish_waits[0][0] if step.finish_waits else None


def _latest_before(times: dict[int, list[int]], end: int) -> dict[int, int]:
    can = {rank: [time for time in some if time <= end] for rank, some in times.items()}
    return {rank: max(some) for rank, some in can.items() if some}


def _steps_of(rank: Rank) -> Steps:
    begin_step, end_step, transfer, wait, unpack, reduce = (
        NUMBER[name] for name in ("begin step", "end step", "transfer", "wait", "unpack", "reduce")
    )
    numbers = [OUTSIDE_NUMBER, *(one.number for one in rank.exchanges)]
    steps: Steps = {}
    finishing = [False] * len(numbers)
    chosen = (rank.main["exchange"] > 0) | np.isin(rank.main["activity"], OUTSIDE)
    events = rank.main[chosen]
    columns = [
        events[name].tolist() for name in ("begin", "end", "step", "peer", "exchange", "activity")
    ]
    depths = rank.depth[chosen].tolist()
    for begin, end, number, peer, exchange, activity, depth in zip(*columns, depths):
        step = steps.get((numbers[exchange], number))
        if step is None:
            step = steps[numbers[exchange], number] = Step()
        if activity == begin_step:
            step.started, finishing[exchange] = (begin, end), False
        elif activity == end_step:
            step.finished, finishing[exchange] = (begin, end), True
        elif activity == transfer:
            step.transfers.append((begin, end))
        elif activity == wait:
            if depth <= 1:
                (step.finish_waits if finishing[exchange] else step.start_waits).append(
                    (begin, end)
                )
        elif activity == unpack:
            step.unpacks.append((begin, end))
        elif activity == reduce:
            step.calls["reduce"].append((begin, end, None))
        elif activity in CALLS:
            to = None if peer == NOBODY else peer
            if to is not None and exchange > 0:
                to = rank.exchanges[exchange - 1].ranks[peer]
            step.calls[CALLS[activity]].append((begin, end, to))
    return steps


def _in_mpi(rank: Rank) -> tuple[list[int], list[int]]:
    """Return begins and ends of the times that a rank is in MPI, as far as the trace tells."""
    kinds = [
        NUMBER[name]
        for name in ("begin step", "end step", "reduce", "barrier", *CALLS.values(), "wait")
    ]
    events = rank.main
    events = events[np.isin(events["activity"], kinds)]
    begins, ends = [], []
    for begin, end in zip(events["begin"].tolist(), events["end"].tolist()):
        if ends and begin <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            begins.append(begin)
            ends.append(end)
    return begins, ends
