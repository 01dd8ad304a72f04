"""What tests call stands in packaging/system/needed.txt; nothing else is found."""

import shutil

import pytest
from commands import ROOT, needs, why_not


def test_commands_that_nobody_has_listed_are_not_found():
    listed = (ROOT / "packaging" / "system" / "needed.txt").read_text().split()
    for name in ("tac", "yes"):  # every system has them
        assert name not in listed
        assert shutil.which(name) is None
    assert shutil.which("sh")
    with pytest.raises(LookupError, match=r"^tac: add it to packaging/system/needed\.txt$"):
        why_not("sh", "tac")


def test_a_test_is_skipped_with_the_package_that_it_lacks(monkeypatch, tmp_path):
    assert why_not("sh", "python3") == ""
    assert not needs("sh").args[0]
    (tmp_path / "sh").symlink_to(shutil.which("sh"))
    monkeypatch.setenv("PATH", str(tmp_path))
    said = "left out: no otf2-print: sudo apt-get install otf2-tools"
    assert why_not("sh", "otf2-print") == said
    assert needs("otf2-print").kwargs["reason"] == said
