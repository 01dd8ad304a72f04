"""Where in the code an exchange is called from, and in which language its lines would be."""

import re
import subprocess

import pytest
from commands import needs
from recordings import Program

from halocline.advice import Analysis, places, recording, snippets


@pytest.mark.parametrize(
    ("source", "symbol", "python", "language"),
    [
        ("/src/halo.f90", "x", False, "Fortran"),
        ("/src/halo.F90", "x", False, "Fortran"),
        ("/src/halo.cxx", "x", False, "C++"),
        ("/src/halo.c", "_Z3foov", False, "C"),
        ("", "_ZN4halo8exchangeEv", False, "C++"),
        ("", "__halo_MOD_exchange", False, "Fortran"),
        ("", "exchange_", False, "Fortran"),
        ("", "exchange", False, "C"),
        ("", "", True, "Python"),
    ],
)
def test_the_language_is_the_files_or_what_the_symbol_looks_like(source, symbol, python, language):
    assert places.language_of(source, symbol, python=python) == language


@pytest.mark.parametrize(
    ("frames", "place"),
    [
        ([["/opt/app", 1, "exchange"]], "exchange"),
        ([["/usr/lib/libmpifort.so.12", 1, "mpi_isend_"], ["/opt/app", 1, "swap_"]], "swap"),
        ([["/opt/app", 1, "mpi_isend_"], ["/opt/app", 2, "__halo_MOD_swap"]], "halo::swap"),
        ([["/usr/lib/libmpi_usempif08.so.40", 1, "x"], ["/opt/libpetsc.so", 2, "VecScatterBegin"]],
         "VecScatterBegin"),
        ([["/lib/libc.so.6", 1, "start"], ["/opt/app", 18, ""]], "app+0x12"),
        ([["/opt/app", 1, ""], ["/opt/app", 2, "_ZN3abc4swapIdEEvPT_i"]], "below abc::swap"),
        ([["/x/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so", 9,
           "__pyx_pw_6mpi4py_3MPI_4Comm_73Sendrecv"], ["/usr/bin/python3.11", 1, "main"]],
         "mpi4py's Comm.Sendrecv"),
        ([["/x/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so", 9, ""]], "mpi4py's Irecv"),
        ([["/x/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so", 9, ""], ["python", 3, "_start"]],
         "mpi4py's Irecv"),
        ([], "?"),
    ],
)  # fmt: skip
def test_the_first_frame_that_is_no_librarys_of_mpi_is_the_place(tmp_path, frames, place):
    def change(rank, lines):
        for line in lines:
            if "site" in line and "frames" in line:
                line["frames"] = frames
        return lines

    found = Analysis(recording.load(Program().write(tmp_path, change=change)))
    assert str(found.answer().rows[0].place) == place


@pytest.mark.parametrize(
    ("start", "completion", "place"),
    [
        (["create", "matvec", "main"], ["destroy", "matvec", "main"], "matvec"),
        (["exchange", "main"], ["exchange", "main"], "exchange"),
        (["begin", "main"], ["end", "main"], "begin"),  # main calls everything
        (["begin", "", "main"], ["end", "", "main"], "begin"),
        (["begin", "", "step", "main"], ["end", "", "step", "main"], "below step"),
        (["", "begin", "main"], ["", "end", "main"], "below begin"),
        (["main"], ["main"], "main"),
    ],
)
def test_the_function_that_calls_start_and_completion_is_the_place(
    tmp_path, start, completion, place
):
    """Each call is from another line: only names tell that functions are the same."""

    def change(rank, lines):
        for line in lines:
            if "site" in line and "frames" in line:
                some = completion if line["site"] else start
                line["frames"] = [
                    ["/opt/app", 100 * line["site"] + at, name] for at, name in enumerate(some)
                ]
        return lines

    found = Analysis(recording.load(Program().write(tmp_path, change=change)))
    assert str(found.answer().rows[0].place) == place


@needs("gcc", "addr2line", "nm")
def test_debug_information_gives_the_line(tmp_path):
    source = tmp_path / "halo.c"
    source.write_text("void there(void) {}\nvoid swap(void) {\n  there();\n}\n"
                      "int main(void) { swap(); return 0; }\n")  # fmt: skip
    program = tmp_path / "app"
    subprocess.run(["gcc", "-g", "-O0", source, "-o", program], check=True)
    said = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    address = next(int(line.split()[0], 16) for line in said.splitlines() if line.endswith(" swap"))
    made = Program(frames=[[str(program), address + 6, "swap"]]).write(tmp_path / "run")
    (row,) = Analysis(recording.load(made)).answer().rows
    assert re.fullmatch("swap, halo.c:[2-4]", str(row.place))
    assert row.place.language == "C"


@pytest.mark.parametrize("language", ["C", "C++", "Fortran", "Python"])
def test_every_language_has_its_lines(language):
    for kind in ("grid", "lists", "ragged"):
        lines = snippets.with_halocline("shm:signal", language, kind, overlapped=True)
        assert sum('"shm:signal"' in line for line in lines) == 1
    for scheme in snippets.CALLS:
        assert all(snippets.plain(scheme, language))
        assert snippets.words(scheme) != scheme
