"""One HTML file that shows a comparison: opens offline, prints well, needs nothing else."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from halocline import __version__
from halocline.cli.display import digits, fact_rows, failures, plain, ratio_of, scale, split
from halocline.errors import HaloclineError
from halocline.launch.launcher import short_library
from halocline.measure import distance
from halocline.measure.compare import (
    BASELINE,
    Case,
    Comparison,
    Launch,
    Row,
    agreement,
    business,
    tabulate,
)
from halocline.measure.doctor import now
from halocline.measure.results import PHASES, Launches
from halocline.report import notes

FAMILIES = ("p2p", "neighbor", "rma", "shm")
PHASE_WORDS = {
    "compute_s": "computing",
    "pack_s": "packing",
    "transfer_s": "transferring",
    "wait_s": "waiting",
    "reduce_s": "reducing",
}
LARGEST_BYTES = 5_000_000


class Axis:
    """A horizontal axis: logarithmic where the values span more than a factor of three."""

    def __init__(self, values: Sequence[float], width: float, margin: float = 10) -> None:
        low, high = min(values), max(values)
        self.log = low > 0 and high / low > 3
        self.width, self.margin = width, margin
        if self.log:
            pad = (high / low) ** 0.04
            self.low, self.high = low / pad, high * pad
        else:
            pad = (high - low) * 0.06 or high * 0.05 or 1.0
            self.low, self.high = max(low - pad, 0.0), high + pad

    def __call__(self, value: float) -> float:
        """Return the position of a value, in pixels."""
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.margin + min(max(part, 0.0), 1.0) * (self.width - 2 * self.margin)

    def ticks(self) -> list[float]:
        """Return four to seven round values."""
        if self.log:
            for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
                first = math.floor(math.log10(self.low))
                last = math.ceil(math.log10(self.high))
                found = [
                    s * 10.0**e
                    for e in range(first, last + 1)
                    for s in steps
                    if self.low <= s * 10.0**e <= self.high
                ]
                if len(found) >= 4:
                    return found
            return found
        rough = (self.high - self.low) / 5
        unit = 10 ** math.floor(math.log10(rough))
        step = min((m * unit for m in (1, 2, 5, 10)), key=lambda s: abs(s - rough))
        first = math.ceil(self.low / step)
        return [i * step for i in range(first, math.floor(self.high / step) + 1)]


def family(scheme: str) -> str:
    """Return the name of the colour of a scheme."""
    name = scheme.split(":")[0]
    return name if name in FAMILIES else "other"


def axis_svg(axis: Axis) -> str:
    """Return the numbers of an axis as a small picture for the head of a column."""
    marks, right = [], -math.inf
    for tick in axis.ticks():
        text = f"{tick:.10g}"
        x, half = axis(tick), 3.4 * len(text)
        if x - half > right + 4:
            marks.append(f'<text x="{x:.1f}" y="11" text-anchor="middle">{text}</text>')
            right = x + half
    return f'<svg width="{axis.width:.0f}" height="14" aria-hidden="true">{"".join(marks)}</svg>'


def grid_lines(axis: Axis, height: float) -> str:
    """Return the faint vertical lines at the ticks."""
    return "".join(
        f'<line x1="{axis(t):.1f}" x2="{axis(t):.1f}" y1="0" y2="{height}" stroke="var(--line)"/>'
        for t in axis.ticks()
    )


def interval_svg(row: Row, axis: Axis, factor: float, base: float | None) -> str:
    """Draw the median with its interval, and the baseline as a dashed line."""
    colour = f"var(--{family(row.setting.scheme)})"
    interval = row.median.scaled(factor)
    x, low, high = axis(interval.value), axis(interval.low), axis(interval.high)
    line = (
        f'<line x1="{axis(base):.1f}" x2="{axis(base):.1f}" y1="0" y2="34" '
        'stroke="var(--faint)" stroke-dasharray="3 3"/>'
        if base
        else ""
    )
    return (
        f'<svg width="{axis.width:.0f}" height="34" role="img">{grid_lines(axis, 34)}{line}'
        f'<line x1="{low:.1f}" x2="{max(high, low + 1):.1f}" y1="17" y2="17" stroke="{colour}" '
        f'stroke-width="7" stroke-linecap="round" opacity=".32"/>'
        f'<circle cx="{x:.1f}" cy="17" r="5" fill="{colour}"/></svg>'
    )


def split_svg(shares: dict[str, float], width: float = 90) -> str:
    """Draw the shares of the phases as one bar."""
    x, parts = 0.0, []
    for name in PHASES:
        w = shares.get(name, 0.0) * width
        colour = f"var(--{name[:-2]})"
        parts.append(f'<rect x="{x:.2f}" y="0" width="{w:.2f}" height="14" fill="{colour}"/>')
        x += w
    return f'<svg width="{width:.0f}" height="14" role="img">{"".join(parts)}</svg>'


def ranking(rows: Sequence[Row]) -> str:
    """Return the table of one case: interval, ratio and time split of every scheme."""
    factor, unit = scale(rows[0].median.value)
    ends = [v * factor for row in rows for v in (row.median.low, row.median.high)]
    axis = Axis(ends, 240)
    base = next((r.median.value * factor for r in rows if r.setting.scheme == BASELINE), None)
    lines = []
    for place, row in enumerate(rows, 1):
        scheme, interval = row.setting.scheme, row.median.scaled(factor)
        samples = sum(map(len, row.groups))
        marks = [f"{mark} % {plain(v * factor)}" for mark, v in row.spread.percentiles.items()]
        tip = (
            f"{scheme}\n{digits(interval)} {unit} per step\n"
            f"{samples} repetitions in {len(row.groups)} launches\n"
            f"percentiles: {', '.join(marks)}\n"
            f"outliers: {row.spread.outliers}, launches disturbed: {row.disturbed}"
        )
        against = row.against_baseline
        ratio_tip = (
            f"{against} (than) {BASELINE}: p = {row.p_baseline:.2g}, corrected" if against else ""
        )
        compute, pack, wait = split(row.shares)
        shares = "\n".join(
            f"{word} {100 * row.shares.get(name, 0):.1f} %" for name, word in PHASE_WORDS.items()
        )
        kind = "good" if row.fastest else "soft"
        chip = f'<span class="chip {kind}">{row.verdict}</span>' if row.verdict else ""
        busy = row.shares.get("compute_s", 0)
        lines.append(
            f'<tr class="{"alike" if row.like_fastest else ""}" data-place="{place}" '
            f'data-scheme="{escape(scheme)}" data-busy="{busy:.4f}">'
            f'<td class="number faint">{place}</td>'
            f'<td class="scheme"><span class="dot" style="background:var(--{family(scheme)})">'
            f"</span>{escape(scheme)}</td>"
            f'<td data-tip="{escape(tip)}">{interval_svg(row, axis, factor, base)}</td>'
            f'<td class="number">{digits(interval)}</td><td class="number">{ratio_of(row)}</td>'
            f'<td class="soft" data-tip="{escape(ratio_tip)}">{against}</td>'
            f'<td data-tip="{escape(shares) if row.shares else ""}">'
            f"{split_svg(row.shares) if row.shares else ''}</td>"
            f'<td class="number soft" title="computing / packing / waiting">'
            f"{' / '.join(p.replace(' %', '') for p in (compute, pack, wait) if p)}</td>"
            f"<td>{chip}</td></tr>"
        )
    used = {family(row.setting.scheme) for row in rows}
    kinds = [name for name in (*FAMILIES, "other") if name in used]
    families = "".join(
        f'<span><i style="background:var(--{name})"></i>{name}</span>' for name in kinds
    )
    phases = "".join(
        f'<span><i style="background:var(--{name[:-2]})"></i>{word}</span>'
        for name, word in PHASE_WORDS.items()
    )
    return (
        f'<div class="legend">{families}<span class="faint">│</span>{phases}</div>'
        '<div class="card scroll"><table class="ranking"><thead><tr>'
        '<th data-sort="place">#</th><th data-sort="scheme">scheme</th>'
        f'<th data-sort="place">{unit} per step{axis_svg(axis)}</th>'
        '<th class="number">median<br>[95 % interval]</th>'
        f'<th class="number">ratio to<br>{BASELINE}</th><th>by test</th>'
        '<th data-sort="busy">where the<br>time goes</th>'
        '<th class="number">comp./pack./<br>wait. in %</th><th></th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def distribution(rows: Sequence[Row]) -> str:
    """Return every repetition as a dot, above the spread of the single steps as a box."""
    factor, unit = scale(rows[0].median.value)
    steps = [np.array(Launches(row.results, row.warm_up).every_step) * factor for row in rows]
    spreads = [np.quantile(s, [0.05, 0.25, 0.5, 0.75, 0.95]) if s.size else None for s in steps]
    values = [v * factor for row in rows for group in row.groups for v in group]
    axis = Axis([*values, *(float(v) for s in spreads if s is not None for v in s if v > 0)], 820)
    lines = []
    for row, spread in zip(rows, spreads):
        colour = f"var(--{family(row.setting.scheme)})"
        parts = [grid_lines(axis, 26)]
        tip = row.setting.scheme
        if spread is not None and spread[0] > 0:
            a, b, c, d, e = (axis(float(v)) for v in spread)
            parts.append(
                f'<line x1="{a:.1f}" x2="{e:.1f}" y1="18" y2="18" stroke="{colour}" opacity=".45"/>'
                f'<rect x="{b:.1f}" y="14" width="{max(d - b, 1):.1f}" height="8" rx="2" '
                f'fill="{colour}" opacity=".35"/>'
                f'<line x1="{c:.1f}" x2="{c:.1f}" y1="14" y2="22" stroke="{colour}"/>'
            )
            a, b, c, d, e = (plain(float(v)) for v in spread)
            tip += f"\nsteps: median {c} {unit}, middle half {b} to {d}, 5 % to 95 % {a} to {e}"
        low, high = row.spread.fences
        for number, group in enumerate(row.groups):
            parts += [
                f'<circle cx="{axis(v * factor):.1f}" cy="{5 + 3 * (number % 2)}" r="2.6" '
                + (
                    f'fill="{colour}" opacity=".75"/>'
                    if low <= v <= high
                    else f'fill="none" stroke="{colour}"/>'
                )
                for v in group
            ]
        lines.append(
            f'<tr data-tip="{escape(tip)}"><td class="scheme">{escape(row.setting.scheme)}</td>'
            f'<td><svg width="820" height="26" role="img">{"".join(parts)}</svg></td></tr>'
        )
    return (
        "<details><summary>Distribution of the samples</summary>"
        '<p class="soft">Dots: each repetition’s time per step, launches at alternating height; '
        "hollow: outliers by Tukey’s fences, which count. Boxes: the single steps, middle half, "
        "with a line from 5 to 95 %.</p>"
        '<div class="card scroll"><table class="ranking"><thead><tr><th>scheme</th>'
        f"<th>{unit} per step{axis_svg(axis)}</th></tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div></details>"
    )


def finding(case: Case, ranks: int, rows: Sequence[Row]) -> str:
    """Return what a reader in a hurry wants to know of one case."""
    best = rows[0]
    factor, unit = scale(best.median.value)
    text = f"{digits(best.median.scaled(factor))} {unit} per step"
    how = f"<b>{plain(best.median.value * factor)} {unit}</b> per step"
    if best.ratio is not None and best.setting.scheme != BASELINE:
        low, high = 1 / best.ratio.high, 1 / best.ratio.low
        text += f"; [{low:.2f}, {high:.2f}] times as fast as {BASELINE}"
        if best.against_baseline == "faster":
            how = f"<b>{1 / best.ratio.value:.2f}×</b> as fast as {BASELINE}"
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
    return (
        f'<div class="card finding"><div class="what">{escape(case.name)} · {ranks} rank{plural} · '
        f'{len(rows)} schemes · {place}</div><div class="best">{escape(best.setting.scheme)}</div>'
        f'<div class="how">{how}</div><p class="soft">{text}; {others}.</p></div>'
    )


def pictures(comparison: Comparison) -> str:
    """Return the pictures of the solutions, embedded."""
    figures = []
    for case in comparison.cases:
        file = comparison.folder / f"picture-{case.name.replace(' ', '-')}.png"
        if file.is_file() and file.stat().st_size < LARGEST_BYTES // 4:
            data = base64.b64encode(file.read_bytes()).decode()
            shown = " ".join([case.program, *(case.picture or case.arguments)])
            figures.append(
                f'<figure><img src="data:image/png;base64,{data}" '
                f'alt="solution of {escape(shown)}">'
                f"<figcaption><code>{escape(shown)}</code></figcaption></figure>"
            )
    if not figures:
        return ""
    return (
        "<h2>The solution</h2><p class='soft'>From the lowest value (dark) to the highest "
        f"(bright).</p><div class='pictures'>{''.join(figures)}</div>"
    )


def table_of_facts(rows: Sequence[tuple[str, str]]) -> str:
    """Return pairs of name and text as a table."""
    lines = "".join(f"<tr><td>{escape(k)}</td><td>{escape(v)}</td></tr>" for k, v in rows)
    return f'<div class="card"><table class="facts">{lines}</table></div>'


def disturbances(launch: Launch, moved: dict[int, str]) -> list[str]:
    """Return all that was different during a launch."""
    return [*launch.interference, *([moved[id(launch)]] if id(launch) in moved else [])]


def repeating(comparison: Comparison, content: dict[str, Any]) -> str:
    """Return everything one needs to repeat the comparison."""
    facts = {**comparison.facts}
    for name in ("machine", "mpi", "build"):
        facts.setdefault(name, content.get(name, {}))
    loads = [launch.load[0] for launch in comparison.launches]
    environment = {**content.get("environment", {}), **comparison.environment}
    rows = fact_rows(facts)
    rows.append(("MPI in full", " ".join(str(facts["mpi"].get("library", "")).split())))
    rows.append(("binding of ranks", str(content.get("binding", "unknown"))))
    rows.append(("glibc tunables", environment.pop("GLIBC_TUNABLES", "") or "none"))
    rows += [(name, value) for name, value in sorted(environment.items())]
    if loads:
        rows.append(
            (
                "load before launches",
                f"median {np.median(loads):.2f}, from {min(loads):.2f} to {max(loads):.2f}",
            )
        )
    rows += list(comparison.settings.items())
    rows.append(("measured", comparison.time))
    rows.append(("order drawn with seed", str(comparison.seed)))
    moved = {id(launch): how for launch, how in comparison.moved()}
    lines = "".join(
        f"<tr><td>{launch.round}</td><td class='mono'>{escape(launch.scheme)}</td>"
        f"<td class='{'bad' if launch.status == 'failed' else ''}'>{launch.status}</td>"
        f"<td>{launch.wall_s:.2f}</td><td>{launch.load[0]:.2f}</td>"
        f"<td>{distance.shown(launch.core_distance_s) if launch.core_distance_s else ''}</td>"
        f"<td class='warn'>{escape(', '.join(disturbances(launch, moved)))}</td>"
        f"<td class='mono'>{escape(launch.command)}</td></tr>"
        for launch in comparison.launches
    )
    return (
        "<h2>To repeat it</h2>"
        "<button data-copy='command'>copy</button>"
        f"<pre id='command'>{escape(comparison.command_line)}</pre>{table_of_facts(rows)}"
        f"<details><summary>All {len(comparison.launches)} launches, in their order</summary>"
        "<div class='card scroll'><table class='launches'><thead><tr><th>round</th><th>scheme</th>"
        "<th>status</th><th>seconds</th><th>load</th><th>cores apart</th>"
        "<th>disturbed by</th><th>command</th></tr></thead>"
        f"<tbody>{lines}</tbody></table></div></details>"
    )


def left_out(comparison: Comparison) -> str:
    """Return the schemes that were skipped or failed, and why."""
    rows = [(scheme, f"skipped: {why}") for scheme, why in comparison.skipped.items()]
    rows += [(who, f"failed while being measured: {why}") for who, why in failures(comparison)]
    return f"<h2>Left out</h2>{table_of_facts(rows)}" if rows else ""


def render(comparison: Comparison) -> str:
    """Return the report as HTML."""
    tables = tabulate(comparison)
    if not tables:
        raise HaloclineError(f"{comparison.folder} holds no measurement to report")
    cases = {case.name: case for case in comparison.cases}
    first = next(iter(tables.values()))[0].results[0].content
    library = short_library(str(first.get("mpi", {}).get("library", "")))
    here = first.get("machine", {})
    agreed = "".join(
        f'<p><span class="chip {"good" if a.same else "bad"}">'
        f"{'identical' if a.same else 'different'}</span> {escape(a.case)}: {escape(a.text)}</p>"
        for a in agreement(comparison)
    )
    sections = []
    for (name, ranks), rows in tables.items():
        launches = sorted({len(row.groups) for row in rows})
        counts = f"{launches[0]}" if len(launches) == 1 else f"{launches[0]} to {launches[-1]}"
        few = notes.few_launches(rows)
        caution = f' <span class="warn">{few}</span>' if few else ""
        told = " ".join(escape(note) for note in (notes.warm_up(rows), notes.outliers(rows)))
        sections.append(
            f"<h2>{escape(name)} on {ranks} rank{'s' * (ranks != 1)}</h2>"
            f'<p class="soft"><code>{escape(cases[name].shown())}</code>, {counts} launches of '
            "each scheme in random order. Dot: median time per step; bar: 95 % interval; "
            f"dashed: {BASELINE}. Green rows cannot be told apart from the fastest.{caution}</p>"
            f'{ranking(rows)}<p class="faint">{told}</p>{distribution(rows)}'
        )
    findings = "".join(finding(cases[case], n, rows) for (case, n), rows in tables.items())
    assets = Path(__file__).parent
    title = "Halocline: communication schemes compared"
    cautions = [
        notes.ending(comparison, tables.values()),
        notes.disturbances(comparison),
        notes.moved(comparison),
        business(comparison),
    ]
    if comparison.interrupted:
        cautions.append("The measurement was interrupted; this is what there was until then.")
    note = "".join(f'<p class="warn">{escape(text)}</p>' for text in cautions if text)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>{(assets / "report.css").read_text()}</style></head><body>
<header><div><h1>Communication schemes compared</h1>
<div class="soft">{escape(str(here.get("cpu", "")))}, {here.get("cores", "?")} cores ·
{escape(library)} · {escape(comparison.time)}</div></div>
<button id="theme" title="dark or light">◐</button></header>{note}
<div class="findings">{findings}</div>
<div style="margin-top:18px">{agreed}</div>
{"".join(sections)}
{pictures(comparison)}
{left_out(comparison)}
{repeating(comparison, first)}
<h2>How to read it</h2>
<p class="soft">A sample is the time of one repetition, the maximum over ranks, divided by its
steps. Intervals of medians come from order statistics and assume no distribution (Hoefler and
Belli, SC15), with samples discounted by what repetitions of one launch have in common; intervals of
ratios come from Wilcoxon’s signed-rank test on the ratios of the same rounds. Each interval holds
95 % by itself. What is called faster or slower is so by a permutation test within rounds,
corrected for the number of schemes: the chance of one wrong claim or more in a column is at most
5 %. Schemes that cannot be told apart from the fastest are ties, not equals: more launches may
separate them. The time split sums all ranks.</p>
<p class="faint">Written by halocline {__version__} on {now()}.</p>
<div id="tip" role="tooltip"></div><script>{(assets / "report.js").read_text()}</script>
</body></html>
"""


def write(comparison: Comparison, output: Path | None = None) -> Path:
    """Write the report and return its path: by default `report.html` in the folder."""
    output = output or comparison.folder / "report.html"
    text = render(comparison)
    try:
        output.write_text(text)
    except OSError as error:
        raise HaloclineError(f"cannot write {output}: {error.strerror}") from error
    return output.resolve()
