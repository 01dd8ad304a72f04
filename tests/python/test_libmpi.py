"""Which MPI library is taken, and which build: by libraries that say no more than their kind."""

import os
import subprocess
import sys

import pytest
from commands import why_not

from halocline import libmpi
from halocline.errors import Error

KINDS = {
    "mpich": "",
    "openmpi": "int ompi_mpi_comm_self;",
    "mpi_abi": "int MPI_Abi_get_version(int* a, int* b) { *a = 1; *b = 0; return 0; }",
    "mpich5": "int MPI_Abi_get_version(int* a, int* b) { *a = -1; *b = -1; return 0; }",
}


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """One of each kind: paths by name."""
    if why := why_not("gcc"):
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("libraries")
    made = {}
    for kind, more in KINDS.items():
        source = folder / f"{kind}.c"
        source.write_text(f"int MPI_Get_version(int* a, int* b) {{ return 0; }}\n{more}\n")
        made[kind] = folder / kind / "libmpi.so.12"
        made[kind].parent.mkdir()
        command = ["gcc", "-x", "c", "-shared", "-fPIC", "-o", made[kind], source]
        subprocess.run(command, check=True)
    return made


def python(code, *arguments, **variables):
    """Run Python with these variables."""
    kept = {n: v for n, v in os.environ.items() if n not in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**kept, **{name: str(value) for name, value in variables.items()}},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_library_is_known_by_what_it_has(libraries, kind):
    code = "from halocline import libmpi; m = libmpi.load(); print(m.interface, m.path)"
    done = python(code, MPI4PY_LIBMPI=libraries[kind])
    expected = "mpich" if kind == "mpich5" else kind
    assert done.stdout == f"{expected} {libraries[kind]}\n", done.stderr


def test_the_one_that_is_loaded_is_taken_and_shared(libraries):
    code = (
        "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_LAZY);"
        "from halocline import libmpi; m = libmpi.load(); print(m.interface, m.path);"
        "ctypes.CDLL(None).MPI_Get_version; print(libmpi.loaded())"
    )
    done = python(code, libraries["openmpi"], MPI4PY_LIBMPI=libraries["mpich"])
    assert done.stdout == f"openmpi {libraries['openmpi']}\n{libraries['openmpi']}\n", done.stderr


def test_the_launcher_says_whose_library_is_looked_for_first(monkeypatch):
    monkeypatch.delenv("MPI4PY_LIBMPI", raising=False)
    monkeypatch.delenv("OMPI_COMM_WORLD_SIZE", raising=False)
    monkeypatch.delenv("PMI_SIZE", raising=False)
    plain = list(libmpi.candidates())
    assert plain[0].endswith("/libmpi.so") or plain[0] == "libmpi.so"
    assert plain[-1] == "libmpi_abi.so.0"
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    first = list(libmpi.candidates())
    assert {name.rsplit("/", 1)[-1] for name in first[: len(first) - len(plain)]} == {
        "libmpi.so.40"
    }
    monkeypatch.setenv("MPI4PY_LIBMPI", "/a/libmpi.so.40")
    assert set(libmpi.candidates()) == {"/a/libmpi.so.40"}


def test_no_library_and_no_build_are_a_sentence_each(libraries, tmp_path, monkeypatch):
    done = python("from halocline import libmpi; libmpi.load()", MPI4PY_LIBMPI=tmp_path / "no.so")
    last = done.stderr.strip().split("\n")[-1]
    assert last.startswith("halocline.errors.Error: no MPI library found: pip install")
    monkeypatch.setattr(libmpi, "HERE", tmp_path)
    found = libmpi.Libmpi("/a/libmpi.so.40", "openmpi", None)
    with pytest.raises(Error, match=r"/a/libmpi.so.40 has .* Open MPI, .* for that of no MPI"):
        libmpi.build_for(found)
    (tmp_path / "_mpich").mkdir()
    with pytest.raises(Error, match="this Halocline is for that of MPICH: take an MPI with that"):
        libmpi.build_for(found)


def test_levels_of_processors(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    for flags, levels in {
        "": [],
        libmpi.LEVELS["x86-64-v4"]: [],
        libmpi.LEVELS["x86-64-v3"]: ["x86-64-v3"],
        " ".join(libmpi.LEVELS.values()): ["x86-64-v4", "x86-64-v3"],
    }.items():
        cpuinfo.write_text(f"processor : 0\nflags : fpu {flags}\n\nprocessor : 1\nflags : fpu\n")
        assert libmpi.levels(cpuinfo) == levels
    assert libmpi.levels(tmp_path / "none") == []


START = (
    "import sys; from pathlib import Path; from halocline import libmpi;"
    "libmpi.HERE = Path(sys.argv.pop(1)); libmpi.levels = lambda: ['x86-64-v4', 'x86-64-v3'];"
    "libmpi.start(sys.argv.pop(1))"
)


def stand_in(folder, name):
    """Write a program that says where it is, how it was called, and what is preloaded."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f'#!/bin/sh\necho {folder.name} "$@" $LD_PRELOAD\n')
    (folder / name).chmod(0o755)


def test_a_script_becomes_the_program_for_this_processor(libraries, tmp_path):
    stand_in(tmp_path / "_openmpi" / "bin", "laplace")
    stand_in(tmp_path / "_openmpi" / "bin", "heat")
    stand_in(tmp_path / "_openmpi" / "bin" / "x86-64-v3", "laplace")
    library = libraries["openmpi"]
    for name, folder in {"laplace": "x86-64-v3", "heat": "bin"}.items():
        done = python(START, tmp_path, name, "a b", MPI4PY_LIBMPI=library)
        assert done.stdout == f"{folder} a b {library}\n", done.stderr
    done = python(START, tmp_path, "md", MPI4PY_LIBMPI=library)
    assert done.stderr.startswith("md: not in this installation of Halocline")
    done = python(START, tmp_path, "heat", MPI4PY_LIBMPI=libraries["mpich"])
    assert done.stderr.count("\n") == 1 and "Open MPI: take an MPI with that" in done.stderr


@pytest.mark.parametrize("mpi", ["mpich", "openmpi", "none"])
def test_what_starts_a_program_brings_no_mpi_into_it(libraries, tmp_path, mpi):
    """The program has one of its own."""
    stand_in(tmp_path / "_openmpi" / "bin", "halocline-preload")
    library = libraries.get(mpi, str(tmp_path / "none.so"))
    done = python(START, tmp_path, "halocline-preload", "./app", MPI4PY_LIBMPI=library)
    assert done.stdout == "bin ./app\n", done.stderr
