"""Find out which schemes are sound on this machine under this MPI, and remember it.

MPI libraries have bugs: some give wrong data, some crash, some hang. So every scheme is checked
by `halocheck` in a child process, against a plain reference, before it is trusted. One child
checks all schemes in turn and says which one it is at; when it dies or falls silent, that
scheme is the culprit, and a new child goes on with the rest.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import Checker, Child, Finished, answer, has
from halocline.measure.atlas import OUTCOMES


@dataclass
class Verdict:
    """What was found out about one scheme."""

    outcome: str
    detail: str = ""
    ranks: list[int] = field(default_factory=list)
    """The numbers of ranks it was checked with."""
    time: str = ""
    """When, in UTC."""
    tried: bool = True
    """Whether it was examined here; else the atlas says so."""
    remembered: bool = False
    """Whether that was at an earlier examination, at `time`."""

    @property
    def sound(self) -> bool:
        """Whether the scheme may be trusted."""
        return self.outcome in OUTCOMES[:2]

    @property
    def why(self) -> str:
        """The verdict in a line, without how to repeat it."""
        return f"{self.outcome}: {self.detail.split('; repeat:')[0]}"


@dataclass(frozen=True)
class Effort:
    """How hard the doctor looks."""

    ranks: tuple[int, ...] = (2, 3, 4)
    cases: int | None = None
    steps: int | None = None
    seed: int | None = None
    delay_us: int | None = None
    limit_s: float = 30
    """Seconds that one scheme may take."""

    def options(self) -> list[str]:
        """Return the options for `halocheck`; what is not given is left to its defaults."""
        given = {
            "--cases": self.cases,
            "--steps": self.steps,
            "--seed": self.seed,
            "--delay": self.delay_us,
        }
        return [
            text
            for name, value in given.items()
            if value is not None
            for text in (name, str(value))
        ]


def with_other_paths(schemes: Sequence[str]) -> list[str]:
    """Return the schemes, and those that take other ways through the MPI library.

    It may serve windows over memory that it did not allocate by another component: Debian's Open
    MPI 4.1 then hangs in `rma:get:lock` on 3 and more ranks, and with large messages in
    `rma:accumulate:lock`. And it may skip on an assertion what it relies on: with both the same
    library hangs in `rma:put:lock`. The verdict on a method would say nothing about either.
    """
    one_sided = [name for name in schemes if name.startswith("rma:")]
    kinds = ("", "+alloc=create", "+alloc=dynamic")
    others = [kind + asserts for asserts in ("", "+asserts=on") for kind in kinds][1:]
    return [*schemes, *(name + other for name in one_sided for other in others)]


def of_devices(schemes: Sequence[str]) -> list[str]:
    """Return the schemes as they carry messages between fields on a device, way by way.

    An MPI's word that it takes addresses of devices is not enough: bytes are compared.
    """
    two_sided = [name for name in schemes if name.startswith(("p2p:", "neighbor:"))]
    return [
        *(f"{name}+device=staged" for name in schemes),
        *(f"{name}+device=aware" for name in two_sided),
        *(f"{name}+device=peer" for name in two_sided[:1]),
    ]


def with_each_option(schemes: Sequence[str], checker: Checker) -> list[str]:
    """Return the schemes, and each with one of its options other than by default."""
    options = [one.name for one in checker.schemes(combinations=True) if one.available]
    return list(dict.fromkeys([*schemes, *(name for name in options if name.count("+") == 1)]))


QUICK = Effort(ranks=(2,), cases=8, steps=4, limit_s=10)


def examine(
    checker: Checker,
    schemes: Sequence[str],
    ranks: int,
    effort: Effort,
    progress: Callable[[str, str], None] = lambda scheme, event: None,
    verdicts: dict[str, Verdict] | None = None,
) -> dict[str, Verdict]:
    """Check schemes with one number of ranks.

    Parameters
    ----------
    progress
        Called with the scheme and `begin` or its outcome.
    verdicts
        Receives each as soon as it is known; it is what is returned.

    Raises
    ------
    HaloclineError
        When `halocheck` does not even start.
    """
    verdicts = {} if verdicts is None else verdicts

    def settle(scheme: str, outcome: str, detail: str) -> None:
        if outcome == "refused" and "MPI_ERR_" in detail:
            outcome = "error"  # Halocline refuses in its own words; this is MPI failing
        verdicts[scheme] = Verdict(outcome, detail, [ranks], records.now())
        progress(scheme, outcome)

    rest = list(schemes)
    while rest:
        arguments = ["--schemes", ",".join(rest), "--timeout", f"{effort.limit_s:g}"]
        command = checker.launcher.command(
            ranks, checker.program, arguments + effort.options(), pin=False
        )
        current = last = None  # the scheme in progress, and the one before
        with Child(command, checker.launcher.environment(ranks)) as child:
            # The program's own time limit comes first: it can say where it was waiting.
            for line in child.lines(1.5 * effort.limit_s + 5, silence=True):
                event = _event(line)
                if event.get("event") == "begin":
                    current = event["scheme"]
                    progress(current, "begin")
                elif event.get("event") == "end":
                    last, current = event["scheme"], None
                    settle(last, event.get("outcome", "error"), event.get("detail", ""))
            finished = child.finished()
        left = [scheme for scheme in rest if scheme not in verdicts and scheme != current]
        if current:
            settle(current, *_post_mortem(finished, during=True))
        elif last and verdicts[last].sound and not (finished.ok or _explained(left, verdicts)):
            # It died though nothing was wrong: the scheme before left something behind.
            settle(last, *_post_mortem(finished, during=False))
        if len(left) == len(rest):
            words = f"{finished.reason()}\n{finished.last_words()}".rstrip()
            raise HaloclineError(f"halocheck checked none of {', '.join(rest)}: {words}")
        rest = left
    return verdicts


def _explained(left: Sequence[str], verdicts: dict[str, Verdict]) -> bool:
    """Whether a non-zero exit code only says that some scheme was found broken."""
    return not left and not all(verdict.sound for verdict in verdicts.values())


def _event(line: str) -> dict[str, Any]:
    """Return the event in a line of output, where there is one: MPI libraries print, too."""
    with contextlib.suppress(HaloclineError):
        return dict(answer(line, has("event", "scheme"), "halocheck"))
    return {}


def _post_mortem(finished: Finished, during: bool) -> tuple[str, str]:
    when = "" if during else " while cleaning up"
    words = finished.last_words(1, of_output=False)
    if finished.timed_out:
        return "hang", f"silent for {finished.wall_s:.0f} s{when}"
    if "no progress for" in words:  # its own time limit, in a call into MPI
        return "hang", f"{words}{when}"
    return "crash", f"{finished.reason()}{when}" + (f": {words}" if words else "")
