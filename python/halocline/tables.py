"""Results as tables that pandas, or any other program for tables, takes as they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from halocline.errors import HaloclineError

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

PICTURES = "halocline.reports.pictures"
"""What draws knows what is drawn, not the other way round; it loads matplotlib."""
T = TypeVar("T")


class Tabular(ABC):
    """Something whose results are a table."""

    @abstractmethod
    def table(self) -> list[dict[str, Any]]:
        """Return the rows; each maps the names of columns to numbers, words or None."""

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a `pandas.DataFrame`.

        Raises
        ------
        HaloclineError
            When pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise HaloclineError(
                "pandas is not installed: 'pip install pandas', or take the rows of table()"
            ) from error
        return pandas.DataFrame(self.table())

    def plot(self, part: str | None = None) -> Figure:
        """Draw it, as a figure of matplotlib that a notebook shows and `savefig` writes.

        Parameters
        ----------
        part
            Of what has several pictures, which; the first by default.

        Raises
        ------
        HaloclineError
            When there is no such part, or nothing to draw.
        """
        return import_module(PICTURES).plot(self, part)

    def _repr_html_(self) -> str | None:
        """Show the table in a notebook; without pandas it looks as any other object."""
        try:
            return self.to_pandas()._repr_html_()
        except HaloclineError:
            return None


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without rows in it: what is inside becomes `NAME_INNER`.

    An interval becomes `NAME`, `NAME_low`, `NAME_high` and `NAME_confidence`.
    """
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            for inner, content in flat(value).items():
                found[name if inner == "value" else f"{name}_{inner}"] = content
        else:
            found[name] = value
    return found


def picked(parts: Mapping[str, T], part: str | None) -> T:
    """Return what a name stands for among the pictures of something; the first by default.

    Raises
    ------
    HaloclineError
        When it is none of them.
    """
    if not parts:
        raise HaloclineError("plot: there is nothing to draw")
    name = next(iter(parts)) if part is None else part
    if name not in parts:
        raise HaloclineError(f"plot: there is no '{name}'; there are {', '.join(parts)}")
    return parts[name]
