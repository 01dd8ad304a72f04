"""What a recorder has written of a program: a folder, a file for each rank, a line for each thing.

docs/reference/recording.md is the format. Files of ranks may be missing, and keys that nobody here
knows are passed over; what is there and not as it must be is refused with file and line.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Optional, Union

from halocline import records, shapes
from halocline.errors import HaloclineError
from halocline.shapes import AtLeast, MisfitError, OneOf
from halocline.text import shown

VERSION = 1
SUFFIX = ".recording"
FILE = re.compile(r"rank-(\d+)\.jsonl")
KINDS = ("send", "receive", "put", "get", "accumulate")
WAYS = (
    "blocking", "nonblocking", "persistent", "partitioned", "neighbor", "neighbor nonblocking",
    "neighbor persistent", "fence", "pscw", "lock", "mixed",
)  # fmt: skip
ELSEWHERE = (-1, "any")
"""Peers of links that are not followed: of another world, or of a message that did not come."""
MOST_MISSING = 1024
"""Ranks, for each that has left a file: with more of them than that nothing can be said."""
FINISHES = ("waitall", "wait", "waitany", "waitsome", "test", "none")
Count = Annotated[int, AtLeast(0)]
Seconds = Annotated[float, AtLeast(0.0)]


@dataclass(frozen=True)
class Run:
    """How a rank was run: the first line of its file."""

    recording: int
    rank: Count
    ranks: Annotated[int, AtLeast(1)]
    program: list[str]
    begin: float
    end: float
    in_mpi: Seconds
    host: str = ""
    cpus: list[int] = field(default_factory=list)
    pid: int = 0
    executable: str = ""
    library: str = ""
    interface: str = ""
    threads: str = ""
    how: str = "finalized"
    run: str = ""
    """The same on all ranks of one program, and no other's."""
    launched: int = 0
    started: int = 0
    """When its launcher was started, and when it came to MPI_Init: milliseconds of the calendar."""
    job: str = ""
    """As the batch system calls it."""
    named: bool = False
    """Whether it is what `halocline-preload` was given, and not what that has started."""
    smaller: int = 1
    """The recorder had room for one part in so many."""
    offset: list[tuple[float, float]] = field(default_factory=list)
    offset_within: Seconds = 0.0
    calls: Count = 0
    own: Seconds = 0.0
    """Seconds of the recorder itself, outside of `in_mpi`."""
    timed: Seconds = 0.0
    processor: Seconds = 0.0
    """The computing that was looked at, and how much of it the rank had a processor."""
    left_out: dict[str, Count] = field(default_factory=dict)
    unseen: dict[str, Any] = field(default_factory=dict)
    libraries: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """How long it ran from the end of MPI_Init to MPI_Finalize, but for the recorder."""
        return max(self.end - self.begin - self.own, 0.0)

    @property
    def computing_s(self) -> float:
        """How long it was outside of MPI."""
        return max(self.seconds - self.in_mpi, 0.0)

    def here(self, time: float) -> float:
        """Return a time of this rank's clock as one of rank 0's."""
        if not self.offset:
            return time
        place = bisect_right([known for known, _ in self.offset], time)
        if place == 0:
            return time + self.offset[0][1]
        if place == len(self.offset):
            return time + self.offset[-1][1]
        (since, first), (until, last) = self.offset[place - 1], self.offset[place]
        part = (time - since) / (until - since) if until > since else 1.0
        return time + first + part * (last - first)


@dataclass(frozen=True)
class Site:
    """A place in the program that calls: frames from the caller outwards."""

    site: Count
    frames: list[list[Any]]
    """Object file, offset in it, and the symbol where it is known."""


@dataclass(frozen=True)
class Layout:
    """One element of a datatype."""

    layout: Count
    type: str = ""
    bytes: Count = 0
    extent: int = 0
    blocks: Count = 1
    block_bytes: Count = 0
    offsets: list[tuple[int, Count]] = field(default_factory=list)


@dataclass(frozen=True)
class Comm:
    """A communicator; `members` are ranks of the world, -1 those of another one."""

    comm: Count
    key: str
    size: Annotated[int, AtLeast(1)]
    members: list[int] = field(default_factory=list)
    topology: Optional[dict[str, Any]] = None  # noqa: UP045 - read by shapes


@dataclass(frozen=True)
class Window:
    """A window."""

    window: Count
    comm: Count
    key: str = ""
    flavour: str = ""
    bytes: Count = 0


@dataclass(frozen=True)
class Call:
    """All calls of the same function with the same arguments from one place."""

    call: Count
    function: str
    times: Count
    seconds: Seconds
    comm: Optional[int] = None  # noqa: UP045
    site: Optional[int] = None  # noqa: UP045
    peer: Any = None
    tag: Any = None
    count: Optional[float] = None  # noqa: UP045
    layout: Optional[int] = None  # noqa: UP045
    window: Optional[int] = None  # noqa: UP045
    least: Seconds = 0.0
    most: Seconds = 0.0
    outside: Seconds = 0.0
    own: Seconds = 0.0
    """Seconds of the recorder itself in these calls, outside of `seconds`."""


@dataclass(frozen=True)
class Link:
    """A message that a rank sends, receives, puts or gets in a shape; `peer` is of the world."""

    kind: Annotated[str, OneOf(KINDS)]
    comm: Count
    peer: Any
    bytes: Count
    tag: Any = 0
    layout: Optional[int] = None  # noqa: UP045
    count: Count = 0
    call: Optional[int] = None  # noqa: UP045

    @property
    def outgoing(self) -> bool:
        """Whether the data go from this rank to the peer."""
        return self.kind in ("send", "put", "accumulate")


@dataclass(frozen=True)
class Shape:
    """One rank's part of an exchange, again and again the same."""

    shape: Count
    calls: list[Count]
    way: Annotated[str, OneOf(WAYS)]
    links: list[Link]
    times: Annotated[int, AtLeast(1)]
    finish: Any = "none"
    """A word of `FINISHES`, or several."""
    start: Seconds = 0.0
    finish_seconds: Seconds = 0.0
    inside: Seconds = 0.0
    before: Seconds = 0.0
    own: Seconds = 0.0
    """Seconds of the recorder itself in these calls."""
    bytes: list[Count] = field(default_factory=list)
    """Least and most sent at a time, where sizes vary."""
    durations: list[Seconds] = field(default_factory=list)
    befores: list[Seconds] = field(default_factory=list)
    processors: list[Optional[float]] = field(default_factory=list)  # noqa: UP045
    """How long the rank had a processor in each of these; None: not known."""
    longest: list[tuple[Count, Seconds, Optional[float]]] = field(  # noqa: UP045
        default_factory=list
    )
    """The longest of all: at which time, how long, and how long on a processor."""

    @property
    def completion(self) -> str:
        """The word for how it is completed; the first of several."""
        words = self.finish if isinstance(self.finish, list) else [self.finish]
        return next((str(word) for word in words if word in FINISHES), "none")

    @property
    def seconds(self) -> float:
        """Seconds in MPI over all times."""
        return self.start + self.finish_seconds

    @property
    def sent(self) -> int:
        """Bytes that leave at a time; the most, where sizes vary."""
        fixed = sum(link.bytes for link in self.links if link.outgoing)
        return max(fixed, *self.bytes) if self.bytes else fixed

    @property
    def varies(self) -> bool:
        """Whether sizes differ from time to time."""
        return len(self.bytes) == 2 and self.bytes[0] != self.bytes[1]


@dataclass(frozen=True)
class Message:
    """A message of a channel that was kept with its times (of the rank's own clock)."""

    message: Annotated[str, OneOf(("sent", "received"))]
    comm: str
    peer: Any
    tag: int
    number: Count
    posted: float
    waited: float
    done: float
    shape: Optional[int] = None  # noqa: UP045


@dataclass(frozen=True)
class Meeting:
    """A rank's part in a collective that was kept with its times."""

    meeting: str
    number: Count
    function: str
    enter: float
    leave: float
    call: Optional[int] = None  # noqa: UP045
    bytes: Count = 0


@dataclass(frozen=True)
class Last:
    """In which call a thread stood when its run was ended; no function: in none, since `call`."""

    last: str
    since: float
    thread: Count = 0
    call: Optional[int] = None  # noqa: UP045
    site: Optional[int] = None  # noqa: UP045
    comm: Optional[int] = None  # noqa: UP045
    peer: Any = None
    """A rank of the world, as all peers here, `any` or `null`."""
    tag: Any = None
    other_peer: Any = None
    other_tag: Any = None
    root: Optional[int] = None  # noqa: UP045


@dataclass(frozen=True)
class Pending:
    """What a rank had begun and not completed when its run was ended."""

    pending: Annotated[str, OneOf(("send", "receive", "collective"))]
    since: float
    comm: Optional[int] = None  # noqa: UP045
    peer: Any = None
    tag: Any = None
    bytes: int = 0


Line = Union[Run, Site, Layout, Comm, Window, Call, Shape, Message, Meeting, Last, Pending]
LINES: dict[str, type] = {
    "recording": Run, "site": Site, "layout": Layout, "comm": Comm, "window": Window,
    "call": Call, "shape": Shape, "message": Message, "meeting": Meeting, "last": Last,
    "pending": Pending,
}  # fmt: skip
"""By the first key of a line; a `sequence` says in which order calls came, and is not needed."""


@dataclass
class Rank:
    """What one rank has recorded."""

    run: Run
    sites: dict[int, Site] = field(default_factory=dict)
    layouts: dict[int, Layout] = field(default_factory=dict)
    comms: dict[int, Comm] = field(default_factory=dict)
    windows: dict[int, Window] = field(default_factory=dict)
    calls: dict[int, Call] = field(default_factory=dict)
    shapes: dict[int, Shape] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    meetings: list[Meeting] = field(default_factory=list)
    lasts: list[Last] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)

    @property
    def number(self) -> int:
        """Its rank in the world."""
        return self.run.rank

    def key(self, comm: int | None) -> str:
        """Return what all members of a communicator call it."""
        known = self.comms.get(comm) if comm is not None else None
        return known.key if known else f"?{comm}"


@dataclass
class Recording:
    """All ranks that have left a file, by their numbers."""

    folder: Path
    ranks: dict[int, Rank]
    others: list[str] = field(default_factory=list)
    """Which other programs of the same launch were recorded, and where."""

    @property
    def run(self) -> Run:
        """The first line of the first file: what is the same for all."""
        return next(iter(self.ranks.values())).run

    @property
    def size(self) -> int:
        """Ranks that the program ran on."""
        return self.run.ranks

    @property
    def missing(self) -> list[int]:
        """Ranks that have left nothing."""
        return [rank for rank in range(self.size) if rank not in self.ranks]

    @property
    def seconds(self) -> float:
        """How long the program ran: the longest of its ranks."""
        return max(rank.run.seconds for rank in self.ranks.values())

    @property
    def all_seconds(self) -> float:
        """All ranks' time: what shares are of."""
        return sum(rank.run.seconds for rank in self.ranks.values()) or 1e-9

    @property
    def own(self) -> float:
        """The recorder's part of all ranks' time with it."""
        own = sum(rank.run.own for rank in self.ranks.values())
        return own / (self.all_seconds + own)

    @property
    def clock_error(self) -> float:
        """How far two clocks may be apart."""
        return 2 * max(rank.run.offset_within for rank in self.ranks.values())


def load(folder: Path) -> Recording:
    """Read a recording.

    Parameters
    ----------
    folder
        Where the files of ranks are, or a folder with one such `NAME.recording` in it.

    Raises
    ------
    HaloclineError
        When there is none, or a line is not as it must be; the message names file and line.
    """
    place, others = _chosen(_within(folder))
    files = _files(place)
    if not files:
        raise HaloclineError(
            f"{shown(str(folder))} is no recording: it has no files rank-00000.jsonl, ..."
        )
    ranks = {number: _rank(files[number], number) for number in sorted(files)}
    first = next(iter(ranks.values())).run
    if first.ranks > MOST_MISSING * len(files):
        raise HaloclineError(
            f"{files[min(files)]}, line 1: {first.ranks} ranks, but {shown(str(place))} has files "
            f"of {len(files)}"
        )
    for number, rank in ranks.items():
        if rank.run.ranks != first.ranks or number >= first.ranks:
            raise HaloclineError(
                f"{files[number]}, line 1: rank {number} of {rank.run.ranks} in a recording of "
                f"{first.ranks} ranks; keep recordings in folders of their own"
            )
        if rank.run.run != first.run:
            raise HaloclineError(
                f"{shown(str(place))} holds files of two runs ({first.run} and {rank.run.run}): "
                "keep recordings in folders of their own"
            )
    return Recording(place, ranks, others)


def missing_in(folder: Path) -> list[int]:
    """Return the ranks that have left nothing in a recording: only a head is read, not all."""
    with suppress(HaloclineError, OSError):
        place, _ = _chosen(folder)
        files = _files(place)
        for number, file in files.items():
            with file.open("rb") as lines:
                head = _head(_content(lines.readline(), str(file)), number, str(file))
            if head.ranks > MOST_MISSING * len(files):
                break
            return [rank for rank in range(head.ranks) if rank not in files]
    return []  # what is wrong is said when it is read


def _within(folder: Path) -> Path:
    try:
        inside = list(folder.iterdir())
    except OSError as error:
        raise HaloclineError(f"cannot read {shown(str(folder))}: {error.strerror}") from error
    if not any(FILE.fullmatch(file.name) for file in inside):
        made = [file for file in inside if file.name.endswith(SUFFIX) and file.is_dir()]
        if len(made) == 1:
            return made[0]
    return folder


def _files(folder: Path) -> dict[int, Path]:
    """Return the files of ranks in a folder."""
    return {
        int(found[1]): file for file in folder.iterdir() if (found := FILE.fullmatch(file.name))
    }


def _chosen(folder: Path) -> tuple[Path, list[str]]:
    """Return which of the programs of a launch is meant, and what to say of the others.

    It is the one that was named to the recorder, or else the one that took its ranks most time.
    """
    heads: dict[Path, Run] = {}
    for place in (folder, *sorted(one for one in folder.iterdir() if one.is_dir())):
        for number, file in sorted(_files(place).items())[:1]:
            # What cannot be read is said when it is the one that is meant.
            with suppress(HaloclineError, OSError), file.open("rb") as lines:
                heads[place] = _head(_content(lines.readline(), str(file)), number, str(file))
    if len(heads) < 2:
        return next(iter(heads), folder), []
    own = heads.get(folder)
    if own is not None:  # of an earlier launch something may be left
        heads = {place: run for place, run in heads.items() if run.started >= own.launched}
    best = max(heads, key=lambda one: (heads[one].named, heads[one].ranks * heads[one].seconds))
    alike: dict[tuple[str, int], list[Path]] = {}
    for place, run in heads.items():
        if place != best:
            alike.setdefault((Path(run.program[0]).name, run.ranks), []).append(place)
    said = []
    for (name, ranks), places in alike.items():
        times = f", {len(places)} times" if len(places) > 1 else ""
        said.append(
            f"{shown(name)} was recorded, too ({ranks} rank{'s' * (ranks != 1)}{times}): "
            f"{shown(str(places[0]))}"
        )
    return best, said


def _rank(file: Path, number: int) -> Rank:
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise HaloclineError(f"cannot read {file}: {error.strerror}") from error
    found: Rank | None = None
    for at, text in enumerate(lines, 1):
        where = f"{file}, line {at}"
        content = _content(text, where)
        if found is None:
            found = Rank(_head(content, number, where))
            continue
        kind = next((key for key in content if key in LINES), None)
        if kind in (None, "recording"):  # a sequence, or what a later version has
            continue
        _add(found, _line(content, LINES[kind], where), where)
    if found is None:
        raise HaloclineError(f"{file} is empty: its rank has written nothing")
    found.run = _of_its_thread(found)
    return found


def _of_its_thread(rank: Rank) -> Run:
    """Return a run with the recorder's own time of the thread that initialised MPI alone.

    Others' does not make the run longer by as much; each has the part that it has of all calls.
    """
    whole = sum(call.seconds for call in rank.calls.values())
    if rank.run.threads != "multiple" or whole <= rank.run.in_mpi:
        return rank.run
    return replace(rank.run, own=rank.run.own * rank.run.in_mpi / whole)


def _content(text: bytes, where: str) -> dict[str, Any]:
    try:
        content = records.parsed(text)
    except ValueError as error:
        problem = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise HaloclineError(f"{where}: it is not JSON: {problem}") from error
    if not isinstance(content, dict) or not content:
        raise HaloclineError(f"{where}: must be an object, not {shapes.shown(content)}")
    return content


def _head(content: dict[str, Any], number: int, where: str) -> Run:
    version = content.get("recording")
    if version is None:
        raise HaloclineError(f'{where}: must begin with "recording"; this is no recording')
    if version != VERSION or isinstance(version, bool):
        raise HaloclineError(
            f"{where}: version {shapes.shown(version)} of recordings; this halocline reads "
            f"version {VERSION}"
        )
    run: Run = _line(content, Run, where)
    if run.rank != number:
        raise HaloclineError(f"{where}: it is of rank {run.rank}, the file's name says {number}")
    if run.rank >= run.ranks:
        raise HaloclineError(f"{where}: rank {run.rank} is none of {run.ranks}")
    if run.end < run.begin:
        raise HaloclineError(f'{where}: "end" is before "begin"')
    return run


def _line(content: dict[str, Any], kind: type, where: str) -> Any:
    try:
        return shapes.fitted(content, kind, where)
    except MisfitError as error:
        raise HaloclineError(str(error)) from error


def _add(rank: Rank, line: Line, where: str) -> None:
    """Put a line where it belongs, and check what it points to: that stands before it."""

    def known(number: int | None, among: dict[int, Any], what: str) -> None:
        if number is not None and number not in among:
            raise HaloclineError(f"{where}: there is no {what} {number} in the lines before")

    if isinstance(line, Message):
        known(line.shape, rank.shapes, "shape")
        if line.peer not in ELSEWHERE:
            _within_world(line.peer, rank, where)
            rank.messages.append(line)
    elif isinstance(line, Meeting):
        rank.meetings.append(line)
    elif isinstance(line, Shape):
        for call in line.calls:
            known(call, rank.calls, "call")
        for link in line.links:
            known(link.comm, rank.comms, "comm")
            known(link.layout, rank.layouts, "layout")
            if link.peer not in ELSEWHERE:
                _within_world(link.peer, rank, where)
            if not isinstance(link.tag, int) and link.tag != "any":
                raise HaloclineError(f"{where}: its tag {shapes.shown(link.tag)} is none")
        inside = [
            link for link in line.links if link.peer not in ELSEWHERE and isinstance(link.tag, int)
        ]
        rank.shapes[line.shape] = _without_own(replace(line, links=inside), rank)
    elif isinstance(line, Call):
        known(line.site, rank.sites, "site")
        rank.calls[line.call] = line
    elif isinstance(line, Site):
        rank.sites[line.site] = line
    elif isinstance(line, Layout):
        rank.layouts[line.layout] = line
    elif isinstance(line, Comm):
        rank.comms[line.comm] = line
    elif isinstance(line, Window):
        rank.windows[line.window] = line
    elif isinstance(line, Last):
        known(line.site, rank.sites, "site")
        known(line.call, rank.calls, "call")
        _peers_or_tags(where, line.peer, line.tag, line.other_peer, line.other_tag)
        rank.lasts.append(line)
    elif isinstance(line, Pending):
        _peers_or_tags(where, line.peer, line.tag)
        rank.pending.append(line)


def _peers_or_tags(where: str, *some: Any) -> None:
    for one in some:
        number = isinstance(one, int) and not isinstance(one, bool)
        if one is not None and not number and one not in ("any", "null"):
            raise HaloclineError(f"{where}: {shapes.shown(one)} is no peer and no tag")


def _without_own(shape: Shape, rank: Rank) -> Shape:
    """Return a shape whose computing is without the recorder's own time in the shape's calls.

    Before the exchange lies about as much of it as the first call has, half of it of the last call
    of the shape before; the rest lies within.
    """
    if shape.own == 0 or not shape.calls:
        return shape
    opening = rank.calls[shape.calls[0]]
    first = min(opening.own / max(opening.times, 1), shape.own / shape.times)
    return replace(
        shape, before=max(shape.before - first * shape.times, 0.0),
        inside=max(shape.inside - shape.own + first * shape.times, 0.0),
        befores=[max(one - first, 0.0) for one in shape.befores],
    )  # fmt: skip


def _within_world(peer: Any, rank: Rank, where: str) -> None:
    whole = isinstance(peer, int) and not isinstance(peer, bool)
    if not whole or not 0 <= peer < rank.run.ranks:
        raise HaloclineError(
            f"{where}: its peer {shapes.shown(peer)} is none of {rank.run.ranks} ranks"
        )
