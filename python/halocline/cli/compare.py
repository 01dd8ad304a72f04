"""The command `halocline compare`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import List, Optional, Tuple

import typer

from halocline import measure, outputs, records
from halocline.cli import display, terminal
from halocline.cli.options import (
    ARGUMENTS,
    BIN,
    OUTPUT,
    PIN,
    RANKS,
    SEED,
    VERBOSE,
    percent,
)
from halocline.cli.progress import Checking, Measuring
from halocline.errors import HaloclineError
from halocline.measure import Comparison, Plan, Varied
from halocline.measure.comparison import LOST, MPI, SLOWER, UNTOLD, VARIABLES, judged
from halocline.reports import variation
from halocline.traces import reasons

NAMELESS = "name a program, or --results THEN NOW"


def compare(
    program: Optional[str] = typer.Argument(
        None, help="Name of a Halocline program, or a path.", show_default=False
    ),
    arguments: Optional[List[str]] = ARGUMENTS,
    ranks: str = RANKS,
    chosen: str = typer.Option(
        "all",
        "--schemes",
        help="Names or globs, separated by commas. 'all': the schemes that auto chooses from; "
        "beside them it is 'all,auto,auto+when=running'.",
    ),
    vary: str = typer.Option(
        "",
        metavar="OPTION=A,B,...",
        help="Measure with each of these values of an option of the program, and compare them.",
    ),
    styles: str = typer.Option(
        "",
        "--styles",
        metavar="A,B,...",
        help="The same with each of these styles of a program that has them: --vary style=A,B,...",
    ),
    mpi: str = typer.Option(
        "",
        "--mpi",
        metavar="A,B,...",
        help="Compare MPIs, by the names of their builds (build/release-NAME), or folders of "
        "programs.",
    ),
    env: str = typer.Option(
        "",
        "--env",
        metavar="'X=1;X=2'",
        help="Compare settings of the ranks' variables; an empty one leaves all as it is.",
    ),
    earlier: Optional[Tuple[Path, Path]] = typer.Option(
        None,
        "--results",
        metavar="THEN NOW",
        help="Measure nothing: say what became slower or faster between two comparisons, by their "
        "folders.",
    ),
    threshold: Optional[str] = typer.Option(
        None,
        metavar="5%",
        help="Say of what is varied what became slower by more, and exit with 5 then; with 6 if "
        "that cannot be told. For --results it is 5%.",
    ),
    launches: Optional[int] = typer.Option(
        None, min=1, help="Launches of each scheme, at most.", show_default=str(Plan.rounds)
    ),
    width: str = typer.Option(
        "5%", help="End when every median's 95 % interval is narrower; 0% for all launches."
    ),
    repetitions: int = typer.Option(
        3, min=1, help="Repetitions in a launch, after one to warm up."
    ),
    output: Optional[Path] = OUTPUT,
    budget: float = typer.Option(0, min=0, help="Begin no round past so many seconds; 0: no end."),
    timeout: float = typer.Option(120, min=1, help="Seconds that one launch may take."),
    seed: Optional[int] = SEED,
    pin: bool = PIN,
    trust: bool = typer.Option(False, help="Measure without asking the doctor first."),
    against_itself: int = typer.Option(
        0,
        min=0,
        metavar="N",
        help="Compare a scheme N times with itself, --launches (6) each; count the false claims.",
    ),
    in_turn: bool = typer.Option(
        False,
        "--in-turn",
        help="All schemes and styles in one launch a round, in turns, so that what differs between "
        "launches concerns them alike.",
    ),
    why: bool = typer.Option(
        False, help="Then trace a launch of each scheme, and say where its time goes."
    ),
    pictured: bool = typer.Option(True, "--picture/--no-picture", help="Picture of the solution."),
    verbose: bool = VERBOSE,
    programs: Optional[Path] = BIN,
) -> None:
    """Measure a program under many schemes, interleaved, and say which differ.

    Rounds of one launch each follow until every median is known to 5 % (--width), at least 6, or
    until --launches or --budget is spent. Ctrl-C ends the measurement and tabulates what there is.

    Exit code 0; 3 when nothing could be measured, or with a threshold a scheme was lost; 4 when
    results differ; 5 when something became slower by more than the threshold, 6 when that cannot be
    told; 75 when its job ends first; 130 after Ctrl-C.
    """
    least = None if threshold is None else percent(threshold, "--threshold")
    console = terminal.console()
    if earlier is not None:
        if program is not None:
            raise HaloclineError("--results: measures nothing; leave the program out")
        found = measure.comparison.join(*earlier)
        least = variation.THRESHOLD if least is None else least
        display.show_comparison(console, found, verbose=verbose, threshold=least)
        folders = shlex.join(map(str, earlier))
        console.print(f"'halocline report {folders}' shows them", soft_wrap=True)
        leave(found, least)
        return
    if program is None:
        raise typer.BadParameter(NAMELESS)
    if styles and vary:
        raise HaloclineError("--styles: is for comparisons without --vary")
    varied = Varied(f"style={styles}" if styles else vary, env, mpi)
    if varied.what and against_itself:
        option = {VARIABLES: "--env", MPI: "--mpi"}.get(varied.what, "--vary")
        raise HaloclineError(f"{option}: is for comparisons without --against-itself")
    if in_turn and against_itself:
        raise HaloclineError("--in-turn: is for comparisons without --against-itself")
    if least is not None and not varied.what:
        raise HaloclineError("--threshold: is for --mpi, --env, --vary and --results")
    wanted = percent(width, "--width")
    outputs.check_folder(output, "--output")
    folder = output or records.default_folder(Path(program).name)
    with Checking(console) as checking, Measuring(console) as measuring:
        common = {
            "ranks": ranks, "schemes": chosen, "launches": launches,
            "repetitions": repetitions, "output": folder, "budget_s": budget or float("inf"),
            "timeout_s": timeout, "seed": seed, "pin": pin, "trust": trust, "programs": programs,
            "command_line": records.own_command_line(),
            "checking": checking, "measuring": measuring,
        }  # fmt: skip
        if against_itself:
            found, claims = measure.compare_with_itself(
                program, arguments or [], times=against_itself, **common
            )
        else:
            found = measure.compare(
                program, arguments or [], vary=varied, width=wanted, in_turn=in_turn,
                picture=pictured, why=why,
                say=lambda text: console.print(text, style="dim"), **common,
            )  # fmt: skip
    if least is not None:
        found.threshold = least  # for its report
        found.save()
    if against_itself:
        console.print(claims.text(), soft_wrap=True)
        display.show_caveats(console, found, {}, verbose=verbose)
        console.print(f"Results in {folder}", soft_wrap=True)
    else:
        display.show_comparison(console, found, verbose=verbose, threshold=least)
        display.show_reasons(console, reasons.load(found.folder))
        said = f"Results in {folder}; 'halocline report {folder}' shows them"
        console.print(said, soft_wrap=True)
    leave(found, least)


def leave(comparison: Comparison, threshold: float | None = None) -> None:
    """Choose the exit code, which `compare` explains."""
    if comparison.interrupted:
        raise typer.Exit(130)
    if not all(verdict.same for verdict in measure.agreement(comparison)):
        raise typer.Exit(4)
    said = [] if threshold is None else judged(comparison, threshold)
    verdicts = {one.verdict for one in said}
    if not comparison.measured() or LOST in verdicts:
        raise typer.Exit(3)
    if SLOWER in verdicts:
        raise typer.Exit(5)
    if UNTOLD in verdicts:
        raise typer.Exit(6)
