"""Traces of other codes in GOAL's text format: what a step of them is, and that it is simulated."""

import pytest

from halocline import verbs
from halocline.errors import HaloclineError
from halocline.launch import find_program
from halocline.model import Question, computing, goal, here, machines

RING = 4
STEPS = 3
BYTES = 4096


def ring(extra=""):
    """Return a trace of ranks that send to the next, three times, and once to rank 0 at the end."""
    lines = ["// by hand", f"num_ranks {RING}", ""]
    for rank in range(RING):
        lines.append(f"rank {rank} {{")
        for step in range(STEPS):
            lines += [
                f"c{step}: calc {1000 * (rank + 1)}",
                f"s{step}: send {BYTES}b to {(rank + 1) % RING} tag 7 cpu 0",
                f"r{step}: recv {BYTES}b from {(rank - 1) % RING} tag 7",
                f"s{step} requires c{step}",
                f"r{step} irequires s{step}",
            ]
        if rank == 2:
            lines.append("send 8b to 0")
        lines += [extra, "}", ""]
    return "\n".join(lines)


@pytest.fixture
def file(tmp_path):
    made = tmp_path / "ring.goal"
    made.write_text(ring())
    return made


def test_a_step_is_one_message_along_each_link_that_repeats(file):
    found = goal.load(file)
    assert (found.ranks, found.steps) == (RING, STEPS)
    assert found.links == tuple((one, (one + 1) % RING, BYTES) for one in range(RING))
    assert found.compute_ns == (1000, 2000, 3000, 4000)


def test_processors_of_a_rank_compute_at_the_same_time(tmp_path):
    file = tmp_path / "hybrid.goal"
    file.write_text(
        "/* two\n streams */\nnum_ranks 2\nrank 0 {\nl1: calc 50 cpu 0\nl2: calc 80 cpu 1\n"
        "l3: calc 20 cpu 0\nl4: send 10b to 1\n}\nrank 1 {\nl1: recv 10b from -1 tag -1\n}\n"
    )
    assert goal.load(file).compute_ns == (80, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("num_ranks 2\nrank 0 {\nl1: jump 3\n}\n", 'line 3: "l1: jump 3" must be send'),
        ("rank 0 {\n}\n", "line 1: rank 0 is none of num_ranks 0"),
        ("hello\n", 'line 1: "hello" must be num_ranks N'),
        ("num_ranks 2\nrank 0 {\nsend 3b to 2\n}\n", "line 3: it sends to 2"),
        ("num_ranks 2\nrank 0 {\ncalc 5\n}\n", "nobody sends anything"),
        (b"\xff\xfe\x00", "give the .goal file, not the .bin"),
    ],
)
def test_what_is_no_schedule_is_one_line(tmp_path, text, words):
    file = tmp_path / "bad.goal"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(HaloclineError) as refused:
        goal.load(file)
    said = str(refused.value)
    assert said.startswith("goal: ") and words in said and "\n" not in said


def test_the_ranks_are_the_traces_own(file):
    with pytest.raises(HaloclineError, match=r"is of 4 ranks, not 8; leave --ranks out"):
        Question("goal", (str(file),)).case("p2p:nonblocking", 8)
    with pytest.raises(HaloclineError, match="goal: give one file"):
        Question("goal").case("p2p:nonblocking", 4)
    with pytest.raises(HaloclineError, match="cannot read"):
        Question("goal", ("nothing.goal",)).usual_ranks()


def test_a_trace_is_predicted(file, tmp_path, monkeypatch):
    try:
        find_program("halosim")
    except HaloclineError:
        pytest.skip("halosim is not built")
    made = machines.load("amd-epyc-7003").changed()
    made.content["compute"] = dict.fromkeys(computing.MEASURED, 1e-9)
    made.write(tmp_path / "here.json")
    monkeypatch.setattr(
        here, "place_of", lambda checker: here.Place("this", tmp_path / "here.json", 2)
    )
    said = []

    def step(network):
        found = verbs.predict(
            "goal", [str(file)], schemes="p2p:nonblocking", network=network, say=said.append
        )
        assert found.ranks() == [RING]
        return found.estimates[0].step.value

    # The slowest rank computes for 4 us, and all go at its pace.
    fast, slow = step(None), step("ethernet-10")
    assert 4e-6 < fast < slow
    assert "2 ranks a node" in said[0]
