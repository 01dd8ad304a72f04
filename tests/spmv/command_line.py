#!/usr/bin/env python3
"""The program spmv as users call it: command_line.py MPIEXEC SPMV."""

import itertools
import json
import pathlib
import random
import re
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
from program_case import ProgramCase
from program_case import run as spmv

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


class Spmv(ProgramCase):
    def file(self, name, content):
        file = self.folder / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def test_a_file_times_a_file(self):
        for rows, columns, count in ((60, 60, 300), (40, 70, 200), (70, 40, 100), (3, 3, 0)):
            entries = random_entries(rows, columns, count, rows)
            x = [random.Random(i).uniform(-1, 1) for i in range(columns)]
            matrix = self.file("a.mtx", market(rows, columns, entries))
            vector = self.file("x.npy", npy(x, shape=f"({columns}, 1)" if rows == 60 else None))
            output = self.folder / "y.npy"
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
                with self.subTest(rows=rows, columns=columns, words=words):
                    words = [matrix, "--x", vector, "--output", output, "--check", *words]
                    run, result = self.solve(*words, ranks=ranks)
                    self.assertEqual(read(output), product(rows, entries, x))
                    self.assertIn("Check:                  right, bit by bit", run.stdout)
                    self.assertEqual(result["parameters"]["entries"], count)
                    sums.add(result["result"]["checksum"])
            self.assertEqual(len(sums), 1)

    def test_symmetric_skew_and_pattern_and_what_is_there_twice(self):
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
            file = self.file("a.mtx", market(30, 30, entries, kind))
            x = [0.5 + i for i in range(30)]
            vector, output = self.file("x.npy", npy(x)), self.folder / "y.npy"
            for ranks in (1, 3):
                with self.subTest(kind=kind, ranks=ranks):
                    self.solve(file, "--x", vector, "--output", output, ranks=ranks)
                    self.assertEqual(read(output), product(30, whole, x))

    def test_files_as_others_write_them(self):
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
            with self.subTest(text=text[:80]):
                file, output = self.file("a.mtx", text), self.folder / "y.npy"
                self.solve(file, "--output", output, ranks=2)
                self.assertEqual(read(output), [4.0] * 3)

    def test_lines_may_be_cut_anywhere_among_ranks(self):
        entries = random_entries(9, 9, 12, 3)
        text = market(9, 9, entries).replace("\n", " \r\n", 4)
        text = text.replace("\n", "\n% a comment that is far longer than any line of numbers\n\n")
        for end in (text, text.rstrip()):
            file, output = self.file("a.mtx", end), self.folder / "y.npy"
            for ranks in (1, 2, 3, 5):
                self.solve(file, "--output", output, ranks=ranks)
                self.assertEqual(read(output), product(9, entries, [1.0] * 9))

    def test_generated_ones_do_not_depend_on_ranks(self):
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
            for ranks, words in ((1, []), (3, ["--mode", "naive"]), (2, ["--format", "crs"])):
                with self.subTest(matrix=matrix, ranks=ranks):
                    _, result = self.solve(
                        "--generate", matrix, "--check", "--products", 2, *words, ranks=ranks
                    )
                    self.assertEqual(result["parameters"]["rows"], rows)
                    if entries:
                        self.assertEqual(result["parameters"]["entries"], entries)
                    sums.add((result["result"]["checksum"], result["parameters"]["entries"]))
            self.assertEqual(len(sums), 1)

    def test_parts_of_the_graph_move_less(self):
        moved = {}
        for parts in ("entries", "metis", "curve"):
            _, result = self.solve(
                "--generate", "5pt:40,40", "--partition", parts, "--check", ranks=4
            )
            self.assertEqual(result["parameters"]["partition"], parts)
            moved[parts] = result["result"]["halo"]
            self.assertGreaterEqual(4 * result["result"]["most_halo"], moved[parts])
        self.assertEqual(moved["entries"], 6 * 40)
        self.assertLess(moved["metis"], 6 * 40)
        self.fails("--generate", "5pt:1,1", "--partition", "metis", ranks=2,
                   says="5pt:1,1: partition: 1 vertices cannot be cut into 2 parts")  # fmt: skip

    def test_rows_of_a_stencil_have_the_sum_of_what_is_outside(self):
        output = self.folder / "y.npy"
        self.solve("--generate", "7pt:3,3,3", "--output", output, ranks=2)
        outside = [
            float(sum(c != 1 for c in (i % 3, i // 3 % 3, i // 9))) for i in range(27)
        ]  # fmt: skip
        self.assertEqual(read(output), outside)

    def test_says_what_it_did(self):
        run, result = self.solve(
            "--generate", "27pt:20,20,20", "--bandwidth", "--repetitions", 2, "--mode", "naive",
            ranks=2,
        )  # fmt: skip
        lines = [line.split(":")[0] for line in run.stdout.splitlines()]
        self.assertEqual(
            lines,
            ["Matrix", "Format", "Ranks", "Halos", "Meanwhile", "Product", "Speed", "Triad",
             "Reading the same"],
        )  # fmt: skip
        self.assertIn("Meanwhile:              90.0 % of the rows", run.stdout)
        self.assertEqual(result["result"]["halo"], 2 * 400)
        self.assertEqual(len(result["result"]["compute_s"]), 2)
        self.assertEqual(len(result["result"]["reading_bytes_s"]), 2)
        self.assertEqual(len(result["samples"]["total_s"]), 2)
        self.assertEqual(result["parameters"]["mode"], "naive")
        empty, _ = self.solve(self.file("a.mtx", HEAD + "4 4 1\n2 3 1.0\n"))
        self.assertIn("Rows without entries:   3", empty.stdout)

    def test_several_schemes_in_turn(self):
        file = self.folder / "turns.json"
        schemes = ["p2p:sendrecv", "shm:signal+access=direct"]
        run = spmv(
            "--generate", "5pt:20,20", "--repetitions", 2, "--in-turn", ",".join(schemes),
            "--json", file, ranks=2,
        )  # fmt: skip
        self.assertEqual(run.returncode, 0, run.stderr)
        content = json.loads(file.read_text())
        self.assertEqual(len({one["result"]["checksum"] for one in content["schemes"]}), 1)

    def test_powers(self):
        entries = random_entries(50, 50, 200, 4)
        x = [random.Random(i).uniform(-1, 1) for i in range(50)]
        matrix, vector = self.file("a.mtx", market(50, 50, entries)), self.file("x.npy", npy(x))
        output = self.folder / "y.npy"
        for _ in range(3):
            x = product(50, entries, x)
        for ranks, words in ((1, []), (3, ["--scheme", "rma:get:fence", "--reorder", "rcm"])):
            words = [matrix, "--x", vector, "--output", output, "--power", 3, "--check", *words]
            run, result = self.solve(*words, ranks=ranks)
            self.assertEqual(read(output), x)
            self.assertIn("Check:                  right, bit by bit", run.stdout)
            self.assertEqual(result["parameters"]["power"], 3)

    def test_solutions_have_the_same_bits_on_any_ranks_and_by_any_order(self):
        output = self.folder / "x.npy"
        in_place = ["--scheme", "shm:signal+access=direct", "--format", "crs"]
        for method, by in itertools.product(("cg", "pipelined-cg"), ("jacobi", "sgs")):
            sums = set()
            for ranks, words in ((1, []), (2, ["--reorder", "rcm", "--threads", 2]), (3, in_place)):
                words = ["--preconditioner", by, "--output", output, *words]
                words = ["--generate", "anisotropic:9,8,7", "--solve", method, *words]
                run, result = self.solve(*words, ranks=ranks)
                result = result["result"]
                self.assertTrue(result["converged"], run.stdout)
                self.assertEqual(result.get("colours"), {"jacobi": None, "sgs": 2}[by])
                self.assertLess(result["residuum"], 1e-7)
                self.assertLess(max(abs(x - 1) for x in read(output)), 1e-5)
                self.assertEqual(len(result["convergence"]), result["iterations"] + 1)
                sums.add((result["checksum"], *result["convergence"]))
            self.assertEqual(len(sums), 1)
        run, result = self.solve("--generate", "5pt:40,40", "--solve", "cg", "--max-iterations", 3)
        self.assertIn("3, NOT converged", run.stdout)
        self.assertFalse(result["result"]["converged"])

    def test_systems_that_cannot_be_solved(self):
        wide = self.file("a.mtx", HEAD + "2 3 0\n")
        self.fails(wide, "--solve", "cg", says=f"{wide}:2: is 2 x 3, but must be square")
        self.fails(wide, "--power", 2, says="must be square for --power")
        self.fails(wide, "--partition", "metis", says="must be square for --partition metis")
        hole = self.file("b.mtx", HEAD + "3 3 3\n1 1 1\n2 3 1\n3 3 1\n")
        words = [hole, "--solve", "cg", "--preconditioner", "jacobi"]
        says = ": row 2 has a zero on the diagonal, by which the preconditioner divides"
        self.fails(*words, says=f"{hole}{says} (no line has it)", ranks=2)
        words[-1] = "sgs"
        self.fails(*words, says=f"{hole}{says} (no line has it)", ranks=2)
        words[0] = zero = self.file("e.mtx", HEAD + "% so\n3 3 4\n1 1 1\n3 3 1\n\n2 2 0\n1 2 1\n")
        self.fails(*words, says=f"{zero}{says} (line 7)", ranks=2)
        lone = self.file("d.mtx", HEAD + "3 3 4\n1 1 1\n1 3 1\n2 2 1\n3 3 1\n")
        words[0] = lone
        self.fails(*words, says=f"{lone}: row 1 has an entry in column 3, but row 3", ranks=2)
        minus = self.file("c.mtx", HEAD + "2 2 2\n1 1 -1\n2 2 -1\n")
        self.fails(minus, "--solve", "cg", says="must be symmetric and positive definite", ranks=2)

    def fails(self, *words, says, ranks=1):
        run = spmv(*words, ranks=ranks)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(says, run.stderr)
        self.assertEqual(run.stderr.count(says), 1, run.stderr)

    def test_malformed_files(self):
        for name, text, says in (
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
        ):
            for ranks in (1, 3):
                with self.subTest(name=name, ranks=ranks):
                    file = self.file("bad.mtx", text)
                    self.fails(file, says=f"{file}:{says}", ranks=ranks)

    def test_files_that_cannot_be_used(self):
        good = self.file("a.mtx", market(3, 3, [(0, 0, 1.0)]))
        absent = self.folder / "none"
        self.fails(absent, says=f"{absent}: No such file or directory", ranks=2)
        for content, says in (
            (b"text", "is no .npy file"),
            (npy([1.0] * 4), "must hold 3 numbers, but has 4"),
            (npy([1.0] * 3, descr="<f4"), "they must be doubles"),
            (npy([1.0] * 3)[:-1], "an array of 3 needs"),
        ):
            x = self.file("x.npy", content)
            self.fails(good, "--x", x, says=says, ranks=2)
        output = self.folder / "no/such/y.npy"
        self.fails(good, "--output", output, says=f"--output {output}: ", ranks=2)

    def test_memory_is_looked_for_before_it_is_taken(self):
        rows = 10**12
        for words in (
            ("--generate", "7pt:1000,1000,1000"),
            (self.file("a.mtx", HEAD + f"{rows} {rows} 1\n1 1 1\n"),),
        ):
            self.fails(*words, says="out of memory: spmv needs", ranks=2)

    def test_refuses_what_makes_no_sense(self):
        made = ("--generate", "5pt:3,3")
        for words, says in (
            (("--products", 3), "name either the file of a matrix"),
            ((*made, "a.mtx"), "name either the file of a matrix"),
            (("a.mtx", "b.mtx"), "b.mtx: one file is enough"),
            (("--generate", "6pt:3,3"), "--generate 6pt:3,3: must be one of 5pt:X,Y, "),
            (("--generate", "5pt:3"), "--generate 5pt:3: must be 5pt:X,Y"),
            (("--generate", "5pt:3,0"), "must be 5pt:X,Y, numbers from 1"),
            (("--generate", "5pt"), "must be 5pt:X,Y"),
            (("--generate", "7pt:99999999,99999999,9"), "must be of at most 2^50 rows"),
            ((*made, "--format", "ell"), "--format ell: must be one of auto, crs, sell, symmetric"),
            ((*made, "--format", "crs", "--sigma", 8), "--sigma: is for --format sell"),
            ((*made, "--partition", "scotch"), "must be one of rows, entries, metis, curve"),
            ((*made, "--mode", "task"), "--mode task: needs --threads 2"),
            ((*made, "--mode", "fast"), "--mode fast: must be one of vector, naive, task"),
            ((*made, "--solve", "gmres"), "--solve gmres: must be cg or pipelined-cg"),
            ((*made, "--rhs", "b.npy"), "--rhs: is for --solve"),
            ((*made, "--solve", "cg", "--check"), "--check: is for products"),
            ((*made, "--power", 2, "--mode", "naive"), "--mode: is for single products"),
            ((*made, "--products", 0), "--products 0: must be an integer from 1"),
            ((*made, "--output", "y.txt"), "--output y.txt: must end in .npy"),
        ):
            with self.subTest(words=words):
                self.fails(*words, says=says)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
