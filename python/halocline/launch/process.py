"""Child processes with a time limit that leave nothing behind, whatever happens to them."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from halocline.errors import HaloclineError
from halocline.launch import lost, outer

ENDING = tuple(
    getattr(signal, f"SIG{name}")
    for name in ("TERM", "HUP", "QUIT", "XCPU", "USR1", "USR2", "ALRM")
)
"""Signals that end a process which does not ask for them: batch systems, closed terminals, ...

SIGALRM comes shortly before the time of a job is over (`ending_before`).
"""
GRACE_S = {"srun": 15}
"""Seconds from asking a launcher to end to ending it, by its name; else 2.

If srun is killed, nobody ends its ranks on other nodes.
"""


class SignalledError(KeyboardInterrupt):
    """A signal asks this process to end; what Ctrl-C leaves in order, it does, too."""


class JobLostError(SignalledError):
    """The job in which this process starts ranks has lost a node, or ends."""


@contextlib.contextmanager
def ending_before(seconds: float | None) -> Iterator[None]:
    """Within, SIGALRM comes early enough before so many seconds are over; None: never."""
    if seconds is not None:
        signal.setitimer(signal.ITIMER_REAL, max(0.01, seconds - margin(seconds)))
    try:
        yield
    finally:
        if seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)


def margin(seconds: float) -> float:
    """Return the time that it takes to end ranks and write what they have left, with some spare."""
    return min(60.0, max(15.0, 0.1 * seconds))


def why_interrupted(error: BaseException) -> str:
    """Say in a few words what has interrupted a measurement, for its record."""
    return str(error) or "interrupted by the user"


@contextlib.contextmanager
def ended_by_signals() -> Iterator[list[int]]:
    """Within, signals that ask this process to end raise `SignalledError`, so that it can tidy up.

    Children have sessions of their own and would go on. The first signal counts, and is in the list
    that is given; the others find the end under way. What is ignored (`nohup`) stays so.
    """
    came: list[int] = []

    def ask(number: int, _: object) -> None:
        came.append(number)
        if len(came) == 1 and not lost.ends:  # whose end is under way already
            over = number == signal.SIGALRM
            name = "the time of the job is over" if over else signal.Signals(number).name
            raise SignalledError(f"interrupted: {name}")

    kept = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in kept:
        signal.signal(number, ask)
    try:
        yield came
    finally:
        for number in kept:
            signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def signals_wait(*, deliver: bool = True) -> Iterator[None]:
    """Within, what handles signals is not called; it is at the end, or never.

    So a child that has been started is known to who ends it. Children do not inherit that.
    """
    if threading.current_thread() is not threading.main_thread():  # there nobody handles signals
        yield
        return
    came: list[tuple[int, object]] = []
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    kept = {number: handler for number, handler in kept.items() if callable(handler)}
    for number in kept:
        signal.signal(number, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
        for number, frame in came if deliver else ():
            kept[number](number, frame)


@dataclass
class Finished:
    """How a child process ended."""

    exit_code: int
    """Negative signal number when a signal ended it, as in `subprocess`."""
    timed_out: bool
    output: str
    errors: str
    wall_s: float
    command: Sequence[str] = ()

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.exit_code == 0 and not self.timed_out

    def reason(self) -> str:
        """Say in a few words why it did not end well."""
        if self.timed_out:
            return f"no answer within {self.wall_s:.0f} s"
        return describe_exit(self.exit_code)

    def last_words(self, lines: int = 3, *, of_output: bool = True) -> str:
        """Return the last lines of its error output, or else of its output.

        Where the program itself, or the library in it, has said something (`NAME: ...`), that and
        not what the launcher added.
        """
        names = {
            "halocline",
            *(Path(word).name for word in self.command if re.match("[A-Za-z/.]", word)),
        }
        # Launchers may put ranks before lines: '[1,0]<stderr>:', '[0] ', '0: '.
        named = re.compile(rf"^(?:[\[\d][^ ]*[:\]>] ?)?((?:{'|'.join(map(re.escape, names))}):.*)")
        for text in (self.errors, self.output if of_output else ""):
            kept = [line.strip() for line in text.splitlines() if line.strip(" =-\t")]
            own = [found[1] for found in map(named.match, kept) if found]
            if kept:
                return "\n".join((own or kept)[-lines:])
        return ""


def describe_exit(code: int) -> str:
    """Name an exit code, or the signal it stands for (139 is 128 + SIGSEGV)."""
    number = -code if code < 0 else code - 128
    if code != 0 and number > 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(number).name}"
    return f"exit code {code}"


def grace(command: Sequence[str]) -> float:
    """Return the seconds from asking a command to end to ending it."""
    return GRACE_S.get(Path(command[0]).name, 2)


def descendants(pid: int) -> list[psutil.Process]:
    """Return all processes below `pid`: MPI launchers put ranks into groups of their own."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


class Child:
    """A child process whose output is read line by line against a deadline.

    Use it in a `with` statement: leaving it ends the process and everything it started.

    Parameters
    ----------
    command
        Program and arguments.
    environment
        Variables added to those of this process, but for what its own launcher has told it.
    grace_s
        Time between asking the process to end and ending it; by default as its launcher needs.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: dict[str, str] | None = None,
        grace_s: float | None = None,
    ) -> None:
        self.command = list(command)
        self.grace_s = grace(self.command) if grace_s is None else grace_s
        self.environment = {**outer.without(), **(environment or {})}
        self.timed_out = False
        self._text = {"out": b"", "err": b""}

    def __enter__(self) -> Child:
        self.began = time.monotonic()
        self.process = None
        try:
            with signals_wait():
                self.process = subprocess.Popen(
                    self.command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=self.environment,
                    start_new_session=True,
                )
        except OSError as error:
            raise HaloclineError(f"cannot start {self.command[0]}: {error.strerror}") from error
        except BaseException:
            if self.process:
                self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def lines(self, limit_s: float, *, silence: bool = False) -> Iterator[str]:
        """Yield lines of output until the process ends or its time is over.

        Parameters
        ----------
        limit_s
            Seconds since the start; with `silence`, seconds without a line of output.
        silence
            Every line of output begins the time anew.
        """
        pending = b""
        deadline = (time.monotonic() if silence else self.began) + limit_s
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ, "out")
            selector.register(self.process.stderr, selectors.EVENT_READ, "err")
            while selector.get_map():
                left = deadline - time.monotonic()
                if left <= 0:
                    self.timed_out = True
                    return
                for key, _ in selector.select(min(left, 0.2)):
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        selector.unregister(key.fileobj)
                        continue
                    self._text[key.data] += data
                    if key.data == "out":
                        *complete, pending = (pending + data).split(b"\n")
                        for line in complete:
                            yield line.decode(errors="replace")
                            if silence:
                                deadline = time.monotonic() + limit_s
                # Processes that outlive the launcher may keep the pipes open: do not wait for them.
                if self.process.poll() is not None and not selector.select(0.05):
                    break
        if pending:
            yield pending.decode(errors="replace")

    def finish(self, limit_s: float) -> Finished:
        """Wait for the end, at most `limit_s` seconds since the start, and tell how it was."""
        for _ in self.lines(limit_s):
            pass
        return self.finished()

    def finished(self) -> Finished:
        """End what still runs and tell how it was.

        Raises
        ------
        JobLostError
            When it is the job that has ended, or lost a node.
        """
        if not self.timed_out:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(self.grace_s)
        if self.process.poll() is None:
            self.timed_out = True
        self.end()
        done = Finished(
            self.process.returncode,
            self.timed_out,
            self._text["out"].decode(errors="replace"),
            self._text["err"].decode(errors="replace"),
            time.monotonic() - self.began,
            self.command,
        )
        said = "" if done.ok else lost.words(done.errors) or lost.nodes()
        if said:
            lost.ends.append(said)
            raise JobLostError(f"interrupted: {said}")
        return done

    def end(self) -> None:
        """End the process and all it started: first politely, then not."""
        end(self.process, self.grace_s)


def end(process: subprocess.Popen, grace_s: float = 2) -> None:
    """End a process and all it started: first politely, then, or when interrupted, not."""
    everyone = descendants(process.pid)
    try:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(grace_s)
    finally:
        for one in everyone:
            with contextlib.suppress(psutil.Error):
                one.kill()  # unless its number has gone to another process meanwhile
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()


def attend(command: Sequence[str], environment: dict[str, str] | None = None) -> int:
    """Run a command that speaks for itself, on the streams of this process; return its exit code.

    Whatever interrupts this one ends it, too, and everything it started: politely at first, however
    often somebody asks.
    """
    process = None
    try:
        with signals_wait():
            process = subprocess.Popen(command, env={**outer.without(), **(environment or {})})
        return process.wait()
    except OSError as error:
        raise HaloclineError(f"cannot start {command[0]}: {error.strerror}") from error
    finally:
        if process:
            with signals_wait():
                end(process, grace(command))


def run(
    command: Sequence[str], environment: dict[str, str] | None = None, limit_s: float = 60
) -> Finished:
    """Run a command to its end, at most `limit_s` seconds."""
    with Child(command, environment) as child:
        return child.finish(limit_s)
