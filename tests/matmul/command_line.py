#!/usr/bin/env python3
"""The program matmul as users call it: command_line.py MPIEXEC MATMUL."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, MATMUL = sys.argv[1:3]


def matmul(*arguments, ranks=1):
    command = [MPIEXEC, "-n", str(ranks), MATMUL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


class Matmul(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def solve(self, *arguments, ranks=1):
        file = self.folder / "result.json"
        run = matmul(*arguments, "--json", file, ranks=ranks)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run, json.loads(file.read_text())

    def test_the_same_bits_on_any_ranks_by_any_algorithm_through_any_scheme(self):
        sums = set()
        for ranks, *words in (
            (1,),
            (2, "--scheme", "shm:signal+access=direct"),
            (2, "--algorithm", "cannon", "--scheme", "rma:put:fence"),
            (3, "--algorithm", "summa", "--threads", 2),
            (3, "--cut", "1,1,2", "--panel", 7),
        ):
            run, result = self.solve("--shape", "60,50,40", "--check", *words, ranks=ranks)
            self.assertIn("right (compared with the plain product, bit by bit)", run.stdout)
            self.assertIn("plain product", result["result"]["checked"])
            sums.add(result["result"]["checksum"])
        self.assertEqual(len(sums), 1)

    def test_says_what_it_will_do_before_it_does(self):
        run, result = self.solve("--shape", "300,200,100", "--repetitions", 3, ranks=2)
        lines = [line.split(":")[0] for line in run.stdout.splitlines()]
        self.assertEqual(
            lines,
            ["Product", "Algorithm", "Multiplied by", "Memory", "A rank sends", "Calculation time",
             "Computing", "Communicating", "Exchanges of panels", "Speed"],
        )  # fmt: skip
        self.assertIn("auto, cut into 2 x 1 x 1, on 2 of 2 ranks", run.stdout)
        sends = re.search(r"A rank sends: +(\d+) numbers .* less than (\S+)\n", run.stdout)
        self.assertEqual(int(sends[1]), 100 * 200 // 2)
        self.assertAlmostEqual(float(sends[2]), result["result"]["least_words"], delta=0.06)
        self.assertLess(float(sends[2]), 10000)
        self.assertEqual(result["result"]["words"], 10000)
        self.assertEqual(len(result["result"]["compute_s"]), 3)
        self.assertEqual(len(result["samples"]["total_s"]), 3)
        self.assertEqual(result["parameters"]["cut"], [2, 1, 1])

    def test_a_vector_goes_around(self):
        run, result = self.solve("--shape", "50,9,70", "--columns", 1, "--check", ranks=3)
        self.assertEqual(result["parameters"]["algorithm"], "cannon")
        self.assertEqual(result["parameters"]["cut"], [3, 1, 1])
        self.assertIn("Check:                  right", run.stdout)

    def test_large_products_are_checked_by_vectors(self):
        run, _ = self.solve("--shape", "500,400,300", "--check", ranks=2)
        self.assertIn("Freivalds' test with 4 vectors, bit by bit; a wrong product", run.stdout)

    def test_several_schemes_in_turn(self):
        file = self.folder / "turns.json"
        schemes = ["p2p:sendrecv", "shm:signal"]
        run = matmul(
            "--shape", "64,64,64", "--check", "--repetitions", 2,
            "--in-turn", ",".join(schemes), "--json", file, ranks=2,
        )  # fmt: skip
        self.assertEqual(run.returncode, 0, run.stderr)
        content = json.loads(file.read_text())
        self.assertEqual([one["asked"] for one in content["schemes"]], schemes)
        self.assertEqual(len({one["result"]["checksum"] for one in content["schemes"]}), 1)

    def test_too_large_a_product_is_refused_before_anything_is_allocated(self):
        run = matmul("--shape", "2000000,2000000,2", ranks=2)
        self.assertNotEqual(run.returncode, 0)
        self.assertRegex(run.stderr, r"out of memory: matmul needs 298\d\d\.\d GiB on node")
        self.assertIn("Memory:", run.stdout)

    def test_anything_invalid_is_named(self):
        for words, says in (
            (["--seed", "1"], "name the files of A and B, or say by --shape how large they are"),
            (["--shape", "0,1,1"], "--shape 0,1,1: must be three numbers from 1"),
            (["--shape", "5,5"], "--shape 5,5: must be three numbers from 1"),
            (["--shape", "5,5,5,5"], "--shape 5,5,5,5: must be three numbers from 1"),
            (["--shape", "9,9,9", "--algorithm", "strassen"], "must be one of auto, cannon, summa"),
            (["--shape", "9,9,9", "--cut", "2,2,1"], "--cut 2,2,1: needs more than the 2 ranks"),
            (["--shape", "1,9,9", "--cut", "2,1,1"], "--cut 2,1,1: M is 1 and cannot have 2 parts"),
            (["--shape", "9,9,9", "--algorithm", "cannon", "--panel", "3"],
             "--panel: is for --algorithm auto and summa"),
            (["--shape", "900,900,900", "--memory", "0.001"],
             "a rank would have to hold at least"),
            (["--shape", "9,9,9", "--threads", "0"], "--threads 0: must be an integer from 1"),
        ):  # fmt: skip
            with self.subTest(words=words):
                run = matmul(*words, ranks=2)
                self.assertEqual(run.returncode, 1)
                self.assertEqual(run.stderr.count("Usage: matmul"), 1)
                self.assertIn(says, run.stderr)
                self.assertEqual(run.stdout, "")

    def test_cannon_needs_copies(self):
        run = matmul(
            "--shape", "9,9,9", "--algorithm", "cannon",
            "--scheme", "shm:signal+access=direct", ranks=2,
        )  # fmt: skip
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("use +access=copy, or another algorithm", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
