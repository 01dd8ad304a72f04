"""From a recording, and what was replayed of it, to the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from halocline.advice import (
    ending,
    lateness,
    patterns,
    places,
    remedies,
    savings,
    scaling,
    waiting,
)
from halocline.advice.answer import SMALLEST, Answer, Row, Together, Try
from halocline.advice.patterns import Pattern
from halocline.advice.places import Place
from halocline.advice.recording import Recording
from halocline.advice.replay import Replayed
from halocline.advice.waiting import Split
from halocline.figures import percent
from halocline.launch import short_library
from halocline.model import Machine
from halocline.text import shown

LEFT_OUT = {
    "signatures": "calls found no room in the recorder's memory",
    "shapes": "exchanges found no room in the recorder's memory",
    "messages": "kept messages found no room in the recorder's memory",
    "sequence": "calls are missing from the order of calls",
}
"""What a recorder counts by; the words follow a number."""
MUCH = 0.05
"""Share of the run: a recorder that takes so much makes ranks late for each other."""
BIG = 0.01
"""Share of all calls: leaving out less changes nothing."""


@dataclass
class Analysis:
    """A recording taken apart: its patterns, their time, their places."""

    recording: Recording
    patterns: list[Pattern] = field(init=False)
    splits: dict[int, Split] = field(init=False)

    def __post_init__(self) -> None:
        self.patterns = patterns.find(self.recording)
        self.splits = waiting.of_patterns(self.recording, self.patterns)

    @property
    def worth(self) -> list[Pattern]:
        """Patterns that are worth a replay: what is not waiting in them is a part of the run."""
        return [
            one
            for one in self.patterns
            if one.share >= savings.WORTH
            and self.splits[one.number].movable / one.all_seconds >= savings.WORTH / 2
        ]

    def answer(
        self,
        command: str = "",
        replayed: Mapping[int, Replayed] | None = None,
        untried: str = "",
        *,
        tries: Sequence[Try] = (),
        machine: Machine | None = None,
        programs: Path | None = None,
        notes: Sequence[str] = (),
        busy: str = "",
    ) -> Answer:
        """Return the answer.

        Parameters
        ----------
        replayed
            What was measured, by the patterns' numbers.
        untried
            Why nothing was.
        machine
            Where the model is to say what more ranks would take; None: nowhere.
        notes
            What limits the answer, besides what the recording says.
        busy
            When others kept the machine busy, in words that begin with `savings.BUSY`.
        """
        recording, run = self.recording, self.recording.run
        found = places.of_patterns(recording, self.patterns)
        given = (replayed or {}, untried, machine, programs, busy)
        rows = tuple(
            self._row(one, found.get(one.number, Place()), *given) for one in self.patterns
        )
        together = tuple(
            Together(
                one.function, one.times, one.bytes, one.split.seconds / recording.all_seconds,
                one.split.waited / recording.all_seconds, one.split.culprit,
            )
            for one in waiting.collectives(recording)
        )  # fmt: skip
        ended, stood = ending.said(recording)
        in_mpi = sum(rank.run.in_mpi for rank in recording.ranks.values())
        hows = {rank.run.how for rank in recording.ranks.values()}
        return Answer(
            command, shown(" ".join(run.program)), short_library(run.library), recording.size,
            recording.seconds, next(iter(hows)) if len(hows) == 1 else ", ".join(sorted(hows)),
            tuple(recording.missing), rows, together, in_mpi / recording.all_seconds,
            lateness.slowest(recording), lateness.longest(recording), untried if self.worth else "",
            machine.name if machine and any(row.scaled for row in rows) else "", tuple(tries),
            tuple(unseen(recording)), (*limits(recording), *notes), busy, ended, tuple(stood),
        )  # fmt: skip

    def _row(
        self, pattern: Pattern, place: Place, replayed: Mapping[int, Replayed], untried: str,
        machine: Machine | None, programs: Path | None, busy: str,
    ) -> Row:  # fmt: skip
        recording, split = self.recording, self.splits[pattern.number]
        whole = recording.all_seconds
        missing = pattern.among(recording.missing)
        why = untried or "no time was left"
        if missing:
            left = "has" if len(missing) == 1 else "have"
            why = f"{ending.numbers(missing)} of it {left} left no recording"
        saving = savings.judged(
            pattern, split, replayed.get(pattern.number), why,
            same=remedies.same_as(pattern), busy=busy,
        )  # fmt: skip
        grid = scaling.topology_of(recording, pattern) is not None
        scaled: list[scaling.Scaled] = []
        if machine is not None and pattern in self.worth:
            best = saving.scheme.name if saving.scheme else "shm:signal"
            schemes = [remedies.scheme_of(pattern), best]
            scaled = scaling.predicted(recording, pattern, schemes, machine, programs)
        finishes = [one.completion for one in pattern.shapes if one.completion != "none"]
        return Row(
            pattern.number, place, pattern.way, finishes[0] if finishes else "none",
            len(pattern.parts), pattern.peers, pattern.bytes, pattern.ragged, pattern.times,
            pattern.times / max(recording.seconds, 1e-9), pattern.share,
            {name: seconds / whole for name, seconds in split.waiting.items()}, split.culprit,
            split.transfer / whole, split.library / whole, split.long / whole, split.seen, saving,
            tuple(remedies.of(pattern, place, saving, grid=grid)), tuple(scaled),
        )  # fmt: skip


def limits(recording: Recording) -> list[str]:
    """Return what limits the answer, in sentences."""
    found = []
    if recording.own >= SMALLEST:
        waited = "; ranks waited for it, too, which is not" if recording.own >= MUCH else ""
        found.append(
            f"Recording took {percent(recording.own)} of the run, which is taken off{waited}."
        )
    if recording.missing:
        found.append(ending.left_nothing(recording.missing))
    ended = {
        number: rank.run.how
        for number, rank in recording.ranks.items()
        if rank.run.how != "finalized"
    }
    if ended:
        hows = ", ".join(sorted({ending.signal_of(how) or how for how in ended.values()}))
        found.append(
            f"{ending.numbers(list(ended)).capitalize()} did not finalise MPI ({hows}): the "
            "figures are of what was done until then."
        )
    found += [f"{one}." for one in recording.others]
    smaller = max(rank.run.smaller for rank in recording.ranks.values())
    if smaller > 1:
        found.append(
            f"Memory was limited: the recorder had room for one part in {smaller} of what it has "
            "usually."
        )
    for what, said in LEFT_OUT.items():
        count = sum(rank.run.left_out.get(what, 0) for rank in recording.ranks.values())
        calls = sum(rank.run.calls for rank in recording.ranks.values())
        if count and (what != "sequence") and count >= BIG * max(calls, 1):
            found.append(f"{count} {said}: shares may be larger than said.")
    return found


def unseen(recording: Recording) -> list[str]:
    """Return what is known to be there and was not seen, in sentences."""
    counts: dict[str, float] = {}
    libraries: set[str] = set()
    for rank in recording.ranks.values():
        libraries.update(rank.run.libraries)
        for what, count in rank.run.unseen.items():
            if isinstance(count, (int, float)):
                counts[what] = counts.get(what, 0) + count
    found = [
        f"{shown(what)} ({count:g}): loads and stores in them are no calls of MPI."
        if "window" in what
        else f"{shown(what)} ({count:g}): not recorded."
        for what, count in sorted(counts.items())
        if count
    ]
    found += [
        f"{shown(name)} is loaded: what goes through it is not seen; its time counts as computing."
        for name in sorted(libraries)
    ]
    return found
