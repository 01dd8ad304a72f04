"""A visit to the doctor: schemes chosen, examined or remembered, and what to do about the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline.launch import Checker, choose
from halocline.measure.soundness.advice import Advice, advise
from halocline.measure.soundness.examination import (
    QUICK,
    Effort,
    Verdict,
    of_devices,
    with_each_option,
    with_other_paths,
)
from halocline.measure.soundness.memory import check
from halocline.tables import Tabular


@dataclass(frozen=True)
class Diagnosis(Tabular):
    """What the doctor says of this machine, its MPI and the schemes."""

    verdicts: dict[str, Verdict]
    missing: dict[str, str]
    """Schemes that this MPI cannot run, and why."""
    facts: dict[str, Any]
    """What a job of two ranks tells of machine, MPI, windows and pinning."""
    advice: list[Advice]

    def memory(self) -> str:
        """Say how many verdicts are of earlier examinations, and from when; empty if none is."""
        times = sorted(one.time for one in self.verdicts.values() if one.remembered)
        if not times:
            return ""
        span = times[0] if times[0] == times[-1] else f"{times[0]} to {times[-1]}"
        return f"{len(times)} of {len(self.verdicts)} verdicts are remembered, from {span}"

    @property
    def sound(self) -> bool:
        """Whether all schemes that were asked about may be trusted."""
        return all(verdict.sound for verdict in self.verdicts.values())

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each scheme: `scheme`, `outcome`, `sound`, `ranks`, `detail`, `time`.

        `remembered` says whether an earlier examination found it, at `time`.
        """
        rows = [
            {
                "scheme": name, "outcome": verdict.outcome, "sound": verdict.sound,
                "ranks": verdict.ranks, "detail": verdict.detail, "time": verdict.time,
                "remembered": verdict.remembered,
            }
            for name, verdict in self.verdicts.items()
        ]  # fmt: skip
        rows += [
            {
                "scheme": name, "outcome": "missing", "sound": False,
                "ranks": [], "detail": why, "time": "", "remembered": False,
            }
            for name, why in self.missing.items()
        ]  # fmt: skip
        return rows


def doctor(
    schemes: str | Sequence[str] = "all",
    *,
    effort: Effort | None = None,
    quick: bool = False,
    combinations: bool = False,
    options: bool = False,
    fresh: bool = False,
    try_broken: bool = False,
    programs: Path | str | None = None,
    checking: Callable[[str, str], None] = lambda scheme, event: None,
) -> Diagnosis:
    """Find out which schemes are sound on this machine under this MPI, and remember it.

    Parameters
    ----------
    schemes
        Names or globs, a list or separated by commas. Unless the effort is `QUICK`, `all` also
        looks at other ways through the MPI library (see `with_other_paths`) and, where there is a
        device, at fields on it (see `of_devices`); at one that a CPU plays if HALOCLINE_DEVICE asks
        for it.
    effort
        How hard to look: numbers of ranks, random patterns, seconds; `Effort()` by default, `QUICK`
        is what `compare` asks for.
    quick
        The same as the effort `QUICK`: few cases on 2 ranks.
    combinations
        Check every combination of options instead.
    options
        Check each option of each scheme, too.
    fresh
        Forget earlier verdicts.
    try_broken
        Try also what the atlas knows to be broken under this MPI; else it is left out, and its
        verdict says from where that is known.
    programs
        The folder of `halocheck`; None to look for it.
    checking
        Called with a scheme and `begin` or its outcome.

    Raises
    ------
    HaloclineError
        When a name means nothing, or `halocheck` does not start.

    Examples
    --------
    >>> import halocline
    >>> halocline.doctor("p2p:*").table()[0]["outcome"]
    'sound'
    """
    effort = QUICK if quick else effort or Effort()
    checker = Checker(programs)
    every = checker.schemes(missing=True)
    names = choose(schemes, checker)
    if combinations:
        names = [scheme.name for scheme in checker.schemes(combinations=True) if scheme.available]
    facts = dict(checker.facts(2))
    if schemes == "all" and effort != QUICK and not combinations:
        facts["device"] = checker.device()
        asked = "HALOCLINE_DEVICE" in os.environ or not facts["device"].get("played")
        there = "missing" not in facts["device"] and asked
        usual = names
        names = [*with_other_paths(names), *(of_devices(names) if there else [])]
        if options:
            names = list(dict.fromkeys([*with_each_option(usual, checker), *names]))
    verdicts = check(
        checker, names, effort, fresh=fresh, try_broken=try_broken, progress=checking
    )  # fmt: skip
    missing = {one.name: one.reason for one in every if not one.available}
    return Diagnosis(verdicts, missing if schemes == "all" else {}, facts, advise(facts, verdicts))


def broken(
    checker: Checker,
    schemes: Sequence[str],
    ranks: Sequence[int],
    checking: Callable[[str, str], None] = lambda scheme, event: None,
) -> dict[str, str]:
    """Return which of these schemes are not sound on these numbers of ranks, and why.

    A quick look, as before every comparison. `auto` is a choice among the others, and compares
    bytes itself.
    """
    named = [name for name in schemes if not name.startswith("auto")]
    verdicts = check(checker, named, replace(QUICK, ranks=tuple(ranks)), progress=checking)
    return {name: verdict.why for name, verdict in verdicts.items() if not verdict.sound}
