#!/usr/bin/env python3
"""The yardstick as users call it: same_bits.py PLAIN_SWEEPS PARTDIFF LAPLACE.

What it computes is the programs' result bit for bit; what it cannot do it says.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PLAIN_SWEEPS, PARTDIFF, LAPLACE = sys.argv[1:4]
NUMBERS = {"gauss-seidel": 1, "jacobi": 2}


def run(program, *arguments):
    command = [program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class SameBits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "result.json"

    def result(self, program, *arguments):
        self.file.unlink(missing_ok=True)
        ended = run(program, *arguments, "--json", self.file)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return json.loads(self.file.read_text())

    def plain(self, method, points, *more):
        return self.result(PLAIN_SWEEPS, "--method", method, "--points", points, *more)

    def test_bits_are_those_of_partdiff(self):
        for method, interlines, function, sweeps, threads in (
            ("jacobi", 0, 1, 1, 1),
            ("jacobi", 7, 2, 8, 1),
            ("jacobi", 24, 1, 37, 3),
            ("jacobi", 31, 2, 50, 2),
            ("gauss-seidel", 0, 2, 3, 1),
            ("gauss-seidel", 24, 1, 37, 1),
            ("gauss-seidel", 31, 2, 50, 1),
        ):
            with self.subTest(method=method, interlines=interlines, function=function):
                words = [1, NUMBERS[method], interlines, function, 2, sweeps]
                theirs = self.result(PARTDIFF, *words)
                ours = self.plain(
                    method, 8 * interlines + 9, "--function", function, "--sweeps", sweeps,
                    "--threads", threads, "--repetitions", 2,
                )  # fmt: skip
                self.assertEqual(ours["result"]["checksum"], theirs["result"]["checksum"])
                self.assertEqual(ours["build"], theirs["build"])
                if threads == 1:
                    self.assertEqual(ours["pinning"], theirs["pinning"])

    def test_bits_are_those_of_laplace(self):
        for points, sweeps, threads in ((9, 1, 1), (33, 20, 3), (50, 37, 2)):
            with self.subTest(points=points, sweeps=sweeps, threads=threads):
                theirs = self.result(
                    LAPLACE, "--grid", f"{points},{points},{points}", "--threads", threads,
                    "--max-iterations", sweeps, "--tolerance", "1e-300",
                )  # fmt: skip
                ours = self.plain(
                    "laplace", points, "--sweeps", sweeps, "--threads", threads, "--repetitions", 2
                )
                self.assertEqual(ours["result"]["checksum"], theirs["result"]["checksum"])
                self.assertEqual(theirs["result"]["iterations"], sweeps)

    def test_result_file(self):
        result = self.plain("jacobi", 201, "--sweeps", 5, "--repetitions", 3, "--threads", 2)
        self.assertEqual((result["format"], result["version"]), ("halocline-result", 1))
        self.assertEqual((result["ranks"], result["threads"]), (1, 2))
        self.assertEqual(result["result"]["iterations"], 5)
        for seconds, rate in zip(result["samples"]["total_s"], result["result"]["mlups"]):
            self.assertAlmostEqual(seconds * rate * 1e6 / (199 * 199 * 5), 1)
        self.assertEqual(len(result["samples"]["total_s"]), 3)

    def test_stream(self):
        result = self.plain("stream", 500, "--repetitions", 3, "--sweeps", 4, "--threads", 2)
        for name in ("copy_gb_s", "triad_gb_s"):
            self.assertEqual(len(result["result"][name]), 3)
            self.assertGreater(min(result["result"][name]), 0)

    def test_anything_invalid_is_named(self):
        for words, message in (
            (["--method", "gauss-seidel", "--threads", "2"], "Gauss-Seidel loop is serial"),
            (["--method", "sor"], "--method"),
            (["--points", "200"], "--points 200: partdiff's grids have 8 * interlines + 9"),
            (["--points", "1"], "--points"),
            (["--function", "3"], "--function"),
            (["--method", "laplace", "--function", "2"], "laplace has no source term"),
            (["--method", "laplace", "--points", "100001"], "--points 100001: a cube"),
            (["--sweeps", "0"], "--sweeps"),
            (["--threads", "0"], "--threads"),
            (["--unheard-of"], "--unheard-of"),
            (["--json", "/no/such/folder/result.json"], "--json"),
        ):
            ended = run(PLAIN_SWEEPS, *words)
            self.assertNotEqual(ended.returncode, 0, words)
            self.assertIn(message, ended.stderr)

    def test_usage(self):
        ended = run(PLAIN_SWEEPS, "--help")
        self.assertEqual(ended.returncode, 0)
        self.assertIn("--repetitions", ended.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
