"""bench/studies: who wins a cell, what the maps and pages of a study say, and a tiny sweep."""

import json
import sys
from types import SimpleNamespace

import pytest
from conftest import ROOT

from halocline.errors import HaloclineError
from halocline.launch import find_program

sys.path.insert(0, str(ROOT / "bench" / "studies"))
import fence_pscw
import neighborhoods
import predicted
import study as studies
import sweep
import tables
import wins

TOY = studies.Study(
    name="toy", page="page.md",
    sides={"active": ("a:one", "a:two"), "passive": ("p:one",), "none": ("n:one",)},
    comparisons=(("active", "passive"), ("active", "none")), synchronisation=("barrier",),
)  # fmt: skip
SCATTER = (1.0, 1.02, 0.99, 1.01, 0.98, 1.03, 1.0, 0.97)


def around(value, launches=8):
    return [value * scatter for scatter in SCATTER[:launches]]


def cell(scheme, felt, size=16, links="fixed", compute_us=0):
    return {"scheme": scheme, "neighbours": 2, "peers": 1, "bytes": size, "links": links,
            "compute_us": compute_us, "felt_us": felt, "until_us": felt}  # fmt: skip


CONTENT = {
    "format": sweep.FORMAT, "version": sweep.VERSION, "study": "toy", "date": "2026-11-28",
    "launches": 8, "ranks": 2, "nodes": 1, "core_distance_ns": [110, 120, 400],
    "mpi": {"name": "MPICH", "version": "5.0.2"}, "machine": {"processor": "A"},
    "cells": [
        *(cell(scheme, around(us)) for scheme, us in (("a:one", 1), ("a:two", 4), ("p:one", 2))),
        *(cell(scheme, around(us), 1024) for scheme, us in (("a:one", 9), ("a:two", 6),
                                                            ("p:one", 3))),
        cell("a:one", [1, 3, 1, 3, 1, 3, 1, 3], 1024, "lists"),
        cell("p:one", around(2), 1024, "lists"),
        cell("a:one", [2, 2, 2, -1, 2, 2, 2, 2], 16, "fixed", 100),
        cell("p:one", around(2), 16, "fixed", 100),
    ],
    "synchronisation": [{"what": "barrier", "us": around(0.3)}],
    "setting_up": [{"scheme": "a:one", "us": around(70), "kept_bytes": 2048}],
}  # fmt: skip


def test_who_wins_a_cell():
    found = wins.verdicts(CONTENT, TOY)["active", "passive"]
    by = {(c.bytes, c.links, c.compute_us): verdict for c, verdict in found.items()}
    assert {key: one.word for key, one in by.items()} == {
        (16, "fixed", 0): wins.FASTER, (1024, "fixed", 0): wins.SLOWER,
        (1024, "lists", 0): wins.UNDECIDED, (16, "fixed", 100): wins.UNFELT,
    }  # fmt: skip
    won, lost = by[16, "fixed", 0], by[1024, "fixed", 0]
    assert (won.scheme, won.rival) == ("a:one", "p:one")
    assert won.ratio.value == pytest.approx(0.5)
    assert won.ratio.low <= 0.5 <= won.ratio.high < 1
    assert lost.scheme == "a:two"
    assert lost.ratio.value == pytest.approx(2)
    assert by[16, "fixed", 100].ratio is None


def test_few_launches_claim_nothing():
    for launches in (1, 2, 3, 7):
        times = {"a:one": around(1, launches), "p:one": around(2, launches)}
        assert wins.verdict(times, ("a:one",), ("p:one",)).word == wins.UNDECIDED


def test_what_was_not_measured_is_not_compared():
    assert wins.verdict({"a:one": around(1)}, ("a:one",), ("p:one",)).word == wins.UNMEASURED
    assert wins.verdict({}, ("a:one",), ("p:one",)).word == wins.UNMEASURED


def test_a_scheme_is_not_chosen_by_what_it_is_compared_with():
    lucky = {"one": [9, 9, 1, 1, 1, 1], "two": [5, 5, 5, 5, 5, 5]}
    assert wins.chosen(lucky, ("one", "two")) == "two"


def test_two_sides_that_are_alike_are_rarely_told_apart():
    import random

    draw = random.Random(1)
    names = [f"{side}{i}" for side in "ab" for i in range(4)]
    claims = 0
    for _ in range(400):
        times = {name: [draw.lognormvariate(0, 0.05) for _ in range(8)] for name in names}
        word = wins.verdict(times, names[:4], names[4:]).word
        claims += word in (wins.FASTER, wins.SLOWER)
    assert claims <= 400 * 0.05


@pytest.mark.parametrize(
    ("ranks", "neighbours", "ways"),
    [(2, 2, (2, 1)), (2, 26, (18, 1)), (3, 2, (2, 2)), (16, 4, (4, 4)), (16, 8, (8, 8)),
     (16, 26, (26, 11)), (27, 26, (26, 26)), (12, 6, (6, 4))],
)  # fmt: skip
def test_peers_of_a_stencil(ranks, neighbours, ways):
    assert sweep.ways_of(ranks, neighbours) == ways


def test_process_grids_are_even():
    assert [sweep.dims_of(ranks, 3) for ranks in (2, 12, 27, 64)] == [
        (2, 1, 1), (3, 2, 2), (3, 3, 3), (4, 4, 4)]  # fmt: skip
    assert [sweep.dims_of(ranks, 2) for ranks in (7, 12)] == [(7, 1), (4, 3)]


def test_a_peer_gets_the_bytes_that_are_meant():
    assert sweep.counts_for(2) == [2]
    assert sweep.counts_for(27) == [2, 4, 6, 8, 26]
    assert [sweep.doubles_for(16, 2, n) for n in (2, 26)] == [1, 1]
    assert sweep.doubles_for(1024, 27, 26) == 128
    assert sweep.doubles_for(1024, 2, 2) == 64


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give the repository of a study whose only machine has measured something."""
    monkeypatch.setattr(studies, "FILES", tmp_path / "files")
    monkeypatch.setattr(sweep, "FILES", tmp_path / "files")
    monkeypatch.setitem(TOY.__dict__, "predicted", {"spread": (1.0, 1.0), "cells": [], "steps": []})
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "toy-here.json").write_text(json.dumps(CONTENT))
    blocks = "\n".join(f"<!-- {name}: a program writes it -->\nstale\n<!-- end -->\nmine"
                       for name in tables.BLOCKS)  # fmt: skip
    (tmp_path / "page.md").write_text(f"# Toy\n\n{blocks}\n")
    return tmp_path


def test_a_page_is_written_from_files(folder):
    tables.write(TOY)
    text = (folder / "page.md").read_text()
    assert "stale" not in text
    assert text.count("mine") == len(tables.BLOCKS)
    assert "against **passive**: of 4 cells active is faster in 1 (0.50 of the time)" in text
    assert "slower in 1 (2.00 times as long), and 2 cannot be told apart" in " ".join(text.split())
    assert "active** against **none" not in text
    assert "| active / passive | 1 | 1 | 1 | 1 | 0.50 | 2.00 |" in text
    assert "| barrier | 0.30" in text
    assert "110 to 400 ns" in text
    assert (folder / "docs/images/toy-here.png").read_bytes().startswith(b"\x89PNG")
    tables.write(TOY)
    assert (folder / "page.md").read_text() == text


def test_files_of_others_are_named(folder):
    file = folder / "files" / "toy-other.json"
    file.write_text(json.dumps({**CONTENT, "study": "another"}))
    with pytest.raises(HaloclineError, match=r"toy-other\.json is of the study another"):
        tables.write(TOY)
    file.write_text('{"format": "something"}')
    with pytest.raises(HaloclineError, match=r"toy-other\.json is not a file of a study"):
        tables.write(TOY)


@pytest.mark.parametrize("one", [fence_pscw.STUDY, neighborhoods.STUDY])
def test_studies_compare_sides_that_they_have_and_fill_their_page(one):
    assert {side for pair in one.comparisons for side in pair} <= set(one.sides)
    text = (ROOT / one.page).read_text("utf-8")
    assert set(tables.BLOCKS) >= {match[2] for match in tables.BLOCK.finditer(text)} > set()
    for file in one.files():
        tables.load(file, one)


def test_words_that_are_none(capsys):
    with pytest.raises(SystemExit), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["fence_pscw.py", "mesure"])
        studies.main(fence_pscw.STUDY, "")
    assert "mesure: is none of measure, page" in capsys.readouterr().err


def have(*programs):
    try:
        return all(find_program(program) for program in programs)
    except HaloclineError:
        return False


SMALL = studies.Study(
    name="toy", page="page.md",
    sides={"active": ("rma:put:fence", "rma:put:fence+asserts=on"), "passive": ("rma:put:flush",),
           "none": ("no:such",)},
    comparisons=(("active", "passive"), ("active", "none")),
    synchronisation=("fence", "flush-all-barrier"),
)  # fmt: skip


@pytest.mark.skipif(not have("halometer"), reason="halometer is not built")
def test_a_tiny_sweep(folder, monkeypatch):
    monkeypatch.setattr(sweep, "SIZES", (16, 1024))
    wish = SimpleNamespace(
        ranks=2, launches=1, budget=0.4, env=[], file=None, results=folder / "results"
    )
    file = sweep.measure(SMALL, wish)
    content = tables.load(file, SMALL)
    assert file.name.startswith("toy-")
    assert file.name.endswith("-2-ranks.json")
    cells = {(one["scheme"], one["bytes"], one["links"], one["compute_us"])
             for one in content["cells"]}  # fmt: skip
    # Beside other work a rank may miss all appointments of so few: such cells are left out.
    assert 0 < len(cells) <= 3 * 2 * 3
    assert {cell[0] for cell in cells} <= set(SMALL.schemes)
    assert {one["what"] for one in content["synchronisation"]} <= set(SMALL.synchronisation)
    assert {one["scheme"] for one in content["setting_up"]} <= set(SMALL.methods)
    assert "no:such" in content["left_out"]
    found = wins.verdicts(content, SMALL)
    assert {one.word for one in found["active", "passive"].values()} <= {
        wins.UNDECIDED, wins.UNFELT, wins.UNMEASURED}  # fmt: skip
    assert {one.word for one in found["active", "none"].values()} == {wins.UNMEASURED}


@pytest.mark.skipif(not have("halosim"), reason="halosim is not built")
def test_a_tiny_prediction(folder, monkeypatch):
    monkeypatch.setattr(predicted, "RANKS", (8, 128))
    monkeypatch.setattr(predicted, "SIDES_OF_CUBES", (4,))
    content = SMALL.predicted
    assert {one["scheme"] for one in content["cells"]} == {"rma:put:fence", "rma:put:flush"}
    fence, flush = (next(one for one in content["steps"] if one["scheme"] == scheme)
                    for scheme in ("rma:put:fence", "rma:put:flush"))  # fmt: skip
    assert (fence["transfers"], fence["barriers"], fence["notifications"]) == (26, 1, 0)
    assert (flush["transfers"], flush["barriers"], flush["notifications"]) == (26, 0, 26)
    (folder / "files" / "toy-here.json").unlink()
    tables.write(SMALL)
    text = (folder / "page.md").read_text()
    assert "Predicted, not measured" in text
    assert "| `rma:put:fence` |" in text
