"""The page that shows a comparison: the answer first, then what it rests on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from halocline.errors import HaloclineError
from halocline.figures import digits, level, plain, scale
from halocline.measure import (
    BASELINE,
    PHASES,
    Case,
    Comparison,
    Joined,
    Launch,
    Launches,
    Row,
    agreement,
    distance,
    tabulate,
)
from halocline.reports import notes, overview, page, plots, series, variation
from halocline.reports.facts import differences, surroundings
from halocline.reports.notes import failures, ratio_of, split
from halocline.reports.plots import COLOURS, NARROW, Plot, family
from halocline.traces import Reason, reasons

PHASE_WORDS = {
    "compute_s": "computing",
    "pack_s": "packing",
    "transfer_s": "transferring",
    "wait_s": "waiting",
    "reduce_s": "reducing",
    "copy_s": "copying to and from a device",
}

MARKS = (0.05, 0.25, 0.5, 0.75, 0.95)


class Ruler:
    """Positions in percent along a line that holds values: logarithmic where they span much."""

    def __init__(self, values: Sequence[float]) -> None:
        self.log = plots.spans(values)
        low, high = (self._on(end) for end in (min(values), max(values)))
        pad = 0.05 * (high - low) or 0.5
        self.low, self.high = low - pad, high + pad
        self.ticks = [(self(tick), f"{tick:.10g}") for tick in plots.ticks(values, 5)]

    def _on(self, value: float) -> float:
        return float(np.log(value)) if self.log else value

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        part = (self._on(value) - self.low) / (self.high - self.low)
        return round(100 * min(max(part, 0.0), 1.0), 2)


@dataclass(frozen=True)
class Line:
    """A row of a ranking, as its template shows it."""

    row: Row
    family: str
    low: float
    middle: float
    high: float
    """Positions of median and interval on the ruler."""
    time: str
    ratio: str
    split: str
    shares: list[tuple[str, float]]
    """Percent of the time, by phase."""
    tip: str
    ratio_tip: str
    shares_tip: str


@dataclass(frozen=True)
class Ranking:
    """All schemes of one case on one number of ranks."""

    title: str
    command: str
    launches: str
    few: str
    unit: str
    holds: str
    """What the intervals of the medians hold."""
    ruler: Ruler
    base: float | None
    """The baseline's position on the ruler."""
    lines: list[Line]
    families: list[str]
    remarks: list[str]
    samples: Markup
    reasons: list[str]
    """What traces say of where the time of each scheme goes."""


def ranking(case: Case, ranks: int, rows: Sequence[Row], why: Sequence[Reason] = ()) -> Ranking:
    """Return the table of one case, and the picture of its samples."""
    factor, unit = scale(rows[0].median.value)
    ruler = Ruler([v * factor for row in rows for v in (row.median.low, row.median.high)])
    base = next((r.median.value * factor for r in rows if r.setting.scheme == BASELINE), None)
    counts = sorted({len(row.groups) for row in rows})
    ends = counts[:: max(len(counts) - 1, 1)]
    plural = "s" if ranks != 1 else ""
    return Ranking(
        f"{case.name} on {ranks} rank{plural}",
        case.shown(),
        f"{' to '.join(map(str, ends))} launch{'es' * (ends != [1])}",
        notes.few_launches(rows),
        unit,
        level(row.median for row in rows),
        ruler,
        None if base is None else ruler(base),
        [_line(row, ruler, factor, unit) for row in rows],
        list(dict.fromkeys(family(row.setting.scheme) for row in rows)),
        [note for note in (notes.warm_up(rows), notes.outliers(rows)) if note]
        + series.choices_of(rows),
        plots.both(lambda width: samples(rows, width), f"samples of {case.name}"),
        [text for row in rows for one in why if one.setting == row.setting
         for text in one.sentences],
    )  # fmt: skip


def _line(row: Row, ruler: Ruler, factor: float, unit: str) -> Line:
    scheme, interval = row.setting.scheme, row.median.scaled(factor)
    count = sum(map(len, row.groups))
    marks = [f"{mark} % {plain(v * factor)}" for mark, v in row.spread.percentiles.items()]
    became = series.became(row)
    tip = (
        f"{scheme}{f' (became {became})' if became else ''}\n{digits(interval)} {unit} per step\n"
        f"{count} repetitions in {len(row.groups)} launches\n"
        f"percentiles: {', '.join(marks)}\n"
        f"outliers: {row.spread.outliers}, launches disturbed: {row.disturbed}"
    )
    against = row.against_baseline
    return Line(
        row,
        family(scheme),
        ruler(interval.low),
        ruler(interval.value),
        ruler(interval.high),
        digits(interval),
        ratio_of(row),
        " / ".join(part.replace(" %", "") for part in split(row.shares) if part),
        [(name[:-2], round(100 * row.shares.get(name, 0), 2)) for name in PHASES if row.shares],
        tip,
        f"{against} (than) {BASELINE}: p = {row.p_baseline:.2g}, corrected" if against else "",
        "\n".join(f"{word} {100 * row.shares.get(n, 0):.1f} %" for n, word in PHASE_WORDS.items())
        if row.shares
        else "",
    )


def samples(rows: Sequence[Row], width: float) -> Plot:
    """Draw every repetition as a dot, above the spread of the single steps as a box."""
    factor, unit = scale(rows[0].median.value)
    narrow = width <= NARROW
    each = 44 if narrow else 30
    with plots.drawing(width, 56 + each * len(rows)) as plot:
        axes = plot.figure.add_subplot()
        shown: list[float] = []
        for place, row in enumerate(rows):
            colour = COLOURS[family(row.setting.scheme)]
            steps = np.array(Launches(row.results, row.warm_up).every_step) * factor
            a, b, c, d, e = np.quantile(steps, MARKS) if steps.size else [0] * 5
            tip = row.setting.scheme
            if a > 0:
                words = [plain(float(v)) for v in (c, b, d, a, e)]
                tip += "\nsteps: median {} {}, middle half {} to {}, 5 % to 95 % {} to {}".format(
                    words[0], unit, *words[1:]
                )
                shown += [float(a), float(e)]
                axes.plot([a, e], [place + 0.2] * 2, color=colour, alpha=0.45, lw=1)
                axes.barh(place + 0.2, d - b, 0.24, b, color=colour, alpha=0.35, gid=plot.tip(tip))
                axes.plot([c, c], [place + 0.08, place + 0.32], color=colour, lw=1)
            low, high = row.spread.fences
            for inside in (True, False):
                dots = [
                    (v * factor, place - 0.12 - 0.14 * (number % 2))
                    for number, group in enumerate(row.groups)
                    for v in group
                    if (low <= v <= high) is inside
                ]
                if dots:
                    shown += [x for x, _ in dots]
                    axes.plot(
                        *zip(*dots), "o", color=colour, ms=5, alpha=0.75 if inside else 1,
                        mfc=colour if inside else "none", mew=0.8, ls="",
                        gid=plot.tip(tip),
                    )  # fmt: skip
        plots.fit(axes, shown, "x")
        names = [row.setting.scheme for row in rows]
        axes.set_yticks(range(len(rows)), [] if narrow else names)
        if narrow:
            for place, name in enumerate(names):
                axes.annotate(
                    name, (0.01, place - 0.4), xycoords=("axes fraction", "data"), fontsize=11,
                    color=COLOURS["soft"], va="center",
                )  # fmt: skip
        axes.tick_params(axis="y", length=0)
        axes.yaxis.grid(False)
        axes.set_ylim(len(rows) - 0.4, -0.7 if narrow else -0.5)
        axes.set_xlabel(f"{unit} per step")
        return plot


@dataclass(frozen=True)
class Finding:
    """What a reader in a hurry wants to know of one case."""

    what: str
    best: str
    figure: str
    unit: str
    detail: str


def finding(case: Case, ranks: int, rows: Sequence[Row]) -> Finding:
    """Return the fastest scheme of a case, and how far that is certain."""
    best = rows[0]
    factor, unit = scale(best.median.value)
    text = f"{digits(best.median.scaled(factor))} {unit} per step"
    figure, of = f"{plain(best.median.value * factor)} {unit}", "per step"
    if best.ratio is not None and best.ratio.there and best.setting.scheme != BASELINE:
        low, high = 1 / best.ratio.high, 1 / best.ratio.low
        text += f"; [{low:.2f}, {high:.2f}] times as fast as {BASELINE}"
        if best.against_baseline == "faster":
            figure, of = f"{1 / best.ratio.value:.2f}×", f"as fast as {BASELINE}"
        else:
            text += ", which is no difference by test"
    others = (
        f"{best.rivals} other scheme{'s' * (best.rivals != 1)} cannot be told apart from it"
        if best.rivals
        else "all other schemes are slower by test"
        if len(rows) > 1
        else "nothing to compare it with"
    )
    place = "among the fastest" if best.rivals else "fastest"
    plural = "s" if ranks != 1 else ""
    return Finding(
        f"{case.name} · {ranks} rank{plural} · {len(rows)} schemes · {place}",
        best.setting.scheme, figure, of, f"{text}; {others}.",
    )  # fmt: skip


def pictures(comparison: Comparison) -> list[tuple[str, str]]:
    """Return the pictures of the solutions: address, and what was solved."""
    found = []
    for case in comparison.cases:
        file = comparison.folder / f"picture-{case.name.replace(' ', '-')}.png"
        if file.is_file() and file.stat().st_size < page.LARGEST_BYTES // 4:
            shown = " ".join([case.program, *(case.picture or case.arguments)])
            found.append((page.address("image/png", file.read_bytes()), shown))
    return found


def disturbances(launch: Launch, moved: dict[int, str]) -> list[str]:
    """Return all that was different during a launch."""
    return [*launch.interference, *([moved[id(launch)]] if id(launch) in moved else [])]


def launches(comparison: Comparison) -> list[dict[str, Any]]:
    """Return every launch in its order, as the page lists them."""
    moved = {id(launch): how for launch, how in comparison.moved()}
    return [
        {
            "launch": launch,
            "apart": distance.shown(launch.core_distance_s) if launch.core_distance_s else "",
            "disturbed": ", ".join(disturbances(launch, moved)),
        }
        for launch in comparison.launches
    ]


def left_out(comparison: Comparison) -> list[tuple[str, str]]:
    """Return the schemes that were skipped or failed, and why."""
    rows = [(scheme, f"skipped: {why}") for scheme, why in comparison.skipped.items()]
    return rows + [
        (who, f"failed while being measured: {why}") for who, why in failures(comparison)
    ]


def summary_rows(tables: series.Tables) -> list[dict[str, Any]]:
    """Return what may be said of every setting, a row each; times in seconds per step."""
    rows = []
    for table in tables.values():
        for row in table:
            ends = ("value", "low", "high")
            rows.append({
                "case": row.setting.case, "ranks": row.setting.ranks,
                "scheme": row.setting.scheme, "became": series.chosen(row),
                "launches": len(row.groups), "samples": sum(map(len, row.groups)),
                **{f"median_{end}_s": row.median.told()[end] for end in ends},
                **{f"ratio_{end}": row.ratio.told()[end] if row.ratio else "" for end in ends},
                "against_baseline": row.against_baseline, "verdict": row.verdict or "slower",
                **{f"share_{name[:-2]}": row.shares.get(name, "") for name in PHASES},
            })  # fmt: skip
    return rows


def sample_rows(tables: series.Tables) -> list[dict[str, Any]]:
    """Return every sample, a row each, in seconds per step."""
    return [
        {"case": row.setting.case, "ranks": row.setting.ranks, "scheme": row.setting.scheme,
         "launch": launch, "repetition": repetition, "seconds_per_step": value}
        for table in tables.values() for row in table
        for launch, group in enumerate(row.groups, 1)
        for repetition, value in enumerate(group, 1)
    ]  # fmt: skip


def overviews(found: Sequence[series.Series]) -> list[dict[str, Any]]:
    """Return of each series its picture, its table, and what `auto` chose."""
    shown = []
    for one in found:
        shares = [
            series.saving(row) if (row := size.row(series.AUTO)) else None for size in one.sizes
        ]
        shown.append({
            "series": one,
            "picture": plots.both(
                lambda width, one=one: overview.draw(one, width),
                f"time per step of {one.program} by scheme and size, relative to {BASELINE}",
            ),
            "lines": [
                (scheme, family(scheme),
                 [(row, plain(1e6 * row.median.value)) if (row := size.row(scheme)) else None
                  for size in one.sizes])
                for scheme in one.schemes
            ],
            "shares": [
                series.percent(share).partition(" [") if share else ("", "", "") for share in shares
            ],
            "choices": series.choices(one),
        })  # fmt: skip
    return shown


def render(comparison: Comparison) -> str:
    """Return the page as HTML.

    Raises
    ------
    HaloclineError
        When nothing was measured.
    """
    tables = tabulate(comparison)
    least = variation.THRESHOLD if comparison.threshold is None else comparison.threshold
    if not tables:
        raise HaloclineError(f"{comparison.folder} holds no measurement to report")
    cases = {case.name: case for case in comparison.cases}
    first = next(iter(tables.values()))[0].results[0].content
    found = series.find(comparison, tables)
    sentences = series.sentences(comparison, tables, found) if found else []
    if comparison.varied in variation.WORDS:
        sentences = variation.sentences(comparison, least)
    why = reasons.load(comparison.folder)
    shares = re.compile(r"-?\d[\d.]* %")
    (name, ranks), rows = next(iter(tables.items()))
    scheme = series.AUTO if found else rows[0].setting.scheme
    name = series.most(found[0]).case.name if found else name
    return page.render(
        "comparison.html",
        where=page.where(first, comparison.time),
        sentences=[Markup(shares.sub(r"<b>\g<0></b>", str(escape(text)))) for text in sentences],
        findings=[
            finding(cases[case], n, rows) for (case, n), rows in tables.items() if not sentences
        ],
        overviews=overviews(found),
        variations=variation.find(
            comparison, least if comparison.varied in variation.WORDS else None
        ),
        varied=variation.heading(comparison),
        differences=differences(comparison) if comparison.varied in variation.WORDS else [],
        values=list(dict.fromkeys(case.value for case in comparison.cases)),
        notes=notes.of(comparison, tables),
        agreed=agreement(comparison),
        rankings=[ranking(cases[case], n, rows, why) for (case, n), rows in tables.items()],
        baseline=BASELINE,
        scheme=scheme,
        run=shlex.join(
            [
                "halocline",
                "run",
                cases[name].program,
                "--ranks",
                str(ranks),
                "--scheme",
                scheme,
                "--",
                *cases[name].arguments,
            ]
        ),
        pictures=pictures(comparison),
        left_out=left_out(comparison),
        command=comparison.command_line,
        facts=surroundings(comparison, first),
        launches=launches(comparison),
        phases=[(name[:-2], word) for name, word in PHASE_WORDS.items()],
        summary_csv=page.download(summary_rows(tables)),
        samples_csv=page.download(sample_rows(tables)),
    )


def write(comparison: Comparison, output: Path | None = None) -> Path:
    """Write the page and return its path: by default `report.html` in the folder."""
    name = "report-since.html" if isinstance(comparison, Joined) else "report.html"
    return page.write(render(comparison), output or comparison.folder / name)
