"""What an option of the program changes, as the rows of a table."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from halocline.figures import digits, scale
from halocline.measure import Comparison, variants


@dataclass(frozen=True)
class Variation:
    """A table of text: option, scheme and ranks, then figures."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def find(comparison: Comparison) -> Variation | None:
    """Return what was found; None if no option was varied, or nothing measured."""
    found = variants(comparison)
    if not found:
        return None
    first = comparison.cases[0]
    factor, unit = scale(found[0].median.value)
    fewest = min(one.setting.ranks for one in found)
    rows = []
    for one in found:
        mine = one.setting.case == first.name
        rows.append([
            one.setting.case.partition(" ")[2] + (f" ({one.became})" if one.became else ""),
            one.setting.scheme,
            str(one.setting.ranks),
            digits(one.median.scaled(factor)),
            "1" if mine else "" if one.ratio is None else digits(one.ratio),
            "tie" if one.against_first == "no difference" else one.against_first,
            "" if one.gain is None else digits(one.gain),
        ])  # fmt: skip
    columns = [
        comparison.varied, "scheme", "ranks", f"{unit} per step\n[95 %]",
        f"ratio to\n{first.name}", "by\ntest",
        f"times as fast as\non {fewest} rank{'s' if fewest != 1 else ''}",
    ]  # fmt: skip
    title = shlex.join([first.program, *first.arguments[:-2], f"--{comparison.varied}", "..."])
    return Variation(title, columns, rows)
