"""One program at several sizes: what `auto` takes off the time of a step, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from halocline.figures import plain, scale
from halocline.measure import BASELINE, Case, Comparison, Row, style_of_auto
from halocline.statistics import Interval

AUTO = "auto"
LITTLE = 0.03
"""A share of the time below which a choice hardly matters."""
LEAST_CONFIDENCE = 0.945
"""What an interval must hold to be shown as one of 95 %."""
LEAST_SIZES = 3
"""So many cases of one program are a series."""
TOO_FEW = "(Too few launches for intervals.)"
AXES = {"--per-rank": "points a rank", "--grid": "points"}

Tables = Mapping[tuple[str, int], Sequence[Row]]
"""As `compare.tabulate` returns them."""


@dataclass(frozen=True)
class Size:
    """One problem of a series, measured under several schemes."""

    label: str
    case: Case
    rows: list[Row]

    def row(self, scheme: str) -> Row | None:
        """Return what was measured of a scheme, if anything."""
        return next((row for row in self.rows if row.setting.scheme == scheme), None)


@dataclass(frozen=True)
class Series:
    """The cases of one program that differ in size, on one number of ranks."""

    program: str
    axis: str
    """What the sizes count."""
    ranks: int
    sizes: list[Size]

    @property
    def schemes(self) -> list[str]:
        """All schemes: the baseline, the others by name, `auto` last."""
        names = {row.setting.scheme for size in self.sizes for row in size.rows}
        return sorted(names, key=lambda name: (name == AUTO, name != BASELINE, name))


def find(comparison: Comparison, tables: Tables) -> list[Series]:
    """Return the series of a comparison: cases of a program, told apart by an argument."""
    programs: dict[tuple[str, int], list[tuple[Case, list[Row]]]] = {}
    cases = {case.name: case for case in comparison.cases}
    for (name, ranks), rows in tables.items():
        programs.setdefault((cases[name].program, ranks), []).append((cases[name], list(rows)))
    found: list[Series] = []
    if comparison.varied:
        return found
    for (program, ranks), members in programs.items():
        place = _first_difference([case.arguments for case, _ in members])
        if len(members) < LEAST_SIZES or place is None:
            continue
        option = members[0][0].arguments[place - 1] if place else ""
        sizes = [Size(label(case.arguments[place]), case, rows) for case, rows in members]
        found.append(Series(program, AXES.get(option, option.lstrip("-")), ranks, sizes))
    return found


def _first_difference(lists: Sequence[list[str]]) -> int | None:
    if len({len(one) for one in lists}) != 1:
        return None
    return next((i for i, words in enumerate(zip(*lists)) if len(set(words)) > 1), None)


def label(argument: str) -> str:
    """Return a size as one reads it: 32³ for 32,32,32."""
    sides = argument.split(",")
    cubes = len(sides) == 3 and len(set(sides)) == 1
    return f"{sides[0]}³" if cubes else " × ".join(sides)


def chosen(row: Row) -> str:
    """Return the scheme that `auto` became, as most launches recorded it; empty if none did."""
    names = []
    for result in row.results:
        schemes = result.content.get("parameters", {}).get("schemes") or [result.scheme]
        names.append(", ".join(dict.fromkeys(schemes)))
    usual = max(names, key=names.count, default="")
    return "" if usual == row.setting.scheme else usual


def became(row: Row) -> str:
    """Return what `auto` became, of schemes and of styles: `shm:signal, style thread`."""
    style = style_of_auto(row.results)
    return ", ".join(filter(None, (chosen(row), f"style {style}" if style else "")))


def choices_of(rows: Sequence[Row]) -> list[str]:
    """Return what `auto` became in a table, a sentence for each row that left it something."""
    found = []
    for row in rows:
        name, what = row.setting.scheme, became(row)
        if not what:
            continue
        of_scheme = name.split("+")[0] == AUTO
        said = f"{name if of_scheme else AUTO} became {what}"
        said += "" if of_scheme else f" through {name}"
        found.append("; ".join(filter(None, [said, tried(row)])))
    return found


def tried(row: Row) -> str:
    """Say what laps found, where a scheme was chosen in them: how much that brought, and cost."""
    found = [one.content["running"] for one in row.results if one.content.get("running")]
    if not found:
        return ""
    cost = median([one["cost_share"] for one in found])
    decided = sum(one["decided"] for one in found)
    last = next(iter(found[-1]["chosen"]), {})
    said = f"trying took {100 * cost:.2g} % of all steps, decided in {decided} of {len(found)}"
    if last.get("times") and last["what"] != last.get("yardstick"):
        value, low, high = (last["times"][name] for name in ("value", "low", "high"))
        said += (
            f"; at last a step took {value:.3g} [{low:.3g}, {high:.3g}] times as long as with "
            f"{last['yardstick']}" + ("" if last["matters"] else ", or no difference")
        )
    return said


def saving(row: Row) -> Interval | None:
    """Return the share of the time that a scheme takes off the baseline's, in percent."""
    if row.ratio is None:
        return None
    return row.ratio.through(lambda ratio: 100 * (1 - ratio))


def percent(share: Interval) -> str:
    """Return a share with its interval: `25 % [23, 27]`; alone where too few launches give none."""
    certain = share.confidence > LEAST_CONFIDENCE
    places = 1 if certain and share.high - share.low < 1 else 0
    # Adding zero makes -0 a 0.
    value, low, high = (round(x, places) + 0.0 for x in (share.value, share.low, share.high))
    interval = f" [{low:.{places}f}, {high:.{places}f}]" if certain else ""
    return f"{value:.{places}f} %{interval}"


def taken(share: Interval) -> str:
    """Return a share that is taken off, or added: `25 % [23, 27] less`, `3 % [1, 4] more`."""
    if share.value >= 0:
        return f"{percent(share)} less"
    return f"{percent(share.scaled(-1))} more"


def undecided(share: Interval) -> bool:
    """Return whether it may as well be nothing; it may where too few launches give no interval."""
    return share.confidence <= LEAST_CONFIDENCE or share.low <= 0 <= share.high


def claimed(share: Interval) -> str:
    """Return what `taken` does; of what may as well be nothing that, and no figure."""
    return "no difference can be told" if undecided(share) else taken(share)


def against(size: Size, axis: str) -> str:
    """Say of one size what `auto` takes, and what the baseline."""
    auto, base = size.row(AUTO), size.row(BASELINE)
    if auto is None or base is None or auto.ratio is None:
        return ""
    share = saving(auto)
    factor, unit = scale(min(auto.median.value, base.median.value))
    became = chosen(auto)
    who = f"auto{f' ({became})' if became else ''}"
    if undecided(share):
        return f"at {size.label} {axis} {claimed(share)} between {who} and {BASELINE}"
    return (
        f"at {size.label} {axis} {who} takes "
        f"{plain(auto.median.value * factor)} {unit} a step where {BASELINE} takes "
        f"{plain(base.median.value * factor)}: {claimed(share)}"
    )


def answer(series: Series) -> str:
    """Return in one sentence where the choice matters, and where least."""
    known = _related(series)
    if not known:
        return ""
    largest, least = known[-1], known[0]
    text = f"In {series.program} {against(largest, series.axis)}"
    if least is not largest:
        text += f"; at {least.label}, {claimed(saving(least.row(AUTO)))}"
    worst = min(size.row(AUTO).ratio.confidence for size in known)
    return f"{text}.{'' if worst > LEAST_CONFIDENCE else f' {TOO_FEW}'}"


def most(series: Series) -> Size:
    """Return the size at which `auto` takes most off."""
    return (_related(series) or series.sizes)[-1]


def _related(series: Series) -> list[Size]:
    """Return the sizes with `auto` and the baseline, by what `auto` takes off."""
    rows = [(size, size.row(AUTO)) for size in series.sizes]
    known = [size for size, row in rows if row is not None and row.ratio]
    return sorted(known, key=lambda size: -size.row(AUTO).ratio.value)


def aside(case: Case, rows: Sequence[Row]) -> str:
    """Say of a single problem how much `auto` changes: often hardly anything."""
    auto = next((row for row in rows if row.setting.scheme == AUTO), None)
    if auto is None or auto.ratio is None:
        return ""
    share = saving(auto)
    certain = share.confidence > LEAST_CONFIDENCE
    little = certain and max(abs(share.low), abs(share.high)) < 100 * LITTLE
    how = (
        "the choice hardly matters"
        if little
        else "the choice matters"
        if auto.against_baseline == "faster"
        else "auto is slower"
        if auto.against_baseline == "slower"
        else "no difference can be told"
    )
    told = certain and (little or not undecided(share))
    figure = f": auto takes {taken(share)} than {BASELINE}" if told else ""
    return f"In {case.name} {how}{figure}."


def choices(series: Series) -> list[tuple[str, list[str]]]:
    """Return what `auto` chose, and at which sizes."""
    found: dict[str, list[str]] = {}
    for size in series.sizes:
        row = size.row(AUTO)
        if row is not None and chosen(row):
            found.setdefault(chosen(row), []).append(size.label)
    return list(found.items())


def sentences(comparison: Comparison, tables: Tables, found: Sequence[Series]) -> list[str]:
    """Return the answer of each series, and a line on every other case."""
    cases = {case.name: case for case in comparison.cases}
    summed = {size.case.name for one in found for size in one.sizes}
    said = [answer(one) for one in found]
    said += [aside(cases[name], rows) for (name, _), rows in tables.items() if name not in summed]
    return [text for text in said if text]
