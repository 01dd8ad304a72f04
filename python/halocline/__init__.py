"""Check, run, measure and compare the communication schemes of Halocline programs.

The verbs of the command line as functions, for notebooks and scripts. `compare`, `bench`, `doctor`,
`tune` and `explain` return objects with their results as tables: `table()` is a list of
dictionaries, `to_pandas()` a data frame. `run` runs a program once, `load` reads what was measured
earlier. What cannot be done raises `HaloclineError`. The functions are loaded when they are first
used.

Examples
--------
>>> import halocline
>>> found = halocline.compare("partdiff", "1 2 20 1 2 50", ranks=2, schemes="p2p:*,shm:*")
>>> found.to_pandas()                                                         # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from halocline.measure import bench, compare, doctor, explain, load, run, tune

__all__ = [
    "HaloclineError",
    "bench",
    "compare",
    "doctor",
    "explain",
    "load",
    "run",
    "tune",
]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("halocline.measure"), name)
    raise AttributeError(f"module 'halocline' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
