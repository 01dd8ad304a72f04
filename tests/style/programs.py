#!/usr/bin/env python3
"""A program in every style: programs.py MPIEXEC PROGRAM; the bits of one rank and one thread.

HALOCLINE_TEST_ALL_STYLES=1 takes every scheme on more ranks and threads.
"""

import fnmatch
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
from program_case import PROGRAM, ProgramCase, run

NAME = pathlib.Path(PROGRAM).name
STYLES = (
    "masteronly", "naive", "funneled", "single", "thread", "tasks", "partitioned", "multiple",
    "auto",
)  # fmt: skip
SCHEMES = "p2p:nonblocking", "p2p:partitioned", "shm:signal+access=direct"
ALL = "HALOCLINE_TEST_ALL_STYLES" in os.environ
EXCEPT = os.environ.get("HALOCLINE_TEST_EXCEPT")


STEPS = {"laplace": 23, "partdiff": 14, "spmv": 3}[NAME]


def words(threads, steps=STEPS):
    """Return a small problem for a program on so many threads."""
    return {
        "laplace": ("--grid", "17,13,12", "--max-iterations", steps, "--tolerance", "1e-300",
                    "--check", "every=10", "--threads", threads),
        "partdiff": (threads, 2, 3, 2, 2, steps, "--decomposition", "blocks"),
        "spmv": ("--generate", "7pt:9,8,7", "--products", steps, "--threads", threads),
    }[NAME]  # fmt: skip


def schemes():
    """Return the schemes that are tried."""
    names = SCHEMES
    listed = [line for line in run("--list-schemes").stdout.splitlines() if line]
    here = [line for line in listed if ":" in line and line[0] != " " and " " not in line]
    if ALL:
        names = here
    names = [name for name in names if name.split("+")[0] in here]
    return [name for name in names if not (EXCEPT and fnmatch.fnmatchcase(name, EXCEPT))]


class Styles(ProgramCase):
    def sums(self, ranks, threads, entrants):
        """Return the checksums of all entrants, in one launch."""
        _, content = self.solve(*words(threads), "--in-turn", ",".join(entrants), ranks=ranks)
        self.assertEqual([one["asked"] for one in content["schemes"]], entrants)
        return [one["result"]["checksum"] for one in content["schemes"]]

    def test_bits_of_one_rank_and_one_thread(self):
        _, serial = self.solve(*words(1))
        right = serial["result"]["checksum"]
        tried = schemes()
        shapes = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (4, 1)] if ALL else [(1, 2), (2, 2)]
        self.addCleanup(lambda: print(f"{right_ones} combinations have the bits of {NAME} alone"))
        right_ones = 0
        for ranks, threads in shapes:
            for style in STYLES:
                entrants = [f"{scheme}@{style}" for scheme in tried]
                with self.subTest(ranks=ranks, threads=threads, style=style):
                    sums = self.sums(ranks, threads, entrants)
                    wrong = [one for one, sum in zip(entrants, sums) if sum != right]
                    right_ones += len(entrants) - len(wrong)
                    self.assertEqual(wrong, [])

    def test_one_style(self):
        _, content = self.solve(*words(2), "--style", "thread", ranks=2)
        self.assertEqual(content["parameters"]["style"], "thread")
        self.assertEqual(content["style"], "thread")
        self.assertEqual(content["mpi"]["thread_level"], "funneled")
        _, content = self.solve(*words(2), "--style", "multiple", ranks=2)
        self.assertEqual(content["mpi"]["thread_level"], "multiple")

    def test_what_auto_became_is_said(self):
        remembered = "--tuning", self.folder / "tuning.json"
        few = *words(1), "--style", "auto", *remembered
        _, content = self.solve(*few, ranks=2)
        self.assertEqual(content["style"], "auto")  # not decided
        entrants = "p2p:nonblocking@auto", "p2p:nonblocking@naive"
        many = *words(1, 40_000), *remembered, "--in-turn", ",".join(entrants)
        _, content = self.solve(*many, "--repetitions", 1, ranks=2)
        auto, naive = content["schemes"]
        self.assertEqual(auto["parameters"]["style"], "auto")
        self.assertIn(auto["style"], STYLES[:-1])
        self.assertEqual(naive["style"], "naive")
        _, content = self.solve(*few, ranks=2)
        self.assertEqual(content["style"], auto["style"])

    def test_what_does_not_fit_is_named(self):
        refused = {
            "laplace": (["--slow", "0:2"], "--style tasks: is for ranks that are as fast as"),
            "partdiff": (["--halo-depth", "4"], "an exchange in every sweep, --halo-depth 1"),
            "spmv": (["--mode", "naive"], "--mode"),
        }
        for more, says in (
            (["--style", "hybrid"], "there is no style 'hybrid'; there are masteronly, naive"),
            (["--style", "tasks", *refused[NAME][0]], refused[NAME][1]),
            (["--in-turn", "p2p:nonblocking@x", "--json", "a.json"], "there is no style 'x'"),
        ):
            with self.subTest(more=more):
                done = run(*words(2), *more, ranks=2)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(says, done.stderr)
        self.assertIn("needs MPI_THREAD_MULTIPLE", run("--list-styles").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
