"""A trace as an OTF2 archive, for Vampir, Scalasca, TAU and others.

Halocline's events become regions; what moves data one-sidedly becomes OTF2's RMA events: puts and
gets with the call that completes them, fences as collectives, locks, and post-start-complete-wait
as synchronisations of a group. Messages of two-sided schemes become sends and receives.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.outputs import check_folder, make_folder
from halocline.traces.file import (
    ACTIVITIES,
    EPOCHS,
    GET_EPOCHS,
    SHARED_EPOCHS,
    Exchange,
    Rank,
    Trace,
)
from halocline.traces.messages import Message, messages
from halocline.traces.waits import Analysis

NANOSECONDS = 10**9
COMPLETING = ("fence", "complete", "flush", "unlock")
SYNCHRONISING = ("post", "start", "complete")


def write(trace: Trace, folder: Path, analysis: Analysis | None = None) -> Path:
    """Write an archive, whose anchor is `traces.otf2` in `folder`; the folder must be new or empty.

    Raises
    ------
    HaloclineError
        When the package otf2 is missing, or something lies in the folder.
    """
    try:
        import _otf2
        import otf2
    except ImportError:
        raise HaloclineError("OTF2 archives need the package otf2: pip install otf2") from None
    folder = Path(folder)
    check_folder(folder, "--otf2", empty=True)
    is_new = not folder.exists()
    by_sender, by_receiver = defaultdict(list), defaultdict(list)
    for message in messages(trace, analysis):
        if not message.one_sided and not message.exchange.in_memory:
            by_sender[message.sender].append(message)
            by_receiver[message.receiver].append(message)
    try:
        make_folder(folder.parent)
        with otf2.writer.open(str(folder), timer_resolution=NANOSECONDS) as archive:
            job = _Job(otf2, archive, trace)
            for rank in trace.ranks:
                location = _Location(job, rank)
                location.add_events()
                location.add_messages(by_sender[rank.rank], by_receiver[rank.rank])
                location.write()
    except (OSError, otf2.error.Error, _otf2.Error) as error:
        if is_new:  # half an archive is none
            shutil.rmtree(folder, ignore_errors=True)
        raise HaloclineError(f"cannot write {folder}: {error}") from error
    return folder / "traces.otf2"


class _Job:
    """Definitions that all ranks share."""

    def __init__(self, otf2: Any, archive: Any, trace: Trace) -> None:
        self.otf2, self.archive, self.zero = otf2, archive, trace.begin
        defined = archive.definitions
        root = defined.system_tree_node("machine", class_name="machine")
        hosts = {
            host: defined.system_tree_node(host, class_name="node", parent=root)
            for host in dict.fromkeys(rank.host for rank in trace.ranks)
        }
        self.threads = []
        for rank in trace.ranks:
            group = defined.location_group(f"rank {rank.rank}", system_tree_parent=hosts[rank.host])
            names = ["main", *(f"thread {i}" for i in range(1, len(rank.regions)))]
            self.threads.append([defined.location(name, group=group) for name in names])
        # The members of all other groups count from these.
        defined.group(
            "ranks", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=otf2.Paradigm.MPI,
            members=[threads[0] for threads in self.threads],
        )  # fmt: skip
        self._comms: dict[int, Any] = {}
        self._windows: dict[int, Any] = {}

    def group(self, ranks: tuple[int, ...], name: str) -> Any:
        """Return a group of ranks."""
        return self.archive.definitions.group(
            name, group_type=self.otf2.GroupType.COMM_GROUP, paradigm=self.otf2.Paradigm.MPI,
            members=[self.threads[rank][0] for rank in ranks],
        )  # fmt: skip

    def comm(self, exchange: Exchange) -> Any:
        """Return an exchange's communicator."""
        if exchange.number not in self._comms:
            self._comms[exchange.number] = self.archive.definitions.comm(
                exchange.what, group=self.group(exchange.ranks, exchange.what)
            )
        return self._comms[exchange.number]

    def window(self, exchange: Exchange) -> Any:
        """Return an exchange's window, or what stands for it."""
        if exchange.number not in self._windows:
            self._windows[exchange.number] = self.archive.definitions.rma_win(
                exchange.what, comm=self.comm(exchange)
            )
        return self._windows[exchange.number]

    def region(self, name: str, activity: str) -> Any:
        """Return a region."""
        of_user = activity in ("compute", "region")
        paradigm = self.otf2.Paradigm.USER if of_user else self.otf2.Paradigm.MPI
        return self.archive.definitions.region(name, description=activity, paradigm=paradigm)


class _Location:
    """One rank's events, first in any order."""

    def __init__(self, job: _Job, rank: Rank) -> None:
        self.job, self.rank = job, rank
        self.calls: list[list[tuple[int, Callable[..., None], tuple, dict]]] = [
            [] for _ in rank.regions
        ]
        self.writers = [
            job.archive.event_writer_from_location(one) for one in job.threads[rank.rank]
        ]
        self.moved = 0
        self.open: dict[int, list[tuple[int, int | None]]] = defaultdict(list)

    def add(self, thread: int, time: int, function: str, *arguments: Any, **named: Any) -> None:
        """Take an event for later."""
        call = getattr(self.writers[thread], function)
        self.calls[thread].append((time - self.job.zero, call, arguments, named))

    def add_events(self) -> None:
        """Take what happened as regions within each other, with what it means to OTF2."""
        rank = self.rank
        for thread in range(len(rank.regions)):
            events = rank.main if thread == 0 else rank.events[rank.events["thread"] == thread]
            stack: list[tuple[int, Any, str, Exchange | None, int | None]] = []
            for event in events:
                begin, end = int(event["begin"]), int(event["end"])
                while stack and stack[-1][0] <= begin:
                    self._leave(thread, *stack.pop())
                if stack:
                    end = min(end, stack[-1][0])
                activity = ACTIVITIES[event["activity"]]
                region = self.job.region(rank.name(event), activity)
                exchange, peer = rank.exchange(event), rank.peer(event)
                self.add(thread, begin, "enter", region)
                if exchange is not None:
                    self._entered(thread, begin, activity, exchange, peer, int(event["bytes"]))
                stack.append((end, region, activity, exchange, peer))
            while stack:
                self._leave(thread, *stack.pop())

    def _entered(
        self, thread: int, time: int, activity: str, exchange: Exchange, peer: int | None, size: int
    ) -> None:
        if activity == "fence":
            self.add(thread, time, "rma_collective_begin")
        if peer is None:
            return
        window, remote = self.job.window(exchange), exchange.ranks.index(peer)
        read_in_place = activity == "unpack" and exchange.in_memory
        if activity in ("put", "get", "accumulate") or read_in_place:
            name = "rma_get" if activity == "get" or read_in_place else "rma_put"
            self.moved += 1
            size = exchange.receives.get(peer, 0) if read_in_place else size
            self.add(thread, time, name, window, remote, size, self.moved)
            self.open[exchange.number].append((self.moved, peer))
        elif activity == "lock":
            kind = self.job.otf2.LockType.SHARED
            self.add(thread, time, "rma_request_lock", window, remote, peer, kind)

    def _leave(
        self, thread: int, time: int, region: Any, activity: str, exchange: Exchange | None,
        peer: int | None,
    ) -> None:  # fmt: skip
        if exchange is not None:
            window, otf2 = self.job.window, self.job.otf2
            in_place = activity == "unpack" and exchange.in_memory
            if activity in COMPLETING or in_place:
                mine = self.open[exchange.number]
                for number, to in mine:
                    if peer in (None, to):
                        self.add(thread, time, "rma_op_complete_blocking", window(exchange), number)
                self.open[exchange.number] = [one for one in mine if peer not in (None, one[1])]
            if activity == "fence":
                level = otf2.RmaSyncLevel.PROCESS | otf2.RmaSyncLevel.MEMORY
                self.add(
                    thread, time, "rma_collective_end", otf2.CollectiveOp.BARRIER, level,
                    window(exchange), 0, 0, 0,
                )  # fmt: skip
            elif activity in SYNCHRONISING and exchange.waits in (
                EPOCHS,
                GET_EPOCHS,
                SHARED_EPOCHS,
            ):
                peers = tuple(sorted({*exchange.sends, *exchange.receives}))
                group = self.job.group(peers, f"{exchange.what} of rank {self.rank.rank}")
                level = otf2.RmaSyncLevel.PROCESS
                self.add(thread, time, "rma_group_sync", level, window(exchange), group)
            elif activity == "lock" and peer is not None:
                remote = exchange.ranks.index(peer)
                kind = otf2.LockType.SHARED
                self.add(thread, time, "rma_acquire_lock", window(exchange), remote, peer, kind)
            elif activity == "unlock" and peer is not None:
                remote = exchange.ranks.index(peer)
                self.add(thread, time, "rma_release_lock", window(exchange), remote, peer)
        self.add(thread, time, "leave", region)

    def add_messages(self, sent: list[Message], received: list[Message]) -> None:
        """Take what two-sided schemes sent and received."""
        for one in sent:
            to = one.exchange.ranks.index(one.receiver)
            self.add(0, one.left[0], "mpi_send", to, self.job.comm(one.exchange), 0, one.bytes)
        for one in received:
            of = one.exchange.ranks.index(one.sender)
            self.add(0, one.arrived[1], "mpi_recv", of, self.job.comm(one.exchange), 0, one.bytes)

    def write(self) -> None:
        """Write all of it in the order of time."""
        for calls in self.calls:
            calls.sort(key=lambda call: call[0])  # those at the same time stay in order
            for time, call, arguments, named in calls:
                call(max(time, 0), *arguments, **named)
