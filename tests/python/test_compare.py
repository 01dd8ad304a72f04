"""Comparisons: what is measured, in which order, and what is said about it."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from halocline.cli import display
from halocline.errors import HaloclineError
from halocline.launch import Checker, process
from halocline.measure import (
    Case,
    Comparison,
    Plan,
    Setting,
    agreement,
    divisions,
    results,
    style_of_auto,
    tabulate,
    variants,
)
from halocline.measure.comparison import Start, itself, measure, prepare, rounds
from halocline.reports import notes, series
from halocline.reports.notes import business
from halocline.statistics import LEAST_LAUNCHES, WarmUp

CASE = Case("partdiff", "partdiff", ["1", "2", "10", "1", "2", "20"])
SCHEMES = ["p2p:nonblocking", "p2p:persistent", "shm:signal"]


@pytest.fixture
def measured(fake, tmp_path):
    """Measure the stand-in program and give the comparison."""

    def go(ranks=(2,), schemes=SCHEMES, progress=lambda state: None, **plan):
        comparison = prepare(tmp_path / "out", [CASE], {}, {}, seed=3)
        settings = [Setting("partdiff", count, name) for count in ranks for name in schemes]
        programs = {"partdiff": fake.folder / "partdiff"}
        plan = Plan(**{"rounds": 3, "repetitions": 2, **plan})
        launcher = Checker().launcher
        measure(
            comparison,
            settings,
            lambda case: Start(programs[case.program], launcher),
            plan,
            progress,
        )
        return comparison

    return go


def test_every_round_launches_everything_in_an_order_of_its_own(measured):
    comparison = measured(rounds=5)
    rounds = {}
    for launch in comparison.launches:
        rounds.setdefault(launch.round, []).append(launch.scheme)
    assert all(sorted(order) == sorted(SCHEMES) for order in rounds.values())
    assert len({tuple(order) for order in rounds.values()}) > 1


def test_the_table_finds_the_fastest_and_its_ratio(fake, measured):
    fake(speed={"shm:signal": 5e-4})
    ((key, rows),) = tabulate(measured(rounds=6)).items()
    assert key == ("partdiff", 2)
    assert rows[0].setting.scheme == "shm:signal" and rows[0].fastest
    assert [row.like_fastest for row in rows] == [True, False, False]
    assert rows[0].median.value == pytest.approx(5e-4, rel=0.1)
    # An interval that misses the truth once in twenty times proves nothing by containing it.
    assert rows[0].ratio.value == pytest.approx(0.5, rel=0.1)
    assert rows[0].ratio.low <= rows[0].ratio.value <= rows[0].ratio.high < 1
    base = next(row for row in rows if row.setting.scheme == "p2p:nonblocking")
    assert base.ratio.value == 1
    assert rows[0].shares["compute_s"] == pytest.approx(0.6)
    assert sum(rows[0].shares.values()) == pytest.approx(1)
    assert divisions(rows) == []


def test_time_is_divided_where_results_say_what_was_computed(fake, measured):
    fake(computing=0.75)
    comparison = measured(rounds=2)
    rows = next(iter(tabulate(comparison).values()))
    divided = divisions(rows)
    assert [one.setting for one in divided] == [row.setting for row in rows]
    for one, row in zip(divided, rows, strict=True):
        assert one.total.value == pytest.approx(20 * row.median.value)
        assert one.computing.value == pytest.approx(0.75 * one.total.value)
        assert one.communicating.value == pytest.approx(0.25 * one.total.value)
        assert (one.share.low, one.share.high) == pytest.approx((0.25, 0.25))
    out = io.StringIO()
    display.show_comparison(Console(file=out, width=100), comparison)
    assert "communicating" in out.getvalue() and "25.0" in out.getvalue()


def test_several_numbers_of_ranks_have_tables_of_their_own(measured):
    assert list(tabulate(measured(ranks=(2, 4)))) == [("partdiff", 2), ("partdiff", 4)]


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [
        ("exit", "does not fit Gauss-Seidel"),
        ("crash", "SIGSEGV"),
        ("hang", "no answer within"),
        ("nothing", "cannot read"),
    ],
)
def test_a_scheme_that_fails_is_named_and_the_rest_survives(
    fake, measured, monkeypatch, flaw, reason
):
    fake(failing={"p2p:persistent": flaw})
    run = process.run

    def impatient(command, environment, limit_s):
        """Whatever else computes here, the others have their time."""
        return run(command, environment, 2 if "p2p:persistent" in command else limit_s)

    monkeypatch.setattr(rounds, "process", SimpleNamespace(run=impatient))
    comparison = measured()
    assert reason in comparison.failures()[Setting("partdiff", 2, "p2p:persistent")]
    assert {s.scheme for s in comparison.measured()} == {"p2p:nonblocking", "shm:signal"}
    assert sum(launch.scheme == "p2p:persistent" for launch in comparison.launches) == 1


def test_identical_results_are_said_and_different_ones_named(fake, measured):
    (same,) = agreement(measured())
    assert same.same and "all 9 runs of 3 schemes gave the same bytes" in same.text


def test_a_different_result_is_named(fake, measured):
    fake(failing={"shm:signal": "different"})
    (verdict,) = agreement(measured())
    assert not verdict.same
    assert "shm:signal on 2 ranks" in verdict.text and "p2p" not in verdict.text


def test_the_budget_ends_after_whole_rounds(one_second_each, measured):
    comparison = measured(rounds=50, budget_s=8)
    assert {len(found) for found in comparison.measured().values()} == {2}
    assert comparison.ended == "budget"


def ending(comparison):
    return notes.ending(comparison, tabulate(comparison).values())


def test_rounds_end_when_every_median_is_known_well_enough(fake, measured):
    fake(noise=0)
    comparison = measured(rounds=20, width=0.05)
    assert {len(found) for found in comparison.measured().values()} == {LEAST_LAUNCHES}
    assert comparison.ended == "width"
    assert ending(comparison) == ("The 95 % interval of every median is narrower than 5 %.")


def test_medians_that_are_not_known_well_enough_are_named(fake, measured):
    fake(noise=30)
    comparison = measured(rounds=7, width=0.05)
    assert {len(found) for found in comparison.measured().values()} == {7}
    said = ending(comparison)
    assert comparison.ended == "launches" and "--launches was reached" in said
    assert all(f"{scheme} (" in said for scheme in SCHEMES)
    comparison.ended = "budget"
    assert "--budget was spent" in ending(comparison)


def test_fewer_launches_than_an_interval_needs_are_not_enough(fake, measured):
    fake(noise=0)
    comparison = measured(rounds=3, repetitions=1, width=0.05)
    assert comparison.ended == "launches"
    assert "too few launches" in ending(comparison)
    assert "whole ranges" in notes.few_launches(tabulate(comparison)["partdiff", 2])


def test_a_warm_up_is_told_and_else_kept_to_the_rule(fake, measured):
    fake(cold=3, noise=0)
    rows = tabulate(measured(rounds=6))["partdiff", 2]
    assert {row.warm_up for row in rows} == {WarmUp(1, True)}
    assert all(len(group) == 2 for row in rows for group in row.groups)
    assert rows[0].median.value == pytest.approx(1e-3)
    assert notes.warm_up(rows).startswith("The first repetition of each launch warms up")


def test_without_a_warm_up_all_repetitions_count(fake, measured):
    fake(noise=0)
    rows = tabulate(measured(rounds=6))["partdiff", 2]
    assert all(len(group) == 3 for row in rows for group in row.groups)
    assert notes.warm_up(rows) == "No repetition warms up, by test."


def test_schemes_that_do_not_differ_are_ties(fake, measured):
    fake(noise=0, speed={"shm:signal": 2e-3})
    rows = tabulate(measured(rounds=6))["partdiff", 2]
    assert [row.verdict for row in rows] == ["among the fastest", "among the fastest", ""]
    by_name = {row.setting.scheme: row for row in rows}
    assert by_name["shm:signal"].against_baseline == "slower"
    assert by_name["p2p:persistent"].against_baseline == "no difference"
    assert by_name["p2p:nonblocking"].against_baseline == ""


def test_disturbed_launches_count_and_are_named(measured):
    comparison = measured(rounds=2)
    assert all(launch.activity.switches_per_s is not None for launch in comparison.launches)
    for launch in comparison.launches:
        launch.interference = []
    assert notes.disturbances(comparison) == ""
    before = tabulate(comparison)
    for launch in comparison.launches[:2]:
        launch.interference = ["other work on 1.0 CPUs"]
    said = notes.disturbances(comparison)
    assert "during 2 of 6 launches, which count nevertheless" in said
    assert comparison.launches[0].scheme in said and "other work on 1.0 CPUs" in said
    after = tabulate(comparison)
    assert [r.median for r in after["partdiff", 2]] == [r.median for r in before["partdiff", 2]]
    assert sum(row.disturbed for row in after["partdiff", 2]) == 2


def test_launches_on_cores_elsewhere_are_named_and_count(fake, measured):
    fake(distance={"usual": [1.2e-7, 1.3e-7], "shm:signal": [1.2e-7, 4.5e-7]})
    comparison = measured(rounds=2)
    assert {launch.scheme for launch, _ in comparison.moved()} == {"shm:signal"}
    assert Comparison.load(comparison.folder).moved() == comparison.moved()
    said = notes.moved(comparison)
    assert "takes 0.12 µs there and back" in said and "during 2 of 6 launches" in said
    assert "shm:signal 2" in said and "its cores moved: 0.12 to 0.45 µs apart" in said
    rows = tabulate(comparison)["partdiff", 2]
    assert {row.setting.scheme: row.disturbed > 1 for row in rows}["shm:signal"]
    assert all(len(row.groups) == 2 for row in rows)


def test_cores_that_stay_where_they_are_are_said_to(fake, measured):
    fake(distance={"usual": [1.2e-7, 1.3e-7]})
    comparison = measured(rounds=1)
    assert comparison.moved() == []
    assert notes.moved(comparison).endswith("in all launches alike.")


def test_where_no_distance_is_known_nothing_is_said(measured):
    comparison = measured(rounds=1)
    assert notes.moved(comparison) == "" and comparison.moved() == []


def test_a_table_fits_a_page(fake, measured):
    fake(noise=30, speed={"p2p:persistent": 1.0}, distance={"usual": [1.2e-7, 4.5e-7]})
    console = Console(width=100, record=True, file=io.StringIO())
    display.show_comparison(console, measured(rounds=6))
    text = console.export_text()
    assert "p2p:nonblocking  " in text and "e+0" not in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_the_record_says_what_may_be_said(measured):
    comparison = measured(rounds=6)
    content = json.loads(comparison.file.read_text())
    assert content["settings"]["CPU governor"]
    assert content["ended"] == "launches" and content["width"] is None
    rows = tabulate(comparison)["partdiff", 2]
    assert content["summary"] == [row.summary() for row in rows]
    assert {row["scheme"] for row in content["summary"]} == set(SCHEMES)
    assert content["summary"][0]["warm_up"]["tested"]


def test_older_and_newer_records_are_read(measured):
    comparison = measured(rounds=1)
    content = json.loads(comparison.file.read_text())
    content["wind"] = "north"
    for name in ("summary", "settings", "width", "ended"):
        del content[name]
    for launch in content["launches"]:
        del launch["activity"], launch["interference"]
        launch["moon"] = "full"
    comparison.file.write_text(json.dumps(content))
    again = Comparison.load(comparison.folder)
    assert [launch.status for launch in again.launches] == ["measured"] * 3
    assert set(tabulate(again)) == set(tabulate(comparison))


def against_itself(monkeypatch, ours, theirs):
    """Give a comparison with itself whose launches took these seconds."""

    def result(seconds):
        repetitions = list(seconds) if np.iterable(seconds) else [seconds]
        content = {"samples": {"total_s": repetitions}, "result": {"iterations": 1}}
        return results.Result(Path(), content)

    sides = dict(zip(itself.NAMES, (ours, theirs)))
    found = {Setting(name, 2, "x"): [result(s) for s in side] for name, side in sides.items()}
    comparison = Comparison(Path(), itself.cases("partdiff", []))
    monkeypatch.setattr(comparison, "measured", lambda: found)
    return comparison


def test_false_claims_are_counted_comparison_by_comparison(monkeypatch):
    slow, fast = [2.0 + i / 100 for i in range(6)], [1.0 + i / 100 for i in range(6)]
    comparison = against_itself(monkeypatch, [*slow, *fast, 1.0], [*fast, *fast])
    found = itself.count(comparison, 6)
    assert (found.comparisons, found.claims) == (2, 1)
    theirs = stats.binomtest(1, 2).proportion_ci(0.95, "exact")
    assert (found.share.low, found.share.high) == pytest.approx((theirs.low, theirs.high))
    assert "2 comparisons with itself, 6 launches of either side each: 1 claimed" in found.text()
    assert "nothing can be said" in itself.count(comparison, 60).text()


def test_a_warm_up_makes_no_differences(monkeypatch):
    """Sides that dropped repetitions each by its own test would differ for that alone."""
    random = np.random.default_rng(1)
    comparisons, launches = 300, 6
    sides = 1 + random.normal(0, 0.02, (2, comparisons * launches, 4)) + [0.03, 0.02, 0.01, 0]
    found = itself.count(against_itself(monkeypatch, *sides), launches)
    assert found.comparisons == comparisons
    # All of six pairs differ in the same direction with a chance of 2 / 64.
    assert found.claims <= stats.binom(comparisons, 2 / 64).ppf(0.99)


@pytest.mark.parametrize(
    ("claims", "said"),
    [(0, "Chance allows 5 %."), (12, "does not exclude"), (40, "disturb each other")],
)
def test_more_false_claims_than_chance_allows_are_said(claims, said):
    assert said in itself.FalseClaims(200, claims, 6).text()


def test_the_command_compares_a_scheme_with_itself(fake, halocline, tmp_path):
    fake(noise=0)
    out = tmp_path / "out"
    command = ["compare", "partdiff", "--trust", "--schemes", "shm:signal", "--output", out]
    said = halocline(*command, "--against-itself", "2", "--launches", "3")
    assert said.returncode == 0, said.stderr
    assert "2 comparisons with itself, 3 launches of either side each: 0 claimed" in said.stdout
    assert len(Comparison.load(out).launches) == 12


def test_the_values_of_an_option_are_compared(fake, halocline, tmp_path):
    fake(factors={"8": 0.5})
    out = tmp_path / "out"
    said = halocline(
        "compare", "partdiff", "--trust", "--schemes", "p2p:nonblocking", "--ranks", "1,2",
        "--vary", "halo-depth=1,8", "--launches", "6", "--width", "0%", "--output", out,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    comparison = Comparison.load(out)
    assert len(comparison.launches) == 24
    assert {launch.round for launch in comparison.launches} == set(range(1, 7))
    assert [case.arguments[-2:] for case in comparison.cases] == [
        ["--halo-depth", "1"], ["--halo-depth", "8"],
    ]  # fmt: skip
    found = variants(comparison)
    assert [(one.setting.case, one.setting.ranks) for one in found] == [
        ("halo-depth 1", 1), ("halo-depth 8", 1), ("halo-depth 1", 2), ("halo-depth 8", 2),
    ]  # fmt: skip
    assert [one.against_first for one in found] == ["", "faster", "", "faster"]
    assert [one.gain is None for one in found] == [True, True, False, False]
    for one in found[1::2]:
        assert one.ratio.value == pytest.approx(0.5, rel=0.1) and one.ratio.high < 1
        assert one.median.value == pytest.approx(5e-4, rel=0.1)
    assert found[3].gain.value == pytest.approx(1, rel=0.1)
    assert "partdiff --halo-depth ..." in said.stdout and "ratio to" in said.stdout
    assert said.stdout.count("p2p:nonblocking") == 4
    page = halocline("report", out)
    assert page.returncode == 0 and "What --halo-depth changes" in (out / "report.html").read_text()


def test_styles_are_compared_as_values_of_their_option(fake, halocline, tmp_path):
    fake(factors={"thread": 0.5})
    out = tmp_path / "out"
    command = ["compare", "partdiff", "--trust", "--schemes", "p2p:nonblocking", "--output", out]
    styles = ["--styles", "masteronly,thread"]
    said = halocline(*command, *styles, "--launches", "6", "--width", "0%")
    assert said.returncode == 0, said.stderr
    found = variants(Comparison.load(out))
    assert [one.setting.case for one in found] == ["style masteronly", "style thread"]
    assert [one.against_first for one in found] == ["", "faster"]
    assert [one.became for one in found] == ["", ""]
    said = halocline(*command, *styles, "--vary", "halo-depth=1,8")
    assert said.returncode != 0 and "--styles: is for comparisons without --vary" in said.stderr


def test_schemes_and_styles_take_turns_in_one_launch(fake, halocline, tmp_path):
    fake(factors={"thread": 0.5}, speed={"shm:signal": 5e-4})
    out = tmp_path / "out"
    command = ["compare", "partdiff", "--trust", "--in-turn", "--launches", "6", "--width", "0%"]
    schemes = ["--schemes", "p2p:nonblocking,shm:signal"]
    styles = ["--styles", "masteronly,thread"]
    said = halocline(*command, *schemes, *styles, "--output", out, "--", "1", "2", "9")
    assert said.returncode == 0, said.stderr
    found = Comparison.load(out)
    commands = {launch.command for launch in found.launches if launch.round == 1}
    assert len(commands) == 1 and len(found.launches) == 6 * 4
    assert (
        "1 2 9 --in-turn p2p:nonblocking@masteronly,shm:signal@masteronly,p2p:nonblocking@thread,"
        "shm:signal@thread --repetitions 4" in commands.pop()
    )
    assert [one.against_first for one in variants(found)] == ["", "faster"] * 2
    assert {len(runs) for runs in found.measured().values()} == {6}
    assert halocline("report", out).returncode == 0
    plain = halocline(*command, *schemes, "--output", tmp_path / "plain")
    assert plain.returncode == 0, plain.stderr
    rows = {row.setting.scheme: row for row in tabulate(Comparison.load(tmp_path / "plain"))[
        "partdiff", 2
    ]}  # fmt: skip
    assert rows["shm:signal"].against_baseline == "faster"


def test_turns_that_cannot_be_taken_are_named(fake, halocline, tmp_path):
    fake(failing={"shm:signal": "exit"})
    command = ["compare", "partdiff", "--trust", "--in-turn", "--output", tmp_path / "out"]
    said = halocline(*command, "--vary", "halo-depth=1,8")
    assert said.returncode != 0
    assert "--in-turn: schemes and styles take turns, not --vary halo-depth=1,8" in said.stderr
    said = halocline(*command, "--against-itself", "3")
    assert "--in-turn: is for comparisons without --against-itself" in said.stderr
    said = halocline(*command, "--schemes", "shm:signal")
    assert said.returncode == 3 and "does not fit Gauss-Seidel" in said.stdout


def test_the_style_that_auto_became_is_named(fake, halocline, tmp_path):
    fake(best_style="thread", chooses_nothing=True)
    out = tmp_path / "out"
    styles = ["--styles", "masteronly,auto", "--launches", "2"]
    command = ["compare", "partdiff", "--trust", "--schemes", "auto", "--output", out, *styles]
    said = halocline(*command)
    assert "auto (thread)" in said.stdout, said.stderr
    assert "auto became shm:signal, style thread" in said.stdout
    assert "auto became style thread through p2p:nonblocking" in said.stdout
    found = variants(Comparison.load(out))
    assert [one.became for one in found] == ["", "thread"] * 2
    assert halocline("report", out).returncode == 0
    page = (out / "report.html").read_text()
    assert "auto (thread)" in page and "auto became style thread through p2p:nonblocking" in page


def test_launches_in_which_auto_became_several_styles_are_counted(tmp_path):
    def launch(style):
        content = {"style": style, "parameters": {"style": "auto"}}
        return results.Result(tmp_path, content)

    several = [launch("thread"), launch("naive"), launch("thread")]
    assert style_of_auto(several) == "thread in 2 of 3"
    assert style_of_auto([launch("auto")] * 2) == "undecided"
    assert style_of_auto([results.Result(tmp_path, {"style": "naive", "parameters": {}})]) == ""


@pytest.mark.parametrize("wish", ["layout", "layout=aos", "=aos,soa", "layout=aos,,soa"])
def test_a_variation_needs_an_option_and_values(fake, halocline, wish):
    said = halocline("compare", "partdiff", "--trust", "--vary", wish)
    assert said.returncode != 0
    assert f"--vary {wish}: give an option and values, as layout=aos,soa" in said.stderr


def test_where_there_is_no_interval_there_is_none(fake, halocline, tmp_path):
    out = tmp_path / "out"
    command = ["compare", "partdiff", "--trust", "--schemes", "shm:signal", "--output", out]
    said = halocline(*command, "--launches", "1", "--no-picture")
    assert said.returncode == 0, said.stderr
    assert "[" not in said.stdout and "tie" not in said.stdout
    for row in json.loads((out / "comparison.json").read_text())["summary"]:
        assert row["median_s"]["low"] is row["median_s"]["confidence"] is None
        assert row["ratio"]["high"] is None and row["ratio"]["value"] > 0
        assert row["against_baseline"] == ""
    found = Comparison.load(out)
    assert {row["median_s_low"] for row in found.table()} == {None}
    assert notes.few_launches(tabulate(found)["partdiff", 2]).startswith("One launch of a scheme")
    assert halocline("report", out).returncode == 0
    assert "as fast as p2p" not in (out / "report.html").read_text()


def test_a_column_says_what_its_intervals_hold(fake, measured):
    fake(speed={"shm:signal": 5e-4})
    (rows,) = tabulate(measured(rounds=3)).values()
    console = Console(width=80, file=io.StringIO())
    console.print(display.comparison_table(console, "", rows))
    assert "[75 %]" in console.file.getvalue() and "[95 %]" not in console.file.getvalue()


def test_progress_knows_the_time_left(fake, measured):
    states = []
    measured(rounds=4, progress=states.append)
    assert [state.done for state in states] == list(range(13))
    assert {state.total for state in states} == {12}
    assert states[0].left_s is None
    left = [state.left_s for state in states[1:]]
    assert left[0] > left[-2] > left[-1] == 0


def test_a_comparison_is_read_back_as_it_was(measured):
    comparison = measured()
    again = Comparison.load(comparison.folder)
    assert again == comparison
    assert tabulate(again) == tabulate(comparison)


def test_what_fails_alike_is_said_once(fake, halocline):
    fake(failing=dict.fromkeys(SCHEMES, "crash"))
    said = halocline("compare", "partdiff", "--trust", "--schemes", ",".join(SCHEMES))
    assert said.returncode == 3
    assert (
        f"failed {SCHEMES[0]}, {SCHEMES[1]}, " in said.stdout
        and "Nothing was measured" in said.stdout
    )


def test_a_busy_machine_is_said(measured):
    comparison = measured(rounds=1)
    for launch in comparison.launches:
        launch.load = [0.5, 0, 0]
    assert business(comparison) == ""
    for launch in comparison.launches:
        launch.load = [99.0, 0, 0]
    assert "load 99.0" in business(comparison)


def test_an_old_comparison_is_not_overwritten(measured):
    measured()
    with pytest.raises(HaloclineError, match="already holds a comparison"):
        measured()


def test_folders_without_a_comparison_are_named(tmp_path):
    with pytest.raises(HaloclineError, match="not a folder written by 'halocline compare'"):
        Comparison.load(tmp_path)
    (tmp_path / "comparison.json").write_text("[]")
    with pytest.raises(HaloclineError, match='"format" is not'):
        Comparison.load(tmp_path)
    (tmp_path / "comparison.json").write_text('{"format": "halocline-comparison", "version": 99}')
    with pytest.raises(HaloclineError, match="version 99 of the format halocline-comparison"):
        Comparison.load(tmp_path)


def test_the_command_measures_tabulates_and_skips_the_broken(fake, halocline, tmp_path):
    fake(broken={"rma:get:lock": "crash"}, speed={"shm:signal": 5e-4})
    said = halocline(
        "compare", "partdiff", "1", "2", "10", "1", "2", "20", "--halo-depth", "2",
        "--launches", "3", "--schemes", "rma:*,shm:*", "--output", tmp_path / "out",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    assert "partdiff 1 2 10 1 2 20 --halo-depth 2 on 2 ranks" in said.stdout
    assert any(line.startswith("shm:signal") and line.rstrip().endswith("tie") for line in lines)
    assert any("p2p:nonblocking" in line for line in lines), "the baseline is measured as well"
    assert "skipped rma:get:lock: crash" in said.stdout
    assert "gave the same bytes" in said.stdout
    content = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert content["cases"][0]["arguments"][-2:] == ["--halo-depth", "2"]


def test_arguments_behind_two_dashes_belong_to_the_program(fake, shell):
    said = shell("run", "partdiff", "--ranks", "3", "--", "1", "--output", "x.npy", "--help")
    assert said.stdout.split() == ["1", "--output", "x.npy", "--help"], said.stderr


def test_run_passes_scheme_and_exit_code(fake, shell, halocline):
    fake(exit=7)
    said = shell("run", "partdiff", "1", "--scheme", "shm:signal")
    assert said.returncode == 7
    assert said.stdout.split() == ["1", "--scheme", "shm:signal"]
    shown = halocline("run", "partdiff", "1", "--show", "--ranks", "4").stdout
    assert "-n 4" in shown and shown.rstrip().endswith("partdiff 1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["compare", "nothing"],
            "no program nothing; there are halocheck, laplace, mpiexec, partdiff",
        ),
        (["compare", "partdiff", "--ranks", "2;4"], "--ranks 2;4: give positive numbers"),
        (["compare", "partdiff", "--ranks", "0"], "--ranks 0: give positive numbers"),
        (["compare", "partdiff", "--schemes", "tcp"], "no scheme matches 'tcp'"),
        (["report", "."], "not a folder written by 'halocline compare'"),
        (["compare", "partdiff", "--width", "wide"], "--width wide: give a percentage, as 5%"),
        (["compare", "partdiff", "--width=-5%"], "--width -5%: give a percentage, as 5%"),
        (["compare", "partdiff", "--against-itself", "9"], "takes one scheme"),
        (["schemes", "tcp:*"], "no scheme matches"),
        (["run", "partdiff", "--bin", "/nowhere"], "no folder /nowhere"),
    ],
)
def test_bad_input_is_one_clear_line(fake, halocline, arguments, message):
    said = halocline(*arguments)
    assert said.returncode != 0
    assert message in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


def test_interruption_keeps_and_tabulates_what_was_measured(fake, tmp_path):
    fake(wall=0.3)
    out = tmp_path / "out"
    command = ["compare", "partdiff", "--launches", "99", "--trust", "--output", str(out)]
    child = subprocess.Popen(
        [sys.executable, "-m", "halocline", *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ,
        # Whoever runs the tests in the background may have them ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 100
    # The newest file may be of a launch that has not ended yet.
    while len(list(out.glob("runs/*.json"))) < 9 and time.monotonic() < deadline:
        time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=100)
    assert child.returncode == 130, errors
    assert "Interrupted" in output and "p2p:nonblocking" in output
    comparison = Comparison.load(out)
    assert comparison.interrupted
    statuses = [launch.status for launch in comparison.launches]
    kept = [launch for launch in comparison.launches if launch.status == "measured"]
    # Between two launches there is none to interrupt.
    assert set(statuses[:-1]) == {"measured"} and statuses[-1] in ("measured", "interrupted")
    assert len(kept) >= 8 and all((out / launch.file).is_file() for launch in kept)


def test_an_interruption_loses_the_launch_that_was_running(measured, monkeypatch):
    launch, calls = rounds._launch, []

    def run(*arguments, **more):
        raise KeyboardInterrupt

    def third_is_interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            monkeypatch.setattr(rounds.process, "run", run)
        return launch(*arguments)

    monkeypatch.setattr(rounds, "_launch", third_is_interrupted)
    comparison = measured()
    assert comparison.interrupted
    statuses = ["measured", "measured", "interrupted"]
    assert [launch.status for launch in comparison.launches] == statuses
    assert [launch.status for launch in Comparison.load(comparison.folder).launches] == statuses


def test_what_laps_found_is_said_beside_the_choice(tmp_path):
    running = {
        "laps": 9000, "seconds": 2.5, "cost_s": 0.01, "cost_share": 0.004, "decided": True,
        "contests": 1, "chosen": [{
            "what": "shm:signal", "yardstick": "p2p:nonblocking", "matters": True, "tried": [],
            "times": {"value": 0.8, "low": 0.78, "high": 0.82, "confidence": 0.95},
        }],
    }  # fmt: skip
    content = {"scheme": "shm:signal", "running": running}
    row = SimpleNamespace(
        setting=SimpleNamespace(scheme="auto+when=running"),
        results=[results.Result(tmp_path, content)] * 2,
    )
    assert series.choices_of([row]) == [
        "auto+when=running became shm:signal; trying took 0.4 % of all steps, decided in 2 of 2; "
        "at last a step took 0.8 [0.78, 0.82] times as long as with p2p:nonblocking"
    ]
    del running["chosen"][0]["times"]
    assert series.choices_of([row])[0].endswith("decided in 2 of 2")
