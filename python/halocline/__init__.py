"""Halo exchanges for numpy arrays over MPI; and the verbs of the command line as functions.

Classes
-------
`Grid`, `Pattern`, `Exchange` and their kin describe once what is exchanged, and choose at run time
how. They need the compiled module and MPI; the rest of the package does not.

Verbs
-----
`compare`, `why`, `bench`, `bench_kernels`, `doctor`, `run`, `tune`, `explain`, `predict`, `advise`,
`trace`, `validate`, `report`, `topology`, and `load` for what was measured earlier, return objects
with their results as tables: `table()` is a list of dictionaries, `to_pandas()` a data frame,
`plot()` a picture. What cannot be done raises `HaloclineError` with the line that the command of
the same name says.

All are loaded when they are first used.

Examples
--------
>>> import halocline as hc
>>> grid = hc.Grid((512, 512), halo=1, periodic=(True, False))                # doctest: +SKIP
>>> u = grid.zeros("f8")                                                      # doctest: +SKIP
>>> halos = hc.Exchange(grid.halo(), u)                                       # doctest: +SKIP
>>> halos.run()                                                               # doctest: +SKIP
>>> found = hc.compare("partdiff", "1 2 20 1 2 50", ranks=2, schemes="p2p:*,shm:*")
>>> found.to_pandas()                                                         # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from halocline.errors import Error, HaloclineError, Timeout

if TYPE_CHECKING:
    from halocline.arrays import GridArray
    from halocline.library import (
        Arena,
        AsyncExchange,
        Distribution,
        Exchange,
        GatherScatter,
        Grid,
        GridCut,
        Pattern,
        RaggedExchange,
        Scheme,
        Section,
        async_schemes,
        library_version,
        schemes,
        set_spin,
        set_time_limit,
        spin,
        time_limit,
        unbound,
        zeros,
    )
    from halocline.measure import bench, bench_kernels, compare, doctor, explain, load, run, tune
    from halocline.verbs import advise, predict, report, topology, trace, validate, why

_MEASURING = ["bench", "bench_kernels", "compare", "doctor", "explain", "load", "run", "tune"]
_VERBS = ["advise", "predict", "report", "topology", "trace", "validate", "why"]
_CLASSES = [
    "Arena",
    "AsyncExchange",
    "Distribution",
    "Exchange",
    "GatherScatter",
    "Grid",
    "GridCut",
    "Pattern",
    "RaggedExchange",
    "Scheme",
    "Section",
    "async_schemes",
    "library_version",
    "schemes",
    "set_spin",
    "set_time_limit",
    "spin",
    "time_limit",
    "unbound",
    "zeros",
]
__all__ = [
    "Arena",
    "AsyncExchange",
    "Distribution",
    "Error",
    "Exchange",
    "GatherScatter",
    "Grid",
    "GridArray",
    "GridCut",
    "HaloclineError",
    "Pattern",
    "RaggedExchange",
    "Scheme",
    "Section",
    "Timeout",
    "advise",
    "async_schemes",
    "bench",
    "bench_kernels",
    "compare",
    "doctor",
    "explain",
    "library_version",
    "load",
    "predict",
    "report",
    "run",
    "schemes",
    "set_spin",
    "set_time_limit",
    "spin",
    "time_limit",
    "topology",
    "trace",
    "tune",
    "unbound",
    "validate",
    "why",
    "zeros",
]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    if name in _MEASURING:
        return getattr(import_module("halocline.measure"), name)
    if name in _VERBS:
        return getattr(import_module("halocline.verbs"), name)
    if name in _CLASSES:
        return getattr(import_module("halocline.library"), name)
    if name == "GridArray":
        return import_module("halocline.arrays").GridArray
    raise AttributeError(f"module 'halocline' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
