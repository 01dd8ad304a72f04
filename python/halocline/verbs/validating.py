"""Whether the yardstick and `auto` predict what applications feel."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline import outputs, records
from halocline.errors import HaloclineError
from halocline.launch import batch
from halocline.measure import validation
from halocline.measure.validation import Row, Validation
from halocline.tables import Tabular, picked

if TYPE_CHECKING:
    from halocline.reports.plots import Picture


@dataclass(frozen=True)
class Validated(Tabular):
    """A validation, and what its visits allow to be said."""

    validation: Validation
    folder: Path
    """Where its tables and its plot are."""

    @cached_property
    def rows(self) -> list[Row]:
        """What is said of each setting in each state of the machine."""
        return validation.rows(self.validation)

    @property
    def said(self) -> list[str]:
        """What the command prints: how many predictions are right, wrong, and too fine to tell."""
        return validation.said(self.rows)

    def table(self) -> list[dict[str, Any]]:
        """Return every difference of two schemes, a row each, in µs a step.

        `application_us` is what the application feels, `felt_us` what halometer says and `tuner_us`
        what `auto` goes by, each with its interval; the verdicts are `right`, `wrong` and
        `undecided`.
        """
        from halocline.reports import validation as pages

        return pages.differences(self.rows)

    def plot(self, part: str | None = None) -> Picture:
        """Draw what was predicted against what the application feels.

        Parameters
        ----------
        part
            A setting; all of them by default.
        """
        from halocline.reports import validation as pages

        named: dict[str, list[Row]] = {}
        for row in self.rows:
            named.setdefault(row.setting, []).append(row)
        return pages.draw(self.rows if part is None else picked(named, part))


def validate(
    only: str = "*",
    *,
    budget_s: float = 300,
    output: Path | str | None = None,
    add: Path | str | None = None,
    seed: int | None = None,
    pin: bool = True,
    programs: Path | str | Sequence[Path | str] | None = None,
    say: Callable[[str], None] = print,
) -> Validated:
    """Set the times of halometer and `auto` against what laplace and partdiff feel, on 2 ranks.

    Parameters
    ----------
    only
        A glob: only settings of such names.
    budget_s
        Seconds; one visit at least.
    output
        Folder for the results; by default a new one in `results`.
    add
        Go on with the validation in this folder instead.
    seed
        Of the random order; drawn by default.
    pin
        Give each rank its own cores, if there are enough.
    programs
        Folder of the programs, or one for each MPI; None to look for them.
    say
        Called with what goes on.

    Raises
    ------
    HaloclineError
        When no setting has such a name, nothing can be measured, or the folder is of another
        processor.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.validate("laplace 16*", budget_s=0, say=lambda text: None)
    >>> len(found.validation.visits)
    1
    """
    settings = [one for one in validation.SETTINGS if fnmatch.fnmatch(one.name, only)]
    if not settings:
        names = ", ".join(one.name for one in validation.SETTINGS)
        raise HaloclineError(f"--only '{only}' matches none of: {names}")
    if add and output:
        raise HaloclineError("--add names the folder already; leave --output out")
    named = None if output is None else Path(output)
    outputs.check_folder(named, "--output")
    if not add:
        named = named or records.default_folder("validation")
        if batch.continues() and (named / validation.FILE).is_file():
            add = named
    before = validation.load(Path(add)) if add else None
    folder = Path(add).resolve() if add else records.new_folder(
        named or records.default_folder("validation"), validation.FILE, "validation"
    )  # fmt: skip
    one = programs is None or isinstance(programs, (str, Path))
    folders = [programs] if one else list(programs)
    found = validation.measure(
        [None if each is None else Path(each) for each in folders or [None]], settings=settings,
        budget_s=budget_s, seed=seed, pin=pin, folder=folder, before=before, say=say,
    )  # fmt: skip
    from halocline.reports import validation as pages  # it loads matplotlib

    pages.write(found, folder)
    return Validated(found, folder)
