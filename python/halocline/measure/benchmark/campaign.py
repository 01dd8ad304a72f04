"""A benchmark in one call."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import Checker, choose, counts, find_program, launcher_of, words
from halocline.measure.benchmark.launches import measure
from halocline.measure.benchmark.record import Benchmark, prepare

KINDS = {
    "roundtrip": "Measure there and back between two ranks, by message size.",
    "bandwidth": "Measure many messages at once from one rank to another.",
    "sync": "Measure synchronisation alone, without data.",
    "neighbors": "Send doubles to each of 2, 4, 6, 8 or 26 neighbours.",
    "halo": "Exchange halos of 2-D and 3-D grids, by extent, width and periodicity.",
    "reverse": "Send halos back to their owners, who add them up.",
    "rings": "Measure several communicating rings at once.",
    "transpose": "Measure how a matrix spread by rows becomes one spread by columns.",
    "overlap": "Find out how much of a transfer a computation hides.",
    "progress": "Put to and get from a rank that is busy outside MPI.",
    "styles": "Find out how much of an exchange a sweep by threads hides, by style.",
    "threads": "Send small messages by one thread, or by all at once.",
    "setup": "Measure making one more exchange: time, and bytes kept.",
    "calls": "Measure what a step costs on its way into the library, by language.",
    "memory": "Measure STREAM's copy and triad, by threads.",
    "sweeps": "Sweep the grids of partdiff and laplace by plain loops.",
}
"""What halometer measures, and the command's help."""
OWN_SCHEMES = ("calls", "sync", "memory", "progress", "sweeps", "threads")
"""Kinds whose `--schemes` halometer itself understands."""


def bench(
    kind: str,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int | Sequence[int] = 2,
    schemes: str | Sequence[str] | None = None,
    launches: int = 3,
    budget_s: float = 60,
    environment: dict[str, str] | None = None,
    output: Path | str | None = None,
    seed: int | None = None,
    pin: bool = True,
    programs: Path | str | None = None,
    command_line: str | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Benchmark:
    """Measure one thing that schemes do with `halometer`, in several launches.

    Parameters
    ----------
    kind
        What is measured: one of `KINDS`.
    arguments
        halometer's own, as typed into a shell or as a list: `"--extent 50x50x50 --faces"`.
    ranks
        A number of ranks or several.
    schemes
        Names or globs, a list or separated by commas; halometer's own choice by default.
    launches
        For each number of ranks.
    budget_s
        Seconds that one launch may measure.
    environment
        Variables set for the launches.
    output
        Folder for the results; by default a new one in `results`.
    seed
        Of the random order; drawn by default.
    pin
        Give each rank its own cores, if there are enough.
    programs
        Folder of the programs; None to look for them.
    command_line
        How to repeat it, for the record; by default this call.
    say
        Called with what goes on.

    Returns
    -------
    The benchmark: `table()` or `to_pandas()` has a row for each scheme and set of parameters.

    Raises
    ------
    HaloclineError
        When there is no such kind, program or scheme, or the folder holds a benchmark already.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.bench("roundtrip", "--sizes 8,1024", launches=2, budget_s=2)
    >>> sorted({row["size"] for row in found.table()})
    [8, 1024]
    """
    if kind not in KINDS:
        raise HaloclineError(f"halometer measures no {kind}; it measures {', '.join(KINDS)}")
    numbers = counts(ranks)
    program = find_program("halometer", programs)
    given = words(arguments)
    own = [*given, "--budget", str(budget_s)]
    if schemes is not None:
        named = [schemes] if isinstance(schemes, str) else list(schemes)
        if kind not in OWN_SCHEMES:
            named = choose(",".join(named), Checker(programs))
        own += ["--schemes", ",".join(named)]
    if command_line is None:
        shown = shlex.join(given)
        command_line = f"halocline.bench({kind!r}, {shown!r}, ranks={ranks!r}, schemes={schemes!r})"
    benchmark = prepare(
        Path(output) if output else records.default_folder(kind), kind, seed, environment or {},
        command_line,
    )  # fmt: skip
    measure(
        benchmark, program, launcher_of(program, programs), own, ranks=numbers,
        launches=launches, limit_s=10 * budget_s + 600, pin=pin, say=say,
    )  # fmt: skip
    return benchmark
