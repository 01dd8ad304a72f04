"""The page of the atlas: what the files of docs/atlas say, as a table, and the programs."""

import fnmatch
import json
import math
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from halocline.measure.atlas import load
from halocline.measure.soundness import PATTERNS

FOLDER = Path(__file__).parent.parent / "atlas"
MARK = "<!-- the table -->"
FIELD = re.compile(r"^ \* (ranks|schemes|settings|broken|sound):(.*)$", re.MULTILINE)
FAMILIES = ("p2p", "neighbor", "rma", "shm", "shmem", "gaspi")


@dataclass(frozen=True)
class Program:
    """A program of docs/atlas/programs, as its first comment describes it."""

    file: Path
    title: str
    text: str
    ranks: int
    schemes: tuple
    settings: dict
    broken: tuple
    sound: tuple

    def shows(self, mpi, scheme):
        """Whether it shows what is wrong with a scheme under an MPI."""
        named = any(fnmatch.fnmatchcase(scheme, glob) for glob in self.schemes)
        return named and mpi in self.broken


def words(text):
    """Return what commas separate."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def programs(folder=FOLDER / "programs"):
    """Return the programs that show what is broken, by name."""
    found = []
    for file in sorted(folder.glob("*.c")):
        comment = file.read_text().partition("*/")[0]
        fields = dict(FIELD.findall(comment))
        said = re.sub(r"^(/\*| \*) ?", "", FIELD.sub("", comment), flags=re.MULTILINE)
        title, _, text = said.strip().partition("\n")
        found.append(Program(
            file, title.strip(), text.strip(), int(fields["ranks"]), words(fields["schemes"]),
            dict(one.split("=", 1) for one in words(fields.get("settings", ""))),
            words(fields["broken"]), words(fields["sound"]),
        ))  # fmt: skip
    return found


def reports():
    """Return the files of the atlas with their names."""
    return [(file.stem, load(file)) for file in sorted(FOLDER.glob("*.json"))]


def finding_of(report, scheme):
    """Return what a report says of a scheme, by its name or by a glob; None if nothing."""
    if scheme in report.schemes:
        return report.schemes[scheme]
    globs = (one for glob, one in report.schemes.items() if fnmatch.fnmatchcase(scheme, glob))
    return next(globs, None)


def felt_of(report, scheme):
    """Return for all patterns together, and for each, ratio and interval as text."""
    patterns = report.felt.patterns if report.felt else {}
    each = []
    for pattern in PATTERNS:
        times = patterns.get(pattern.name)
        baseline = [1.0, 1.0, 1.0] if scheme == "p2p:nonblocking" else None
        each.append(times and (baseline or times.ratios.get(scheme)))
    values = sorted(one[0] for one in each if one)
    if not values:
        return []
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    shown = [[figure(middle), f"{figure(values[0])} to {figure(values[-1])}"]]
    return shown + [
        one and [figure(one[0]), f"{figure(one[1])} to {figure(one[2])}"] for one in each
    ]


def figure(value):
    """Return a number with two digits."""
    digits = 2 if abs(value) < 1e-3 else max(0, 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(digits, 2)}f}"


def cell(name, report, scheme, shown_by):
    """Return the cell of a scheme under an MPI."""
    finding = finding_of(report, scheme)
    if finding is None:
        why = report.missing.get(scheme)
        method = scheme.partition("+")[0]
        if why is None and method in report.missing:
            why = report.missing[method]
        if why is None:
            return '<td class="unknown" data-verdict="unknown">not known</td>'
        return f'<td data-verdict="missing" title="{escape(why)}">missing</td>'
    ranks = ", ".join(map(str, finding.ranks))
    about = f"{finding.outcome} on {ranks} ranks: {finding.detail}".rstrip(": ")
    if not finding.sound:
        program = next((one for one in shown_by if one.shows(report.mpi.title, scheme)), None)
        target = program.file.stem if program else f"broken-{name}"
        return (
            f'<td data-verdict="broken" title="{escape(about)}">'
            f'<a href="#{target}">{finding.outcome}</a></td>'
        )
    felt = felt_of(report, scheme)
    numbers = f' data-felt="{escape(json.dumps(felt))}"' if felt else ""
    first = f"<b>{felt[0][0]}</b> <small>{felt[0][1]}</small>" if felt else ""
    return (
        f'<td data-verdict="sound" title="{escape(about)}"{numbers}>'
        f'{finding.outcome} <span class="felt">{first}</span></td>'
    )


def head(number, name, report):
    """Return the head of a report's column."""
    where = report.transport if report.hosts == 1 else f"{report.hosts} hosts, {report.transport}"
    lines = [where, report.machine.get("processor", ""), f"{report.how} {report.date}"]
    small = "<br>".join(escape(line) for line in lines if line)
    return (
        f'<th scope="col" data-mpi="{number}"><a href="{name}.json">{escape(report.mpi.title)}</a>'
        f"<br><small>{small}</small></th>"
    )


def choices(name, label, options):
    """Return a list to choose from."""
    inside = "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in options)
    return f'<label>{label} <select name="{name}">{inside}</select></label>'


def table(found, shown_by):
    """Return the table with its filters, as HTML without an empty line."""
    names = dict.fromkeys(name for _, one in found for name in (*one.schemes, *one.missing))
    names = [name for name in names if not any(mark in name for mark in "*?[")]
    names.sort(key=lambda name: (FAMILIES.index(name.partition(":")[0].partition("+")[0]), name))
    mpis = [(str(number), one.mpi.title + ("" if one.hosts == 1 else f", {one.hosts} hosts"))
            for number, (_, one) in enumerate(found)]  # fmt: skip
    lines = [
        '<div class="atlas">',
        '<form class="atlas-filters" role="search" aria-label="Filters of the table">',
        '<label>Search <input type="search" name="words" placeholder="get lock hang"></label>',
        choices("family", "Family", [("", "all"), *((one, one) for one in FAMILIES)]),
        choices("verdict", "With a verdict", [
            ("", "any"), ("broken", "broken"), ("missing", "missing"), ("sound", "sound"),
        ]),
        choices("mpi", "MPI", [("", "all"), *mpis]),
        choices("pattern", "How fast", [
            ("0", "ten patterns: median, least to most"),
            *((str(number), one.name) for number, one in enumerate(PATTERNS, 1)),
        ]),
        '<label><input type="checkbox" name="options"> with options</label>',
        '<output aria-live="polite"></output>',
        "</form>",
        '<div class="atlas-scroll" role="region" tabindex="0" aria-label="Schemes by MPI">',
        '<table class="atlas-table"><thead><tr><th scope="col">scheme</th>',
        *(head(number, name, one) for number, (name, one) in enumerate(found)),
        "</tr></thead><tbody>",
    ]  # fmt: skip
    for name in names:
        lines.append(f'<tr data-scheme="{escape(name)}"><th scope="row">{escape(name)}</th>')
        lines += [cell(file, one, name, shown_by) for file, one in found]
        lines.append("</tr>")
    lines += ["</tbody></table>", "</div>", "</div>", '<script src="atlas.js"></script>']
    return "\n".join(lines)


def broken_list(found, shown_by):
    """Return what is broken, MPI by MPI, in words."""
    lines = []
    for name, report in found:
        bad = {scheme: one for scheme, one in report.schemes.items() if not one.sound}
        if not bad:
            continue
        settings = "".join(f", `{key}={value}`" for key, value in report.settings.items())
        said = f"{report.how} {report.date}" + (f" from {report.source}" if report.source else "")
        lines += [
            f"### {report.mpi.title}, {report.transport} {{#broken-{name}}}", "",
            f"[{name}.json]({name}.json), {said}{settings}.", "",
            "| scheme | verdict | ranks | what goes wrong | shown by |", "|---|---|---|---|---|",
        ]  # fmt: skip
        for scheme, one in bad.items():
            by = next((p for p in shown_by if p.shows(report.mpi.title, scheme.strip("*"))), None)
            link = f"[{by.file.name}](#{by.file.stem})" if by else ""
            detail = one.detail.replace("|", "\\|")
            ranks = ", ".join(map(str, one.ranks))
            lines.append(f"| `{scheme}` | {one.outcome} | {ranks} | {detail} | {link} |")
        lines.append("")
    return lines


def missing_list(found):
    """Return what MPIs lack, in words."""
    lines = ["| MPI | schemes | why |", "|---|---|---|"]
    for _, report in found:
        reasons = {}
        for scheme, why in report.missing.items():
            reasons.setdefault(why, []).append(f"`{scheme}`")
        for why, schemes in reasons.items():
            lines.append(f"| {report.mpi.title} | {', '.join(schemes)} | {why} |")
    return lines


def program_list(shown_by):
    """Return the programs with what they show and how they are started."""
    lines = []
    for one in shown_by:
        settings = "".join(f"{key}={value} " for key, value in one.settings.items())
        stem = one.file.stem
        lines += [
            f"### {one.file.name} {{#{stem}}}", "", f"**{one.title}** {one.text}", "",
            f"Fails under {', '.join(one.broken)}; right under {', '.join(one.sound)}. "
            f"[The file](programs/{one.file.name}).", "",
            "```sh", f"mpicc {one.file.name} -o {stem}",
            f"{settings}mpiexec -n {one.ranks} ./{stem}", "```", "",
            "```c", one.file.read_text().partition("*/\n")[2].rstrip(), "```", "",
        ]  # fmt: skip
    return lines


def page(markdown):
    """Put what the files say into the page."""
    found, shown_by = reports(), programs()
    parts = [
        table(found, shown_by), "", "## What is broken", "", *broken_list(found, shown_by),
        "## What is missing", "", *missing_list(found), "",
        "## The smallest programs", "", *program_list(shown_by),
    ]  # fmt: skip
    return markdown.replace(MARK, "\n".join(parts))
