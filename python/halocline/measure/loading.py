"""Read what an earlier measurement has written, whatever it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from halocline import records
from halocline.errors import HaloclineError
from halocline.measure import benchmark, results, tuning
from halocline.measure.benchmark import Benchmark
from halocline.measure.comparison import Comparison, record, tabulate
from halocline.measure.results import Result
from halocline.measure.tuning import Choices

RECORDS = (record.FILE, benchmark.FILE)
"""The files that say what the others of a folder are."""


def load(path: Path | str) -> Comparison | Benchmark | Result | Choices:
    """Read the folder of a comparison or a benchmark, a program's result file, or choices.

    Parameters
    ----------
    path
        The folder, or one file: `comparison.json` and `benchmark.json` stand for their folders.

    Raises
    ------
    HaloclineError
        When it is none of these, or damaged.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.compare("partdiff", "1 2 20 1 2 50", schemes="shm:*", output="mine")
    >>> halocline.load("mine").table() == found.table()
    True
    """
    path = Path(path)
    if path.is_dir():
        file = next((path / name for name in RECORDS if (path / name).is_file()), None)
        if file is None:
            raise HaloclineError(
                f"{path} holds no results: there is neither {' nor '.join(RECORDS)}"
            )
        path = file
    kind = _kind(path)
    if kind == record.FORMAT:
        found = Comparison.load(path.parent)
        if found.summary:
            return found
        # Ended before it could say what its launches allow to be said.
        rows = [row.summary() for rows in tabulate(found).values() for row in rows]
        return replace(found, summary=rows)
    if kind == benchmark.RECORD:
        return Benchmark.load(path.parent)
    if kind == tuning.FORMAT:
        return Choices(tuning.load(path)["choices"], path)
    return results.load(path)


def _kind(path: Path) -> str:
    try:
        return str(records.parsed(path.read_bytes()).get("format"))
    except OSError as error:
        raise HaloclineError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, AttributeError) as error:
        raise HaloclineError(f"{path} is no file of Halocline: {error}") from error
