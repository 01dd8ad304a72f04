"""Why schemes take what they take: a launch of each under a trace, and what it says.

A traced launch is no sample: it is made besides those that are measured.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import Launcher, find_program, launcher_of, process
from halocline.measure import Comparison, Setting
from halocline.traces.file import Trace
from halocline.traces.summary import losses

FORMAT, VERSION = "halocline-reasons", 1
FILE = "reasons.json"
REPETITIONS = 2


@dataclass(frozen=True)
class Reason:
    """What the trace of one launch says of where its time went."""

    case: str
    ranks: int
    scheme: str
    sentences: list[str]
    """The most costly exchange first; or why there is no trace."""

    @property
    def setting(self) -> Setting:
        """The cell of a comparison that it is about."""
        return Setting(self.case, self.ranks, self.scheme)


def traced(
    program: Path,
    arguments: Sequence[str],
    ranks: int,
    scheme: str,
    launcher: Launcher,
    *,
    pin: bool = True,
    limit_s: float = 120,
) -> Trace:
    """Run a program once under a trace and return the trace.

    Raises
    ------
    HaloclineError
        When the program fails, or writes no trace.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.trace"
        own = [
            *arguments, *(["--scheme", scheme] if scheme else []),
            "--repetitions", str(REPETITIONS), "--trace", str(file),
        ]  # fmt: skip
        command = launcher.command(ranks, program, own, pin=pin)
        finished = process.run(command, launcher.environment(ranks), limit_s)
        if not finished.ok:
            raise HaloclineError(finished.last_words(1) or finished.reason())
        if not file.is_file():
            raise HaloclineError(f"{program.name} has written no trace")
        return Trace.load(file)


def of_program(
    program: str | Path,
    arguments: Sequence[str],
    ranks: int,
    schemes: Sequence[str],
    *,
    programs: Path | str | None = None,
    pin: bool = True,
    limit_s: float = 120,
    say: Callable[[str], None] = lambda text: None,
) -> list[Reason]:
    """Return for each scheme what a traced launch of a program says."""
    path = find_program(program, programs)
    launcher = launcher_of(path, programs)
    found = []
    for scheme in schemes:
        say(f"tracing {scheme or path.name}")
        try:
            trace = traced(path, arguments, ranks, scheme, launcher, pin=pin, limit_s=limit_s)
            said = [str(loss) for loss in losses(trace)] or ["no exchange took any time"]
        except HaloclineError as error:
            said = [f"{scheme or path.name}: no trace: {error}"]
        found.append(Reason(path.name, ranks, scheme, said))
    return found


def of_comparison(
    comparison: Comparison,
    *,
    paths: Mapping[str, Path] | None = None,
    programs: Path | str | None = None,
    pin: bool = True,
    limit_s: float = 120,
    say: Callable[[str], None] = lambda text: None,
) -> list[Reason]:
    """Trace a launch of all that a comparison has measured; keep what it says in its folder.

    Its table gets a column `why`. `paths` says where programs are that are not where others are.
    """
    cases = {case.name: case for case in comparison.cases}
    found = []
    for (name, ranks), group in itertools.groupby(
        comparison.summary, key=lambda row: (row["case"], row["ranks"])
    ):
        rows, case = list(group), cases[name]
        reasons = of_program(
            (paths or {}).get(case.program, case.program), case.arguments, ranks,
            [row["scheme"] for row in rows], programs=programs, pin=pin, limit_s=limit_s, say=say,
        )  # fmt: skip
        for row, reason in zip(rows, reasons):
            found.append(Reason(name, ranks, row["scheme"], reason.sentences))
            row["why"] = "; ".join(reason.sentences)
    comparison.save()
    content = {"reasons": [asdict(reason) for reason in found]}
    records.write(comparison.folder / FILE, FORMAT, VERSION, content)
    return found


def load(folder: Path) -> list[Reason]:
    """Return what was found out in a comparison's folder; nothing if nobody asked.

    Raises
    ------
    HaloclineError
        When the file is damaged or of another version.
    """
    file = folder / FILE
    if not file.is_file():
        return []
    shape = {"reasons": list[Reason]}
    return records.read(file, FORMAT, VERSION, "file of reasons", shape)["reasons"]
