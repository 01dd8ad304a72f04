"""The project's JSON files, whoever writes them."""

import errno
import os
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from halocline import records
from halocline.errors import HaloclineError


def test_what_is_written_is_read_again(tmp_path):
    file = tmp_path / "cat.json"
    records.write(file, "halocline-cat", 2, {"name": "Mio"})
    expected = {"format": "halocline-cat", "version": 2, "name": "Mio"}
    assert records.read(file, "halocline-cat", 2, "cat") == expected
    assert list(tmp_path.iterdir()) == [file], "and nothing is left beside it"


def test_what_cannot_be_written_leaves_the_old_file_as_it_was(tmp_path):
    file = tmp_path / "cat.json"
    records.write(file, "halocline-cat", 1, {"name": "Mio"})
    before = file.read_text()
    with pytest.raises(TypeError):
        records.write(file, "halocline-cat", 1, {"name": object()})
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read"),
        ("{", "is not JSON"),
        ("[]", 'is not a cat: its "format" is not "halocline-cat"'),
        ('{"format": "halocline-dog"}', "is not a cat"),
        ('{"format": "halocline-cat", "version": 3}', "has version 3.*reads version 1"),
    ],
)
def test_other_files_are_named_with_what_is_wrong(tmp_path, text, message):
    file = tmp_path / "cat.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(HaloclineError, match=message) as error:
        records.read(file, "halocline-cat", 1, "cat")
    assert str(file) in str(error.value)


def test_a_folder_with_results_is_not_used_again(tmp_path):
    assert records.new_folder(tmp_path / "a" / "b", "cat.json", "cat") == tmp_path / "a" / "b"
    (tmp_path / "a" / "b" / "cat.json").touch()
    with pytest.raises(HaloclineError, match="already holds a cat"):
        records.new_folder(tmp_path / "a" / "b", "cat.json", "cat")
    with pytest.raises(HaloclineError, match="cannot make /dev/null/x: Not a directory"):
        records.new_folder(Path("/dev/null/x"), "cat.json", "cat")


def without_locks(*_):
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


@pytest.mark.parametrize("flock", [without_locks, lambda *_: None])  # one that sees nothing
def test_a_file_is_locked_where_the_file_system_has_no_locks(tmp_path, monkeypatch, caplog, flock):
    monkeypatch.setattr(records.fcntl, "flock", flock)
    path, held = tmp_path / "file", tmp_path / "file.lock.held"
    order = []

    def change(name):
        with records.locked(path):
            assert held.exists()
            order.append(name)
            time.sleep(0.05)
            order.append(name)

    both = [threading.Thread(target=change, args=(name,)) for name in "ab"]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert order in (list("aabb"), list("bbaa"))
    assert not held.exists() and not caplog.records
    held.touch()
    os.utime(held, (1, 1))  # whoever made it has died
    change("c")
    assert not caplog.records and list(tmp_path.glob("*.held*")) == []


def test_who_writes_a_file_is_known_by_its_lock_and_else_by_its_process(tmp_path, monkeypatch):
    note, here = tmp_path / "note", socket.gethostname()
    with subprocess.Popen(["true"]) as process:
        process.wait()
    dead = process.pid
    with note.open("w") as file:
        records.fcntl.flock(file, records.fcntl.LOCK_EX)
        assert records.writer_lives(note, here, dead)
        for flock in (without_locks, lambda *_: None):
            monkeypatch.setattr(records.fcntl, "flock", flock)
            assert not records.writer_lives(note, here, dead)
            for host, other in ((here, os.getpid()), ("elsewhere", dead), (None, None)):
                assert records.writer_lives(note, host, other)
        monkeypatch.undo()
    assert not records.writer_lives(note, "elsewhere", os.getpid())
