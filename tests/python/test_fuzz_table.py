"""The table of what libFuzzer has reached: a row for each reader, the newest alone."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "fuzz"
sys.path.insert(0, str(FOLDER))
import measure  # noqa: E402

PAGE = f"# Damaged files\n\n{measure.HEAD}\n|---|\n\nThe end.\n"


def test_each_reader_with_examples_is_measured():
    assert set(measure.READERS) == {folder.name for folder in (FOLDER / "corpus").iterdir()}
    for sources in measure.READERS.values():
        assert all((measure.ROOT / source).is_file() for source in sources)


def test_a_reader_has_one_row_and_rows_have_the_readers_order(tmp_path):
    table = tmp_path / "fuzzing.md"
    table.write_text(PAGE)
    for row in ("| xyz | a |", "| scheme | b |", "| xyz | c |"):
        measure.note(table, row)
    assert table.read_text() == PAGE.replace("|---|\n", "|---|\n| scheme | b |\n| xyz | c |\n")
    assert measure.with_row(measure.TABLE.read_text("utf-8"), "| xyz | d |").count("| xyz |") == 1


def test_what_is_no_reader_or_was_not_built_is_said(tmp_path):
    for reader, said in (("nix", "nix: no reader; these are: scheme"), ("xyz", "./dev fuzz xyz")):
        done = subprocess.run(
            [sys.executable, FOLDER / "measure.py", tmp_path, reader],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert said in done.stderr and len(done.stderr.splitlines()) == 1
