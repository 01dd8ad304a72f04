"""What changes when one thing is varied, as the rows of a table and in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from halocline.figures import digits, level, scale
from halocline.measure import Comparison, Judgement, Variant, comparison, judged, variants

WORDS = {
    comparison.VARIABLES: "variables of the environment change",
    comparison.MPI: "the MPI changes",
    comparison.DATE: "has changed",
}
THRESHOLD = 0.05
"""The least change that matters, where nobody has said."""


@dataclass(frozen=True)
class Variation:
    """A table of text: value, scheme and ranks, then figures."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def heading(found: Comparison) -> str:
    """Return what the tables are about."""
    since = f" since {found.cases[0].value}" * (found.varied == comparison.DATE)
    return f"What {WORDS.get(found.varied, f'--{found.varied} changes')}{since}"


def find(found: Comparison, threshold: float | None = None) -> list[Variation]:
    """Return a table for each problem; none if nothing was varied, or measured.

    Parameters
    ----------
    threshold
        The least change that matters, for a column of verdicts; None for what a test says.
    """
    said = {} if threshold is None else {one.setting: one for one in judged(found, threshold)}
    every = variants(found)
    names = dict.fromkeys(one.problem for one in every)
    return [_table(found, [one for one in every if one.problem == name], said) for name in names]


def _table(
    found: Comparison, those: Sequence[Variant], said: dict[comparison.Setting, Judgement]
) -> Variation:
    cases = [case for case in found.cases if case.problem == those[0].problem]
    first = cases[0]
    factor, unit = scale(those[0].median.value)
    ranks = {one.setting.ranks for one in those}
    rows = []
    for one in those:
        mine = one.setting.case == first.name
        judgement = said.get(one.setting)
        by_test = "tie" if one.against_first == "no difference" else one.against_first
        rows.append([
            one.value + (f" ({one.became})" if one.became else ""),
            one.setting.scheme,
            str(one.setting.ranks),
            digits(one.median.scaled(factor)),
            "1" if mine else "" if one.ratio is None else digits(one.ratio),
            judgement.verdict if judgement else by_test if not said else "",
            *([] if len(ranks) == 1 else ["" if one.gain is None else digits(one.gain)]),
        ])  # fmt: skip
        rows += [
            [lost.value, lost.setting.scheme, str(lost.setting.ranks), "", "", lost.verdict,
             *([] if len(ranks) == 1 else [""])]
            for lost in said.values()
            if lost.verdict == comparison.LOST and mine
            and lost.setting.case in {case.name for case in cases}
            and (lost.setting.scheme, lost.setting.ranks) == (one.setting.scheme, one.setting.ranks)
        ]  # fmt: skip
    fewest, holds = min(ranks), level(one.median for one in those)
    columns = [
        found.varied, "scheme", "ranks", f"{unit} per step\n{holds}",
        f"ratio to\n{first.value or first.name}", "verdict" if said else "by\ntest",
        *([] if len(ranks) == 1
          else [f"times as fast as\non {fewest} rank{'s' if fewest != 1 else ''}"]),
    ]  # fmt: skip
    title = first.problem
    if found.varied not in WORDS:
        title = shlex.join([first.program, *first.arguments[:-2], f"--{found.varied}", "..."])
    elif not title or title == first.program:
        title = shlex.join([first.program, *first.arguments])
    return Variation(title, columns, rows)


def sentences(found: Comparison, threshold: float) -> list[str]:
    """Say what became slower, faster, lost, stayed the same, and cannot be told; in this order."""
    said = judged(found, threshold)
    more = f"by more than {100 * threshold:g} %"
    words = {
        comparison.LOST: "Lost", comparison.SLOWER: f"Slower {more}",
        comparison.FASTER: f"Faster {more}", comparison.UNTOLD: "Cannot be told",
        comparison.SAME: f"The same within {100 * threshold:g} %",
    }  # fmt: skip
    lines = []
    for verdict, word in words.items():
        groups: dict[str, list[str]] = {}
        for one in said:
            if one.verdict == verdict:
                groups.setdefault(one.why, []).append(_named(found, one, said))
        lines += [
            f"{word}: {', '.join(names)}{f' ({why})' if why else ''}."
            for why, names in groups.items()
        ]
    return lines


def _named(found: Comparison, one: Judgement, said: Sequence[Judgement]) -> str:
    """Name a setting by what tells it from others; with the ratio where a claim is made."""
    case = next(case for case in found.cases if case.name == one.setting.case)
    parts = [one.setting.scheme]
    if len({other.setting.ranks for other in said}) > 1:
        parts.append(f"on {one.setting.ranks} ranks")
    if len({case.problem for case in found.cases}) > 1:
        parts.append(f"in {case.problem}")
    if len({other.value for other in said}) > 1:
        parts.append(f"with {one.value}")
    if one.ratio and one.verdict in (comparison.SLOWER, comparison.FASTER):
        parts.append(f"({digits(one.ratio)} times as long)")
    return " ".join(parts)
