"""The benchmark of the kernels: what is launched, what is divided by what, and what is drawn."""

import json
import math
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import halocline as hc
from halocline.errors import HaloclineError
from halocline.launch import machine
from halocline.measure import Comparison, Result, kernels
from halocline.measure.kernels import FULL, QUICK, Goal, Kernel, Line, measuring
from halocline.reports import plots, roofline
from halocline.statistics import Interval

OURS = Kernel("ours", "partdiff", "jacobi", 1002, 100)
PLAIN = Kernel("plain", "halometer", "jacobi", 1002, 10)
STREAM = Kernel("stream", "halometer", "stream", 1000)


@pytest.fixture
def programs(fake):
    """Add the plain loops and laplace to the stand-in programs."""
    for name in ("laplace", "halometer"):
        shutil.copy(fake.folder / "partdiff", fake.folder / name)
    return fake


def result(totals, sweeps=10, checksum="00ff", computing=0.9, scheme="p2p:nonblocking", **more):
    """Give a result file's content: the first repetition warms up."""
    return Result(
        Path(),
        {
            "scheme": scheme,
            "samples": {"total_s": [9.0, *totals]},
            "result": {"iterations": sweeps, "checksum": checksum, **more},
            "phases": [{"compute_s": computing, "wait_s": 1 - computing}] * 2,
        },
    )


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_every_goal_is_about_kernels_that_are_launched(effort):
    known = kernels.kernels(effort)
    names = [kernel.name for kernel in known]
    assert len(set(names)) == len(names)
    for goal in kernels.goals(effort):
        assert goal.of in names
        assert goal.is_share or goal.against in names
        assert set(goal.others) <= set(names)
        assert (goal.at_least > goal.aim) == goal.is_share
    for kernel in known:
        assert kernel.method in ("stream", "laplace") or kernel.points % 8 == 1
        assert not kernel.accurate_as or kernel.accurate_as in names
        follows = kernel.threads * kernel.ranks > 1 and kernel.program == "partdiff"
        assert kernel.sweeps >= 400 or not follows


def test_both_sides_are_asked_for_the_same_problem():
    ours = Kernel("", "partdiff", "gauss-seidel", 4105, 400, function=2, threads=2)
    assert ours.arguments() == ["2", "1", "512", "2", "2", "400"]
    assert ours.arguments(2.5e-7) == ["2", "1", "512", "2", "1", "2.5e-07"]
    plain = Kernel("", "halometer", "gauss-seidel", 4105, 20, function=2)
    assert plain.arguments() == [
        "sweeps", "--schemes", "gauss-seidel", "--points", "4105", "--sweeps", "20",
        "--function", "2", "--threads", "1", "--budget", "2", "--least", "6",
    ]  # fmt: skip
    stream = Kernel("", "halometer", "stream", 40, threads=2)
    assert stream.arguments()[:7] == [
        "memory", "--schemes", "copy", "--sizes", "12800", "--threads", "2",
    ]  # fmt: skip
    cube = Kernel("", "laplace", "laplace", 400, 100, threads=2)
    assert cube.arguments() == [
        "--grid", "400,400,400", "--max-iterations", "100", "--tolerance", "1e-300",
        "--threads", "2",
    ]  # fmt: skip
    assert (cube.updates, cube.grids_bytes) == (400**3, 16 * 402**3)


def test_a_ratio_is_of_speeds_whatever_the_numbers_of_sweeps():
    found = {
        "ours": [result([1 + i / 1000], sweeps=100) for i in range(8)],
        "plain": [result([0.5 * (1 + (7 - i) / 1000)], sweeps=10) for i in range(8)],
    }
    (line,) = kernels.evaluate(found, [OURS, PLAIN], [Goal("", "ours", "plain", 3, 5)])
    assert line.measured.low < 5 < line.measured.high
    assert line.measured.value == pytest.approx(5, rel=0.01)
    assert line.verdict == "aim"


def test_a_ratio_of_different_sizes_is_of_points_updated():
    large = Kernel("large", "partdiff", "jacobi", 2002, 100)
    found = {"ours": [result([1.0], 100)] * 3, "large": [result([4.0], 100)] * 3}
    (line,) = kernels.evaluate(found, [OURS, large], [Goal("", "large", "ours", 0.9, 1)])
    assert line.measured.value == 1


def test_a_share_is_of_all_that_is_not_computing():
    found = {"ours": [result([1.0], computing=c) for c in (0.99, 0.97, 0.9)]}
    (line,) = kernels.evaluate(found, [OURS], [Goal("", "ours", "", 0.05, 0.02)])
    assert line.measured.value == pytest.approx(0.03)
    assert (line.measured.low, line.measured.high) == pytest.approx((0.01, 0.1))
    assert line.verdict == "enough"


def test_of_several_schemes_the_best_share_counts():
    slow, fast, lost = (
        Kernel(name, "partdiff", "jacobi", 1002, 100, ranks=2, scheme=scheme)
        for name, scheme in (
            ("two", ""),
            ("two, shm", "shm:message"),
            ("two, rma", "rma:put:flush"),
        )
    )
    found = {
        "two": [result([1.0], computing=0.9)] * 3,
        "two, shm": [result([1.0], computing=c, scheme="shm:message") for c in (0.96, 0.97, 0.5)],
    }
    goal = Goal("", "two", "", 0.05, 0.02, ("two, shm", "two, rma"))
    (line,) = kernels.evaluate(found, [slow, fast, lost], [goal])
    assert line.measured.value == pytest.approx(0.04)
    assert line.scheme == "shm:message"
    (line,) = kernels.evaluate({"two": found["two"]}, [slow, fast, lost], [goal])
    assert line.scheme == "p2p:nonblocking"
    assert fast.arguments()[-2:] == ["--scheme", "shm:message"]


def test_what_was_not_measured_is_said():
    (line,) = kernels.evaluate({}, [OURS, PLAIN], [Goal("", "ours", "plain", 3, 5)])
    assert line.measured is None and line.verdict == "not measured"


@pytest.mark.parametrize(
    ("against", "value", "verdict"),
    [
        ("plain", 5, "aim"),
        ("plain", 4.9, "enough"),
        ("plain", 2.9, "short"),
        ("", 0.01, "aim"),
        ("", 0.03, "enough"),
        ("", 0.3, "short"),
    ],
)
def test_verdicts(against, value, verdict):
    bounds = (3, 5) if against else (0.05, 0.02)
    assert Line(Goal("", "", against, *bounds), Interval(value, 0, 9)).verdict == verdict


def test_speeds_are_in_updates_of_interior_points():
    found = {
        "ours": [result([1.0], sweeps=100)] * 6,
        "stream": [result([0.0004], sweeps=1)] * 6,
    }
    ours, stream = kernels.speeds(found, [OURS, PLAIN, STREAM])
    assert ours.rate.value == pytest.approx(100)
    assert (ours.launches, ours.sweeps) == (6, 100)
    assert stream.rate.value == pytest.approx(40)


def test_different_bytes_of_the_same_problem_are_named():
    twice = Kernel("twice", "partdiff", "jacobi", 1002, 100, threads=2)
    found = {"ours": [result([1.0])], "twice": [result([1.0])], "plain": [result([1], 10, "bad")]}
    assert kernels.disagreements(found, [OURS, twice, PLAIN]) == []
    found["twice"].append(result([1.0], checksum="bad"))
    assert kernels.disagreements(found, [OURS, twice, PLAIN]) == ["ours, twice"]


def test_only_what_a_glob_matches_is_launched():
    known, lines = kernels.chosen(QUICK, "Gauss-Seidel*against 1")
    assert [line.of for line in lines] == ["Gauss-Seidel, 2 threads", "Gauss-Seidel, 2 ranks"]
    assert [kernel.name for kernel in known] == [
        "Gauss-Seidel", "Gauss-Seidel, 2 threads", "Gauss-Seidel, 2 ranks",
    ]  # fmt: skip
    known, _ = kernels.chosen(QUICK, "*TERM 1*")
    assert {kernel.accurate_as for kernel in known} - {""} <= {kernel.name for kernel in known}
    with pytest.raises(HaloclineError, match=r"(?s)--only 'Jacobean': no line.*Jacobi 201²"):
        kernels.chosen(QUICK, "Jacobean")


def test_problems_larger_than_memory_are_left_out():
    kept, left_out = kernels.fitting(kernels.kernels(FULL), 2 * 10**9)
    assert list(left_out) == ["Jacobi, 16009"]
    assert "need 2.1 GB of memory, 2.0 GB are available" in left_out["Jacobi, 16009"]
    assert len(kept) + 1 == len(kernels.kernels(FULL))
    assert machine.memory_available() > 0


def test_memory_is_what_a_container_leaves(tmp_path):
    groups = tmp_path / "sys/fs/cgroup"
    (groups / "job/step").mkdir(parents=True)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/job/step\n")
    (tmp_path / "proc/self/mountinfo").write_text(
        "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n"
    )
    machines = machine.memory_available(tmp_path)
    assert machines > 10**6
    (groups / "job/step/memory.max").write_text("max\n")
    (groups / "job/memory.max").write_text("1000000\n")
    (groups / "job/memory.current").write_text("600000\n")
    (groups / "job/memory.stat").write_text("anon 1\ninactive_file 100000\nactive_file 1\n")
    assert machine.memory_available(tmp_path) == 500001


def test_the_command(programs, halocline, tmp_path):
    programs(speed={"none": 5e-3})
    out = tmp_path / "out"
    said = halocline("bench", "kernels", "--quick", "--budget", "1", "--output", out)
    assert said.returncode == 0, said.stderr
    assert "Jacobi 1033², 2 threads against 1" in said.stdout
    assert "40 %" in said.stdout, "the stand-in computes in 60 % of the time"
    assert "Too few launches" in said.stdout
    assert "[95 % interval]" in said.stdout and " [" not in said.stdout.replace("[95", "")

    comparison = Comparison.load(out)
    cases = {case.name: case.arguments for case in comparison.cases}
    known = kernels.kernels(QUICK)
    assert [launch.round for launch in comparison.launches] == [1] * len(known)
    assert [launch.case for launch in comparison.launches] != list(cases), "a random order"
    schemes = {x.case for x in comparison.launches if "--scheme " in x.command}
    assert schemes == {kernel.name for kernel in known if kernel.scheme}
    assert len(schemes) == 2 * len(kernels.SCHEMES) + 1, "and laplace's two ranks"
    below = float(cases["Jacobi, sines, to accuracy"][-1])
    assert below == math.nextafter(3.5e-3, 1)

    content = json.loads((out / "kernels.json").read_text())
    assert (content["format"], content["version"]) == ("halocline-kernels", 1)
    assert len(content["goals"]) == len(kernels.goals(QUICK))
    ratio = next(goal for goal in content["goals"] if goal["of"] == "Jacobi")
    assert ratio["measured"]["value"] == pytest.approx(5, rel=0.2)
    assert len(content["kernels"]) == len(known)
    assert not (out / "accuracy.json").exists()

    picture = ET.parse(out / "roofline.svg").getroot()
    texts = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "memory, 2 threads: 40 GB/s" in texts
    assert sum("Gauss-Seidel" in text for text in texts) == 4


def test_a_notebook_has_the_table_and_the_roofline(programs, tmp_path):
    said = hc.bench("kernels", quick=True, budget_s=1, output=tmp_path / "out", seed=1)
    rows = {row["goal"]: row for row in said.table()}
    assert list(rows) == [goal.name for goal in kernels.goals(QUICK)]
    row = next(row for row in rows.values() if row["of"] == "Jacobi")
    assert row["measured"] > 0 and row["measured_low"] is None  # of one launch
    assert row["verdict"] in ("aim", "enough", "short")
    (axes,) = said.plot().axes
    assert axes.get_title("left").startswith("Roofline")
    with pytest.raises(HaloclineError, match="there is no 'tape'; there are roofline"):
        said.plot("tape")


def test_rounds_follow_until_the_time_is_spent(programs, one_second_each, monkeypatch, tmp_path):
    few = [OURS, PLAIN, STREAM]
    monkeypatch.setattr(measuring, "chosen", lambda effort, only: (few, []))
    said = kernels.run(tmp_path / "out", budget_s=11, seed=1)
    rounds = {}
    for launch in said.comparison.launches:
        rounds.setdefault(launch.round, []).append(launch.case)
    assert list(rounds) == [1, 2, 3], "the fourth would end after 12 s"
    assert all(sorted(order) == sorted(rounds[1]) for order in rounds.values())
    assert len({tuple(order) for order in rounds.values()}) > 1
    assert [speed.launches for speed in said.speeds] == [len(rounds)] * 3


def test_a_kernel_that_fails_is_named_and_the_rest_survives(programs, halocline, tmp_path):
    programs(failing={"none": "crash"})
    said = halocline("bench", "kernels", "--quick", "--budget", "1", "--output", tmp_path / "out")
    assert said.returncode == 0, said.stderr
    assert "failed Jacobi, plain: killed by SIGSEGV" in said.stdout
    assert "not measured" in said.stdout
    assert "roofline" not in said.stdout, "there is no roof"


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        ("residuum", None, "a number, not null"),
        ("residuum", "nan", 'a number, not "nan"'),
        ("checksum", [], "a text or a whole number, not a list"),
    ],
)
def test_a_result_that_says_nothing_is_one_line(programs, halocline, tmp_path, name, value, must):
    programs(result={name: value})
    said = halocline("bench", "kernels", "--quick", "--budget", "1", "--output", tmp_path / "out")
    assert said.returncode == 1
    (line,) = said.stderr.splitlines()
    assert f'"result.{name}" must be {must}' in line and ".json" in line


def test_what_halometer_leaves_out_has_failed_with_its_reason(programs, halocline, tmp_path):
    programs(left_out="this machine has 1 GB of memory")
    said = halocline("bench", "kernels", "--quick", "--budget", "1", "--output", tmp_path / "out")
    assert said.returncode == 0, said.stderr
    assert "failed Jacobi, plain: this machine has 1 GB of memory" in said.stdout


def test_programs_that_are_not_built_are_named(fake, halocline):
    said = halocline("bench", "kernels", "--quick")
    assert said.returncode == 1
    assert "no program halometer; there are halocheck, laplace, mpiexec, partdiff" in said.stderr


def test_bench_alone_still_compares_the_schemes(fake, halocline, tmp_path):
    out = tmp_path / "out"
    said = halocline("bench", "--budget", "10", "--output", out)
    assert said.returncode == 0, said.stderr
    assert "rma:get:lock" in said.stdout, "which the demonstration leaves out"
    assert (out / "report.html").is_file()


def test_roofs_are_drawn_only_where_they_cross_the_plot():
    marks = [roofline.Mark("Jacobi <ours>", "partdiff", 2.5, Interval(10, 9, 11))]
    roofs = [roofline.Roof("memory", 40.0), roofline.Roof("tape", 1e-6)]
    picture = plots.svg(roofline.draw(marks, roofs, "A & B"))
    ET.fromstring(picture)
    assert "memory: 40 GB/s" in picture and "tape" not in picture
    assert "A &amp; B" in picture and "Jacobi &lt;ours&gt;: 10.0" in picture
