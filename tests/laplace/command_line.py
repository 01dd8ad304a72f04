#!/usr/bin/env python3
"""The program as users call it: command_line.py MPIEXEC LAPLACE.

Every solution is judged from its file alone: its residual is computed again, and its distance from
the exact solution of the equations bounded.
"""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import unittest

import h5py
import numpy as np
import scipy.io
import scipy.sparse
import scipy.sparse.linalg

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
from program_case import ProgramCase

MPIEXEC, LAPLACE = sys.argv[1:3]
GRID = (11, 8, 13)
"""X, Y, Z of most tests."""
WATCHED = os.environ | {
    "OMPI_MCA_mpi_show_handle_leaks": "1",
    "OMPI_MCA_mpi_show_mpi_alloc_mem_leaks": "10",
}
"""Open MPI then tells at the end what of its objects and its memory nobody has freed."""


def laplace(*arguments, ranks=1, **options):
    """Run the program; without mpiexec on 1 rank, which is cheaper."""
    start = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
    command = [*start, LAPLACE, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=WATCHED, **options
    )


def surface(grid, offset=0.0, circle=None):
    """Return all points, with the surface's values and 0 inside."""
    nx, ny, nz = grid
    x, y = np.arange(nx + 2) / (nx + 1), np.arange(ny + 2) / (ny + 1)
    apart = (0.5 - x[None, :]) ** 2 + (0.5 - y[:, None]) ** 2
    bottom = np.exp(-apart)
    if circle is not None:
        bottom[apart > circle**2] = 0
    u = np.zeros((nz + 2, ny + 2, nx + 2))
    u[0] = bottom
    u += offset
    u[1:-1, 1:-1, 1:-1] = 0
    return u


def neighbours(u):
    """Return the sums over the six neighbours of the points inside."""
    inner = slice(1, -1)
    return (
        u[:-2, inner, inner] + u[2:, inner, inner] + u[inner, :-2, inner] + u[inner, 2:, inner]
        + u[inner, inner, :-2] + u[inner, inner, 2:]
    )  # fmt: skip


def relative_residual(u, grid, offset=0.0, circle=None):
    """Return |b - A u| / |b| from the points alone."""
    b = neighbours(surface(grid, offset, circle))
    rest = neighbours(u) - 6 * u[1:-1, 1:-1, 1:-1]
    return np.linalg.norm(rest) / np.linalg.norm(b)


def second_difference(n):
    """Return the matrix of -u'' on n points."""
    return scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))


def exact(grid, offset=0.0):
    """Return the solution of the equations, the least eigenvalue of A, and |b|."""
    nx, ny, nz = map(second_difference, grid)
    a = scipy.sparse.kronsum(scipy.sparse.kronsum(nx, ny), nz)
    b = neighbours(surface(grid, offset))
    u = scipy.sparse.linalg.spsolve(a.tocsc(), b.ravel()).reshape(b.shape)
    least = sum(2 - 2 * np.cos(np.pi / (n + 1)) for n in grid)
    return u, least, np.linalg.norm(b)


class Case(ProgramCase):
    def path(self, name):
        return self.folder / name

    def solve(self, *arguments, ranks=1):
        """Return the text, the result file's content, the solution and its attributes."""
        output, result = self.path("u.h5"), self.path("result.json")
        run = laplace(*arguments, "--output", output, "--json", result, ranks=ranks)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotRegex(run.stdout + run.stderr, "still allocated|MPI_FREE_MEM")
        with h5py.File(output) as file:
            u, label = file["u"][:], dict(file["u"].attrs)
        content = json.loads(result.read_text())
        self.assertEqual(label["residual"], content["result"]["residuum"])
        return run.stdout, content, u, label

    def fails(self, *words, says, ranks=1, refused=True):
        run = laplace(*words, ranks=ranks)
        self.assertNotEqual(run.returncode, 0, words)
        self.says_once(run, says, refused)
        self.assertEqual(run.stdout, "")


class Solutions(Case):
    """On every way, the solution is as near to the exact one as the tolerance says."""

    @classmethod
    def setUpClass(cls):
        cls.exact, cls.least, cls.source = exact(GRID, offset=1)
        run = laplace("--list-schemes", "--mode", "async")
        listed = run.stdout.split("\n\n")[0]
        cls.schemes = re.findall(r"^(\S+)", listed, re.MULTILINE)

    def check(self, *arguments, ranks=1):
        words = ["--grid", ",".join(map(str, GRID)), "--offset", 1]
        if "--tolerance" not in arguments:
            words += ["--tolerance", 1e-6]
        _, content, u, label = self.solve(*words, *arguments, ranks=ranks)
        result = content["result"]
        tolerance = content["parameters"]["tolerance"]
        self.assertTrue(result["converged"])
        self.assertLessEqual(result["residuum"], tolerance)
        again = relative_residual(u, GRID, offset=1)
        self.assertAlmostEqual(again / result["residuum"], 1, delta=1e-6)
        np.testing.assert_allclose(u[0], surface(GRID, offset=1)[0], rtol=1e-15)
        distance = np.linalg.norm(u[1:-1, 1:-1, 1:-1] - self.exact)
        self.assertLessEqual(distance, 1.001 * tolerance * self.source / self.least)
        self.assertEqual(label["offset"], 1)
        return content

    def test_every_scheme(self):
        self.assertIn("p2p:nonblocking", self.schemes)
        ways = (("async", 2), ("racy", 3), ("racy", 2), ("async", 4))
        for number, scheme in enumerate(self.schemes):
            # Both modes of each; all four of each in the soak.
            of_scheme = ways if "HALOCLINE_SOAK" in os.environ else ways[number % 2 * 2 :][:2]
            for mode, ranks in of_scheme:
                with self.subTest(scheme=scheme, mode=mode, ranks=ranks):
                    content = self.check("--mode", mode, "--scheme", scheme, ranks=ranks)
                    workers = content["result"]["workers"]
                    sums = {name: sum(w[name] for w in workers) for name in workers[0]}
                    # Nothing is lost: what was sent has been used or superseded.
                    self.assertEqual(sums["sent"], sums["received"] + sums["superseded"])

    def test_other_ways_to_go_on(self):
        for options in (
            ["--check", "iallreduce"], ["--buffers", 3], ["--halo-period", 5],
            ["--halo-period", "auto"],
        ):  # fmt: skip
            with self.subTest(options=options):
                self.check("--mode", "async", *options, ranks=2)

    def test_threads(self):
        for mode in ("async", "racy", "sync"):
            for threads in (1, 3):
                with self.subTest(mode=mode, threads=threads):
                    self.check("--model", "threads", "--mode", mode, "--threads", threads)

    def test_in_step_all_bits_are_the_same(self):
        sums = set()
        for ranks, options in (
            (1, []), (3, []), (4, ["--scheme", "shm:signal"]), (2, ["--threads", 2]),
            (1, ["--model", "threads", "--threads", 3]), (2, ["--scheme", "rma:put:fence"]),
        ):  # fmt: skip
            result = self.check("--mode", "sync", *options, ranks=ranks)["result"]
            sums.add((result["checksum"], result["iterations"], result["residuum"]))
        self.assertEqual(len(sums), 1, sums)

    def test_more_ranks_than_points(self):
        _, content, u, _ = self.solve("--grid", "1,1,2", "--mode", "async", ranks=4)
        self.assertEqual(len(content["result"]["workers"]), 4)
        self.assertLessEqual(relative_residual(u, (1, 1, 2)), 1e-4)

    def test_disc(self):
        for mode in ("sync", "async"):
            words = ["--grid", "9,10,8", "--circle", 0.3, "--mode", mode]
            _, _, u, label = self.solve(*words, ranks=2)
            self.assertEqual(label["circle"], 0.3)
            np.testing.assert_allclose(u[0], surface((9, 10, 8), circle=0.3)[0], rtol=1e-15)
            self.assertLessEqual(relative_residual(u, (9, 10, 8), circle=0.3), 1e-4)


class Behaviour(Case):
    def test_per_rank_grows_in_x_then_y_then_z(self):
        for ranks, grid in ((2, [8, 5, 6]), (4, [8, 10, 6])):
            _, content, u, _ = self.solve("--per-rank", "4,5,6", ranks=ranks)
            self.assertEqual(content["parameters"]["grid"], grid)
            self.assertEqual(u.shape, tuple(n + 2 for n in reversed(grid)))
        words = ["--per-rank", "4,5,6", "--model", "threads", "--threads", 3, "--mode", "async"]
        self.assertEqual(self.solve(*words)[1]["parameters"]["grid"], [4, 5, 18])

    def test_a_slow_rank_holds_up_nobody_but_itself(self):
        words = ["--grid", "24,24,48", "--tolerance", 1e-6, "--slow", "1:8"]
        for more, ranks in (([], 2), (["--model", "threads", "--threads", 2], 1)):
            _, content, u, _ = self.solve(*words, *more, "--mode", "async", ranks=ranks)
            fast, slow = (w["iterations"] for w in content["result"]["workers"])
            self.assertLess(2 * slow, fast)
            self.assertLessEqual(relative_residual(u, (24, 24, 48)), 1e-6)
        # In step both do as many iterations as without.
        slow, all_fast = (
            self.solve(*chosen, ranks=2)[1]["result"]["iterations"] for chosen in (words, words[:4])
        )
        self.assertEqual(slow, all_fast)

    def test_confirmation_sends_the_ranks_back(self):
        # Halos that hardly ever travel: every rank converges by itself, to a wrong solution.
        words = ["--grid", "12,12,12", "--mode", "async", "--halo-period", 2000]
        _, content, u, _ = self.solve(*words, ranks=2)
        result = content["result"]
        self.assertGreater(result["phases"], 1)
        self.assertGreater(result["confirming_iterations"], 0)
        self.assertTrue(result["converged"])
        self.assertLessEqual(relative_residual(u, (12, 12, 12)), 1e-4)

        text, content, u, _ = self.solve(*words, "--confirm", "off", ranks=2)
        result = content["result"]
        self.assertFalse(result["converged"])
        self.assertIn("tolerance 0.0001 not reached", text)
        again = relative_residual(u, (12, 12, 12))
        self.assertAlmostEqual(again / result["residuum"], 1, delta=1e-9)

    def test_out_of_iterations(self):
        for mode in ("sync", "async", "racy"):
            words = ["--grid", "20,20,20", "--max-iterations", 40, "--mode", mode]
            text, content, u, _ = self.solve(*words, ranks=2)
            self.assertIn("not reached", text)
            result = content["result"]
            self.assertFalse(result["converged"])
            self.assertGreater(result["residuum"], 1e-4)
            again = relative_residual(u, (20, 20, 20))
            self.assertAlmostEqual(again / result["residuum"], 1, delta=1e-9)
        result = self.solve("--grid", "9,9,9", "--max-iterations", 0)[1]["result"]
        self.assertEqual(result["iterations"], 0)
        self.assertEqual(result["residuum"], 1)

    def test_result_file(self):
        words = ["--grid", "20,20,20", "--mode", "async"]
        _, content, _, _ = self.solve(*words, ranks=2)
        self.assertEqual((content["format"], content["version"]), ("halocline-result", 1))
        self.assertEqual((content["program"], content["ranks"]), ("laplace", 2))
        result = content["result"]
        workers = result["workers"]
        self.assertEqual([worker["worker"] for worker in workers], [0, 1])
        iterations = [worker["iterations"] for worker in workers]
        self.assertEqual(result["iterations_least"], min(iterations))
        self.assertEqual(result["iterations_most"], max(iterations))
        self.assertEqual(result["iterations_mean"], sum(iterations) / 2)
        seconds, residuals = zip(*result["convergence"])
        self.assertEqual(list(seconds), sorted(seconds))
        self.assertEqual(residuals[-1], result["residuum"])
        # Not the first: a rank that is alone for long converges with its neighbours' initial state.
        self.assertGreater(max(residuals), 10 * residuals[-1])
        for worker in workers:
            self.assertLessEqual(worker["sent"] + worker["skipped"], worker["iterations"])
            self.assertGreaterEqual(worker["age_most"], worker["age_mean"])

    def test_repetitions_solve_anew(self):
        for mode in ("sync", "async"):
            words = ["--grid", "12,12,12", "--mode", mode]
            _, once, _, _ = self.solve(*words, ranks=2)
            _, often, _, _ = self.solve(*words, "--repetitions", "3", ranks=2)
            self.assertEqual(len(once["samples"]["total_s"]), 1)
            self.assertEqual(len(often["samples"]["total_s"]), 3)
            self.assertTrue(often["result"]["converged"])
            if mode == "sync":
                self.assertEqual(often["result"]["checksum"], once["result"]["checksum"])
                self.assertEqual(often["result"]["iterations"], once["result"]["iterations"])

    def test_paraview_finds_the_points(self):
        self.solve("--grid", "4,6,9")
        text = self.path("u.xmf").read_text()
        self.assertEqual(text.count('Dimensions="11 8 6"'), 2)
        self.assertIn("u.h5:/u", text)
        spacing = [float(word) for word in re.findall(r"XML\">(\S+) (\S+) (\S+)<", text)[1]]
        np.testing.assert_allclose(spacing, [1 / 10, 1 / 7, 1 / 5], rtol=1e-15)
        self.assertEqual(sorted(p.name for p in self.folder.glob("u.*")), ["u.h5", "u.xmf"])

    def test_picture(self):
        file = self.path("u.png")
        run = laplace("--grid", "30,4,20", "--image", file, ranks=2)
        self.assertEqual(run.returncode, 0, run.stderr)
        data = file.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (32, 22))

    def test_usage(self):
        for words in ([], ["-h"], ["--grid", "1,1,1", "--help"]):
            run = laplace(*words, ranks=2)
            self.assertEqual(run.returncode, 0)
            self.assertEqual(run.stdout.count("Usage: laplace"), 1)

    def test_anything_invalid_is_named(self):
        grid = ["--grid", "5,5,5"]
        sync, racy = [*grid, "--mode", "sync"], [*grid, "--mode", "racy"]
        for words, says in (
            (["--mode", "sync"], "--grid X,Y,Z or --per-rank X,Y,Z"),
            ([*grid, "--per-rank", "1,1,1"], "--grid X,Y,Z or --per-rank X,Y,Z"),
            (["--grid", "5,5"], "--grid 5,5: must be three numbers"),
            (["--grid", "5,5,5,5"], "--grid 5,5,5,5: must be three numbers"),
            (["--grid", "5,0,5"], "--grid 5,0,5: must be three numbers of points from 1"),
            (["--grid", "5,x,5"], "--grid 5,x,5: must be three numbers of points"),
            ([*grid, "--circle", "0"], "--circle 0: must be a radius above 0"),
            ([*grid, "--offset", "inf"], "--offset inf: must be a number"),
            ([*grid, "--tolerance", "0"], "--tolerance 0: must be"),
            ([*grid, "--max-iterations", "-1"], "--max-iterations -1: must be"),
            ([*grid, "--model", "upc"], "--model upc: must be one of mpi, shmem, threads"),
            ([*grid, "--mode", "lazy"], "--mode lazy: must be one of sync, async, racy"),
            ([*grid, "--scheme", "carrier:pigeon"], "pigeon"),
            ([*sync, "--buffers", "2"], "--buffers: is for --mode async or racy"),
            ([*sync, "--confirm", "on"], "--confirm: is for --mode async or racy"),
            ([*sync, "--halo-period", "2"], "--halo-period: is for --mode async or racy"),
            ([*sync, "--check", "tree"], "--check tree: is for --mode async or racy"),
            ([*sync, "--check", "vote"], "vote"),
            ([*racy, "--check", "every=5"], "--check every=5: is for --mode sync"),
            ([*racy, "--depth", "3"], "--depth: is for --mode sync"),
            ([*racy, "--buffers", "0"], "--buffers 0: must be"),
            ([*racy, "--halo-period", "often"], "--halo-period often: must be"),
            ([*racy, "--confirm", "maybe"], "--confirm maybe: must be on or off"),
            ([*racy, "--threads", "2"], "--threads 2: is for --mode sync or --model threads"),
            ([*sync, "--check", "every=0"], "--check every=0: must be"),
            ([*grid, "--slow", "1"], "--slow 1: must be RANK:FACTOR"),
            ([*grid, "--slow", "1:2"], "--slow 1:2, RANK 1: must be an integer from 0 to 0"),
            ([*grid, "--slow", "0:0.5"], "--slow 0:0.5, FACTOR 0.5: must be a number from 1"),
            ([*grid, "--model", "threads", "--scheme", "p2p:nonblocking"], "is for ranks"),
            ([*grid, "--output", "u.vtk"], "--output u.vtk: must be an HDF5 file"),
            ([*grid, "--timeout", "0"], "--timeout 0: must be"),
            ([*grid, "--repetitions", "0"], "--repetitions 0: must be an integer from 1"),
            ([*grid, "--rhs", "b.mtx"], "--rhs: is for --matrix"),
            ([*grid, "--unheard-of"], "--unheard-of"),
            ([*grid, "--matrix", "a.mtx"], "--grid: is for the grid"),
        ):
            with self.subTest(words=words):
                run = laplace(*words)
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn(says, run.stderr.splitlines()[-1])
                self.assertEqual(run.stdout, "")

    def test_one_rank_speaks_for_all(self):
        self.fails("--grid", "5,5,0", says="--grid 5,5,0: must be three numbers", ranks=3)
        self.fails("--grid", "5,5,5", "--model", "threads", says="there are 2 ranks", ranks=2)
        for words in ((), ("--mode", "async"), ("--mode", "async", "--model", "threads")):
            says = "out of memory: laplace needs 15"  # 15,200 GiB
            self.fails("--grid", "100000,100000,100", *words, says=says, refused=False)
        words = ["--grid", "4,4,4", "--mode", "async"]
        for ranks in (1, 2):
            self.fails(*words, "--circle", 1e-9, says="b is zero", ranks=ranks, refused=False)
        run = laplace(*words, "--scheme", "rma:put:fence", ranks=2)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("rma:put:fence", run.stderr)
        self.assertIn("p2p:nonblocking", run.stderr)

    def test_files_that_cannot_be_written(self):
        for option, name in (("--output", "u.h5"), ("--image", "u.png"), ("--json", "u.json")):
            run = laplace("--grid", "5,5,5", option, self.path("no/such") / name, ranks=2)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(option, run.stderr)


class Matrices(Case):
    @staticmethod
    def poisson(n):
        return scipy.sparse.kronsum(second_difference(n), second_difference(n)).tocoo()

    @staticmethod
    def dominant(n, rng):
        """Return a matrix without symmetry, whose rows reach anywhere."""
        a = scipy.sparse.random(n, n, 0.1, random_state=rng).tocsr()
        return (a + scipy.sparse.diags(1 + np.asarray(a.sum(axis=1)).ravel())).tocoo()

    def write(self, name, matrix, **options):
        file = self.path(name)
        scipy.io.mmwrite(file, matrix, **options)
        return file

    def solved(self, matrix, b, *arguments, ranks=1):
        text, content, u, _ = self.solve(*arguments, "--tolerance", 1e-6, ranks=ranks)
        self.assertTrue(content["result"]["converged"], text)
        rest = np.linalg.norm(b - matrix @ u) / np.linalg.norm(b)
        self.assertLessEqual(rest, 1e-6 * (1 + 1e-9))
        self.assertAlmostEqual(rest, content["result"]["residuum"], delta=1e-12)

    def test_symmetric_and_general(self):
        rng = np.random.default_rng(5)
        a, general = self.poisson(9), self.dominant(60, rng)
        symmetric = self.write("symmetric.mtx", a, symmetry="symmetric")
        self.assertIn("symmetric", symmetric.read_text().splitlines()[0])
        b = rng.standard_normal(60)
        file = self.write("general.mtx", general, symmetry="general")
        right = self.write("b.mtx", b[:, None])
        for mode in ("sync", "async", "racy"):
            for ranks, more in (
                (1, []), (2, []), (3, []), (1, ["--model", "threads", "--threads", 3]),
            ):  # fmt: skip
                with self.subTest(mode=mode, ranks=ranks, more=more):
                    more = ["--mode", mode, *more]
                    self.solved(a, a @ np.ones(81), "--matrix", symmetric, *more, ranks=ranks)
                    words = ["--matrix", file, "--rhs", right]
                    self.solved(general, b, *words, *more, ranks=ranks)

    def test_in_step_the_bits_do_not_depend_on_ranks(self):
        file = self.write("a.mtx", self.poisson(7), symmetry="symmetric")
        sums = {
            self.solve("--matrix", file, *more, ranks=ranks)[1]["result"]["checksum"]
            for ranks, more in ((1, []), (4, []), (1, ["--model", "threads", "--threads", 2]))
        }
        self.assertEqual(len(sums), 1)

    def test_it_is_refused_where_it_need_not_converge(self):
        # In step it converges, as rho(M) is below 1, but rho(|M|) is 1.2.
        m = 0.6 * np.array([[1, 1], [-1, 1]])
        m = np.block([[np.zeros((2, 2)), m], [m, np.zeros((2, 2))]])
        self.assertLess(max(abs(np.linalg.eigvals(m))), 1)
        bad = scipy.sparse.coo_matrix(np.eye(4) - m)
        words = ["--matrix", self.write("bad.mtx", bad, symmetry="general"), "--mode", "async"]
        says = "the spectral radius of |M|, M = -D^-1 (L + U), is about 1.2,"
        for ranks, more in ((1, []), (2, []), (1, ["--model", "threads"])):
            self.fails(*words, *more, says=says, ranks=ranks, refused=False)
        run = laplace(*words, "--force", "--max-iterations", 20, ranks=2)
        self.assertEqual(run.returncode, 0, run.stderr)
        # Triangular: nothing goes round, whatever the size of the entries.
        triangle = scipy.sparse.coo_matrix([[1.0, 0, 0], [7.0, 1, 0], [0, 9.0, 2]])
        file = self.write("triangle.mtx", triangle, symmetry="general")
        for ranks in (1, 2):
            words = ["--matrix", file, "--mode", "async"]
            self.solved(triangle, triangle @ np.ones(3), *words, ranks=ranks)

    def test_malformed_files(self):
        head = "%%MatrixMarket matrix coordinate real general\n"
        for name, text, says in (
            ("empty", "", "1: ends where '%%MatrixMarket matrix' should be"),
            ("banner", "hello\n1 1 1\n1 1 1\n", "1: begins with 'hello', but must begin with"),
            ("complex", head.replace("real", "complex"), "1: has 'complex' values"),
            ("pattern", head.replace("real", "pattern"), "1: has 'pattern' values"),
            ("dense", head.replace("coordinate", "array"), "1: is 'array'"),
            (
                "hermitian",
                head.replace("real general", "complex hermitian"),
                "1: has 'complex' values",
            ),
            ("no size", head + "% only a comment\n", "3: ends where the size should be"),
            ("wide", head + "2 3 1\n1 1 1.0\n", "2: is 2 x 3, but must be square"),
            ("short", head + "2 2 3\n1 1 1.0\n2 2 1.0\n", "5: ends where an entry"),
            ("long", head + "1 1 1\n1 1 1.0\n1 1 1.0\n", "4: has more entries"),
            ("outside", head + "2 2 2\n3 1 1.0\n", "3: is outside of 2 x 2"),
            ("word", head + "1 1 1\n1 1 one\n", "3: value 'one' is no number"),
            ("nan", head + "1 1 1\n1 1 nan\n", "3: value 'nan' is not finite"),
            ("extra", head + "1 1 1\n1 1 1.0 2.0\n", "3: has '2.0', which is too much"),
            ("few", head + "2 2 1\n1 1 1.0\n", "2: says that there are 1 entries in 2 rows"),
            ("zero", head + "2 2 2\n1 1 1.0\n2 1 1\n", "row 2 has a zero on the diagonal"),
        ):
            with self.subTest(name=name):
                file = self.path(name)
                file.write_text(text)
                self.fails("--matrix", file, says=says, refused=False)
        absent = self.path("none")
        says = f"{absent}: No such file or directory"
        self.fails("--matrix", absent, says=says, ranks=2, refused=False)
        file = self.write("a.mtx", self.poisson(3), symmetry="symmetric")
        right = self.write("b.mtx", np.ones((4, 1)))
        says = "is 4 x 1, but must be 9 x 1"
        self.fails("--matrix", file, "--rhs", right, says=says, refused=False)
        self.fails("--matrix", file, "--image", "u.png", says="--image: is for the grid")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
