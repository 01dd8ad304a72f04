"""What is seen while a command works, and tables on narrow terminals."""

import io
import time

import pytest
from rich.console import Console

from halocline.cli import display, progress
from halocline.cli.main import app
from halocline.measure import Progress, Setting


@pytest.fixture
def pipe(monkeypatch):
    """Give a console that is a pipe, and let ten seconds be short."""
    monkeypatch.setattr(progress, "EVERY_S", 0.02)
    return Console(file=io.StringIO(), width=1000)


def lines_until(console, count):
    end = time.monotonic() + 60
    while console.file.getvalue().count("\n") < count and time.monotonic() < end:
        time.sleep(0.01)
    return console.file.getvalue().splitlines()


def test_a_pipe_sees_which_scheme_the_doctor_is_at(pipe):
    with progress.Checking(pipe) as checking:
        for scheme in ("p2p:sendrecv", "rma:put:fence"):
            checking(scheme, "asked")
        checking("p2p:sendrecv", "begin")
        checking("p2p:sendrecv", "sound")
        checking("rma:put:fence", "begin")
        seen = lines_until(pipe, 2)
    assert seen[-1] == "0:00 checking rma:put:fence: 1 of 2"
    assert pipe.file.getvalue().count("\n") <= len(seen) + 1


def test_a_pipe_sees_how_far_a_measurement_is(pipe):
    with progress.Measuring(pipe) as measuring:
        measuring(Progress(3, 40, 75.0, Setting("laplace", 2, "shm:signal")))
        seen = lines_until(pipe, 1)
        measuring(Progress(40, 40, 0.0, None))
    assert seen[-1] == "0:00 measuring laplace shm:signal: 3 of 40, 1:15 left"


def test_what_is_quick_says_nothing(pipe, monkeypatch):
    monkeypatch.setattr(progress, "EVERY_S", 10.0)
    with progress.Ticking(pipe, always=True) as ticking:
        ticking.at = "fitting"
    assert pipe.file.getvalue() == ""


def test_no_figure_is_cut_on_a_narrow_terminal():
    for width in (40, 80, 90, 200):
        console = Console(file=io.StringIO(), width=width)
        table = display.plain_table("Words")
        table.add_column("ranks", no_wrap=True)
        table.add_column("process grid", no_wrap=True)
        for name in ("node to node\nlinks", "most by\na node", "inside\nwords", "socket"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_row("in sequence", "15x4 = (5x1) x (1x2) x (3x2)", *(["123456789"] * 4))
        console.print(table)
        said = console.file.getvalue()
        assert "…" not in said
        assert sum(map(str.isdigit, said)) == 36 + 9


def test_exit_codes_stand_in_the_help_of_each_command(halocline):
    names = [one.name or one.callback.__name__ for one in app.registered_commands]
    for command in [*([name] for name in names), ["bench", "roundtrip"], ["model", "measure"]]:
        assert "Exit code" in halocline(*command, "--help").stdout, command
