"""The soak of all schemes: what it counts, and the row that it leaves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "exchange" / "soak.py"
sys.path.insert(0, str(SCRIPT.parent))
import soak  # noqa: E402

TOLD = ["--steps", "5"]
PAGE = f"# Soaks\n\n{soak.HEAD}\n|---|\n\nThe end.\n"


def said(scheme, outcome="sound", detail=""):
    begin = {"event": "begin", "scheme": scheme}
    end = {"event": "end", "scheme": scheme, "outcome": outcome, "detail": detail}
    return json.dumps(begin) + "\n" + (json.dumps(end) + "\n" if outcome else "")


@pytest.mark.parametrize(
    ("output", "code", "exchanges", "failures"),
    [
        (said("a") + "a remark\n" + said("b"), 0, 10, []),
        (said("a") + said("b", "wrong", "byte 3"), 1, 10, ["b: wrong: byte 3"]),
        (said("a", "refused", "why"), 1, 5, ["a: refused: why"]),
        (said("a") + said("b", ""), None, 5, ["b: it hangs"]),
        (said("a", ""), -11, 0, ["a: it ended with -11"]),
        ("", 1, 0, ["no scheme: it ended with 1"]),
    ],
)
def test_each_scheme_that_is_not_sound_is_a_failure(output, code, exchanges, failures):
    assert soak.judged(TOLD, output, code) == soak.Found(exchanges, failures)


def test_a_commit_and_an_mpi_have_one_row():
    first = "| 2026-12-01 | abc1234 | MPICH 5.0.2 | 2 to 8 | 1 | 3 | 7 | 999 | 0 |  |"
    other = first.replace("MPICH 5.0.2", "Open MPI 5.0.11")
    again = first.replace("| 3 |", "| 60 |")
    page = soak.with_row(soak.with_row(soak.with_row(PAGE, first), other), again)
    assert page == PAGE.replace("|---|\n", f"|---|\n{other}\n{again}\n")


def test_it_launches_and_leaves_a_row(tmp_path):
    facts = json.dumps({"mpi": {"library": "MPICH Version: 5.0.2"}})
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text(
        f"#!/bin/sh\ncase $* in *--facts) echo '{facts}'; exit ;; esac\n"
        f"printf '%s\\n' \"$*\" >>{tmp_path}/commands\ncat <<'END'\n{said('p2p:nonblocking')}END\n"
    )
    mpiexec.chmod(0o755)
    table = tmp_path / "soak.md"
    table.write_text(PAGE)
    done = subprocess.run(
        [sys.executable, SCRIPT, "--mpiexec", mpiexec, "--halocheck", "halocheck", "--table", table,
         "--leave-out=rma:*"],
        env={**os.environ, "HALOCLINE_SOAK": "3", "HALOCLINE_SOAK_SECONDS": "0"},
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    command = (tmp_path / "commands").read_text()
    assert command.startswith("-n ") and " halocheck --strict " in command
    assert " --spread " in command and command.endswith(" --except rma:*\n")
    row = [cell.strip() for cell in table.read_text().splitlines()[4].split("|")]
    ranks = command.split()[1]
    assert row[3:7] == ["MPICH 5.0.2", f"{ranks} to {ranks}", "3", "0"] and row[7] == "1"
    assert row[9:] == ["0", "`rma:*`", ""]
    assert table.read_text().endswith("\n\nThe end.\n")
