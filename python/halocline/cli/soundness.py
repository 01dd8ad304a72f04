"""The commands `halocline schemes` and `halocline doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import typer
from rich.console import Console
from rich.text import Text

from halocline import outputs
from halocline.cli import display, terminal
from halocline.cli.options import BIN
from halocline.cli.progress import Checking
from halocline.errors import HaloclineError
from halocline.launch import Checker, counts, matching, shared_memory
from halocline.measure import Effort, atlas, soundness
from halocline.text import shown


def schemes(
    glob: str = typer.Argument("*", help="Only names that this shell glob matches."),
    combinations: bool = typer.Option(False, help="Every combination of options."),
    missing: bool = typer.Option(False, "--all", help="Also those missing here, with the reason."),
    programs: Optional[Path] = BIN,
) -> None:
    """List the schemes of this build, with what the doctor found out about them."""
    checker = Checker(programs)
    known = soundness.Memory().verdicts(checker)
    rows = checker.schemes(missing=missing, combinations=combinations)
    names = matching(glob, [row.name for row in rows])
    if not names:
        raise HaloclineError(f"no scheme matches '{glob}'")
    broken = atlas.known_broken(checker, names, Effort().ranks)
    table = display.Folding(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for row in rows:
        if row.name in names:
            verdict = known.get(row.name)
            said = "not checked yet" if verdict is None else verdict.outcome
            style = display.STYLES.get(said, "dim")
            if verdict is None and row.name in broken:
                said = f"not checked yet; {broken[row.name].why}"
            table.add_row(row.name, Text(said if row.available else row.reason, style))
    terminal.console().print(table)


def doctor(
    fresh: bool = typer.Option(False, help="Forget earlier verdicts and check again."),
    everything: bool = typer.Option(False, "--all", help="Check every combination of options."),
    quick: bool = typer.Option(False, help="Few cases on 2 ranks, as compare and demo do."),
    chosen: str = typer.Option("all", "--schemes", help="Names or globs, separated by commas."),
    ranks: str = typer.Option("2,3,4", help="Numbers of ranks, separated by commas."),
    cases: Optional[int] = typer.Option(None, min=1, help="Random patterns for each scheme."),
    seed: Optional[int] = typer.Option(None, min=0, help="Of the random patterns."),
    delay: Optional[int] = typer.Option(None, min=0, help="Longest random delay, in µs."),
    timeout: float = typer.Option(30, min=1, help="Seconds that one scheme may take."),
    try_broken: bool = typer.Option(
        False, help="Try also what the atlas knows to be broken under this MPI."
    ),
    share: Optional[Path] = typer.Option(
        None,
        metavar="FILE",
        help="Check each option, too, measure ten patterns, and write what may be shared: nothing "
        "in it names this host or its users.",
    ),
    budget: float = typer.Option(
        180, min=0, help="With --share: seconds of measuring; 0 leaves that out."
    ),
    json: Optional[Path] = typer.Option(
        None, "--json", metavar="FILE", help="Write the verdicts to this file, too."
    ),
    baseline: Optional[Path] = typer.Option(
        None, metavar="FILE", help="Compare with verdicts that --json has written."
    ),
    programs: Optional[Path] = BIN,
) -> None:
    """Find out which schemes are sound on this machine, and remember it.

    Exit code 0 when all are sound, 3 when some are broken. With --baseline: 0 when nothing is worse
    than there, 3 when something is broken that was not, 4 when something sound is gone. 75 when
    its job ends first.
    """
    outputs.check(json, "--json")
    outputs.check_apart(json=json, share=share)
    then = None if baseline is None else soundness.baseline.load(baseline)
    effort = Effort(counts(ranks), cases=cases, seed=seed, delay_us=delay, limit_s=timeout)
    outputs.check(share, "--share")
    shares = share is not None
    console = terminal.console()
    with Checking(console) as checking:
        found = soundness.doctor(
            chosen, effort=effort, quick=quick, combinations=everything, options=shares,
            fresh=fresh, try_broken=try_broken or shares, programs=programs, checking=checking,
        )  # fmt: skip
    asked = {"schemes": chosen, "quick": quick, "all": everything, "share": shares}
    now = soundness.baseline.content(found, asked)
    changes = None if then is None else soundness.baseline.changes(now, then)
    _show(console, found, changes)
    if json is not None:
        soundness.baseline.write(json, now)
    if share is not None:
        soundness.share(
            found, share, budget_s=budget, programs=programs,
            say=lambda text: console.print(Text(text, "dim")),
        )  # fmt: skip
        console.print(
            f"Written to {shown(str(share))}; CONTRIBUTING.md says how to send it to the atlas",
            soft_wrap=True, highlight=False, markup=False,
        )  # fmt: skip
    if changes is None:
        code = 0 if found.sound else 3
    else:
        code = 3 if changes.new else 4 if changes.lost else 0
    raise typer.Exit(code)


def _show(
    console: Console, found: soundness.Diagnosis, changes: soundness.baseline.Changes | None
) -> None:
    """Print verdicts, facts and advice; of a baseline what has changed since."""
    display.show_verdicts(console, found.verdicts, found.missing)
    if said := found.memory():
        console.print(f"{said}; --fresh examines them again", highlight=False, soft_wrap=True)
    for text in changes.sentences() if changes else []:
        console.print(Text(text, style="bold"), soft_wrap=True)
    console.print()
    display.show_facts(console, found.facts, found.advice)
    if left := shared_memory.leftovers():
        console.print(left, soft_wrap=True, highlight=False, markup=False)
    host = found.facts.get("verdicts_hold_for", {}).get("host", "this machine")
    console.print(
        f"Remembered in {soundness.default_path()}, for {shown(str(host))}", style="dim",
        soft_wrap=True, markup=False,
    )  # fmt: skip
