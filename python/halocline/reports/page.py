"""What all pages share: templates, downloads, one file that needs nothing else."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jinja2

from halocline import __version__, text
from halocline.launch import short_library
from halocline.outputs import save
from halocline.records import now

LARGEST_BYTES = 5_000_000
"""No page is larger."""


def render(template: str, **content: Any) -> str:
    """Return a page.

    Parameters
    ----------
    template
        Its name in the folder `templates`.
    content
        What the template shows.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    return environment.get_template(template).render(version=__version__, now=now(), **content)


def where(content: Mapping[str, Any], time: str) -> str:
    """Return in a line the processor, the MPI library and the time of a result file."""
    machine, mpi = content.get("machine", {}), content.get("mpi", {})
    library = str(mpi.get("library", ""))
    parts = [f"{machine.get('cpu', '')}, {machine.get('cores', '?')} cores"]
    return " · ".join([*parts, *([short_library(library)] if library else []), time])


def download(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a table as a CSV file within an address."""
    rows = list(rows)
    file = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return address("text/csv;charset=utf-8", file.getvalue().encode("utf-8", text.NAME))


def address(kind: str, data: bytes) -> str:
    """Return data as an address that holds them."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def write(text: str, file: Path) -> Path:
    """Write a page and return its path.

    Raises
    ------
    HaloclineError
        When the file cannot be written.
    """
    return save(file, text).resolve()
