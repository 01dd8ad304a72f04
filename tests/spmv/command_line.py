"""The program spmv as users call it."""

import itertools
import json
import random
import re
import struct
from pathlib import Path

import pytest
from programs import PROGRAMS, SOAK, Program

spmv = Program(PROGRAMS[0])


HEAD = "%%MatrixMarket matrix coordinate real general\n"


def npy(numbers, *, shape=None, descr="<f8"):
    """Return the bytes of a .npy file."""
    shape = shape or f"({len(numbers)},)"
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text
    return head + struct.pack(f"<{len(numbers)}d", *numbers)


def read(file):
    """Return the numbers of a file that spmv has written."""
    content = file.read_bytes()
    length = struct.unpack("<H", content[8:10])[0]
    count = int(re.search(r"\((\d+),\)", content[10 : 10 + length].decode())[1])
    return list(struct.unpack(f"<{count}d", content[10 + length :]))


def random_entries(rows, columns, count, seed):
    """Return entries of different places, in any order."""
    dice = random.Random(seed)
    places = dice.sample(range(rows * columns), count)
    return [(at // columns, at % columns, dice.uniform(-1, 1)) for at in places]


def market(rows, columns, entries, kind="real general"):
    lines = [f"%%MatrixMarket matrix coordinate {kind}", "% made by hand"]
    lines += [f"{rows} {columns} {len(entries)}"]
    lines += [" ".join(map(str, (i + 1, j + 1, *value))) for i, j, *value in entries]
    return "\n".join(lines) + "\n"


def product(rows, entries, x):
    y = [0.0] * rows
    for i, j, value in sorted(entries):
        y[i] += value * x[j]
    return y


def write(name, content):
    file = Path(name)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_a_file_times_a_file():
    for rows, columns, count in ((60, 60, 300), (40, 70, 200), (70, 40, 100), (3, 3, 0)):
        entries = random_entries(rows, columns, count, rows)
        x = [random.Random(i).uniform(-1, 1) for i in range(columns)]
        matrix = write("a.mtx", market(rows, columns, entries))
        vector = write("x.npy", npy(x, shape=f"({columns}, 1)" if rows == 60 else None))
        output = Path("y.npy")
        sums = set()
        for ranks, words in (
            (1, ["--format", "crs"]),
            (2, ["--mode", "naive", "--scheme", "shm:signal+access=direct"]),
            (3, ["--mode", "task", "--threads", 2, "--scheme", "rma:put:fence"]),
            (4, ["--format", "sell", "--sigma", 32]),
            (3, ["--reorder", "rcm", "--partition", "rows", "--mode", "naive"]),
            (3, ["--partition", "metis"]),
            (2, ["--partition", "curve", "--reorder", "rcm"]),
        ):
            renumbers = {"--reorder", "metis"} & set(words)
            if renumbers and rows != columns:
                continue
            words = [matrix, "--x", vector, "--output", output, "--check", *words]
            run, result = spmv.solve(*words, ranks=ranks)
            assert read(output) == product(rows, entries, x)
            assert "Check:                  right, bit by bit" in run.stdout
            assert result["parameters"]["entries"] == count
            sums.add(result["result"]["checksum"])
        assert len(sums) == 1


def test_symmetric_skew_and_pattern_and_what_is_there_twice():
    lower = [(i, j, v) for i, j, v in random_entries(30, 30, 200, 2) if i >= j]
    strict = [entry for entry in lower if entry[0] > entry[1]]
    twice = [(0, 1, 1.0), (2, 2, 0.1), (0, 1, 1e-17), (2, 2, 0.2), (0, 1, 2.0)]
    ones = [(i, j) for i, j, _ in lower]
    for kind, entries, whole in (
        ("real symmetric", lower, lower + [(j, i, v) for i, j, v in strict]),
        ("real skew-symmetric", strict, strict + [(j, i, -v) for i, j, v in strict]),
        ("pattern general", ones, [(i, j, 1.0) for i, j in ones]),
        ("real general", twice, [(0, 1, 1.0 + 1e-17 + 2.0), (2, 2, 0.1 + 0.2)]),
    ):
        file = write("a.mtx", market(30, 30, entries, kind))
        x = [0.5 + i for i in range(30)]
        vector, output = write("x.npy", npy(x)), Path("y.npy")
        for ranks in (1, 3):
            spmv.solve(file, "--x", vector, "--output", output, ranks=ranks)
            assert read(output) == product(30, whole, x)


def test_files_as_others_write_them():
    entries = "1 1 4\n2 2 4\n3 3 4\n"
    head = HEAD + "3 3 3\n"
    for text in (
        "\ufeff" + head + entries,
        HEAD.replace(" ", "\t") + "\n  % c\n3\t3\t3\n% after the size\n" + entries,
        (head + entries).replace("\n", "\r\n"),
        (head + entries).replace("\n", "\r"),
        HEAD + "%" + "c" * (2 << 20) + "\n3 3 3\n" + entries.replace("4", "0.4D+01"),
        HEAD.replace("real", "unsigned-integer") + "3 3 3\n" + entries,
    ):
        file, output = write("a.mtx", text), Path("y.npy")
        spmv.solve(file, "--output", output, ranks=2)
        assert read(output) == [4.0] * 3


def test_lines_may_be_cut_anywhere_among_ranks():
    entries = random_entries(9, 9, 12, 3)
    text = market(9, 9, entries).replace("\n", " \r\n", 4)
    text = text.replace("\n", "\n% a comment that is far longer than any line of numbers\n\n")
    for end, numbers in ((text, (1, 2, 3, 5)), (text.rstrip(), (1, 2, 3, 5) if SOAK else (1, 3))):
        file, output = write("a.mtx", end), Path("y.npy")
        for ranks in numbers:
            spmv.solve(file, "--output", output, ranks=ranks)
            assert read(output) == product(9, entries, [1.0] * 9)


def test_generated_ones_do_not_depend_on_ranks():
    ways = [(1, ["--format", "crs"]), (3, ["--mode", "naive"])]
    if SOAK:
        ways += [(1, []), (2, ["--format", "crs"])]
    for matrix, rows, entries in (
        ("5pt:9,8", 72, 5 * 72 - 2 * 9 - 2 * 8),
        ("9pt:5,4", 20, 13 * 10),
        ("7pt:6,5,4", 120, 7 * 120 - 2 * (30 + 24 + 20)),
        ("27pt:4,5,6", 120, 10 * 13 * 16),
        ("anisotropic:6,5,4", 120, 7 * 120 - 2 * (30 + 24 + 20)),
        ("random:100,20,3,9", 100, None),
        ("power:200,6,5", 200, None),
        ("holstein:3,3", 243, None),
    ):
        sums = set()
        for ranks, words in ways:
            _, result = spmv.solve(
                "--generate", matrix, "--check", "--products", 2, *words, ranks=ranks
            )
            assert result["parameters"]["rows"] == rows
            if entries:
                assert result["parameters"]["entries"] == entries
            sums.add((result["result"]["checksum"], result["parameters"]["entries"]))
        assert len(sums) == 1


def test_parts_of_the_graph_move_less():
    moved = {}
    for parts in ("entries", "metis", "curve"):
        _, result = spmv.solve("--generate", "5pt:40,40", "--partition", parts, "--check", ranks=4)
        assert result["parameters"]["partition"] == parts
        moved[parts] = result["result"]["halo"]
        assert 4 * result["result"]["most_halo"] >= moved[parts]
    assert moved["entries"] == 6 * 40
    assert moved["metis"] < 6 * 40
    fails("--generate", "5pt:1,1", "--partition", "metis", ranks=2,
               says="5pt:1,1: partition: 1 vertices cannot be cut into 2 parts")  # fmt: skip


def test_rows_of_a_stencil_have_the_sum_of_what_is_outside():
    output = Path("y.npy")
    spmv.solve("--generate", "7pt:3,3,3", "--output", output, ranks=2)
    outside = [
        float(sum(c != 1 for c in (i % 3, i // 3 % 3, i // 9))) for i in range(27)
    ]  # fmt: skip
    assert read(output) == outside


def test_says_what_it_did():
    run, result = spmv.solve(
        "--generate", "27pt:20,20,20", "--bandwidth", "--repetitions", 2, "--mode", "naive",
        ranks=2,
    )  # fmt: skip
    lines = [line.split(":")[0] for line in run.stdout.splitlines()]
    assert lines == [
        "Matrix",
        "Format",
        "Ranks",
        "Halos",
        "Meanwhile",
        "Product",
        "Speed",
        "Triad",
        "Reading the same",
    ]
    assert "Meanwhile:              90.0 % of the rows" in run.stdout
    assert result["result"]["halo"] == 2 * 400
    assert len(result["result"]["compute_s"]) == 2
    assert len(result["result"]["reading_bytes_s"]) == 2
    assert len(result["samples"]["total_s"]) == 2
    assert result["parameters"]["mode"] == "naive"
    empty, _ = spmv.solve(write("a.mtx", HEAD + "4 4 1\n2 3 1.0\n"))
    assert "Rows without entries:   3" in empty.stdout


def test_several_schemes_in_turn():
    file = Path("turns.json")
    schemes = ["p2p:sendrecv", "shm:signal+access=direct"]
    run = spmv(
        "--generate", "5pt:20,20", "--repetitions", 2, "--in-turn", ",".join(schemes),
        "--json", file, ranks=2,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    content = json.loads(file.read_text())
    assert len({one["result"]["checksum"] for one in content["schemes"]}) == 1


def test_steps_choose_the_scheme_and_no_bit():
    words = ("--generate", "7pt:12,12,12")
    for more in (
        ("--products", 600),
        # The residual of the recurrence goes on to shrink long after the solution is there.
        ("--solve", "cg", "--tolerance", 1e-99, "--max-iterations", 250),
    ):
        _, fixed = spmv.solve(*words, *more)
        result = spmv.solve_in_laps(*words, *more)
        assert result["result"]["checksum"] == fixed["result"]["checksum"]
        assert result["scheme"] == result["running"]["chosen"][0]["what"]


def test_powers():
    entries = random_entries(50, 50, 200, 4)
    x = [random.Random(i).uniform(-1, 1) for i in range(50)]
    matrix, vector = write("a.mtx", market(50, 50, entries)), write("x.npy", npy(x))
    output = Path("y.npy")
    for _ in range(3):
        x = product(50, entries, x)
    for ranks, words in ((1, []), (3, ["--scheme", "rma:get:fence", "--reorder", "rcm"])):
        words = [matrix, "--x", vector, "--output", output, "--power", 3, "--check", *words]
        run, result = spmv.solve(*words, ranks=ranks)
        assert read(output) == x
        assert "Check:                  right, bit by bit" in run.stdout
        assert result["parameters"]["power"] == 3


def test_solutions_have_the_same_bits_on_any_ranks_and_by_any_order():
    output = Path("x.npy")
    in_place = ["--scheme", "shm:signal+access=direct", "--format", "crs"]
    for method, by in itertools.product(("cg", "pipelined-cg"), ("jacobi", "sgs")):
        sums = set()
        for ranks, words in ((1, []), (2, ["--reorder", "rcm", "--threads", 2]), (3, in_place)):
            words = ["--preconditioner", by, "--output", output, *words]
            words = ["--generate", "anisotropic:9,8,7", "--solve", method, *words]
            run, result = spmv.solve(*words, ranks=ranks)
            result = result["result"]
            assert result["converged"], run.stdout
            assert result.get("colours") == {"jacobi": None, "sgs": 2}[by]
            assert result["residuum"] < 1e-7
            assert max(abs(x - 1) for x in read(output)) < 1e-5
            assert len(result["convergence"]) == result["iterations"] + 1
            sums.add((result["checksum"], *result["convergence"]))
        assert len(sums) == 1
    run, result = spmv.solve("--generate", "5pt:40,40", "--solve", "cg", "--max-iterations", 3)
    assert "3, NOT converged" in run.stdout
    assert not result["result"]["converged"]


def test_systems_that_cannot_be_solved():
    wide = write("a.mtx", HEAD + "2 3 0\n")
    fails(wide, "--solve", "cg", says=f"{wide}:2: is 2 x 3, but must be square")
    fails(wide, "--power", 2, says="must be square for --power")
    fails(wide, "--partition", "metis", says="must be square for --partition metis")
    hole = write("b.mtx", HEAD + "3 3 3\n1 1 1\n2 3 1\n3 3 1\n")
    words = [hole, "--solve", "cg", "--preconditioner", "jacobi"]
    says = ": row 2 has a zero on the diagonal, by which the preconditioner divides"
    fails(*words, says=f"{hole}{says} (no line has it)", ranks=2)
    words[-1] = "sgs"
    fails(*words, says=f"{hole}{says} (no line has it)", ranks=2)
    words[0] = zero = write("e.mtx", HEAD + "% so\n3 3 4\n1 1 1\n3 3 1\n\n2 2 0\n1 2 1\n")
    fails(*words, says=f"{zero}{says} (line 7)", ranks=2)
    lone = write("d.mtx", HEAD + "3 3 4\n1 1 1\n1 3 1\n2 2 1\n3 3 1\n")
    words[0] = lone
    fails(*words, says=f"{lone}: row 1 has an entry in column 3, but row 3", ranks=2)
    minus = write("c.mtx", HEAD + "2 2 2\n1 1 -1\n2 2 -1\n")
    fails(minus, "--solve", "cg", says="must be symmetric and positive definite", ranks=2)


def fails(*words, says, ranks=1):
    run = spmv(*words, ranks=ranks)
    assert run.returncode != 0
    assert says in run.stderr
    assert run.stderr.count(says) == 1, run.stderr


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("empty", "", "1: ends where '%%MatrixMarket matrix' should be"),
        ("banner", "hello\n1 1 1\n1 1 1\n", "1: begins with 'hello', but must begin with"),
        ("complex", HEAD.replace("real", "complex"), "1: has 'complex' values"),
        ("dense", HEAD.replace("coordinate", "array") + "1 1\n1\n", "1: is 'array'"),
        (
            "hermitian",
            HEAD.replace("real general", "complex hermitian"),
            "1: has 'complex' values",
        ),
        ("no size", HEAD + "% only a comment\n", "3: ends where the size should be"),
        ("no rows", HEAD + "0 3 0\n", "2: is 0 x 3"),
        (
            "wide",
            HEAD.replace("general", "symmetric") + "2 3 0\n",
            "2: is 2 x 3, but must be square",
        ),
        ("short", HEAD + "2 2 3\n1 1 1.0\n2 2 1.0\n", "5: ends where an entry should be"),
        ("cut", HEAD + "2 2 2\n1 1 1.0\n2 2", "4: has no value"),
        ("long", HEAD + "1 1 1\n1 1 1.0\n1 1 1.0\n1 1 2\n", "4: has more entries than"),
        ("outside", HEAD + "2 2 2\n1 1 1.0\n3 1 1.0\n", "4: is outside of 2 x 2"),
        ("zero", HEAD + "2 2 2\n1 1 1.0\n1 0 1.0\n", "4: is outside of 2 x 2"),
        ("word", HEAD + "1 1 1\n1 1 one\n", "3: value 'one' is no number"),
        ("nan", HEAD + "1 1 1\n1 1 nan\n", "3: value 'nan' is not finite"),
        ("extra", HEAD + "1 1 1\n1 1 1.0 2.0\n", "3: has '2.0', which is too much"),
        (
            "both triangles",
            HEAD.replace("general", "symmetric") + "2 2 4\n1 1 4\n2 1 -1\n1 2 -1\n2 2 4\n",
            "5: is on the other side of the diagonal than line 4",
        ),
        ("large", HEAD + "1 1 1\n1 1 1e400\n", "3: value '1e400' is too large"),
        ("two", HEAD + "9 9 9\n" + "1 1 1\n" * 4 + "0 1 1\n" * 5, "7: is outside of 9"),
    ],
)
def test_malformed_files(name, text, says):
    file = write("bad.mtx", text)
    for ranks in (1, 3):
        # What ranks see of a file matters where its lines count.
        if ranks == 1 or SOAK or name in ("no size", "short", "cut", "both triangles", "two"):
            fails(file, says=f"{file}:{says}", ranks=ranks)


def test_files_that_cannot_be_used():
    good = write("a.mtx", market(3, 3, [(0, 0, 1.0)]))
    absent = Path("none")
    fails(absent, says=f"{absent}: No such file or directory", ranks=2)
    for content, says in (
        (b"text", "is no .npy file"),
        (npy([1.0] * 4), "must hold 3 numbers, but has 4"),
        (npy([1.0] * 3, descr="<f4"), "they must be doubles"),
        (npy([1.0] * 3)[:-1], "an array of 3 needs"),
    ):
        x = write("x.npy", content)
        fails(good, "--x", x, says=says, ranks=2)
    output = Path("no/such/y.npy")
    fails(good, "--output", output, says=f"--output {output}: ", ranks=2)


def test_memory_is_looked_for_before_it_is_taken():
    rows = 10**12
    for words in (
        ("--generate", "7pt:1000,1000,1000"),
        (write("a.mtx", HEAD + f"{rows} {rows} 1\n1 1 1\n"),),
    ):
        fails(*words, says="out of memory: spmv needs", ranks=2)


MADE = ("--generate", "5pt:3,3")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--products", 3), "name either the file of a matrix"),
        ((*MADE, "a.mtx"), "name either the file of a matrix"),
        (("a.mtx", "b.mtx"), "b.mtx: one file is enough"),
        (("--generate", "6pt:3,3"), "--generate 6pt:3,3: must be one of 5pt:X,Y, "),
        (("--generate", "5pt:3"), "--generate 5pt:3: must be 5pt:X,Y"),
        (("--generate", "5pt:3,0"), "must be 5pt:X,Y, numbers from 1"),
        (("--generate", "5pt"), "must be 5pt:X,Y"),
        (("--generate", "7pt:99999999,99999999,9"), "must be of at most 2^50 rows"),
        ((*MADE, "--format", "ell"), "--format ell: must be one of auto, crs, sell, symmetric"),
        ((*MADE, "--format", "crs", "--sigma", 8), "--sigma: is for --format sell"),
        ((*MADE, "--partition", "scotch"), "must be one of rows, entries, metis, curve"),
        ((*MADE, "--mode", "task"), "--mode task: needs --threads 2"),
        ((*MADE, "--mode", "fast"), "--mode fast: must be one of vector, naive, task"),
        ((*MADE, "--solve", "gmres"), "--solve gmres: must be cg or pipelined-cg"),
        ((*MADE, "--rhs", "b.npy"), "--rhs: is for --solve"),
        ((*MADE, "--solve", "cg", "--check"), "--check: is for products"),
        ((*MADE, "--power", 2, "--mode", "naive"), "--mode: is for single products"),
        ((*MADE, "--products", 0), "--products 0: must be an integer from 1"),
        ((*MADE, "--output", "y.txt"), "--output y.txt: must end in .npy"),
    ],
)
def test_refuses_what_makes_no_sense(words, says):
    fails(*words, says=says)
