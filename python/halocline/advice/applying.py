"""Run a program with exchanges that it repeats carried by a scheme, and say what became of each.

docs/reference/substitute.md says what the library does that is put in front of the program's MPI,
and what it reports.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from halocline import records, shapes
from halocline.advice import campaign
from halocline.advice.command import Command
from halocline.errors import HaloclineError
from halocline.launch import find_program, process
from halocline.shapes import AtLeast
from halocline.text import shown

REPORT = "applied.jsonl"
VERSION = 1
VARIABLE = "HALOCLINE_APPLY"
KINDS = {
    "neighbor": (f"{VARIABLE}_NEIGHBOR", "neighbourhood collectives"),
    "fence": (f"{VARIABLE}_FENCE", "windows between fences"),
}
"""By the way that an answer has for a pattern: the variable, and words."""
ADVISED: Any = {"way": str, "best_by_halocline": str, "saving_by_halocline?": Optional[float]}
ANSWERED = {"patterns": list[ADVISED]}
Count = Annotated[int, AtLeast(0)]


@dataclass(frozen=True)
class Carried:
    """What has become of a pattern: a line of the report."""

    pattern: str
    kind: str
    steps: Count
    """Calls, or fences."""
    taken_at: Count
    """The first step that the scheme has carried alone; 0: none."""
    carried: Count
    """How many it has."""
    back_at: Count
    """The first step that MPI has carried again; 0: none."""
    scheme: str
    why: str
    """Why it was left to MPI, or handed back."""
    times: int = 1
    """Patterns alike, each on a communicator or window of its own."""

    @property
    def said(self) -> str:
        """A sentence."""
        many = f"{self.times} times {self.pattern}" if self.times > 1 else self.pattern
        if not self.taken_at:
            return f"{many}: left to MPI: {self.why or 'the program ended before'}"
        said = f"{many}: by {self.scheme} from step {self.taken_at} on"
        said += f" ({self.carried} of {self.steps} steps)"
        if self.back_at:
            said += f"; handed back at step {self.back_at}: {self.why}"
        return said


@dataclass(frozen=True)
class Applied:
    """How a program ran under the substitute."""

    code: int
    """The program's exit code."""
    schemes: dict[str, str]
    """Those that an answer named for a kind."""
    others: str
    """The scheme of all others."""
    patterns: list[Carried]
    report: Path | None
    """None: the program has left none."""

    @property
    def told(self) -> str:
        """Which schemes the substitute was told to use."""
        named = [f"{KINDS[kind][1]} by {one}, as answered" for kind, one in self.schemes.items()]
        return "; ".join([*named, f"{'others' if named else 'all'} by {self.others}"])

    @property
    def said(self) -> list[str]:
        """What became of the patterns: a line about all, and one for each, most steps first."""
        if self.report is None:
            ended = "" if self.code == 0 else f" ({process.describe_exit(self.code)})"
            return [
                f"Nothing is known of what was taken over{ended}: the report is written in "
                "MPI_Finalize, and the program has not come to that."
            ]
        if not self.patterns:
            return ["Nothing was taken over: the program has no neighbourhood collectives, and no "
                    "windows between fences."]  # fmt: skip
        taken = sum(one.times for one in self.patterns if one.taken_at)
        whole = sum(one.times for one in self.patterns)
        steps = sum(one.steps for one in self.patterns)
        carried = sum(one.carried for one in self.patterns)
        first = f"Taken over: {taken} of {whole} pattern{'s' * (whole != 1)}"
        first += f", {carried} of {steps} steps." if taken else "."
        return [first, *(one.said for one in self.patterns)]


def applied(
    command: Command,
    folder: Path,
    *,
    schemes: dict[str, str],
    others: str | None = None,
    loops: bool = False,
    programs: Path | None = None,
) -> Applied:
    """Run a program with the substitute in front of its MPI, on the streams of this process.

    Parameters
    ----------
    folder
        Where the report goes.
    schemes
        Of some kinds, as `schemes_of` has them.
    others
        The scheme of the others; None: what the environment says, or `auto`.
    loops
        Whether the report is to speak of loops of MPI_Isend and MPI_Irecv.

    Raises
    ------
    HaloclineError
        When there is no `halocline-preload`, the launcher cannot be started, or the report is
        damaged.
    """
    preload = find_program(campaign.RECORDER, programs)
    report = folder / REPORT
    others = others or os.environ.get(f"{VARIABLE}_SCHEME") or "auto"
    variables = {
        f"{VARIABLE}_SCHEME": others,
        **{KINDS[kind][0]: scheme for kind, scheme in schemes.items()},
        **({VARIABLE: "loops"} if loops else {}),
    }
    # Behind the launcher, as not every launcher hands variables on to all hosts.
    words = [f"{name}={value}" for name, value in variables.items()]
    front = ["/usr/bin/env", *words, str(preload), "--substitute", "--report", str(report)]
    code = process.attend(command.preceded(front))
    left = report.is_file()
    return Applied(code, schemes, others, load(report) if left else [], report if left else None)


def schemes_of(folder: Path) -> dict[str, str]:
    """Return the scheme that saves most in an earlier answer, for each kind where one does.

    Parameters
    ----------
    folder
        Of the answer, or of the recording within it.

    Raises
    ------
    HaloclineError
        When there is no answer, or it cannot be read.
    """
    places = [folder / campaign.FILE]
    if folder.name == campaign.RECORDING:
        places.append(folder.parent / campaign.FILE)
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise HaloclineError(
            f"{shown(str(folder))} holds no answer ({campaign.FILE}): name the folder of one, or a "
            "scheme by --scheme"
        )
    found = records.read(file, campaign.FORMAT, campaign.VERSION, "program's advice", ANSWERED)
    saved: dict[str, dict[str, float]] = {kind: defaultdict(float) for kind in KINDS}
    for pattern in found["patterns"]:
        saving = pattern.get("saving_by_halocline")
        if pattern["way"] in saved and pattern["best_by_halocline"]:
            saved[pattern["way"]][pattern["best_by_halocline"]] += saving or 0.0
    return {kind: max(some, key=lambda one: some[one]) for kind, some in saved.items() if some}


def load(file: Path) -> list[Carried]:
    """Read a report; patterns alike are one, those with most steps come first.

    Raises
    ------
    HaloclineError
        When it is damaged; the message names the line.
    """
    found = []
    for number, line in enumerate(file.read_bytes().splitlines() or [b"null"], 1):
        place = f"{file}:{number}"
        try:
            content = records.parsed(line)
        except ValueError as error:
            raise HaloclineError(f"{place}: not JSON: {error}") from error
        if number == 1:
            if content != {"substitute": VERSION}:
                raise HaloclineError(f"{file} is no report of version {VERSION} of the substitute")
            continue
        found.append(shapes.fitted(content, Carried, place))
    return sorted(_together(found), key=lambda one: -one.steps)


def _together(found: Sequence[Carried]) -> list[Carried]:
    """Make one of patterns of which the same is to be said, but for numbers of steps."""
    alike: dict[Any, list[Carried]] = defaultdict(list)
    for one in found:
        key = (one.pattern, one.kind, one.scheme, one.why, one.taken_at, one.back_at)
        alike[key].append(one)
    return [
        Carried(
            some[0].pattern, some[0].kind, sum(one.steps for one in some), some[0].taken_at,
            sum(one.carried for one in some), some[0].back_at, some[0].scheme, some[0].why,
            len(some),
        )
        for some in alike.values()
    ]  # fmt: skip
