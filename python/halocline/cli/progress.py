"""Progress bars, in a terminal only."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from halocline.measure import Progress


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

    def __enter__(self) -> Checking:
        return self

    def __exit__(self, *_: object) -> None:
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


class Measuring:
    """A progress bar over the launches, with the time left."""

    def __init__(self, console: Console) -> None:
        self.bar = Bar(
            TextColumn("measuring"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"), TextColumn("{task.fields[at]}", markup=False),
            console=console, transient=True, disable=not console.is_terminal,
        )  # fmt: skip
        self.task = None

    def __enter__(self) -> Measuring:
        return self

    def __exit__(self, *_: object) -> None:
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
