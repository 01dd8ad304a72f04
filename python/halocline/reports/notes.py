"""What a reader must know beside a table of times: what it rests on and what disturbed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from halocline.figures import digits
from halocline.measure import BASELINE, Comparison, Row, distance
from halocline.statistics import LEAST_FOR_WARM_UP, LEAST_LAUNCHES

NAMED = 6
"""So many schemes are named in a line; the comparison's file has them all."""
LIMITS = {
    "launches": "--launches was reached",
    "budget": "--budget was spent",
    "interrupted": "it was interrupted",
    "failed": "every scheme failed",
}


@dataclass(frozen=True)
class Notes:
    """All that is to be known beside the tables of a comparison."""

    caveats: dict[str, str]
    """What makes the figures worth less, by the few words that name it."""
    remarks: list[str]
    """What else they rest on."""

    def gist(self, where: str = "") -> str:
        """Say in a line how many caveats there are, `where` to find them, and of what kind."""
        plural = "s" if len(self.caveats) != 1 else ""
        return f"{len(self.caveats)} caveat{plural}{where}: {', '.join(self.caveats)}"


def of(comparison: Comparison, tables: Mapping[tuple[str, int], Sequence[Row]]) -> Notes:
    """Return the notes of a comparison and its tables."""
    several = len(tables) > 1
    caveats: dict[str, str] = {}
    remarks: dict[str, None] = {}
    if comparison.interrupted:
        caveats["interrupted"] = (
            "The measurement was interrupted; this is what there was until then."
        )
    few = [few_launches(rows) for rows in tables.values()]
    if any(few):
        caveats["few launches"] = max(few, key=len)
    found, moves = [one for one in comparison.launches if one.interference], comparison.moved()
    if found:
        caveats[f"interference ({len(found)})"] = disturbances(comparison)
    if moves:
        caveats[f"moved cores ({len(moves)})"] = moved(comparison)
    elif moved(comparison):
        remarks[moved(comparison)] = None
    if business(comparison):
        caveats["busy machine"] = business(comparison)
    if ending(comparison, tables.values()):
        wide = comparison.ended != "width"
        if wide:
            caveats["wide intervals"] = ending(comparison, tables.values())
        else:
            remarks[ending(comparison, tables.values())] = None
    for (case, _), rows in tables.items():
        remarks[warm_up(rows)] = None
        if outliers(rows):
            remarks[f"{case}: {outliers(rows)}" if several else outliers(rows)] = None
    return Notes(caveats, list(remarks))


def few_launches(rows: Sequence[Row]) -> str:
    """Say what too few launches are worth."""
    least = min(row.median.confidence for row in rows)
    launches = min(len(row.groups) for row in rows)
    notes = []
    if least <= 0:
        notes.append("One launch of a scheme gives no interval, and tells it from no other.")
    elif least < 0.945:
        notes.append(
            f"Only {launches} launches of some schemes: the intervals are whole ranges and hold "
            f"{100 * least:.0f} %, not 95 %."
        )
    if len(rows) > 1 and launches < LEAST_LAUNCHES:
        notes.append(f"Small differences need {LEAST_LAUNCHES} launches to be told.")
    return " ".join(notes)


def warm_up(rows: Sequence[Row]) -> str:
    """Say which repetitions do not count, and why."""
    if not any(row.warm_up.tested for row in rows):
        return (
            "The first repetition of each launch warms up by rule and does not count: fewer than "
            f"{LEAST_FOR_WARM_UP} launches cannot tell."
        )
    numbers = Counter(row.warm_up.repetitions for row in rows)
    usual, _ = numbers.most_common(1)[0]
    others = [
        f"{row.setting.scheme} {row.warm_up.repetitions}"
        for row in rows
        if row.warm_up.repetitions != usual
    ]
    first = (
        "No repetition warms up"
        if usual == 0
        else "The first repetition of each launch warms up and does not count"
        if usual == 1
        else f"The first {usual} repetitions of each launch warm up and do not count"
    )
    return f"{first}, by test{'; other numbers: ' + listed(others) if others else ''}."


def outliers(rows: Sequence[Row]) -> str:
    """Name the schemes with outliers."""
    found = [
        f"{row.setting.scheme} {row.spread.outliers} of {sum(map(len, row.groups))}"
        for row in rows
        if row.spread.outliers
    ]
    return f"Outliers by Tukey's fences, which count: {listed(found)}." if found else ""


def ending(comparison: Comparison, tables: Iterable[Sequence[Row]]) -> str:
    """Say whether the medians are known as well as was asked for, and else which are not."""
    rows = [row for table in tables for row in table]
    if comparison.width is None or not rows:
        return ""
    asked = f"{100 * comparison.width:g} %"
    several = len({(row.setting.case, row.setting.ranks) for row in rows}) > 1
    wide = [
        f"{row.setting.scheme or row.setting.case}"
        f"{f' on {row.setting.ranks} ranks' if several else ''} "
        f"({f'{100 * row.median.width:.0f} %' if row.median.width < 10 else 'too few launches'})"
        for row in rows
        if row.median.width >= comparison.width
    ]
    if not wide:
        return f"The 95 % interval of every median is narrower than {asked}."
    why = LIMITS.get(comparison.ended, "it ended")
    return (
        f"Before every median's 95 % interval was narrower than {asked}, {why}; still wider: "
        f"{listed(wide)}."
    )


def disturbances(comparison: Comparison) -> str:
    """Count and name the launches during which interference was noticed."""
    found = [launch for launch in comparison.launches if launch.interference]
    if not found:
        return ""
    counts = Counter(launch.scheme or launch.case for launch in found)
    first = found[0]
    return (
        f"Interference was noticed during {len(found)} of {len(comparison.launches)} launches, "
        f"which count nevertheless: {listed(f'{name} {n}' for name, n in counts.most_common())}; "
        f"for example, in round {first.round}, {first.scheme or first.case}: "
        f"{', '.join(first.interference)}."
    )


def moved(comparison: Comparison) -> str:
    """Say how far cores were apart, and in which launches they were elsewhere than usual."""
    every = [launch for launch in comparison.launches if launch.core_distance_s]
    if not every:
        return ""
    ordinary = distance.shown([distance.usual(launch.core_distance_s for launch in every) or 0.0])
    said = f"A cache line takes {ordinary} there and back between two cores"
    found = comparison.moved()
    if not found:
        return f"{said}, in all launches alike."
    counts = Counter(launch.scheme or launch.case for launch, _ in found)
    first, how = found[0]
    return (
        f"{said}, but during {len(found)} of {len(every)} launches, which count nevertheless, they "
        f"were elsewhere: {listed(f'{name} {n}' for name, n in counts.most_common())}; for "
        f"example, in round {first.round}, {first.scheme or first.case}: {how}. What crosses cores "
        "then takes longer or less long: compare within rounds, not across."
    )


def listed(names: Iterable[str]) -> str:
    """Return the first few of many names."""
    names = list(names)
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def ratio_of(row: Row) -> str:
    """Return the ratio to the baseline with its interval; nothing where there is none."""
    if row.ratio is None:
        return ""
    return "1" if row.setting.scheme == BASELINE else digits(row.ratio)


def split(shares: dict[str, float]) -> list[str]:
    """Return the shares computing, packing and waiting (all that is neither) as percentages."""
    if not shares:
        return ["", "", ""]
    compute, pack = shares["compute_s"], shares["pack_s"]
    return [f"{100 * part:.0f} %" for part in (compute, pack, max(0.0, 1 - compute - pack))]


def failures(comparison: Comparison) -> list[tuple[str, str]]:
    """Return who failed and why; those that failed for the same reason together."""
    groups: dict[tuple[str, int, str], list[str]] = {}
    for setting, why in comparison.failures().items():
        groups.setdefault((setting.case, setting.ranks, why), []).append(setting.scheme)
    return [
        (f"{', '.join(sorted(schemes))} on {ranks} ranks ({case})", why)
        for (case, ranks, why), schemes in groups.items()
    ]


def business(comparison: Comparison) -> str:
    """Return a warning when other work kept the machine busy while it was measured, else ''."""
    busy = comparison.busy()
    return busy and (
        f"The machine was busy with other work ({busy}): intervals are wide, and pinned ranks "
        "suffer most; repeat it on a quiet one."
    )
