"""`halocline topology`: the course's figures through program and command, and what is refused."""

import io
import json

import pytest
from rich.console import Console

from halocline.cli import topology
from halocline.errors import HaloclineError
from halocline.launch import find_program
from halocline.verbs import Plan
from halocline.verbs.placing import of_result
from halocline.verbs.placing import planned as plan_of

try:
    PROGRAM = find_program("haloplan")
except HaloclineError:
    PROGRAM = None
built = pytest.mark.skipif(PROGRAM is None, reason="haloplan is not built")
COURSE = {"--mesh": "6000x8080", "--ranks": "48", "--machine": "nodes=4,sockets=2,cores=6"}


def planned(options):
    return plan_of(options, PROGRAM.parent).content


def shown(plan):
    console = Console(width=200, file=io.StringIO(), record=True)
    topology.show(console, Plan(plan))
    return console.export_text()


@built
def test_links_are_those_of_the_course():
    plan = planned(COURSE)
    links = {
        way: [plan[way][across]["links"] for across in ("nodes", "sockets", "cores")]
        for way in plan["ways"]
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
        mesh="1800x580", graph=None, result=None, ranks=12, machine="nodes=2,cores=6", cut=None,
        parts=None,
        halo="1", dims=None, file=file, programs=PROGRAM.parent,
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
        ("--machine", "hosts=a:24,b:23", "is one of 47 ranks, not 48"),
        ("--machine", "hosts=a:24,a:24", "host a is named twice"),
        ("--parts", "some.txt", "belongs to a --graph"),
        ("--graph", "some.mtx", "either --mesh or --graph"),
    ],
)
def test_what_does_not_fit_is_one_message(option, value, words):
    with pytest.raises(HaloclineError, match=words) as refused:
        planned({**COURSE, option: value})
    assert "\n" not in str(refused.value)


@built
def test_hosts_are_named_in_a_table_of_who_sends_how_much_to_whom():
    plan = planned({"--mesh": "90x60", "--ranks": "9", "--machine": "hosts=left:5,right:4"})
    assert plan["hosts"] == ["left", "right"]
    assert "to right" in shown(plan)
    assert plan["placed"]["nodes"]["words"] <= plan["sequential"]["nodes"]["words"]


def chessboard(side):
    """The graph of a square mesh, its vertices numbered in two colours."""
    cells = sorted(((i + j) % 2, i, j) for i in range(side) for j in range(side))
    number = {(i, j): v for v, (_, i, j) in enumerate(cells, 1)}
    around = ((0, 1), (1, 0), (0, -1), (-1, 0))
    return [
        [number[i + di, j + dj] for di, dj in around if (i + di, j + dj) in number]
        for _, i, j in cells
    ]


def as_metis(graph, weights=None):
    edges = sum(map(len, graph)) // 2
    lines = [f"{len(graph)} {edges}" + (" 010" if weights else "")]
    for v, others in enumerate(graph):
        lines.append(" ".join(map(str, ([weights[v]] if weights else []) + others)))
    return "\n".join(lines) + "\n"


def as_matrix(graph):
    entries = [f"{v} {other}" for v, others in enumerate(graph, 1) for other in others if other < v]
    head = "%%MatrixMarket matrix coordinate pattern symmetric\n% a mesh\n"
    return f"{head}{len(graph)} {len(graph)} {len(entries)}\n" + "\n".join(entries) + "\n"


@built
def test_parts_of_a_graph_are_placed(tmp_path):
    graph = chessboard(24)
    plans = []
    for name, text in (("mesh.graph", as_metis(graph)), ("mesh.mtx", as_matrix(graph))):
        (tmp_path / name).write_text(text)
        plans.append(
            planned({"--graph": str(tmp_path / name), "--ranks": "16", "--by": "curve",
                     "--machine": "nodes=4,cores=4"})
        )  # fmt: skip
    first, second = plans
    assert first["placed"] == second["placed"]
    assert (first["vertices"], first["edges"]) == (576, 2 * 24 * 23)
    words = {way: first[way]["nodes"]["words"] for way in first["ways"]}
    assert words["placed"] <= words["sequential"] < words["numbered"]
    assert 3 * words["placed"] <= 2 * words["numbered"]
    assert sorted(first["placed"]["rank"]) == list(range(16))
    text = shown(first)
    assert "576 vertices" in text and "placed: words from  to 0  to 1" in text

    # The same parts, given.
    parts = tmp_path / "mesh.graph.part.16"
    parts.write_text("".join(f"{part}\n" for part in first["part"]))
    again = planned({"--graph": str(tmp_path / "mesh.graph"), "--ranks": "16",
                     "--parts": str(parts), "--machine": "nodes=4,cores=4"})  # fmt: skip
    assert again["placed"] == first["placed"]


@built
def test_metis_heeds_the_weights_of_edges(tmp_path):
    file = tmp_path / "weights.graph"
    file.write_text("4 4 001\n2 1 4 1000\n3 1000 1 1\n4 1 2 1000\n1 1000 3 1\n")
    try:
        part = planned({"--graph": str(file), "--ranks": "2", "--by": "metis"})["part"]
    except HaloclineError as refused:
        assert "built without METIS" in str(refused)
        pytest.skip("built without METIS")
    assert part in ([0, 1, 1, 0], [1, 0, 0, 1])  # gpmetis: cut 2


@built
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ":1: ends where the numbers of vertices and edges should be"),
        ("3\n", ":1: has no number of edges"),
        ("3 2\n2\n1 3\n", ":4: ends where vertex 3 of 3 should be"),
        ("3 2\n2\n1 4\n2\n", ":3: neighbour 4 is none of the 3 vertices"),
        ("3 2\n2\n3\n2\n", ":2: has the neighbour 2, whose line 3 does not have 1"),
        ("3 2\n2\nx 3\n2\n", "neighbour 'x' is no number"),
        (as_metis([[2], [1, 3], [2]], [1, -1, 1]), ":3: weight -1 must be from 0"),
        ("3 1\n2\n1 3\n2\n", ":1: says that there are 1 edges, but there are 2"),
        (
            "%%MatrixMarket matrix array real general\n2 2\n",
            ":1: is 'array', but must be coordinate",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n",
            ":2: is 2 x 3, but must be square",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n",
            ":4: ends where an entry should be: there are 1 of 2",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n",
            ":3: is outside of 2 x 2",
        ),
    ],
)
def test_a_bad_graph_is_one_message(tmp_path, text, words):
    file = tmp_path / "graph"
    file.write_text(text)
    with pytest.raises(HaloclineError, match=words) as refused:
        planned({"--graph": str(file), "--ranks": "2"})
    assert "\n" not in str(refused.value)
    assert str(file) in str(refused.value)


@built
def test_parts_that_do_not_fit_are_one_message(tmp_path):
    graph, parts = tmp_path / "graph", tmp_path / "parts"
    graph.write_text(as_metis([[2], [1, 3], [2]]))
    for text, words in (
        ("0\n1\n", "has the parts of 2 vertices, not of 3"),
        ("0\n1\n2\n", "has part 2, which is too many for 2 ranks"),
        ("0\n1\n-1\n", "part -1 must be a whole number"),
    ):
        parts.write_text(text)
        with pytest.raises(HaloclineError, match=words):
            planned({"--graph": str(graph), "--ranks": "2", "--parts": str(parts)})
    with pytest.raises(HaloclineError, match="has only 3 vertices"):
        planned({"--graph": str(graph), "--ranks": "4"})
    with pytest.raises(HaloclineError, match="No such file"):
        planned({"--graph": str(tmp_path / "none"), "--ranks": "2"})


@built
def test_the_grid_of_a_program_that_has_run(tmp_path):
    result = tmp_path / "laplace.json"
    content = {"format": "halocline-result", "version": 1, "ranks": 8,
               "parameters": {"grid": [400, 200, 100], "dims": [1, 2, 4]}}  # fmt: skip
    result.write_text(json.dumps(content))
    assert of_result(result, None, None, None) == ("100x200x400", "1x2x4", 8)
    assert of_result(result, None, None, 16) == ("100x200x400", None, 16)
    result.write_text(json.dumps({**content, "parameters": {"matrix": "some.mtx"}}))
    with pytest.raises(HaloclineError, match="has no grid"):
        of_result(result, None, None, None)
