"""What a terminal shows while the demonstration measures: a table that grows."""

from __future__ import annotations

import time

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from halocline.cli import display
from halocline.figures import plain
from halocline.measure import BASELINE, Comparison, Progress, Setting, results
from halocline.reports.series import AUTO, label
from halocline.statistics import grouped_median

PATIENCE_S = 20
"""Into a file or pipe goes a line no more often than this."""


class Screen:
    """Tells what the demonstration does, and shows medians as soon as there are any.

    It draws between launches only: a clock that redraws while ranks compute would disturb them.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.comparison: Comparison | None = None
        self.samples: dict[Setting, list[list[float]]] = {}
        self.read = 0
        self.told = time.monotonic()
        self.status = ""

    def __enter__(self) -> Screen:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self.console.print(text, style="bold", highlight=False)

    def checking(self, scheme: str, event: str) -> None:
        """Show what the doctor looks at."""
        if event == "begin":
            self._show(f"checking {scheme}")

    def measuring(self, comparison: Comparison, state: Progress) -> None:
        """Show the medians so far, and what comes next."""
        if comparison is not self.comparison:
            self.comparison, self.samples, self.read = comparison, {}, 0
        self._take_new()
        left = "" if state.left_s is None else f", {int(state.left_s)} s to go"
        if state.setting is not None:
            at = f"{state.setting.case} {state.setting.scheme}"
            self._show(f"launch {state.done + 1} of {state.total}{left}: {at}")

    def _take_new(self) -> None:
        launches = self.comparison.launches
        for launch in launches[self.read :]:
            if launch.status == "measured":
                result = results.load(self.comparison.folder / launch.file)
                self.samples.setdefault(launch.setting, []).append(result.counted)
        self.read = len(launches)

    def _show(self, status: str) -> None:
        if self.console.is_terminal:
            parts = [self._table()] if self.samples else []
            self.live.update(Group(*parts, Text(status, "dim", no_wrap=True)), refresh=True)
        elif time.monotonic() - self.told > PATIENCE_S:
            self.told = time.monotonic()
            self.console.print(status, style="dim")

    def _table(self) -> Table:
        """Return the medians so far: a line for each scheme, a column for each case."""
        cases = [c for c in self.comparison.cases if any(s.case == c.name for s in self.samples)]
        names = {setting.scheme for setting in self.samples}
        schemes = sorted(names, key=lambda name: (name == AUTO, name != BASELINE, name))
        medians = {
            setting: grouped_median(groups).value for setting, groups in self.samples.items()
        }
        table = display.plain_table("µs per step so far")
        table.add_column("scheme", no_wrap=True)
        for case in cases:
            sized = case.arguments[0].startswith("--")
            size = label(case.arguments[1]) if sized else case.program
            table.add_column(size, justify="right", no_wrap=True)
        for scheme in schemes:
            cells = {s.case: m for s, m in medians.items() if s.scheme == scheme}
            table.add_row(
                scheme,
                *(plain(1e6 * cells[c.name]) if c.name in cells else "" for c in cases),
                style="bold" if scheme == AUTO else "",
            )
        return table
