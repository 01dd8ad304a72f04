"""The library's classes: the compiled module, of this installation or of a build."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from halocline import libmpi
from halocline.errors import Error
from halocline.launch import program_folders

NAME = "halocline._native"


def module_file() -> Path | None:
    """Return the compiled module for this Python.

    An installed package has one for each MPI, of which this is the one that goes with the MPI
    library of this process; a checkout has that of its build.
    """
    if libmpi.builds():
        folders = [libmpi.build_for(libmpi.load())]
    else:
        folders = [folder.parent / "python" for folder in program_folders()]
    for folder in folders:
        for suffix in EXTENSION_SUFFIXES:
            if (folder / f"_native{suffix}").is_file():
                return folder / f"_native{suffix}"
    return None


def load() -> ModuleType:
    """Import the compiled module.

    Raises
    ------
    Error
        When there is none for this Python or for the MPI of this process, or no MPI at all.
    """
    if NAME in sys.modules:
        return sys.modules[NAME]
    file = module_file()
    if file is None:
        raise Error(
            "Python's classes of Halocline are not built for Python "
            f"{sys.version_info.major}.{sys.version_info.minor}: './dev build halocline_python' "
            "builds them (it needs nanobind); the command line works without"
        )
    loader = ExtensionFileLoader(NAME, str(file))
    spec = spec_from_file_location(NAME, file, loader=loader)
    module = module_from_spec(spec)
    try:
        loader.exec_module(module)
    except ImportError as problem:
        raise Error(f"{file} cannot be loaded: {problem}") from problem
    sys.modules[NAME] = module
    return module


if TYPE_CHECKING:
    from halocline import _native
else:
    _native = load()
Arena = _native.Arena
AsyncExchange = _native.AsyncExchange
Distribution = _native.Distribution
Exchange = _native.Exchange
GatherScatter = _native.GatherScatter
Grid = _native.Grid
GridCut = _native.GridCut
Pattern = _native.Pattern
RaggedExchange = _native.RaggedExchange
Scheme = _native.Scheme
Section = _native.Section
async_schemes = _native.async_schemes
library_version = _native.library_version
schemes = _native.schemes
set_spin = _native.set_spin
set_time_limit = _native.set_time_limit
spin = _native.spin
time_limit = _native.time_limit
unbound = _native.unbound
zeros = _native.zeros
