"""Files that are compiled together have no two of one name in their unnamed namespaces.

Which files share a batch differs by configuration (HALOCLINE_BATCH, libraries that are missing), so
a clash that one build does not see breaks another.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from declarations import declarations

import halocline

SOURCES = Path(halocline.__file__).parents[2]
if not (SOURCES / "src").is_dir():
    pytest.skip("installed without its sources", allow_module_level=True)

ALONE = re.compile(r"src/(events/events|tuner/adviser)\.cpp|src/device/backend/.*")
"""Compiled by themselves: CMakeLists.txt."""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("constexpr int most = 3;", ["most"]),
        ("const char* const words[] = {3, 4};", ["words"]),
        ("constexpr long many = long{1} << 62;", ["many", ""]),
        (
            "int add(int a, const std::set<int>& b = {}) { return a; }",
            ["add(int, const std::set&)"],
        ),
        ("template <class T>\n  requires(sizeof(T) > 2)\nT add(T a) noexcept {}", ["add(T)"]),
        ("struct Two final : One { int add(); };", ["Two"]),
        ("using One = int; static_assert(sizeof(int) == 4);", ["", ""]),
        ("}  // namespace\nint seen();\nnamespace {", []),
    ],
)
def test_names_are_found(text, names):
    whole = "namespace a::b {\nnamespace {\n" + text + "\n}\n}"
    found = [one for one in declarations(whole) if one.around == ("a::b", "")]
    assert [one.name() for one in found] == names


@pytest.mark.parametrize(("library", "folder"), [("halocline", ""), ("halocline_style", "style")])
def test_no_batch_has_a_name_twice(library, folder):
    files = defaultdict(set)
    for path in sorted((SOURCES / "src").rglob("*.cpp")):
        file = path.relative_to(SOURCES).as_posix()
        if file.startswith("src/style/") == bool(folder) and not ALONE.fullmatch(file):
            for one in declarations(path.read_text("utf-8")):
                if "" in one.around and one.name():
                    files["::".join([*one.around, one.name()])].add(file)
    twice = {name: sorted(where) for name, where in files.items() if len(where) > 1}
    assert twice == {}, library
