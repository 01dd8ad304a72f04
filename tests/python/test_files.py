"""Whatever stands at a file's name: it is written whole, in place, or refused."""

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from halocline.files import check_writable, write_whole


def test_a_new_file_has_the_users_mask(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "r.json", "größe")
    finally:
        os.umask(before)
    assert (tmp_path / "r.json").read_bytes() == "größe".encode()
    assert stat.S_IMODE((tmp_path / "r.json").stat().st_mode) == 0o640
    assert len(list(tmp_path.iterdir())) == 1


def test_mode_links_and_neighbours_stay(tmp_path):
    (tmp_path / "behind").mkdir()
    file = tmp_path / "behind" / "r.json"
    file.write_text("old")
    file.chmod(0o640)
    neighbour = tmp_path / "r.json.partial"
    neighbour.write_text("mine")
    link, dangling = tmp_path / "r.json", tmp_path / "d.json"
    link.symlink_to("behind/r.json")
    dangling.symlink_to("behind/d.json")
    write_whole(link, "new")
    write_whole(dangling, b"\xff")
    assert link.is_symlink() and dangling.is_symlink()
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o640)
    assert (tmp_path / "behind" / "d.json").read_bytes() == b"\xff"
    assert neighbour.read_text() == "mine"
    assert len(list((tmp_path / "behind").iterdir())) == 2


def test_other_names_of_the_file_stay(tmp_path):
    one, other = tmp_path / "a", tmp_path / "b"
    one.write_text("a longer old one")
    other.hardlink_to(one)
    write_whole(one, "new")
    assert other.read_text() == "new"
    assert one.samefile(other)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("folder", "is a folder"),
        ("to-folder", "is a folder"),
        ("readonly", "may not be written to"),
        ("none/x", "No such file or directory"),
        ("readonly/x", "Not a directory"),
        ("round", "Too many levels of symbolic links"),
        ("n" * 300, "File name too long"),
        ("socket", "is a socket"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_done(
    tmp_path, monkeypatch, name, reason
):
    (tmp_path / "folder").mkdir()
    (tmp_path / "to-folder").symlink_to("folder")
    (tmp_path / "readonly").write_text("old")
    (tmp_path / "readonly").chmod(0o444)
    (tmp_path / "round").symlink_to("round")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(tmp_path)  # names of sockets must be short
        listening.bind("socket")
        before = sorted(tmp_path.iterdir())
        for act in (check_writable, lambda path: write_whole(path, "new")):
            with pytest.raises(OSError) as error:
                act(tmp_path / name)
            assert error.value.strerror == reason
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "readonly").read_text() == "old"


def test_pipes_are_written_to_in_place(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "x" * 200_000)
    reader.join()
    assert got == ["x" * 200_000]
    assert pipe.is_fifo()
    ends = os.pipe()
    write_whole(Path(f"/dev/fd/{ends[1]}"), "through it")
    assert os.read(ends[0], 99) == b"through it"
    for end in ends:
        os.close(end)


def test_devices_are_written_to_in_place(tmp_path):
    null, full = tmp_path / "null", tmp_path / "full"
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.mknod(full, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        null.write_text("x")
    except OSError:
        pytest.skip("no devices can be had here")
    write_whole(null, "new")
    assert null.is_char_device()
    with pytest.raises(OSError, match="No space left"):
        write_whole(full, "new")
    assert full.is_char_device()


def test_two_who_write_at_once_leave_one_whole_file(tmp_path):
    file = tmp_path / "r.json"
    program = (
        "import sys; from pathlib import Path; from halocline.files import write_whole\n"
        "for _ in range(40): write_whole(Path(sys.argv[1]), sys.argv[2] * 50000 * int(sys.argv[3]))"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", program, file, letter, times])
        for letter, times in (("a", "1"), ("b", "2"))
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert file.read_text() in {"a" * 50000, "b" * 100000}
    assert list(tmp_path.iterdir()) == [file]


def test_a_name_of_255_bytes(tmp_path):
    file = tmp_path / ("ö" * 127 + "n")
    write_whole(file, "new")
    assert list(tmp_path.iterdir()) == [file]
