"""A benchmark in one call."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import Checker, batch, choose, counts, find_program, launcher_of, words
from halocline.measure.benchmark import KINDS, OWN_SCHEMES, Benchmark, measure, prepare
from halocline.measure.kernels import Outcome, bench_kernels

KERNELS = "kernels"
"""What needs programs besides halometer, and so other options."""


def bench(
    kind: str,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int | Sequence[int] = 2,
    schemes: str | Sequence[str] | None = None,
    launches: int = 3,
    budget_s: float | None = None,
    environment: dict[str, str] | None = None,
    output: Path | str | None = None,
    seed: int | None = None,
    pin: bool = True,
    only: str = "*",
    quick: bool = False,
    programs: Path | str | None = None,
    command_line: str | None = None,
    again: bool | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Benchmark | Outcome:
    """Measure one thing that schemes do with `halometer`, in several launches; or the kernels.

    Parameters
    ----------
    kind
        What is measured: one of `KINDS`, or `kernels`, which stands for `bench_kernels`.
    arguments
        halometer's own, as typed into a shell or as a list: `"--extent 50x50x50 --faces"`.
    ranks
        A number of ranks or several.
    schemes
        Names or globs, a list or separated by commas; halometer's own choice by default.
    launches
        For each number of ranks.
    budget_s
        Seconds that one launch may measure, 60 by default; of kernels, seconds for everything.
    environment
        Variables set for the launches.
    output
        Folder for the results; by default a new one in `results`.
    seed
        Of the random order; drawn by default.
    pin
        Give each rank its own cores, if there are enough.
    only, quick
        For kernels alone, as `bench_kernels` has them.
    programs
        Folder of the programs; None to look for them.
    command_line
        How to repeat it, for the record; by default this call.
    again
        Whether to go on with what an earlier start of the same command has left in the folder; by
        default in a job that its system has started again.
    say
        Called with what goes on.

    Returns
    -------
    The benchmark: `table()` or `to_pandas()` has a row for each scheme and set of parameters; of
    kernels one for each goal.

    Raises
    ------
    HaloclineError
        When there is no such kind, program or scheme, an option is for another kind, or the folder
        holds a benchmark already.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.bench("roundtrip", "--sizes 8,1024", launches=2, budget_s=2)
    >>> sorted({row["size"] for row in found.table()})
    [8, 1024]
    """
    if kind == KERNELS:
        _refuse(kind, arguments=words(arguments), ranks=ranks != 2, schemes=schemes,
                launches=launches != 3, environment=environment, pin=not pin)  # fmt: skip
        return bench_kernels(
            only, quick=quick, budget_s=budget_s, output=output, seed=seed, programs=programs,
            say=say,
        )  # fmt: skip
    if kind not in KINDS:
        raise HaloclineError(f"halometer measures no {kind}; it measures {', '.join(KINDS)}")
    _refuse(kind, only=only != "*", quick=quick)
    numbers = counts(ranks)
    program = find_program("halometer", programs)
    given = words(arguments)
    each_s = 60 if budget_s is None else budget_s
    own = [*given, "--budget", str(each_s)]
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
        command_line, again=batch.continues() if again is None else again,
    )  # fmt: skip
    measure(
        benchmark, program, launcher_of(program, programs), own, ranks=numbers,
        launches=launches, limit_s=10 * each_s + 600, pin=pin, say=say,
    )  # fmt: skip
    return benchmark


def _refuse(kind: str, **given: object) -> None:
    """Refuse options that are for other kinds."""
    for name, there in given.items():
        if there:
            raise HaloclineError(f"{name}: has no meaning for {kind}; leave it out")
