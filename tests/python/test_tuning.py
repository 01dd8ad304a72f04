"""Filling the file of choices ahead, and explaining what is in it."""

import fcntl
import io
import json

import pytest
from rich.console import Console

from halocline.cli import tuning as tables
from halocline.errors import HaloclineError
from halocline.launch import Launcher
from halocline.measure import tuning
from halocline.model import machines


def job(fake, tmp_path, **more):
    starter = Launcher(str(fake.folder / "mpiexec"), "mpich")
    return tuning.Job(
        fake.folder / "partdiff", ["1", "2", "3"], starter, tmp_path / "tuning.json", **more
    )


def test_a_job_tells_what_it_chose(fake, tmp_path):
    (choice,) = job(fake, tmp_path, budget_s=3, fresh=True).run(2)
    assert choice["scheme"] == "shm:signal"
    assert (choice["budget"], choice["fresh"]) == ("3", "1")
    (known,) = tuning.load(tmp_path / "tuning.json")["choices"]
    assert tuning.same_situation(known, choice)


def test_what_a_job_does_not_survive_is_named_and_left_out(fake, tmp_path):
    fake(dies=["rma:put:fence", "rma:get:lock"])
    said = []
    job(fake, tmp_path).run(2, say=said.append)
    assert said == [
        f"{scheme} did not survive being measured, {what}"
        for scheme in ("rma:put:fence", "rma:get:lock")
        for what in ("and is tried once more", "twice, and is left out")
    ]


def test_another_jobs_note_accuses_nobody(fake, tmp_path):
    fake(failing={"auto": "exit"})
    said = []
    with (tmp_path / "tuning.json.measuring-other-1").open("w") as note:
        json.dump({"scheme": "shm:signal"}, note)
        note.flush()
        fcntl.flock(note, fcntl.LOCK_EX)
        with pytest.raises(HaloclineError, match="does not fit Gauss-Seidel"):
            job(fake, tmp_path).run(2, say=said.append)
    assert said == []


def test_a_job_that_fails_otherwise_is_an_error(fake, tmp_path):
    fake(failing={"auto": "exit"})
    with pytest.raises(HaloclineError, match="does not fit Gauss-Seidel"):
        job(fake, tmp_path).run(2)


def test_a_program_that_chooses_nothing_is_an_error(fake, tmp_path):
    fake(chooses_nothing=True)
    with pytest.raises(HaloclineError, match="chose nothing"):
        job(fake, tmp_path).run(2)


def test_a_remembered_choice_is_explained_by_the_figures_of_then(tmp_path):
    there = {"machine": {"cpu": "A"}, "job": {"ranks": 2}, "pattern": {"links": 1}}
    rows = [{"scheme": "shm:signal"}, {"scheme": "p2p:nonblocking"}]
    file = tmp_path / "tuning.json"
    content = {"format": tuning.FORMAT, "version": 1, "choices": [{**there, "candidates": rows}]}
    file.write_text(json.dumps(content))
    choice = {**there, "scheme": "shm:signal", "why": "remembered", "candidates": rows[:1]}
    (entry,) = tuning.explained([choice, choice], file)
    assert (entry["why"], entry["candidates"]) == ("remembered", rows)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "halocline-doctor", "version": 1, "choices": []}',
             '{"format": "halocline-tuning", "version": 1, "choices": [3]}'],
)  # fmt: skip
def test_a_damaged_file_is_an_error_and_stays(halocline, fake, tmp_path, text):
    file = tmp_path / "tuning.json"
    file.write_text(text)
    for command in ("explain", "tune partdiff 1 2 3"):
        said = halocline(*command.split(), "--tuning", file)
        assert said.returncode == 1
        assert f"{file} is not a file of choices" in said.stderr
        assert "delete it" in said.stderr
    assert file.read_text() == text


def test_tune_asks_the_doctor_then_explains_and_remembers(halocline, fake, tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(log))
    said = halocline("tune", "partdiff", "1", "2", "3", "-n", "2,3")
    assert said.returncode == 0, said.stderr
    assert "p2p:sendrecv" in log.read_text()
    assert said.stdout.count("shm:signal: no choice is known") == 2
    assert "3 ranks, 2 an island" in said.stdout
    assert "round 2: 3 times as long" in said.stdout
    assert "1.25" in said.stdout
    assert "1 more" in said.stdout and "not checked here yet" in said.stdout
    file = tmp_path / "cache" / "tuning.json"
    assert str(file) in said.stdout
    assert len(tuning.load(file)["choices"]) == 2


def test_explain_shows_the_file_or_what_a_program_chooses(halocline, fake, tmp_path):
    assert "nothing has been chosen yet" in halocline("explain").stderr
    file = tmp_path / "mine.json"
    assert halocline("tune", "partdiff", "1", "--trust", "--tuning", file).returncode == 0
    said = halocline("explain", "--tuning", file)
    assert said.returncode == 0
    assert "chosen" in said.stdout and "MPICH 9.9.9" in said.stdout
    said = halocline("explain", "partdiff", "1", "-n", "4", "--tuning", file)
    assert "4 ranks" in said.stdout and "2 ranks" not in said.stdout


def test_globs_that_match_no_scheme_are_named(halocline, fake, tmp_path, caplog):
    file = tmp_path / "mine.json"
    choice = {"scheme": "shm:signal", "pin": "smh:signal"}
    wishes = {"forbid": ["smh:*", "rma:*"], "choices": [choice]}
    file.write_text(json.dumps({"format": tuning.FORMAT, "version": 1, **wishes}))
    said = halocline("explain", "--tuning", file)
    assert said.returncode == 0
    assert caplog.messages == [
        f'{file}: "smh:*" matches no scheme',
        f'{file}: "choices[0]": "smh:signal" matches no scheme',
    ]
    caplog.clear()
    (fake.folder / "halocheck").unlink()
    said = halocline("explain", "--tuning", file)
    assert said.returncode == 0 and "shm:signal" in said.stdout and not caplog.messages


def test_auto_can_be_compared_with_the_others(halocline, fake, tmp_path):
    said = halocline(
        "compare", "partdiff", "1", "--schemes", "auto,p2p:*", "--launches", "1", "--no-picture",
        "--output", tmp_path / "out",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert "auto" in said.stdout


def test_the_file_is_beside_the_doctors_memory(tmp_path, monkeypatch):
    assert tuning.default_path() == tmp_path / "cache" / "tuning.json"
    monkeypatch.setenv("HALOCLINE_TUNING", "/else/where.json")
    assert str(tuning.default_path()) == "/else/where.json"


LONG = [
    "neighbor:persistent",
    "rma:put:flush+alloc=dynamic+notify=counter",
    "shm:signal+access=slots+outer=rma:put:flush+notify=flag+windows=per-link",
]
WHY = "round 2: 3.4 times as long as the fastest, and it cannot catch up in what is left"


def entry(schemes, untried=()):
    """Give a choice as in the file, with candidates of these names."""
    rows = [
        {"scheme": name, "median_us": 1234.5 + i, "low_us": 1230.25, "high_us": 1300.125,
         "mean_us": 1250.5, "samples": 1000, **({"dropped": WHY} if i else {})}
        for i, name in enumerate(schemes)
    ]  # fmt: skip
    rows += [{"scheme": name, "dropped": "not checked here yet"} for name in untried]
    return {
        "machine": {"cpu": "A processor with a name that takes its time", "cores": 64, "mpi": ""},
        "job": {"ranks": 2, "ranks_per_island": 2},
        "pattern": {"links": 26, "bytes": 1 << 20, "largest": 1 << 16, "runs": 900,
                    "field_bytes": 1 << 28, "memory": "shared"},
        "scheme": schemes[0], "why": "measured", "candidates": rows,
    }  # fmt: skip


def rendered(entries, width=None):
    """Show choices in a terminal of this width, or to a pipe."""
    file = io.StringIO()
    tables.show(Console(file=file, width=width or 40, force_terminal=width is not None,
                        color_system=None), entries)  # fmt: skip
    return file.getvalue().splitlines()


def test_what_laps_have_found_is_shown_as_quotients():
    found = {
        **entry(["shm:signal"]),
        "why": "in the program's own steps: 9000 laps, decided", "seconds": 0.25, "laps": 9000,
        "time": "2026-11-28T07:00:00Z",
        "candidates": [
            {"scheme": "p2p:nonblocking", "times": 1.25, "times_low": 1.2, "times_high": 1.3,
             "laps": 18, "dropped": "1.25 times as long in 6 bouts"},
            {"scheme": "shm:signal", "times": 1},
            {"scheme": "p2p:sendrecv", "times": 1.01, "times_low": 0.9, "times_high": 1.1,
             "laps": 4},
        ],
    }  # fmt: skip
    lines = [" ".join(line.split()) for line in rendered([found])]
    assert "scheme times as long [95 % interval] laps" in lines
    assert "shm:signal 1 chosen" in lines
    assert "p2p:nonblocking 1.25 [1.2, 1.3] 18 1.25 times as long in 6 bouts" in lines
    assert "p2p:sendrecv 1.01 [0.9, 1.1] 4 too few laps" in lines
    assert lines[-2].endswith("9000 laps, decided, trying cost 0.25 s, 2026-11-28T07:00:00Z")


@pytest.mark.parametrize("schemes", [["shm:signal", LONG[0]], LONG[:2], LONG])
@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_name_is_broken_in_a_terminal(schemes, width):
    untried = [f"{name}+asserts=on" for name in LONG]
    lines = rendered([entry(schemes, untried)], width)
    words = " ".join(lines).replace(",", " ").split()
    for name in [*schemes, *untried]:
        assert name in words
    longest = max(map(len, [*schemes, *untried]))
    assert all(len(line.rstrip()) <= max(width, longest + 5) for line in lines)
    assert " ".join(" ".join(lines).split()).count(WHY) == len(schemes) - 1


def test_figures_stay_in_columns_where_they_fit():
    lines = rendered([entry(LONG[:2])], 80)
    (head,) = (line for line in lines if line.startswith("scheme"))
    rows = [line for line in lines if line.startswith(tuple(LONG))]
    assert len(rows) == 3, "two candidates, and the last word"
    assert len({line.index("[") for line in (head, *rows[:2])}) <= 2
    assert {line.rstrip().endswith("1000") for line in rows[:2]} == {True}
    below = lines[lines.index(rows[1]) + 1]
    assert below.startswith("    round 2: 3.4 times as long")


def test_what_memory_of_the_library_would_spare_is_said():
    one = entry(["shm:signal", "shm:signal+access=copy", "rma:put:fence+pack=off"])
    assert tables.gains(one) == []
    for row, count in zip(one["candidates"][1:], (1 << 16, 1 << 17)):
        row["avoidable_bytes"] = count
    assert tables.gains(one) == [
        "fields by halocline::Array or ArenaAllocator would spare a step 64.0 KiB of copies with "
        "shm:signal+access=copy",
        "fields by halocline::Array or ArenaAllocator would spare a step 128.0 KiB of copies with "
        "rma:put:fence+pack=off",
    ]
    machine = machines.Machine({"costs": {"pack": [(0, 0.0), (1 << 17, 20e-6)]}})
    assert "64.0 KiB of copies, about 10 µs, with" in tables.gains(one, machine)[0]
    assert tables.gains(one)[0] in rendered([one])


def test_a_wide_terminal_takes_a_line_for_each_candidate():
    lines = rendered([entry(LONG[:2])], 200)
    assert any(line.startswith(LONG[1]) and line.rstrip().endswith(WHY) for line in lines)


def test_a_pipe_gets_whole_lines(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = rendered([entry(LONG, [f"{name}+pack=off" for name in LONG])])
    for name in LONG[1:]:
        assert any(line.startswith(name) and line.endswith(WHY) for line in lines)
    assert any(line.split(", ") == ["    " + f"{LONG[0]}+pack=off", *(f"{name}+pack=off"
               for name in LONG[1:])] for line in lines)  # fmt: skip


def test_the_command_breaks_no_name_in_80_columns(halocline, fake, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = halocline("tune", "partdiff", "1", "--trust")
    assert "rma:get:lock" in said.stdout.split()
    assert any(
        line.startswith("p2p:nonblocking") and line.endswith("round 2: 3 times as long")
        for line in said.stdout.splitlines()
    )
