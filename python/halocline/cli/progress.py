"""Progress: bars in a terminal, a line every ten seconds in a file or pipe."""

from __future__ import annotations

import contextlib
import threading
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from halocline.measure import Progress

EVERY_S = 10.0
"""Seconds between lines of progress where there is no terminal."""


class Ticking:
    """Prints a line of progress every ten seconds, into a file or pipe; a terminal has a bar."""

    def __init__(self, console: Console, *, always: bool = False) -> None:
        self.console = console
        self.at = ""
        """What goes on; nothing is printed as long as it is empty."""
        self._ended = threading.Event()
        self._wanted = always or not console.is_terminal
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Ticking:
        if self._wanted:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._wanted:
            self._thread.join()

    def _tick(self) -> None:
        began = time.monotonic()
        while not self._ended.wait(EVERY_S):
            if self.at:
                seconds = int(time.monotonic() - began)
                text = f"{seconds // 60}:{seconds % 60:02} {self.at}"
                with contextlib.suppress(Exception):  # who prints next says what is wrong
                    self.console.print(text, style="dim", soft_wrap=True, highlight=False)


class Checking:
    """A progress bar over the schemes being checked."""

    def __init__(self, console: Console) -> None:
        self.asked: set[str] = set()
        self.done: set[str] = set()
        self.bar = Bar(
            TextColumn("checking"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[at]}", markup=False),
            console=console, transient=True, disable=not console.is_terminal,
        )  # fmt: skip
        self.task = None
        self.ticking = Ticking(console)

    def __enter__(self) -> Checking:
        self.ticking.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.ticking.__exit__()
        self.bar.stop()

    def __call__(self, scheme: str, event: str) -> None:
        """Show that a scheme is asked for, looked at or done."""
        if event == "asked":
            self.asked.add(scheme)
            return
        if self.task is None:
            self.bar.start()
            self.task = self.bar.add_task("", at="")
        if event != "begin":
            self.done.add(scheme)
        self.bar.update(self.task, at=scheme, completed=len(self.done), total=len(self.asked))
        left = len(self.done) < len(self.asked)
        self.ticking.at = f"checking {scheme}: {len(self.done)} of {len(self.asked)}" * left


class Measuring:
    """A progress bar over the launches, with the time left."""

    def __init__(self, console: Console) -> None:
        self.bar = Bar(
            TextColumn("measuring"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"), TextColumn("{task.fields[at]}", markup=False),
            console=console, transient=True, disable=not console.is_terminal,
        )  # fmt: skip
        self.task = None
        self.ticking = Ticking(console)

    def __enter__(self) -> Measuring:
        self.ticking.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.ticking.__exit__()
        self.bar.stop()

    def __call__(self, state: Progress) -> None:
        """Show where a comparison is."""
        if self.task is None:
            self.bar.start()
            self.task = self.bar.add_task("", left="", at="")
        left = (
            "" if state.left_s is None else f"{int(state.left_s) // 60}:{int(state.left_s) % 60:02}"
        )
        at = "" if state.setting is None else f"{state.setting.case} {state.setting.scheme}"
        self.bar.update(self.task, completed=state.done, total=state.total, left=left, at=at)
        until = f", {left} left" if left else ""
        self.ticking.at = f"measuring {at}: {state.done} of {state.total}{until}" if at else ""
