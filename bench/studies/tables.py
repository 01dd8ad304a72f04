"""Write a study's tables and figures into its page, between comments that say which."""

import re
import textwrap
from collections import Counter
from statistics import median

import maps
import predicted
import sweep
from halocline import outputs, records
from halocline.errors import HaloclineError
from halocline.figures import amount, plain
from halocline.shapes import AtLeast
from halocline.statistics import shift_interval
from study import ROOT
from wins import FASTER, SLOWER, UNDECIDED, UNFELT, UNMEASURED, cells_of, verdicts

BLOCK = re.compile(r"(<!-- (\w+): [^>]*-->\n).*?(<!-- end -->)", re.DOTALL)
"""What is written here: a page says where by `<!-- answer: who writes it --> ... <!-- end -->`."""
IMAGES = "docs/images"
LAYOUTS = {"fixed": "contiguous", "lists": "every second double"}
WORDS = (FASTER, SLOWER, UNDECIDED, UNFELT)
CELL = {
    "scheme": str, "peers": AtLeast(1), "bytes": AtLeast(1), "links": str,
    "compute_us": AtLeast(0.0), "felt_us": list[float],
}  # fmt: skip
SYNCHRONISATION = {"what": str, "us": list[float]}
SETTING_UP = {"scheme": str, "us": list[float], "kept_bytes": AtLeast(0)}
SHAPE = {
    "study": str, "date": str, "launches": AtLeast(1), "ranks": AtLeast(2), "nodes": AtLeast(1),
    "mpi": {"name": str, "version": str}, "machine": {"processor": str},
    "settings?": dict[str, str], "core_distance_ns?": list[float], "crowded?": bool,
    "cells": list[CELL], "synchronisation": list[SYNCHRONISATION], "setting_up": list[SETTING_UP],
}  # fmt: skip


def table(head, rows):
    """Lines of Markdown."""
    if not rows:
        return []
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|",
            *(f"| {' | '.join(map(str, row))} |" for row in rows), ""]  # fmt: skip


def wrapped(text):
    """A paragraph, or a point of a list, as lines."""
    return textwrap.wrap(text, 130, subsequent_indent="  " * text.startswith("- "))


def load(file, study):
    """What a machine has said."""
    content = records.read(file, sweep.FORMAT, sweep.VERSION, "file of a study", SHAPE)
    if content["study"] != study.name:
        raise HaloclineError(f"{file} is of the study {content['study']}, not {study.name}")
    return content


def title_of(content):
    """Whose figures they are."""
    place, library = content["machine"]["processor"], content["mpi"]
    settings = "".join(f", {name}={value}" for name, value in content.get("settings", {}).items()
                       if name.startswith(("MPIR_CVAR", "OMPI_MCA_")))  # fmt: skip
    nodes = f" on {content['nodes']} nodes" if content["nodes"] > 1 else ""
    mpi = f"{library['name']} {library['version']}"
    crowded = ", more ranks than cores" * content.get("crowded", False)
    return f"{place}, {mpi}, {content['ranks']} ranks{nodes}{crowded}{settings}"


def in_bytes(size):
    """A size that is a round number."""
    return amount(size).replace(".0", "")


def row_name(row):
    """A row of a map in words."""
    peers, compute_us, links = row
    meanwhile = f", {plain(compute_us)} µs meanwhile" if compute_us else ""
    return f"{peers} peer{'s' * (peers != 1)}, {LAYOUTS.get(links, links)}{meanwhile}"


def span(ratios):
    """How many times as long, from least to most."""
    shown = sorted({f"{ratio:.2f}" for ratio in ratios}, key=float)
    return "" if not shown else shown[0] if len(shown) == 1 else f"{shown[0]} to {shown[-1]}"


def measured(found):
    """Those comparisons of which there is anything."""
    return {
        pair: squares
        for pair, squares in found.items()
        if any(one.word != UNMEASURED for one in squares.values())
    }


def counted(found):
    """A row for each comparison: how many cells are won and lost, and by how much."""
    rows = []
    for (side, rival), squares in found.items():
        by = {word: [one for one in squares.values() if one.word == word] for word in WORDS}
        if not any(by.values()):
            continue
        rows.append([
            f"{side} / {rival}", *(len(by[word]) for word in WORDS),
            span(one.ratio.value for one in by[FASTER]),
            span(one.ratio.value for one in by[SLOWER]),
        ])  # fmt: skip
    return rows


HEAD = ["sides", *WORDS, "where faster, times", "where slower, times"]


def sentence(pair, squares):
    """What is said of a comparison, in words."""
    side, rival = pair
    count = Counter(one.word for one in squares.values())
    measured = sum(count[word] for word in WORDS)
    if not measured:
        return ""
    faster, slower = (
        span(one.ratio.value for one in squares.values() if one.word == word)
        for word in (FASTER, SLOWER)
    )
    parts = [
        f"is faster in {count[FASTER]}" + (f" ({faster} of the time)" if faster else ""),
        f"slower in {count[SLOWER]}" + (f" ({slower} times as long)" if slower else ""),
    ]
    rest = measured - count[FASTER] - count[SLOWER]
    return (
        f"- **{side}** against **{rival}**: of {measured} cells {side} {', '.join(parts)}, and "
        f"{rest} cannot be told apart."
    )


def answer(study, machines):
    """What there is to say in short, for each machine."""
    lines = []
    for _, content in machines:
        lines += [f"{title_of(content)}, {content['date']}:", ""]
        for one in verdicts(content, study).items():
            lines += wrapped(sentence(*one))
        lines.append("")
    return lines or ["Nobody has measured it yet.", ""]


def maps_of(study, machines):
    """The maps, and the tables of what is in them."""
    lines = []
    for file, content in machines:
        found = measured(verdicts(content, study))
        if not found:
            continue
        every = [cell for squares in found.values() for cell in squares]
        rows = {row: row_name(row) for row in sorted({cell.row for cell in every})}
        columns = {size: in_bytes(size) for size in sorted({cell.bytes for cell in every})}
        panels = [
            (f"{side} / {rival}", {(c.row, c.bytes): one for c, one in squares.items()})
            for (side, rival), squares in found.items()
        ]
        picture = ROOT / IMAGES / f"{file.stem}.png"
        maps.save(maps.draw(panels, rows, columns, "bytes to each peer"), picture)
        lines += [f"**{title_of(content)}**, {content['date']}, {content['launches']} launches"
                  f"{distance(content)}.", "",
                  f"![Which side is faster, by size](../images/{picture.name})", ""]  # fmt: skip
        lines += table(HEAD, counted(found))
    return lines


def distance(content):
    """How far the cores were from each other, if anybody knows."""
    found = content.get("core_distance_ns") or []
    return f"; a cache line there and back takes {found[0]} to {found[-1]} ns" if found else ""


def times(study, machines):
    """Microseconds of the fastest scheme of each side, in each cell."""
    lines = []
    for _, content in machines:
        found = cells_of(content)
        sides = [name for name, side in study.sides.items() if not name.startswith("any ")]
        rows = []
        for cell, of in found.items():
            shown = []
            for name in sides:
                there = [(median(of[one]), one) for one in study.sides[name] if of.get(one)]
                if not there:
                    shown.append("")
                    continue
                least, scheme = min(there)
                shown.append(f"{plain(max(least, 0.0))} {options(scheme)}".strip())
            rows.append([row_name(cell.row), in_bytes(cell.bytes), *shown])
        lines += [f"**{title_of(content)}**, µs felt:", ""]
        lines += table(["cell", "bytes", *sides], rows)
    return lines


def options(scheme):
    """What tells a scheme from the usual one of its side: what is got, and its options."""
    way, _, rest = scheme.partition("+")
    parts = way.split(":")
    shown = [*(parts[1:2] if parts[0] == "rma" and parts[1] != "put" else []),
             *(parts[2:] if parts[-1] in ("lock", "flush") else []),
             *(parts[1:] if parts[-1] == "persistent" and parts[0] == "p2p" else []),
             *filter(None, rest.split("+"))]  # fmt: skip
    return f"({', '.join(shown)})" if shown else ""


def interval_said(values):
    """A median over launches, with its interval."""
    found = shift_interval(values)
    return f"{plain(found.value)} [{plain(found.low)}, {plain(found.high)}]"


def synchronisation(study, machines):
    """What synchronising takes by itself."""
    lines = []
    for _, content in machines:
        rows = [[one["what"], interval_said(one["us"])] for one in content["synchronisation"]]
        if rows:
            lines += [f"**{title_of(content)}**, µs:", ""]
        lines += table(["what", "µs"], sorted(rows, key=lambda row: float(row[1].split()[0])))
    return lines


def setting_up(study, machines):
    """What making one more exchange takes, and keeps."""
    lines = []
    for _, content in machines:
        rows = [[f"`{one['scheme']}`", interval_said(one["us"]), amount(one["kept_bytes"])]
                for one in content["setting_up"]]  # fmt: skip
        if rows:
            lines += [f"**{title_of(content)}**:", ""]
        lines += table(["scheme", "µs to make one more", "kept on the heap"], rows)
    return lines


OPERATIONS = {
    "messages": "messages", "transfers": "puts or gets", "notifications": "notifications",
    "round_trips": "completions and locks", "barriers": "barriers",
}  # fmt: skip
"""What is counted in a step, and the heading of its column."""


def steps(study, machines):
    """What a rank does in a step."""
    found = study.predicted["steps"]
    shown = {name: head for name, head in OPERATIONS.items() if any(one[name] for one in found)}
    rows = [
        [f"`{one['scheme']}`", *(one[name] or "" for name in shown), amount(one["bytes"])]
        for one in found
    ]
    return table(["scheme", *shown.values(), "buffers and windows"], rows)


def predicted_maps(study, machines):
    """The map of what is predicted."""
    content = study.predicted
    found = measured(predicted.verdicts(content, study))
    if not found:
        return []
    every = {key for squares in found.values() for key in squares}
    rows = {
        (neighbours, side): f"{neighbours} neighbours, {side}³ cells"
        for neighbours, side in sorted({row for row, _ in every})
    }
    columns = {
        (noisy, ranks): f"{ranks}{', interrupted' * noisy}"
        for noisy, ranks in sorted({column for _, column in every})
    }
    panels = [(f"{side} / {rival}, predicted", squares) for (side, rival), squares in found.items()]
    picture = ROOT / IMAGES / f"{study.name}-predicted.png"
    maps.save(maps.draw(panels, rows, columns, "ranks"), picture)
    low, high = content["spread"]
    return [
        *wrapped(
            f"**Predicted, not measured**: {predicted.MACHINE} with {predicted.NETWORK} between "
            f"nodes of {predicted.PER_NODE} ranks. 90 % of what was measured on one node "
            f"was {low:.2f} to {high:.2f} times what the machine's file gives, so differences "
            f"below {50 * (high - low):.0f} % stand in brackets."
        ), "",
        f"![Which side is predicted to be faster, by ranks](../images/{picture.name})", "",
        *table(HEAD[:4] + HEAD[5:], [[*row[:4], *row[5:]] for row in counted(found)]),
    ]  # fmt: skip


BLOCKS = {
    "answer": answer, "maps": maps_of, "times": times, "synchronisation": synchronisation,
    "setting_up": setting_up, "steps": steps, "predicted": predicted_maps,
}  # fmt: skip


def filled(text, blocks):
    """A page with its blocks written anew.

    `blocks(name)` gives the lines of one.
    """

    def written(match):
        lines = "\n".join(blocks(match[2])).rstrip()
        return "".join((match[1], f"\n{lines}\n\n" if lines else "", match[3]))

    return BLOCK.sub(written, text)


def write(study):
    """Write the page from all files that there are; return what was written."""
    page = ROOT / study.page
    machines = [(file, load(file, study)) for file in study.files()]

    def lines(name):
        if name not in BLOCKS:
            raise HaloclineError(f"{page} has a block {name}; there are {', '.join(BLOCKS)}")
        return BLOCKS[name](study, machines)

    outputs.save(page, filled(page.read_text("utf-8"), lines))
    return [page]
