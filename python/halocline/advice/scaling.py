"""What the model says of a pattern on more ranks: each keeps as many neighbours as now.

Where the communicator has a Cartesian topology, links go along its axes on a larger grid of as many
axes; elsewhere to the ranks as far away in number as now.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.advice.patterns import Pattern
from halocline.advice.recording import Comm, Recording
from halocline.errors import HaloclineError
from halocline.model import Machine, simulation

COUNTS = (100, 10_000)
"""Numbers of ranks."""
MACHINE = "mistral"
"""The machine whose network is taken if the user names none: the one here is not measured."""
PER_NODE = 36
MOST_LINKS = 120_000
"""What is more takes minutes."""
STEPS = 6


@dataclass(frozen=True)
class Scaled:
    """What a scheme is predicted to take at a time on so many ranks."""

    ranks: int
    scheme: str
    seconds: float
    """What a step takes besides computing, in the average rank."""


def predicted(
    recording: Recording, pattern: Pattern, schemes: Sequence[str], machine: Machine,
    programs: Path | None = None, counts: Sequence[int] = COUNTS,
) -> list[Scaled]:  # fmt: skip
    """Return predictions for each scheme and number of ranks; those that cannot be are left out."""
    comm = topology_of(recording, pattern)
    wanted, cases = [], []
    for ranks in counts:
        links = grown(pattern, comm, ranks)
        if not links or len(links) > MOST_LINKS:
            continue
        for scheme in dict.fromkeys(schemes):
            wanted.append((ranks, scheme))
            cases.append(_case(pattern, links, scheme, ranks))
    try:
        outcomes = simulation.simulate(machine, cases, programs) if cases else []
    except HaloclineError:
        return []
    return [
        Scaled(ranks, scheme, _communicated(outcome))
        for (ranks, scheme), outcome in zip(wanted, outcomes)
        if "error" not in outcome
    ]


def _case(
    pattern: Pattern, links: list[tuple[int, int, int]], scheme: str, ranks: int
) -> dict[str, Any]:
    inside, before = pattern.inside_s, pattern.before_s
    whole = inside + before
    return {
        "scheme": scheme, "ranks": ranks, "ranks_per_node": min(PER_NODE, ranks),
        "steps": STEPS, "warm_up": 2, "pattern": {"kind": "links", "links": links},
        "compute": whole, "overlapped": inside / whole if whole > 0 else 0.0,
    }  # fmt: skip


def _communicated(outcome: dict[str, Any]) -> float:
    busy = sum(seconds for verb, seconds in outcome["busy_s"].items() if verb != "compute")
    return float(busy + sum(outcome["wait_s"].values()))


def topology_of(recording: Recording, pattern: Pattern) -> Comm | None:
    """Return the Cartesian communicator that a pattern is on, if it is on one."""
    number, shape = pattern.main
    for link in shape.links:
        comm = recording.ranks[number].comms[link.comm]
        kind = (comm.topology or {}).get("kind")
        if kind == "cart" and comm.topology and comm.topology.get("dims"):
            return comm
    return None


def grown(pattern: Pattern, comm: Comm | None, ranks: int) -> list[tuple[int, int, int]]:
    """Return the links (from, to, bytes) of the same pattern on so many ranks."""
    if comm is not None and comm.topology:
        dims = [int(one) for one in comm.topology["dims"]]
        periodic = [bool(one) for one in comm.topology.get("periodic", [False] * len(dims))]
        members = {world: place for place, world in enumerate(comm.members)}
    else:
        dims, periodic, members = [], [False], {}
    larger = balanced(ranks, max(sum(one > 1 for one in dims), 1))
    used = [axis for axis, extent in enumerate(dims) if extent > 1]
    steps: dict[tuple[int, ...], int] = defaultdict(int)
    for edge in pattern.edges():
        if dims:
            if edge.origin not in members or edge.target not in members:
                continue
            here, there = (_coordinates(members[r], dims) for r in (edge.origin, edge.target))
            step = tuple(
                _shortest(there[axis] - here[axis], dims[axis], periodic[axis]) for axis in used
            )
        else:
            step = (edge.target - edge.origin,)
        steps[step] = max(steps[step], edge.bytes)
    wraps = [periodic[axis] for axis in used] if dims else [False]
    links = []
    for rank in range(ranks):
        here = _coordinates(rank, larger)
        for step, size in steps.items():
            there = [at + by for at, by in zip(here, step)]
            if all(wrap or 0 <= at < n for at, n, wrap in zip(there, larger, wraps)):
                to = _number([at % n for at, n in zip(there, larger)], larger)
                if to != rank:
                    links.append((rank, to, size))
    return links


def balanced(ranks: int, axes: int) -> list[int]:
    """Return extents whose product is the number of ranks, as near to each other as may be."""
    found, left = [], ranks
    for axes_left in range(axes, 0, -1):
        target = round(left ** (1 / axes_left))
        extent = next(n for n in range(max(target, 1), 0, -1) if left % n == 0)
        found.append(extent)
        left //= extent
    return sorted(found, reverse=True)


def _coordinates(place: int, dims: Sequence[int]) -> list[int]:
    found = []
    for extent in reversed(dims):
        found.append(place % extent)
        place //= extent
    return found[::-1]


def _number(at: Sequence[int], dims: Sequence[int]) -> int:
    place = 0
    for one, extent in zip(at, dims):
        place = place * extent + one
    return place


def _shortest(by: int, extent: int, periodic: bool) -> int:
    """Return a step along an axis, the short way round where it is closed."""
    if periodic and abs(by) > extent // 2:
        return by - int(math.copysign(extent, by))
    return by
