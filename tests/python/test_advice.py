"""The answer: what is claimed of a known program, and in which words."""

import json
import re
from dataclasses import replace

import pytest
from recordings import Program, replayed, results

import halocline
from halocline.advice import Analysis, campaign, recording, replay, replaying
from halocline.advice.answer import Together
from halocline.advice.disturbance import Disturbance
from halocline.errors import HaloclineError
from halocline.launch import Activity

TIME_S = 40e-6
"""In MPI at a time, of a rank of the program below."""


def answered(folder, contenders, **program):
    found = Analysis(recording.load(Program(**program).write(folder)))
    made = replay.load(results(folder, {1: contenders}))
    return found.answer("mpiexec -n 4 ./app", {1: made.patterns["1"]})


def test_a_saving_has_its_interval(tmp_path):
    """Half of 200 times 40 us of a run of 0.209 s."""
    saves = {"shm:signal": 20e-6, "mpi:persistent": 8e-6, "rma:put:fence": -90e-6}
    found = answered(tmp_path, replayed(saves, present=TIME_S))
    (row,) = found.rows
    assert (row.saving.verdict, row.saving.best.name) == ("saves", "shm:signal")
    share = row.saving.best.share
    assert share.low <= 200 * 20e-6 / 0.209 <= share.high
    assert share.high - share.low < 0.1 * share.value and share.confidence > 0.9
    assert row.saving.plain.name == "mpi:persistent"
    said = r"the best sound way here, shm:signal, would save 1\.\d\d % \[1\.\d\d, 1\.\d\d\]\."
    assert re.search(said, found.summary)
    assert found.summary.startswith("Halo exchanges are 3.8 % of this run. Hardly any of it")
    assert [one.language for one in row.remedies] == ["Fortran", "Fortran"]
    assert "call MPI_Startall(2 * n, requests, ierror)" in row.remedies[0].lines
    assert any('"shm:signal"' in line for line in row.remedies[1].lines)


def test_nothing_to_gain_is_said_plainly(tmp_path):
    saves = {"shm:signal": -3e-6, "mpi:persistent": 0.0}
    found = answered(tmp_path, replayed(saves, present=TIME_S))
    assert found.rows[0].saving.verdict == "nothing to gain"
    assert found.rows[0].saving.why == "no sound way is faster"
    assert found.summary.endswith("At most 3.8 % can be saved by communicating otherwise, but "
                                  "no sound way here is faster: nothing to gain.")  # fmt: skip
    assert found.rows[0].remedies == ()


def test_a_difference_within_the_noise_is_none(tmp_path):
    saves = {"shm:signal": 1e-9, "mpi:persistent": -1e-9}
    found = answered(tmp_path, replayed(saves, present=TIME_S, noise=5e-6))
    assert found.rows[0].saving.verdict == "nothing to gain"


def test_what_is_not_sound_is_no_advice(tmp_path):
    saves = {"rma:get:lock": "wrong: rank 1, link 0, byte 7", "shm:signal": 5e-6}
    found = answered(tmp_path, replayed(saves, present=TIME_S))
    assert found.rows[0].saving.best.name == "shm:signal"
    assert found.rows[0].saving.left_out == {"rma:get:lock": "wrong: rank 1, link 0, byte 7"}


@pytest.mark.parametrize("times", [0.6, 1.5])
def test_a_replay_that_is_another_exchange_claims_nothing(tmp_path, times):
    saves = {"shm:signal": 20e-6}
    found = answered(tmp_path, replayed(saves, present=times * TIME_S))
    (row,) = found.rows
    assert (row.saving.verdict, row.saving.best) == ("unknown", None)
    assert re.search(r"takes [\d.]+ times what was recorded", row.saving.why)
    assert found.summary.endswith("how much is unknown.")


def test_too_few_rounds_tell_nothing(tmp_path):
    found = answered(tmp_path, replayed({"shm:signal": 20e-6}, present=TIME_S, rounds=3))
    assert found.rows[0].saving.verdict == "unknown"
    assert found.rows[0].saving.why.startswith("3 rounds of the replay tell nothing apart")


def test_what_there_was_no_time_for_is_not_slow(tmp_path):
    left = {"shm:signal": "no time: the budget was over before its turn"}
    found = answered(tmp_path, replayed(left, present=TIME_S))
    assert found.rows[0].saving.verdict == "unknown"
    assert found.rows[0].saving.why.startswith("the replay had no time for other ways")


def test_a_saving_is_a_part_of_what_was_recorded(tmp_path):
    """The replay takes 46 us, of which 23 us are saved: half of what was recorded, not 23 us."""
    found = answered(tmp_path, replayed({"shm:signal": 23e-6}, present=1.15 * TIME_S))
    (row,) = found.rows
    movable = row.share - row.waited - row.long
    assert row.saving.best.share.value == pytest.approx(movable / 2, rel=0.02)


@pytest.mark.parametrize("saved", [1.1 * TIME_S, 500e-6])
def test_more_than_there_is_to_save_is_no_saving(tmp_path, saved):
    found = answered(tmp_path, replayed({"shm:signal": saved}, present=TIME_S))
    (row,) = found.rows
    assert (row.saving.verdict, row.saving.best) == ("unknown", None)
    assert "saves more in the replay than the exchange takes there" in row.saving.why
    assert found.summary.endswith("how much is unknown: the machine was busy.")


def test_nearly_all_that_there_is_has_an_interval_within_it(tmp_path):
    found = answered(tmp_path, replayed({"shm:signal": 0.99 * TIME_S}, present=TIME_S, noise=4e-7))
    (row,) = found.rows
    share, movable = row.saving.best.share, row.share - row.waited - row.long
    assert share.low <= share.value < share.high <= movable + 1e-12


def test_the_ways_of_a_busy_machine_are_unknown(tmp_path):
    found = Analysis(recording.load(Program().write(tmp_path)))
    made = replay.load(results(tmp_path, {1: replayed({"shm:signal": 20e-6}, present=TIME_S)}))
    busy = "the machine was busy: others took 45 % of the ranks' processors while the program ran"
    answer = found.answer("", {1: made.patterns["1"]}, busy=busy)
    (row,) = answer.rows
    assert (row.saving.verdict, row.saving.why, row.saving.best) == ("unknown", busy, None)
    assert answer.summary.endswith("how much is unknown: the machine was busy.")


@pytest.mark.parametrize(
    ("other", "stolen", "cpus", "said"),
    [
        (0.5, 0.0, 4, ""),  # 0.12 of each processor
        (1.4, 0.0, 4, "the machine was busy: others took 35 % of the ranks' processors while it "),
        (2.4, 0.0, 6, ""),  # there are two idle ones
        (0.0, 0.4, 4, "the machine was busy: others took 40 % of the ranks' processors while it "),
        (None, None, 4, ""),
    ],
)
def test_others_may_take_less_than_a_third_of_the_ranks_processors(
    tmp_path, other, stolen, cpus, said
):
    taken = recording.load(Program().write(tmp_path))
    ran = Activity(other_cpus=other, stolen=stolen)
    found = Disturbance("n1", cpus, ran).busy("it was replayed", taken)
    assert found == (said and f"{said}was replayed")


def test_the_programs_own_way_is_no_advice(tmp_path):
    saves = {"p2p:nonblocking": 12e-6, "mpi:nonblocking": 3e-6, "shm:signal": -5e-6}
    found = answered(tmp_path, replayed(saves, present=TIME_S))
    assert found.rows[0].saving.verdict == "nothing to gain"


def test_a_way_that_is_faster_than_itself_casts_doubt_on_the_others(tmp_path):
    saves = {"p2p:nonblocking": 12e-6, "shm:signal": 10e-6}
    found = answered(tmp_path, replayed(saves, present=TIME_S))
    (row,) = found.rows
    assert row.saving.verdict == "unknown"
    assert "p2p:nonblocking, which the program does already, is as much faster" in row.saving.why


def test_what_is_faster_than_the_programs_own_way_by_either_name_saves(tmp_path):
    saves = {"p2p:nonblocking": 5e-6, "shm:signal": 20e-6}
    found = answered(tmp_path, replayed(saves, present=TIME_S))
    assert found.rows[0].saving.best.name == "shm:signal"


def test_what_is_saved_at_one_time_and_not_at_another_is_unknown(tmp_path):
    contenders = replayed({"shm:signal": 35e-6}, present=TIME_S, late={"shm:signal": 4e-6})
    found = answered(tmp_path, contenders)
    (row,) = found.rows
    assert row.saving.verdict == "unknown"
    assert "what shm:signal saves is not the same in both halves of the replay" in row.saving.why


def test_medians_are_compared_with_medians(tmp_path):
    """Few steps of many milliseconds, when others were on the cores: the replay has none."""

    def change(rank, lines):
        for line in lines:
            if "shape" in line and "links" in line:
                line["durations"][::20] = [20e-3 for _ in line["durations"][::20]]
                line["finish_seconds"] += 10 * 20e-3
        return lines

    found = Analysis(recording.load(Program().write(tmp_path, change=change)))
    made = replay.load(results(tmp_path, {1: replayed({"shm:signal": 20e-6}, present=TIME_S)}))
    answer = found.answer("", {1: made.patterns["1"]})
    (row,) = answer.rows
    assert row.saving.verdict == "saves"
    assert row.saving.recorded_s == pytest.approx(TIME_S, rel=0.1)
    assert row.long > 0.8 * row.share
    assert row.saving.best.share.high < 0.1 * row.share


def test_a_late_rank_comes_first(tmp_path):
    slow = {3: 1.2e-3}
    found = answered(tmp_path, replayed({"shm:signal": 5e-6}, inside=TIME_S), computing=slow)
    assert re.match(
        r"Halo exchanges are 1\d % of this run. \d+ % is waiting for late ranks "
        r"\(rank 3 computes 20 % longer\): balance first. At most ",
        found.summary,
    )


def test_what_is_less_than_a_hundredth_is_not_replayed(tmp_path):
    found = Analysis(recording.load(Program(transfer=4e-6).write(tmp_path)))
    assert found.worth == []
    answer = found.answer("", {}, "no replay was asked for")
    assert answer.rows[0].saving.verdict == "nothing to gain"
    assert answer.summary.endswith("of this run. Nothing to gain.")


def test_a_program_without_exchanges(tmp_path):
    def change(rank, lines):
        return lines[:1]

    found = Analysis(recording.load(Program().write(tmp_path, change=change))).answer()
    assert found.summary == "No halo exchanges were seen in this run: nothing to gain there."


def test_a_program_without_its_launcher_has_nobody_to_exchange_with(tmp_path):
    found = Analysis(
        recording.load(Program(ranks=1).write(tmp_path, change=lambda _, lines: lines[:1]))
    )
    assert found.answer().summary.startswith("This run has one rank, which exchanges with nobody")


def test_an_aborted_run_is_answered(tmp_path):
    found = Analysis(recording.load(Program(how="aborted").write(tmp_path))).answer()
    assert any("did not finalise MPI (aborted)" in line for line in found.said)


def test_what_is_not_seen_is_named(tmp_path):
    def change(rank, lines):
        lines[0] |= {"unseen": {"shared windows": 2}, "libraries": ["libnccl.so.2"]}
        return lines

    found = Analysis(recording.load(Program().write(tmp_path, change=change))).answer()
    said = " ".join(found.unseen_lines())
    assert "shared windows (8): loads and stores" in said
    assert "libnccl.so.2 is loaded" in said and "Packing" in said


def test_results_of_a_replay_are_checked(tmp_path):
    file = tmp_path / "replay.json"
    file.write_text(json.dumps({"format": "halocline-replay", "version": 1, "complete": True,
                                "patterns": [{"name": 1}]}))  # fmt: skip
    with pytest.raises(HaloclineError, match=r'"patterns\[0\].name" must be a text, not 1'):
        replay.load(file)


# ---- the verb and the command --------------------------------------------------------------------


def test_the_verb_answers_from_a_recording(tmp_path):
    taken = Program(computing={3: 1.1e-3}).write(tmp_path)
    found = halocline.advise(recording=taken, output=tmp_path / "out")
    assert found.said[0].startswith("Halo exchanges are 7 % of this run.")
    (row,) = found.table()
    assert (row["where"], row["language"], row["late_rank"]) == ("exchange", "Fortran", 3)
    assert len(found.to_pandas()) == 1
    assert found.plot().axes
    page = found.write_page(tmp_path / "page.html").read_text("utf-8")
    assert found.said[0] in page and "<svg" in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)  # it needs nothing else
    kept = json.loads((tmp_path / "out" / campaign.FILE).read_text("utf-8"))
    assert kept["format"] == "halocline-advice" and kept["patterns"][0]["peers"] == 2


def test_the_command_answers_on_a_screen(tmp_path, halocline):
    taken = Program().write(tmp_path)
    said = halocline("advise", "--recording", taken, "--output", tmp_path / "out", "--json",
                     tmp_path / "a.json")  # fmt: skip
    assert said.returncode == 0, said.stderr
    flat = " ".join(said.stdout.split())
    assert "Halo exchanges are 3.8 % of this run." in flat
    assert "a replay needs the command that started the program" in flat
    assert (tmp_path / "out" / campaign.PAGE).is_file()
    assert json.loads((tmp_path / "a.json").read_text())["ranks"] == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give the command that starts the program, behind '--', or --recording FOLDER"),
        (("--recording", "nowhere"), "cannot read nowhere: No such file or directory"),
        (("--record-only",), "give the command that starts the program behind '--'"),
        (("--", "mpiexec", "-n", "2"), "no program behind the launcher's options"),
        (("--machine", "moon", "--recording", "nowhere"), "--machine moon: give a file, or one of"),
    ],
)
def test_bad_input_is_one_line(halocline, fake, arguments, said):
    done = halocline("advise", *arguments)
    assert done.returncode == 1
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_a_late_rank_of_a_busy_machine_cannot_be_balanced(tmp_path):
    found = Analysis(recording.load(Program(computing={3: 1.2e-3}).write(tmp_path)))
    answer = found.answer("", busy="the machine was busy: others took half of it")
    assert "(rank 3 computes 20 % longer, on a busy machine). At most" in answer.summary


def test_a_pattern_with_a_rank_that_left_nothing_names_it(tmp_path):
    found = Analysis(recording.load(Program().write(tmp_path, without=(2,))))
    assert replaying.weighed(found) == []
    (row,) = found.answer().rows
    assert (row.saving.verdict, row.saving.why) == (
        "not replayed", "rank 2 of it has left no recording",
    )  # fmt: skip


def test_a_collective_that_takes_nothing_is_not_spoken_of(tmp_path):
    some = [Together("MPI_Reduce", 1, 8, share, 0.0, None) for share in (0.004, 0.01)]
    found = Analysis(recording.load(Program().write(tmp_path))).answer()
    said = [replace(found, collectives=(one,)).said for one in some]
    assert len(said[0]) == 1
    assert said[1][1] == "Collectives are 1 % of this run: most in MPI_Reduce, once."
