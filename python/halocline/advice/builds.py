"""Which build of the programs goes with the MPI of a program: a replay must have the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.launch import (
    Checker,
    first_bytes,
    is_program,
    process,
    program_folders,
    short_library,
)

REPLAY = "haloreplay"
LIBRARIES = {"libmpi.so.40": "openmpi", "libmpi_abi.so": "mpi_abi", "libmpi": "mpich"}
"""By how the MPI library's file begins, the more particular first."""
MPI = re.compile(r"(libmpi(?:ch|_abi)?\.so[.\d]*) => ")
SAID = {"mpich": "MPICH", "openmpi": "Open MPI", "mpi_abi": "an MPI with the standard's interface"}


def folder_for(interface: str, library: str = "", programs: Path | None = None) -> Path:
    """Return the folder whose `haloreplay` goes with an MPI.

    Parameters
    ----------
    interface, library
        As a recording has them; of several builds for an interface that with the library is taken.

    Raises
    ------
    HaloclineError
        When there is none; the message says what would make one.
    """
    others, found = [], []
    for folder in _folders(programs):
        program = folder / REPLAY
        if not is_program(program):
            continue
        has = interface_of(program)
        if interface in ("", has) or not has:
            found.append(folder)
        else:
            others.append(has)
    if found:
        several = found if len(found) > 1 and library else []
        return next((one for one in several if _runs_with(one, library)), found[0])
    wanted = SAID.get(interface, interface)
    if others:
        raise HaloclineError(
            f"{REPLAY} is for {SAID.get(others[0], others[0])} and the program for {wanted}: build "
            f"Halocline with that MPI too (HALOCLINE_MPI=... ./dev build {REPLAY} halocheck), or "
            "name the folder of its programs"
        )
    raise HaloclineError(
        f"there is no program {REPLAY}: build it with './dev build {REPLAY} halocheck', or name "
        "the folder of the programs"
    )


def _runs_with(folder: Path, library: str) -> bool:
    """Whether the programs of a folder run with a library: a launch tells."""
    try:
        mpi = Checker(folder).facts(2)["mpi"]
    except HaloclineError:
        return False
    return short_library(str(mpi.get("library", ""))) == short_library(library)


def _folders(programs: Path | None) -> Iterator[Path]:
    """Yield folders of programs: those where all are looked for, and other builds beside them."""
    for folder in program_folders(programs):
        yield folder
        if programs is None and folder.parts[-3:] == ("build", "release", "bin"):
            yield from sorted(folder.parent.parent.glob("release-*/bin"))


def interface_of(program: Path) -> str:
    """Return the interface of MPI that a program is linked with; none for scripts: they choose."""
    if not first_bytes(program, 4).startswith(b"\x7fELF"):
        return ""
    said = process.run(["ldd", str(program)], None, 20).output
    found = MPI.search(said)
    if not found:
        return ""
    return next(name for start, name in LIBRARIES.items() if found[1].startswith(start))
