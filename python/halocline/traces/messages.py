"""Messages of a trace: from the moment that data leave a rank to the wait that they end.

What asynchronous exchanges bring ends no wait: there the message ends where it is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from halocline.traces.file import NOBODY, NUMBER, Exchange, Rank, Trace
from halocline.traces.waits import MOVES, Analysis


@dataclass(frozen=True)
class Message:
    """What one rank's step brought another; times in ns."""

    sender: int
    receiver: int
    bytes: int
    left: tuple[int, int]
    """The sender's calls that started it."""
    arrived: tuple[int, int]
    """The receiver's wait that it ended."""
    exchange: Exchange
    step: int

    @property
    def one_sided(self) -> bool:
        """Whether it was put or got."""
        return self.exchange.one_sided


def messages(trace: Trace, analysis: Analysis | None = None) -> Iterator[Message]:
    """Yield the messages whose both ends the trace has, link by link."""
    analysis = analysis or Analysis(trace)
    for sender in trace.ranks:
        steps = analysis.steps[sender.rank]
        by_number = {
            one.number: one for one in sender.exchanges if one.sends and not one.asynchronous
        }
        for (number, step), mine in steps.items():
            exchange = by_number.get(number)
            if exchange is None:
                continue
            for receiver, size in exchange.sends.items():
                theirs = analysis.steps[receiver].get((number, step))
                if theirs is None or not theirs.finish_waits:
                    continue
                moved = next((mine.calls[move] for move in MOVES if mine.calls.get(move)), [])
                own = [(begin, end) for begin, end, peer in moved if peer == receiver]
                left = (own or mine.transfers or mine.finish_waits)[-1:]
                after = [wait for wait in theirs.finish_waits if left and wait[1] >= left[0][0]]
                if left and after:
                    yield Message(sender.rank, receiver, size, left[0], after[0], exchange, step)
    for receiver in trace.ranks:
        for exchange, step, taken in _taken(receiver):
            sender = exchange.ranks[taken["peer"]]
            offered = analysis.steps[sender].get((exchange.number, step))
            if offered is not None and offered.transfers:
                yield Message(
                    sender, receiver.rank, int(taken["bytes"]), offered.transfers[0],
                    (int(taken["begin"]), int(taken["end"])), exchange, step,
                )  # fmt: skip


def _taken(rank: Rank) -> Iterator[tuple[Exchange, int, np.void]]:
    """Yield what asynchronous exchanges took, with the iteration that it is from."""
    for number, exchange in enumerate(rank.exchanges, 1):
        if not exchange.asynchronous:
            continue
        mine = rank.main[(rank.main["exchange"] == number) & (rank.main["peer"] != NOBODY)]
        for event in mine[mine["activity"] == NUMBER["unpack"]]:
            yield exchange, int(event["step"]), event


def ages(trace: Trace) -> dict[str, np.ndarray]:
    """Return by how many iterations what was taken was behind its taker, by asynchronous exchange.

    Negative where the sender is ahead.
    """
    found: dict[str, list[np.ndarray]] = {}
    for rank in trace.ranks:
        for number, exchange in enumerate(rank.exchanges, 1):
            mine = rank.main[rank.main["exchange"] == number]
            taken = mine[(mine["activity"] == NUMBER["unpack"]) & (mine["peer"] != NOBODY)]
            calls = mine[mine["activity"] == NUMBER["end step"]]
            if not exchange.asynchronous or not len(taken) or not len(calls):
                continue
            place = np.searchsorted(calls["begin"], taken["begin"], "right") - 1
            own = calls["step"][np.maximum(place, 0)].astype(np.int64)
            found.setdefault(exchange.name, []).append(own - taken["step"])
    return {name: np.concatenate(some) for name, some in found.items()}
