"""Results as tables that pandas, or any other program for tables, takes as they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from halocline.errors import HaloclineError

if TYPE_CHECKING:
    import pandas


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
