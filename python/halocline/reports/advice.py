"""The page of an answer about a program that nobody has changed."""

from __future__ import annotations

from pathlib import Path

from halocline.advice import Answer, Row, said_of_scale, share_of
from halocline.errors import HaloclineError
from halocline.figures import amount, percent, plain, scale
from halocline.reports import page as pages
from halocline.reports import plots
from halocline.reports.plots import COLOURS, Plot

PARTS = {
    "waiting for late ranks": (COLOURS["c1"], lambda row: row.waited),
    "transfer": (COLOURS["c0"], lambda row: row.transfer),
    "library": (COLOURS["c5"], lambda row: row.library),
    "few long steps": (COLOURS["c4"], lambda row: row.long),
}
"""What an exchange takes, and the colour of each part."""
MOST = 24
"""Patterns that a picture shows."""


def write(answer: Answer, file: Path) -> Path:
    """Write the page and return its path."""
    drawn = (
        plots.both(lambda width: draw(answer, width), "What exchanges take") if answer.rows else ""
    )
    text = pages.render(
        "advice.html",
        program=answer.program,
        where=f"{answer.library} · {answer.ranks} ranks · {answer.seconds:.3g} s · {answer.how}",
        summary=answer.summary,
        said=answer.said[1:],
        picture=drawn,
        head=HEAD,
        words=WORDS,
        rows=[(row.saving.verdict == "saves", _cells(row)) for row in answer.rows],
        changes=any(row.remedies for row in answer.rows),
        details=[_detail(row, answer.machine) for row in answer.rows if _worth_a_word(row)],
        collectives=[
            (
                one.function, one.times, amount(one.bytes), percent(one.share),
                percent(one.waited), "" if one.culprit is None else f"rank {one.culprit}",
            )
            for one in answer.collectives
        ],
        unseen=answer.unseen_lines(),
        command=f"halocline advise -- {answer.command}" if answer.command else "",
        csv=pages.download(answer.table()),
    )  # fmt: skip
    return pages.write(text, file)


HEAD = (
    "", "where", "way", "peers", "bytes", "times", "a second", "share", "waiting", "transfer",
    "library", "few long steps", "best", "saves of the run", "confidence",
)  # fmt: skip
WORDS = ("", "where", "way", "best")
"""Columns that hold words, not numbers."""


def _cells(row: Row) -> tuple[str, ...]:
    best = row.saving.best
    return (
        str(row.number), str(row.place), row.way, str(row.peers), row.size, f"{row.times:,}",
        plain(row.per_second), percent(row.share),
        percent(row.waited) if row.waits_seen else "?", percent(row.transfer),
        percent(row.library), percent(row.long), best.name if best else "", row.saved,
        row.confidence,
    )  # fmt: skip


def _worth_a_word(row: Row) -> bool:
    return bool(row.remedies or row.scaled or row.saving.why)


def _detail(row: Row, machine: str) -> dict[str, object]:
    saving = row.saving
    verdict = f"{saving.verdict[:1].upper()}{saving.verdict[1:]}"
    lines = [f"{verdict}: {saving.why}."] if saving.why else []
    if saving.best is not None:
        lines.append(f"{saving.best.name} saves {share_of(saving.best.share)} of the run.")
    behind = "" if row.culprit is None else f", most often rank {row.culprit}"
    lines += [
        f"{percent(share)} of the run: {name}{behind}."
        for name, share in sorted(row.waiting.items(), key=lambda one: -one[1])
        if share >= 0.0005
    ]  # fmt: skip
    if saving.replayed_s:
        lines.append(
            f"Without waiting, the program's own way took {_time(saving.recorded_s)} (median) in "
            f"the run, and {_time(saving.replayed_s)} in the replay."
        )
    return {
        "title": f"{row.number}: {row.place}",
        "lines": [*lines, *said_of_scale(row, machine)],
        "remedies": [(one.what, "\n".join(one.lines)) for one in row.remedies],
        "left_out": sorted(saving.left_out.items()),
        "open": saving.verdict == "saves",
    }


def _time(seconds: float) -> str:
    factor, unit = scale(seconds)
    return f"{plain(factor * seconds)} {unit}"


def draw(answer: Answer, width: float = plots.WIDE) -> Plot:
    """Draw what each pattern takes of the run, and what the best way would save of it.

    Raises
    ------
    HaloclineError
        When there are no patterns.
    """
    rows = answer.rows[:MOST]
    if not rows:
        raise HaloclineError("plot: no exchanges were seen")
    with plots.drawing(width, 110 + 34 * len(rows)) as plot:
        axes = plot.figure.add_subplot()
        for place, row in enumerate(rows):
            left = 0.0
            for name, (colour, share) in PARTS.items():
                tip = plot.tip(f"{row.place}: {percent(share(row))} {name}")
                axes.barh(place, 100 * share(row), left=left, height=0.5, color=colour, gid=tip)
                left += 100 * share(row)
            if row.saving.best is not None:
                saved = row.saving.best.share.scaled(100)
                tip = plot.tip(f"{row.saving.best.name} saves {share_of(row.saving.best.share)}")
                axes.plot([saved.low, saved.high], [place + 0.36] * 2, color=COLOURS["auto"], lw=5)
                axes.plot([saved.value], [place + 0.36], "o", color=COLOURS["auto"], gid=tip)
        narrow = width <= plots.NARROW
        names = [str(row.number) if narrow else f"{row.number} {row.place}" for row in rows]
        axes.set_yticks(range(len(rows)), [name[:40] for name in names])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.yaxis.grid(False)
        axes.set_xlim(left=0)
        axes.set_xlabel("% of all ranks' time")
        shown = [(name, (colour, "-")) for name, (colour, _) in PARTS.items()]
        shown.append(("the best way saves", (COLOURS["auto"], "-")))
        plots.legend(axes, [name for name, _ in shown], [style for _, style in shown],
                     1 if narrow else len(shown))  # fmt: skip
        return plot
