"""The page of public names has those that the headers declare, so that none slips in unseen."""

import re
from pathlib import Path

import pytest
from declarations import declarations

import halocline

SOURCES = Path(halocline.__file__).parents[2]
INCLUDE = SOURCES / "include" / "halocline"
PAGE = SOURCES / "docs" / "reference" / "names.md"
if not PAGE.is_file():
    pytest.skip("installed without its sources", allow_module_level=True)


def public(header: Path) -> list[str]:
    """Return what a header adds to the namespace `halocline`, in its order, and its macros."""
    text = header.read_text("utf-8")
    names = re.findall(r"^ *# *define (\w+)", text, re.MULTILINE)
    for one in declarations(text):
        around = "::".join(one.around).split("::")
        alias = re.match(r"using (\w+) =", one.head)
        name = alias[1] if alias else one.name().partition("(")[0]
        announced = re.fullmatch(r"(?:class|struct) \w+", one.head) and not one.has_body
        if name and around[0] == "halocline" and "detail" not in around and not announced:
            names.append("::".join([*around[1:], name]))
    return list(dict.fromkeys(names))


def ring(folder: Path) -> dict[str, list[str]]:
    return {header.name: public(header) for header in sorted(folder.glob("*.hpp"))}


def test_the_page_has_the_names_of_each_header():
    rows = [
        f"| `{header}` | {', '.join(f'`{name}`' for name in names)} |"
        for header, names in ring(INCLUDE).items()
        if names
    ]
    shown = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert shown == rows, "the table should be:\n" + "\n".join(rows)


def test_the_page_counts_them():
    counts = [
        len({name for names in ring(folder).values() for name in names})
        for folder in (INCLUDE, INCLUDE / "more")
    ]
    said = re.search(r"Ring 1 has (\d+) names.*ring 2 (\d+)", PAGE.read_text("utf-8"))
    assert said, "nothing counts them"
    assert [int(count) for count in said.groups()] == counts
