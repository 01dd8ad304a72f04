"""What tests of programs have in common, a plugin of pytest (halocline_program_test in CMake).

Each test runs in an empty folder of its own, so that the files in it have short names.
HALOCLINE_TEST_MPIEXEC is the launcher, HALOCLINE_TEST_PROGRAMS are the paths of the programs.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

MPIEXEC = os.environ["HALOCLINE_TEST_MPIEXEC"]
PROGRAMS = os.environ["HALOCLINE_TEST_PROGRAMS"].split(":")
SOAK = "HALOCLINE_SOAK" in os.environ


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Start each test in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def launch(program, *arguments, ranks=1, **options):
    """Start a program on so many ranks; on one without mpiexec, which is cheaper.

    The options are those of subprocess.run.
    """
    start = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
    command = [*start, program, *map(str, arguments)]
    options = {"timeout": 200, **options}
    done = subprocess.run(command, capture_output=True, text=True, **options)
    # What MPICH's launcher says of ranks that it had to end is no word of the program.
    done.stdout = re.sub(r"\n=+\n=   BAD TERMINATION.*?debugging suggestions\n", "", done.stdout,
                         flags=re.DOTALL)  # fmt: skip
    return done


class Program:
    """A program under test: calling it starts it, with the options of subprocess.run."""

    def __init__(self, path, **options):
        self.path = path
        self.name = Path(path).name
        self.options = options

    def __call__(self, *arguments, ranks=1, **options):
        return launch(self.path, *arguments, ranks=ranks, **{**self.options, **options})

    def solve(self, *arguments, ranks=1, file="result.json"):
        """Start the program, which must succeed; return the run and its result file's content."""
        done = self(*arguments, "--json", file, ranks=ranks)
        assert done.returncode == 0, done.stderr
        return done, json.loads(Path(file).read_text())

    def solve_in_laps(self, *arguments, ranks=2):
        """Solve by what the steps choose, which may try much; return the result file's content."""
        file, tuning = Path("laps.json"), Path("tuning.json")
        done = self(
            *arguments, "--scheme", "auto+when=running", "--tuning", tuning, "--json", file,
            ranks=ranks,
            env={**self.options.get("env", os.environ), "HALOCLINE_TUNING_REGRET": "0.9"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        content = json.loads(file.read_text())
        found = content["running"]
        assert found["laps"] > 0 and 0 <= found["cost_share"] < 1
        chosen = found["chosen"][0]
        assert chosen["yardstick"] == "p2p:nonblocking"
        assert sum(one["laps"] for one in chosen["tried"]) > 0, found
        kept = json.loads(tuning.read_text())["choices"]
        assert "auto+when=running" in [entry["job"]["asked"] for entry in kept]
        return content

    def says_once(self, run, says, refused=True):
        """Assert that one line holds `says`: that of a refused command line names the help."""
        lines = [line for line in run.stderr.splitlines() if says in line]
        assert len(lines) == 1, run.stderr
        assert lines[0].endswith(f" (see {self.name} --help)") == refused, run.stderr
        assert "Usage:" not in run.stderr

    def fails(self, *arguments, says, ranks=1, refused=True):
        """Assert that the program fails with this line, and says nothing else; return the run."""
        run = self(*arguments, ranks=ranks)
        assert run.returncode != 0, arguments
        self.says_once(run, says, refused)
        assert run.stdout == ""
        return run


def some(cases):
    """Return these cases; under the sanitizers one in seven of them, as in its_turn.hpp."""
    few = "HALOCLINE_TEST_FEW" in os.environ and not SOAK
    return cases[:: 7 if few else 1]


passed = []


def pytest_runtest_logreport(report):
    """Count tests that passed."""
    if report.when == "call" and report.passed:
        passed.append(report.nodeid)


def pytest_sessionfinish(session):
    """Let ctest know by 77 that all tests were skipped."""
    if session.testscollected and not session.testsfailed and not passed:
        session.exitstatus = 77
