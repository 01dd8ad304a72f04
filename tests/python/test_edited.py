"""Files that people edit, and several write: one rule with the library, and nothing is lost."""

import fcntl
import json
import logging
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from halocline import folders, records
from halocline.errors import HaloclineError
from halocline.measure import tuning
from halocline.measure.soundness import Memory, Verdict

COMMON = Path(__file__).parent.parent / "common"


def table(name):
    """Return cases that the library is tested with, too (tests/tuner/choices_test.cpp)."""
    return json.loads((COMMON / name).read_text(encoding="utf-8"))


def test_the_cache_folder_is_that_of_the_library():
    content = table("cache_folders.json")
    for case in content["cases"]:
        homes = case.get("homes", content["homes"])
        found = folders.cache_folder(
            case["environment"], lambda user, homes=homes: homes.get(user, "")
        )
        assert found == (None if case["folder"] is None else Path(case["folder"])), case


def test_without_a_home_the_variable_is_named(monkeypatch):
    for name in ("HALOCLINE_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(folders.os, "getuid", lambda: 4_000_000)
    with pytest.raises(
        HaloclineError, match=r"no folder is known for doctor.json.*HALOCLINE_CACHE"
    ):
        Memory()


def test_tuning_files_are_judged_as_by_the_library(tmp_path, caplog):
    file = tmp_path / "tuning.json"
    for case in table("tuning_files.json")["cases"]:
        head = {"format": "halocline-tuning", "version": 1}
        text = case.get("text", json.dumps({**head, **case.get("file", {})}))
        file.write_bytes(b"\xef\xbb\xbf" * ("byte_order_mark" in case) + text.encode())
        caplog.clear()
        if "error" in case:
            with pytest.raises(HaloclineError) as error:
                tuning.load(file)
            assert case["error"] in str(error.value), case
            continue
        tuning.load(file)
        remarks = [one.getMessage().removeprefix(f"{file}: ") for one in caplog.records]
        expected = case.get("remarks", [])
        assert len(remarks) == len(expected), (case, remarks)
        assert all(any(r.startswith(e) for r in remarks) for e in expected), (case, remarks)


# ---- the doctor's memory -----------------------------------------------------------------------


def checker(**change):
    """Stand in for a build, as `halocheck --facts` describes it."""
    here = {"host": "A, 2 CPUs", "mpi": "MPI 1", "environment": {}, "build": "b", **change}
    return SimpleNamespace(surroundings=here)


def verdicts(*names):
    return {name: Verdict("sound", "", [2], "now") for name in names}


def test_two_doctors_at_once_keep_both_entries(tmp_path):
    file = tmp_path / "doctor.json"
    one, other = Memory(file), Memory(file)
    one.record(checker(), verdicts("p2p:sendrecv"))
    other.record(checker(mpi="MPI 2"), verdicts("rma:put:fence"))
    one.record(checker(), verdicts("shm:signal"))
    assert set(Memory(file).verdicts(checker())) == {"p2p:sendrecv", "shm:signal"}
    assert set(Memory(file).verdicts(checker(mpi="MPI 2"))) == {"rma:put:fence"}


def test_many_doctors_at_once_lose_nothing(tmp_path):
    file = tmp_path / "doctor.json"

    def visit(number):
        for step in range(5):
            Memory(file).record(checker(mpi=f"MPI {number}"), verdicts(f"scheme:{step}"))

    doctors = [threading.Thread(target=visit, args=(number,)) for number in range(4)]
    for one in doctors:
        one.start()
    for one in doctors:
        one.join()
    for number in range(4):
        assert len(Memory(file).verdicts(checker(mpi=f"MPI {number}"))) == 5
    assert {one.name for one in tmp_path.iterdir()} == {"doctor.json", "doctor.json.lock"}


def test_what_is_edited_while_a_doctor_runs_stays(tmp_path):
    file = tmp_path / "doctor.json"
    memory = Memory(file)
    memory.record(checker(), verdicts("p2p:sendrecv", "shm:signal"))
    content = json.loads(file.read_text())
    content["comment"] = "the node with the new network card"
    content["entries"][0]["schemes"]["shm:signal"]["outcome"] = "hang"
    file.write_text(json.dumps(content))
    memory.record(checker(), verdicts("rma:put:fence"))
    after = json.loads(file.read_text())
    assert after["comment"] == content["comment"]
    assert Memory(file).verdicts(checker())["shm:signal"].outcome == "hang"


def test_verdicts_hold_for_exactly_these_surroundings(tmp_path):
    file = tmp_path / "doctor.json"
    Memory(file).record(checker(), verdicts("p2p:sendrecv"))
    for change in (
        {"host": "A, 4 CPUs"}, {"host": "A, 2 CPUs more"}, {"mpi": "MPI"}, {"build": "c"},
        {"environment": {"UCX_TLS": "tcp"}},
    ):  # fmt: skip
        assert Memory(file).verdicts(checker(**change)) == {}, change


def test_a_newer_memory_is_left_alone_with_a_word(tmp_path, caplog):
    file = tmp_path / "doctor.json"
    newer = '{"format": "halocline-doctor", "version": 2, "entries": {"a": "b"}}'
    file.write_text(newer)
    memory = Memory(file)
    memory.record(checker(), verdicts("p2p:sendrecv"))
    assert file.read_text() == newer
    assert "its version 2 is newer than 1" in caplog.text
    assert set(memory.verdicts(checker())) == {"p2p:sendrecv"}, "for this visit"


def test_verdicts_of_another_shape_are_passed_over_and_said(tmp_path, caplog):
    file = tmp_path / "doctor.json"
    Memory(file).record(checker(), verdicts("p2p:sendrecv"))
    content = json.loads(file.read_text())
    schemes = content["entries"][0]["schemes"]
    schemes.update(
        {"a": "sound", "b": {}, "c": {"outcome": "fine"}, "d": {"outcome": "hang", "x": 1}}
    )
    file.write_text(json.dumps(content))
    assert set(Memory(file).verdicts(checker())) == {"p2p:sendrecv", "d"}
    for place in ("schemes.a", "schemes.b.outcome", "schemes.c.outcome"):
        assert f'"entries[0].{place}" is' in caplog.text


@pytest.mark.parametrize("entries", ["{}", "3", "null"])
def test_entries_that_are_none_are_refused(tmp_path, entries):
    file = tmp_path / "doctor.json"
    file.write_text(f'{{"format": "halocline-doctor", "version": 1, "entries": {entries}}}')
    with pytest.raises(
        HaloclineError, match=r'doctor.json is not a record .*"entries" must be a list'
    ):
        Memory(file)


def test_a_lock_is_that_of_the_file_behind_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "doctor.json"
    link.symlink_to(tmp_path / "real" / "doctor.json")
    lock = tmp_path / "real" / "doctor.json.lock"
    with records.locked(link), lock.open() as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_without_a_lock_it_goes_on_with_a_word(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(records, "LOCK_S", 0)
    file = tmp_path / "doctor.json"
    with (tmp_path / "doctor.json.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with caplog.at_level(logging.WARNING):
            Memory(file).record(checker(), verdicts("p2p:sendrecv"))
    assert "no lock (somebody has held it" in caplog.text
    assert file.exists()
