"""The pages with Python, and the programs in examples/python, as they stand."""

import itertools
import re

import pytest
from test_binding import ROOT, run

DOCS = ROOT / "docs"
PROGRAMS = ROOT / "examples" / "python"


BLOCKS = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    page for page in sorted(DOCS.rglob("*.md")) if "import halocline as hc" in page.read_text()
]


@pytest.mark.parametrize(
    ("page", "ranks"),
    [*itertools.product(PAGES, (2, 3)), (DOCS / "how-to" / "from-python.md", 1)],
    ids=lambda one: getattr(one, "stem", None),
)
def test_pages_run_as_they_stand(page, ranks, tmp_path):
    script = tmp_path / "page.py"
    script.write_text("".join(BLOCKS.findall(page.read_text())))
    done = run(script, ranks=ranks)
    assert (done.returncode, done.stderr) == (0, "")


def test_pages_are_found():
    assert {page.stem for page in PAGES} >= {"from-python", "coming-from", "languages"}


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("heat", ["40", "300"]),
        ("particles", ["500", "20"]),
        ("conjugate_gradients", ["20"]),
        ("wave", ["12", "10"]),
        ("shallow_water", ["24", "20"]),
    ],
)
def test_programs_find_the_same_on_any_ranks(program, arguments):
    file = PROGRAMS / f"{program}.py"
    assert len(file.read_text().split("\n")) <= 60
    said = set()
    for ranks, scheme in ((1, "auto"), (2, "shm:signal"), (3, "p2p:nonblocking")):
        done = run(file, *arguments, scheme, ranks=ranks)
        assert (done.returncode, done.stderr) == (0, "")
        said.add(done.stdout)
    assert len(said) == 1, said


@pytest.mark.parametrize("ranks", [1, 3])
def test_programs_find_what_plain_numpy_does(ranks):
    done = run(ROOT / "tests" / "python" / "gallery_checks.py", ranks=ranks)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_programs_are_all_tested():
    names = {file.stem for file in PROGRAMS.glob("*.py")}
    assert names == {"heat", "particles", "conjugate_gradients", "wave", "shallow_water"}
