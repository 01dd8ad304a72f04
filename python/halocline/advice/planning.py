"""The plan of a replay: what every rank exchanges in a step, as it was recorded.

docs/reference/replay.md is the format. Both ends of a message must agree; where ranks have recorded
it differently (one of them has left nothing, or its shapes came out otherwise), the sender's word
counts, and a receive is added or left out.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from halocline.advice.patterns import Pattern, link_keys
from halocline.advice.recording import Layout, Link, Rank, Recording, Shape

VERSION = 1
BLOCKING = ("send", "ssend", "rsend", "bsend", "recv", "sendrecv", "sendrecv_replace")
"""Functions that end with their message."""
SAMPLES = 64
"""Lengths of computing that a rank goes through again and again."""
MODES = {"ssend": "synchronous", "rsend": "ready", "bsend": "buffered"}


@dataclass(frozen=True)
class Used:
    """A link of a step, and how its bytes vary."""

    link: Link
    least: int
    most: int

    @property
    def size(self) -> int | list[int]:
        """As a plan has it."""
        return self.most if self.least == self.most else [self.least, self.most]


@dataclass(frozen=True)
class Message:
    """A message of a step: who sends it, who receives it, and which of theirs it is."""

    origin: int
    target: int
    comm: str
    tag: int
    place: int
    """Among those of the same ranks, communicator and tag."""


def plan(
    recording: Recording,
    chosen: Sequence[tuple[Pattern, float]],
    *,
    budget_s: float,
    schemes: Sequence[str] | str = "all",
    alternatives: Sequence[str] | str = "all",
    balanced: bool | str = "both",
    seed: int = 1,
) -> dict[str, Any]:
    """Return a plan for patterns with their weights."""
    return {
        "plan": VERSION, "ranks": recording.size, "budget": budget_s, "seed": seed,
        "balanced": balanced, "schemes": schemes if schemes == "all" else list(schemes),
        "alternatives": alternatives if alternatives == "all" else list(alternatives),
        "patterns": [
            {
                "name": str(pattern.number), "weight": weight, "way": way_of(pattern),
                "finish": _finish(recording, pattern), **_window(recording, pattern),
                "ranks": _ranks(recording, pattern),
            }
            for pattern, weight in chosen
        ],
    }  # fmt: skip


def text_of(content: dict[str, Any]) -> str:
    """Return a plan as text: a rank a line, so that people can read and change it."""
    patterns = [
        {**one, "ranks": [json.dumps(rank) for rank in one["ranks"]]} for one in content["patterns"]
    ]
    text = json.dumps({**content, "patterns": patterns}, indent=1)
    for one in patterns:
        for rank in one["ranks"]:
            text = text.replace(json.dumps(rank), rank, 1)
    return text + "\n"


def way_of(pattern: Pattern) -> str:
    """Return how a step is done by all ranks: if some do otherwise, start by start."""
    ways = set(pattern.ways)
    two_sided = {"blocking", "nonblocking", "persistent", "mixed"}
    return "mixed" if len(ways) > 1 and ways <= two_sided else pattern.way


def _finish(recording: Recording, pattern: Pattern) -> str:
    number, shape = pattern.main
    if pattern.way == "lock":
        functions = {recording.ranks[number].calls[one].function for one in shape.calls}
        return "flush" if any("flush" in name.lower() for name in functions) else "unlock"
    known = ("wait", "waitany", "waitsome", "test")
    return shape.completion if shape.completion in known else "waitall"


def _window(recording: Recording, pattern: Pattern) -> dict[str, str]:
    """Return whose memory the window of a pattern is of: the program's own, or MPI's."""
    number, shape = pattern.main
    rank = recording.ranks[number]
    windows = {rank.calls[one].window for one in shape.calls} & rank.windows.keys()
    created = any(rank.windows[one].flavour == "create" for one in windows)
    return {"window": "create"} if created else {}


def _ranks(recording: Recording, pattern: Pattern) -> list[dict[str, Any]]:
    steps = {
        rank: _step(recording.ranks[rank], pattern, shapes)
        for rank, shapes in pattern.parts.items()
    }
    sent, received = _ends(recording, steps)
    whole = _agreed(recording, sent, received)
    tags = {key: place for place, key in enumerate(sorted({(m.comm, m.tag) for m in whole}))}
    way, made = way_of(pattern), []
    for number in range(recording.size):
        step = steps.get(number)
        links: list[dict[str, Any]] = []
        done: set[tuple[Message, bool]] = set()  # and whether it leaves: one to itself has both
        receives: dict[int | None, list[int]] = defaultdict(list)
        for message, used in _in_order(recording, number, step):
            link, rank = used.link, recording.ranks[number]
            if message is None:
                links.append(_one_sided(link, rank))
            elif message in whole:
                done.add((message, link.outgoing))
                told = _link(used, rank, tags[message.comm, message.tag], whole[message])
                function = _function(rank, link)
                if function in BLOCKING and way != "blocking":
                    told["blocking"] = True
                if function.startswith("sendrecv"):
                    if link.outgoing:
                        told["with"] = link.call  # its receive, once that is known
                    else:
                        receives[link.call].append(len(links))
                links.append(told)
        for message, size in whole.items():  # what this rank has not recorded
            for own, peer, out in (
                (message.origin, message.target, True), (message.target, message.origin, False)
            ):  # fmt: skip
                if own == number and (message, out) not in done:
                    links.append({
                        "kind": "send" if out else "receive", "peer": peer,
                        "tag": tags[message.comm, message.tag], "bytes": size,
                    })  # fmt: skip
        for told in links:
            if "with" in told:
                partners = receives[told.pop("with")]
                if partners:
                    told["with"] = partners.pop(0)
        made.append({"links": links, **_computing(pattern, number)})
    return made


def _step(rank: Rank, pattern: Pattern, shapes: Sequence[Shape]) -> list[Used]:
    """Return what a rank does in a step: links that are used at least every other time."""
    times = max(pattern.times_of(rank.number), 1)
    count: dict[tuple, int] = defaultdict(int)
    sizes: dict[tuple, list[int]] = defaultdict(list)
    for shape in shapes:
        least = min(shape.bytes) / max(shape.sent, 1) if shape.varies else 1.0
        for key, link in zip(link_keys(shape), shape.links):
            count[key] += shape.times
            sizes[key] += [round(least * link.bytes), link.bytes]
    found: dict[tuple, Used] = {}
    for shape in sorted(shapes, key=lambda one: (min(one.calls, default=0), -one.seconds)):
        for key, link in zip(link_keys(shape), shape.links):
            if 2 * count[key] >= times:
                found.setdefault(key, Used(link, min(sizes[key]), max(sizes[key])))
    step = list(found.values())
    if way_of(pattern) in ("blocking", "mixed"):
        # As the program calls first: a shape may begin in the middle of its loop, where a receive
        # that is first waits for a message that is last.
        step.sort(key=lambda used: -1 if used.link.call is None else used.link.call)
    return step


Ends = dict[Message, Used]


def _ends(recording: Recording, steps: dict[int, list[Used]]) -> tuple[Ends, Ends]:
    sent: Ends = {}
    received: Ends = {}
    for number, step in steps.items():
        for message, used in _in_order(recording, number, step):
            if message is not None:
                (sent if used.link.outgoing else received)[message] = used
    return sent, received


def _in_order(
    recording: Recording, number: int, step: Sequence[Used] | None
) -> list[tuple[Message | None, Used]]:
    """Return the links of a rank with the messages that they are ends of; None for one-sided."""
    rank = recording.ranks.get(number)
    count: dict[tuple, int] = defaultdict(int)
    found: list[tuple[Message | None, Used]] = []
    for used in step or ():
        link = used.link
        if rank is None or link.kind not in ("send", "receive"):
            found.append((None, used))
            continue
        ends = (number, link.peer) if link.outgoing else (link.peer, number)
        key = (*ends, rank.key(link.comm), link.tag, link.outgoing)
        found.append((Message(*ends, rank.key(link.comm), link.tag, count[key]), used))
        count[key] += 1
    return found


def _agreed(recording: Recording, sent: Ends, received: Ends) -> dict[Message, int | list[int]]:
    """Return the messages of a step with their sizes: those that both ends know.

    A rank that has left nothing knows what the others say.
    """
    missing = recording.missing
    whole = {
        message: used.size
        for message, used in sent.items()
        if message in received or message.target in missing
    }
    whole.update(
        (message, used.size) for message, used in received.items() if message.origin in missing
    )
    return whole


def _function(rank: Rank, link: Link) -> str:
    call = rank.calls.get(link.call) if link.call is not None else None
    return call.function.lower().removeprefix("mpi_") if call else ""


def _link(used: Used, rank: Rank, tag: int, size: int | list[int]) -> dict[str, Any]:
    link = used.link
    told: dict[str, Any] = {"kind": link.kind, "peer": link.peer, "tag": tag, "bytes": size}
    layout = layout_of(rank.layouts.get(link.layout) if link.layout is not None else None, link)
    if layout and link.bytes == size:
        told["layout"] = layout
    name = _function(rank, link).removeprefix("i")
    mode = next((mode for start, mode in MODES.items() if name.startswith(start)), "")
    return {**told, "mode": mode} if mode and link.outgoing else told


def _one_sided(link: Link, rank: Rank) -> dict[str, Any]:
    kind = "put" if link.kind == "accumulate" else link.kind
    told: dict[str, Any] = {"kind": kind, "peer": link.peer, "bytes": link.bytes}
    layout = layout_of(rank.layouts.get(link.layout) if link.layout is not None else None, link)
    return {**told, "layout": layout} if layout else told


def layout_of(layout: Layout | None, link: Link) -> dict[str, Any] | None:
    """Return where a link's bytes lie, as a plan has it; None: together, or it is not known."""
    if layout is None or layout.bytes == 0 or layout.bytes * max(link.count, 1) != link.bytes:
        return None
    count = max(link.count, 1)
    if layout.blocks <= 1:
        apart = count > 1 and layout.extent > layout.bytes
        return {"count": count, "block": layout.bytes, "stride": layout.extent} if apart else None
    found = _blocks(layout)
    if found is not None and count > 1:
        found |= {"repeat": count, "extent": layout.extent}
    return found


def _blocks(layout: Layout) -> dict[str, Any] | None:
    offsets = [offset for offset, _ in layout.offsets]
    sizes = {size for _, size in layout.offsets}
    strides = {after - before for before, after in zip(offsets, offsets[1:])}
    size = layout.block_bytes or (sizes.pop() if len(sizes) == 1 else 0)
    all_known = len(offsets) == layout.blocks
    if len(strides) == 1 and size and (all_known or layout.block_bytes):
        (stride,) = strides
        if stride >= size and offsets[0] == 0:
            return {"count": layout.blocks, "block": size, "stride": stride}
    if all_known:
        return {"offsets": offsets, "bytes": [size for _, size in layout.offsets]}
    if size and size * layout.blocks == layout.bytes and layout.extent >= layout.bytes:
        return {"count": layout.blocks, "block": size, "stride": layout.extent // layout.blocks}
    return None


def _computing(pattern: Pattern, number: int) -> dict[str, Any]:
    """Return how long a rank computes before and within an exchange."""
    shapes = pattern.parts.get(number)
    if not shapes:
        return {}
    times = max(pattern.times_of(number), 1)
    main = max(shapes, key=lambda one: one.times)
    befores = _spread(main.befores) if len(shapes) == 1 else []
    told: dict[str, Any] = {
        "before": befores or sum(shape.before for shape in shapes) / times,
        "between": sum(shape.inside for shape in shapes) / times,
    }
    return told


def _spread(values: Sequence[float]) -> list[float]:
    """Return some of many values, from all over them."""
    if len(values) <= SAMPLES:
        return list(values)
    return [values[place * len(values) // SAMPLES] for place in range(SAMPLES)]
