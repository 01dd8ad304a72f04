"""A page about a comparison, or about how solvers converged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline import outputs
from halocline.errors import HaloclineError
from halocline.measure import Comparison, join
from halocline.tables import Tabular

if TYPE_CHECKING:
    from halocline.reports.convergence import History
    from halocline.reports.plots import Picture

PIXELS = 640
"""Height of a page within a notebook, where it scrolls."""


@dataclass(frozen=True)
class Page(Tabular):
    """A self-contained HTML file, and what it is about."""

    file: Path
    about: Comparison | list[History]

    def table(self) -> list[dict[str, Any]]:
        """Return the comparison's table; of solvers a row for each run."""
        from halocline.reports import convergence

        if isinstance(self.about, Comparison):
            return self.about.table()
        return [convergence.named_row(history) for history in self.about]

    def plot(self, part: str | None = None) -> Picture:
        """Draw what `Comparison.plot` draws; of solvers the residual against time.

        Parameters
        ----------
        part
            Of a comparison, or a run's name.
        """
        from halocline.reports import convergence

        if isinstance(self.about, Comparison):
            return self.about.plot(part)
        return convergence.profile(convergence.named(self.about, part)).figure

    def _repr_html_(self) -> str:
        """Show the page itself."""
        page = escape(self.file.read_text("utf-8"))
        return f'<iframe srcdoc="{page}" width="100%" height="{PIXELS}"></iframe>'


def report(
    paths: Path | str | Comparison | Sequence[Path | str], *, output: Path | str | None = None
) -> Page:
    """Write one self-contained HTML file about a comparison, or about how solvers converged.

    Parameters
    ----------
    paths
        A comparison or its folder; the folders of two, for what has changed since the first; or
        result files of laplace, or folders of such, for the residual
        against time and every worker's iterations.
    output
        The HTML file; by default in the folder.

    Raises
    ------
    HaloclineError
        When there is neither, or the file cannot be written.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.compare("partdiff", "1 2 20 1 2 50", schemes="shm:*", launches=6)
    >>> halocline.report(found).file.name
    'report.html'
    """
    from halocline.reports import comparison, convergence  # they load matplotlib

    file = None if output is None else Path(output)
    outputs.check(file, "--output")
    if isinstance(paths, Comparison):
        return Page(comparison.write(paths, file), paths)
    listed = [paths] if isinstance(paths, (str, Path)) else paths
    files = [Path(path) for path in listed]
    if convergence.is_asked_for(files):
        histories = convergence.load(files)
        return Page(
            convergence.write(histories, file or convergence.default_file(files)), histories
        )
    if len(files) == 2:
        found: Comparison = join(*files)
    elif len(files) == 1:
        found = Comparison.load(files[0])
    else:
        raise HaloclineError(
            f"report: takes one comparison, or two of different times, not {len(files)}"
        )
    return Page(comparison.write(found, file), found)
