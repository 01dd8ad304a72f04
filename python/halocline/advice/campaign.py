"""Record a program, replay its exchanges, and answer: all that `halocline advise` does."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

from halocline import outputs, records
from halocline.advice import recording, replaying, trying
from halocline.advice.analysis import Analysis
from halocline.advice.answer import Answer
from halocline.advice.command import Command
from halocline.advice.recording import Recording
from halocline.advice.replay import Results
from halocline.advice.savings import BUSY
from halocline.errors import HaloclineError
from halocline.figures import percent
from halocline.launch import Activity, find_program, interference, process, short_library
from halocline.model import Machine

RECORDER = "halocline-preload"
FORMAT, VERSION = "halocline-advice", 1
FILE, PAGE = "advice.json", "advice.html"
RECORDING = "run.recording"
MOST_TAKEN = 0.3
"""Of the ranks' processors, by others: beyond it nothing that was timed is believed."""


def record(command: Command, folder: Path, programs: Path | None = None) -> tuple[Path, int]:
    """Run a program with the recorder in front of it, on the streams of this process.

    Returns
    -------
    The recording's folder, and the program's exit code.

    Raises
    ------
    HaloclineError
        When there is no recorder, or it has written nothing.
    """
    recorder = find_program(RECORDER, programs)
    place = folder / RECORDING
    code = process.attend(command.preceded([str(recorder), "--output", str(place)]))
    if not place.is_dir() or not any(place.iterdir()):
        ended = "" if code == 0 else f" ({process.describe_exit(code)})"
        raise HaloclineError(
            f"{command.program} has left no recording{ended}: it may not call MPI, or not have "
            "come so far"
        )
    return place, code


def advised(
    command: Command | None,
    *,
    taken: Path | None = None,
    folder: Path,
    budget_s: float = 60,
    replayed: bool = True,
    tried: bool = False,
    seed: int | None = None,
    machine: Machine | None = None,
    programs: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
    checking: Callable[[str, str], None] = lambda scheme, event: None,
) -> Answer:
    """Record a program, or read what was recorded of it, and return the answer.

    Parameters
    ----------
    command
        What starts the program; None with a recording alone, which is not replayed then.
    taken
        The folder of a recording; None: the program is run and recorded.
    folder
        Where files go.
    tried
        Whether variables of the MPI library are tried, too.
    machine
        Where the model is to say what more ranks would take.

    Raises
    ------
    HaloclineError
        When nothing was recorded, or what was cannot be read.
    """
    caveats: list[str] = []
    busy = ""
    if taken is None:
        if command is None:
            raise HaloclineError("give a command behind '--', or --recording FOLDER")
        before = interference.read()
        taken, code = record(command, folder, programs)
        ran = Activity.between(before, interference.read())
        if code != 0:
            say(f"the program ended with {process.describe_exit(code)}")
        found = Analysis(recording.load(taken))
        caveats += _disturbed("the program ran", ran, found.recording)
        busy = taken_by_others("the program ran", ran, found.recording)
    else:
        found = Analysis(recording.load(taken))
    untried, results, tries = "", None, []
    if not replayed:
        untried = "no replay was asked for"
    elif command is None:
        untried = "a replay needs the command that started the program"
    elif replaying.weighed(found):
        doing = replaying.Replay(command, folder, budget_s, seed, programs, say, checking)
        before = interference.read()
        try:
            results = doing.run(found)
            ran = Activity.between(before, interference.read())
            caveats += _disturbed("it was replayed", ran, found.recording)
            busy = busy or taken_by_others("it was replayed", ran, found.recording)
            if tried:
                tries = trying.tries(doing, found)
        except HaloclineError as error:
            untried = str(error).splitlines()[0]
            outputs.save(folder / "replay.txt", f"{error}\n")
    answer = found.answer(
        str(command or ""),
        {int(name): one for name, one in results.patterns.items()} if results else {},
        untried, tries=tries, machine=machine, programs=programs,
        notes=[*caveats, *_caveats(found.recording, results)], busy=busy,
    )  # fmt: skip
    write(answer, folder / FILE)
    return answer


def write(answer: Answer, file: Path) -> None:
    """Write all of an answer as JSON.

    Raises
    ------
    HaloclineError
        When the file cannot be written.
    """
    try:
        records.write(file, FORMAT, VERSION, answer.content())
    except OSError as error:
        raise HaloclineError(f"cannot write {file}: {error.strerror}") from error


def taken_by_others(when: str, ran: Activity, taken: Recording, cpus: int | None = None) -> str:
    """Say that others took too much of the ranks' processors for any claim; empty: they did not.

    Parameters
    ----------
    cpus
        How many processors the ranks could use; by default all that this process may use.
    """
    here, cpus = _ranks_here(taken), cpus or interference.usable_cpus()
    if not here:
        return ""
    ours = min(here, cpus)
    took = max((ran.other_cpus or 0.0) - (cpus - ours), 0.0) / ours + (ran.stolen or 0.0)
    if took <= MOST_TAKEN:
        return ""
    return f"{BUSY}: others took {percent(took)} of the ranks' processors while {when}"


def _ranks_here(taken: Recording) -> int:
    return sum(rank.run.host == socket.gethostname() for rank in taken.ranks.values())


def _disturbed(when: str, ran: Activity, taken: Recording) -> list[str]:
    """Say what else kept this host busy meanwhile."""
    here = _ranks_here(taken)
    said = ran.disturbances(here) if here else []
    return [f"While {when}: {', '.join(said)}. Figures are of a machine that was busy."] * bool(
        said
    )


def _caveats(taken: Recording, results: Results | None) -> list[str]:
    """Say in what a replay was not like the program."""
    found = []
    if results is None:
        return found
    here, there = short_library(results.library), short_library(taken.run.library)
    if results.library and taken.run.library and here != there:
        found.append(f"The program ran with {there}, the replay with {here}.")
    if not results.complete:
        found.append("The replay was not done with all: a larger --budget gives it more time.")
    if taken.size > (os.cpu_count() or 1) and len({r.run.host for r in taken.ranks.values()}) == 1:
        found.append(
            "There are more ranks than processors here: they take turns, and times scatter."
        )
    return found
