"""One run of one program."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.launch import count, find_program, launcher_of, process, words
from halocline.measure import results
from halocline.measure.results import Result
from halocline.tables import Tabular


@dataclass(frozen=True)
class Run(Tabular):
    """What a run printed and measured."""

    command: str
    """As one would type it into a shell."""
    output: str
    result: Result
    """What it wrote with `--json`; its file is gone."""
    wall_s: float
    """Seconds from start to end, those of the launcher included."""

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each repetition, as its result does."""
        return self.result.table()


def run(
    program: str | Path,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int = 2,
    scheme: str | None = None,
    pin: bool = True,
    timeout_s: float = 600,
    programs: Path | str | None = None,
) -> Run:
    """Run a program under its MPI, with the flags that root and many ranks need.

    Parameters
    ----------
    program
        Name of a Halocline program that solves something, or a path.
    arguments
        The program's own, as typed into a shell or as a list.
    ranks
        How many.
    scheme
        Given to the program as `--scheme`.
    pin
        Give each rank its own cores, if there are enough.
    timeout_s
        Seconds that it may take.
    programs
        Folder of the programs; None to look for them.

    Raises
    ------
    HaloclineError
        When it fails, takes too long, or there is none; the message has its last words.

    Examples
    --------
    >>> import halocline
    >>> done = halocline.run("partdiff", "1 2 20 1 2 50", ranks=2, scheme="shm:signal")
    >>> done.result.scheme, done.result.ranks
    ('shm:signal', 2)
    """
    number = count(ranks)
    path = find_program(program, programs)
    launcher = launcher_of(path, programs)
    own = [*words(arguments), *(["--scheme", scheme] if scheme else [])]
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "result.json"
        command = launcher.command(number, path, [*own, "--json", str(file)], pin=pin)
        finished = process.run(command, launcher.environment(ranks), timeout_s)
        if not finished.ok:
            said = f"{finished.reason()}\n{finished.last_words()}".rstrip()
            raise HaloclineError(f"{path.name} on {ranks} ranks: {said}")
        result = results.load(file)
    shown = launcher.shown(ranks, command[:-2])
    return Run(shown, finished.output, result, finished.wall_s)
