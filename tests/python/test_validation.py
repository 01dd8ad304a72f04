"""What applications feel against what was predicted: arithmetic, files, and the command."""

import json
import sys

import pytest

from halocline.measure import validation
from halocline.measure.validation import Launch, Visit
from halocline.report import validation as pages

NEAR, FAR = [1e-7, 1.2e-7], [4e-7, 5e-7]
HALOBENCH = """#!{python}
import json, os, sys
words = sys.argv[1:]
value = lambda name: words[words.index(name) + 1]
felt = {{"p2p:nonblocking": 3e-6, "shm:signal": 1e-6}}
if os.environ.get("FAKE_BENCH"):
    sys.exit("halobench: no such thing")
settings = [dict(scheme=s, felt_s=dict(value=felt.get(s, 2e-6)))
            for s in value("--schemes").split(",")]
content = dict(format="halocline-benchmark", version=1, settings=settings, arguments=words,
               mpi=dict(library="MPICH Version: 9.9.9"), machine=dict(cpu="Fake CPU"),
               core_distance_s=[1e-7, 1e-7])
with open(value("--json"), "w") as file:
    json.dump(content, file)
"""


def visit(setting="laplace 32³, depth 1", *, depth=1, distances=NEAR, p2p=20e-6, signal=14e-6,
          auto=14.2e-6, felt=(9e-6, 3e-6), tuner=(10e-6, 4e-6)):  # fmt: skip
    names = ("p2p:nonblocking", "shm:signal")
    return Visit(
        setting, "MPICH 5", 1, depth, distances,
        [Launch("shm:signal", signal, "shm:signal"), Launch("auto", auto, "shm:signal"),
         Launch("p2p:nonblocking", p2p, "p2p:nonblocking")],
        dict(zip(names, felt)), dict(zip(names, tuner)),
    )  # fmt: skip


def rows(*visits):
    return validation.Validation(list(visits)).rows()


def test_differences_are_paired_by_visit():
    slow = visit(p2p=40e-6, signal=33e-6, felt=(12e-6, 5e-6))
    (row,) = rows(visit(), slow, slow)
    (difference,) = row.against_baseline()
    assert (difference.one, difference.other) == ("shm:signal", "p2p:nonblocking")
    assert difference.application == pytest.approx(-7e-6)
    assert difference.felt == pytest.approx(-7e-6)
    assert difference.tuner == pytest.approx(-6e-6)
    assert (row.visits, row.best, row.chosen) == (3, "shm:signal", "shm:signal")


def test_an_exchange_serves_as_many_steps_as_halos_are_wide():
    (row,) = rows(visit(depth=8, p2p=10e-6, signal=9.2e-6))
    (difference,) = row.differences
    assert difference.felt == pytest.approx(-0.75e-6)
    assert difference.right(difference.felt)


def test_right_is_a_fifth_or_a_third_of_a_microsecond():
    (row,) = rows(visit(p2p=30e-6, signal=20e-6))
    (difference,) = row.differences
    assert difference.right(-8.1e-6) and difference.right(-11.9e-6)
    assert not difference.right(-7.9e-6) and not difference.right(None)
    (row,) = rows(visit(p2p=20e-6, signal=19.9e-6))
    (difference,) = row.differences
    assert difference.right(0.1e-6) and not difference.right(0.3e-6)


def test_near_far_and_moved_are_told_apart():
    assert visit().cores == "near"
    assert visit(distances=FAR).cores == "far"
    assert visit(distances=NEAR + FAR).cores == "moved"
    assert visit(distances=[]).cores == "unknown"
    found = rows(visit(), visit(distances=FAR), visit(distances=NEAR + FAR))
    assert [row.cores for row in found] == ["near", "far"]


def test_auto_is_held_against_the_best_scheme():
    found = rows(visit(auto=14.28e-6), visit("partdiff 88², depth 1", auto=15.4e-6))
    assert [row.auto for row in found] == [pytest.approx(1.02), pytest.approx(1.1)]
    all_of = validation.summary(found)
    assert (all_of["auto_close"], all_of["rows"]) == (1, 2)
    assert all_of["auto_worst"] == pytest.approx(1.1)
    assert all_of["felt_right"] == all_of["pairs"] == 2
    assert "1 of 2 rows, and 1.100 at worst" in validation.said(found)[1]


def test_files_hold_all_and_can_be_read_again(tmp_path):
    found = validation.Validation([visit(), visit(distances=FAR, felt=(1e-6, 3e-6))])
    found.save(tmp_path)
    pages.write(found, tmp_path)
    again = validation.load(tmp_path / "validation.json")
    assert again.visits == found.visits
    table = (tmp_path / "validation.md").read_text()
    assert "| laplace 32³, depth 1 | MPICH 5 | near 0.11 | 20.00 |" in table
    assert "-6.00 / -6.00 / -6.00 |" in table
    assert "-6.00 / +2.00 / -6.00 (!)" in table, "what was not predicted is marked"
    lines = (tmp_path / "validation.csv").read_text().splitlines()
    assert lines[1].split(",")[-7:] == [
        "shm:signal", "p2p:nonblocking", "-6.00", "-6.00", "-6.00", "True", "True"
    ]  # fmt: skip
    assert lines[2].endswith("False,True")
    assert (tmp_path / "validation.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("setting", validation.SETTINGS, ids=lambda s: s.name)
def test_settings_describe_application_and_pattern(setting):
    words, pattern = setting.arguments(), setting.pattern()
    assert str(setting.depth) in words and str(setting.steps()) in words
    cells = 1
    for part in setting.extent.split("x"):
        cells *= int(part)
    assert cells == setting.points
    assert pattern[pattern.index("--extent") + 1] == setting.extent
    assert ("shm:signal+access=direct" in setting.schemes()) == (setting.depth == 1)


def test_there_are_enough_settings():
    names = [setting.name for setting in validation.SETTINGS]
    assert len(set(names)) == len(names) >= 12


@pytest.fixture
def programs(fake):
    fake(distance={"usual": [1.2e-7, 1.3e-7]}, noise=0,
         speed={"p2p:nonblocking": 2e-3, "auto": 1.01e-3})  # fmt: skip
    solver = fake.folder / "laplace"
    solver.write_text((fake.folder / "partdiff").read_text())
    bench = fake.folder / "halobench"
    bench.write_text(HALOBENCH.format(python=sys.executable))
    for file in (solver, bench):
        file.chmod(0o755)
    return fake


def test_command_visits_each_setting_once_at_least(programs, halocline, tmp_path):
    said = halocline(
        "validate", "--only", "partdiff 88*", "--budget", 0, "--seed", 1, "--output", "v"
    )
    assert said.returncode == 0, said.stderr
    found = validation.load(tmp_path / "v" / "validation.json")
    (one,) = found.visits
    assert one.setting == "partdiff 88², depth 1"
    assert {launch.scheme for launch in one.launches} == {*validation.SCHEMES, "auto"}
    chosen = {launch.scheme: launch.chosen for launch in one.launches}["auto"]
    assert one.felt_s["p2p:nonblocking"] == 3e-6
    assert one.tuner_s == {"p2p:nonblocking": 3e-6, "shm:signal": 1e-6}
    (row,) = found.rows()
    assert row.auto == pytest.approx(1.01)
    assert row.step_s["p2p:nonblocking"] == pytest.approx(2e-3)
    assert chosen
    assert "1.010 at worst" in said.stdout and "validation.md" in said.stdout


def test_command_names_what_failed(programs, halocline, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_BENCH", "1")
    said = halocline("validate", "--only", "laplace 16*", "--budget", 0, "--output", "v")
    assert said.returncode == 3
    assert "no such thing" in said.stdout
    assert json.loads((tmp_path / "v" / "validation.json").read_text())["visits"] == []


def test_bad_input_is_named(programs, halocline, tmp_path):
    said = halocline("validate", "--only", "nothing")
    assert said.returncode != 0 and "--only 'nothing' matches none of: laplace 16" in said.stderr
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "validation.json").write_text("{}")
    said = halocline("validate", "--output", "v")
    assert said.returncode != 0 and "already holds a validation" in said.stderr
