"""The demonstration: an early answer, a table over sizes, sentences that say no more than is so."""

import csv
import os
import signal
import subprocess
import sys
import time
from base64 import b64decode
from dataclasses import replace
from re import findall, search

import pytest

from halocline.cli import demo
from halocline.measure import BASELINE, Case, Comparison
from halocline.reports import comparison as report
from halocline.reports import series
from halocline.statistics import Interval

FAST = {"auto": 5e-4, "shm:signal": 5e-4}


def shown(halocline, tmp_path, *options):
    return halocline("demo", "--budget", "10", "--output", tmp_path / "demo", *options)


@pytest.fixture
def two_rounds(monkeypatch):
    """Every setting twice, and the first answer's as often as it takes."""
    measure = demo.measure

    def shorter(comparison, settings, start_of, plan, progress):
        plan = plan if len(settings) == 2 else replace(plan, rounds=2, budget_s=1e9)
        measure(comparison, settings, start_of, plan, progress)

    monkeypatch.setattr(demo, "measure", shorter)
    monkeypatch.setattr(demo, "RESERVE_S", -1000)
    monkeypatch.setattr(demo, "SCHEMES", ("shm:signal",))
    monkeypatch.setattr(demo, "SIZES", {16: 1, 32: 1, 96: 1})


def test_it_answers_first_and_then_for_every_size(fake, halocline, tmp_path, two_rounds):
    fake(speed=FAST)
    said = shown(halocline, tmp_path)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    early = next(i for i, line in enumerate(lines) if line.startswith("First answer: at 32³"))
    late = next(i for i, line in enumerate(lines) if line.startswith("Checking"))
    assert early < late
    assert "auto (shm:signal) takes" in lines[early]
    share = search(r"([\d.]+) % \[([\d.]+), ([\d.]+)\] less", lines[early])
    middle, low, high = map(float, share.groups())
    assert 45 <= low <= middle <= high <= 55
    head = next(line for line in lines if line.startswith("scheme"))
    assert head.split() == ["scheme", "16³", "32³", "96³"]
    auto = next(line for line in lines if line.startswith("auto "))
    assert len(findall(r"\d+\*", auto)) == 3, "it is among the fastest at every size"
    assert "auto chose shm:signal at 16³, 32³, 96³" in lines
    assert any(line.startswith("auto takes off") for line in lines)
    assert any(line.startswith("In partdiff 2009x2009") for line in lines)
    assert sum("caveat" in line for line in lines) == 1, "caveats take one line"
    assert max(map(len, lines[late + 2 : -1])) < 200
    assert lines[-1].endswith("report.html") and (tmp_path / "demo" / "report.html").is_file()
    leads_with_the_answer_and_holds_the_data(tmp_path / "demo")


def leads_with_the_answer_and_holds_the_data(folder):
    text = (folder / "report.html").read_text()
    sentence, picture = text.index('class="answer"'), text.index('class="plot wide"')
    assert sentence < picture < text.index("In your own program") < text.index("every size")
    assert "grid.halo(), field, &#34;auto&#34;" in text
    data = search(r'download="samples.csv" href="data:text/csv;charset=utf-8;base64,([^"]+)"', text)
    rows = list(csv.DictReader(b64decode(data[1]).decode().splitlines()))
    launches = Comparison.load(folder).launches
    assert len(rows) >= len(launches) * demo.REPETITIONS
    assert {row["scheme"] for row in rows if row["case"] == "laplace 16x16x16"} >= {
        "auto", "p2p:nonblocking", "shm:signal",
    }  # fmt: skip
    assert all(4e-4 < float(row["seconds_per_step"]) < 2e-3 for row in rows)


def test_partdiff_is_compiled_when_the_first_answer_is_there(fake, halocline, tmp_path, two_rounds):
    programs = fake(speed=FAST)
    hidden = programs / "partdiff.not-yet"
    (programs / "partdiff").rename(hidden)
    said = shown(halocline, tmp_path, "--build", f"mv '{hidden}' '{programs}/partdiff'")
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    answer, compiled = (
        next(i for i, line in enumerate(lines) if line.startswith(words))
        for words in ("First answer", "Compiled in")
    )
    assert answer < compiled
    assert any(line.startswith("In partdiff 2009x2009") for line in lines)


def test_what_does_not_compile_is_an_error(fake, halocline, tmp_path):
    fake(speed=FAST)
    said = shown(halocline, tmp_path, "--build", "echo no compiler; exit 3")
    assert said.returncode == 1
    assert "no compiler" in said.stderr and "Traceback" not in said.stderr


def test_verbose_tells_every_caveat_and_table_and_broken_schemes_are_left_out(
    fake, halocline, tmp_path, two_rounds
):
    fake(speed=FAST, broken={"shm:signal": "wrong"})
    said = shown(halocline, tmp_path, "-v")
    assert "laplace 16x16x16: laplace --per-rank 16,16,16" in said.stdout
    assert "Small differences need 6 launches" in said.stdout
    assert "(-v)" not in said.stdout
    assert "skipped shm:signal: wrong" in said.stdout


def test_a_broken_baseline_is_an_error(fake, halocline, tmp_path):
    fake(broken={BASELINE: "crash"})
    said = shown(halocline, tmp_path)
    assert said.returncode == 1
    assert said.stderr.startswith(f"halocline: {BASELINE} is not sound here")


def test_an_interruption_reports_what_there_is(fake, tmp_path):
    fake(wall=0.1, speed=FAST)
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-m", "halocline", "demo", "--output", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while len(list(out.glob("runs/*.json"))) < 10 and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Interrupted" in output and "32³" in output
    assert (out / "report.html").is_file()
    assert Comparison.load(out).interrupted


def case(name, *arguments, program="laplace"):
    return Case(name, program, list(arguments))


def test_a_series_is_one_program_at_several_sizes():
    cases = [case(str(n), "--per-rank", f"{n},{n},{n}", "-d", str(n)) for n in (1, 2, 4)]
    comparison = Comparison(None, [*cases, case("flat", "1", program="partdiff")])
    tables = {(one.name, 2): [] for one in comparison.cases}
    (found,) = series.find(comparison, tables)
    assert (found.program, found.axis, found.ranks) == ("laplace", "points a rank", 2)
    assert [size.label for size in found.sizes] == ["1³", "2³", "4³"]
    assert series.find(comparison, dict(list(tables.items())[1:])) == []
    assert series.label("3,4,5") == "3 × 4 × 5"


def test_shares_say_no_more_than_their_launches():
    assert series.percent(Interval(25.3, 23.1, 27.2)) == "25 % [23, 27]"
    assert series.percent(Interval(-0.02, -0.31, 0.22)) == "0.0 % [-0.3, 0.2]"
    assert series.percent(Interval(25.3, 23.1, 27.2, 0.5)) == "25 %"
    assert series.claimed(Interval(25.3, 23.1, 27.2)) == "25 % [23, 27] less"
    assert series.claimed(Interval(-13, -76, 26)) == "no difference can be told"
    assert series.claimed(Interval(13, 5, 76, 0.5)) == "no difference can be told"


def test_a_report_of_one_case_still_has_its_finding(fake, halocline, tmp_path):
    fake(speed=FAST)
    out = tmp_path / "out"
    halocline("compare", "partdiff", "1", "--launches", "2", "--output", out)
    text = report.render(Comparison.load(out))
    assert 'class="card finding"' in text and 'class="answer"' not in text
