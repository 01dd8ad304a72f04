"""Schedules of real codes in GOAL's text format, as one repeated exchange.

GOAL (T. Hoefler, C. Siebert, A. Lumsdaine, ICPP 2009) lists for each rank what it sends, receives
and computes; LogGOPSim, LLAMP and ATLAHS read it, and the latter's collection has traces of ICON,
LULESH, LAMMPS, HPCG and others. Most codes do the same again and again. So a step here is one
message along each link, of its mean size, and as much computing as there is for each of them.
"""

from __future__ import annotations

import functools
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.text import shown

HEAD = re.compile(r"num_ranks\s+(\d{1,9})")
RANK = re.compile(r"rank\s+(\d{1,9})\s*\{?")
LABEL = r"(?:[A-Za-z]\w*\s*:\s*)?"
SEND = re.compile(LABEL + r"send\s+(\d{1,15})\s*b\s+to\s+(\d{1,9})\b[\w\s-]*")
CALC = re.compile(LABEL + r"calc\s+(\d{1,15})\s*(?:cpu\s+(\d{1,9}))?\s*")
OTHER = re.compile(LABEL + r"recv\s+\d+\s*b\s+from\s+-?\d+\b[\w\s-]*|\w+\s+i?requires\s+\w+|[{}]")
"""What is received was sent by somebody, and what waits for what is the step's own order here.

Numbers have no more digits than sums of doubles can hold; those with more are in no trace.
"""
RARE = 0.5
"""Links with fewer messages than this share of the others' belong to no step."""


@dataclass(frozen=True)
class Schedule:
    """What ranks do in a step of a trace."""

    ranks: int
    links: tuple[tuple[int, int, int], ...]
    """Who sends how many bytes to whom."""
    compute_ns: tuple[float, ...]
    """Nanoseconds of computing, rank by rank."""
    steps: int
    """That the trace has."""

    def case(self) -> dict[str, Any]:
        """Return what a simulation is told of it: points are nanoseconds of the trace."""
        how = {"seconds_per_point": 1e-9, "points": list(self.compute_ns)}
        return {
            "patterns": {"trace": {"kind": "links", "links": [list(one) for one in self.links]}},
            "program": [{"compute": how}, {"exchange": "trace"}],
        }  # fmt: skip


def load(path: str | Path) -> Schedule:
    """Read a file.

    Raises
    ------
    HaloclineError
        When it cannot be read, or is no schedule in GOAL's text format; the message names the line.
    """
    file = Path(path)
    try:
        now = file.stat()
        return _loaded(file, now.st_mtime_ns, now.st_size)
    except OSError as error:
        raise HaloclineError(f"goal: cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise HaloclineError(
            f"goal: {file} is not GOAL's text format; give the .goal file, not the .bin"
        ) from error


@functools.lru_cache(maxsize=4)
def _loaded(file: Path, *_: int) -> Schedule:
    ranks, rank, described = 0, None, set()
    count: Counter[tuple[int, int]] = Counter()
    size: Counter[tuple[int, int]] = Counter()
    busy: dict[int, Counter[int]] = defaultdict(Counter)  # of each rank, by its processors

    def refuse(number: int, why: str) -> HaloclineError:
        return HaloclineError(f"goal: {file}, line {number}: {why}")

    with file.open(encoding="utf-8-sig") as text:
        for number, line in _lines(text):
            if found := HEAD.fullmatch(line):
                if ranks:
                    raise refuse(number, f"num_ranks again; it was {ranks}")
                ranks = int(found[1])
            elif found := RANK.fullmatch(line):
                rank = int(found[1])
                if rank >= ranks:
                    raise refuse(number, f"rank {rank} is none of num_ranks {ranks}")
                described.add(rank)
            elif rank is None:
                raise refuse(
                    number, f'"{shown(line[:40])}" must be num_ranks N, and then rank 0 {{'
                )
            elif found := SEND.fullmatch(line):
                link = (rank, int(found[2]))
                if link[1] >= ranks:
                    raise refuse(number, f"it sends to {link[1]}, which is none of {ranks} ranks")
                count[link] += 1
                size[link] += int(found[1])
            elif found := CALC.fullmatch(line):
                busy[rank][int(found[2] or 0)] += int(found[1])
            elif not OTHER.fullmatch(line):
                raise refuse(
                    number, f'"{shown(line[:40])}" must be send, recv, calc or (i)requires'
                )
    if not count:
        raise HaloclineError(f"goal: {file}: nobody sends anything")
    if len(described) < ranks:
        raise HaloclineError(
            f"goal: {file}: num_ranks is {ranks}, but it describes {len(described)} ranks"
        )
    steps = statistics.mode(count.values())
    links = [
        (*link, round(size[link] / steps))
        for link in sorted(count)
        if count[link] >= RARE * steps and link[0] != link[1]
    ]
    compute = (max(busy[one].values(), default=0) / steps for one in range(ranks))
    return Schedule(ranks, tuple(links), tuple(compute), steps)


def _lines(text: Any) -> Iterator[tuple[int, str]]:
    """Yield what is not a comment, with the numbers of lines."""
    inside = False
    for number, line in enumerate(text, 1):
        kept = line.split("//")[0].strip()
        if kept.startswith("/*"):
            inside = True
        if kept and not inside:
            yield number, kept
        inside = inside and not kept.endswith("*/")
