"""The pages of the documents and their blocks of code, wherever they are."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / folder / "README.md" for folder in ("examples", "packaging", "python")),
]
CODE = (
    "apps",
    "bench",
    "cmake",
    "examples",
    "fortran",
    "include",
    "plugins",
    "python",
    "src",
    "tests",
    "tools",
)
"""Folders with code."""
FENCE = re.compile(
    r'^(?P<indent> *)```(?P<kind>\w*)(?: title="(?P<title>[^"]+)")?\n'
    r"(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A block of code: where it stands, and what it says."""

    page: str
    line: int
    kind: str
    title: str
    code: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(*kinds):
    """Return the blocks of these kinds on all pages; of all kinds if none is named."""
    found = []
    for path in PAGES:
        text = path.read_text("utf-8")
        for fence in FENCE.finditer(text):
            if not kinds or fence["kind"] in kinds:
                line = text.count("\n", 0, fence.start()) + 1
                indent, code = fence["indent"], fence["code"]
                code = re.sub(f"^{indent}", "", code, flags=re.MULTILINE)
                page = str(path.relative_to(ROOT))
                found.append(Block(page, line, fence["kind"], fence["title"] or "", code))
    return found
