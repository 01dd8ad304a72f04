"""Machine files, the fit, predictions and what the command says, with simulated measurements."""

import io
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from halocline.cli import predict as command
from halocline.errors import HaloclineError
from halocline.launch import ask, find_program, has, machine
from halocline.measure import soundness
from halocline.model import (
    Question,
    WhatIf,
    computing,
    fitting,
    here,
    machines,
    predict,
    prediction,
    simulation,
    trust,
)
from halocline.model.machines import Machine
from halocline.verbs import predicting

ROOT = Path(__file__).resolve().parents[2]

try:
    PROGRAM = find_program("halosim")
except HaloclineError:
    PROGRAM = None
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="halosim is not built")
SCHEMES = (
    "p2p:nonblocking", "p2p:persistent", "rma:put:fence", "rma:put:pscw", "rma:put:flush",
    "shm:signal",
)  # fmt: skip


def true_machine():
    """Return a machine with numbers other than those a fit begins with."""
    made = fitting.beginning()
    node = made.content["levels"]["node"]["costs"]
    for name, curve in node.items():
        node[name] = (
            [[size, 4e-7 + size * 1.1e-10] for size, _ in curve]
            if isinstance(curve, list)
            else 2.5e-7
        )
    return made


def measured(machine):
    """Return what halometer would have measured on it, without noise."""
    found = []
    for size in (8, 512, 3000, 16384, 65536, 262144, 1048576):
        for scheme in SCHEMES:
            case = {
                "scheme": scheme, "ranks": 2, "pattern": {"kind": "pair", "bytes": size},
                "steps": 12, "warm_up": 4, "parts": True,
            }  # fmt: skip
            seconds = 2 * simulation.simulated(machine, case)["step_s"]
            found.append(fitting.Sample(case, 2, seconds, "roundtrip", size))
    return found


@pytest.mark.parametrize("name", machines.shipped())
def test_shipped_files_say_where_they_are_from_and_can_be_simulated(name):
    machine = machines.load(name)
    assert machine.content["source"]
    assert json.loads(machines.text_of(machine.content)) == machine.content
    case = {"scheme": "p2p:nonblocking", "ranks": 2, "pattern": {"kind": "pair", "bytes": 8}}
    assert simulation.simulated(machine, case)["step_s"] > 0


def test_a_fit_explains_what_it_was_given_and_predicts_what_was_held_out():
    samples = measured(true_machine())
    found = fitting.fit(samples)
    assert np.median(np.abs(found.ratios - 1)) < 0.03
    assert set(found.determined) >= {"node/send/0", "node/message/2048"}
    held = trust.held_out(samples).summary()
    assert held["points"] == 3 * len(SCHEMES)
    assert held["median_error"] < 0.1
    made = fitting.finished(found, "here", "a test", (0.9, 1.1), {})
    assert made.spread == (0.9, 1.1)
    assert made.name == "here"


def launched(*settings):
    """Return a launch of halometer with (scheme, parameters, how far the cores were apart)."""
    return {"ranks": 2, "settings": [
        {"scheme": scheme, "parameters": parameters, "bytes": 100, "warm_up": 1,
         "samples_s": [9e-5, 1e-5, 2e-5, 1e-5], "core_distance_s": apart}
        for scheme, parameters, apart in settings
    ]}  # fmt: skip


def test_what_halometer_measured_becomes_cases():
    parameters = {"extent": "8x8x8", "boundary": "periodic", "halo": 1, "corners": True,
                  "dims": [1, 1, 2]}  # fmt: skip
    halo = launched(("shm:signal", parameters, []), ("handwritten:p2p", parameters, []))
    (one,) = fitting.samples_of([halo], "halo")
    assert one.case["pattern"]["cells"] == [8, 8, 16]
    assert one.case["pattern"]["periodic"] == [0, 1, 2]
    assert one.seconds == 1e-5
    assert one.again == 0.5  # 1e-5 and 1e-5 beside 2e-5
    assert not one.near
    pair = launched(("shm:signal", {"size": 8}, []), ("shm:signal", {"size": 0}, []))
    assert [s.exchanges for s in fitting.samples_of([pair], "roundtrip")] == [2]


@pytest.mark.parametrize(
    ("kind", "parameters", "word"),
    [
        ("roundtrip", {}, '"size" is missing'),
        ("roundtrip", {"size": "8"}, '"size" must be a whole number'),
        ("halo", {"extent": "8x8"}, '"dims" is missing'),
        ("halo", {"extent": "8xy", "dims": [1, 2]}, '"extent" must be 2 numbers'),
        ("halo", {"extent": "8x8x8", "dims": [1, 2]}, '"extent" must be 2 numbers'),
    ],
)
def test_measurements_that_are_none_are_one_line(kind, parameters, word):
    more = {"halo": 1, "corners": True, "boundary": "open"} if kind == "halo" else {}
    broken = launched(("shm:signal", {**parameters, **more}, []))
    with pytest.raises(HaloclineError) as refused:
        fitting.samples_of([broken], kind)
    assert word in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "word"),
    [("[", "is not JSON"), ("{}", '"runs" must be a list'), ('[{"asked": 1}]', '"runs[0].asked"')],
)
def test_runs_that_were_kept_and_damaged_are_one_line(tmp_path, text, word):
    (tmp_path / computing.FILE).write_text(text)
    with pytest.raises(HaloclineError) as refused:
        computing.run(tmp_path)
    assert word in str(refused.value) and computing.FILE in str(refused.value)


def test_near_cores_and_far_ones_are_told_apart_and_moved_ones_left_out():
    near, far = [1.4e-7, 1.5e-7], [3.9e-7, 4.1e-7]
    pair = {"size": 8}
    both = launched(("shm:signal", pair, near), ("p2p:nonblocking", pair, far),
                    ("shm:fence", pair, [1.4e-7, 4e-7]))  # fmt: skip
    border = fitting.border_of([both])
    assert 1.5e-7 < border < 3.9e-7
    found = fitting.samples_of([both], "roundtrip", border)
    assert {one.scheme: one.near for one in found} == {"shm:signal": True, "p2p:nonblocking": False}
    assert len({one.setting for one in found}) == 2
    alike = launched(("shm:signal", pair, near), ("p2p:nonblocking", pair, near))
    assert fitting.border_of([alike]) is None


def test_cells_of_a_large_array_are_farther_away_than_those_of_a_small_one():
    machine = fitting.beginning()
    machine.content["costs"]["cells"] = [[8192, 0.0], [1048576, 1e-7]]
    steps = {
        cells: simulation.simulated(machine, {
            "scheme": "p2p:nonblocking", "ranks": 2,
            # each sends 64 elements, one a line, of an array of 1 KiB, 8 KiB or 1 MiB
            "pattern": {"kind": "grid", "cells": [8, 8, cells], "dims": [1, 1, 2],
                        "corners": False},
        })["step_s"]
        for cells in (4, 32, 4096)
    }  # fmt: skip
    assert steps[4] == pytest.approx(steps[32])  # both are within the first 8 KiB
    assert steps[4096] == pytest.approx(steps[4] + 64 * 1e-7)


def predicted(question, ranks=(64, 4096), schemes=SCHEMES, machine="supermuc2"):
    return predict(question, machines.load(machine), ranks, schemes)


def test_predictions_are_ranked_with_ties_and_memory():
    found = predicted(Question("halo", ("16x16x16",), ranks_per_node=28))
    assert found.ranks() == [64, 4096]
    rows = found.at(4096)
    assert [r.step.value for r in rows] == sorted(r.step.value for r in rows)
    assert rows[0].tied
    by_name = {r.scheme: r for r in rows}
    assert by_name["rma:put:fence"].step.value > by_name["rma:put:pscw"].step.value
    # 26 neighbours: 6 faces, 12 edges, 8 corners, in two slots.
    whole = 8 * (6 * 256 + 12 * 16 + 8)
    assert by_name["rma:put:flush"].memory_bytes >= 2 * whole
    text = shown(found)
    assert "halo 16x16x16 on 4096 ranks" in text
    assert "fastest" in text


def shown(found):
    console = Console(width=200, file=io.StringIO(), record=True)
    command.show(console, found)
    return console.export_text()


def test_a_pipeline_of_sweeps_goes_on_while_later_ranks_wait_for_their_turn():
    question = Question(
        "partdiff",
        ("1", "1", "64", "1", "2", "9", "--halo-depth", "1"),
        ranks_per_node=28,
        compute_s_per_point=1e-8,
    )
    (few, many) = (predicted(question, (n,), ["p2p:nonblocking"]).estimates[0] for n in (2, 16))
    # Each rank has an eighth of the points, and still they all sweep at the same time.
    assert few.step.value / 8 < many.step.value < few.step.value / 4


def test_a_product_is_a_few_panels_with_the_next_ones_on_their_way():
    shape = ("--shape", "1024,1024,1024")
    question = Question("matmul", shape, ranks_per_node=28, compute_s_per_point=1e-10)
    (alone,) = predicted(question, (1,), ["p2p:nonblocking"]).estimates
    assert alone.step.value == pytest.approx(1024**3 * 1e-10)
    (four,) = predicted(question, (4,), ["p2p:nonblocking"]).estimates
    assert 1024**3 / 4 * 1e-10 < four.step.value < 1024**3 / 3 * 1e-10
    # In each of two steps half of the ranks lack a panel of A, and half one of B.
    case = question.case("p2p:nonblocking", 4)
    links = [one for pattern in case["patterns"].values() for one in pattern["links"]]
    assert [size for *_, size in links] == 8 * [512 * 512 * 8]


def test_products_are_cut_as_matmul_cuts_them():
    rows = re.findall(
        r"^\| (\d+) x (\d+) x (\d+) \| (\d+) \| (\d+) x (\d+) x (\d+) \|",
        (ROOT / "docs/reference/matmul.md").read_text(), re.MULTILINE,
    )  # fmt: skip
    assert len(rows) == 20
    for row in rows:
        *asked, rows_of, columns_of, layers = map(int, row)
        *shape, ranks = asked
        words = ["--shape", ",".join(map(str, shape)), "--describe-step", "--ranks", str(ranks)]
        step = ask(find_program("matmul"), words, has("cut"), 60)
        assert step["cut"] == [rows_of, columns_of, layers], asked


def test_layers_are_added_up_when_their_panels_are_multiplied():
    question = Question("matmul", ("--shape", "64,64,500000"), compute_s_per_point=1e-10)
    case = question.case("p2p:nonblocking", 4)
    assert list(case["patterns"]) == ["sum"]
    # Each of four layers owns a quarter of the rows, and is sent it by the three others.
    sums = case["patterns"]["sum"]["links"]
    assert sorted((one, other) for one, other, _ in sums) == [
        (one, other) for one in range(4) for other in range(4) if one != other
    ]
    assert {size for *_, size in sums} == {16 * 64 * 8}
    (four,) = predicted(question, (4,), ["p2p:nonblocking"]).estimates
    assert 0 < four.step.value - 64 * 64 * 125000 * 1e-10 < 1e-3
    cubes = Question("matmul", ("--shape", "256,256,256", "--cut", "2,2,2"),
                     compute_s_per_point=1e-10)  # fmt: skip
    (eight,) = predicted(cubes, (8,), ["p2p:nonblocking"]).estimates
    assert eight.step.value > 256**3 / 8 * 1e-10


def test_heads_send_one_message_between_nodes():
    question = Question("halo", ("16x16x16",), ranks_per_node=8)
    schemes = ["p2p:nonblocking", "p2p:nonblocking+heads=node", "rma:put:fence+heads=node"]
    found = predicted(question, (8, 64), schemes)
    assert not found.refused
    alone = {one.scheme: one.step.value for one in found.at(8)}
    assert alone[schemes[0]] == pytest.approx(alone[schemes[1]])  # one node has no head
    plain, by_heads = (
        simulation.described(one, {"rank": 0, "ranks": 64, "ranks_per_node": 8, "pattern": {
            "kind": "grid", "cells": [64, 64, 64], "dims": [4, 4, 4]}})
        for one in schemes[:2]
    )  # fmt: skip

    def abroad(said):
        return [one for half in ("start", "finish") for one in said[half]
                if one["verb"] == "send" and one["peer"] >= 8]  # fmt: skip

    nodes = sorted(one["peer"] // 8 for one in abroad(by_heads))
    assert nodes == sorted(set(nodes))
    assert {one["peer"] // 8 for one in abroad(plain)} <= set(nodes)
    assert all(one["peer"] % 8 == 0 for one in abroad(by_heads))


def test_forces_on_their_way_back_cost_a_second_exchange():
    def step(shell):
        question = Question("md", ("--size", "8", "--shell", shell), ranks_per_node=28,
                            compute_s_per_point=1e-7)  # fmt: skip
        return predicted(question, (8,), ["p2p:nonblocking"]).estimates[0].step.value

    def inner_share(size, ranks):
        case = Question("md", ("--size", size)).case("p2p:nonblocking", ranks)
        overlapped, *_ = case["program"]
        assert (overlapped["times"], case["iterations"]) == (15, 16)
        (inner,) = (one["compute"] for one in overlapped["do"][:2] if "compute" in one)
        return np.mean(inner["points"]) / np.mean(inner["of"])

    # Hardly a particle of so small a box, cut into 8, is behind all faces of its part.
    assert inner_share("8", 8) < 0.02
    # On 2 ranks of a box of 16^3 cells md itself reports 0.353.
    assert inner_share("16", 2) == pytest.approx(0.353, abs=0.03)
    assert step("full") > 2048 / 8 * 1e-7
    assert step("half") > step("full")


@pytest.mark.parametrize("kind", ["ragged", "reversed", "asynchronous"])
def test_exchanges_that_are_not_plain_have_descriptions(kind):
    pattern = {"kind": "pair", "bytes": 4096, "pieces": 64, "exchange": kind}
    said = simulation.described("p2p:nonblocking", {"ranks": 2, "pattern": pattern})
    words = [one["text"] for half in ("start", "finish") for one in said[half]]
    assert "pack 4096 bytes to 1" in words
    sends = "offer" if kind == "asynchronous" else "send"
    header = 0 if kind == "reversed" else 8
    assert f"{sends} {4096 + header} bytes to 1" in words
    case = {"scheme": "p2p:nonblocking", "ranks": 2, "pattern": pattern, "compute": 1e-6,
            "slow_rank": 1, "slow_factor": 3.0}  # fmt: skip
    step = simulation.simulated(fitting.beginning(), case)
    # Whoever is asynchronous waits for nobody.
    assert ("wait_s" in step and bool(step["wait_s"])) == (kind != "asynchronous")


def test_what_if_changes_what_it_names():
    question = Question("laplace", ("--per-rank", "50,50,50", "--depth", "1"), ranks_per_node=32)
    usual = predicted(question, (512,), ["p2p:nonblocking"], "hector").estimates[0].step.value
    half = Question(**{**question.__dict__, "what_if": WhatIf(latency=0.5)})
    assert predicted(half, (512,), ["p2p:nonblocking"], "hector").estimates[0].step.value < usual
    slow = Question(**{**question.__dict__, "what_if": WhatIf(slow_rank=7, slow_factor=2)})
    slower = predicted(slow, (512,), ["p2p:nonblocking"], "hector").estimates[0].step.value
    assert 1.5 * usual < slower < 2.1 * usual


def test_half_the_latency_is_half_of_every_first_value():
    machine = Machine({"levels": {"network": {"costs": {"a": 2.0, "b": [[0, 4.0], [10, 14.0]]}}}})
    costs = WhatIf(latency=0.5, bandwidth=2).applied(machine).content["levels"]["network"]["costs"]
    assert costs == {"a": 1.0, "b": [[0, 2.0], [10, 7.0]]}


def test_crossovers_are_said():
    rows = predicted(Question("halo", ("8x8x8",), ranks_per_node=28), (2, 4096)).crossovers()
    assert all(" ranks on " in sentence for sentence in rows)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (Question("tetris"), "the model knows the programs laplace"),
        (Question("laplace", ("--matrix", "x.mtx")), "the grid, not --matrix"),
        (Question("laplace", ("--grid", "5")), "three numbers of points .* such as"),
        (Question("partdiff", ("1", "3", "64", "1", "2", "9")), "METHOD 3: must be"),
        (Question("matmul", ("--shape", "64,64,64", "--cut", "3,3,2")), "more than the 8 ranks"),
        (Question("md", ("--lists", "off")), "--describe-step: is for --lists on"),
        (Question("halo", ("16x16x16",), placement="random"), "must be sequential or placed"),
        (Question("laplace", ("--grid", "64,64,64")), "compute/laplace is missing"),
    ],
)
def test_what_cannot_be_predicted_is_one_message(question, words):
    with pytest.raises(HaloclineError, match=words) as refused:
        predicted(question, (8,))
    assert "\n" not in str(refused.value)


@pytest.fixture
def launches(monkeypatch):
    """Return what the model asks programs, one list of arguments for each launch."""
    made = []
    prediction._asked.cache_clear()
    monkeypatch.setattr(
        prediction, "ask",
        lambda program, arguments, fits: (made.append(arguments), ask(program, arguments, fits))[1],
    )  # fmt: skip
    yield made
    prediction._asked.cache_clear()


def test_a_program_is_asked_once_for_each_step_that_differs(launches):
    question = Question("laplace", ("--grid", "96,96,96"), compute_s_per_point=1e-9)
    in_place = ["shm:signal+access=direct", "shm:pscw+access=direct"]
    found = predicted(question, (2, 8), [*SCHEMES, *in_place])
    assert not found.refused
    assert len(launches) == 4
    assert [one for one in launches if "--scheme" in one] == [
        [*question.arguments, "--scheme", in_place[0], "--describe-step", "--ranks", ranks]
        for ranks in ("2", "8")
    ]
    cases = [question.case(one, 8, None, in_place) for one in ("p2p:nonblocking", *in_place)]
    assert [one["iterations"] for one in cases] == [8, 1, 1]
    assert len(launches) == 4


def test_a_step_stays_as_it_was_said_whatever_a_question_changes(launches):
    words = ("--grid", "64,64,64", "--depth", "1")
    plain = Question("laplace", words).case("", 4)
    Question("laplace", words, compute_s_per_point=1.0, reduction="chain").case("", 4)
    assert Question("laplace", words).case("", 4) == plain
    assert len(launches) == 1


def test_a_program_that_refuses_is_asked_once_and_its_words_are_said(launches):
    with pytest.raises(HaloclineError) as refused:
        predicted(Question("laplace", ("--grid", "5")), (8,))
    assert str(refused.value).startswith("laplace: --grid 5: ") and "\n" not in str(refused.value)
    assert len(launches) == 1


def test_points_of_none_are_refused():
    machine = true_machine()
    machine.content["compute"] = {"laplace": 1e-9}
    how = {"program": "laplace", "points": 5, "of": [3, 0]}
    case = {"scheme": "p2p:nonblocking", "ranks": 2, "pattern": {"kind": "pair", "bytes": 8}}
    (said,) = simulation.simulate(machine, [{**case, "compute": how}])
    assert '"of" must be above 0' in said["error"]


def test_ranks_on_several_nodes_need_a_network():
    with pytest.raises(HaloclineError, match="no costs between nodes"):
        predict(Question("halo", ("8x8",), ranks_per_node=4), true_machine(), (8,), SCHEMES)


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", "is not JSON"), ("{}", '"format" must be'),
     ('{"format": "halocline-machine", "version": 7}', "version 7")],
)  # fmt: skip
def test_bad_machine_files_are_named(tmp_path, content, words):
    file = tmp_path / "m.json"
    file.write_text(content)
    with pytest.raises(HaloclineError, match=words):
        machines.load(file)


def test_unknown_machines_name_those_there_are():
    with pytest.raises(HaloclineError, match="hector"):
        machines.load("cray-1")


def test_curves_and_diagrams_are_pictures(tmp_path):
    from halocline.reports import forecast

    found = predicted(Question("halo", ("8x8x8",), ranks_per_node=28), (2, 64))
    curves = found.plot("curves")._repr_svg_()
    assert "rma:put:fence" in curves
    heat = found.plot("heat")._repr_svg_()
    assert "times the fastest" in heat and "1.00" in heat
    shown = forecast.page(found, tmp_path, "halocline predict halo 8x8x8").read_text()
    assert "prediction.csv" in shown and "is fastest" in shown
    assert 'src="http' not in shown and 'href="http' not in shown
    for scheme in ("p2p:nonblocking", "rma:get:lock", "shmem"):
        picture = forecast.diagram(scheme, fitting.beginning(), tmp_path / "one.svg").read_text()
        assert "rank 1" in picture and scheme in picture


# ---- this machine ----------------------------------------------------------------------------


@pytest.fixture
def asked(fake, monkeypatch):
    """What a prediction on this machine measures, and what it is made with."""
    said = {"measured": 0}

    def machine_of(folder, extent, name, source, **_):
        said["measured"] += 1
        made = machines.load("amd-epyc-7003").changed()
        made.content["compute"] = dict.fromkeys(computing.MEASURED, 1e-9)
        return made, None

    def predicted(question, machine, *_):
        said.update(question=question, machine=machine)

    for name in ("halometer", "md", "matmul", "heat", "spmv"):
        (fake.folder / name).write_bytes((fake.folder / "laplace").read_bytes())
        (fake.folder / name).chmod(0o755)
    monkeypatch.setattr(here, "machine_of", machine_of)
    monkeypatch.setattr("halocline.model.predict", predicted)
    monkeypatch.setattr("halocline.model.prediction.schemes_of", lambda *_: ["shm:signal"])
    monkeypatch.setattr(command, "show", lambda *_: None)
    said["folder"] = fake.folder
    return said


def test_without_a_machine_it_is_this_one_measured_once(asked, halocline, tmp_path):
    first = halocline("predict", "laplace")
    assert first.returncode == 0, first.stderr
    file = tmp_path / "cache" / "machines" / "fake-cpu-2-cores-mpich-9.9.9.json"
    line = first.stdout.splitlines()[0]
    assert line.startswith("this machine: Fake CPU, 2 cores, MPICH 9.9.9, measured now")
    assert line.endswith(str(file))
    assert asked["question"].arguments == ("--per-rank", "64,64,64")
    again = halocline("predict", "partdiff", "1", "2", "64", "1", "2", "100")
    assert again.stdout.startswith("this machine: Fake CPU, 2 cores, MPICH 9.9.9, measured 20")
    assert asked["measured"] == 1
    assert asked["machine"].content == machines.load(file).content
    assert asked["question"].arguments == ("1", "2", "64", "1", "2", "100")


def test_how_busy_this_machine_was_is_said_then_and_later(asked, halocline, monkeypatch):
    monkeypatch.setattr(machine, "load", lambda: [7.5, 7.5, 7.5])
    first = halocline("predict", "laplace").stdout.splitlines()[0]
    assert "a minute on a quiet machine while other work keeps it busy (load 7.5 on 2" in first
    (file,) = Path(os.environ["HALOCLINE_CACHE"]).glob("machines/*.json")
    content = json.loads(file.read_text())
    content["measured"]["load"] = 7.5  # as measuring writes it
    file.write_text(json.dumps(content))
    monkeypatch.setattr(machine, "load", lambda: [0.1, 0.1, 0.1])
    again = halocline("predict", "laplace").stdout.splitlines()[0]
    assert "while other work kept it busy (load 7.5 on 2 cores: costs are too high" in again


def test_what_this_machine_does_not_have_is_not_predicted_for_it(fake):
    schemes = ["p2p:partitioned", "p2p:sendrecv", "rma:put:fence"]
    assert predicting._absent(schemes, None) == {"p2p:partitioned": "needs MPI 4"}
    fake(broken={"rma:put:fence": "wrong"})
    soundness.doctor("rma:put:fence", quick=True)
    absent = predicting._absent(schemes, None)
    assert absent["rma:put:fence"].startswith("the doctor found it wrong: ")
    assert "p2p:sendrecv" not in absent


def test_what_keeps_this_machine_from_being_measured_is_one_line(
    asked, halocline, tmp_path, monkeypatch
):
    (tmp_path / "cache").touch()
    said = halocline("predict", "laplace")
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (1, "", 1)
    assert "HALOCLINE_CACHE names another folder" in said.stderr
    (tmp_path / "cache").unlink()
    (asked["folder"] / "halometer").unlink()
    monkeypatch.setenv("PATH", "")
    said = halocline("predict", "laplace")
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (1, "", 1)
    assert said.stderr.startswith("halocline: no program halometer")
    assert asked["measured"] == 0
    assert "laplace: '--nothing'" in halocline("predict", "laplace", "--nothing").stderr
