"""What another way to communicate would bring to a program that nobody has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import batch, words
from halocline.tables import Tabular

if TYPE_CHECKING:
    from halocline.advice import Answer
    from halocline.advice.applying import Applied
    from halocline.reports.plots import Picture


@dataclass(frozen=True)
class Advised(Tabular):
    """The answer about a program, and the folder with what it rests on."""

    answer: Answer
    folder: Path

    @property
    def said(self) -> list[str]:
        """What the command prints, but for its table: the first line is the answer."""
        return self.answer.said

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each pattern, the most costly first.

        Shares and savings are parts of the run. `verdict` is `saves`, `nothing to gain`, `unknown`
        or `not replayed`, and `why` says more.
        """
        return self.answer.table()

    def plot(self, part: str | None = None) -> Picture:
        """Draw what each pattern takes of the run, and what another way would save of it."""
        from halocline.reports import advice

        return advice.draw(self.answer).figure

    def write_page(self, file: Path | str) -> Path:
        """Write a page that opens offline, and return its path."""
        from halocline.reports import advice

        return advice.write(self.answer, Path(file))

    def write_json(self, file: Path | str) -> Path:
        """Write all of it as JSON, and return the file's path."""
        from halocline.advice import campaign

        campaign.write(self.answer, Path(file))
        return Path(file)


def advise(
    command: str | Sequence[str] = (),
    *,
    recording: Path | str | None = None,
    output: Path | str | None = None,
    budget_s: float = 60,
    replay: bool = True,
    environment: bool = False,
    program: str | None = None,
    machine: str | Path | None = None,
    seed: int | None = None,
    programs: Path | str | None = None,
    say: Callable[[str], None] = lambda text: None,
    checking: Callable[[str, str], None] = lambda scheme, event: None,
) -> Advised:
    """Record a program, replay what it exchanges in other ways, and say what those would save.

    Parameters
    ----------
    command
        What starts the program, as typed into a shell or as a list: `mpiexec -n 4 ./app args`.
    recording
        The folder of an earlier recording; the program is not run then, and what it exchanges is
        replayed only with a command.
    output
        Where recording, plan, results, page and answer go: a folder that is new or empty; by
        default `results/advise-TIME`.
    budget_s
        Seconds for the replay.
    replay
        Whether other ways are tried at all.
    environment
        Whether a few variables of the MPI library are tried, too.
    program
        The word of the command that is the program, where that is not clear.
    machine
        A machine file, or the name of one, for what the model says of 100 and 10,000 ranks.
    seed
        Of the random order.
    programs
        Folder of the programs; None to look for them.
    say
        Called with what is being done.
    checking
        Called with a scheme and `begin`, or what the doctor says of it.

    Raises
    ------
    HaloclineError
        When the command cannot be taken apart, nothing was recorded, or a recording is damaged.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.advise("mpiexec -n 4 ./app")                        # doctest: +SKIP
    >>> print(found.said[0])                                                  # doctest: +SKIP
    """
    from halocline import advice
    from halocline.model import machines

    listed = words(command)
    parsed = advice.command.parsed(listed, program) if listed else None
    if parsed is None and recording is None:
        raise HaloclineError(
            "give the command that starts the program, behind '--', or --recording FOLDER"
        )
    known = machines.load(str(machine or advice.scaling.MACHINE))
    named = Path(output) if output is not None else records.default_folder("advise")
    again = batch.continues()
    folder = records.new_folder(named, advice.campaign.FILE, "program's advice", again=again)
    if again and recording is None:
        recording = advice.campaign.left_by_earlier(folder)
    answer = advice.campaign.advised(
        parsed, taken=None if recording is None else Path(recording), folder=folder,
        budget_s=budget_s, replayed=replay, tried=environment, seed=seed, machine=known,
        programs=None if programs is None else Path(programs), say=say, checking=checking,
    )  # fmt: skip
    return Advised(answer, folder)


def apply(
    command: str | Sequence[str],
    *,
    recording: Path | str | None = None,
    scheme: str | None = None,
    loops: bool = False,
    output: Path | str | None = None,
    program: str | None = None,
    programs: Path | str | None = None,
) -> Applied:
    """Run a program with exchanges that it repeats carried by a scheme; its results stay the same.

    Parameters
    ----------
    command
        What starts the program, as typed into a shell or as a list: `mpiexec -n 4 ./app args`.
    recording
        The folder of an earlier answer: what it found best for a kind of pattern is used for that.
    scheme
        For all others; None: what HALOCLINE_APPLY_SCHEME says, or `auto`.
    loops
        Whether to speak of loops of MPI_Isend and MPI_Irecv, too; they are left to MPI.
    output
        Where the report goes: a folder that holds none; by default `results/advise-TIME`.
    program
        The word of the command that is the program, where that is not clear.
    programs
        Folder of the programs; None to look for them.

    Raises
    ------
    HaloclineError
        When the command cannot be taken apart, the folder holds no answer, or nothing can be put
        in front of the program. How the program itself ends is in what is returned.
    """
    from halocline import advice

    parsed = advice.command.parsed(words(command), program)
    schemes = {} if recording is None else advice.applying.schemes_of(Path(recording))
    named = Path(output) if output is not None else records.default_folder("advise")
    folder = records.new_folder(named, advice.applying.REPORT, "report of the substitute")
    return advice.applying.applied(
        parsed, folder, schemes=schemes, others=scheme, loops=loops,
        programs=None if programs is None else Path(programs),
    )  # fmt: skip
