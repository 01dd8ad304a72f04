"""Names between backquotes, on all pages, are names that the code has.

Every word of a name must be one of the code's, comments aside. Besides, `Class::member`,
`halocline.name`, files, schemes, options and commands are looked up as what they are.
"""

import functools
import json
import pkgutil
import re
from collections import defaultdict

import command_lines
import halocline
import pytest
from pages import CODE, FENCE, PAGES, ROOT

SPAN = re.compile(r"(?<!`)`((?:[^`\n]|\n(?!\n))+)`(?!`)")
FILES = [
    str(file.relative_to(ROOT))
    for pattern in ("*", *(f"{folder}/**/*" for folder in (*CODE, "docs", "packaging", ".ci")))
    for file in ROOT.glob(pattern)
    if file.is_file() and "__pycache__" not in file.parts
]
OTHERS = re.compile(
    r"\b(ADCL|MPIX?|MPIR|MPIDIG|OMP|cs|hypre|xt|XT|MatMult|PetscSF)_?[A-Z_a-z]\w*"
    r"|\b(LAMMPS_NS|Foam|meep|std|Kokkos)::[\w:]+|https?:\S+|\b(nm|pip|spack) .*"
    r"|--(?:with|config)-\w+|(?<!\S)-[a-zA-Z]\S*|0x\w+"
)
"""Names that other libraries, compilers and commands give."""
OPEN = re.compile(r"\b[A-Z]{3,}\b|NAME_|_?BACKEND|NUMBER|\.\.\.\w*|\w*\.\.\.|\b\d?x\d+\w*|\bsm_\d+")
"""What the reader fills in, and sizes."""
OF_OTHERS = {
    "halocline state": "the first line of a file",
    "bench/in.lj": "a file of LAMMPS",
    "bench/peers/beside_simgrid.py": "in another commit, which the page names",
    "beside_smpi.py": "the same",
    'exec apptainer exec --bind ... halocline.sif laplace "$@"': "a script of the reader's",
    "python -m mpi4py script.py": "the same",
    "mpiexec -n 4 python script.py": "the same",
}
"""Names that are not this tree's, and whose they are."""
WORDS_OF_OTHERS = {
    "docs/how-to/coming-from.md": "accumulate_halos wrap_field xmap vec cart_comm hwidth",
    "docs/explanation/parts-of-graphs.md": "Third",  # *Third*
    "docs/how-to/advise.md": "apptainer",
    "docs/how-to/from-c.md": "MIN halocline_x halocline_x_free",
    "docs/how-to/from-fortran.md": "arg_temp_created",
    "docs/how-to/from-python.md": "multiprocessing",
    "docs/how-to/in-a-program-that-already-has-mpi.md": "py2f",
    "docs/how-to/install.md": "manylinux_2_36",
    "docs/how-to/redistribute-an-array.md": "atmosphere ocean",
    "docs/how-to/run-at-a-centre.md": "job salloc",
    "docs/how-to/use-a-gpu.md": "mps",
    "docs/how-to/use-gaspi.md": "use_shm",
    "docs/explanation/when-neighbourhood-collectives-win.md": "sched_linear",
    "docs/measured/advice.md": "pml_monitoring",
    "docs/measured/nvidia-h200.md": "mps sanitizer",
    "docs/reference/devices.md": "depend mps",
    "docs/reference/environment.md": "HWLOC_XMLFILE",
    "docs/reference/file-formats.md": "gcv read_data",
    "docs/reference/styles.md": "laplace_all_styles",  # ${program}_all_styles
    "docs/reference/versions-and-abi.md": "HALOCLINE_0 DeprecationWarning deprecated",
    "docs/reference/waits.md": "chrt",
}
"""Words on a page that the code does not have, or makes up."""


@functools.cache
def spans():
    """Return what stands between backquotes outside blocks, by page."""
    texts = {page: FENCE.sub("", page.read_text("utf-8")) for page in PAGES}
    return {
        str(page.relative_to(ROOT)): [" ".join(span.split()) for span in SPAN.findall(text)]
        for page, text in texts.items()
    }


def nothing_wrong(look):
    """Say whether `look` complains of no name on any page, and print what it complains of."""
    found = sorted(
        {f"{page}: `{span}`: {problem}" for page, names in spans().items()
         for span in {*names} - {*OF_OTHERS} for problem in look(page, OTHERS.sub(" ", span))}
    )  # fmt: skip
    print(*found, sep="\n")
    return not found


@functools.cache
def code():
    """Return the texts of the code by file, without comments."""
    texts = {}
    for file in FILES:
        if file.endswith((".md", ".json", ".svg", ".png")) or file.startswith("tests/fuzz/corpus"):
            continue
        if file.startswith("tests/docs/") and file.endswith(".py"):  # here are names of others
            continue
        try:
            text = (ROOT / file).read_text("utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        mark = "//" if file.endswith((".cpp", ".hpp", ".h", ".c", ".cu")) else r"(?<!\S)#(?=\s)"
        texts[file] = re.sub(rf"{mark}.*", "", text)
    return texts


def test_words_are_the_codes():
    there = set(re.findall(r"\w+", " ".join([*code().values(), *FILES])))

    def look(page, span):
        theirs = WORDS_OF_OTHERS.get(page, "").split()
        whole = re.sub(r"\w*\*[\w*]*", " ", OPEN.sub(" ", span))  # without what `*` leaves open
        words = re.findall(r"(?<!\w)[A-Za-z_]\w{2,}", whole)
        words = {word for word in words if word not in there and word not in theirs}
        return [f"no {word}" for word in words if word.removeprefix("lib") not in there]

    assert nothing_wrong(look)


def test_members_are_those_of_their_classes():
    headers = {file: text for file, text in code().items() if file.endswith((".hpp", ".h"))}
    declared = defaultdict(set)
    for text in (text.replace("enum class ", "enum ") for text in headers.values()):
        for name in re.findall(
            r"\b(?:class|struct|enum(?: class)?|namespace|using) ([\w:]+)", text
        ):
            for part in name.split("::"):
                declared[part] |= set(re.findall(r"\w+", text))

    def look(_, span):
        for name in re.findall(r"\b[A-Za-z_]\w*(?:::\w+)+", span):
            for outer, inner in zip(name.split("::"), name.split("::")[1:]):
                if inner not in declared[outer]:
                    yield f"{outer} has no {inner}"

    assert nothing_wrong(look)


def test_python_has_what_is_named():
    endings = {file.rpartition("/")[2] for file in FILES}
    try:
        halocline.Grid  # noqa: B018
    except ImportError:
        pytest.skip("needs the compiled module: ./dev build")

    def look(_, span):
        for name in re.findall(r"(?<![\w/])(?:hc|halocline)((?:\.\w+)+)(?![\w/.]*\.json)", span):
            if f"halocline{name}" in endings:
                continue
            try:
                pkgutil.resolve_name("halocline" + name)
            except (AttributeError, ImportError):
                yield f"no {name}"

    assert nothing_wrong(look)


def test_files_are_there():
    paths = {path for file in FILES for path in (file, file.rpartition(".")[0])}
    paths |= {file[:at] for file in FILES for at, letter in enumerate(file) if letter == "/"}
    ends = {path[at:] for path in paths for at in [0, *(m.end() for m in re.finditer("/", path))]}

    def look(_, span):
        named = re.findall(
            r"(?<![\w.{}*/<-])\w[\w/-]*\.(?:cpp|hpp|py|f90|cmake)\b(?![\w.*(])", span
        )
        if re.fullmatch(rf"(?:{'|'.join(CODE)})/[\w./-]*", span):
            named.append(span.rstrip("/"))
        return [f"no {file}" for file in named if file not in ends]

    assert nothing_wrong(look)


def test_schemes_are_understood():
    halocheck = command_lines.BUILD / "bin" / "halocheck"
    if not halocheck.is_file():
        pytest.skip("needs halocheck: ./dev build")
    said = command_lines.said_by(halocheck, "--list", "--all", "--json")
    methods = [one["scheme"] for one in json.loads(said)]
    families = "|".join({method.partition(":")[0] for method in methods} | {"auto"})
    scheme = re.compile(rf"(?<![\w:*./@-])(?:{families})[:+][\w:+=*-]*[\w*](?![\w(/])")
    named = {one for names in spans().values() for name in names for one in scheme.findall(name)}
    named -= {"p2p:probed"}  # the method that a page adds
    said = command_lines.said_by(halocheck, "--globs", *named)
    unknown = set(json.loads(said)["match_no_scheme"])

    def look(_, span):
        for one in unknown & set(scheme.findall(span)):
            try:
                if not any(method.startswith(one) for method in methods):
                    halocline.Scheme(one)
            except halocline.Error as problem:
                yield str(problem)

    assert nothing_wrong(look)


def test_options_are_there():
    text = " ".join(text for file, text in code().items() if not file.startswith("docs/"))
    there = command_lines.options_in(text) | {"--help"}
    commands = [command_lines.COMMAND]
    for command in commands:
        commands += getattr(command, "commands", {}).values()
        there |= {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    for name, path in command_lines.PROGRAMS.items():
        if path.is_file():
            there |= command_lines.program_options(name, [])

    def look(_, span):
        options = re.findall(r"(?<![\w-])--[a-z][\w-]*", span)
        return [f"no {option}" for option in options if option not in there]

    assert nothing_wrong(look)


def test_commands_are_there():
    def look(_, span):
        words = span.split()
        if len(words) > 1 and words[0] in ("halocline", "./dev", *command_lines.PROGRAMS):
            yield from command_lines.wrong(span, parsed=False)

    assert nothing_wrong(look)


@pytest.mark.parametrize(
    ("test", "span"),
    [
        (test_words_are_the_codes, "halocline_commence(HALOCLINE_NOTHING)"),
        (test_members_are_those_of_their_classes, "Exchange::commence"),
        (test_python_has_what_is_named, "hc.Exchange.commence"),
        (test_files_are_there, "src/exchange/commence.cpp"),
        (test_schemes_are_understood, "p2p:nonblokking"),
        (test_schemes_are_understood, "rma:put:fence+notify=flag"),
        (test_options_are_there, "--commence"),
        (test_commands_are_there, "laplace --per-ranks 2,2,2"),
    ],
)
def test_what_is_not_there_is_found(test, span, monkeypatch):
    monkeypatch.setitem(globals(), "spans", lambda: {"page.md": [span]})
    with pytest.raises(AssertionError):
        test()
