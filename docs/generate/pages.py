"""Pages and pictures of the site that nobody writes: a hook of MkDocs.

Notebooks are executed. The C++ interface comes from the headers, the command line and the programs'
options from what they say of themselves. The pictures are drawn by the programs, the table of the
atlas has what its files say. A link of a page to a file of the repository outside docs/ becomes a
link to a page that shows the file.
"""

import os
import posixpath
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.model import fitting
from halocline.reports import forecast
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
import api
import atlas
import notebooks
import parts_of_graphs

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = Path(os.environ.get("HALOCLINE_BIN", ROOT / "build/release/bin"))
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
PICTURE = re.compile(r"\]\((?:\.\./)*(images/[\w/-]+\.svg)\)")
LANGUAGES = {
    ".cmake": "cmake", ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".py": "python",
    ".toml": "toml", "": "sh",
}  # fmt: skip


def said_by(*command):
    """Return what a command prints."""
    try:
        return subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=True, cwd=ROOT,
            env={**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"},
        ).stdout  # fmt: skip
    except (OSError, subprocess.CalledProcessError) as problem:
        said = " ".join(map(str, command))
        raise PluginError(f"{said}: {problem}; './dev docs' has all it needs") from None


def command_line():
    """Describe the command `halocline`."""
    said = said_by(
        Path(sys.executable).parent / "typer", "halocline.cli.main", "utils", "docs",
        "--name", "halocline",
    )  # fmt: skip
    said = re.sub(r"\*\*Commands\*\*:\n\n(\* .*\n)+\n", "", said)  # the contents do better
    return said.replace("# `halocline`", "# The command `halocline`", 1)


def programs():
    """Describe the options of all programs."""
    lines = [
        "# Programs",
        "What the programs print with `--help`. They are in `build/release/bin`; start them with "
        "`halocline run PROGRAM`, `./dev mpiexec -n 2 build/release/bin/PROGRAM`, or your own "
        "launcher.",
    ]
    for program in (
        "partdiff", "laplace", "md", "matmul", "spmv", "halometer", "halocheck",
        "heat", "replicate", "haloplan", "halosim",
    ):  # fmt: skip
        said = said_by(PROGRAMS / program, "--help").rstrip()
        lines += [f"## {program}", f"```text\n{said}\n```"]
    return "\n\n".join(lines) + "\n"


def picture(uri):
    """Draw what a page shows: a step of a scheme, or the parts of a graph."""
    try:
        if uri == "images/parts-of-graphs.svg":
            return parts_of_graphs.picture(PROGRAMS / "haloplan")
        scheme = uri.removeprefix("images/model/").removesuffix(".svg").replace("-", ":")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "step.svg"
            return forecast.diagram(scheme, fitting.beginning(), file, PROGRAMS).read_bytes()
    except (HaloclineError, OSError, subprocess.CalledProcessError) as problem:
        raise PluginError(f"{uri}: {problem}") from None


def place_of(file):
    """Return where the site shows a file of the repository."""
    if file.is_relative_to("docs"):
        return str(file.relative_to("docs"))
    return f"source/{file}" if file.suffix == ".md" else f"source/{file}.md"


def with_links(text, file, outside):
    """Let the links of `file` lead to pages; add what they need to `outside`."""

    def to_page(match):
        path = Path(os.path.normpath(file.parent / match[1]))
        target = ROOT / path
        if not target.is_file() or (path.is_relative_to("docs") and file.is_relative_to("docs")):
            return match[0]
        if not path.is_relative_to("docs"):
            outside.add(path)
        here = posixpath.dirname(place_of(file))
        return f"]({posixpath.relpath(place_of(path), here)}{match[2] or ''})"

    return LINK.sub(to_page, text)


def shown(file, outside):
    """Return the page that shows a file of the repository."""
    text = (ROOT / file).read_text()
    if file.suffix == ".md":
        return with_links(text, file, outside)
    language = LANGUAGES.get(file.suffix, "text")
    return f"{UNSEARCHED}# {file.name}\n\n`{file}`\n\n````{language}\n{text}````\n"


def on_config(config):
    """Name the pages of the C++ interface, header by header: ring 1, then ring 2."""
    reference = next(part["Reference"] for part in config.nav if "Reference" in part)
    of_headers = next(part["C++"] for part in reference if "C++" in part)
    headers = ROOT / "include" / "halocline"
    for file in [*sorted(headers.glob("*.hpp")), *sorted(headers.glob("more/*.hpp"))]:
        if file.stem not in api.WITHOUT_PAGE:
            name = file.relative_to(headers).as_posix()
            of_headers.append({name: f"reference/api/{file.stem}.md"})
    return config


def on_files(files, config):
    """Add the pages and the pictures."""
    pages = {"reference/command-line.md": command_line(), "reference/programs.md": programs()}
    pages |= {f"reference/api/{name}": text for name, text in api.pages(ROOT).items()}
    names = ("CONTRIBUTING", "CHANGELOG", "SUPPORT", "SECURITY")
    outside, done = {Path(f"{name}.md") for name in names}, set()
    drawn = set()
    for page in files.documentation_pages():
        with_links(page.content_string, Path("docs") / page.src_uri, outside)
        drawn.update(PICTURE.findall(page.content_string))
    while outside - done:
        for file in sorted(outside - done):
            pages[place_of(file)] = shown(file, outside)
            done.add(file)
    for notebook in sorted((ROOT / "docs").rglob("*.ipynb")):
        uri = notebook.relative_to(ROOT / "docs").with_suffix(".md")
        pages[str(uri)], pictures = notebooks.page(notebook, PROGRAMS)
        for name, content in pictures.items():
            files.append(File.generated(config, str(uri.parent / name), content=content))
    for uri, text in pages.items():
        files.append(File.generated(config, uri, content=text))
    for uri in sorted(drawn):
        files.append(File.generated(config, uri, content=picture(uri)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Let links to files of the repository lead to the pages that show them."""
    if page.file.generated_by:
        return markdown
    if page.file.src_uri == "atlas/index.md":
        markdown = atlas.page(markdown)
    return with_links(markdown, Path("docs") / page.file.src_uri, set())
