"""The program matmul as users call it."""

import json
import re
import struct
from pathlib import Path

import pytest
from programs import PROGRAMS, SOAK, Program

matmul = Program(PROGRAMS[0])


def matrix(rows, columns, factor):
    """Return integers in rows."""
    return [[(i * 31 + j * factor) % 23 - 11 for j in range(columns)] for i in range(rows)]


def product(a, b):
    columns = list(zip(*b, strict=True))
    return [
        [float(sum(x * y for x, y in zip(row, one, strict=True))) for one in columns] for row in a
    ]


def npy(rows, *, fortran=False, descr="<f8", version=1, shape=None):
    """Return the bytes of a .npy file."""
    shape = shape or (len(rows), len(rows[0]))
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    lines = zip(*rows, strict=True) if fortran else rows
    numbers = [float(x) for line in lines for x in line]
    head = b"\x93NUMPY" + bytes([version, 0]) + length + text
    return head + struct.pack(f"{descr[0]}{len(numbers)}d", *numbers)


def market(rows):
    numbers = [f"{x}\n" for column in zip(*rows, strict=True) for x in column]
    head = f"%%MatrixMarket matrix array real general\n% made by hand\n{len(rows)} {len(rows[0])}\n"
    return (head + "".join(numbers)).encode()


def text(rows):
    lines = [" ".join(f"{x:+.1f}" for x in row) for row in rows]
    return "\n".join([f"{len(rows)} {len(rows[0])}", *lines]).encode()


def read(file):
    """Return the rows of a file that matmul has written."""
    content = file.read_bytes()
    if content.startswith(b"\x93NUMPY"):
        length = struct.unpack("<H", content[8:10])[0]
        shape = re.search(r"\((\d+), (\d+)\)", content[10 : 10 + length].decode())
        rows, columns = int(shape[1]), int(shape[2])
        numbers = struct.unpack(f"<{rows * columns}d", content[10 + length :])
        return [list(numbers[i * columns : (i + 1) * columns]) for i in range(rows)]
    lines = [line for line in content.decode().splitlines() if not line.startswith("%")]
    rows, columns = map(int, lines[0].split())
    numbers = [float(x) for line in lines[1:] for x in line.split()]
    assert len(numbers) == rows * columns
    if content.startswith(b"%%MatrixMarket matrix array real general\n"):
        return [numbers[i::rows] for i in range(rows)]
    assert len(lines) == rows + 1
    return [numbers[i * columns : (i + 1) * columns] for i in range(rows)]


def test_the_same_bits_on_any_ranks_by_any_algorithm_through_any_scheme():
    sums = set()
    for ranks, *words in (
        (1,),
        (2, "--scheme", "shm:signal+access=direct"),
        (2, "--algorithm", "cannon", "--scheme", "rma:put:fence"),
        (2, "--algorithm", "cannon", "--scheme", "shm:signal+access=direct", "--panel", 9),
        (3, "--algorithm", "summa", "--threads", 2),
        (3, "--cut", "1,1,2", "--panel", 7),
    ):
        run, result = matmul.solve("--shape", "60,50,40", "--check", *words, ranks=ranks)
        assert "right (compared with the plain product, bit by bit)" in run.stdout
        assert "plain product" in result["result"]["checked"]
        sums.add(result["result"]["checksum"])
    assert len(sums) == 1


def test_says_what_it_will_do_before_it_does():
    run, result = matmul.solve("--shape", "300,200,100", "--repetitions", 3, ranks=2)
    lines = [line.split(":")[0] for line in run.stdout.splitlines()]
    assert lines == [
        "Product",
        "Algorithm",
        "Multiplied by",
        "Memory",
        "A rank sends",
        "Calculation time",
        "Computing",
        "Communicating",
        "Exchanges of panels",
        "Speed",
    ]
    assert "auto, cut into 2 x 1 x 1, on 2 of 2 ranks" in run.stdout
    sends = re.search(r"A rank sends: +(\d+) numbers .* less than (\S+)\n", run.stdout)
    assert int(sends[1]) == 100 * 200 // 2
    assert abs(float(sends[2]) - result["result"]["least_words"]) < 0.06
    assert float(sends[2]) < 10000
    assert result["result"]["words"] == 10000
    assert len(result["result"]["compute_s"]) == 3
    assert len(result["samples"]["total_s"]) == 3
    assert result["parameters"]["cut"] == [2, 1, 1]


def test_a_vector_goes_around():
    run, result = matmul.solve("--shape", "50,9,70", "--columns", 1, "--check", ranks=3)
    assert result["parameters"]["algorithm"] == "cannon"
    assert result["parameters"]["cut"] == [3, 1, 1]
    assert "Check:                  right" in run.stdout


def test_large_products_are_checked_by_vectors():
    run, _ = matmul.solve("--shape", "500,400,300", "--check", ranks=2)
    assert "Freivalds' test with 4 vectors, bit by bit; a wrong product" in run.stdout


def test_several_schemes_in_turn():
    file = Path("turns.json")
    schemes = ["p2p:sendrecv", "shm:signal"]
    run = matmul(
        "--shape", "64,64,64", "--check", "--repetitions", 2,
        "--in-turn", ",".join(schemes), "--json", file, ranks=2,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    content = json.loads(file.read_text())
    assert [one["asked"] for one in content["schemes"]] == schemes
    assert len({one["result"]["checksum"] for one in content["schemes"]}) == 1


def write(name, content):
    Path(name).write_bytes(content)
    return Path(name)


def test_files_of_all_kinds():
    a, b = matrix(13, 7, 3), matrix(7, 9, 5)
    for ranks, end, of_a, of_b, words in (
        (1, "npy", npy(a), npy(b, fortran=True), ()),
        (3, "mtx", npy(a, fortran=True, version=2), text(b), ()),
        (2, "txt", market(a), market(b), ("--algorithm", "cannon")),
        (3, "npy", text(a), npy(b), ("--cut", "1,1,3")),
    ):
        output = Path(f"c.{end}")
        run, _ = matmul.solve(
            write("a", of_a), write("b", of_b), "--output", output, "--check",
            *words, ranks=ranks,
        )  # fmt: skip
        assert "plain product, bit by bit" in run.stdout
        assert read(output) == product(a, b)
        assert list(Path().glob("*.partial")) == []


def test_files_as_others_write_them():
    """What was once another matrix without a word, or refused for an untrue reason."""
    tab = npy([[1, 2], [3, 4]], fortran=True).replace(b"order': True", b"order':\tTrue")
    python_2 = npy([[1, 2], [3, 4]]).replace(b"(2, 2)", b"(2L,2)").replace(b"'", b'"')
    big = npy([[1, 2], [3, 4]], descr=">f8")
    array = b"\xef\xbb\xbf%%MatrixMarket\tmatrix array real general\r\n  % c\r\n\r\n2 2\r\n"
    comment = b"% " + b"c" * (2 << 20) + b"\n"
    symmetric = b"%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"
    skew = b"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"
    for ranks, content, rows in (
        (1, tab, [[1, 2], [3, 4]]),
        (1, python_2, [[1, 2], [3, 4]]),
        (2, big, [[1, 2], [3, 4]]),
        (2, array + comment + b"1\n+3.\n" + comment + b"0.2D+01\n4", [[1, 2], [3, 4]]),
        (1, b"2 2 1 2\n3\t4", [[1, 2], [3, 4]]),
        (3, symmetric, [[1, 2, 3], [2, 4, 5], [3, 5, 6]]),
        (3, skew, [[0, -1, -2], [1, 0, -3], [2, 3, 0]]),
    ):
        one = npy([[float(i == j) for j in range(len(rows))] for i in range(len(rows))])
        a, b = write("a", content), write("b", one)
        output = Path("c.npy")
        matmul.solve(a, b, "--output", output, ranks=ranks)
        assert read(output) == rows


def test_what_is_written_can_be_read():
    for end in ("npy", "mtx", "txt"):
        first, second = Path(f"c.{end}"), Path("d.npy")
        matmul.solve("--shape", "8,8,8", "--output", first, ranks=2)
        matmul.solve(first, first, "--output", second, "--check", ranks=3)
        assert read(second) == product(read(first), read(first))


def test_files_that_are_wrong_are_named():
    good = write("good", npy(matrix(4, 4, 3)))
    for content, says in (
        (npy(matrix(4, 4, 3))[:-8], "bad: has 190 bytes; an array of 4 x 4 needs 198"),
        (npy(matrix(4, 4, 3))[:20], "bad: is cut short in its header"),
        (npy([[0.0]], shape=(2147483647, 2147483647)),
         "bad: says that it holds 2147483647 x 2147483647 numbers; no file has 3.436e+10 GiB"),
        (npy(matrix(4, 4, 3), descr="<f4"), "says that it holds numbers of type '<f4'"),
        (b"", "bad: must begin with the numbers of rows and columns"),
        (b"0 4", "bad: says that its matrix is 0 x 4"),
        (text(matrix(4, 4, 3)) + b" 1", "bad: has 17 numbers; a matrix of 4 x 4 needs 16"),
        (text(matrix(4, 4, 3)).rsplit(b" ", 1)[0], "bad: has 15 numbers; a matrix of 4 x 4"),
        (text(matrix(4, 4, 3)).replace(b"+", b"x", 1), "' is no number"),
        (b"%%MatrixMarket matrix coordinate real general\n4 4 1\n1 1 1\n",
         "bad:1: is 'coordinate', but must be array"),
        (npy(matrix(3, 4, 3)), "good has 4 columns and "),
    ):  # fmt: skip
        run = matmul(good, write("bad", content), ranks=2 if b"." in content else 1)
        assert run.returncode != 0
        assert says in run.stderr
        assert run.stderr.count(says) == 1
    for words, says in (
        ([good, "nowhere.npy"], "nowhere.npy: No such file or directory"),
        ([good], "good: two files are needed, of A and of B"),
        ([good, good, "--shape", "4,4,4"], "is for matrices that are generated"),
        ([good, good, "--output", "c.csv"], "--output c.csv: must end in .npy, .mtx or .txt"),
        (
            [good, good, "--output", Path("no") / "c.npy"],
            "c.npy: No such file or directory",
        ),
    ):
        run = matmul(*words)
        assert run.returncode != 0
        assert says in run.stderr


def test_too_large_a_product_is_refused_before_anything_is_allocated():
    run = matmul("--shape", "2000000,2000000,2", ranks=2)
    assert run.returncode != 0
    assert re.search(r"out of memory: matmul needs 298\d\d\.\d GiB on node", run.stderr)
    assert "Memory:" in run.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--shape", "1,1,2147483647", "--panel", "1"], "--panel 1: cuts K = 2147483647 into"),
        (["--seed", "1"], "name the files of A and B, or say by --shape how large they are"),
        (["--shape", "0,1,1"], "--shape 0,1,1: must be three numbers from 1"),
        (["--shape", "5,5"], "--shape 5,5: must be three numbers from 1"),
        (["--shape", "5,5,5,5"], "--shape 5,5,5,5: must be three numbers from 1"),
        (["--shape", "9,9,9", "--algorithm", "strassen"], "must be one of auto, cannon, summa"),
        (["--shape", "9,9,9", "--cut", "2,2,1"], "--cut 2,2,1: needs more than the 2 ranks"),
        (["--shape", "1,9,9", "--cut", "2,1,1"], "--cut 2,1,1: M is 1 and cannot have 2 parts"),
        *((["--shape", "900,900,900", "--memory", "0.001", *words],
           "--memory 0.001: a rank would have to hold at least 0.0")
          for words in ([], ["--algorithm", "cannon"], ["--algorithm", "summa"],
                        ["--cut", "1,2,1"])),
        (["--shape", "9,9,9", "--threads", "0"], "--threads 0: must be an integer from 1"),
    ],
)  # fmt: skip
def test_anything_invalid_is_named(words, says):
    # Without a launcher, which is cheaper; what is about ranks on two, and all in the soak.
    ranks = 2 if SOAK or {"--cut", "--memory"} & set(words) else 1
    assert matmul.fails(*words, says=says, ranks=ranks).returncode == 1
