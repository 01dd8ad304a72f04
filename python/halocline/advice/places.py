"""Where in the code an exchange is called from, and in which language that is written.

`addr2line` of binutils knows files and lines where a program was compiled with `-g`; without it, or
them, the symbol is said.
"""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from halocline.advice.patterns import Pattern
from halocline.advice.recording import Recording
from halocline.launch import process
from halocline.text import shown

MPI_LIBRARIES = re.compile(
    r"lib(p?mpi|mpich|open-(rte|pal)|pmix|prrte|ucp|ucs|uct|fabric|halocline_record|halocline)"
    r"[\w-]*\.(so|dylib)"
)
"""Object files whose frames are not the program's."""
WRAPPERS = re.compile(r"_?_?p?mpi_\w+_?|_?PMPI_\w+|MPI_\w+", re.IGNORECASE)
"""Symbols of bindings that were linked into the program."""
SYSTEM = re.compile(r"/(ld-linux|libc\.|libpthread|libstdc\+\+|libgfortran|libgcc_s)[\w.-]*")
LANGUAGES = {
    "Fortran": (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18"),
    "C++": (".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hxx", ".hh", ".cu", ".tpp", ".ipp"),
    "C": (".c", ".h"),
    "Python": (".py", ".pyx"),
}  # fmt: skip
LIMIT_S = 60
"""Of one call of addr2line: debug information may be large."""


@dataclass(frozen=True)
class Place:
    """A place in the program."""

    function: str = ""
    file: str = ""
    line: int = 0
    language: str = "C"

    def __str__(self) -> str:
        """Return it in a few words: `exchange, halo.f90:120`."""
        at = f"{Path(self.file).name}:{self.line}" if self.file and self.line else ""
        return ", ".join(filter(None, (self.function, at))) or "?"


def of_patterns(recording: Recording, patterns: Iterable[Pattern]) -> dict[int, Place]:
    """Return where each pattern is called from: its most costly shape's first frame of ours."""
    frames: dict[int, tuple[str, int, str]] = {}
    for pattern in patterns:
        found = _frame(recording, pattern)
        if found:
            frames[pattern.number] = found
    python = Path(recording.run.executable).name.startswith("python")
    lines = _lines((file, offset) for file, offset, _ in frames.values())
    made = {}
    for number, (file, offset, symbol) in frames.items():
        function, source, line = lines.get((file, offset), ("", "", 0))
        name = _readable(function or symbol)
        made[number] = Place(name, source, line, language_of(source, symbol, python=python))
    return made


def _frame(recording: Recording, pattern: Pattern) -> tuple[str, int, str] | None:
    """Return the frame of the call of a pattern that takes longest; the first that is no MPI's."""
    number, shape = pattern.main
    rank = recording.ranks[number]
    for call in sorted((rank.calls[one] for one in shape.calls), key=lambda one: -one.seconds):
        site = rank.sites.get(call.site) if call.site is not None else None
        frames = [(str(f[0]), int(f[1]), str(f[2] or "") if len(f) > 2 else "")
                  for f in (site.frames if site else []) if len(f) > 1]  # fmt: skip
        own = [one for one in frames if not _of_mpi(one[0], one[2])]
        if own:
            program = [one for one in own if not SYSTEM.search(one[0])]
            return (program or own)[0]
    return None


def _of_mpi(file: str, symbol: str) -> bool:
    return bool(MPI_LIBRARIES.match(Path(file).name) or WRAPPERS.fullmatch(symbol))


def _lines(frames: Iterable[tuple[str, int]]) -> dict[tuple[str, int], tuple[str, str, int]]:
    """Ask addr2line for function, file and line of each frame; what it does not know is left out.

    An offset is that of the call itself.
    """
    tool = shutil.which("addr2line")
    by_file: dict[str, list[int]] = defaultdict(list)
    for file, offset in frames:
        if tool and Path(file).is_file():
            by_file[file].append(offset)
    found = {}
    for file, offsets in by_file.items():
        asked = [hex(max(offset, 0)) for offset in offsets]
        finished = process.run([str(tool), "-f", "-C", "-e", file, *asked], None, LIMIT_S)
        said = finished.output.splitlines()
        if not finished.ok or len(said) != 2 * len(offsets):
            continue
        for place, offset in enumerate(offsets):
            function, at = said[2 * place], said[2 * place + 1].split(" (discriminator")[0]
            source, _, line = at.rpartition(":")
            known = line.isdigit() and int(line) > 0 and not source.startswith("??")
            found[file, offset] = (
                "" if function == "??" else shown(function),
                shown(source) if known else "", int(line) if known else 0,
            )  # fmt: skip
    return found


def language_of(source: str, symbol: str, *, python: bool = False) -> str:
    """Return the language of a source file, or else the one that a symbol looks like."""
    suffix = Path(source).suffix.lower()
    for language, suffixes in LANGUAGES.items():
        if suffix in suffixes:
            return language
    if python:
        return "Python"
    if symbol.startswith("_Z"):
        return "C++"
    if re.search(r"_MOD_|^MAIN__$|[a-z0-9]_$|_mp_", symbol):
        return "Fortran"
    return "C"


def _readable(function: str) -> str:
    """Return a function's name without arguments and what compilers add."""
    name = function.split("(")[0].split("<")[0]
    name = re.sub(r"^__(\w+)_MOD_", r"\1::", name)
    name = re.sub(r"\.(constprop|isra|part|cold|lto_priv)\.?\d*", "", name)
    name = re.sub(r"\.\d+$", "", name)
    return name.rstrip("_") if re.fullmatch(r"[a-z0-9_]+_", name) else name
