"""The lines of the programs that docs/reference/languages.md compares are as many as it says."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "reference" / "languages.md"
COMMENTS = {".cpp": "//", ".c": "//", ".f90": "!", ".py": "#"}


def lines(program):
    """Return how many lines are neither blank nor a comment."""
    text = re.sub(r'\A""".*?"""', "", program.read_text(), flags=re.DOTALL)
    comment = COMMENTS[program.suffix]
    return sum(not line.strip().startswith(comment) for line in text.split("\n") if line.strip())


def test_lines_are_counted():
    rows = re.findall(
        r"^\|.*\]\(\.\./\.\./([\w/.-]+)\) \| (\d+) \|", PAGE.read_text(), re.MULTILINE
    )
    assert len(rows) >= 4
    assert [(name, lines(ROOT / name)) for name, _ in rows] == [
        (name, int(count)) for name, count in rows
    ]


def test_the_first_example_in_fortran_is_short():
    assert lines(ROOT / "examples" / "fortran" / "first.f90") < 20
