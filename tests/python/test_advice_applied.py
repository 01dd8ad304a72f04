"""Programs that are run with the substitute, with stand-ins for it and for the launcher."""

import json
import stat
import sys

import pytest

PRELOAD = """
import json, os, sys
from pathlib import Path
_, substitute, option, report, *command = sys.argv
assert (substitute, option) == ("--substitute", "--report"), sys.argv
print("the program speaks:", *command[1:])
told = {name: text for name, text in os.environ.items() if name.startswith("HALOCLINE_APPLY")}
Path("told.json").write_text(json.dumps(told))
if "aborts" in command:
    sys.exit(5)
lines = [{"substitute": 1}, *json.loads(Path("patterns.json").read_text())]
Path(report).write_text("".join(json.dumps(line) + chr(10) for line in lines))
sys.exit(4 if "ends" in command else 0)
"""


def line(pattern, steps=200, **others):
    """Return a line of a report: by default of a pattern that was left as it is."""
    left = {"taken_at": 0, "carried": 0, "back_at": 0, "scheme": "", "why": "not repeated"}
    return {"pattern": pattern, "kind": "neighbor", "steps": steps} | left | others


TAKEN = {"taken_at": 13, "carried": 188, "scheme": "shm:signal", "why": ""}


@pytest.fixture
def stands(fake, tmp_path):
    """Put a stand-in for what preloads beside the others; return the command of a program."""
    file = fake.folder / "halocline-preload"
    file.write_text(f"#!{sys.executable}\n{PRELOAD}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    app = fake.folder / "app"
    app.write_bytes(b"\x7fELF")
    app.chmod(0o755)
    reports(tmp_path, line("an exchange", **TAKEN))
    return [str(fake.folder / "mpiexec"), "-n", "2", str(app)]


def reports(tmp_path, *lines):
    (tmp_path / "patterns.json").write_text(json.dumps(lines))


def told(tmp_path):
    return json.loads((tmp_path / "told.json").read_text())


def answered(folder, *patterns):
    """Write an answer with patterns: their way, the best scheme and what it saves."""
    names = ("way", "best_by_halocline", "saving_by_halocline")
    found = [dict(zip(names, pattern)) for pattern in patterns]
    content = {"format": "halocline-advice", "version": 1, "patterns": found}
    (folder / "run.recording").mkdir(parents=True)
    (folder / "advice.json").write_text(json.dumps(content))


def test_what_became_of_each_pattern_is_said(stands, halocline, tmp_path):
    reports(
        tmp_path,
        line("MPI_Neighbor_alltoall on a grid", 20),
        line("MPI_Neighbor_alltoallv on a graph", **TAKEN),
        line("MPI_Neighbor_alltoallv on a graph", **TAKEN),
        line("a window", 50, kind="fence", taken_at=13, carried=8, back_at=21, scheme="shm:signal",
             why="other operations than agreed on"),
    )  # fmt: skip
    done = halocline("advise", "--apply", "--output", "out", "--", *stands, "--apply", "7")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "the program speaks: --apply 7",
        "",
        "Taken over: 3 of 4 patterns, 384 of 470 steps.",
        "2 times MPI_Neighbor_alltoallv on a graph: by shm:signal from step 13 on (376 of 400 "
        "steps)",
        "a window: by shm:signal from step 13 on (8 of 50 steps); handed back at step 21: other "
        "operations than agreed on",
        "MPI_Neighbor_alltoall on a grid: left to MPI: not repeated",
        "schemes: all by auto",
        f"written: {tmp_path / 'out' / 'applied.jsonl'}",
    ]
    assert told(tmp_path) == {"HALOCLINE_APPLY_SCHEME": "auto"}


def test_the_rows_are_as_many_as_asked_for(stands, halocline, tmp_path):
    reports(tmp_path, *(line(f"pattern {number}", 100 - number) for number in range(7)))
    done = halocline("advise", "--apply", "--top", 2, "--", *stands)
    assert done.stdout.splitlines()[2:6] == [
        "Taken over: 0 of 7 patterns.",
        "pattern 0: left to MPI: not repeated",
        "pattern 1: left to MPI: not repeated",
        "and 5 more",
    ]


@pytest.mark.parametrize("named", ["earlier", "earlier/run.recording"])
def test_an_answer_names_the_scheme_of_each_kind(stands, halocline, tmp_path, named):
    answered(
        tmp_path / "earlier",
        ("neighbor", "p2p:persistent", 0.01), ("neighbor", "shm:signal", 0.04),
        ("neighbor", "shm:epoch", 0.03), ("neighbor", "p2p:persistent", 0.02),
        ("neighbor", "", None), ("nonblocking", "rma:put:lock", 0.2), ("fence", "", None),
    )  # fmt: skip
    options = ("--recording", named, "--scheme", "p2p:nonblocking")
    done = halocline("advise", "--apply", *options, "--output", "out", "--", *stands)
    assert done.returncode == 0, done.stderr
    assert told(tmp_path) == {
        "HALOCLINE_APPLY_NEIGHBOR": "shm:signal",
        "HALOCLINE_APPLY_SCHEME": "p2p:nonblocking",
    }
    said = (
        "schemes: neighbourhood collectives by shm:signal, as answered; others by p2p:nonblocking"
    )
    assert said in done.stdout.splitlines()


def test_loops_are_spoken_of_when_asked_for(stands, halocline, tmp_path):
    done = halocline("advise", "--top", 3, "--apply=loops", "--", *stands, "--apply=loops")
    assert done.returncode == 0, done.stderr
    assert told(tmp_path)["HALOCLINE_APPLY"] == "loops"
    assert done.stdout.startswith("the program speaks: --apply=loops\n")


def test_other_values_of_apply_are_refused(stands, halocline):
    done = halocline("advise", "--apply=all", "--", *stands)
    assert done.returncode != 0
    assert done.stderr == "halocline: --apply=all: give --apply or --apply=loops\n"


def test_variables_of_the_user_count(stands, halocline, tmp_path, monkeypatch):
    monkeypatch.setenv("HALOCLINE_APPLY_SCHEME", "shm:epoch")
    assert "schemes: all by shm:epoch" in halocline("advise", "--apply", "--", *stands).stdout
    assert told(tmp_path) == {"HALOCLINE_APPLY_SCHEME": "shm:epoch"}


@pytest.mark.parametrize(
    ("word", "code", "says"),
    [
        ("ends", 4, "Taken over: 1 of 1 pattern, 188 of 200 steps."),
        ("aborts", 5, "Nothing is known of what was taken over (exit code 5): the report is "
         "written in MPI_Finalize, and the program has not come to that."),
    ],
)  # fmt: skip
def test_the_exit_code_is_the_programs(stands, halocline, word, code, says):
    done = halocline("advise", "--apply", "--", *stands, word)
    assert (done.returncode, done.stderr) == (code, "")
    assert says in done.stdout.splitlines()


def test_a_program_without_such_patterns(stands, halocline, tmp_path):
    reports(tmp_path)
    done = halocline("advise", "--apply", "--", *stands)
    assert "Nothing was taken over: the program has no neighbourhood collectives" in done.stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--apply",), "--apply: give the command that starts the program behind '--'"),
        (("--apply", "--html", "a.html"), "--html: has no meaning with --apply; leave it out"),
        (("--apply", "--record-only"), "--record-only: has no meaning with --apply; leave it out"),
        (("--scheme", "shm:signal"), "--scheme: has no meaning without --apply; leave it out"),
        (("--apply", "--recording", "empty", "--", "app"),
         "empty holds no answer (advice.json): name the folder of one, or a scheme by --scheme"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused(fake, halocline, tmp_path, options, says):
    (tmp_path / "empty").mkdir()
    done = halocline("advise", *options)
    assert (done.returncode, done.stderr) == (1, f"halocline: {says}\n")


def test_a_damaged_report_names_its_line(stands, halocline, tmp_path):
    reports(tmp_path, line("an exchange") | {"steps": "many"})
    done = halocline("advise", "--apply", "--output", "out", "--", *stands)
    assert done.returncode == 1
    assert 'applied.jsonl:2: "steps" must be a whole number' in done.stderr
