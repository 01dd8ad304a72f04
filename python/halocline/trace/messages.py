"""Messages of a trace: from the moment that data leave a rank to the wait that they end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halocline.trace.file import Exchange, Trace
from halocline.trace.waits import MOVES, Analysis


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
        return self.exchange.what.startswith("rma:")


def messages(trace: Trace, analysis: Analysis | None = None) -> Iterator[Message]:
    """Yield the messages whose both ends the trace has, link by link."""
    analysis = analysis or Analysis(trace)
    for sender in trace.ranks:
        steps = analysis.steps[sender.rank]
        by_number = {one.number: one for one in sender.exchanges if one.sends}
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
