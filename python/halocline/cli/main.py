"""The command `halocline`."""

from __future__ import annotations

import math
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import List, Optional

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table

from halocline import __version__
from halocline.cli import bench as benchmark_cli
from halocline.cli import demo, display
from halocline.errors import HaloclineError
from halocline.launch import launcher
from halocline.measure import compare, doctor, itself, kernels, picture, tuning
from halocline.measure.checker import Checker, choose, launcher_of, matching
from halocline.report import comparison as report
from halocline.report import convergence, roofline
from halocline.statistics import intervals as statistics

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Check, run and compare the communication schemes of Halocline programs.",
)
bench = typer.Typer(invoke_without_command=True)
app.add_typer(bench, name="bench")
benchmark_cli.add_to(bench)
PASSING = {"allow_extra_args": True, "ignore_unknown_options": True}
BIN = typer.Option(None, "--bin", metavar="DIR", help="Folder of the programs.")
ARGUMENTS = typer.Argument(
    None, metavar="[ARGS]...",
    help="The program's own arguments; behind '--' even those that look like options of halocline.",
)  # fmt: skip
TUNING = typer.Option(None, "--tuning", metavar="FILE", help="The file of what auto has chosen.")
PIN = typer.Option(True, "--pin/--no-pin", help="Give each rank its own cores, if there are.")


def version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        print(f"halocline {__version__}")
        raise typer.Exit()


@app.callback()
def common(
    _: bool = typer.Option(False, "--version", callback=version, is_eager=True, help="Version."),
) -> None:
    """Check, run and compare the communication schemes of Halocline programs."""


@app.command()
def schemes(
    glob: str = typer.Argument("*", help="Only names that this shell glob matches."),
    combinations: bool = typer.Option(False, help="Every combination of options."),
    missing: bool = typer.Option(False, "--all", help="Also those missing here, with the reason."),
    programs: Optional[Path] = BIN,
) -> None:
    """List the schemes of this build, with what the doctor found out about them."""
    checker = Checker(programs)
    known = doctor.Memory().verdicts(checker)
    rows = checker.schemes(missing=missing, combinations=combinations)
    names = matching(glob, [row.name for row in rows])
    if not names:
        raise HaloclineError(f"no scheme matches '{glob}'")
    table = Table(box=None, show_header=False, pad_edge=False)
    for row in rows:
        if row.name in names:
            verdict = known.get(row.name)
            said = "not checked yet" if verdict is None else verdict.outcome
            style = display.STYLES.get(said, "dim")
            table.add_row(row.name, f"[{style}]{said if row.available else row.reason}[/]")
    _console().print(table)


@app.command("doctor")
def doctor_command(
    fresh: bool = typer.Option(False, help="Forget earlier verdicts and check again."),
    everything: bool = typer.Option(False, "--all", help="Check every combination of options."),
    quick: bool = typer.Option(False, help="Few cases on 2 ranks, as compare and demo do."),
    chosen: str = typer.Option("all", "--schemes", help="Names or globs, separated by commas."),
    ranks: str = typer.Option("2,3,4", help="Numbers of ranks, separated by commas."),
    cases: Optional[int] = typer.Option(None, min=1, help="Random patterns for each scheme."),
    seed: Optional[int] = typer.Option(None, min=0, help="Of the random patterns."),
    delay: Optional[int] = typer.Option(None, min=0, help="Longest random delay, in µs."),
    timeout: float = typer.Option(30, min=1, help="Seconds that one scheme may take."),
    programs: Optional[Path] = BIN,
) -> None:
    """Find out which schemes are sound on this machine, and remember it.

    Exit code 0 when all are sound, 3 when some are broken.
    """
    console = _console()
    checker = Checker(programs)
    every = checker.schemes(missing=True)
    names = choose(chosen, checker)
    if everything:
        names = [s.name for s in checker.schemes(combinations=True) if s.available]
    elif chosen == "all" and not quick:
        names = doctor.with_other_paths(names)
    effort = (
        doctor.QUICK
        if quick
        else doctor.Effort(
            ranks=_numbers(ranks, "--ranks"),
            cases=cases,
            seed=seed,
            delay_us=delay,
            limit_s=timeout,
        )
    )
    facts = checker.facts(2)
    with _Checking(console, names) as progress:
        verdicts = doctor.check(checker, names, effort, fresh=fresh, progress=progress)
    missing = {s.name: s.reason for s in every if not s.available} if chosen == "all" else {}
    display.show_verdicts(console, verdicts, missing)
    console.print()
    display.show_facts(console, facts, doctor.advise(facts, verdicts))
    console.print(f"Remembered in {doctor.default_path()}", style="dim", soft_wrap=True)
    if not all(verdict.sound for verdict in verdicts.values()):
        raise typer.Exit(3)


@app.command(context_settings=PASSING)
def run(
    program: str = typer.Argument(..., help="Name of a Halocline program, or a path."),
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: int = typer.Option(2, "--ranks", "-n", min=1, help="Number of ranks."),
    scheme: Optional[str] = typer.Option(None, help="Given to the program as --scheme."),
    pin: bool = PIN,
    show: bool = typer.Option(False, "--show", help="Print the command instead of running it."),
    programs: Optional[Path] = BIN,
) -> None:
    """Run a program under its MPI, with the flags that root and many ranks need.

    The exit code is that of the program.
    """
    path = launcher.find_program(program, programs)
    starter = launcher_of(path, programs)
    own = [*(arguments or []), *(["--scheme", scheme] if scheme else [])]
    command = starter.command(ranks, path, own, pin=pin)
    if show:
        print(starter.shown(ranks, command))
        return
    sys.stdout.flush()
    os.execvpe(command[0], command, {**os.environ, **starter.environment(ranks)})


@app.command("compare", context_settings=PASSING)
def compare_command(
    program: str = typer.Argument(..., help="Name of a Halocline program, or a path."),
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: str = typer.Option("2", "--ranks", "-n", help="Numbers of ranks: 2 or 2,4."),
    chosen: str = typer.Option("all", "--schemes", help="Names or globs, separated by commas."),
    launches: Optional[int] = typer.Option(
        None, min=1, help="Launches of each scheme, at most.", show_default=str(compare.Plan.rounds)
    ),
    width: str = typer.Option(
        "5%", help="End when every median's 95 % interval is narrower; 0% for all launches."
    ),
    repetitions: int = typer.Option(
        3, min=1, help="Repetitions in a launch, after one to warm up."
    ),
    output: Optional[Path] = typer.Option(None, help="Folder for the results."),
    budget: float = typer.Option(0, min=0, help="Begin no round past so many seconds; 0: no end."),
    timeout: float = typer.Option(120, min=1, help="Seconds that one launch may take."),
    seed: Optional[int] = typer.Option(None, min=0, help="Of the random order."),
    pin: bool = PIN,
    trust: bool = typer.Option(False, help="Measure without asking the doctor first."),
    against_itself: int = typer.Option(
        0,
        min=0,
        metavar="N",
        help="Compare a scheme N times with itself, --launches (6) each; count the false claims.",
    ),
    pictured: bool = typer.Option(True, "--picture/--no-picture", help="Picture of the solution."),
    programs: Optional[Path] = BIN,
) -> None:
    """Measure a program under many schemes, interleaved, and say which differ.

    Rounds of one launch each follow until every median is known to 5 % (--width), at least 6, or
    until --launches or --budget is spent. Ctrl-C ends the measurement and tabulates what there is.
    """
    console = _console()
    counts = _numbers(ranks, "--ranks")
    wanted = _percent(width, "--width")
    checker = Checker(programs)
    path = launcher.find_program(program, programs)
    names = choose(chosen, checker)
    if against_itself and (len(names) > 1 or len(counts) > 1):
        raise HaloclineError(
            f"--against-itself takes one scheme and one number of ranks, not {len(names)} and "
            f"{len(counts)}: name them with --schemes and --ranks"
        )
    if compare.BASELINE not in names and not against_itself:
        names.insert(0, compare.BASELINE)
    skipped: dict[str, str] = {}
    if not trust:
        effort = replace(doctor.QUICK, ranks=counts)
        # auto is a choice among the others, and compares bytes itself.
        named = [name for name in names if not name.startswith("auto")]
        with _Checking(console, named) as progress:
            verdicts = doctor.check(checker, named, effort, progress=progress)
        skipped = {name: v.why for name, v in verdicts.items() if not v.sound}
    case = compare.Case(path.name, path.name, list(arguments or []))
    folder = output or Path("results") / f"{path.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    seed = random.SystemRandom().randrange(1 << 31) if seed is None else seed
    facts = checker.facts(max(counts))
    cases = itself.cases(path.name, case.arguments) if against_itself else [case]
    comparison = compare.prepare(folder, cases, skipped, facts, seed)
    sound = [name for name in names if name not in skipped]
    settings = [
        compare.Setting(one.name, count, name)
        for one in cases for count in counts for name in sound
    ]  # fmt: skip
    plan = compare.Plan(
        rounds=launches or compare.Plan.rounds, repetitions=repetitions, width=wanted,
        budget_s=budget or float("inf"), limit_s=timeout, pin=pin,
    )  # fmt: skip
    if against_itself:
        each = launches or statistics.LEAST_LAUNCHES
        plan = replace(plan, rounds=each * against_itself, width=None)
    with _Measuring(console) as measuring:
        compare.measure(comparison, settings, {path.name: path}, checker.launcher, plan, measuring)
    if against_itself:
        console.print(itself.count(comparison, each).text(), soft_wrap=True)
        display.show_caveats(console, comparison)
        console.print(f"Results in {folder}", soft_wrap=True)
        _leave(comparison)
        return
    if pictured and not comparison.interrupted and comparison.measured():
        picture.take(case, path, checker.launcher, counts[0], comparison.folder)
    display.show_comparison(console, comparison)
    console.print(f"Results in {folder}; 'halocline report {folder}' shows them", soft_wrap=True)
    _leave(comparison)


@app.command(context_settings=PASSING)
def tune(
    program: str = typer.Argument(..., help="Name of a Halocline program, or a path."),
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: str = typer.Option("2", "--ranks", "-n", help="Numbers of ranks: 2 or 2,4."),
    file: Optional[Path] = TUNING,
    fresh: bool = typer.Option(False, help="Measure again what is known."),
    budget: float = typer.Option(10, min=0.01, help="Seconds for one choice."),
    timeout: float = typer.Option(600, min=1, help="Seconds that one run may take."),
    trust: bool = typer.Option(False, help="Do not ask the doctor first."),
    programs: Optional[Path] = BIN,
) -> None:
    """Let `auto` choose ahead: run a program with it, so that later runs know.

    The doctor checks first which schemes are sound. A scheme that a run does not survive is left
    out of the next.
    """
    console = _console()
    counts = _numbers(ranks, "--ranks")
    path = launcher.find_program(program, programs)
    starter = launcher_of(path, programs)
    chosen = file or tuning.default_path()
    tuning.load(chosen)
    if not trust:
        checker = Checker(programs)
        names = doctor.with_other_paths(choose("all", checker))
        with _Checking(console, names) as progress:
            doctor.check(checker, names, replace(doctor.QUICK, ranks=counts), progress=progress)
    job = tuning.Job(
        path, arguments or [], starter, chosen, fresh=fresh, budget_s=budget, limit_s=timeout
    )
    tuning.show(console, job.explain(counts, say=_warning(console)))
    console.print(f"Remembered in {chosen}", style="dim", soft_wrap=True)


@app.command(context_settings=PASSING)
def explain(
    program: Optional[str] = typer.Argument(None, help="Only what this program chooses."),
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: str = typer.Option("2", "--ranks", "-n", help="Numbers of ranks: 2 or 2,4."),
    file: Optional[Path] = TUNING,
    timeout: float = typer.Option(600, min=1, help="Seconds that one run may take."),
    programs: Optional[Path] = BIN,
) -> None:
    """Say what `auto` has chosen and why, with the figures: of all patterns, or of a program's."""
    console = _console()
    chosen = file or tuning.default_path()
    entries = tuning.load(chosen)["choices"]
    if program is not None:
        path = launcher.find_program(program, programs)
        starter = launcher_of(path, programs)
        job = tuning.Job(path, arguments or [], starter, chosen, limit_s=timeout)
        entries = job.explain(_numbers(ranks, "--ranks"), say=_warning(console))
    elif not entries:
        raise HaloclineError(
            f"nothing has been chosen yet in {chosen}; 'halocline tune PROGRAM ...' does it"
        )
    tuning.show(console, entries)


@app.command("report")
def report_command(
    paths: List[Path] = typer.Argument(
        ..., metavar="DIR|FILE...", help="Folder written by compare or demo, or result files."
    ),
    output: Optional[Path] = typer.Option(None, help="The HTML file; by default in the folder."),
) -> None:
    """Write one self-contained HTML file about a comparison, or about how solvers converged.

    For result files of laplace it draws the residual against time and every worker's iterations.
    """
    if convergence.is_asked_for(paths):
        print(convergence.write(paths, output))
    else:
        print(report.write(compare.Comparison.load(paths[0]), output))


@app.command("demo")
def demo_command(
    output: Optional[Path] = typer.Option(None, help="Folder for the results."),
    budget: float = typer.Option(280, min=10, help="Seconds for everything."),
    interlines: int = typer.Option(demo.INTERLINES, min=0, help="Size of the problem."),
    programs: Optional[Path] = BIN,
) -> None:
    """Solve Poisson's equation through every scheme, and report which is fastest."""
    _solve_through_all("demo", output, budget, interlines, programs)


@bench.callback()
def bench_command(
    context: typer.Context,
    output: Optional[Path] = typer.Option(None, help="Folder for the results."),
    budget: float = typer.Option(1200, min=10, help="Seconds for everything."),
    interlines: int = typer.Option(512, min=0, help="Size of the problem."),
    programs: Optional[Path] = BIN,
) -> None:
    """Do the same as demo for longer and on a larger problem: figures to rely on."""
    if context.invoked_subcommand is None:
        _solve_through_all("bench", output, budget, interlines, programs)


@bench.command("kernels")
def bench_kernels(
    output: Optional[Path] = typer.Option(None, help="Folder for the results."),
    budget: Optional[float] = typer.Option(
        None, min=1, show_default=f"{kernels.FULL.budget_s:.0f}", help="Seconds for everything."
    ),
    only: str = typer.Option("*", metavar="GLOB", help="Only the lines of the table that match."),
    quick: bool = typer.Option(False, help="Small problems, a minute: to see that it works."),
    seed: Optional[int] = typer.Option(None, min=0, help="Of the random order."),
    programs: Optional[Path] = BIN,
) -> None:
    """Compare the sweeps with plain loops, with one thread and one rank, with memory.

    Ctrl-C ends the measurement and tabulates what there is.
    """
    console = _console()
    folder = output or Path("results") / f"kernels-{time.strftime('%Y%m%d-%H%M%S')}"
    with _Measuring(console) as measuring:
        outcome = kernels.run(
            folder, programs, effort=kernels.QUICK if quick else kernels.FULL, only=only,
            budget_s=budget, seed=seed, progress=measuring,
            say=_warning(console),
        )  # fmt: skip
    display.show_kernels(console, outcome)
    picture_file = roofline.write(outcome)
    where = f"Results in {folder}" + (f", roofline in {picture_file}" if picture_file else "")
    console.print(where, soft_wrap=True)
    _leave(outcome.comparison)
    if outcome.disagreements:
        raise typer.Exit(4)


def _solve_through_all(
    name: str, output: Optional[Path], budget: float, interlines: int, programs: Optional[Path]
) -> None:
    console = _console()
    folder = output or Path("results") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    with _Checking(console, []) as checking, _Measuring(console) as measuring:
        steps = demo.Steps(checking, measuring, lambda text: console.print(text, style="bold"))
        comparison, file = demo.run(folder, programs, steps, budget_s=budget, interlines=interlines)
    display.show_comparison(console, comparison)
    console.print(f"Report: {file}", soft_wrap=True)
    _leave(comparison)


def _leave(comparison: compare.Comparison) -> None:
    """Choose the exit code: 130 after Ctrl-C, 4 where results differ, 3 where schemes failed."""
    if comparison.interrupted:
        raise typer.Exit(130)
    if not all(verdict.same for verdict in compare.agreement(comparison)):
        raise typer.Exit(4)
    if not comparison.measured():
        raise typer.Exit(3)


def _warning(console: Console) -> Callable[[str], None]:
    return lambda text: console.print(text, style="yellow")


def _console() -> Console:
    """Return the console; a pipe gets lines of any length rather than cut ones."""
    return display.console()


def _numbers(text: str, option: str) -> tuple[int, ...]:
    """Read positive numbers separated by commas."""
    try:
        numbers = tuple(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise HaloclineError(f"{option} {text}: give positive numbers separated by commas, as 2,4")
    return numbers


def _percent(text: str, option: str) -> float:
    """Read a percentage, with its sign or without."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise HaloclineError(f"{option} {text}: give a percentage, as 5%")
    return value / 100


class _Checking:
    """A progress bar over the schemes being checked."""

    def __init__(self, console: Console, names: List[str]) -> None:
        self.total = len(names)
        self.done: set[str] = set()
        self.bar = Bar(
            TextColumn("checking"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[at]}"),
            console=console, transient=True, disable=not console.is_terminal,
        )  # fmt: skip
        self.task = None

    def __enter__(self) -> _Checking:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def __call__(self, scheme: str, event: str) -> None:
        if self.task is None:
            self.bar.start()
            self.task = self.bar.add_task("", total=self.total or None, at="")
        if event != "begin":
            self.done.add(scheme)
        self.bar.update(self.task, at=scheme, completed=len(self.done))


class _Measuring:
    """A progress bar over the launches, with the time left."""

    def __init__(self, console: Console) -> None:
        self.bar = Bar(
            TextColumn("measuring"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"), TextColumn("{task.fields[at]}"),
            console=console, transient=True, disable=not console.is_terminal,
        )  # fmt: skip
        self.task = None

    def __enter__(self) -> _Measuring:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def __call__(self, state: compare.Progress) -> None:
        if self.task is None:
            self.bar.start()
            self.task = self.bar.add_task("", left="", at="")
        left = (
            "" if state.left_s is None else f"{int(state.left_s) // 60}:{int(state.left_s) % 60:02}"
        )
        at = "" if state.setting is None else f"{state.setting.case} {state.setting.scheme}"
        self.bar.update(self.task, completed=state.done, total=state.total, left=left, at=at)


def main() -> None:
    """Run the command; errors the user can act on become one line on the error output."""
    try:
        app(prog_name="halocline")
    except HaloclineError as error:
        print(f"halocline: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)


if __name__ == "__main__":
    main()
