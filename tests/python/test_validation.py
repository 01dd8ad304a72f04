"""What applications feel against what was predicted: arithmetic, files, and the command."""

import csv
import dataclasses
import json
import sys

import numpy as np
import pytest

from halocline import records
from halocline.errors import HaloclineError
from halocline.launch import Activity
from halocline.measure import validation
from halocline.measure.validation import Choice, Conditions, Felt, Solution, Visit
from halocline.reports import validation as pages
from halocline.statistics import Interval

NEAR, FAR = [1e-7, 1.2e-7], [4e-7, 5e-7]
HALOMETER = """#!{python}
import json, os, sys
words = sys.argv[1:]
value = lambda name: words[words.index(name) + 1]
felt = {{"p2p:nonblocking": 3e-6, "shm:signal": 1e-6}}
if os.environ.get("FAKE_BENCH"):
    sys.exit("halometer: no such thing")
settings = [dict(scheme=s, felt_s=dict(value=felt.get(s, 2e-6)), parameters={{}}, bytes=8,
                 samples_s=[9e-6, 1e-6], warm_up=1, narrow=True)
            for s in value("--schemes").split(",")]
content = dict(format="halocline-benchmark", version=1, ranks=2, settings=settings, arguments=words,
               mpi=dict(library="MPICH Version: 9.9.9"), machine=dict(cpu="Fake CPU"),
               core_distance_s=[1e-7, 1e-7])
with open(value("--json"), "w") as file:
    json.dump(content, file)
"""
SOLVER = """#!{python}
import json, os, sys
words = sys.argv[1:]
value = lambda name: words[words.index(name) + 1]
schemes = value("--in-turn").split(",")
with open(os.environ["HALOCLINE_TUNING_LOG"], "w") as log:
    rows = [dict(scheme="shm:signal", median_us=1.0), dict(scheme="rma:put:fence", dropped="why")]
    log.write(json.dumps(dict(scheme="shm:signal", why="it", candidates=rows)) + "\\n")
content = dict(
    format="halocline-turns", version=1,
    mpi=dict(library="MPICH Version: 9.9.9"), machine=dict(cpu="Fake CPU"),
    schemes=[dict(asked=s, result=dict(iterations=100), core_distance_s=[1e-7, 1.1e-7])
             for s in schemes],
    solutions=[dict(turn=turn, scheme=i, total_s=0.2, core_distance_s=[1e-7, 1e-7])
               for turn in range(int(value("--repetitions"))) for i in range(len(schemes))])
with open(value("--json"), "w") as file:
    json.dump(content, file)
"""


def visit(setting="laplace 32³, depth 1", *, depth=1, distances=NEAR, disturbances=(),
          p2p=20e-6, again=20.1e-6, signal=14e-6, auto=14.2e-6,
          felt=(9e-6, 3e-6), tuner=(10e-6, 4e-6)):  # fmt: skip
    """Return one of a single turn."""
    names = ("p2p:nonblocking", "shm:signal")

    def conditions():
        return Conditions(list(distances), list(disturbances))

    taken = [("shm:signal", signal), ("auto", auto), (names[0], p2p), (names[0], again)]
    return Visit(
        setting, "MPICH 5", "bin", depth,
        [Solution(scheme, 1, seconds, conditions()) for scheme, seconds in taken],
        [Choice("shm:signal", dict(zip(names, tuner)), conditions())],
        [Felt(dict(zip(names, felt)), conditions())],
    )  # fmt: skip


def rows(*visits):
    return validation.rows(validation.Validation(list(visits)))


def around(value, width=0.0, confidence=0.96):
    return Interval(value, value - width, value + width, confidence)


def test_differences_are_paired_by_turn():
    slow = visit(p2p=40e-6, signal=34e-6, felt=(12e-6, 6e-6))
    (row,) = rows(*[visit(), slow] * 3)
    (difference,) = row.against_baseline()
    assert (difference.one, difference.other) == ("shm:signal", "p2p:nonblocking")
    for figure in (difference.application, difference.felt, difference.tuner):
        assert figure.value == pytest.approx(-6e-6)
        assert figure.high - figure.low == pytest.approx(0, abs=1e-12)
    assert (difference.felt_verdict, difference.tuner_verdict) == ("right", "right")
    assert (row.turns, row.best, row.chosen) == (6, "shm:signal", {"shm:signal": 6})


def test_an_exchange_serves_as_many_steps_as_halos_are_wide():
    (row,) = rows(*[visit(depth=8, p2p=10e-6, signal=9.2e-6)] * 6)
    (difference,) = row.differences
    assert difference.felt.value == pytest.approx(-0.75e-6)
    assert difference.felt_verdict == "right"


@pytest.mark.parametrize(
    ("predicted", "felt", "verdict"),
    [
        (around(-8.1e-6), around(-10e-6), "right"),
        (around(-11.9e-6), around(-10e-6), "right"),
        (around(-7.9e-6), around(-10e-6), "wrong"),
        (around(8.1e-6), around(-10e-6), "wrong"),
        (around(0.1e-6), around(-0.1e-6), "right"),
        (around(0.3e-6), around(-0.1e-6), "wrong"),
        (around(-8.1e-6), around(-10e-6, 0.5e-6), "undecided"),
        (around(-7e-6), around(-10e-6, 0.5e-6), "wrong"),
        (around(-9e-6, 2e-6), around(-10e-6), "undecided"),
        (around(0, 5e-6), around(-4e-6, 2e-6), "undecided"),
        (around(-10e-6), around(-10e-6, confidence=0.9), "undecided"),
        (None, around(-10e-6), None),
    ],
)
def test_a_prediction_is_judged_by_whole_intervals(predicted, felt, verdict):
    """A fifth or a third of a microsecond; what visits cannot tell is neither right nor wrong."""
    assert validation.judged(predicted, felt) == verdict


def test_a_verdict_holds_for_all_that_the_intervals_hold():
    """Against the definition, on a grid of values within both intervals."""
    random = np.random.default_rng(1)
    for _ in range(400):
        application, predicted = (
            around(random.normal(0, 4e-6), abs(random.normal(0, width))) for width in (2e-6, 5e-7)
        )
        found = {
            abs(p - d) <= max(0.2 * abs(d), 0.3e-6) * (1 + 1e-9)
            for d in np.linspace(application.low, application.high, 41)
            for p in np.linspace(predicted.low, predicted.high, 41)
        }
        verdict = validation.judged(predicted, application)
        if verdict == "right":
            assert found == {True}
        elif verdict == "wrong":
            assert found == {False}


def test_few_turns_decide_nothing():
    (row,) = rows(*[visit(felt=(9e-6, 30e-6))] * 5)
    (difference,) = row.differences
    assert difference.felt_verdict == row.auto_verdict == "undecided"
    (row,) = rows(*[visit(felt=(9e-6, 30e-6))] * 6)
    assert row.differences[0].felt_verdict == "wrong"


def test_solutions_count_for_the_state_of_their_cores():
    assert Conditions(NEAR).cores == "near"
    assert Conditions(FAR).cores == "far"
    assert Conditions(NEAR + FAR).cores == "moved"
    assert Conditions([]).cores == "unknown"
    assert Conditions(NEAR, ["other work on 1.0 CPUs"]).cores == "disturbed"
    found = rows(visit(), visit(distances=FAR), visit(distances=NEAR + FAR),
                 visit(disturbances=["other work on 1.0 CPUs"]))  # fmt: skip
    assert [(row.cores, row.turns) for row in found] == [("far", 1), ("near", 1)]


def test_visits_that_were_disturbed_do_not_count():
    assert visit().counts() and visit(distances=FAR).counts()
    assert not visit(disturbances=["other work on 1.0 CPUs"]).counts()
    assert not visit(distances=NEAR + FAR).counts()


def test_a_turn_may_hold_both_states():
    mixed = visit()
    mixed.solutions[0].conditions.distances_s = FAR
    far, near = rows(*[visit()] * 6, mixed)
    assert (far.cores, near.cores) == ("far", "near")
    assert (near.turns, far.turns) == (7, 1)
    assert list(near.step_s) == ["p2p:nonblocking", "shm:signal", "auto"]
    assert list(far.step_s) == ["shm:signal"] and far.differences == []
    assert "| far 0.45 | 1 |  |" in "\n".join(pages.predictions([far]))
    assert pages.ratios([far])


def test_visits_of_several_turns_are_as_many_visits():
    one = visit()
    for turn in range(2, 7):
        one.solutions += [dataclasses.replace(each, turn=turn) for each in visit().solutions]
    (row,) = rows(one)
    assert row.turns == 6 and row.against_baseline()[0].application.confidence > 0.95


def test_what_no_scheme_causes_is_measured_too():
    (row,) = rows(*[visit()] * 6)
    assert row.same.value == pytest.approx(1.005)
    assert validation.summary([row])["same_holds_one"] == 0
    (row,) = rows(*[visit(again=19e-6), visit(again=21e-6)] * 3)
    assert row.same.low < 1 < row.same.high
    assert "1 of these intervals hold 1." in validation.said([row])[-1]


def test_auto_is_held_against_every_scheme():
    good, bad, worse_than_p2p = (
        [visit(setting, auto=auto, signal=signal)] * 6
        for setting, auto, signal in (
            ("laplace 32³, depth 1", 14.28e-6, 14e-6),
            ("partdiff 88², depth 1", 15.4e-6, 14e-6),
            ("partdiff 248², depth 1", 25e-6, 26e-6),
        )
    )
    found = rows(*good, *bad, *worse_than_p2p)
    assert [row.auto_verdict for row in found] == ["right", "wrong", "wrong"]
    all_of = validation.summary(found)
    assert all_of["auto"] == {"right": 1, "wrong": 2, "undecided": 0}
    assert all_of["felt"] == {"right": 2, "wrong": 1, "undecided": 0}
    assert "auto within 3 % of every scheme: 1 right, 2 wrong, 0 undecided, of 3 rows." in (
        validation.said(found)
    )


def test_shared_memory_is_held_against_messages():
    fine, slow = rows(*[visit(signal=20.4e-6)] * 6,
                      *[visit("partdiff 88², depth 1", signal=21e-6)] * 6)  # fmt: skip
    assert fine.slower("shm:") == {"shm:signal": "right"}
    assert slow.slower("shm:") == {"shm:signal": "wrong"}
    assert validation.summary([fine, slow])["shm"] == {"right": 1, "wrong": 1, "undecided": 0}
    assert "1.050 [1.050, 1.050] (!)" in "\n".join(pages.ratios([slow]))


def test_files_hold_all_and_can_be_read_again(tmp_path):
    visits = [visit()] * 6 + [visit(distances=FAR, felt=(1e-6, 3e-6))] * 6
    found = validation.Validation(visits)
    found.save(tmp_path, {})
    pages.write(found, tmp_path)
    assert validation.load(tmp_path) == found
    table = (tmp_path / "validation.md").read_text()
    assert "| laplace 32³, depth 1 | MPICH 5 | near 0.11 | 6 | 20.00 |" in table
    assert "-6.00 [-6.00, -6.00] / -6.00 / -6.00 |" in table
    assert "-6.00 [-6.00, -6.00] / +2.00 / -6.00 (!)" in table, "what is wrong is marked"
    assert "| 0.710 [0.710, 0.710] |" not in table
    assert "| 0.700 [0.700, 0.700] |" in table and "| shm:signal 6 |" in table
    far, near = csv.DictReader((tmp_path / "validation.csv").open())
    assert near["scheme"] == "shm:signal" and near["against"] == "p2p:nonblocking"
    assert near["felt_low_us"] == near["application_high_us"] == "-6.000"
    assert (far["felt_verdict"], far["tuner_verdict"]) == ("wrong", "right")
    assert (tmp_path / "validation.svg").read_text().startswith("<?xml")


def test_damaged_files_are_named(tmp_path):
    records.write(tmp_path / "validation.json", "halocline-validation", 2, {"visits": [{}]})
    with pytest.raises(HaloclineError, match="damaged"):
        validation.load(tmp_path)
    records.write(tmp_path / "validation.json", "halocline-validation", 1, {"visits": []})
    with pytest.raises(HaloclineError, match="has version 1"):
        validation.load(tmp_path)


@pytest.mark.parametrize("setting", validation.SETTINGS, ids=lambda s: s.name)
def test_settings_describe_application_and_pattern(setting):
    words, pattern = setting.arguments(), setting.pattern()
    assert str(setting.depth) in words and str(setting.steps()) in words
    # Where an exchange takes a millisecond, between nodes: as few as there must be.
    assert setting.steps(exchange_s=1e-3) == {1: 100, 8: 600}[setting.depth]
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
def programs(fake, monkeypatch):
    """Stand in for the programs, on a host that is as quiet as can be."""
    monkeypatch.setattr(Activity, "disturbances", lambda *_, **__: [])
    for name, text in (("laplace", SOLVER), ("partdiff", SOLVER), ("halometer", HALOMETER)):
        file = fake.folder / name
        file.write_text(text.format(python=sys.executable))
        file.chmod(0o755)
    return fake


def test_command_makes_one_visit_at_least(programs, halocline, tmp_path):
    said = halocline(
        "validate", "--only", "partdiff 88*", "--budget", 0, "--seed", 1, "--output", "v"
    )
    assert said.returncode == 0, said.stderr
    (one,) = validation.load(tmp_path / "v").visits
    assert one.setting == "partdiff 88², depth 1"
    turns = {each.turn for each in one.solutions}
    assert turns == set(range(1, 13)), "the first warms up"
    schemes = sorted(each.scheme for each in one.solutions if each.turn == 1)
    assert schemes == sorted([*validation.SCHEMES, "p2p:nonblocking", "auto"])
    (felt,) = one.felt
    assert felt.seconds["p2p:nonblocking"] == 3e-6
    (choice,) = one.choices
    assert (choice.scheme, choice.seconds) == ("shm:signal", {"shm:signal": 1e-6})
    assert choice.conditions.distances_s == [1e-7, 1.1e-7]
    (first, *_) = one.solutions
    assert first.step_s == pytest.approx(2e-3) and first.conditions.distances_s == [1e-7, 1e-7]
    assert "validation.md" in said.stdout


def test_command_goes_on_where_there_are_the_fewest_visits(programs, halocline, tmp_path):
    assert (
        halocline("validate", "--only", "laplace 1*", "--budget", 0, "--output", "v").returncode
        == 0
    )
    for _ in range(2):
        said = halocline(
            "validate", "--only", "laplace [12]*, depth 1", "--budget", 0, "--add", "v"
        )
        assert said.returncode == 0, said.stderr
    found = validation.load(tmp_path / "v")
    names = [one.setting for one in found.visits]
    assert names == ["laplace 16³, depth 1", "laplace 24³, depth 1", names[2]]
    assert len(found.command_lines) == 3


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
    said = halocline("validate", "--add", "w")
    assert said.returncode != 0 and "cannot read w/validation.json" in said.stderr
    said = halocline("validate", "--add", "v", "--output", "w")
    assert said.returncode != 0 and "leave --output out" in said.stderr


def test_visits_of_two_processors_are_not_mixed(programs, halocline, tmp_path):
    arguments = ["validate", "--only", "laplace 16*", "--budget", 0]
    assert halocline(*arguments, "--output", "v").returncode == 0
    file = tmp_path / "v" / "validation.json"
    content = json.loads(file.read_text())
    content["machine"]["cpu"] = "Another"
    file.write_text(json.dumps(content))
    said = halocline(*arguments, "--add", "v")
    assert said.returncode != 0 and "were made on Another, this is" in said.stderr
