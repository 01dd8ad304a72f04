"""Links and mentions of documents anywhere in the repository name files that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = (
    "apps",
    "bench",
    "cmake",
    "docs",
    "examples",
    "include",
    "python",
    "src",
    "tests",
    "tools",
)
FILES = [
    *(path for path in ROOT.iterdir() if path.is_file()),
    *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()),
]
GENERATED = re.compile(
    r"(^|/)((api/\w+|command-line|programs|in-a-notebook)\.md|images/[\w/-]+\.svg)$"
)
"""Pages and pictures that only the site has, whose links are tested there."""


def test_links_of_documents_lead_to_files():
    broken = [
        f"{file.relative_to(ROOT)}: {link}"
        for file in FILES
        if file.suffix == ".md"
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", file.read_text())
        if not file.parent.joinpath(link).exists() and not GENERATED.search(link)
    ]
    assert not broken


def test_code_mentions_documents_that_exist():
    broken = [
        f"{file.relative_to(ROOT)}: {mention}"
        for file in FILES
        if file.suffix in (".cpp", ".hpp", ".py", ".sh", ".txt", ".cmake", ".yml")
        or file.name == "dev"
        for mention in re.findall(r"\bdocs/[\w/.-]+\.md\b", file.read_text())
        if not (ROOT / mention).exists()
    ]
    assert not broken
