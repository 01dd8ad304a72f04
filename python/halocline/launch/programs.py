"""Find the programs of a build or an installation."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from halocline.errors import HaloclineError

BUILD_HINT = "build it with './dev build', or name the folder with --bin or HALOCLINE_BIN"


def program_folders(chosen: Path | str | None = None) -> list[Path]:
    """Return the folders where programs are looked for, best first.

    A folder named by the user is the only one; otherwise the build folder above the working
    directory or above this file, then the folder of the Python interpreter, then PATH.
    """
    named = chosen or os.environ.get("HALOCLINE_BIN")
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise HaloclineError(f"no folder {folder}: --bin and HALOCLINE_BIN name one")
        return [folder]
    here = Path(__file__).resolve()
    roots = [Path.cwd(), *Path.cwd().parents, *here.parents]
    builds = [root / "build" / "release" / "bin" for root in roots]
    installed = [Path(sys.executable).parent, *map(Path, os.get_exec_path())]
    return [folder for folder in builds + installed if folder.is_dir()]


def find_program(name: str | Path, chosen: Path | str | None = None) -> Path:
    """Return the path of a program given by name or by path.

    Raises
    ------
    HaloclineError
        When there is none; the message names similar programs.
    """
    name = str(name)
    if "/" in name:
        path = Path(name).expanduser().resolve()
        if os.access(path, os.X_OK) and path.is_file():
            return path
        raise HaloclineError(f"{name} is not a program that can be run")
    folders = program_folders(chosen)
    found = shutil.which(name, path=os.pathsep.join(map(str, folders)))
    if found:
        return Path(found).absolute()
    build = [folder for folder in folders if folder.parts[-3:] == ("build", "release", "bin")]
    known = sorted({p.name for f in build for p in f.iterdir() if os.access(p, os.X_OK)})
    there = f"; there are {', '.join(known)}" if known else ""
    raise HaloclineError(f"no program {name}{there}; {BUILD_HINT}")
