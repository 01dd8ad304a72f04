"""The command `halocline`: all that it can be asked."""

from __future__ import annotations

import sys

import typer

from halocline import __version__
from halocline.cli import (
    bench,
    compare,
    demonstrate,
    predict,
    report,
    run,
    soundness,
    topology,
    trace,
    tuning,
    validation,
)
from halocline.cli.options import PASSING
from halocline.errors import HaloclineError

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
app.command("doctor")(soundness.doctor)
app.command("run", context_settings=PASSING)(run.run)
app.command("compare", context_settings=PASSING)(compare.compare)
app.command("tune", context_settings=PASSING)(tuning.tune)
app.command("explain", context_settings=PASSING)(tuning.explain)
app.command("trace", context_settings=PASSING)(trace.trace)
app.command("report")(report.report)
app.command("demo")(demonstrate.demonstrate)
app.command("topology")(topology.topology)
app.command("predict", context_settings=PASSING)(predict.predict)
app.add_typer(predict.app, name="model")
app.add_typer(bench.app, name="bench")
app.command("validate")(validation.validate)


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
