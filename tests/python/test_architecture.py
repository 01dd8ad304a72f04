"""Packages use only those before them, through their faces, and nothing goes in circles."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import halocline

ROOT = Path(halocline.__file__).parent
ORDER = (
    "errors", "text", "files", "outputs", "shapes", "folders", "records", "tables", "statistics",
    "figures", "launch", "libmpi", "library", "arrays", "sparse", "measure", "model", "traces",
    "advice", "reports", "verbs", "cli",
)  # fmt: skip
"""The house from the ground up: each part uses only those before it; two are to come."""


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in sorted(ROOT.rglob("*.py"))}
PACKAGES = {name for name, file in MODULES.items() if file.name == "__init__.py"}


def imports(module: str) -> Iterator[tuple[str, str]]:
    """Yield what a module imports, also within functions: `from A import B` as A and B."""
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import"
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def uses(module: str) -> set[str]:
    """Return the modules of halocline that a module imports."""
    named = (f"{a}.{b}" if f"{a}.{b}" in MODULES else a for a, b in imports(module))
    return {name for name in named if name in MODULES} - {module, "halocline"}


def part(module: str) -> str:
    """Return the part of the house that a module belongs to."""
    return module.split(".")[1]


INSIDE = [name for name in MODULES if name not in ("halocline", "halocline.__main__")]


@pytest.mark.parametrize("module", INSIDE)
def test_every_part_uses_only_those_before_it(module):
    place = ORDER.index(part(module))
    assert [used for used in uses(module) if ORDER.index(part(used)) > place] == []


@pytest.mark.parametrize("module", INSIDE)
def test_packages_are_used_through_their_faces(module):
    """What another package's `__all__` does not name is its own business."""
    for used, name in imports(module):
        if not used.startswith("halocline.") or part(used) == part(module):
            continue
        if used in PACKAGES:
            assert name in import_module(used).__all__, f"{used} does not offer {name}"
        elif used.count(".") > 1:
            package, _, own = used.rpartition(".")
            assert own in import_module(package).__all__, f"{used} lies behind a face"


def test_nothing_goes_in_circles():
    graph = {module: uses(module) for module in INSIDE}
    while graph:
        free = [module for module, used in graph.items() if not used & graph.keys()]
        assert free, f"circles among {sorted(graph)}"
        graph = {module: used for module, used in graph.items() if module not in free}


@pytest.mark.parametrize("module", [name for name in INSIDE if part(name) != "cli"])
def test_only_the_command_line_talks_to_the_terminal(module):
    used = {name.split(".")[0] for name, _ in imports(module)}
    assert not used & {"rich", "typer"}
    calls = (n for n in ast.walk(ast.parse(MODULES[module].read_text())) if isinstance(n, ast.Call))
    assert "print" not in {call.func.id for call in calls if isinstance(call.func, ast.Name)}


@pytest.mark.parametrize("package", sorted(PACKAGES - {"halocline.cli"}))
def test_a_face_says_what_it_offers(package):
    face = import_module(package)
    assert face.__doc__ and face.__all__
    for name in face.__all__:
        found = getattr(face, name, None) or import_module(f"{package}.{name}")
        assert found is not None, name


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import halocline", {"numpy", "scipy", "pandas", "rich", "typer"}),
        ("import halocline; halocline.compare", {"scipy", "pandas", "rich", "typer"}),
        ("import halocline.cli.main", {"matplotlib", "scipy", "pandas"}),
    ],
)
def test_importing_loads_only_what_is_needed(statement, absent):
    code = f"import sys; {statement}; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {name.split(".")[0] for name in said.stdout.split()} & absent


@pytest.mark.parametrize("module", INSIDE)
def test_text_is_read_and_written_in_an_encoding_that_is_named(module):
    """Else it is the locale's, and files of others cannot be read."""
    first = {"read_text": 0, "write_text": 1}  # where the encoding stands among the arguments
    for call in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        name, words = call.func.attr, {one.arg for one in call.keywords}
        named = "encoding" in words or len(call.args) > first.get(name, len(call.args))
        if name in ("read_text", "write_text", "makefile"):
            assert named, f"{module}: line {call.lineno}"
        if name == "open" and isinstance(call.func.value, ast.Name):
            modes = [one.value for one in call.args if isinstance(one, ast.Constant)]
            raw = call.func.value.id == "os" or any("b" in str(mode) for mode in modes)
            assert raw or named, f"{module}: line {call.lineno}"


SOURCES = ROOT.parents[1]
MEETINGS = re.compile(
    r"(?<![\w(])MPI_(?:All\w+|Barrier|Bcast|Comm_(?:create\w*|dup\w*|split\w*)|"
    r"Dist_graph_create\w*|Cart_create|Exscan|Gatherv?|Neighbor_\w+|Recv|Reduce\w*|Scan|Scatterv?|"
    r"Send|Sendrecv|Win_(?:allocate\w*|create\w*|fence))\("
)
"""A call that waits for other ranks, but for those in HALOCLINE_MPI(MPI_...)."""


@pytest.mark.skipif(not (SOURCES / "src").is_dir(), reason="installed without its sources")
def test_what_waits_for_other_ranks_has_the_time_limit():
    """HALOCLINE_MPI puts it on."""
    raw = [
        f"{file.relative_to(SOURCES)}:{number}"
        for folder in ("src", "apps", "tools", "include", "plugins")
        for file in sorted((SOURCES / folder).rglob("*.[ch]pp"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if MEETINGS.search(line) and not line.lstrip().startswith("//")
    ]
    allowed = {
        "plugins/gaspi/runtime.cpp": "MPI_Finalize is under way",
        "src/mpi/scarce.hpp": "of itself",
        "tools/halometer/plain_gaspi.cpp": "a yardstick ends",
        "tools/haloreplay/collectives.cpp": "as the program calls it; the plan's limit ends it",
        "tools/haloreplay/messages.cpp": "the same",
    }
    guests = (
        "tools/preload/",
        "tools/recorder/",
        "tools/substitute/",
    )  # in programs of others, which wait for ever
    rest = [place for place in raw if not place.startswith(guests)]
    assert [place for place in rest if place.split(":")[0] not in allowed] == []


@pytest.mark.skipif(not (SOURCES / "src").is_dir(), reason="installed without its sources")
def test_variables_are_read_in_one_place():
    raw = [
        str(file.relative_to(SOURCES))
        for folder in ("src", "apps", "tools", "include")
        for file in sorted((SOURCES / folder).rglob("*.[ch]pp"))
        if re.search(r"getenv\(\"HALOCLINE_", file.read_text("utf-8"))
    ]
    # A back end for devices is a library of its own, and so is what is preloaded.
    guests = ("tools/preload/", "tools/recorder/", "tools/substitute/")
    assert [file for file in raw if not file.startswith(guests)] == [
        "src/device/backend/openmp.cpp"
    ]
