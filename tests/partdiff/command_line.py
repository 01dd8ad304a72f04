"""The program as users call it.

Texts, exit codes, files and limits; the values against the plain reference, byte for byte.
"""

import array
import json
import re
import struct
import subprocess
import zlib
from pathlib import Path

import pytest
from programs import PROGRAMS, SOAK, Program, some

PARTDIFF, REFERENCE = PROGRAMS
partdiff = Program(PARTDIFF)

TEXT = """\
Calculation time:       T s
Memory usage:           M MiB
Calculation method:     {method}
Interlines:             {lines}
Perturbation function:  {function}
Termination:            {termination}
Number of iterations:   {iterations}
Residuum:               {residuum}

Matrix:
"""
METHODS = {1: "Gauß-Seidel", 2: "Jacobi"}
FUNCTIONS = {1: "f(x,y) = 0", 2: "f(x,y) = 2 * pi^2 * sin(pi * x) * sin(pi * y)"}
TERMINATIONS = {1: "Required accuracy", 2: "Number of iterations"}


def reference(method, lines, function, term, value):
    file = Path("reference")
    words = [method, lines, function, term, value, file]
    out = subprocess.run([REFERENCE, *map(str, words)], capture_output=True, text=True, check=True)
    iterations, residuum = out.stdout.split()
    return iterations, residuum, file.read_bytes()


def check(method, lines, function, term, value, *options, ranks):
    """Text and bytes of one run."""
    npy = Path("out.npy")
    run = partdiff(1, method, lines, function, term, value, *options, "--output", npy, ranks=ranks)
    assert run.returncode == 0, run.stderr
    iterations, residuum, values = reference(method, lines, function, term, value)

    text = re.sub(r"(time:  +)\d+\.\d{6} s", r"\1T s", run.stdout)
    text = re.sub(r"(usage:  +)\d+\.\d{6} MiB", r"\1M MiB", text)
    expected = TEXT.format(
        method=METHODS[method],
        lines=lines,
        function=FUNCTIONS[function],
        termination=TERMINATIONS[term],
        iterations=iterations,
        residuum=residuum,
    )
    numbers = array.array("d", values)
    points = 8 * lines + 9
    for i in range(9):
        row = i * (lines + 1) * points
        expected += "".join(f"{numbers[row + j * (lines + 1)]:7.4f}" for j in range(9)) + "\n"
    assert text == expected

    written = npy.read_bytes()
    assert written[:8] == b"\x93NUMPY\x01\x00"
    length = struct.unpack("<H", written[8:10])[0]
    assert (10 + length) % 64 == 0
    header = eval(written[10 : 10 + length], {})
    assert header == {"descr": "<f8", "fortran_order": False, "shape": (points, points)}
    assert written[10 + length :] == values, "the file's values differ"
    assert list(npy.parent.glob("*.partial")) == []


def test_auto_changes_no_byte_and_says_what_it_chose():
    tuning, result = Path("tuning.json"), Path("result.json")
    auto = ["--tuning", tuning, "--json", result, "--scheme"]
    for ranks, method, scheme in [(2, 2, "auto"), (3, 1, "auto"), (4, 2, "auto+access=any")]:
        check(method, 12, 1, 2, 9, *auto, scheme, ranks=ranks)
        written = json.loads(result.read_text())
        assert written["scheme"] == scheme
        chosen = written["parameters"]["schemes"]
        # A choice may be made anew for the next exchange, where times are far off.
        known = {
            row["scheme"]
            for entry in json.loads(tuning.read_text())["choices"]
            for row in entry["candidates"]
        }
        assert chosen and set(chosen) <= known, f"{chosen}, {known}"

    # As many sweeps an exchange as without the pin, which need their halo.
    empty = {"format": "halocline-tuning", "version": 1, "choices": []}
    tuning.write_text(json.dumps({**empty, "pin": "shm:signal+access=direct"}))
    check(2, 10, 1, 2, 100, *auto, "auto", ranks=4)

    tuning.write_text("{ half")
    run = partdiff(1, 2, 12, 1, 2, 9, *auto, "auto", ranks=2)
    assert run.returncode != 0
    assert run.stderr.count(f"{tuning}: parse error at line 1") == 1, run.stderr
    assert tuning.read_text() == "{ half"


def test_sweeps_choose_the_scheme_and_no_byte():
    running = ["--scheme", "auto+when=running", "--tuning", Path("tuning.json")]
    for ranks, method, options in (
        (2, 2, ["--halo-depth", 1]), (3, 2, ["--halo-depth", 2]), (2, 1, []),
        (2, 2, ["--style", "auto"]),
    ):  # fmt: skip
        check(method, 12, 1, 2, 600, *running, *options, ranks=ranks)
    for depth in (1, 3):
        words = (1, 2, 12, 1, 2, 1500, "--halo-depth", depth)
        result = partdiff.solve_in_laps(*words)
        (chosen,) = result["running"]["chosen"]
        assert result["parameters"]["schemes"] == [chosen["what"]]


def test_text_and_bytes_of_the_teaching_code():
    check(2, 3, 1, 2, 17, ranks=1)
    check(1, 3, 2, 1, "1e-4", ranks=2)
    check(1, 20, 1, 2, 9, "--decomposition", "blocks", ranks=3)
    check(2, 7, 2, 1, "1e-4", "--halo-depth", "3", "--reduction", "iallreduce", ranks=2)
    check(2, 0, 1, 2, 5, "--decomposition", "blocks", ranks=9)


def test_usage():
    for words in ([], ["-h"], ["-?"], ["1", "2", "--help"]):
        run = partdiff(*words, ranks=2)
        assert run.returncode == 0
        assert run.stdout.count("Usage: partdiff NUM METHOD LINES FUNC TERM VALUE") == 1


RIGHT = ["1", "2", "3", "1", "2", "5"]
INVALID = [
    ([*RIGHT[:at], wrong, *RIGHT[at + 1 :]], f"{name} {wrong or repr(wrong)}: must be")
    for at, name, wrong in (
        (0, "NUM", "0"),
        (0, "NUM", "1025"),
        (0, "NUM", "1.5"),
        (1, "METHOD", "3"),
        (2, "LINES", "100001"),
        (2, "LINES", "x"),
        (3, "FUNC", "0"),
        (4, "TERM", "3"),
        (5, "VALUE", "0"),
        (5, "VALUE", "200001"),
        (5, "VALUE", ""),
    )
]
IN_PLACE = ["--halo-depth", "2", "--scheme", "shm:signal+access=direct"]
INVALID += [
    (["1", "2", "3", "1", "1", "1e-3"], "VALUE 1e-3: must be an accuracy"),
    (["1", "2", "3", "1", "1", "1e-21"], "VALUE 1e-21: must be an accuracy"),
    (["1", "2", "3", "1", "1", "nan"], "VALUE nan: must be an accuracy"),
    (RIGHT[:5], "VALUE is missing"),
    ([*RIGHT, "6"], "'6' is one word too many"),
    ([*RIGHT, "--scheme", "rma:put:fence+notify=flag"], "fence"),
    ([*RIGHT, "--scheme", "carrier:pigeon"], "pigeon"),
    ([*RIGHT, "--decomposition", "cubes"], "must be rows or blocks"),
    ([*RIGHT, "--halo-depth", "0"], "--halo-depth 0: must be an integer"),
    (["1", "1", "3", "1", "2", "5", "--halo-depth", "2"], "only Jacobi"),
    ([*RIGHT, *IN_PLACE], "keeps no halo"),
    ([*RIGHT, "--reduction", "vote"], "must be one of allreduce"),
    ([*RIGHT, "--termination", "never"], "must be exact or catch-up"),
    ([*RIGHT, "--timeout", "-1"], "--timeout"),
    ([*RIGHT, "--unheard-of"], "--unheard-of: there is no such option"),
    ([*RIGHT, "--decompositoin", "rows"], "did you mean --decomposition?"),
]


@pytest.mark.parametrize(("words", "message"), some(INVALID))
def test_anything_invalid_is_named(words, message):
    # Without a launcher, which is cheaper; that all ranks agree is tested below, and in the soak.
    run = partdiff.fails(*words, says=message, ranks=2 if SOAK else 1)
    assert run.returncode == 1


def test_one_rank_speaks_for_all():
    run = partdiff(1, 2, 3, 1, 2, 0, ranks=3)
    assert run.returncode != 0
    partdiff.says_once(run, "VALUE 0: must be")


def test_lists_schemes():
    run = partdiff("--list-schemes")
    assert run.returncode == 0
    assert "p2p:nonblocking" in run.stdout


def test_memory_too_small():
    run = partdiff(1, 2, 100000, 1, 2, 1, ranks=2)
    assert run.returncode != 0
    assert re.search(
        r"out of memory: partdiff needs 476\d\.\d GiB on node \S+, where \d+\.\d GiB", run.stderr
    )


def test_halo_wider_than_a_subdomain():
    run = partdiff(1, 2, 0, 1, 2, 1, "--halo-depth", 5, ranks=2)
    assert run.returncode != 0
    assert "5 wide along axis 0" in run.stderr


def test_files_that_cannot_be_written():
    for option in ("--output", "--image", "--json"):
        run = partdiff(1, 2, 0, 1, 2, 1, option, Path("no/such/folder"), ranks=2)
        assert run.returncode != 0
        assert option in run.stderr


def test_result_file():
    file = Path("result.json")
    run = partdiff(1, 1, 5, 2, 2, 12, "--json", file, "--repetitions", 3, ranks=2)
    assert run.returncode == 0, run.stderr
    result = json.loads(file.read_text())
    assert (result["format"], result["version"]) == ("halocline-result", 1)
    assert result["program"] == "partdiff"
    assert result["ranks"] == 2
    assert len(result["binding"]) == 2
    assert sum(result["islands"]) == 2
    assert result["result"]["iterations"] == 12
    assert [len(steps) for steps in result["samples"]["step_s"]] == [12, 12, 12]
    assert len(result["samples"]["total_s"]) == 3
    assert [phase["rank"] for phase in result["phases"]] == [0, 1]
    assert result["parameters"]["method"] == "gauss-seidel"


def test_checksum_depends_on_values_alone():
    sums = set()
    for ranks, options in ((1, []), (3, []), (4, ["--decomposition", "blocks"])):
        file = Path("result.json")
        run = partdiff(2, 2, 5, 2, 2, 12, "--json", file, *options, ranks=ranks)
        assert run.returncode == 0, run.stderr
        sums.add(json.loads(file.read_text())["result"]["checksum"])
    assert len(sums) == 1


def test_picture():
    file = Path("out.png")
    run = partdiff(1, 2, 200, 2, 2, 2, "--image", file, ranks=2)
    assert run.returncode == 0, run.stderr
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(
            kind + body
        )
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        at += 12 + size
    assert (width, height) == (1024, 1024)
    assert len(zlib.decompress(pixels)) == 1024 * 1025
