"""Fortran and Python have what the interface for C has, or a page says what stands for it."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

import halocline

SOURCES = Path(halocline.__file__).parents[2]
HEADER = SOURCES / "include" / "halocline" / "halocline.h"
PAGE = SOURCES / "docs" / "reference" / "languages.md"
if not HEADER.is_file():
    pytest.skip("installed without its sources", allow_module_level=True)

# C's objects, whose functions are members of a class of Python.
CLASSES = {
    "arena": "Arena", "async_exchange": "AsyncExchange", "cut": "GridCut",
    "distribution": "Distribution", "exchange": "Exchange", "gather_scatter": "GatherScatter",
    "grid": "Grid", "memory": "Memory", "pattern": "Pattern", "ragged_exchange": "RaggedExchange",
    "scheme": "Scheme", "section": "Section",
}  # fmt: skip


def functions() -> list[str]:
    found = re.findall(r"^(?:int|void|const char\*) (halocline_\w+)\(", HEADER.read_text(), re.M)
    assert len(found) > 200
    return found


def in_fortran() -> set[str]:
    """Return the functions that the module calls."""
    texts = [
        file.read_text()
        for file in (SOURCES / "src" / "fortran").glob("*.f90*")
        if file.name != "c.f90"
    ]
    return {f"halocline_{name}" for name in re.findall(r"\bc_(\w+)\(", "".join(texts))}


def in_python() -> set[str]:
    """Return the functions whose object is a class, and whose rest is a member of it."""
    folder = SOURCES / "src" / "python"
    names = r'\b(?:def|def_prop_ro|def_prop_rw|def_static)\(\s*"(\w+)"'
    shared = re.findall(names, (folder / "exchanges.hpp").read_text())
    members: dict[str, set[str]] = {}
    text = "".join(file.read_text() for file in folder.glob("*.cpp"))
    for part in re.split(r"nb::class_<", text)[1:]:
        found = {name.rstrip("_") for name in re.findall(names, part)}
        members[re.findall(r'"(\w+)"', part)[0]] = found | set(
            shared if "bind_steps(" in part else []
        )
    return {
        f"halocline_{thing}_{name}"
        for thing, title in CLASSES.items()
        for name in members[title] | {"create", "free"}
    } | {f"halocline_{name}" for name in re.findall(r'module\.def\(\s*"(\w+)"', text)}


def rows() -> list[tuple[list[str], str, str]]:
    """Return the table: functions, with `*` for any letters; what is in Fortran, and in Python."""
    text = PAGE.read_text("utf-8").partition("## What a language lacks")[2]
    found = []
    for line in text.partition("\n## ")[0].splitlines():
        if line.startswith("| `halocline_"):
            names, fortran, python = (cell.strip() for cell in line.split("|")[1:-1])
            found.append((re.findall(r"`(\w[\w*]*)`", names), fortran, python))
    return found


@pytest.mark.parametrize("language", ["Fortran", "Python"])
def test_what_is_lacking_has_a_reason(language):
    there = in_fortran() if language == "Fortran" else in_python()
    said = {
        pattern: bool(cells[language == "Python"]) for names, *cells in rows() for pattern in names
    }
    lacking = [
        name
        for name in functions()
        if name not in there and not any(fnmatch(name, one) and said[one] for one in said)
    ]
    assert not lacking, f"{language} has none of these, and {PAGE.name} does not say why"


def test_the_page_names_nothing_that_is_there():
    for names, fortran, python in rows():
        for pattern in names:
            meant = {name for name in functions() if fnmatch(name, pattern)}
            assert meant, f"there is no {pattern}"
            assert not fortran or not meant <= in_fortran(), f"Fortran has {pattern}"
            assert not python or not meant <= in_python(), f"Python has {pattern}"
