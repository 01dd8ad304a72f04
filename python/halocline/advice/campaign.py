"""Record a program, replay its exchanges, and answer: all that `halocline advise` does."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from halocline import outputs, records
from halocline.advice import disturbance, recording, replaying, trying
from halocline.advice.analysis import Analysis
from halocline.advice.answer import Answer
from halocline.advice.command import Command
from halocline.advice.recording import Recording
from halocline.advice.replay import Results
from halocline.errors import HaloclineError
from halocline.launch import find_program, process, short_library
from halocline.model import Machine

RECORDER = "halocline-preload"
FORMAT, VERSION = "halocline-advice", 1
FILE, PAGE = "advice.json", "advice.html"
RECORDING = "run.recording"


def record(command: Command, folder: Path, programs: Path | None = None) -> tuple[Path, int, str]:
    """Run a program with the recorder in front of it, on the streams of this process.

    Returns
    -------
    The recording's folder, the program's exit code, and what has interrupted it, in a few words.

    Raises
    ------
    HaloclineError
        When there is no recorder, or it has written nothing.
    """
    recorder = find_program(RECORDER, programs)
    place = folder / RECORDING
    watched, interrupted = disturbance.Watched(), ""
    try:
        with disturbance.watching() as watched:
            code = process.attend(command.preceded([str(recorder), "--output", str(place)]))
    except process.JobLostError:
        raise
    except KeyboardInterrupt as error:
        # What the ranks have written by then is an answer, too.
        if not any(place.rglob("rank-*.jsonl")):
            raise
        code, interrupted = 128 + signal.SIGINT, process.why_interrupted(error)
    if not any(place.rglob("rank-*.jsonl")):
        ended = "" if code == 0 else f" ({process.describe_exit(code)})"
        raise HaloclineError(
            f"{command.program} has left no recording{ended}: unless a line before says why, it "
            "may not call MPI, or not have come so far"
        )
    if watched.found is not None:
        watched.found.save(place)
    return place, code, interrupted


def left_by_earlier(folder: Path) -> Path | None:
    """Return the recording that an earlier start has left in a folder; what was cut off goes."""
    place = folder / RECORDING
    if disturbance.kept(place) is not None:
        return place
    shutil.rmtree(place, ignore_errors=True)
    return None


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
        taken, code, interrupted = record(command, folder, programs)
        if interrupted:
            # A user in a hurry asks twice; the answer is on its way.
            say(f"{interrupted}: what was recorded until then is looked at")
            with process.signals_wait(deliver=False):
                found = Analysis(recording.load(taken))
                answer = found.answer(str(command), untried=interrupted)
                answer = replace(answer, interrupted=interrupted)
                write(answer, folder / FILE)
            return answer
        if code != 0:
            say(f"the program ended with {process.describe_exit(code)}")
    found = Analysis(recording.load(taken))
    place = found.recording.folder
    then = disturbance.kept(place) or disturbance.kept(place.parent)
    if then is None:
        caveats.append("How busy the machine was while the program ran is not known.")
    else:
        caveats += then.said("the program ran", found.recording)
        busy = then.busy("the program ran", found.recording)
    untried, results, tries = "", None, []
    if not replayed:
        untried = "no replay was asked for"
    elif command is None:
        untried = "a replay needs the command that started the program"
    elif replaying.weighed(found):
        doing = replaying.Replay(command, folder, budget_s, seed, programs, say, checking)
        try:
            with disturbance.watching() as watched:
                results = doing.run(found)
            if watched.found is not None:
                caveats += watched.found.said("it was replayed", found.recording)
                busy = busy or watched.found.busy("it was replayed", found.recording)
            if tried:
                tries = trying.tries(doing, found, busy)
        except process.SignalledError as error:  # the answer is of what there is
            untried = process.why_interrupted(error)
        except HaloclineError as error:
            untried = str(error).splitlines()[0]
            outputs.save(folder / "replay.txt", f"{error}\n")
    answer = found.answer(
        str(command or ""),
        {int(name): one for name, one in results.patterns.items()} if results else {},
        untried, tries=tries, machine=machine, programs=programs,
        notes=[*caveats, *_caveats(found.recording, results, command)], busy=busy,
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


def _caveats(taken: Recording, results: Results | None, command: Command | None) -> list[str]:
    """Say in what a replay was not like the program."""
    found: list[str] = []
    if results is None or command is None:
        return found
    if command.shell_scripts:
        scripts = ", ".join(command.shell_scripts)
        found.append(
            f"The replay ran without {scripts}: if that sets variables or where ranks run, name "
            "the program behind it (--program)."
        )
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
