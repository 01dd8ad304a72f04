"""The command `halocline`: all that it can be asked."""

from __future__ import annotations

import contextlib
import difflib
import os
import signal
import sys

import typer

from halocline import __version__
from halocline.cli import (
    advise,
    bench,
    compare,
    demonstrate,
    jobs,
    predict,
    report,
    run,
    soundness,
    terminal,
    topology,
    trace,
    tuning,
    validation,
)
from halocline.cli.in_job import starts_ranks
from halocline.cli.options import PASSING
from halocline.errors import HaloclineError
from halocline.launch import batch, lost, process
from halocline.text import shown

AGAIN = 75
"""The exit code after which the same command goes on where it stopped (EX_TEMPFAIL)."""
UsageError = typer.BadParameter.__base__
"""All that a command line can be wrong in; typer has it from click, or has a click of its own."""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Check, run and compare the communication schemes of Halocline programs.",
)


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


app.command("schemes")(soundness.schemes)
app.command("doctor")(starts_ranks(soundness.doctor))
app.command("run", context_settings=PASSING)(starts_ranks(run.run, ends=False))
app.command("compare", context_settings=PASSING)(starts_ranks(compare.compare))
app.command("tune", context_settings=PASSING)(starts_ranks(tuning.tune))
app.command("explain", context_settings=PASSING)(starts_ranks(tuning.explain))
app.command("trace", context_settings=PASSING)(starts_ranks(trace.trace))
app.command("advise", cls=advise.Command, context_settings=advise.CONTEXT)(
    starts_ranks(advise.advise)
)
app.command("report")(report.report)
app.command("demo")(demonstrate.demonstrate)
app.command("topology")(topology.topology)
app.command("predict", context_settings=PASSING)(predict.predict)
app.add_typer(predict.app, name="model")
app.add_typer(bench.app, name="bench")
app.command("submit", context_settings=jobs.CONTEXT)(jobs.submit)
app.command("status")(jobs.status)
app.command("fetch")(jobs.fetch)
app.command("validate")(starts_ranks(validation.validate))

ENDS = (
    "Exit codes, unless it says otherwise above: 0 done; 1 an error, said in one line; 2 a command "
    "line that says nothing; 3 something that was asked for failed; 75 its job ends first; 128 and "
    "the number of the signal that ended it, 130 after Ctrl-C."
)
for known in (app, bench.app, predict.app):
    for one in known.registered_commands:
        one.epilog = ENDS


def main() -> None:
    """Run the command.

    What ends it otherwise than well is one line on the error output: 1 for what the user can act
    on, 2 for a command line that says nothing, 75 where its job ends first, 141 where nobody reads
    on, 128 and the number of the signal that asked it to end.
    """
    sys.exit(_status())


def _status() -> int:
    lost.ends.clear()
    try:
        with process.ended_by_signals() as signals:
            try:
                with terminal.prepared():
                    status = _called(sys.argv[1:])
            except KeyboardInterrupt:
                status = 128 + signal.SIGINT
        return _ended(signals[0] if signals else 0, status)
    except HaloclineError as error:
        return _failed(str(error))
    except terminal.OutputError as error:
        return 128 + signal.SIGPIPE if error.closed else _failed(str(error))
    except OSError as error:
        where = f"{shown(os.fsdecode(error.filename))}: " if error.filename else ""
        return _failed(f"{where}{error.strerror or error}")
    except MemoryError:
        return _failed("out of memory")


def _ended(number: int, status: int) -> int:
    """Say what has happened to the job, if it is that, and return the exit code."""
    if not number and not lost.ends:
        return status
    job = batch.here()
    name = job.name if job else "the job"
    kept = "; what is measured is kept, and a restarted job goes on from there"
    if number == signal.SIGALRM:
        return _failed(f"the time of {name} is over{kept}", AGAIN)
    if lost.ends:
        return _failed(f"{name} is lost: {shown(lost.ends[0])}{kept}", AGAIN)
    if number and job:
        _failed(f"{name}: {signal.Signals(number).name} came (cancelled or out of time?){kept}")
    return 128 + number


def _called(arguments: list[str]) -> int:
    """Do what the command line asks for, and return the exit code."""
    command = typer.main.get_command(app)
    try:
        with command.make_context("halocline", arguments) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # which has shown the help
            if str(error.message):
                print(error.message)
            return error.exit_code
        path = error.ctx.command_path if error.ctx else "halocline"
        said = _sentence(error)
        return _failed(f"{said}; see '{path} --help'", error.exit_code)
    return 0


def _sentence(error: Exception) -> str:
    """Return what is wrong with a command line, on one line that goes on."""
    said = shown(" ".join(error.format_message().split()))
    name = getattr(error, "option_name", "")
    if name and not getattr(error, "possibilities", None) and error.ctx:
        known = [option for one in error.ctx.command.params for option in one.opts]
        near = difflib.get_close_matches(name, known)
        if near and said.startswith("No such option"):
            said += f"; is {' or '.join(near)} meant?"
    return said.rstrip(".")


def _failed(said: str, status: int = 1) -> int:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # nobody reads it
        print(f"halocline: {said}", file=sys.stderr, flush=True)
    return status
