"""`halocline topology`: the course's figures through program and command, and what is refused."""

import io
import json

import pytest
from rich.console import Console

from halocline.cli import topology
from halocline.errors import HaloclineError
from halocline.launch import find_program

try:
    PROGRAM = find_program("haloplan")
except HaloclineError:
    PROGRAM = None
built = pytest.mark.skipif(PROGRAM is None, reason="haloplan is not built")
COURSE = {"--mesh": "6000x8080", "--ranks": "48", "--machine": "nodes=4,sockets=2,cores=6"}


def planned(options):
    return topology.planned(options, PROGRAM.parent)


def shown(plan):
    console = Console(width=200, file=io.StringIO(), record=True)
    topology.show(console, plan)
    return console.export_text()


@built
def test_links_are_those_of_the_course():
    plan = planned(COURSE)
    links = {
        way: [plan[way][across]["links"] for across in ("nodes", "sockets", "cores")]
        for way in topology.WAYS
    }
    assert links == {"sequential": [26, 20, 36], "placed": [14, 12, 56]}


@built
def test_table_and_pictures_show_the_plan():
    text = shown(planned(COURSE))
    assert "6x8 = (2x2) x (1x2) x (3x2)" in text
    assert "0a 0a 0b 0b 1a 1a 1b 1b" in text
    assert "0a 0a 0a 0a 0a 0a 0b 0b" in text


@built
def test_idle_ranks_and_uneven_nodes_are_shown():
    assert "2x3" in shown(planned({"--mesh": "2x3", "--ranks": "8"}))
    plan = planned({"--mesh": "90x90", "--ranks": "9", "--machine": "ranks=5+4"})
    assert plan["placed"]["nodes"]["words"] <= plan["sequential"]["nodes"]["words"]
    assert "placed" in shown(plan)


@built
def test_json_has_what_nodes_send(tmp_path):
    file = tmp_path / "plan.json"
    topology.topology(
        mesh="1800x580", ranks=12, machine="nodes=2,cores=6", halo="1", dims=None, file=file,
        programs=PROGRAM.parent,
    )  # fmt: skip
    plan = json.loads(file.read_text())
    assert plan["sequential"]["dims"] == [6, 2]
    assert plan["placed"]["node_to_node"] == [
        {"from": 0, "to": 1, "words": 580},
        {"from": 1, "to": 0, "words": 580},
    ]


@built
@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--machine", "nodes=4,cores=6", "is one of 24 ranks, not 48"),
        ("--machine", "racks=2", "must be nodes=N"),
        ("--mesh", "0x580", "must be whole numbers >= 1"),
        ("--mesh", "10x", "must be whole numbers >= 1"),
        ("--halo", "1x1x1", "one for each axis"),
        ("--dims", "25x24", "does not fit"),
    ],
)
def test_what_does_not_fit_is_one_message(option, value, words):
    with pytest.raises(HaloclineError, match=words) as refused:
        planned({**COURSE, option: value})
    assert "\n" not in str(refused.value)
