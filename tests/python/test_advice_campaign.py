"""All that the command does, with stand-ins for the recorder, the launcher and the replay."""

import json
import os
import re
import signal
import stat
import sys
from pathlib import Path

import pytest

import halocline
from halocline.advice import campaign, disturbance, recording
from halocline.launch import Activity, interference

RECORDER = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from recordings import Program
_, option, place, *command = sys.argv[0:]
assert option == "--output", sys.argv
if "fails" in command:
    sys.exit(3)
made = Program(ranks=2).write(Path(place).parent / "made")
Path(place).mkdir()
for file in made.iterdir():
    if "apart" not in command or file.name != "rank-00001.jsonl":
        file.rename(Path(place) / file.name)
print("the program speaks:", *command)
sys.exit(4 if "ends" in command else 0)
"""
REPLAY = """
import json, os, sys
sys.path.insert(0, {here!r})
from pathlib import Path
from recordings import replayed, results
arguments = sys.argv[1:]
plan = json.loads(Path(arguments[0]).read_text())
out = Path(arguments[arguments.index("--output") + 1])
with Path("launches.txt").open("a") as log:
    log.write(" ".join(arguments) + chr(10))
now = out.with_name(out.name + ".now")
if os.environ.get("DIES") and "--resume" not in arguments:
    now.write_text("1 rma:put:fence")
    os.kill(os.getpid(), 11)
now.unlink(missing_ok=True)
if os.environ.get("REFUSES"):
    print("haloreplay: PLAN.json: patterns must not be empty", file=sys.stderr)
    sys.exit(1)
present = 40e-6
if not plan["schemes"]:  # variables are tried
    if "GLIBC_TUNABLES" in os.environ:
        sys.exit("haloreplay: it does not start so")
    present -= 10e-6 * ("MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD" in os.environ)
    present += 10e-6 * ("MPIR_CVAR_CH4_SHM_POSIX_EAGER" in os.environ)
saves = {{name: 12e-6 if name == "shm:signal" else -9e-6 for name in plan["schemes"]}}
made = results(out.parent, {{one["name"]: replayed(saves, present) for one in plan["patterns"]}})
made.replace(out)
"""


@pytest.fixture
def stands(fake, monkeypatch):
    """Put a recorder and a replay beside the other stand-ins, and a program."""
    here = str(Path(__file__).parent)
    monkeypatch.setenv("SLURM_JOB_ID", "1")  # what else runs on this machine is not asked then
    for name, text in (("halocline-preload", RECORDER), ("haloreplay", REPLAY)):
        file = fake.folder / name
        file.write_text(f"#!{sys.executable}\n{text.format(here=here)}")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    app = fake.folder / "app"
    app.write_bytes(b"\x7fELF")
    app.chmod(0o755)
    return fake, [str(fake.folder / "mpiexec"), "-n", "2", str(app)]


def content(tmp_path):
    return json.loads((tmp_path / "out" / "advice.json").read_text("utf-8"))


def test_a_program_is_recorded_replayed_and_answered(stands, halocline, tmp_path):
    configure, command = stands
    configure(broken={"rma:get:lock": "wrong"})
    done = halocline("advise", "--output", "out", "--budget", 5, "--", *command, "7")
    assert done.returncode == 0, done.stderr
    flat = " ".join(done.stdout.split())
    said = r"the best sound way here, shm:signal, would save 1\.[12] % \[1\.1, 1\.2\]\."
    assert re.search(said, flat), flat
    assert "the program speaks:" in flat and flat.index("speaks") < flat.index("Halo exchanges")
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    assert "rma:get:lock" not in plan["schemes"] and "shm:signal" in plan["schemes"]
    assert (plan["ranks"], plan["budget"], len(plan["patterns"])) == (2, 5, 1)
    (launch,) = (tmp_path / "launches.txt").read_text().splitlines()
    assert launch.endswith("--threads single")
    found = content(tmp_path)
    assert found["command"].endswith("app 7")
    assert found["patterns"][0]["best"] == "shm:signal"
    assert (tmp_path / "out" / "advice.html").is_file()


@pytest.mark.parametrize(
    ("while_", "others"), [("the program ran", (1.5, 0.0)), ("it was replayed", (0.0, 1.5))]
)
def test_nothing_is_promised_on_a_busy_machine(stands, tmp_path, monkeypatch, while_, others):
    """All of two processors are the ranks'."""
    monkeypatch.chdir(tmp_path)
    ran = iter(others)
    monkeypatch.setattr(disturbance.socket, "gethostname", lambda: "n1")
    monkeypatch.setattr(interference, "usable_cpus", lambda: 2)
    monkeypatch.setattr(
        disturbance.Activity, "between", lambda *_: Activity(other_cpus=next(ran), waited=1.0)
    )
    folder = Path(stands[1][0]).parent
    found = halocline.advise(stands[1], output=tmp_path / "out", programs=folder, environment=True)
    assert found.said[1].endswith("1073741824: not tried: the machine was busy.")
    assert found.said[0].endswith("how much is unknown: the machine was busy.")
    (row,) = found.table()
    assert row["verdict"] == "unknown" and row["best"] == ""
    assert row["why"] == (
        f"the machine was busy: others took 75 % of the ranks' processors while {while_}"
    )


def test_variables_of_the_library_are_tried_in_turns(stands, halocline, tmp_path):
    done = halocline("advise", "--environment", "--budget", 6, "--output", "out", "--", *stands[1])
    assert done.returncode == 0, done.stderr
    flat = " ".join(done.stdout.split())
    helps = (
        r"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD=1000000000 \(no copies by the kernel\) would save "
    )
    assert re.search(helps + r"0\.9\d % \[0\.9\d, 0\.9\d\], with nothing else changed\.", flat), (
        flat
    )
    assert "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE=69632: slower." in flat
    assert "1073741824: not tried: haloreplay: it does not start so." in flat
    helped, slower, failed = content(tmp_path)["environment"]
    assert helped["saving_low"] > 0 > slower["saving_high"] and failed["saving"] is None
    plan = json.loads((tmp_path / "out" / "try-plan.json").read_text())
    assert plan["budget"] * 4 * 6 <= 3 * 6  # the least that a launch takes
    launches = (tmp_path / "launches.txt").read_text().splitlines()
    assert len(launches) == 1 + 3 * 6 + 1


def test_a_contender_that_takes_its_launch_with_it_does_not_end_the_replay(
    stands, halocline, tmp_path, monkeypatch
):
    monkeypatch.setenv("DIES", "1")
    done = halocline("advise", "--output", "out", "--", *stands[1])
    assert done.returncode == 0, done.stderr
    first, second = (tmp_path / "launches.txt").read_text().splitlines()
    assert "--resume" not in first and second.endswith("--resume")
    assert content(tmp_path)["patterns"][0]["verdict"] == "saves"


def test_a_replay_that_refuses_is_said_and_the_rest_is_answered(
    stands, halocline, tmp_path, monkeypatch
):
    monkeypatch.setenv("REFUSES", "1")
    done = halocline("advise", "--output", "out", "--", *stands[1])
    assert done.returncode == 0, done.stderr
    flat = " ".join(done.stdout.split())
    said = "what another way would save was not measured: haloreplay: PLAN.json: patterns must not"
    assert said in flat
    assert "must not be empty" in (tmp_path / "out" / "replay.txt").read_text()


def test_a_program_that_ends_badly_is_answered_all_the_same(stands, halocline, tmp_path):
    done = halocline("advise", "--no-replay", "--output", "out", "--", *stands[1], "ends")
    assert done.returncode == 0
    assert "the program ended with exit code 4" in done.stdout
    assert "was not measured: no replay was asked for." in " ".join(done.stdout.split())


def test_page_and_figures_are_two_files(halocline, tmp_path):
    same = tmp_path / "same"
    done = halocline("advise", "--recording", "run", "--html", same, "--json", f"{tmp_path}/./same")
    assert done.returncode == 1 and "is the file of --html, too; name another" in done.stderr
    assert not same.exists()


def test_a_program_that_leaves_nothing_is_one_line(stands, halocline):
    done = halocline("advise", "--output", "out", "--", *stands[1], "fails")
    assert done.returncode == 1
    assert done.stderr.endswith(
        "app has left no recording (exit code 3): unless a line before says why, it may not call "
        "MPI, or not have come so far\n"
    )
    assert done.stderr.count("\n") == 1


def test_a_recording_may_be_answered_later(stands, halocline, tmp_path):
    done = halocline("advise", "--record-only", "--output", "run", "--", *stands[1])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "run.recording" / "rank-00001.jsonl").is_file()
    done = halocline("advise", "--recording", "run", "--output", "out", "--", *stands[1])
    assert done.returncode == 0, done.stderr
    assert content(tmp_path)["patterns"][0]["best"] == "shm:signal"
    assert "the program speaks" not in done.stdout


def test_a_recording_alone_says_which_ranks_left_none(stands, halocline, tmp_path):
    done = halocline("advise", "--record-only", "--output", "run", "--", *stands[1])
    assert "left no recording" not in done.stdout + done.stderr
    done = halocline("advise", "--record-only", "--output", "half", "--", *stands[1], "apart")
    assert done.returncode == 0, done.stderr
    said = "Rank 1 has left no recording: the figures are of the others."
    assert said in done.stdout.splitlines()
    done = halocline("advise", "--recording", "half", "--output", "out", "--no-replay")
    assert said in " ".join(done.stdout.split())
    first = tmp_path / "half" / "run.recording" / "rank-00000.jsonl"
    first.write_text("none\n")
    assert recording.missing_in(first.parent) == []


def test_a_recording_knows_how_busy_the_machine_was(stands, halocline, tmp_path, monkeypatch):
    monkeypatch.setattr(disturbance.socket, "gethostname", lambda: "n1")
    monkeypatch.setattr(interference, "usable_cpus", lambda: 2)
    ran = Activity(other_cpus=1.5, waited=1.0)
    monkeypatch.setattr(disturbance.Activity, "between", lambda *_: ran)
    done = halocline("advise", "--record-only", "--output", "run", "--", *stands[1])
    assert done.returncode == 0, done.stderr
    kept = json.loads((tmp_path / "run" / "run.recording" / "activity.json").read_text())
    assert (kept["host"], kept["cpus"], kept["other_cpus"]) == ("n1", 2, 1.5)
    # It is read elsewhere, later, when nobody else is there.
    monkeypatch.setattr(disturbance.socket, "gethostname", lambda: "n2")
    monkeypatch.setattr(disturbance.Activity, "between", lambda *_: Activity(other_cpus=0.0))
    done = halocline("advise", "--recording", "run", "--output", "out", "--", *stands[1])
    assert done.returncode == 0, done.stderr
    (row,) = content(tmp_path)["patterns"]
    assert row["why"].endswith("others took 75 % of the ranks' processors while the program ran")
    assert "While the program ran: other work on 1.5 CPUs" in " ".join(done.stdout.split())


def test_what_was_recorded_without_the_command_has_no_activity(stands, halocline, tmp_path):
    done = halocline("advise", "--record-only", "--output", "run", "--", *stands[1])
    assert done.returncode == 0, done.stderr
    file = tmp_path / "run" / "run.recording" / "activity.json"
    file.unlink()
    done = halocline("advise", "--recording", "run", "--output", "out")
    assert "How busy the machine was while the program ran is not known." in done.stdout
    file.write_text('{"format": "halocline-activity", "version": 1, "host": 1, "cpus": 2}')
    done = halocline("advise", "--recording", "run", "--output", "more")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert 'activity.json: "host" must be a text, not 1' in done.stderr


def test_a_script_around_the_program_is_not_replayed(stands, halocline, tmp_path):
    script = tmp_path / "wrap"
    script.write_text('#!/bin/sh\nexport OMP_NUM_THREADS=1\nexec "$@"\n')
    script.chmod(0o755)
    launcher, app = stands[1][:3], stands[1][3]
    done = halocline("advise", "--output", "out", "--", *launcher, script, app)
    assert done.returncode == 0, done.stderr
    said = f"The replay ran without {script}: if that sets variables or where ranks run"
    assert any(line.startswith(said) for line in content(tmp_path)["said"])
    done = halocline(
        "advise", "--output", "more", "--program", app, "--", *launcher, script, app
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "The replay ran without" not in done.stdout


def test_what_is_in_the_folder_is_not_replaced(stands, halocline):
    assert halocline("advise", "--no-replay", "--output", "out", "--", *stands[1]).returncode == 0
    done = halocline("advise", "--no-replay", "--output", "out", "--", *stands[1])
    assert done.returncode == 1
    said = "out already holds a program's advice; name another with --output"
    assert done.stderr == f"halocline: {said}\n"


def test_ctrl_c_is_answered_with_what_was_recorded(stands, halocline, tmp_path, monkeypatch):
    """Pressed once while the program runs, and again while what it has left is looked at."""
    attend, load = campaign.process.attend, campaign.recording.load

    def interrupted(command):
        attend(command)
        raise KeyboardInterrupt

    def loaded(folder):
        os.kill(os.getpid(), signal.SIGINT)
        return load(folder)

    monkeypatch.setattr(campaign.process, "attend", interrupted)
    monkeypatch.setattr(campaign.recording, "load", loaded)
    done = halocline("advise", "--output", "out", "--", *stands[1])
    assert done.returncode == 130, done.stderr
    assert "interrupted by the user: what was recorded until then is looked at" in done.stdout
    assert "out/advice.html" in done.stdout
    found = content(tmp_path)
    assert found["ranks"] == 2 and found["not_replayed"] == "interrupted by the user"
    assert not (tmp_path / "launches.txt").exists()
    assert not (tmp_path / "out" / "run.recording" / "activity.json").exists()


def test_ctrl_c_before_anything_was_recorded_ends_all(stands, halocline, tmp_path, monkeypatch):
    def interrupted(command):
        raise KeyboardInterrupt

    monkeypatch.setattr(campaign.process, "attend", interrupted)
    assert halocline("advise", "--output", "out", "--", *stands[1]).returncode == 130
    assert not (tmp_path / "out" / "advice.json").exists()
