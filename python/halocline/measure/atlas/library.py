"""An MPI library and its build, by what it says of itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from halocline.launch import short_library

CHOICES = (
    "device", "ucx", "libfabric", "ofi", "pmi", "pmix", "pm", "xpmem", "cuda", "hip", "ze", "hcoll",
    "threads", "thread-package", "thread-cs", "fast", "g", "error-checking", "ch4-shmmods",
    "ch4-netmods", "ch4-direct",
)  # fmt: skip
"""What `configure` may have been told that changes how messages travel, or what is checked."""
CHOICE = re.compile(r"--(with|without|enable|disable)-([a-z0-9-]+)(?:=([^\s']*))?")
PLAIN = re.compile(r"[\w.,:+-]+")
"""A value that names no place: neither a folder nor somebody's address."""


@dataclass(frozen=True)
class Library:
    """An MPI library: whose, which version, and what of its build matters."""

    name: str
    version: str
    options: dict[str, str] = field(default_factory=dict)
    """`device`, `package`, and what `configure` was told of `CHOICES`."""

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}".strip()


def library_of(text: str) -> Library:
    """Return the library whose `MPI_Get_library_version` is this text.

    MPICH tells how it was configured, also in which folders, and Open MPI by whom and on which
    host it was made: only what is known to be no such thing is kept.
    """
    name, _, version = short_library(text).rpartition(" ")
    if not re.fullmatch(r"\d[\w.]*", version):
        name, version = f"{name} {version}".strip(), ""
    options = {}
    if device := re.search(r"MPICH Device: *([\w.,: ]+)", text):
        options["device"] = device[1].strip().replace(" ", ",")
    if package := re.search(r"package: ([\w. ]+),", text):
        options["package"] = package[1]
    for how, what, value in CHOICE.findall(text):
        if what in CHOICES:
            negative = how in ("without", "disable")
            plain = value if PLAIN.fullmatch(value) else "yes"
            options.setdefault(what, "no" if negative else plain)
    return Library(name, version, options)
