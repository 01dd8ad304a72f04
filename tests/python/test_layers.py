"""Every `#include` of the C++ sources goes the way that src/layers.toml names, and no other."""

import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from os.path import normpath
from pathlib import Path
from typing import NamedTuple

import pytest

import halocline

tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11")

SOURCES = Path(halocline.__file__).parents[2]
TABLE = SOURCES / "src" / "layers.toml"
if not TABLE.is_file():
    pytest.skip("installed without its sources", allow_module_level=True)

LAYERS = tomllib.loads(TABLE.read_text("utf-8"))["layer"]
NAMES = [layer["name"] for layer in LAYERS]
PUBLIC = "include/halocline/"
"""Ring 1; ring 2 is the folder `more` inside."""
EVERYTHING = "halocline"
"""What stands for the public headers of all layers in `uses`."""
FILES = {
    file.relative_to(SOURCES).as_posix(): file
    for folder in ("src", "include", "plugins", "apps", "tools", "bench")
    for file in sorted((SOURCES / folder).rglob("*"))
    if file.suffix in (".cpp", ".hpp", ".h", ".cu")
}
INCLUDE = re.compile(r"\s*#\s*include\s*[<\"]([^>\"]+)[>\"]")


class Place(NamedTuple):
    """Where a file belongs: a layer, and which of its folders if it has several."""

    layer: dict
    folder: str


def places(file: str) -> list[Place]:
    """Return all layers that a file belongs to; there should be one."""
    found = []
    for layer in LAYERS:
        sources = layer.get("sources", "")
        folder = "/".join(file.split("/")[: sources.count("/") + 1])
        if file.startswith(PUBLIC):
            if named(file) in headers(layer):
                found.append(Place(layer, ""))
        elif sources and fnmatch(folder, sources) and not shared(folder, layer):
            found.append(Place(layer, folder))
    return found


def named(file: str) -> str:
    """Return a public header as the table names it: one for C with its ending."""
    inside = file.removeprefix(PUBLIC)
    return inside if inside.endswith(".h") else inside.rpartition(".")[0]


def headers(layer: dict) -> list[str]:
    """Return the public headers of a layer: those of ring 1, then `more/...`."""
    return layer.get("headers", []) + [f"more/{name}" for name in layer.get("more", [])]


def shared(folder: str, layer: dict) -> bool:
    """Whether a folder that fits `apps/*` is or holds layers of its own, as apps/common does."""
    return any(
        other is not layer and f"{other.get('sources', '')}/".startswith(f"{folder}/")
        for other in LAYERS
    )


def included(file: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of what a file includes."""
    for number, line in enumerate(FILES[file].read_text("utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1]


def resolved(file: str, name: str) -> str:
    """Return the file of ours that a name in an #include stands for; empty if it is another's."""
    folders = [str(parent) for parent in Path(file).parents]  # its own folder and those around it
    for folder in [*folders, "include", "src", "apps/common", "apps", "tools"]:
        path = normpath(f"{folder}/{name}")
        if path in FILES:
            return path
    return ""


def offered(layer: dict, file: str) -> bool:
    """Whether other layers may include an internal header."""
    inside = file[len(layer["sources"]) + 1 :]
    if "*" in layer["sources"]:
        inside = file
    return any(fnmatch(inside, glob) for glob in layer["offers"])


def objection(user: Place, used: Place, file: str) -> str:
    """Return why a file of `user` may not include this one of `used`; empty if it may."""
    uses = user.layer["uses"]
    if used.layer is user.layer:
        return "" if used.folder in ("", user.folder) or not user.folder else "they stand beside it"
    public = file.startswith(PUBLIC)
    if public and EVERYTHING in uses:
        return ""
    if used.layer["name"] not in uses:
        return f"{user.layer['name']} does not use {used.layer['name']}"
    if not public and not offered(used.layer, file):
        return f"{used.layer['name']} does not offer it"
    return ""


def test_each_layer_uses_only_those_above_it():
    ends = NAMES.index("everything")  # of the library
    for position, layer in enumerate(LAYERS):
        above = {*NAMES[:position], *([EVERYTHING] if position >= ends else [])}
        assert set(layer["uses"]) <= above, layer["name"]


def test_each_file_belongs_to_one_layer():
    assert [file for file in FILES if len(places(file)) != 1] == []


def test_each_public_header_is_there():
    table = Counter(header for layer in LAYERS for header in headers(layer))
    assert table == Counter(named(file) for file in FILES if file.startswith(PUBLIC))


def test_the_first_ring_stands_without_the_second():
    inside = [f for f in FILES if f.startswith(PUBLIC) and not f.startswith(f"{PUBLIC}more/")]
    wrong = [
        f"{file}:{line}: {name}"
        for file in inside
        for line, name in included(file)
        if name.startswith("halocline/more/")
    ]
    assert wrong == []


def test_what_every_file_includes_compiles_fast():
    """Each of these takes 0.4 to 0.6 s, and exchange.hpp 0.9 s in all."""
    slow = {"algorithm", "chrono", "complex", "functional", "iostream", "iterator"}
    slow |= {"ranges", "regex", "sstream", "thread", "unordered_map"}
    reached, rest = set(), [f"{PUBLIC}exchange.hpp"]
    while rest:
        file = rest.pop()
        reached.add(file)
        names = {name for _, name in included(file)}
        assert not names & slow, file
        rest += {resolved(file, name) for name in names} - {"", *reached}


def test_every_include_goes_the_way_of_the_layers():
    wrong = []
    for file in FILES:
        user = places(file)[0]
        for line, name in included(file):
            target = resolved(file, name)
            if target and (why := objection(user, places(target)[0], target)):
                wrong.append(f"{file}:{line}: includes {target}: {why}")
    assert not wrong, "\n".join(wrong)


def test_what_is_named_with_quotes_is_found():
    """Else an include of ours would pass unseen."""
    lost = [
        f"{file}:{number}: {line.strip()}"
        for file, path in FILES.items()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if (match := INCLUDE.match(line))
        and ('"' in line or match[1].startswith("halocline/"))
        and not resolved(file, match[1])
    ]
    assert lost == []


def test_programs_name_nothing_internal():
    inside = re.compile(r"\b(?:halocline|trace|mpi_?|model)::detail\b")
    named = [
        f"{file}:{number}"
        for file, path in FILES.items()
        if file.split("/")[0] in ("plugins", "apps", "tools", "bench")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if inside.search(line)
    ]
    assert named == []


def test_the_architecture_names_the_layers_as_they_are():
    text = (SOURCES / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w*) ?\| ((?:`[\w/]+\.hpp`(?:, )?)+) \|", text, re.MULTILINE)
    names = [name for name, _ in rows if name]
    library = LAYERS[: NAMES.index("everything")]
    assert names == [layer["name"] for layer in library if headers(layer)]
    layer = {}
    for name, named in rows:
        layer = next((one for one in library if one["name"] == name), layer)
        assert set(re.findall(r"`([\w/]+)\.hpp`", named)) <= set(headers(layer)), layer["name"]


def test_what_ranks_decide_each_for_itself_is_not_left_to_libm():
    """Its last digits differ between nodes. IEEE 754 rounds what is named here in one way."""
    call = re.compile(r"\bstd::(\w+)\(\s*\w")
    libm = "a?(cos|sin|tan)h?|atan2|exp(2|m1)?|log(2|10|1p)?|pow|cbrt|hypot|[lt]gamma|erfc?|fma"
    decisions = ("base/median", "base/logarithm", "tuner/lap_contest", "tuner/laps", "tuner/race")
    used = [
        f"{name}: {function}"
        for name in decisions
        for suffix in ("cpp", "hpp")
        for function in call.findall(FILES[f"src/{name}.{suffix}"].read_text("utf-8"))
        if re.fullmatch(libm, function)
    ]
    assert used == []
