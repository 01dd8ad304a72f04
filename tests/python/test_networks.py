"""Networks between nodes: what a prediction assumes where nobody measured, and that it says so."""

import json
import re

import pytest

from halocline import verbs
from halocline.errors import HaloclineError
from halocline.launch import find_program
from halocline.model import Question, completing, computing, here, machines, networks, simulation
from halocline.model.machines import Machine

try:
    PROGRAM = find_program("halosim")
except HaloclineError:
    PROGRAM = None
built = pytest.mark.skipif(PROGRAM is None, reason="halosim is not built")
CARDS = networks.of_this_node
EACH = pytest.mark.parametrize("name", networks.shipped())


# ---- the files -------------------------------------------------------------------------------


@EACH
def test_every_figure_has_a_source_or_is_said_to_be_assumed(name):
    content = networks.load(name).content
    figures = {figure.rstrip("?") for figure in networks.NUMBERS} & set(content)
    sourced, assumed = set(content["sources"]), set(content["assumed"])
    assert sourced | assumed == figures and not sourced & assumed
    assert all(text for text in (*content["sources"].values(), *content["assumed"].values()))


def test_those_that_were_promised_are_there():
    assert set(networks.shipped()) == {
        "slingshot-11", "infiniband-hdr", "infiniband-ndr", "omni-path", "ethernet-10",
        "ethernet-25", "ethernet-100",
    }  # fmt: skip


@built
@EACH
def test_a_message_between_nodes_takes_the_published_time(name):
    network = networks.load(name)
    alone = network.between(Machine({"format": "halocline-machine", "version": 1}))

    def step(size, **more):
        case = {"scheme": "p2p:nonblocking", "ranks": 2, "ranks_per_node": 1,
                "pattern": [[0, 1, size]], "steps": 40, "warm_up": 20, **more}  # fmt: skip
        return simulation.simulated(alone, {**case, "reduction": "allreduce"})["step_s"]

    # After each message both wait for each other, which takes a latency, too.
    latency, rate = network.content["latency_s"], network.content["bandwidth_bytes_per_s"]
    short, eager = step(8), network.content["rendezvous_bytes"] - 8
    assert short == pytest.approx(2 * latency, rel=0.02)
    assert step(eager) - short == pytest.approx((eager - 8) / rate, rel=0.02)
    # From there on the receiver is told first; bytes take as long.
    far = 1 << 26
    assert step(2 * far) - step(far) == pytest.approx(far / rate, rel=0.02)


@built
def test_ranks_of_a_node_share_its_way_out():
    network = networks.load("ethernet-10")
    machine = network.between(Machine({"format": "halocline-machine", "version": 1}))
    far = 1 << 24

    def step(ranks):
        links = [[one, ranks + one, far] for one in range(ranks)]
        case = {"scheme": "p2p:nonblocking", "ranks": 2 * ranks, "ranks_per_node": ranks,
                "pattern": links}  # fmt: skip
        return simulation.simulated(machine, case)["step_s"]

    assert step(4) == pytest.approx(4 * step(1), rel=0.02)


def network_file(tmp_path, **changed):
    content = {**networks.load("omni-path").content, "name": "ours", **changed}
    file = tmp_path / "ours.json"
    file.write_text(json.dumps({name: v for name, v in content.items() if v is not None}))
    return file


def test_a_file_of_ones_own_is_as_good(tmp_path):
    made = networks.load(network_file(tmp_path, rendezvous_bytes=None, injection_bytes_per_s=3e9))
    assert made.name == "ours"
    level = made.level()
    assert level["injection_bytes_per_s"] == 3e9 and "rendezvous_bytes" not in level


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"format": "halocline-machine"}, 'is not a network file: its "format"'),
        ({"version": 2}, "has version 2"),
        ({"latency_s": None}, '"latency_s" is missing'),
        ({"latency_s": -1.0}, '"latency_s" must be'),
        ({"bandwidth_bytes_per_s": "fast"}, '"bandwidth_bytes_per_s" must be'),
        ({"progress": "none"}, '"progress" must be'),
        ({"latency_s": 1e-7}, "two calls of"),
    ],
)
def test_a_file_that_is_none_is_one_line(tmp_path, changed, words):
    with pytest.raises(HaloclineError) as refused:
        networks.load(network_file(tmp_path, **changed))
    said = str(refused.value)
    assert said.startswith("--network: ") and words in said and "\n" not in said


def test_an_unknown_network_is_a_line_that_lists_those_known(halocline, fake):
    said = halocline("predict", "laplace", "--network", "torus")
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (1, "", 1)
    assert said.stderr.startswith("halocline: --network torus: ")
    assert all(name in said.stderr for name in networks.shipped())


def test_the_command_lists_them(halocline):
    said = halocline("model", "networks")
    assert said.returncode == 0, said.stderr
    assert all(re.search(rf"^{name} ", said.stdout, re.M) for name in networks.shipped())


# ---- what is assumed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("devices", "name"),
    [
        ({}, None),
        ({"cxi/cxi0/name": "", "net/hsn0/device": "", "net/hsn0/speed": "200000"}, "slingshot-11"),
        ({"infiniband/hfi1_0/ports/1/rate": "100 Gb/sec"}, "omni-path"),
        ({"infiniband/mlx5_0/ports/1/rate": "200 Gb/sec (4X HDR)",
          "infiniband/mlx5_0/ports/1/link_layer": "InfiniBand"}, "infiniband-hdr"),
        ({"infiniband/mlx5_0/ports/1/rate": "400 Gb/sec (4X NDR)",
          "infiniband/mlx5_0/ports/1/link_layer": "InfiniBand"}, "infiniband-ndr"),
        ({"infiniband/mlx5_0/ports/1/rate": "25 Gb/sec (1X EDR)",
          "infiniband/mlx5_0/ports/1/link_layer": "Ethernet",
          "net/eth0/device": "", "net/eth0/speed": "25000\n"}, "ethernet-25"),
        ({"net/eth0/device": "", "net/eth0/speed": "1000"}, None),
        ({"net/eth0/device": "", "net/eth0/speed": "-1"}, None),
        ({"net/docker0/speed": "10000"}, None),
    ],
)  # fmt: skip
def test_a_node_has_cards_of_its_network(tmp_path, devices, name):
    for file, text in devices.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    assert CARDS(tmp_path) == name


@pytest.fixture(autouse=True)
def without_cards(monkeypatch):
    monkeypatch.setattr(networks, "of_this_node", lambda: None)


@pytest.fixture
def measured(fake, monkeypatch):
    """Let this machine, of two cores, be measured in no time; count how often."""
    times = []

    def machine_of(folder, extent, name, source, **_):
        times.append(name)
        made = machines.load("amd-epyc-7003").changed()
        made.content["compute"] = dict.fromkeys(computing.MEASURED, 1e-9)
        return made, None

    for name in ("halometer", "md", "matmul", "heat", "spmv"):
        (fake.folder / name).write_bytes((fake.folder / "laplace").read_bytes())
        (fake.folder / name).chmod(0o755)
    monkeypatch.setattr(here, "machine_of", machine_of)
    return times


def completed(ranks, machine=None, network=None, **question):
    said = []
    asked, found, assumed = completing.completed(
        Question("laplace", ("--per-rank", "64,64,64"), **question), ranks,
        machines.load(machine) if machine else None, networks.load(network) if network else None,
        say=said.append,
    )  # fmt: skip
    assert not assumed or said[0].endswith(f"; assumed: {', '.join(assumed)}")
    return asked, found, said


def network_of(machine):
    """Return which network is between a machine's nodes."""
    comment = machine.content["levels"]["network"]["comment"]
    (found,) = (
        one for one in networks.shipped() if networks.load(one).level()["comment"] == comment
    )
    return found


def test_what_pieces_take_is_the_processors_time():
    nodes = Machine({"levels": {"node": {"costs": {"piece:accumulate": 7e-8, "message": 1e-6}}}})
    network = networks.load("omni-path")
    costs = network.between(nodes).content["levels"]["network"]["costs"]
    assert costs == {**network.level()["costs"], "piece:accumulate": 7e-8}


def test_ranks_beyond_the_cores_of_this_node_lie_on_several(measured):
    asked, found, said = completed((2, 10000))
    assert asked.ranks_per_node == 2
    assert network_of(found) == networks.USUAL
    assert said[0].startswith("this machine: Fake CPU, 2 cores")
    assert said[0].endswith(
        "; assumed: 2 ranks a node, as many as its cores (--ranks-per-node), InfiniBand HDR "
        "between nodes (--network)"
    )
    assert len(measured) == 1
    kept = machines.load(here.place_of(completing.Checker()).file)
    assert kept.cores_per_node == 2 and "network" not in kept.levels()


def test_the_network_is_that_of_the_nodes_card(measured, monkeypatch):
    monkeypatch.setattr(networks, "of_this_node", lambda: "infiniband-ndr")
    _, _, said = completed((4,), ranks_per_node=2)
    assert said[0].endswith(
        "; assumed: InfiniBand NDR between nodes, of which this one has a card (--network)"
    )
    _, found, _ = completed((4,), machine="amd-epyc-7003")
    assert found.name.endswith("with InfiniBand HDR")


def test_as_many_ranks_as_cores_assume_nothing(measured):
    asked, found, said = completed((2,))
    assert asked.ranks_per_node is None and "network" not in found.levels()
    assert "assumed" not in said[0]


def test_what_is_given_is_not_assumed(measured):
    asked, found, said = completed((64,), network="slingshot-11", ranks_per_node=8)
    assert asked.ranks_per_node == 8
    assert network_of(found) == "slingshot-11"
    assert "assumed" not in said[0] and found.name.endswith(", with Slingshot 11")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mistral", "36 ranks a node, as many as its cores (--ranks-per-node), computing as on "
                    "this machine (--compute)"),
        ("hector", "32 ranks a node, as many as its cores (--ranks-per-node)"),
        ("amd-epyc-7003", "2 ranks a node, as many as its cores (--ranks-per-node), InfiniBand HDR "
                          "between nodes (--network), computing as on this machine (--compute)"),
    ],
)  # fmt: skip
def test_a_shipped_machine_has_its_own_network_and_what_it_lacks_from_here(measured, name, words):
    asked, found, said = completed((1000,), machine=name)
    shipped = machines.load(name)
    assert said[0] == f"{shipped.name}; assumed: {words}"
    assert asked.ranks_per_node == shipped.cores_per_node
    if "network" in shipped.levels():
        assert found.content["levels"]["network"] == shipped.content["levels"]["network"]
    else:
        assert network_of(found) == networks.USUAL
    assert found.content["compute"]["laplace"] == shipped.content.get("compute", {}).get(
        "laplace", 1e-9
    )
    assert len(measured) == ("computing" in words)
    assert "laplace" in found.content["compute"] and shipped.content == machines.load(name).content


def test_the_asked_computing_needs_no_measurement(measured):
    _, _, said = completed((2,), machine="mistral", compute_s_per_point=1e-9)
    assert not measured and said == []


def test_another_network_takes_the_place_of_the_machines_own(measured):
    _, found, _ = completed((100,), machine="hector", network="ethernet-10")
    assert network_of(found) == "ethernet-10"
    assert "node" in found.levels()


def test_a_machine_that_was_kept_without_what_is_asked_is_measured_again(measured):
    place = here.place_of(completing.Checker())
    old = machines.load("amd-epyc-7003").changed()
    old.content["compute"] = {"laplace": 1e-9}
    place.file.parent.mkdir(parents=True)
    old.write(place.file)
    assert completed((2,))[1].content["compute"] == {"laplace": 1e-9}
    assert not measured
    asked = Question("partdiff", ("1", "2", "64", "1", "2", "9"))
    _, found, _ = completing.completed(asked, (2,))
    assert len(measured) == 1 and found.content["compute"]["partdiff"] == 1e-9


# ---- predictions -----------------------------------------------------------------------------


PROBLEMS = {
    "laplace": "--per-rank 16,16,16", "partdiff": "1 2 64 1 2 9", "md": "--size 8",
    "matmul": "--shape 256,256,256", "spmv": "--generate 7pt:32,32,32", "heat": "--points 500",
}  # fmt: skip


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Have measured this machine, of two cores, earlier."""
    if PROGRAM is None:
        pytest.skip("halosim is not built")
    made = machines.load("amd-epyc-7003").changed()
    made.content["compute"] = dict.fromkeys(computing.MEASURED, 1e-9)
    file = tmp_path / "here.json"
    made.write(file)
    monkeypatch.setattr(here, "place_of", lambda checker: here.Place("this", file, 2))


@pytest.mark.parametrize("program", PROBLEMS)
def test_every_program_is_predicted_on_several_nodes(own, program):
    said = []

    def step(network):
        found = verbs.predict(
            program, PROBLEMS[program], ranks=8, schemes="p2p:nonblocking", network=network,
            say=said.append,
        )  # fmt: skip
        assert not found.refused
        return found.estimates[0].step.value

    fast, slow = step(None), step("ethernet-10")
    assert 0 < fast < slow
    assert "InfiniBand HDR between nodes" in said[0] and "assumed" in said[1]


def test_a_newcomer_is_answered_and_told_what_was_assumed(own, halocline):
    said = halocline("predict", "laplace", "--ranks", "1000", "--schemes", "p2p:*blocking")
    assert said.returncode == 0, said.stderr
    first = said.stdout.splitlines()[0]
    assert first.startswith("this machine: ") and "assumed: 2 ranks a node" in first
    assert "laplace --per-rank 64,64,64 on 1000 ranks of" in said.stdout
    assert "with InfiniBand HDR" in " ".join(said.stdout.split())
