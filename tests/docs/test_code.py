"""Every block of code on every page is compiled, run or looked up; a new page is found by itself.

`cpp`, `c`, `fortran`, `make` and `cmake` must stand, however indented, in a source that the build
or a test compiles, or in a block with a title, which examples.py writes and builds. `sh` and `bash`
must name programs, verbs, options and tests that are there; examples.py runs what takes seconds.
`python` is compiled, and run where it uses the binding; `json` and `toml` are read. Blocks of other
kinds show something.
"""

import ast
import inspect
import json
import re

import command_lines
import halocline
import pytest
from pages import PAGES, ROOT, blocks

ELSEWHERE = {
    "docs/reference/launchers.md": "tests/python/test_jobs.py reads them",
}
"""Pages whose blocks a test of their own takes."""
OF_THE_READER = {
    "add_subdirectory(extern/halocline)": "test consumer.add_subdirectory, from a place of its own",
}
"""Lines of CMake that are tested in other words."""
SOURCES = ("apps", "examples", "tests", "tools")
SUFFIXES = {".cpp", ".hpp", ".cu", ".c", ".f90", ".cmake"}
KINDS = {"", "text", "ini", "toml", "json", "python", "sh", "bash", "cpp", "c", "fortran", "make",
         "cmake"}  # fmt: skip
SHELL = [block for block in blocks("sh", "bash") if block.page not in ELSEWHERE]


def plain(text):
    """Return the text as it is but for white space."""
    return " ".join(text.split())


@pytest.fixture(scope="module")
def compiled():
    """Give the texts of all sources that are compiled, and of the pages' own files."""
    files = [
        file for folder in SOURCES for file in (ROOT / folder).rglob("*")
        if file.suffix in SUFFIXES or file.name in ("CMakeLists.txt", "Makefile")
    ]  # fmt: skip
    own = [block.code for block in blocks() if block.title]
    return [plain(text) for text in (*(file.read_text("utf-8") for file in files), *own)]


def test_blocks_are_of_kinds_that_something_looks_at():
    assert [f"{block}: {block.kind}" for block in blocks() if block.kind not in KINDS] == []
    fences = sum(len(re.findall("^ *```", page.read_text("utf-8"), re.MULTILINE)) for page in PAGES)
    assert fences == 2 * len(blocks()), "a fence is written in a way that nothing here finds"


def test_code_stands_in_sources_that_are_compiled(compiled):
    def there(code):
        return any(plain(code) in text for text in compiled)

    missing = [
        f"{block}: {block.code}" for block in blocks("cpp", "c", "fortran", "make")
        if block.page not in ELSEWHERE and not there(block.code)
    ]  # fmt: skip
    assert not missing, "in no source:\n" + "\n".join(missing)
    lines = [(block, line) for block in blocks("cmake") for line in block.code.splitlines()]
    assert [f"{block}: {line}" for block, line in lines
            if line not in OF_THE_READER and not there(line)] == []  # fmt: skip


def test_code_stands_in_the_file_that_the_line_before_it_names():
    named = re.compile(
        r"^`([\w./-]+)`[^\n]*:\n\n```(?!sh|bash)\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL
    )
    found = [
        (page.name, file, code in (ROOT / file).read_text("utf-8"))
        for page in PAGES for file, code in named.findall(page.read_text("utf-8"))
        if (ROOT / file).is_file()
    ]  # fmt: skip
    assert len(found) > 5
    assert [f"{page}: {file}" for page, file, there in found if not there] == []


def test_pages_with_files_of_their_own_are_followed():
    """By examples.py, which makes these files; CMakeLists.txt names the pages."""
    text = (ROOT / "tests/docs/CMakeLists.txt").read_text("utf-8")
    followed = re.search(r"foreach\(page (.*?)\)", text, re.DOTALL)[1].split()
    titled = {block.page.removesuffix(".md") for block in blocks() if block.title}
    assert titled <= set(followed)


@pytest.mark.parametrize("page", sorted({block.page for block in SHELL}))
def test_commands_are_there(page):
    if not command_lines.BUILD.joinpath("CTestTestfile.cmake").is_file():
        pytest.skip("needs the build: ./dev build")
    wrong = [
        f"{block}: {problem}" for block in SHELL if block.page == page
        for problem in command_lines.wrong(block.code)
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("halocline compair laplace", "halocline has no verb compair"),
        ("halocline run laplace --rank 2 --scheme auto", "halocline run has no --rank"),
        ("halocline run laplace --ranks two", "halocline run: "),
        ("FOO=1 mpiexec -n 2 laplace --per-ranks 2,2,2 | sort", "laplace has no --per-ranks"),
        ("./dev mpiexec -n 2 bin/laplace --per-ranks 2,2,2", "laplace has no --per-ranks"),
        ("halometer halo --extend 64x64", "halometer has no --extend"),
        ("./dev bench halo --extend 64x64", "halocline bench halo has no --extend"),
        ("./dev biuld", "there is no ./dev biuld"),
        ("./dev build laplaze", "there is no target laplaze"),
        ("python bench/drifts.py 1x1", "there is no bench/drifts.py"),
        ("python bench/drift.py 1x1 --step 25", "bench/drift.py has no --step"),
        ("ctest --test-dir build/release -R no_such_test", "no test has -R no_such_test"),
        ("cd there && haloclime run", "nobody knows haloclime"),
        ("case $x in 0 | 6) ;; *) haloclime run ;; esac", "nobody knows haloclime"),
        ("now=$(haloclime --version)", "nobody knows haloclime"),
    ],
)
def test_commands_that_are_not_there_are_found(line, problem):
    if not command_lines.BUILD.joinpath("CTestTestfile.cmake").is_file():
        pytest.skip("needs the build: ./dev build")
    assert "\n".join(command_lines.wrong(line)).startswith(problem)


def test_python_compiles_and_calls_what_is_there():
    """tests/python/test_binding_pages.py runs the pages of the binding besides."""
    for block in blocks("python"):
        tree = ast.parse(block.code, str(block))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            path = ast.unparse(call.func).split(".")
            if path[0] != "halocline" or len(path) != 2:
                continue
            verb = getattr(halocline, path[1])
            named = {one.arg: None for one in call.keywords}
            inspect.signature(verb).bind(*call.args, **named)


def test_json_and_toml_are_read():
    for block in blocks("json"):
        rest = block.code.replace(", ...", "").lstrip()  # one value after the other
        while rest:
            _, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:].lstrip()
    tomllib = pytest.importorskip("tomllib")
    for block in blocks("toml"):
        tomllib.loads(block.code)
