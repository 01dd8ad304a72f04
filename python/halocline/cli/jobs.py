"""The commands `halocline submit`, `status` and `fetch`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import List, Optional

import typer
from rich.text import Text

from halocline import outputs, verbs
from halocline.cli import compare, display, terminal
from halocline.errors import HaloclineError
from halocline.launch import check_options, find_program
from halocline.text import shown
from halocline.verbs import Wish

CONTEXT = {
    "allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False,
}  # fmt: skip
"""All behind the verb is the verb's."""


def submit(
    context: typer.Context,
    command: Optional[List[str]] = typer.Argument(
        None, metavar="VERB [ARGS]...",
        help="What the job does: compare laplace --ranks 2,16, or bench, tune, doctor, ...",
    ),
    nodes: Optional[int] = typer.Option(
        None, min=1, show_default="as VERB's --nodes and --ranks-per-node say", help="Nodes."
    ),
    ranks_per_node: Optional[int] = typer.Option(
        None, min=1, help="Ranks on each of them. VERB's --ranks are all of them by default."
    ),
    cores_per_node: Optional[int] = typer.Option(
        None, min=1, help="Cores of each of them, for systems that must be told."
    ),
    time: str = typer.Option(
        "1:00", metavar="TIME",
        help="The time limit: H:MM, minutes, or as sbatch takes it, H:MM:SS and D-H[:MM[:SS]].",
    ),
    queue: Optional[str] = typer.Option(None, "--partition", "--queue", help="Where it waits."),
    account: Optional[str] = typer.Option(None, help="Who pays."),
    option: Optional[List[str]] = typer.Option(
        None, "--option", metavar="LINE",
        help="One more line for the batch system, as --option=--constraint=gpu; may be repeated.",
    ),
    before: Optional[List[str]] = typer.Option(
        None, "--before", metavar="LINE",
        help="A line of the shell before the command, as 'module load openmpi'; may be repeated.",
    ),
    system: Optional[str] = typer.Option(
        None, help="slurm, pbs, lsf, jsrun, flux, or a section of launchers.ini."
    ),
    output: Optional[Path] = typer.Option(None, help="Folder of the job."),
    show: bool = typer.Option(False, "--show", help="Print the script, and submit nothing."),
) -> None:  # fmt: skip
    """Run another command as a job: write its script, submit it, and say where it is.

    Submitted again (by 'sbatch FOLDER/job.sh'), a job goes on where it stopped.
    """
    words = list(command or [])
    if "--show" in words and words[0] != "run":
        words.remove("--show")
        show = True
    outputs.check_folder(output, "--output")
    wish = Wish(
        nodes, ranks_per_node, verbs.minutes_of(time), queue, account, tuple(option or ()),
        cores_per_node, tuple(before or ()),
    )  # fmt: skip
    if words and words[0] in verbs.VERBS:
        _check_words(context.find_root(), words)
    job = verbs.submit(words, wish, system=system, output=output, show=show)
    if show:
        print(job.script, end="")
        return
    # Numbers are looked for in `results`.
    key = job.id if output is None else shlex.quote(str(job.folder))
    console = terminal.console()
    console.print(
        f"job {job.id} ({job.system}): {job.folder / 'job.sh'}", soft_wrap=True,
        highlight=False,
    )  # fmt: skip
    console.print(
        f"'halocline status {key}' says where it is, 'halocline fetch {key}' brings results",
        style="dim", soft_wrap=True, highlight=False,
    )  # fmt: skip


def _check_words(root: typer.Context, words: list[str]) -> None:
    """Let the verb read its words now, and the program its own: a job says it hours later."""
    command, names, parent = root.command, [], root
    rest = list(words)
    while rest and (below := getattr(command, "get_command", lambda *_: None)(parent, rest[0])):
        command = below
        names.append(rest.pop(0))
    if rest and hasattr(command, "resolve_command") and not rest[0].startswith("-"):
        command.resolve_command(parent, rest)  # which says that there is no such command
    with command.make_context(" ".join(names), rest, parent=parent) as read:
        program, given = read.params.get("program"), read.params.get("arguments") or []
    if names == ["compare"] and not program and not read.params["earlier"]:
        raise typer.BadParameter(compare.NAMELESS)
    if program and "/" not in program:
        try:
            path = find_program(program, read.params.get("programs"))
        except HaloclineError:  # it may be on compute nodes alone
            return
        check_options(path, given)


def status(
    jobs: Optional[List[str]] = typer.Argument(
        None, metavar="[JOB]...", help="Folders or numbers of jobs; all by default."
    ),
    beneath: Path = typer.Option(
        Path("results"), "--in", metavar="DIR", help="Where folders of jobs are looked for."
    ),
) -> None:
    """Say of submitted jobs where they are, and what they have measured so far."""
    found = verbs.find(jobs or [], beneath).table()
    if not found:
        raise HaloclineError(f"no job was submitted in {shown(str(beneath))}")
    table = display.Folding(box=None, pad_edge=False)
    for name in ("id", "system", "state", "measured", "folder"):
        table.add_column("job" if name == "id" else name)
    for row in found:
        cells = (row[name] for name in ("id", "system", "state", "measured", "folder"))
        table.add_row(*(Text(shown(cell)) for cell in cells))
    terminal.console().print(table)


def fetch(
    job: str = typer.Argument(..., metavar="JOB", help="The folder or the number of a job."),
    output: Optional[Path] = typer.Option(None, help="Copy the results into this folder."),
    wait: float = typer.Option(0, min=0, help="Seconds to wait for the job's end."),
    beneath: Path = typer.Option(
        Path("results"), "--in", metavar="DIR", help="Where folders of jobs are looked for."
    ),
) -> None:
    """Bring what a job has measured and said: all of it, or so far.

    The exit code is the job's; 75 if it has not ended, or goes on when it is submitted again.
    """
    (found,) = verbs.find([job], beneath).jobs
    folder = verbs.fetch(found, output, wait_s=wait)
    if said := found.said():
        print(said, end="" if said.endswith("\n") else "\n")
    running = found.running()
    terminal.console().print(
        f"job {found.id}: {shown(found.state())}; {found.measured()}; {folder}", soft_wrap=True,
        highlight=False, markup=False,
    )  # fmt: skip
    if running:
        raise typer.Exit(75)
    if code := found.exit_code():
        raise typer.Exit(code)
