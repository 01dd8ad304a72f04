"""A trace as one HTML page that opens offline: overview, single steps, ranks and links."""

from __future__ import annotations

import base64
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, select_autoescape

from halocline.outputs import save
from halocline.traces.file import ACTIVITIES, NUMBER, Rank, Trace
from halocline.traces.messages import Message, messages
from halocline.traces.summary import told
from halocline.traces.waits import STATES, Analysis

DEEPEST = 2
"""Events within more others are left out."""


def write(trace: Trace, file: Path, analysis: Analysis | None = None) -> Path:
    """Write the page; everything is in it, so it can be sent and opens without a network."""
    analysis = analysis or Analysis(trace)
    templates = Environment(
        loader=PackageLoader("halocline.traces"),
        autoescape=select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    job = trace.job
    title = " ".join([job.get("program", "trace"), *job.get("arguments", [])])
    title = re.sub(r" --trace[ =]\S+", "", title)
    page = templates.get_template("page.html").render(
        title=title, sentences=told(trace), data=data(trace, analysis)
    )
    return save(Path(file), page)


def middle(trace: Trace) -> int:
    """Return a step in the middle of those that the page has, for its address: #step=N."""
    events = trace.ranks[0].main
    return int(np.count_nonzero(events["activity"] == NUMBER["begin step"])) // 2


def data(trace: Trace, analysis: Analysis) -> dict[str, Any]:
    """Return what the page draws: columns of numbers, packed."""
    return {
        "length": trace.end - trace.begin,
        "activities": ACTIVITIES,
        "states": STATES,
        "ranks": [_rank(trace, rank, analysis) for rank in trace.ranks],
        "links": _links(trace, list(messages(trace, analysis))),
    }


def _rank(trace: Trace, rank: Rank, analysis: Analysis) -> dict[str, Any]:
    events = rank.main
    events = events[events["depth"] <= DEEPEST]
    states = [one for one in analysis.states if one.rank == rank.rank]
    steps = events[events["activity"] == NUMBER["begin step"]]
    return {
        "name": f"rank {rank.rank}",
        "host": rank.host,
        "dropped": rank.dropped,
        "regions": rank.regions[0],
        "events": {
            **_times(events["begin"] - trace.begin, events["end"] - events["begin"]),
            "activity": _packed(events["activity"], "u1"),
            "depth": _packed(events["depth"], "u1"),
            "region": _packed(np.minimum(events["name"], 255), "u1"),
        },
        "steps": _times(steps["begin"] - trace.begin, steps["end"] - steps["begin"]),
        "waits": {
            **_times(
                np.array([one.begin - trace.begin for one in states], dtype=np.int64),
                np.array([one.end - one.begin for one in states], dtype=np.int64),
            ),
            "state": _packed([STATES.index(one.name) for one in states], "u1"),
            "culprit": _packed([one.culprit for one in states], "<u4"),
        },
    }


def _links(trace: Trace, all_messages: list[Message]) -> list[dict[str, Any]]:
    by_link: dict[tuple[int, int], list[Message]] = {}
    for one in all_messages:
        by_link.setdefault((one.sender, one.receiver), []).append(one)
    found = []
    for (sender, receiver), some in sorted(by_link.items()):
        some.sort(key=lambda one: one.left[0])
        left = np.array([one.left[0] for one in some], dtype=np.int64) - trace.begin
        length = np.array([one.arrived[1] for one in some], dtype=np.int64) - trace.begin - left
        found.append(
            {
                "from": sender,
                "to": receiver,
                "bytes": max(one.bytes for one in some),
                **_times(left, np.maximum(length, 0)),
            }
        )
    return found


def _times(begin: np.ndarray, length: np.ndarray) -> dict[str, Any]:
    """Pack intervals in the order of their beginnings: steps from one to the next, and lengths."""
    gaps = np.diff(begin, prepend=0)
    unit = max(1, -(-int(max(gaps.max(initial=0), length.max(initial=0))) // 0xFFFFFFFF))
    return {
        "unit": unit,
        "gap": _packed(np.diff(begin // unit, prepend=0), "<u4"),
        "length": _packed(length // unit, "<u4"),
    }


def _packed(numbers: Any, kind: str) -> str:
    raw = np.asarray(numbers).astype(kind).tobytes()
    return base64.b64encode(zlib.compress(raw, 6)).decode()
