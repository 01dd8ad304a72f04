"""Where in the code an exchange is called from, and in which language that is written.

Where an exchange is started in one function and completed in another, it is the function that has
called both, if that has a name, or else where it is started.

`addr2line` of binutils knows files and lines where a program was compiled with `-g`. Without it the
symbol is said, if the address lies within it: the nearest name that a library shows may be of
another function (`nm` knows sizes). Then it is the first caller whose name is sure.
"""

from __future__ import annotations

import re
import shutil
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from pathlib import Path

from halocline.advice.patterns import Pattern
from halocline.advice.recording import Call, Rank, Recording
from halocline.launch import process
from halocline.text import shown

Frame = tuple[str, int, str]
"""Object file, offset in it, symbol or nothing."""
MPI_LIBRARIES = re.compile(
    r"(lib(p?mpi|mpich|open-(rte|pal)|pmix|prrte|ucp|ucs|uct|fabric|halocline_record)[\w-]*"
    r"|MPI[\w.-]*)\.(so|dylib)"
)
"""Object files whose frames are not the program's: MPI's, and mpi4py's."""
WRAPPERS = re.compile(r"_*p?mpi_\w+", re.IGNORECASE)
"""Symbols of bindings that were linked into the program."""
SYSTEM = re.compile(r"/(ld-linux|libc\.|libpthread|libstdc\+\+|libgfortran|libgcc_s|libpython)")
PYTHON = re.compile(r"(^|/)python[\d.]*$|/libpython")
MPI4PY = re.compile(r"_*pyx_pw_\d*mpi4py_\d*MPI_\d*([A-Za-z]+)_\d+(\w+)")
BINDING = "mpi4py: "
"""Before a function of mpi4py whose own name is not known."""
LANGUAGES = {
    "Fortran": (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18"),
    "C++": (".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hxx", ".hh", ".cu", ".tpp", ".ipp"),
    "C": (".c", ".h"),
    "Python": (".py", ".pyx"),
}  # fmt: skip
LIMIT_S = 60
"""For one call of addr2line or nm: debug information may be large."""
DEEP = 8
"""Callers among which the one of both start and completion is looked for."""
MAIN = re.compile(r"main|MAIN__|_start")
"""Functions that call everything: they say nothing of where."""
MOST = 40
"""Patterns whose lines are looked up; those beyond are hardly worth a look."""


@dataclass(frozen=True)
class Place:
    """A place in the program."""

    function: str = ""
    file: str = ""
    line: int = 0
    language: str = "C"
    below: bool = False
    """Whether the function is a caller, because what it calls has no name."""

    def __str__(self) -> str:
        """Return it in a few words: `exchange, halo.f90:120`."""
        name = f"below {self.function}" if self.below else self.function
        at = f"{Path(self.file).name}:{self.line}" if self.file and self.line else ""
        return ", ".join(filter(None, (name, at))) or "?"


def of_patterns(recording: Recording, patterns: Sequence[Pattern]) -> dict[int, Place]:
    """Return where patterns are called from: the first frames of their calls that are ours."""
    ends = {one.number: _ends(recording, one) for one in patterns[:MOST]}
    ends = {number: both for number, both in ends.items() if both[0]}
    python = Path(recording.run.executable).name.startswith("python")
    names = _Names(frame for both in ends.values() for some in both for frame in some[:DEEP])
    return {
        number: _place(start, _common(start, completion, names), names, python)
        for number, (start, completion) in ends.items()
    }


def of_sites(recording: Recording, wanted: Iterable[tuple[int, int, str]]) -> dict[int, Place]:
    """Return where sites are, given as rank, site and function, by their place in the list."""
    found = {
        place: frames
        for place, (rank, site, function) in enumerate(wanted)
        if place < MOST and (frames := _own_frames(recording.ranks[rank], site, function))
    }
    python = Path(recording.run.executable).name.startswith("python")
    names = _Names(frame for frames in found.values() for frame in frames[:DEEP])
    return {place: _place(frames, 0, names, python) for place, frames in found.items()}


def _common(start: list[Frame], completion: list[Frame], names: _Names) -> int:
    """Return which frame of a start is of a function that has called its completion; else 0."""
    above = {(frame[0], names.of(frame)) for frame in completion[:DEEP]}
    for place, frame in enumerate(start[:DEEP]):
        name = names.of(frame)
        if name and (frame[0], name) in above:
            return 0 if MAIN.fullmatch(name) else place
    return 0


def _foreign(frame: Frame) -> bool:
    return bool(SYSTEM.search(frame[0]) or PYTHON.search(frame[0]))


def _place(frames: list[Frame], begin: int, names: _Names, python: bool) -> Place:
    """Return the place of a frame, or of the first behind it that has a name."""
    file, offset, symbol = frames[begin]
    function, source, number = names.lines.get((file, offset), ("", "", 0))
    binding = MPI4PY.match(symbol)
    if symbol.startswith(BINDING):
        return Place(f"mpi4py's {symbol[len(BINDING) :].capitalize()}", language="Python")
    if binding:
        return Place(f"mpi4py's {binding[1]}.{binding[2]}", language="Python")
    if source:
        language = language_of(source, symbol, python=python)
        return Place(_readable(function or symbol), source, number, language)
    for place, frame in enumerate(frames[begin:], begin):
        said = names.of(frame)
        if said:
            below = place > 0 and not names.of(frames[place - 1])
            language = language_of("", frame[2] or said, python=python)
            return Place(_readable(_demangled(said)), "", 0, language, below)
    return Place(f"{Path(file).name}+{offset:#x}", language=language_of("", symbol, python=python))


def _ends(recording: Recording, pattern: Pattern) -> tuple[list[Frame], list[Frame]]:
    """Return the frames of the first call of a pattern, and of its longest completion."""
    number, shape = pattern.main
    rank = recording.ranks[number]
    starting = {link.call for link in shape.links}
    calls = [rank.calls[one] for one in shape.calls]
    starts = [one for one in calls if one.call in starting]
    others = [one for one in calls if one.call not in starting]
    completion = _frames(rank, sorted(others, key=lambda one: -one.seconds))
    return _frames(rank, starts) or completion, completion


def _frames(rank: Rank, calls: Sequence[Call]) -> list[Frame]:
    """Return the frames of the first of some calls that has any of ours, from that on."""
    return next(
        filter(None, (_own_frames(rank, call.site, call.function) for call in calls)), []
    )  # fmt: skip


def _own_frames(rank: Rank, number: int | None, function: str) -> list[Frame]:
    """Return the frames of a site from the first that is ours on."""
    site = rank.sites.get(number) if number is not None else None
    frames: list[Frame] = [
        (str(one[0]), int(one[1]), str(one[2] or "") if len(one) > 2 else "")
        for one in (site.frames if site else [])
        if len(one) > 1 and isinstance(one[1], int)
    ]
    own = [
        place
        for place, (file, _, symbol) in enumerate(frames)
        if not _of_mpi(file, symbol) and not SYSTEM.search(file) and not PYTHON.search(file)
    ]
    if own:
        return frames[own[0] :]
    bindings = [frame for frame in frames if MPI4PY.match(frame[2])]
    if bindings:
        return bindings
    if frames and "mpi4py" in frames[0][0]:
        name = function.removeprefix("MPI_").removesuffix("_c")
        return [(frames[0][0], frames[0][1], f"{BINDING}{name}")]
    return []


def _of_mpi(file: str, symbol: str) -> bool:
    return bool(MPI_LIBRARIES.match(Path(file).name) or WRAPPERS.fullmatch(symbol))


class _Names:
    """What the functions of frames are called, as far as that is sure."""

    def __init__(self, frames: Iterable[Frame]) -> None:
        ours = ((file, offset) for file, offset, _ in filterfalse(_foreign, frames))
        self.lines = _lines(dict.fromkeys(ours))
        self.symbols: dict[str, _Symbols] = {}

    def of(self, frame: Frame) -> str:
        """Return the name of a frame's function; empty where it is not known, or not ours."""
        file, offset, symbol = frame
        if _foreign(frame):
            return ""
        function, source, _ = self.lines.get((file, offset), ("", "", 0))
        if source and function:
            return function
        if file not in self.symbols:
            self.symbols[file] = _Symbols(file)
        said = function or symbol
        return said if said and self.symbols[file].has(offset) else ""


class _Symbols:
    """What an object file calls its functions, and how far each reaches."""

    def __init__(self, file: str) -> None:
        self.begins: list[int] = []
        self.ends: list[int] = []
        self.known = False
        tool = shutil.which("nm")
        if not tool or not Path(file).is_file():
            return
        found = []
        for more in (["-D"], []):
            said = process.run([tool, *more, "-S", "--defined-only", file], None, LIMIT_S).output
            for row in said.splitlines():
                words = row.split()
                if len(words) >= 4 and words[2] in "TtWwVvi":
                    found.append((int(words[0], 16), int(words[0], 16) + int(words[1], 16)))
        self.known = bool(found)
        for begin, end in sorted(found):
            self.begins.append(begin)
            self.ends.append(end)

    def has(self, offset: int) -> bool:
        """Whether an offset lies within the function that begins before it, where that is known."""
        if not self.known:
            return True
        place = bisect_right(self.begins, offset) - 1
        return place >= 0 and offset < self.ends[place]


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
        finished = process.run([str(tool), "-afiC", "-e", file, *asked], None, LIMIT_S)
        answers = re.split(r"^0x[0-9a-f]+\n", finished.output, flags=re.MULTILINE)[1:]
        if not finished.ok or len(answers) != len(offsets):
            continue
        for answer, offset in zip(answers, offsets):
            function, at, *_ = answer.splitlines()  # what is inlined comes first
            at = at.split(" (discriminator")[0]
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


def _demangled(name: str) -> str:
    """Return a name of C++ as people write it, where binutils are there."""
    tool = shutil.which("c++filt")
    if not name.startswith("_Z") or not tool:
        return name
    return shown(process.run([tool, name], None, LIMIT_S).output.strip()) or name


def _readable(function: str) -> str:
    """Return a function's name without arguments, and without what compilers add."""
    name = re.sub(r"^__(\w+)_MOD_", r"\1::", function)
    name = re.sub(r"\[clone .*", "", name).strip()
    depth, kept = 0, ""
    for letter in name:  # templates' arguments may hold anything
        depth += letter == "<"
        if letter == "(" and depth == 0:
            break
        if depth == 0:
            kept += letter
        depth -= letter == ">" and depth > 0
    name = kept.split(" ")[-1] or function
    name = re.sub(r"\.(constprop|isra|part|cold|lto_priv)\.?\d*", "", name)
    name = re.sub(r"\.\d+$", "", name)
    return name.rstrip("_") if re.fullmatch(r"[a-z0-9_]+_", name) else name
