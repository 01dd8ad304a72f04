"""From a wish to a comparison: schemes are chosen, the doctor is asked, rounds are launched."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import Checker, check_options, choose, counts, find_program, words
from halocline.measure.comparison import itself
from halocline.measure.comparison import picture as pictures
from halocline.measure.comparison.record import Case, Comparison, Setting, prepare, skipped_of
from halocline.measure.comparison.rounds import Plan, Progress, Start, measure
from halocline.measure.comparison.table import BASELINE
from halocline.measure.comparison.variation import Varied
from halocline.measure.soundness import broken
from halocline.statistics import LEAST_LAUNCHES

Checking = Callable[[str, str], None]
Measuring = Callable[[Progress], None]
REASONS = "halocline.traces.reasons"
"""What traces knows what is compared, not the other way round."""


def compare(
    program: str | Path,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int | Sequence[int] = 2,
    schemes: str | Sequence[str] = "all",
    vary: str | Varied = "",
    launches: int | None = None,
    width: float | None = 0.05,
    repetitions: int = 3,
    output: Path | str | None = None,
    budget_s: float = float("inf"),
    timeout_s: float = 120,
    seed: int | None = None,
    pin: bool = True,
    trust: bool = False,
    in_turn: bool = False,
    picture: bool = False,
    why: bool = False,
    programs: Path | str | None = None,
    command_line: str | None = None,
    checking: Checking = lambda scheme, event: None,
    measuring: Measuring = lambda state: None,
    say: Callable[[str], None] = lambda text: None,
) -> Comparison:
    """Measure a program under many schemes, interleaved, and say which differ.

    Rounds of one launch each follow until every median is known to `width`, at least 6, or until
    `launches` or `budget_s` is spent. Ctrl-C ends the measurement and keeps what there is.

    Parameters
    ----------
    program
        Name of a Halocline program, or a path.
    arguments
        The program's own, as typed into a shell or as a list.
    ranks
        A number of ranks or several.
    schemes
        Names or globs, a list or separated by commas. The baseline `p2p:nonblocking` is always
        measured as well.
    vary
        An option of the program, and values: with `layout=aos,soa` everything is measured with
        `--layout aos` and with `--layout soa`, in the same rounds.
        `measure.Varied` has what else may be varied: MPIs, and variables of the ranks.
    launches
        Of each scheme, at most; 20 by default.
    width
        Of the medians' 95 % intervals, relative to the median; None or 0 for all launches.
    repetitions
        Within a launch, after one that warms up.
    output
        Folder for the results; by default a new one in `results`.
    budget_s
        No round is begun that would not fit into so many seconds; the first always is.
    timeout_s
        Seconds that one launch may take.
    seed
        Of the random order; drawn by default.
    pin
        Give each rank its own cores, if there are enough.
    trust
        Measure without asking the doctor first.
    in_turn
        Solve through all schemes, and styles where `vary` names some, in one launch a round, in
        turns.
    picture
        Run the program once more for a picture of its solution.
    why
        Then trace a launch of each scheme: the table's column `why` says where its time goes.
    programs
        Folder of the programs; None to look for them.
    command_line
        How to repeat it, for the record; by default this call.
    checking
        Called while the doctor looks: with a scheme and `asked`, `begin` or its outcome.
    measuring
        Called before every launch.
    say
        Called with what goes on afterwards.

    Returns
    -------
    The comparison: `table()` or `to_pandas()` has a row for each scheme with its median in seconds
    per step, the interval, the ratio to the baseline and the verdict; `samples()` every repetition.

    Raises
    ------
    HaloclineError
        When there is no such program or scheme, or the folder holds a comparison already.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.compare("partdiff", "1 2 20 1 2 50", schemes="shm:*", launches=6)
    >>> rows = found.table()
    >>> sorted({"scheme", "median_s", "ratio", "verdict"} & set(rows[0]))
    ['median_s', 'ratio', 'scheme', 'verdict']
    """
    numbers, given = counts(ranks), words(arguments)
    varied = Varied(option=vary) if isinstance(vary, str) else vary
    elsewhere = "--mpi" if varied.builds else "--env" if varied.variables else ""
    if varied.builds and (programs or "/" in str(program)):
        raise HaloclineError("--mpi: takes programs by their names, from the builds that it names")
    if varied.builds and os.environ.get("HALOCLINE_MPIEXEC"):
        raise HaloclineError("--mpi: each starts by its own launcher; unset HALOCLINE_MPIEXEC")
    if elsewhere and (in_turn or why):
        raise HaloclineError(f"{elsewhere}: is for comparisons without --in-turn and --why")
    if in_turn and varied.option and not varied.option.startswith("style="):
        raise HaloclineError(
            f"--in-turn: schemes and styles take turns, not --vary {varied.option}"
        )
    cases = varied.cases(Path(program).name, given)
    found: dict[str, _Entrants] = {}
    for case in cases:
        same = next(one for one in cases if _surroundings(one) == _surroundings(case))
        found[case.name] = found.get(same.name) or _entrants(
            program, schemes, case, programs, () if trust else numbers, checking
        )
    first = found[cases[0].name]
    path = first.start.program
    everywhere = all(one is first for one in found.values())
    skipped = {
        name if everywhere else skipped_of(name, case): reason
        for case in cases for name, reason in found[case.name].skipped.items()
    }  # fmt: skip
    if command_line is None:
        asked = schemes if isinstance(schemes, str) else list(schemes)
        command_line = (
            f"halocline.compare({path.name!r}, {shlex.join(given)!r}, ranks={ranks!r}, "
            f"schemes={asked!r}{f', vary={vary!r}' if vary else ''})"
        )
    comparison = prepare(
        Path(output) if output else records.default_folder(path.name), cases, skipped,
        first.checker.facts(max(numbers)), seed, command_line,
    )  # fmt: skip
    comparison.varied = varied.what
    settings = [
        Setting(case.name, count, name)
        for case in cases for count in numbers for name in found[case.name].schemes
        if name not in found[case.name].skipped
    ]  # fmt: skip
    plan = Plan(
        rounds=launches or Plan.rounds, repetitions=repetitions, width=width, budget_s=budget_s,
        limit_s=timeout_s, pin=pin, in_turn=in_turn,
    )  # fmt: skip
    measure(comparison, settings, lambda case: found[case.name].start, plan, measuring)
    if picture and not comparison.interrupted and comparison.measured():
        pictures.take(cases[0], path, first.start.launcher, numbers[0], comparison.folder)
    if why and not comparison.interrupted:
        import_module(REASONS).of_comparison(
            comparison, paths={path.name: path}, programs=programs, pin=pin, limit_s=timeout_s,
            say=say,
        )  # fmt: skip
    return comparison


@dataclass(frozen=True)
class _Entrants:
    """What starts a case, and which schemes take part in it."""

    checker: Checker
    start: Start
    schemes: list[str]
    skipped: dict[str, str]


def _surroundings(case: Case) -> tuple[str, dict[str, str]]:
    return case.programs, case.variables


def _entrants(
    program: str | Path,
    schemes: str | Sequence[str],
    case: Case,
    programs: Path | str | None,
    asked: Sequence[int],
    checking: Checking,
) -> _Entrants:
    """Choose among the schemes of a case's build; the doctor is asked on these numbers of ranks."""
    folder = case.programs or programs
    checker = Checker(folder, case.variables)
    names = choose(schemes, checker)
    if BASELINE not in names:
        names.insert(0, BASELINE)
    path = find_program(program, folder)
    check_options(path, case.arguments)
    start = Start(path, checker.launcher)
    skipped = broken(checker, names, asked, checking) if asked else {}
    return _Entrants(checker, start, names, skipped)


def compare_with_itself(
    program: str | Path,
    arguments: str | Sequence[str] = (),
    *,
    times: int,
    ranks: int | Sequence[int] = 2,
    schemes: str | Sequence[str] = BASELINE,
    launches: int | None = None,
    repetitions: int = 3,
    output: Path | str | None = None,
    budget_s: float = float("inf"),
    timeout_s: float = 120,
    seed: int | None = None,
    pin: bool = True,
    trust: bool = False,
    programs: Path | str | None = None,
    command_line: str | None = None,
    checking: Checking = lambda scheme, event: None,
    measuring: Measuring = lambda state: None,
) -> tuple[Comparison, itself.FalseClaims]:
    """Compare a scheme with itself, so that every claim of a difference is false, and count these.

    Parameters
    ----------
    program, arguments
        As for `compare`, and so are all that are not named here.
    times
        How many comparisons.
    ranks, schemes
        One of either.
    launches
        Of each side of each comparison; 6 by default.
    """
    path, given, checker = _called(program, arguments, programs)
    numbers, names = counts(ranks), choose(schemes, checker)
    if len(names) > 1 or len(numbers) > 1:
        raise HaloclineError(
            f"--against-itself takes one scheme and one number of ranks, not {len(names)} and "
            f"{len(numbers)}: name them with --schemes and --ranks"
        )
    skipped = {} if trust else broken(checker, names, numbers, checking)
    cases = itself.cases(path.name, given)
    if command_line is None:
        command_line = (
            f"halocline.measure.compare_with_itself({path.name!r}, {shlex.join(given)!r}, "
            f"times={times}, ranks={ranks!r}, schemes={schemes!r})"
        )
    comparison = prepare(
        Path(output) if output else records.default_folder(path.name), cases, skipped,
        checker.facts(numbers[0]), seed, command_line,
    )  # fmt: skip
    settings = [
        Setting(case.name, numbers[0], name)
        for case in cases for name in names if name not in skipped
    ]  # fmt: skip
    each = launches or LEAST_LAUNCHES
    plan = Plan(
        rounds=each * times, repetitions=repetitions, budget_s=budget_s, limit_s=timeout_s, pin=pin
    )
    start = Start(path, checker.launcher)
    measure(comparison, settings, lambda case: start, plan, measuring)
    return comparison, itself.count(comparison, each)


def _called(
    program: str | Path, arguments: str | Sequence[str], programs: Path | str | None
) -> tuple[Path, list[str], Checker]:
    """Return the program's path, its arguments as a list, and the build it belongs to."""
    checker, path, given = Checker(programs), find_program(program, programs), words(arguments)
    check_options(path, given)
    return path, given, checker
