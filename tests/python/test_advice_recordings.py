"""Recordings: what is read of them, which patterns are found, and what their time is."""

import re

import pytest
from recordings import TRANSFER_S, Program

from halocline.advice import Analysis, lateness, patterns, planning, recording, waiting
from halocline.errors import HaloclineError


def analysed(folder, change=lambda rank, lines: lines, **program):
    return Analysis(recording.load(Program(**program).write(folder, change=change)))


# ---- reading -------------------------------------------------------------------------------------


def test_a_folder_with_one_recording_in_it_will_do(tmp_path):
    Program().write(tmp_path)
    found = recording.load(tmp_path)
    assert (found.size, sorted(found.ranks), found.missing) == (4, [0, 1, 2, 3], [])
    assert found.run.program == ["./app", "7"]


def test_clocks_are_joined_by_straight_lines():
    run = recording.Run(1, 0, 2, ["a"], 0.0, 10.0, 1.0, offset=[[0.0, 1.0], [10.0, 2.0]])
    assert [run.here(time) for time in (-1.0, 0.0, 5.0, 10.0, 11.0)] == [0, 1, 6.5, 12, 13]


def test_missing_ranks_are_said_and_the_others_read(tmp_path):
    found = Analysis(recording.load(Program().write(tmp_path, without=(2,))))
    assert found.recording.missing == [2]
    assert "Rank 2 has left no recording: the figures are of the others." in found.answer().said
    (row,) = found.answer("", {}, "").rows
    assert row.saving.verdict == "not replayed"
    assert row.saving.why == "rank 2 of it has left no recording"


def test_the_recorders_own_time_is_no_time_of_the_program(tmp_path):
    """Two calls that start, and one that completes, of 1 us each: 3 of 1041 us of a step."""

    def change(rank, lines):
        lines[0]["own"] = 200 * 3e-6
        for line in lines:
            if "call" in line:
                line["own"] = line["times"] * 1e-6
            if "shape" in line and "links" in line:
                line |= {"inside": 200 * 2.5e-6, "befores": [1e-3], "own": 200 * 3e-6}
        return lines

    plain = analysed(tmp_path / "plain", ranks=2)
    found = analysed(tmp_path / "own", ranks=2, change=change)
    assert found.recording.own == pytest.approx(3 / 1041, rel=0.02)
    assert found.patterns[0].share == pytest.approx(plain.patterns[0].share * 1041 / 1038, rel=1e-3)
    ran = [one.recording.ranks[0].run.computing_s for one in (plain, found)]
    assert ran[0] - ran[1] == pytest.approx(200 * 3e-6)
    (shape,) = found.recording.ranks[0].shapes.values()
    assert shape.inside == pytest.approx(200 * 0.5e-6)
    assert shape.before == pytest.approx(200 * 999e-6) and shape.befores == [999e-6]


def test_the_recorders_own_time_in_other_threads_does_not_make_the_run_longer(tmp_path):
    def change(rank, lines):
        lines[0] |= {"own": 0.01, "threads": "multiple", "in_mpi": lines[0]["in_mpi"] / 4}
        return lines

    found = analysed(tmp_path, change=change).recording.ranks[0].run
    assert found.own == pytest.approx(0.01 / 4, rel=0.02)
    assert found.seconds == pytest.approx(found.end - found.begin - found.own)


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (0.03, "Recording took 3 % of the run, which is taken off."),
        (0.2, "Recording took 20 % of the run, which is taken off; ranks waited for it, too, which "
              "is not."),
    ],
)  # fmt: skip
def test_what_recording_took_is_said(tmp_path, own, said):
    def change(rank, lines):
        lines[0]["own"] = own * (lines[0]["end"] - lines[0]["begin"])
        return lines

    assert said in analysed(tmp_path, change=change).answer().said


@pytest.mark.parametrize(
    ("line", "place", "said"),
    [
        ("{", 4, "it is not JSON"),
        ("[1]", 4, "must be an object"),
        ({"comm": 0, "key": 7, "size": 4}, 5, '"key" must be a text, not 7'),
        ({"comm": 0, "key": "0"}, 5, '"size" is missing'),
        ({"shape": 9, "calls": [99], "way": "fence", "links": [], "times": 1}, 10,
         "there is no call 99 in the lines before"),
        ({"shape": 9, "calls": [], "way": "smoke", "links": [], "times": 1}, 10,
         '"way" must be one of blocking'),
        ({"message": "sent", "comm": "0", "peer": 4, "tag": 0, "number": 0, "posted": 0,
          "waited": 0, "done": 0}, 12, "its peer 4 is none of 4 ranks"),
    ],
)  # fmt: skip
def test_a_broken_line_is_named_with_its_file(tmp_path, line, place, said):
    def change(rank, lines):
        if rank == 1:
            lines[place - 1] = line
        return lines

    folder = Program().write(tmp_path, change=change)
    with pytest.raises(HaloclineError) as error:
        recording.load(folder)
    assert str(error.value).startswith(f"{folder}/rank-00001.jsonl, line {place}: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("recording", 2, "line 1: version 2 of recordings; this halocline reads version 1"),
        ("rank", 3, "line 1: it is of rank 3, the file's name says 0"),
        ("ranks", 5, "line 1: rank 1 of 4 in a recording of 5 ranks"),
        ("end", 1.0, 'line 1: "end" is before "begin"'),
    ],
)
def test_a_wrong_head_is_named(tmp_path, key, value, said):
    def change(rank, lines):
        if rank == 0:
            lines[0][key] = value
        return lines

    with pytest.raises(HaloclineError, match=said):
        recording.load(Program().write(tmp_path, change=change))


def test_no_recording_is_no_recording(tmp_path):
    with pytest.raises(HaloclineError, match="is no recording: it has no files rank-00000"):
        recording.load(tmp_path)
    with pytest.raises(HaloclineError, match="No such file"):
        recording.load(tmp_path / "nowhere")


# ---- patterns ------------------------------------------------------------------------------------


def test_the_shapes_of_all_ranks_are_one_pattern(tmp_path):
    (one,) = analysed(tmp_path).patterns
    assert sorted(one.parts) == [0, 1, 2, 3]
    assert (one.times, one.peers, one.bytes, one.ragged) == (200, 2, (1600, 1600), False)
    assert {(e.origin, e.target, e.bytes) for e in one.edges()} == {
        (r, (r + by) % 4, 800) for r in range(4) for by in (-1, 1)
    }


def test_shapes_that_differ_in_sizes_alone_are_one_ragged_pattern(tmp_path):
    (one,) = analysed(tmp_path, sizes=(80, 800, 400)).patterns
    assert one.ragged and one.bytes == (160, 1600)
    assert one.times == 200
    content = planning.plan(analysed(tmp_path / "b", sizes=(80, 800)).recording, [(one, 1.0)],
                            budget_s=1)  # fmt: skip
    assert content["patterns"][0]["ranks"][0]["links"][0]["bytes"] == [80, 800]


def blocking_sends(rank, lines):
    """The same program with Send for Isend, in which all of the waiting is."""
    shape = next(line for line in lines if "shape" in line and "links" in line)
    wait = next(line for line in lines if line.get("function") == "MPI_Waitall")
    send = next(line for line in lines if line.get("function") == "MPI_Isend")
    send |= {"function": "MPI_Send", "seconds": wait["seconds"], "least": 1e-6}
    shape |= {"way": "mixed", "start": shape["start"] + wait["seconds"], "finish_seconds": 0.0}
    wait |= {"seconds": 0.0, "least": 0.0}
    return lines


def test_blocking_sends_among_others_wait_as_completing_calls_do(tmp_path):
    slow = Program(ranks=2, computing={1: 2e-3})
    waited = []
    for name, change in (("a", lambda _, lines: lines), ("b", blocking_sends)):
        found = recording.load(slow.write(tmp_path / name, change=change))
        (one,) = patterns.find(found)
        split = waiting.of_patterns(found, [one])[1]
        assert split.culprit == 1
        waited.append(split.waited)
    assert waited[1] == pytest.approx(waited[0], rel=0.02)
    assert waited[0] == pytest.approx(200e-3, rel=0.05)


def test_what_no_message_joins_its_place_in_the_program_does(tmp_path):
    def change(rank, lines):
        return [line for line in lines if "message" not in line]

    found = recording.load(Program().write(tmp_path, change=change))
    (one,) = patterns.find(found)
    assert len(one.parts) == 4
    split = waiting.of_patterns(found, [one])[1]
    assert (split.seen, split.waited) == (0, 0.0)
    assert "How much of it is waiting for late ranks was not seen." in (
        Analysis(found).answer().summary
    )


def test_two_places_are_two_patterns(tmp_path):
    """Pairs of ranks that never meet, called from elsewhere."""

    def change(rank, lines):
        for line in lines:
            if "site" in line and "frames" in line and rank >= 2:
                line["frames"] = [["/opt/app", 9999, "other_"]]
        return lines

    pairs = {0: [1], 1: [0], 2: [3], 3: [2]}
    found = recording.load(Program(neighbours=pairs).write(tmp_path, change=change))
    assert [sorted(one.parts) for one in patterns.find(found)] in ([[0, 1], [2, 3]],
                                                                  [[2, 3], [0, 1]])  # fmt: skip


# ---- waiting -------------------------------------------------------------------------------------


def test_without_late_ranks_all_is_transfer(tmp_path):
    found = analysed(tmp_path)
    split = found.splits[1]
    assert split.waited < 0.06 * split.seconds
    assert split.movable == pytest.approx(4 * 200 * (TRANSFER_S), rel=0.06)
    assert lateness.slowest(found.recording) is None


def test_a_late_rank_is_named_and_its_lateness_measured(tmp_path):
    found = analysed(tmp_path, computing={3: 1.1e-3})
    split = found.splits[1]
    assert lateness.slowest(found.recording).rank == 3
    assert lateness.slowest(found.recording).longer.value == pytest.approx(0.1, abs=0.005)
    # Ranks 0 and 2 wait for it, rank 1 for them: about 0.06 ms of each step of 1.14 ms.
    assert split.waiting.keys() == {"late sender"}
    whole = 3 * 200 * (100e-6 - TRANSFER_S)
    assert split.waited == pytest.approx(whole, rel=0.2)
    said = found.answer().summary
    assert "(rank 3 computes 10 % longer): balance first." in said


def test_clocks_that_are_apart_change_nothing(tmp_path):
    plain = analysed(tmp_path / "a", computing={3: 1.1e-3}).splits[1]
    apart = analysed(tmp_path / "b", computing={3: 1.1e-3}, offset={1: 5.0, 3: -70.0}).splits[1]
    assert apart.waited == pytest.approx(plain.waited, rel=1e-3)


def test_a_wait_that_the_peer_came_after_is_none():
    assert waiting._until(5.0, 1.0, 4.0, 0.1) == 0.0
    assert waiting._until(0.5, 1.0, 4.0, 0.1) == 0.0
    assert waiting._until(3.0, 1.0, 4.0, 0.1) == 2.0
    assert waiting._until(4.05, 1.0, 4.0, 0.1) == 3.0


def computes(own, others=lambda rank, step: 0.0, longest=lambda rank: [], steps=240):
    """Let ranks compute so long by themselves, and wait for others on their cores besides."""

    def change(rank, lines):
        for line in lines:
            if "recording" in line:
                whole = line["end"] - line["begin"]
                line |= {"timed": whole, "processor": whole / 2}
            if "befores" in line:
                alone = [own(rank, step) for step in range(steps)]
                line["processors"] = alone
                line["befores"] = [time + others(rank, step) for step, time in enumerate(alone)]
                line["longest"] = longest(rank)
                line["before"] = sum(line["befores"]) * line["times"] / steps
        return lines

    return change


def noisy(seconds, spread=0.02):
    """Return times that scatter, the same whenever they are asked for."""
    return lambda rank, step: seconds[rank] * (1 + spread * ((step * 37 + rank * 11) % 13 - 6) / 6)


def test_how_much_longer_a_rank_computes_has_an_interval(tmp_path):
    own = noisy({0: 1e-3, 1: 1.15e-3, 2: 1e-3, 3: 1e-3})
    found = analysed_with(tmp_path, computes(own), computing={1: 1.15e-3})
    slow = lateness.slowest(found.recording)
    assert slow.rank == 1 and slow.by_processor and slow.longer.known
    assert slow.longer.low <= 0.15 <= slow.longer.high < 0.18 and slow.longer.low > 0.12
    assert re.search(
        r"\(rank 1 computes 1\d % \[1\d, 1\d\] longer\): balance", found.answer().summary
    )
    said = found.answer().content()
    assert said["late_rank"] == 1
    assert said["late_rank_computes_longer_low"] == slow.longer.low


def test_what_others_took_is_not_a_ranks_own(tmp_path):
    """Rank 0 loses a third of its core to others, and rank 1 computes longer by itself."""
    own = noisy({0: 1e-3, 1: 1.15e-3, 2: 1e-3, 3: 1e-3})
    change = computes(own, lambda rank, step: 5e-4 * (rank == 0))
    found = analysed_with(tmp_path, change, computing={0: 1.5e-3, 1: 1.15e-3})
    assert lateness.slowest(found.recording).rank == 1
    answer = found.answer(busy="the machine was busy: others took half of it")
    assert "rank 1 computes 15 % [" in answer.summary and "on a busy machine" not in answer.summary
    alike = noisy(dict.fromkeys(range(4), 0.001))
    found = analysed_with(
        tmp_path / "alike", computes(alike, lambda rank, step: 5e-4 * (rank == 0))
    )
    assert lateness.slowest(found.recording) is None


def test_long_steps_are_told_by_rank_and_period(tmp_path):
    """Rank 0 writes a file for 5 ms in every hundredth of 1000 steps of 1 ms."""
    own = noisy(dict.fromkeys(range(4), 0.001))

    def longest(rank):
        writes = [[100 * n - (n == 4), 6e-3, 1.5e-3] for n in range(1, 11) if rank == 0]
        return writes + [[3 + number, 1.02e-3, 1e-3] for number in range(6)]

    found = analysed_with(tmp_path, computes(own, longest=longest), steps=1000)
    long = lateness.longest(found.recording)
    assert (long.rank, long.every, long.foreign) == (0, 100, False)
    assert long.share == pytest.approx(50e-3 / found.recording.ranks[0].run.seconds, rel=0.05)
    said = found.answer()
    assert re.search(r"Rank 0 computes long every 100 steps: 4\.\d % of the run", said.summary)
    assert said.content()["long_steps_every"] == 100


def test_more_long_steps_than_were_kept_are_counted_by_their_period(tmp_path):
    own = noisy(dict.fromkeys(range(4), 0.001))

    def longest(rank):
        return [[10 * number, 3e-3, 3e-3] for number in range(4, 36, 2)] if rank == 2 else []

    found = analysed_with(tmp_path, computes(own, longest=longest), steps=1000)
    long = lateness.longest(found.recording)
    assert (long.rank, long.every) == (2, 20)
    assert long.share == pytest.approx(50 * 2e-3 / found.recording.ranks[2].run.seconds, rel=0.05)


def test_irregular_long_steps_off_the_processor_are_others(tmp_path):
    own = noisy(dict.fromkeys(range(4), 0.001))

    def longest(rank):
        return [[at, 2e-2, 1e-3] for at in (17, 30, 111, 170)] if rank == 1 else []

    found = analysed_with(tmp_path, computes(own, longest=longest))
    long = lateness.longest(found.recording)
    assert (long.rank, long.every, long.foreign) == (1, None, True)
    assert "at no regular distance" in found.answer().summary
    assert "off its processor" in found.answer().summary


def slowed(every, seconds):
    """Let each so-manieth step take so much longer, with no message of it kept."""

    def change(rank, lines):
        for line in lines:
            if "shape" in line and "links" in line:
                chosen = range(every - 1, len(line["durations"]), every)
                for at in chosen:
                    line["durations"][at] += seconds
                line["finish_seconds"] += len(chosen) * seconds
            if line.get("function") == "MPI_Waitall":
                line["seconds"] += line["times"] // every * seconds
        return lines

    return change


def test_few_long_steps_are_a_share_of_their_own(tmp_path):
    """One step in 20 takes 5 ms longer: 50 ms of a rank, which nothing can be promised to save."""
    plain = analysed(tmp_path / "a").splits[1]
    found = analysed_with(tmp_path / "b", slowed(20, 5e-3))
    split = found.splits[1]
    assert split.long == pytest.approx(4 * 50e-3, rel=0.15)  # what seems to be waiting grows, too
    assert split.movable == pytest.approx(plain.movable, rel=0.05)
    assert split.own == pytest.approx(plain.own, rel=0.05)
    whole = split.waited + split.long + split.transfer + split.library
    assert whole == pytest.approx(split.seconds)
    answer = found.answer()
    assert "is in few long steps: others on these cores, or late ranks. At most" in answer.summary
    assert answer.movable == pytest.approx(split.movable / found.recording.all_seconds)
    assert answer.table()[0]["long_steps"] == pytest.approx(answer.long)


def test_shapes_of_a_pattern_count_as_often_as_they_come(tmp_path):
    """Two of three steps take 42 us, one 142 us."""

    def change(rank, lines):
        for line in lines:
            if line.get("bytes") == [160, 160] and "durations" in line:
                line["durations"] = [one + 100e-6 for one in line["durations"]]
                line["finish_seconds"] += line["times"] * 100e-6
        return lines

    found = analysed_with(tmp_path, change, sizes=(800, 80, 800))
    (one,) = found.patterns
    ends = sum(one.times_of(rank) for rank in one.parts)
    usual = (2 * 40e-6 + 140e-6) / 3
    assert found.splits[1].usual / ends == pytest.approx(usual, rel=0.05)


def test_collectives_wait_for_the_last(tmp_path):
    """Rank 2 comes 1 ms late to each of 10 reductions of 1.2 ms."""

    def change(rank, lines):
        call = {
            "call": 90, "function": "MPI_Allreduce", "comm": 0, "site": 0, "count": 1,
            "layout": 0, "times": 10, "seconds": 10 * (0.2e-3 if rank == 2 else 1.2e-3),
            "least": 1e-6,
        }  # fmt: skip
        last = max(place for place, line in enumerate(lines) if "call" in line)
        met = [
            {
                "meeting": "0", "number": n, "function": "MPI_Allreduce", "call": 90, "bytes": 8,
                "enter": 11 + n + (1e-3 if rank == 2 else 0), "leave": 11 + n + 1.2e-3,
            }
            for n in range(10)
        ]  # fmt: skip
        return [*lines[:last], call, *lines[last:], *met]

    found = recording.load(Program().write(tmp_path, change=change))
    (one,) = waiting.collectives(found)
    assert (one.function, one.times, one.split.culprit) == ("MPI_Allreduce", 10, 2)
    assert one.split.waiting == {"imbalance before a reduction": pytest.approx(0.03, rel=0.01)}
    said = Analysis(found).answer().said
    assert any("waiting for the last rank: most in MPI_Allreduce" in line for line in said)


# ---- plans ---------------------------------------------------------------------------------------


def test_a_plan_has_every_message_at_both_ends(tmp_path):
    found = analysed(tmp_path, neighbours={0: [1, 2], 1: [0], 2: [0]}, ranks=3)
    content = planning.plan(found.recording, [(found.patterns[0], 0.1)], budget_s=5)
    ranks = content["patterns"][0]["ranks"]
    ends = {"send": [], "receive": []}
    for number, rank in enumerate(ranks):
        for link in rank["links"]:
            out = link["kind"] == "send"
            pair = (number, link["peer"]) if out else (link["peer"], number)
            ends[link["kind"]].append((*pair, link["tag"], link["bytes"]))
    assert sorted(ends["send"]) == sorted(ends["receive"])
    assert content["patterns"][0]["way"] == "nonblocking"
    assert ranks[0]["before"] == [1e-3]


def test_a_rank_that_has_left_nothing_has_the_links_that_others_know(tmp_path):
    found = Analysis(recording.load(Program(ranks=2).write(tmp_path, without=(1,))))
    content = planning.plan(found.recording, [(found.patterns[0], 1.0)], budget_s=1)
    kinds = [[link["kind"] for link in r["links"]] for r in content["patterns"][0]["ranks"]]
    assert sorted(kinds[1]) == ["receive", "send"]


@pytest.mark.parametrize(
    ("layout", "count", "said"),
    [
        ({"bytes": 8, "extent": 8}, 10, None),
        ({"bytes": 8, "extent": 64}, 10, {"count": 10, "block": 8, "stride": 64}),
        ({"bytes": 800, "extent": 408808, "blocks": 100, "block_bytes": 8,
          "offsets": [[4096 * i, 8] for i in range(64)]}, 1,
         {"count": 100, "block": 8, "stride": 4096}),
        ({"bytes": 12, "extent": 40, "blocks": 2, "offsets": [[0, 4], [20, 8]]}, 3,
         {"offsets": [0, 20], "bytes": [4, 8], "repeat": 3, "extent": 40}),
    ],
)  # fmt: skip
def test_layouts_are_told_as_plans_have_them(layout, count, said):
    one = recording.Layout(0, "t", **layout)
    link = recording.Link("send", 0, 1, one.bytes * count, count=count)
    assert planning.layout_of(one, link) == said


def test_collectives_of_neighbours_wait_for_neighbours_and_no_longer_than_they_take(tmp_path):
    """Two functions on one communicator: each shape has the meetings of its own."""

    def change(rank, lines):
        for line in lines:
            if "function" in line:
                line["function"] = "MPI_Neighbor_alltoallw"
            if "shape" in line and "way" in line:
                line["way"] = "neighbor"
        late = 0.9e-3 if rank == 1 else 0.0
        met = [
            {"meeting": "0", "number": 2 * n + other, "function": function, "bytes": 8,
             "enter": 11 + 2 * n + other + late, "leave": 11 + 2 * n + other + 1e-3}
            for n in range(8)
            for other, function in enumerate(("MPI_Neighbor_alltoallw", "MPI_Neighbor_allgather"))
        ]  # fmt: skip
        return [line for line in lines if "message" not in line] + met

    found = analysed_with(tmp_path, change)
    split = found.splits[1]
    assert split.waiting.keys() == {"wait at a collective"}
    # Ranks 0 and 2 for nine tenths of their time, rank 3 for nobody.
    assert split.waited == pytest.approx(0.9 * split.seconds / 2, rel=0.05)


def analysed_with(folder, change, **program):
    return Analysis(recording.load(Program(**program).write(folder, change=change)))


def sendrecvs(rank, lines):
    """The same with a Sendrecv for each receive and the send behind it, in a mixed shape."""
    for line in lines:
        if line.get("function") in ("MPI_Irecv", "MPI_Isend"):
            line["function"] = "MPI_Sendrecv"
        if "shape" in line and "links" in line:
            line["way"] = "mixed"
            for link in line["links"]:
                link["call"] -= link["call"] % 2
    return lines


def test_a_sendrecv_among_others_is_replayed_as_one(tmp_path):
    found = analysed_with(tmp_path, sendrecvs)
    content = planning.plan(found.recording, [(found.patterns[0], 1.0)], budget_s=1)
    assert content["patterns"][0]["way"] == "mixed"
    for rank in content["patterns"][0]["ranks"]:
        kinds = [link["kind"] for link in rank["links"]]
        assert kinds == ["receive", "send"] * 2
        assert [link.get("with") for link in rank["links"]] == [None, 0, None, 2]
        assert all(link["blocking"] for link in rank["links"])


@pytest.mark.parametrize(("flavour", "told"), [("create", "create"), ("allocate", None)])
def test_windows_are_replayed_as_they_were_made(tmp_path, flavour, told):
    def change(rank, lines):
        at = next(place for place, line in enumerate(lines) if "comm" in line and "key" in line)
        lines.insert(at + 1, {"window": 0, "key": "0/1", "comm": 0, "flavour": flavour})
        for line in lines:
            if "function" in line:
                line["window"] = 0
            if "shape" in line and "links" in line:
                line["way"], line["finish"] = "fence", "none"
                line["links"] = [
                    {**link, "kind": "put"} for link in line["links"] if link["kind"] == "send"
                ]
        return [line for line in lines if "message" not in line]

    found = analysed_with(tmp_path, change)
    content = planning.plan(found.recording, [(found.patterns[0], 1.0)], budget_s=1)
    assert content["patterns"][0].get("window") == told


def test_messages_to_oneself_and_several_alike_have_both_ends(tmp_path):
    """A periodic axis that is cut once, and one that is cut twice: all with one tag."""
    periodic = {0: [0, 0, 1, 1], 1: [1, 1, 0, 0]}
    found = analysed(tmp_path, neighbours=periodic, ranks=2)
    (one,) = found.patterns
    assert (one.ragged, one.peers, one.bytes) == (False, 1, (3200, 3200))
    assert {(e.origin, e.target, e.bytes) for e in one.edges()} == {(0, 1, 1600), (1, 0, 1600)}
    content = planning.plan(found.recording, [(one, 1.0)], budget_s=1)
    for number, rank in enumerate(content["patterns"][0]["ranks"]):
        told = [(link["kind"], link["peer"], link["bytes"]) for link in rank["links"]]
        assert told == [
            (kind, peer, 800) for peer in periodic[number] for kind in ("receive", "send")
        ]


# ---- ends ----------------------------------------------------------------------------------------


def ended(how="signal 15", lasts=None, pending=()):
    """Let all ranks end by this, and stand in these calls by then."""

    def change(rank, lines):
        lines[0] |= {"how": how, "end": lines[0]["end"] + 9}
        since = lines[0]["end"] - 9
        last = {"last": "MPI_Recv", "thread": 0, "since": since, "site": 1, "comm": 0,
                "peer": (rank + 1) % lines[0]["ranks"], "tag": 7}  # fmt: skip
        more = [dict(one, since=since) for one in pending]
        return [*lines, {"since": since, **last, **(lasts or {}).get(rank, {})}, *more]

    return change


def test_a_run_that_was_ended_tells_where_its_ranks_stood(tmp_path):
    wait = {"last": "MPI_Waitall", "peer": None, "tag": None, "comm": None}
    under_way = [{"pending": "receive", "comm": 0, "peer": 3, "tag": 9}, {"pending": "collective"}]
    found = analysed(tmp_path, change=ended(lasts={2: wait}, pending=under_way)).answer()
    assert found.summary.startswith(
        "This run was ended by SIGTERM while 4 of 4 ranks stood in a call of MPI. Until then halo "
    )
    assert "othing to gain" not in found.summary
    assert found.said[1:5] == [
        "Rank 0 stood in MPI_Recv (from rank 1 with tag 7, at exchange) for 9.00 s.",
        "Rank 1 stood in MPI_Recv (from rank 2 with tag 7, at exchange) for 9.00 s.",
        "Rank 2 stood in MPI_Waitall (under way: receive from rank 3 with tag 9; a collective, at "
        "exchange) for 9.00 s.",
        "Rank 3 stood in MPI_Recv (from rank 0 with tag 7, at exchange) for 9.00 s.",
    ]
    assert "Ranks 0, 1, 2, 3 did not finalise MPI (SIGTERM): the figures" in " ".join(found.said)
    assert found.content()["last_calls"] == found.said[1:5]


def test_who_stood_in_no_call_says_since_which(tmp_path):
    none = {"last": "", "peer": None, "tag": None, "site": None, "comm": None, "call": 4}
    found = analysed(tmp_path, change=ended("aborted", dict.fromkeys(range(4), none))).answer()
    assert found.ended == "This run was ended by MPI_Abort or another rank."
    assert found.stood == (
        "Ranks 0, 1, 2, 3 stood in no call of MPI since MPI_Waitall (at exchange) for 9.00 s.",
    )


def test_many_that_stand_alike_are_one_line(tmp_path):
    found = analysed(tmp_path, ranks=12, change=ended()).answer()
    assert found.stood == (
        "Ranks 0, 1, 2, 3, 4, 5, 6, 7 and 4 others stood in MPI_Recv (at exchange) for 9.00 s.",
    )


# ---- whose they are ------------------------------------------------------------------------------


def of_run(name, **more):
    def change(rank, lines):
        lines[0] |= {"run": name, "launched": 1000, "started": 2000, **more}
        return lines

    return change


def test_of_several_programs_the_named_one_is_taken(tmp_path):
    place = Program(ranks=2).write(tmp_path, change=of_run("a"))
    for name, started, named in (("b", 3000, False), ("c", 3000, False), ("d", 3000, True)):
        made = Program(ranks=1).write(
            tmp_path / name, change=of_run(name, started=started, named=named)
        )
        made.rename(place / f"app-{name}")
    old = Program(ranks=1).write(tmp_path / "e", change=of_run("e", started=500))
    old.rename(place / "app-e")
    found = recording.load(place)
    assert (found.folder, found.size, found.run.run) == (place / "app-d", 1, "d")
    assert found.others == [
        f"app was recorded, too (2 ranks): {place}",
        f"app was recorded, too (1 rank, 2 times): {place / 'app-b'}",
    ]
    assert f"{found.others[0]}." in Analysis(found).answer().notes


def test_without_a_named_one_it_is_that_which_took_most(tmp_path):
    place = Program(ranks=2).write(tmp_path, change=of_run("a"))
    Program(ranks=3).write(tmp_path / "b", change=of_run("b")).rename(place / "app-b")
    assert recording.load(place).run.run == "b"
    assert recording.load(place / "app-b").others == []


def test_files_of_two_runs_are_no_recording(tmp_path):
    def change(rank, lines):
        lines[0]["run"] = f"run {rank}"
        return lines

    with pytest.raises(HaloclineError, match=r"files of two runs \(run 0 and run 1\)"):
        recording.load(Program(ranks=2).write(tmp_path, change=change))


def test_blocking_calls_are_replayed_in_the_order_of_the_program(tmp_path):
    """A shape may begin in the middle of a loop: the receives, and the sends of the next turn."""

    def change(rank, lines):
        for line in lines:
            if "shape" in line and "links" in line:
                line["way"] = "blocking"
                for link in line["links"]:  # all sends are called first
                    link["call"] = {0: 2, 2: 3, 1: 0, 3: 1}[link["call"]]
        return lines

    found = analysed_with(tmp_path, change)
    content = planning.plan(found.recording, [(found.patterns[0], 1.0)], budget_s=1)
    for rank in content["patterns"][0]["ranks"]:
        assert [link["kind"] for link in rank["links"]] == ["send"] * 2 + ["receive"] * 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"last": "MPI_Recv", "since": 1.0, "peer": [1]}, "is no peer and no tag"),
        ({"last": "MPI_Recv", "since": 1.0, "site": 77}, "there is no site 77"),
        ({"pending": "thought", "since": 1.0}, '"pending" must be one of send'),
    ],
)
def test_a_broken_end_is_named(tmp_path, line, said):
    with pytest.raises(HaloclineError, match=said):
        analysed(tmp_path, change=lambda rank, lines: [*lines, line])
