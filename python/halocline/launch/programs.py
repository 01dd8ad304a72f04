"""Find the programs of a build or an installation."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.folders import expanded
from halocline.text import shown

BUILD_HINT = "build it with './dev build', or name the folder with --bin or HALOCLINE_BIN"

TRACE = b"halocline-trace\n"
"""What the file of a trace begins with."""
KINDS = {
    TRACE: "it is a trace: 'halocline trace' reads it",
    b"{": "it is a JSON file",
    b"[": "it is a JSON file",
    b"<": "it is a page",
}
"""What files begin with that are taken for programs."""


def program_folders(chosen: Path | str | None = None) -> list[Path]:
    """Return the folders where programs are looked for, best first.

    A folder named by the user is the only one; otherwise the build folder above the working
    directory or above this file, then the folder of the Python interpreter, then PATH.
    """
    named = chosen or os.environ.get("HALOCLINE_BIN")
    if named:
        folder = Path(expanded(str(named)) or named)
        if not is_there(folder, stat.S_ISDIR):
            raise HaloclineError(f"no folder {folder}: --bin and HALOCLINE_BIN name one")
        return [folder]
    here = Path(__file__).resolve()
    roots = [Path.cwd(), *Path.cwd().parents, *here.parents]
    builds = [root / "build" / "release" / "bin" for root in roots]
    installed = [Path(sys.executable).parent, *map(Path, os.get_exec_path())]
    return [folder for folder in builds + installed if is_there(folder, stat.S_ISDIR)]


def programs_of(build: str) -> Path:
    """Return the folder of the programs of a build: by the name of its MPI, or by its path.

    `./dev build` with HALOCLINE_MPI=NAME makes build/release-NAME; `build/release` has the MPI that
    its launcher names.

    Raises
    ------
    HaloclineError
        When there is none.
    """
    if "/" in build:
        path = Path(expanded(build) or build)
        folder = path / "bin" if is_there(path / "bin", stat.S_ISDIR) else path
        if not is_there(folder, stat.S_ISDIR):
            raise HaloclineError(f"{shown(build)} is no folder of programs, nor of a build")
        return folder.resolve()
    known: dict[str, Path] = {}
    for folder in _release_builds():
        name = folder.name.removeprefix("release").removeprefix("-") or _mpi_of(folder)
        known.setdefault(name, folder / "bin")
    if build in known:
        return known[build]
    there = f"; there are {', '.join(sorted(known))}" if known else ""
    raise HaloclineError(
        f"no build has the MPI {shown(build)}{there}; make it with 'HALOCLINE_MPI={shown(build)} "
        "./dev build', or name a folder of programs"
    )


def _release_builds() -> list[Path]:
    """Return the folders build/release-NAME, before build/release, of the nearest project."""
    here = Path(__file__).resolve()
    named = os.environ.get("HALOCLINE_BIN")
    own = [Path(named).resolve().parents[2]] if named and Path(named).resolve().parts[3:] else []
    for root in [*own, Path.cwd(), *Path.cwd().parents, *here.parents]:
        found = [one.parent for one in root.glob("build/release*/bin")]
        if found:
            return sorted(found, key=lambda folder: (folder.name == "release", folder.name))
    return []


def _mpi_of(build: Path) -> str:
    """Return the name of a build's MPI, as its launcher says it; that of the folder if not."""
    said = first_bytes(build / "mpiexec", 400).decode("utf-8", "replace")
    found = re.search(r"programs of this build \((\w+)", said)
    return found.group(1) if found else build.name


def is_there(path: Path, kind: Callable[[int], bool] = stat.S_ISREG) -> bool:
    """Whether a path is a file, or of another kind; not, either, where nobody may look."""
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def first_bytes(path: Path, count: int) -> bytes:
    """Return what a file begins with; nothing where that cannot be read, or is no file."""
    try:
        if is_there(path):
            with path.open("rb") as file:
                return file.read(count)
    except OSError:
        pass
    return b""


def is_program(path: Path) -> bool:
    """Whether a file can be started: its first bytes tell, not only its mode.

    Many a file system gives all files the mode of programs, and a shell that is handed a trace or a
    result would carry out its lines.
    """
    if not is_there(path) or not os.access(path, os.X_OK):
        return False
    # What may be run but not read, only the system can judge.
    return not os.access(path, os.R_OK) or first_bytes(path, 4).startswith((b"\x7fELF", b"#!"))


def find_program(name: str | Path, chosen: Path | str | None = None) -> Path:
    """Return the path of a program given by name or by path.

    Raises
    ------
    HaloclineError
        When there is none; the message names similar programs.
    """
    name = str(name)
    if "/" in name:
        path = Path(expanded(name) or name).resolve()
        if is_program(path):
            return path
        if not is_there(path):
            raise HaloclineError(f"{shown(name)} is not a program: there is no such file")
        raise HaloclineError(f"{shown(name)} is not a program: {_kind(path)}")
    folders = program_folders(chosen)
    found = shutil.which(name, path=os.pathsep.join(map(str, folders)))
    if found and is_program(Path(found)):
        return Path(found).absolute()
    build = [folder for folder in folders if folder.parts[-3:] == ("build", "release", "bin")]
    known = sorted({one.name for folder in build for one in _programs_in(folder)})
    there = f"; there are {', '.join(known)}" if known else ""
    near = difflib.get_close_matches(name, known)
    remedy = f"is {' or '.join(near)} meant?" if near else BUILD_HINT
    raise HaloclineError(f"no program {shown(name)}{there}; {remedy}")


def _programs_in(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if is_program(path)]
    except OSError:
        return []


def _kind(path: Path) -> str:
    """Say what a file is that is no program."""
    begin = first_bytes(path, 64)
    for start, said in KINDS.items():
        if begin.lstrip().startswith(start):
            return said
    if begin.startswith((b"\x7fELF", b"#!")):
        return "it may not be executed (chmod +x)"
    return "it begins neither as one nor with #!"
