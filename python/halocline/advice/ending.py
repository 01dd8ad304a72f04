"""How a run ended that was ended: by what, and in which calls its ranks stood then."""

from __future__ import annotations

import re
import signal
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from halocline.advice import places
from halocline.advice.recording import Last, Rank, Recording
from halocline.figures import plain, scale

MOST = 8
"""Lines on where ranks stood; with more of them, peers and tags are not told apart."""
PENDING = 3
"""Messages under way that a line names."""


def signal_of(how: str) -> str:
    """Return the signal that ended a rank: `SIGTERM`; empty: none."""
    if found := re.fullmatch(r"signal (\d+)", how):
        with suppress(ValueError):
            return signal.Signals(int(found[1])).name
        return how
    return ""


def cause(how: str) -> str:
    """Return what ended a rank, in words; empty: it ended by itself."""
    if found := signal_of(how):
        return found
    return "MPI_Abort or another rank" if how == "aborted" else ""


def numbers(ranks: Sequence[int]) -> str:
    """Return `rank 3`, or `ranks 0, 1 and 2 others`."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    listed = ", ".join(str(rank) for rank in ranks[:8])
    return f"ranks {listed}" + (f" and {len(ranks) - 8} others" if len(ranks) > 8 else "")


def left_nothing(ranks: Sequence[int]) -> str:
    """Return the sentence on ranks that have left no file of a recording."""
    have = "has" if len(ranks) == 1 else "have"
    return f"{numbers(ranks).capitalize()} {have} left no recording: the figures are of the others."


def said(recording: Recording) -> tuple[str, list[str]]:
    """Return what ended a run, in a sentence, and a sentence for each call that ranks stood in.

    Both are empty for a run that ended by itself.
    """
    causes = list(dict.fromkeys(filter(None, (cause(r.run.how) for r in recording.ranks.values()))))
    if not causes:
        return "", []
    signals = list(filter(None, (signal_of(r.run.how) for r in recording.ranks.values())))
    stood = [
        (number, rank, last)
        for number, rank in recording.ranks.items()
        for last in rank.lasts
        if last.last or last.thread == 0
    ]
    inside = len({number for number, _, last in stood if last.last})
    where = f" while {inside} of {recording.size} ranks stood in a call of MPI" if inside else ""
    lines = _lines(recording, stood, whole=True)
    if len(lines) > MOST:
        lines = _lines(recording, stood, whole=False)
    left = len(lines) - MOST
    lines = [
        *lines[:MOST],
        *([f"{left} other calls that ranks stood in are not listed."] * (left > 0)),
    ]
    return f"This run was ended by {(signals or causes)[0]}{where}.", lines


def _lines(
    recording: Recording, stood: Sequence[tuple[int, Rank, Last]], *, whole: bool
) -> list[str]:
    # Where ranks of one program stand alike is looked up once.
    first: dict[Hashable, tuple[int, int, str]] = {}
    for number, rank, last in stood:
        site, function = _where(rank, last)
        if site is not None:
            first.setdefault((_frames(rank, site), function), (number, site, function))
    found = places.of_sites(recording, first.values())
    named = {key: str(found[at]) for at, key in enumerate(first) if at in found}
    groups: dict[str, list[tuple[int, float]]] = {}
    for number, rank, last in stood:
        site, function = _where(rank, last)
        place = named.get((_frames(rank, site), function), "?") if site is not None else "?"
        details = [*(_details(rank, last) if whole else ()), *([f"at {place}"] * (place != "?"))]
        what = last.last or "no call of MPI" + f" since {function}" * bool(function)
        text = f"{what} ({', '.join(details)})" if details else what
        groups.setdefault(text, []).append((number, max(rank.run.end - last.since, 0.0)))
    return [
        f"{_capital(numbers(sorted({one for one, _ in some})))} stood in {text} for "
        f"{_time(max(seconds for _, seconds in some))}."
        for text, some in groups.items()
    ]


def _where(rank: Rank, last: Last) -> tuple[int | None, str]:
    """Return the site of the last call, and its function."""
    call = rank.calls.get(last.call) if last.call is not None else None
    if last.last or call is None:
        return last.site, last.last
    return call.site, call.function


def _frames(rank: Rank, site: int) -> Hashable:
    """Return a site in a way that is the same on all ranks."""
    return tuple(tuple(one) for one in rank.sites[site].frames)


def _details(rank: Rank, last: Last) -> Iterable[str]:
    if not last.last:
        return
    name = last.last.lower()
    receives = any(word in name for word in ("recv", "probe")) and "sendrecv" not in name
    if last.peer is not None:
        yield _with("from" if receives else "to", last.peer, last.tag)
    if last.other_peer is not None:
        yield _with("from", last.other_peer, last.other_tag)
    if last.root is not None:
        yield f"root {last.root}"
    comm = rank.comms.get(last.comm) if last.comm is not None else None
    if comm is not None and comm.size < rank.run.ranks:
        yield f"on a communicator of {comm.size} ranks"
    if last.peer is None and last.root is None and last.comm is None and rank.pending:
        named = [
            f"{one.pending} " + _with("to" if one.pending == "send" else "from", one.peer, one.tag)
            if one.peer is not None
            else f"a {one.pending}"
            for one in rank.pending
        ]
        more = f" and {len(named) - PENDING} more" if len(named) > PENDING else ""
        yield "under way: " + "; ".join(named[:PENDING]) + more


def _with(way: str, peer: Any, tag: Any) -> str:
    whom = {"any": "any rank", "null": "MPI_PROC_NULL", -1: "a rank of another world"}.get(
        peer, f"rank {peer}"
    )
    return f"{way} {whom}" + (
        f" with {'any tag' if tag == 'any' else f'tag {tag}'}" * (tag is not None)
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _time(seconds: float) -> str:
    factor, unit = scale(seconds)
    return f"{plain(factor * seconds)} {unit}"
