"""The MPI library of this process, and the build of Halocline that goes with it.

A wheel has one build for each binary interface of MPI, in a folder of its own: that of MPICH, which
Intel MPI and others share, that of Open MPI, and that of the MPI 5 standard. None of them names its
MPI library; it is loaded first. It is the one that the process has already, be it mpi4py's or that
of a program around Python; else the one that mpi4py would load.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from halocline.errors import Error

HERE = Path(__file__).parent
INTERFACES = {"mpich": "MPICH", "openmpi": "Open MPI", "mpi_abi": "the MPI 5 standard"}
"""The folder of each build, behind an underscore, and whose interface it has."""
NAMES = {
    "mpich": ("libmpi.so.12", "libmpich.so.12"),
    "openmpi": ("libmpi.so.40",),
    "mpi_abi": ("libmpi_abi.so.1", "libmpi_abi.so.0"),
}
"""What the library's file is called."""
NAME = re.compile(r"/libmpi(ch|_abi|_[a-z]+_?\d*)?\.so[.\d]*$")
"""The same, of a library that is loaded; not libmpicxx or libmpifort."""


@dataclass(frozen=True)
class Libmpi:
    """An MPI library that this process has loaded."""

    path: str
    interface: str
    """A key of `INTERFACES`."""
    library: ctypes.CDLL


class _Symbol(ctypes.Structure):
    """Dl_info of <dlfcn.h>."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def builds() -> dict[str, Path]:
    """Return the builds that are installed: their interfaces and folders; none in a checkout."""
    folders = {name: HERE / f"_{name}" for name in INTERFACES}
    return {name: folder for name, folder in folders.items() if folder.is_dir()}


def load() -> Libmpi:
    """Return the MPI library of this process, loaded so that others find its functions.

    Raises
    ------
    Error
        When there is none.
    """
    path = loaded()
    if path is not None:
        return _opened(path)
    problems = []
    for candidate in candidates():
        try:
            return _opened(candidate)
        except (OSError, AttributeError) as problem:
            if Path(candidate).exists():
                problems.append(str(problem))
    why = f" ({'; '.join(problems)})" if problems else ""
    raise Error(
        f"no MPI library found{why}: pip install mpich brings one, and MPI4PY_LIBMPI "
        "names one that is installed elsewhere"
    )


def build_for(libmpi: Libmpi) -> Path:
    """Return the folder of the build that goes with an MPI library.

    Raises
    ------
    Error
        When the installation has none.
    """
    there = builds()
    if libmpi.interface in there:
        return there[libmpi.interface]
    known = " and ".join(INTERFACES[name] for name in there) or "no MPI"
    raise Error(
        f"{libmpi.path} has the binary interface of {INTERFACES[libmpi.interface]}, and this "
        f"Halocline is for that of {known}: take an MPI with that, or compile Halocline for yours: "
        "pip install --force-reinstall --no-deps . in its sources"
    )


def loaded() -> str | None:
    """Return the file of the MPI library that the process has loaded; None if it has none."""
    mpi4py = sys.modules.get("mpi4py.MPI")
    files: list[str | None] = [None]
    if mpi4py is not None and mpi4py.__file__:
        files.insert(0, mpi4py.__file__)
    files += [name for name in _mapped() if NAME.search(name)]
    for file in files:
        try:
            path = _file_of(ctypes.CDLL(file).MPI_Get_version)
        except (OSError, AttributeError):
            continue
        if path is not None:
            return path
    return None


def candidates() -> Iterator[str]:
    """Yield the files that may be the MPI library, in mpi4py's order.

    Those of the MPI whose launcher has started this process come before.
    """
    folders = _named() or _folders()
    for names in (_names_by_launcher(), ["libmpi.so", *(n for ns in NAMES.values() for n in ns)]):
        for folder in folders:
            if folder and not Path(folder).is_dir():
                yield folder
            else:
                yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118


STARTERS = ("halocline-preload",)
"""Programs that call no MPI, and start others, which have an MPI of their own."""


def start(program: str) -> None:
    """Become a program of the installation, under the environment's MPI; the arguments are argv's.

    The scripts of a wheel are nothing else.
    """
    libmpi = None
    if program in STARTERS:
        folder = next(iter(builds().values()), HERE) / "bin"
    else:
        try:
            libmpi = load()
            folder = build_for(libmpi) / "bin"
        except Error as problem:
            sys.exit(f"{program}: {problem}")
    there = [folder / level / program for level in levels()]
    file = next((one for one in there if one.is_file()), folder / program)
    if not file.is_file():
        sys.exit(f"{program}: not in this installation of Halocline ({folder})")
    if libmpi is not None:
        before = os.environ.get("LD_PRELOAD")
        # What the user put in front, as halocline-preload does, stays in front of MPI.
        os.environ["LD_PRELOAD"] = f"{before}:{libmpi.path}" if before else libmpi.path
    os.execv(file, [str(file), *sys.argv[1:]])


LEVELS = {
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
    "x86-64-v3": "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
}
"""Levels of processors, best first, with Linux's marks; each has the marks of those after it."""


def levels(cpuinfo: Path = Path("/proc/cpuinfo")) -> list[str]:
    """Return the levels of x86-64 that this processor has beyond v2, best first."""
    flags: set[str] = set()
    try:
        with cpuinfo.open(encoding="utf-8") as lines:  # of many processors the first tells
            flags.update(next((line for line in lines if line.startswith("flags")), "").split())
    except OSError:
        pass
    found = []
    for level, needed in reversed(LEVELS.items()):
        if not flags.issuperset(needed.split()):
            break
        found.insert(0, level)
    return found


def _opened(path: str) -> Libmpi:
    library = ctypes.CDLL(path, os.RTLD_LAZY | os.RTLD_GLOBAL)
    file = _file_of(library.MPI_Get_version) or path
    if hasattr(library, "I_MPI_Check_image_status"):
        _provide_fabrics(Path(file).resolve().parent)
    return Libmpi(file, _interface(library), library)


def _interface(library: ctypes.CDLL) -> str:
    asked = getattr(library, "MPI_Abi_get_version", None)
    if asked is not None:
        major, minor = ctypes.c_int(0), ctypes.c_int(0)
        if asked(ctypes.byref(major), ctypes.byref(minor)) == 0 and major.value > 0:
            return "mpi_abi"
    return "openmpi" if hasattr(library, "ompi_mpi_comm_self") else "mpich"


def _file_of(function: ctypes._CFuncPtr) -> str | None:  # type: ignore[name-defined]
    found = _Symbol()
    address = ctypes.cast(function, ctypes.c_void_p)
    if ctypes.CDLL(None).dladdr(address, ctypes.byref(found)) and found.file:
        return os.fsdecode(found.file)
    return None


def _mapped() -> list[str]:
    try:
        text = Path("/proc/self/maps").read_text("utf-8", "surrogateescape")
    except OSError:
        return []
    fields = (line.split(maxsplit=5) for line in text.splitlines())
    return list(dict.fromkeys(field[5] for field in fields if len(field) == 6))


def _named() -> list[str]:
    named = os.environ.get("MPI4PY_LIBMPI")
    return [os.path.expanduser(os.path.expandvars(n)) for n in named.split(":")] if named else []  # noqa: PTH111


def _folders() -> list[str]:
    """Where packages put libraries, then where the loader looks."""
    site = sys.modules.get("site")
    prefixes = [sys.exec_prefix] if sys.exec_prefix != sys.base_exec_prefix else []
    if site is not None and site.ENABLE_USER_SITE and site.USER_BASE:
        prefixes.append(site.USER_BASE)
    prefixes.append(sys.base_exec_prefix)
    return [str(Path(prefix, "lib")) for prefix in prefixes if prefix != "/usr"] + [""]


def _names_by_launcher() -> tuple[str, ...]:
    if "OMPI_COMM_WORLD_SIZE" in os.environ:
        return NAMES["openmpi"]
    if "PMI_SIZE" in os.environ:
        return NAMES["mpich"] + NAMES["mpi_abi"]
    return ()


def _provide_fabrics(folder: Path) -> None:
    """Let Intel MPI find its libfabric and what that loads, as its own script would."""
    for place in ("../opt/mpi/libfabric/lib", "../libfabric/lib", "libfabric", "."):
        library = folder / place / "libfabric.so.1"
        if library.is_file():
            providers = library.parent / "prov"
            there = providers if providers.is_dir() else library.parent
            os.environ.setdefault("FI_PROVIDER_PATH", str(there.resolve()))
            ctypes.CDLL(str(library.resolve()), os.RTLD_LAZY | os.RTLD_GLOBAL)
            return
