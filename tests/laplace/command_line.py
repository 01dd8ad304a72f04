"""The program as users call it.

Every solution is judged from its file alone: its residual is computed again, and its distance from
the exact solution of the equations bounded.
"""

import functools
import os
import re
import struct
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import scipy.sparse.linalg
from programs import PROGRAMS, SOAK, Program, launch

GRID = (11, 8, 13)
"""X, Y, Z of most tests."""
WATCHED = os.environ | {
    "OMPI_MCA_mpi_show_handle_leaks": "1",
    "OMPI_MCA_mpi_show_mpi_alloc_mem_leaks": "10",
}
"""Open MPI then tells at the end what of its objects and its memory nobody has freed."""
laplace = Program(PROGRAMS[0], env=WATCHED)


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


def solve(*arguments, ranks=1):
    """Return the text, the result file's content, the solution and its attributes."""
    run, content = laplace.solve(*arguments, "--output", "u.h5", ranks=ranks)
    assert not re.search("still allocated|MPI_FREE_MEM", run.stdout + run.stderr)
    with h5py.File("u.h5") as file:
        u, label = file["u"][:], dict(file["u"].attrs)
    assert label["residual"] == content["result"]["residuum"]
    return run.stdout, content, u, label


@functools.cache
def exact_offset():
    """Return what `exact` does for the grid of most tests."""
    return exact(GRID, offset=1)


@functools.cache
def schemes():
    """Return those of asynchronous exchanges."""
    listed = laplace("--list-schemes", "--mode", "async").stdout.split("\n\n")[0]
    return re.findall(r"^(\S+)", listed, re.MULTILINE)


def check(*arguments, ranks=1):
    """Solve; on every way the result is as near to the exact one as the tolerance says."""
    words = ["--grid", ",".join(map(str, GRID)), "--offset", 1]
    if "--tolerance" not in arguments:
        words += ["--tolerance", 1e-6]
    _, content, u, label = solve(*words, *arguments, ranks=ranks)
    result = content["result"]
    tolerance = content["parameters"]["tolerance"]
    assert result["converged"]
    assert result["residuum"] <= tolerance
    again = relative_residual(u, GRID, offset=1)
    assert abs(again / result["residuum"] - 1) < 1e-6
    np.testing.assert_allclose(u[0], surface(GRID, offset=1)[0], rtol=1e-15)
    solution, least, source = exact_offset()
    distance = np.linalg.norm(u[1:-1, 1:-1, 1:-1] - solution)
    assert distance <= 1.001 * tolerance * source / least
    assert label["offset"] == 1
    return content


def test_every_scheme():
    assert "p2p:nonblocking" in schemes()
    ways = (("async", 2), ("racy", 3), ("racy", 2), ("async", 4))
    for number, scheme in enumerate(schemes()):
        # Both modes of each; all four of each in the soak.
        of_scheme = ways if SOAK else ways[number % 2 * 2 :][:2]
        for mode, ranks in of_scheme:
            content = check("--mode", mode, "--scheme", scheme, ranks=ranks)
            workers = content["result"]["workers"]
            sums = {name: sum(w[name] for w in workers) for name in workers[0]}
            # Nothing is lost: what was sent has been used or superseded.
            assert sums["sent"] == sums["received"] + sums["superseded"]


def test_other_ways_to_go_on():
    for options in (
        ["--check", "iallreduce"], ["--buffers", 3], ["--halo-period", 5],
        ["--halo-period", "auto"],
    ):  # fmt: skip
        check("--mode", "async", *options, ranks=2)


def test_threads():
    for mode in ("async", "racy", "sync"):
        for threads in (1, 3):
            check("--model", "threads", "--mode", mode, "--threads", threads)


def test_in_step_all_bits_are_the_same():
    sums = set()
    for ranks, options in (
        (1, []), (3, []), (4, ["--scheme", "shm:signal"]), (2, ["--threads", 2]),
        (1, ["--model", "threads", "--threads", 3]), (2, ["--scheme", "rma:put:fence"]),
    ):  # fmt: skip
        result = check("--mode", "sync", *options, ranks=ranks)["result"]
        sums.add((result["checksum"], result["iterations"], result["residuum"]))
    assert len(sums) == 1, sums


def test_steps_choose_the_scheme_and_no_bit():
    words = ["--grid", "30,20,20", "--mode", "sync", "--tolerance", 1e-9]
    sums = set()
    for options in (["--depth", 1], ["--depth", 2], ["--style", "naive"]):
        result = laplace.solve_in_laps(*words, *options)["result"]
        sums.add((result["checksum"], result["iterations"], result["residuum"]))
    _, content = laplace.solve(*words, ranks=3)
    result = content["result"]
    sums.add((result["checksum"], result["iterations"], result["residuum"]))
    assert len(sums) == 1, sums


def test_more_ranks_than_points():
    _, content, u, _ = solve("--grid", "1,1,2", "--mode", "async", ranks=4)
    assert len(content["result"]["workers"]) == 4
    assert relative_residual(u, (1, 1, 2)) <= 1e-4


def test_disc():
    for mode in ("sync", "async"):
        words = ["--grid", "9,10,8", "--circle", 0.3, "--mode", mode]
        _, _, u, label = solve(*words, ranks=2)
        assert label["circle"] == 0.3
        np.testing.assert_allclose(u[0], surface((9, 10, 8), circle=0.3)[0], rtol=1e-15)
        assert relative_residual(u, (9, 10, 8), circle=0.3) <= 1e-4


def test_per_rank_grows_in_x_then_y_then_z():
    for ranks, grid in ((2, [8, 5, 6]), (4, [8, 10, 6])):
        _, content, u, _ = solve("--per-rank", "4,5,6", ranks=ranks)
        assert content["parameters"]["grid"] == grid
        assert u.shape == tuple(n + 2 for n in reversed(grid))
    words = ["--per-rank", "4,5,6", "--model", "threads", "--threads", 3, "--mode", "async"]
    assert solve(*words)[1]["parameters"]["grid"] == [4, 5, 18]


def test_a_slow_rank_holds_up_nobody_but_itself():
    words = ["--grid", "24,24,48", "--tolerance", 1e-6, "--slow", "1:8"]
    for more, ranks in (([], 2), (["--model", "threads", "--threads", 2], 1)):
        _, content, u, _ = solve(*words, *more, "--mode", "async", ranks=ranks)
        fast, slow = (w["iterations"] for w in content["result"]["workers"])
        assert 2 * slow < fast
        assert relative_residual(u, (24, 24, 48)) <= 1e-6
    # In step both do as many iterations as without.
    words = ["--grid", "12,12,12"]
    slow, all_fast = (
        solve(*words, *more, ranks=2)[1]["result"]["iterations"] for more in (["--slow", "1:8"], [])
    )
    assert slow == all_fast


def test_confirmation_sends_the_ranks_back():
    # Halos that hardly ever travel: every rank converges by itself, to a wrong solution.
    words = ["--grid", "12,12,12", "--mode", "async", "--halo-period", 2000]
    _, content, u, _ = solve(*words, ranks=2)
    result = content["result"]
    assert result["phases"] > 1
    assert result["confirming_iterations"] > 0
    assert result["converged"]
    assert relative_residual(u, (12, 12, 12)) <= 1e-4

    text, content, u, _ = solve(*words, "--confirm", "off", ranks=2)
    result = content["result"]
    assert not result["converged"]
    assert "tolerance 0.0001 not reached" in text
    again = relative_residual(u, (12, 12, 12))
    assert abs(again / result["residuum"] - 1) < 1e-9


def test_out_of_iterations():
    for mode in ("sync", "async", "racy"):
        words = ["--grid", "20,20,20", "--max-iterations", 40, "--mode", mode]
        text, content, u, _ = solve(*words, ranks=2)
        assert "not reached" in text
        result = content["result"]
        assert not result["converged"]
        assert result["residuum"] > 1e-4
        again = relative_residual(u, (20, 20, 20))
        assert abs(again / result["residuum"] - 1) < 1e-9
    result = solve("--grid", "9,9,9", "--max-iterations", 0)[1]["result"]
    assert result["iterations"] == 0
    assert result["residuum"] == 1


def test_result_file():
    words = ["--grid", "20,20,20", "--mode", "async"]
    _, content, _, _ = solve(*words, ranks=2)
    assert (content["format"], content["version"]) == ("halocline-result", 1)
    assert (content["program"], content["ranks"]) == ("laplace", 2)
    result = content["result"]
    workers = result["workers"]
    assert [worker["worker"] for worker in workers] == [0, 1]
    iterations = [worker["iterations"] for worker in workers]
    assert result["iterations_least"] == min(iterations)
    assert result["iterations_most"] == max(iterations)
    assert result["iterations_mean"] == sum(iterations) / 2
    seconds, residuals = zip(*result["convergence"])
    assert list(seconds) == sorted(seconds)
    assert residuals[-1] == result["residuum"]
    # Not the first: a rank that is alone for long converges with its neighbours' initial state.
    assert max(residuals) > 10 * residuals[-1]
    for worker in workers:
        assert worker["sent"] + worker["skipped"] <= worker["iterations"]
        assert worker["age_most"] >= worker["age_mean"]


def test_repetitions_solve_anew():
    words = ["--grid", "12,12,12", "--mode"]
    _, often, _, _ = solve(*words, "async", "--repetitions", 3, ranks=2)
    assert len(often["samples"]["total_s"]) == 3
    assert often["result"]["converged"]
    _, once, _, _ = solve(*words, "sync", ranks=2)
    _, often, _, _ = solve(*words, "sync", "--repetitions", 3, ranks=2)
    assert len(once["samples"]["total_s"]) == 1
    assert len(often["samples"]["total_s"]) == 3
    assert often["result"]["converged"]
    assert often["result"]["checksum"] == once["result"]["checksum"]
    assert often["result"]["iterations"] == once["result"]["iterations"]


def test_paraview_finds_the_points():
    solve("--grid", "4,6,9")
    text = Path("u.xmf").read_text()
    assert text.count('Dimensions="11 8 6"') == 2
    assert "u.h5:/u" in text
    spacing = [float(word) for word in re.findall(r"XML\">(\S+) (\S+) (\S+)<", text)[1]]
    np.testing.assert_allclose(spacing, [1 / 10, 1 / 7, 1 / 5], rtol=1e-15)
    assert sorted(p.name for p in Path().glob("u.*")) == ["u.h5", "u.xmf"]


def test_picture():
    file = Path("u.png")
    run = laplace("--grid", "30,4,20", "--image", file, ranks=2)
    assert run.returncode == 0, run.stderr
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (32, 22)


def test_usage():
    for ranks, words in ((2, []), (1, ["-h"]), (1, ["--grid", "1,1,1", "--help"])):
        run = laplace(*words, ranks=ranks)
        assert run.returncode == 0
        assert run.stdout.count("Usage: laplace") == 1


SMALL = ["--grid", "5,5,5"]
SYNC, RACY = [*SMALL, "--mode", "sync"], [*SMALL, "--mode", "racy"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--mode", "sync"], "--grid X,Y,Z or --per-rank X,Y,Z"),
        ([*SMALL, "--per-rank", "1,1,1"], "--grid X,Y,Z or --per-rank X,Y,Z"),
        (["--grid", "5,5"], "--grid 5,5: must be three numbers"),
        (["--grid", "5,5,5,5"], "--grid 5,5,5,5: must be three numbers"),
        (["--grid", "5,0,5"], "--grid 5,0,5: must be three numbers of points from 1"),
        (["--grid", "5,x,5"], "--grid 5,x,5: must be three numbers of points"),
        ([*SMALL, "--circle", "0"], "--circle 0: must be a radius above 0"),
        ([*SMALL, "--offset", "inf"], "--offset inf: must be a number"),
        ([*SMALL, "--tolerance", "0"], "--tolerance 0: must be"),
        ([*SMALL, "--max-iterations", "-1"], "--max-iterations -1: must be"),
        ([*SMALL, "--model", "upc"], "--model upc: must be one of mpi, shmem, threads"),
        ([*SMALL, "--mode", "lazy"], "--mode lazy: must be one of sync, async, racy"),
        ([*SMALL, "--scheme", "carrier:pigeon"], "pigeon"),
        ([*SYNC, "--buffers", "2"], "--buffers: is for --mode async or racy"),
        ([*SYNC, "--confirm", "on"], "--confirm: is for --mode async or racy"),
        ([*SYNC, "--halo-period", "2"], "--halo-period: is for --mode async or racy"),
        ([*SYNC, "--check", "tree"], "--check tree: is for --mode async or racy"),
        ([*SYNC, "--check", "vote"], "vote"),
        ([*RACY, "--check", "every=5"], "--check every=5: is for --mode sync"),
        ([*RACY, "--depth", "3"], "--depth: is for --mode sync"),
        ([*RACY, "--buffers", "0"], "--buffers 0: must be"),
        ([*RACY, "--halo-period", "often"], "--halo-period often: must be"),
        ([*RACY, "--confirm", "maybe"], "--confirm maybe: must be on or off"),
        ([*RACY, "--threads", "2"], "--threads 2: is for --mode sync or --model threads"),
        ([*SYNC, "--check", "every=0"], "--check every=0: must be"),
        ([*SMALL, "--slow", "1"], "--slow 1: must be RANK:FACTOR"),
        ([*SMALL, "--slow", "1:2"], "--slow 1:2, RANK 1: must be an integer from 0 to 0"),
        ([*SMALL, "--slow", "0:0.5"], "--slow 0:0.5, FACTOR 0.5: must be a number from 1"),
        ([*SMALL, "--model", "threads", "--scheme", "p2p:nonblocking"], "is for ranks"),
        ([*SMALL, "--output", "u.vtk"], "--output u.vtk: must be an HDF5 file"),
        ([*SMALL, "--timeout", "0"], "--timeout 0: must be"),
        ([*SMALL, "--repetitions", "0"], "--repetitions 0: must be an integer from 1"),
        ([*SMALL, "--rhs", "b.mtx"], "--rhs: is for --matrix"),
        ([*SMALL, "--unheard-of"], "--unheard-of"),
        ([*SMALL, "--matrix", "a.mtx"], "--grid: is for the grid"),
    ],
)
def test_anything_invalid_is_named(words, says):
    run = laplace(*words)
    assert run.returncode == 1, run.stderr
    assert says in run.stderr.splitlines()[-1]
    assert run.stdout == ""


def test_one_rank_speaks_for_all():
    laplace.fails("--grid", "5,5,0", says="--grid 5,5,0: must be three numbers", ranks=3)
    laplace.fails("--grid", "5,5,5", "--model", "threads", says="there are 2 ranks", ranks=2)
    for words in ((), ("--mode", "async"), ("--mode", "async", "--model", "threads")):
        says = "out of memory: laplace needs 15"  # 15,200 GiB
        laplace.fails("--grid", "100000,100000,100", *words, says=says, refused=False)
    words = ["--grid", "4,4,4", "--mode", "async"]
    for ranks in (1, 2):
        laplace.fails(*words, "--circle", 1e-9, says="b is zero", ranks=ranks, refused=False)
    run = laplace(*words, "--scheme", "rma:put:fence", ranks=2)
    assert run.returncode != 0
    assert "rma:put:fence" in run.stderr
    assert "p2p:nonblocking" in run.stderr


def test_files_that_cannot_be_written():
    for option, name in (("--output", "u.h5"), ("--image", "u.png"), ("--json", "u.json")):
        run = laplace("--grid", "5,5,5", option, Path("no/such") / name, ranks=2)
        assert run.returncode != 0
        assert option in run.stderr


def poisson(n):
    return scipy.sparse.kronsum(second_difference(n), second_difference(n)).tocoo()


def dominant(n, rng):
    """Return a matrix without symmetry, whose rows reach anywhere."""
    a = scipy.sparse.random(n, n, 0.1, random_state=rng).tocsr()
    return (a + scipy.sparse.diags(1 + np.asarray(a.sum(axis=1)).ravel())).tocoo()


def write(name, matrix, **options):
    file = Path(name)
    scipy.io.mmwrite(file, matrix, **options)
    return file


def solved(matrix, b, *arguments, ranks=1):
    text, content, u, _ = solve(*arguments, "--tolerance", 1e-6, ranks=ranks)
    assert content["result"]["converged"], text
    rest = np.linalg.norm(b - matrix @ u) / np.linalg.norm(b)
    assert rest <= 1e-6 * (1 + 1e-9)
    assert abs(rest - content["result"]["residuum"]) < 1e-12


def test_symmetric_and_general():
    rng = np.random.default_rng(5)
    a, general = poisson(9), dominant(60, rng)
    symmetric = write("symmetric.mtx", a, symmetry="symmetric")
    assert "symmetric" in symmetric.read_text().splitlines()[0]
    b = rng.standard_normal(60)
    file = write("general.mtx", general, symmetry="general")
    right = write("b.mtx", b[:, None])
    both = (
        (a, a @ np.ones(81), ["--matrix", symmetric]),
        (general, b, ["--matrix", file, "--rhs", right]),
    )
    ways = (1, []), (2, []), (3, []), (1, ["--model", "threads", "--threads", 3])
    for at, mode in enumerate(("sync", "async", "racy")):
        for number, (ranks, more) in enumerate(ways):
            # Each mode with either matrix, on some of the ways; with both on all in the soak.
            for matrix, product, words in both if SOAK else [both[(at + number) % 2]]:
                solved(matrix, product, *words, "--mode", mode, *more, ranks=ranks)


def test_in_step_the_bits_do_not_depend_on_ranks():
    file = write("a.mtx", poisson(7), symmetry="symmetric")
    sums = {
        solve("--matrix", file, *more, ranks=ranks)[1]["result"]["checksum"]
        for ranks, more in ((1, []), (4, []), (1, ["--model", "threads", "--threads", 2]))
    }
    assert len(sums) == 1


def test_it_is_refused_where_it_need_not_converge():
    # In step it converges, as rho(M) is below 1, but rho(|M|) is 1.2.
    m = 0.6 * np.array([[1, 1], [-1, 1]])
    m = np.block([[np.zeros((2, 2)), m], [m, np.zeros((2, 2))]])
    assert max(abs(np.linalg.eigvals(m))) < 1
    bad = scipy.sparse.coo_matrix(np.eye(4) - m)
    words = ["--matrix", write("bad.mtx", bad, symmetry="general"), "--mode", "async"]
    says = "the spectral radius of |M|, M = -D^-1 (L + U), is about 1.2,"
    for ranks, more in ((1, []), (2, []), (1, ["--model", "threads"])):
        laplace.fails(*words, *more, says=says, ranks=ranks, refused=False)
    run = laplace(*words, "--force", "--max-iterations", 20, ranks=2)
    assert run.returncode == 0, run.stderr
    # Triangular: nothing goes round, whatever the size of the entries.
    triangle = scipy.sparse.coo_matrix([[1.0, 0, 0], [7.0, 1, 0], [0, 9.0, 2]])
    file = write("triangle.mtx", triangle, symmetry="general")
    for ranks in (1, 2):
        words = ["--matrix", file, "--mode", "async"]
        solved(triangle, triangle @ np.ones(3), *words, ranks=ranks)


HEAD = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("pattern", HEAD.replace("real", "pattern"), "1: has 'pattern' values"),
        ("wide", HEAD + "2 3 1\n1 1 1.0\n", "2: is 2 x 3, but must be square"),
        ("word", HEAD + "1 1 1\n1 1 one\n", "3: value 'one' is no number"),
        ("few", HEAD + "2 2 1\n1 1 1.0\n", "2: says that there are 1 entries in 2 rows"),
        ("zero", HEAD + "2 2 2\n1 1 1.0\n2 1 1\n", "row 2 has a zero on the diagonal"),
    ],
)
def test_malformed_files(name, text, says):
    """What its reader says of all others is in spmv's tests, whose reader it is."""
    file = Path(name)
    file.write_text(text)
    laplace.fails("--matrix", file, says=says, refused=False)


def test_files_that_do_not_fit():
    absent = Path("none")
    says = f"{absent}: No such file or directory"
    laplace.fails("--matrix", absent, says=says, ranks=2, refused=False)
    file = write("a.mtx", poisson(3), symmetry="symmetric")
    right = write("b.mtx", np.ones((4, 1)))
    says = "is 4 x 1, but must be 9 x 1"
    laplace.fails("--matrix", file, "--rhs", right, says=says, refused=False)
    laplace.fails("--matrix", file, "--image", "u.png", says="--image: is for the grid")


def test_what_does_not_fit_or_overflows_is_said_in_a_line():
    folder = Path("small").resolve()
    folder.mkdir()
    laplace.fails("--grid", "8,8,8", "--offset", "1e308", refused=False,
                  says="the residual is not a number: --offset is so large that")  # fmt: skip
    if launch("mount", "-t", "tmpfs", "-o", "size=50k", "small", folder).returncode != 0:
        pytest.skip("only root mounts a file system that is small")
    try:
        run = laplace("--grid", "20,20,20", "--max-iterations", 5, "--output", folder / "u.h5")
        assert run.returncode != 0
        said = [line for line in run.stderr.split("\n") if line and line[0] != "["]  # MPI's own
        assert len(said) == 1 and said[0].endswith(": No space left on device"), run.stderr
        assert not list(folder.iterdir())
    finally:
        launch("umount", folder)
