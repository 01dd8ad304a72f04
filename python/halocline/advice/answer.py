"""The answer: what is known of a program's exchanges, and in which words it is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from halocline.advice import lateness
from halocline.advice.places import Place
from halocline.advice.remedies import Remedy
from halocline.advice.savings import BUSY, NOTHING, SAVES, UNKNOWN, UNTRIED, WORTH, Gain, Saving
from halocline.advice.scaling import Scaled
from halocline.figures import amount, percent, plain, scale
from halocline.statistics import Interval

SMALLEST = 0.005
"""A share that is worth a word."""
NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
UNSEEN = (
    "Packing is the program's own work: it is not in these figures, and another way may save or "
    "cost some of it.",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What is known of one pattern."""

    number: int
    place: Place
    way: str
    finish: str
    ranks: int
    peers: int
    bytes: tuple[int, int]
    """Least and most that a rank sends at a time."""
    ragged: bool
    times: int
    per_second: float
    share: float
    """Part of all ranks' time, as those that follow."""
    waiting: dict[str, float]
    """By wait state."""
    culprit: int | None
    transfer: float
    library: float
    long: float
    """In few long steps: above the median, and not seen to be waiting."""
    waits_seen: int
    saving: Saving
    remedies: tuple[Remedy, ...] = ()
    scaled: tuple[Scaled, ...] = ()

    @property
    def waited(self) -> float:
        """Share that is waiting for late ranks."""
        return sum(self.waiting.values())

    @property
    def size(self) -> str:
        """Bytes that a rank sends at a time, in words."""
        least, most = self.bytes
        return amount(most) if least == most else f"{amount(least)} to {amount(most)}"

    @property
    def saved(self) -> str:
        """What is saved, in a cell: `4.1 % [3.6, 4.7]`, or what is known instead."""
        best = self.saving.best
        return self.saving.verdict if best is None else share_of(best.share)

    @property
    def confidence(self) -> str:
        """How sure that is."""
        best = self.saving.best
        return "" if best is None else f"{100 * best.share.confidence:.0f} %"


@dataclass(frozen=True)
class Together:
    """What is known of one collective function."""

    function: str
    times: int
    bytes: float
    share: float
    waited: float
    culprit: int | None


@dataclass(frozen=True)
class Try:
    """Variables of an MPI library that were tried in a replay."""

    variables: dict[str, str]
    what: str
    saved: Interval | None
    """Part of the run, negative where it is slower; None: no difference was seen."""
    why: str = ""
    """Why nothing is known of it."""

    @property
    def set_to(self) -> str:
        """The variables as a shell sets them."""
        return " ".join(f"{name}={value}" for name, value in self.variables.items())


@dataclass(frozen=True)
class Answer:
    """All that is known."""

    command: str
    program: str
    library: str
    ranks: int
    seconds: float
    how: str
    missing: tuple[int, ...]
    rows: tuple[Row, ...]
    collectives: tuple[Together, ...]
    in_mpi: float
    """Share of all ranks' time."""
    slow: lateness.Slow | None
    bursts: lateness.Long | None
    """The rank with the most costly long steps."""
    untried: str
    """Why nothing was replayed, if nothing was."""
    machine: str = ""
    """The machine of the predictions for more ranks."""
    tries: tuple[Try, ...] = ()
    unseen: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default_factory=tuple)
    """What limits the answer."""
    busy: str = ""
    """When others kept the machine busy, in words; empty: never."""
    ended: str = ""
    """What ended the run, in a sentence; empty: it ended by itself."""
    stood: tuple[str, ...] = ()
    """In which calls its ranks stood then."""
    interrupted: str = ""
    """What has interrupted the recording, in a few words."""

    # ---- figures -----------------------------------------------------------------------------

    @property
    def share(self) -> float:
        """Part of all ranks' time that goes into exchanges."""
        return sum(row.share for row in self.rows)

    @property
    def waited(self) -> float:
        """Part of all ranks' time that goes into waiting for late ranks in exchanges."""
        return sum(row.waited for row in self.rows)

    @property
    def long(self) -> float:
        """Part of all ranks' time that goes into few long steps of exchanges."""
        return sum(row.long for row in self.rows)

    @property
    def movable(self) -> float:
        """The most that another way of communicating can save."""
        return max(self.share - self.waited - self.long, 0.0)

    @property
    def saving(self) -> Interval | None:
        """What the best ways would save together."""
        parts = [row.saving.best.share for row in self.rows if row.saving.best is not None]
        if not parts:
            return None
        return Interval(
            sum(one.value for one in parts), sum(one.low for one in parts),
            sum(one.high for one in parts), min(one.confidence for one in parts),
        )  # fmt: skip

    @property
    def late(self) -> int | None:
        """The rank that is waited for most, in exchanges."""
        behind: dict[int, float] = {}
        for row in self.rows:
            if row.culprit is not None:
                behind[row.culprit] = behind.get(row.culprit, 0.0) + row.waited
        return max(behind, key=behind.__getitem__) if behind else None

    # ---- words -------------------------------------------------------------------------------

    @property
    def summary(self) -> str:
        """The answer in a paragraph."""
        if self.ended:
            until = f"Until then halo exchanges are {percent(self.share)} of it."
            seen = until if self.rows else "No halo exchanges were seen until then."
            gain = " ".join(self._said_of_saving()) if self.share >= WORTH else ""
            return " ".join(filter(None, (self.ended, seen, gain)))
        if not self.rows and self.ranks == 1:
            return (
                "This run has one rank, which exchanges with nobody: start it with its launcher, "
                "on as many ranks as you use."
            )
        if not self.rows:
            return "No halo exchanges were seen in this run: nothing to gain there."
        sentences = [f"Halo exchanges are {percent(self.share)} of this run."]
        if self.share < WORTH:
            sentences.append("Nothing to gain.")
            return " ".join(sentences)
        if not any(row.waits_seen for row in self.rows):
            sentences.append("How much of it is waiting for late ranks was not seen.")
        elif self.waited >= SMALLEST:
            sentences.append(self._said_of_waiting())
        else:
            sentences.append("Hardly any of it is waiting for late ranks.")
        if self.bursts is not None:
            sentences.append(self._said_of_bursts(self.bursts))
        elif self.long >= SMALLEST:
            sentences.append(
                f"{percent(self.long)} is in few long steps: others on these cores, or late ranks."
            )
        return " ".join([*sentences, *self._said_of_saving(), *self._said_of_patterns()])

    def _said_of_waiting(self) -> str:
        behind = ""
        if self.slow is not None:
            slow = self.slow
            ends = slow.longer.low, slow.longer.high
            within = f" [{100 * ends[0]:.0f}, {100 * ends[1]:.0f}]" if slow.longer.there else ""
            longer = f"rank {slow.rank} computes {percent(slow.longer.value)}{within} longer"
            doubt = bool(self.busy) and not slow.by_processor
            behind = f" ({longer}{', on a busy machine' * doubt})"
        elif self.late is not None:
            behind = (
                f" (most often rank {self.late}, but no rank computes longer than the others "
                "altogether)"
            )
        # A rank that is late because others were on its cores cannot be balanced.
        own = not self.busy or (self.slow is not None and self.slow.by_processor)
        first = ": balance first" if self.waited >= self.movable / 2 and own else ""
        return f"{percent(self.waited)} is waiting for late ranks{behind}{first}."

    def _said_of_bursts(self, long: lateness.Long) -> str:
        often = f"every {long.every} steps" if long.every else "at no regular distance"
        taken = f"{percent(self.long)} of exchanges is in such steps" if self.long else ""
        why = ", off its processor" if long.foreign else ""
        said = f"Rank {long.rank} computes long {often}: {percent(long.share)} of the run{why}"
        return f"{said}{f'; {taken}' if taken and self.long >= SMALLEST else ''}."

    def _said_of_saving(self) -> list[str]:
        if self.busy and self.long > self.movable and self.long >= WORTH / 2:
            return [f"What can be saved by communicating otherwise is unknown: {BUSY}."]
        if self.movable < WORTH / 2:
            return ["There is nothing to gain by communicating otherwise."]
        most = f"At most {percent(self.movable)} can be saved by communicating otherwise"
        saving = self.saving
        tried = [row for row in self.rows if row.saving.verdict in (SAVES, UNKNOWN)]
        if saving is not None:
            gains = [row.saving.best for row in self.rows if row.saving.best is not None]
            names = list(dict.fromkeys(gain.name for gain in gains))
            ways = "way" if len(names) == 1 else "ways"
            best = f"the best sound {ways} here, {_listed(names)}, would save {share_of(saving)}"
            return [f"{most}; {best}."]
        if self.untried:
            return [f"{most}; what another way would save was not measured: {self.untried}."]
        unknown = [row.saving.why for row in tried if row.saving.verdict == UNKNOWN]
        if unknown:
            busy = f": {BUSY}" * all(why.startswith(BUSY) for why in unknown)
            return [f"{most}; how much is unknown{busy}."]
        if any(row.saving.verdict == UNTRIED for row in self.rows):
            return [f"{most}; what another way would save was not measured."]
        if not any(row.saving.replayed_s for row in self.rows):
            each = "its only pattern" if len(self.rows) == 1 else "each of its patterns"
            return [f"{most}, and {each} is too small a part of the run: nothing to gain."]
        return [f"{most}, but no sound way here is faster: nothing to gain."]

    def _said_of_patterns(self) -> list[str]:
        nothing = sum(row.saving.verdict == NOTHING for row in self.rows)
        unknown = sum(row.saving.verdict == UNKNOWN for row in self.rows)
        said = []
        if nothing and nothing < len(self.rows):
            said.append(f"{_of(nothing, len(self.rows))} patterns: nothing to gain.")
        if unknown and (self.saving is not None or nothing):
            said.append(f"{_of(unknown, len(self.rows))}: unknown.")
        return said

    @property
    def said(self) -> list[str]:
        """The answer in lines, but for the table of patterns and what to change."""
        lines = [self.summary, *self.stood]
        if sum(one.share for one in self.collectives) >= SMALLEST:
            lines.append(self._said_of_collectives())
        return [*lines, *_said_of_tries(self.tries), *self.notes]

    def _said_of_collectives(self) -> str:
        share = sum(one.share for one in self.collectives)
        waited = sum(one.waited for one in self.collectives)
        most = self.collectives[0]
        often = "once" if most.times == 1 else f"{most.times:,} times"
        names = f"most in {most.function}, {often}"
        behind = f", {percent(waited)} waiting for the last rank" if waited >= SMALLEST else ""
        return f"Collectives are {percent(share)} of this run{behind}: {names}."

    def unseen_lines(self) -> list[str]:
        """Return what was not seen, in sentences."""
        return [*self.unseen, *UNSEEN]

    # ---- tables ------------------------------------------------------------------------------

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each pattern."""
        return [
            {
                "pattern": row.number, "where": str(row.place), "function": row.place.function,
                "file": row.place.file, "line": row.place.line, "language": row.place.language,
                "way": row.way, "finish": row.finish, "ranks": row.ranks, "peers": row.peers,
                "bytes_least": row.bytes[0], "bytes": row.bytes[1], "ragged": row.ragged,
                "times": row.times, "per_second": row.per_second, "share": row.share,
                "waiting": row.waited, "late_rank": row.culprit, "transfer": row.transfer,
                "library": row.library, "long_steps": row.long,
                "verdict": row.saving.verdict, "why": row.saving.why,
                **_gain("", row.saving.best), **_gain("_by_mpi", row.saving.plain),
                **_gain("_by_halocline", row.saving.scheme),
            }
            for row in self.rows
        ]  # fmt: skip

    def content(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        saving = self.saving
        return {
            "command": self.command, "program": self.program, "library": self.library,
            "ranks": self.ranks, "seconds": self.seconds, "how": self.how,
            "missing_ranks": list(self.missing), "summary": self.summary, "said": self.said,
            "share": self.share, "waiting": self.waited, "long_steps": self.long,
            "at_most": self.movable,
            "in_mpi": self.in_mpi, **_interval("saving", saving),
            "late_rank": self.slow.rank if self.slow else None,
            **_interval("late_rank_computes_longer", self.slow.longer if self.slow else None),
            "long_steps_of_rank": self.bursts.rank if self.bursts else None,
            "long_steps_every": self.bursts.every if self.bursts else None,
            "long_steps_of_rank_share": self.bursts.share if self.bursts else None,
            "patterns": [
                {
                    **line,
                    "wait_states": row.waiting,
                    "recorded_s": row.saving.recorded_s, "replayed_s": row.saving.replayed_s,
                    "left_out": row.saving.left_out,
                    "remedies": [
                        {"what": one.what, "language": one.language, "lines": list(one.lines)}
                        for one in row.remedies
                    ],
                    "predicted": [
                        {"ranks": one.ranks, "scheme": one.scheme, "seconds": one.seconds}
                        for one in row.scaled
                    ],
                }
                for row, line in zip(self.rows, self.table())
            ],
            "collectives": [vars(one) for one in self.collectives],
            "environment": [
                {"variables": one.variables, "what": one.what, "why": one.why,
                 **_interval("saving", one.saved)}
                for one in self.tries
            ],
            "predicted_on": self.machine, "unseen": self.unseen_lines(),
            "ended": self.ended, "last_calls": list(self.stood), "not_replayed": self.untried,
            "busy": self.busy, "notes": list(self.notes),
        }  # fmt: skip


def share_of(share: Interval) -> str:
    """Return a share with its interval: `4.1 % [3.6, 4.7]`."""
    ends = [100 * one for one in (share.value, share.low, share.high)]
    most = max(abs(one) for one in ends)
    places = 0 if most >= 20 else 1 if most >= 1 else 2
    if f"{ends[1]:.{places}f}" == f"{ends[2]:.{places}f}":  # a narrow interval shows its width
        places = min(places + 1, 2)
    value, low, high = (f"{one:.{places}f}" for one in ends)
    return f"{value} % [{low}, {high}]"


def said_of_scale(row: Row, machine: str) -> list[str]:
    """Say what the model predicts for more ranks."""
    lines = []
    for ranks in dict.fromkeys(one.ranks for one in row.scaled):
        mine = sorted((one for one in row.scaled if one.ranks == ranks), key=lambda o: o.seconds)
        factor, unit = scale(mine[0].seconds)
        said = ", ".join(f"{one.scheme} {plain(factor * one.seconds)} {unit}" for one in mine)
        lines.append(f"The model, {ranks:,} ranks on {machine}: {said} at a time.")
    return lines


def _said_of_tries(tries: Sequence[Try]) -> list[str]:
    """Say which variables of the MPI library help, and in one line for each outcome the others."""
    helps = [one for one in tries if one.saved is not None and one.saved.value > 0]
    lines = [
        f"{one.set_to} ({one.what}) would save {share_of(one.saved)}, with nothing else changed."
        for one in sorted(helps, key=lambda one: -one.saved.value if one.saved else 0.0)
        if one.saved is not None
    ]
    others: dict[str, list[str]] = {}
    for one in tries:
        if one not in helps:
            outcome = one.why or ("slower" if one.saved is not None else "no difference")
            others.setdefault(outcome, []).append(one.set_to)
    return [*lines, *(f"{'; '.join(those)}: {outcome}." for outcome, those in others.items())]


def _interval(name: str, share: Interval | None) -> dict[str, float | None]:
    ends = ("value", "low", "high", "confidence")
    return {
        (name if end == "value" else f"{name}_{end}"): getattr(share, end) if share else None
        for end in ends
    }


def _gain(suffix: str, gain: Gain | None) -> dict[str, Any]:
    return {
        f"best{suffix}": gain.name if gain else "",
        **_interval(f"saving{suffix}", gain.share if gain else None),
    }


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _of(number: int, whole: int) -> str:
    """Return `Three of four`; numbers that are no words go together."""
    if whole >= len(NUMBERS):
        return f"{number} of {whole}"
    word = NUMBERS[number]
    return f"{word[0].upper()}{word[1:]} of {NUMBERS[whole]}"
