"""What a run's trace says: where its time went, and who made whom wait."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.errors import HaloclineError
from halocline.launch import (
    TRACE,
    count,
    find_program,
    first_bytes,
    is_program,
    is_there,
    launcher_of,
    process,
    words,
)
from halocline.tables import Tabular

if TYPE_CHECKING:
    from halocline.measure import Comparison
    from halocline.reports.plots import Picture
    from halocline.traces import Trace
    from halocline.traces.reasons import Reason


@dataclass(frozen=True)
class Traced(Tabular):
    """A trace, and what it says."""

    trace: Trace
    against: Trace | None = None
    """Another trace of the same problem."""

    @cached_property
    def said(self) -> list[str]:
        """What the command prints: losses by scheme, the critical path, how far ranks drift."""
        from halocline.traces import told

        return told(self.trace, self.against)

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each part of what each scheme takes, the most costly first.

        `part` is a wait state, `packing`, copies, or `transfers and calls`; `share` is of all
        ranks' time, `culprit` the rank that is behind most of a wait state.
        """
        from halocline.traces import losses

        return [
            {"scheme": loss.what, "part": part.name, "share": part.share, "culprit": part.culprit}
            for loss in losses(self.trace)
            for part in loss.parts
        ]

    def plot(self, part: str | None = None) -> Picture:
        """Draw what every rank does in three steps in the middle of the run.

        Parameters
        ----------
        part
            The number of the first step to draw instead.
        """
        from halocline.reports import timeline

        return timeline.draw(self.trace, None if part is None else int(part))

    def write_page(self, file: Path | str) -> Path:
        """Write a page that opens offline, and return its path."""
        from halocline.traces import page

        return page.write(self.trace, Path(file))

    def write_perfetto(self, file: Path | str) -> Path:
        """Write the file for https://ui.perfetto.dev, and return its path."""
        from halocline.traces import perfetto

        return perfetto.write(self.trace, Path(file))

    def write_otf2(self, folder: Path | str) -> Path:
        """Write the archive for Vampir, Scalasca and others, and return its path."""
        from halocline.traces import otf2_archive

        return otf2_archive.write(self.trace, Path(folder))


def trace(
    program: str | Path,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int = 2,
    scheme: str | None = None,
    output: Path | str | None = None,
    against: Path | str | None = None,
    pin: bool = True,
    timeout_s: float = 600,
    attended: bool = False,
    programs: Path | str | None = None,
) -> Traced:
    """Run a program and record what every rank does when; or read the file of an earlier trace.

    Parameters
    ----------
    program
        A Halocline program, or the file of a trace.
    arguments
        The program's own, as typed into a shell or as a list.
    ranks
        How many.
    scheme
        Given to the program as `--scheme`.
    output
        Keep the trace in this file.
    against
        The file of another trace of the same problem: is computing slower here?
    pin
        Give each rank its own cores, if there are enough.
    timeout_s
        Seconds that it may take.
    attended
        Let the program print, and take its time.
    programs
        Folder of the programs; None to look for them.

    Raises
    ------
    HaloclineError
        When the program fails, or a file is no trace.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.trace("partdiff", "1 2 20 1 2 50", scheme="p2p:nonblocking")
    >>> found.table()[0]["scheme"]
    'p2p:nonblocking'
    """
    from halocline.traces import Trace

    other = None if against is None else Path(against)
    own = words(arguments)
    if not own and is_trace(program):
        return Traced(Trace.load(Path(program)), other and Trace.load(other))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(output or Path(folder) / "run.trace")
        number = count(ranks)
        path = find_program(program, programs)
        starter = launcher_of(path, programs)
        own += [*(["--scheme", scheme] if scheme else []), "--trace", str(file)]
        command = starter.command(number, path, own, pin=pin)
        environment = starter.environment(number)
        if attended:
            code = process.attend(command, environment)
            if code != 0:
                raise HaloclineError(f"{program}: {process.describe_exit(code)}; there is no trace")
        else:
            finished = process.run(command, environment, timeout_s)
            if not finished.ok:
                said = f"{finished.reason()}\n{finished.last_words()}".rstrip()
                raise HaloclineError(f"{program}: {said}")
        return Traced(Trace.load(file), other and Trace.load(other))


@dataclass(frozen=True)
class Reasons(Tabular):
    """Why the schemes of a comparison take what they take."""

    reasons: list[Reason]

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each sentence about each scheme, the most costly exchange first."""
        return [
            {"case": reason.case, "ranks": reason.ranks, "scheme": reason.scheme, "said": said}
            for reason in self.reasons
            for said in reason.sentences
        ]


def why(
    found: Comparison,
    *,
    pin: bool = True,
    timeout_s: float = 120,
    programs: Path | str | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Reasons:
    """Trace a launch of all that a comparison has measured, and say where its time goes.

    What it says is kept in the comparison's folder, where `halocline.report` finds it, and in the
    column `why` of its table. `halocline.compare(..., why=True)` does this at once.

    Parameters
    ----------
    found
        What `halocline.compare` or `halocline.load` returns.
    pin
        Give each rank its own cores, if there are enough.
    timeout_s
        Seconds that one launch may take.
    programs
        Folder of the programs; None to look for them.
    say
        Called with what goes on.

    Raises
    ------
    HaloclineError
        When there is no such program any more. A launch that leaves no trace is a sentence.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.compare("partdiff", "1 2 20 1 2 50", schemes="shm:fence", launches=1)
    >>> sorted({row["scheme"] for row in halocline.why(found).table()})
    ['p2p:nonblocking', 'shm:fence']
    """
    from halocline.traces import reasons

    return Reasons(
        reasons.of_comparison(
            found, programs=programs, pin=pin, limit_s=timeout_s, say=say,
        )
    )  # fmt: skip


def is_trace(name: str | Path) -> bool:
    """Whether a word is the file of a trace: its first bytes say so, not its mode.

    A file that is no program either, or one that is called as a trace, is looked at as one, so that
    the message is about that.
    """
    name, file = str(name), Path(name)
    called = name.endswith(".trace") and ("/" in name or is_there(file))
    if first_bytes(file, len(TRACE)) == TRACE or called:
        return True
    return is_there(file) and not is_program(file)
