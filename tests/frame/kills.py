"""Runs that are killed, told to end, or out of room go on with the same bits."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from programs import MPIEXEC, PROGRAMS, SOAK, Program, launch

sys.path.insert(0, str(Path(__file__).parent))
from killing import CASES, Killed

PATHS = {Path(path).name: Path(path) for path in PROGRAMS}
KILLS = 100 if SOAK else 2


def few(cases):
    """Return all cases in the soak, else every other one."""
    return cases if SOAK else cases[::2]


def killed(case, seed=1):
    program, *words = CASES[case]
    return Killed(PATHS[program], words, MPIEXEC, seed)


@pytest.mark.parametrize("case", CASES)
def test_a_killed_run_goes_on_with_the_same_bits(case):
    tally = killed(case).kill(KILLS)
    assert tally.kills == KILLS


def when(condition, run):
    """Wait until something is there, while the run goes on."""
    while not condition() and run.poll() is None:
        time.sleep(0.005)
    assert run.poll() is None, Path("err").read_text()


@pytest.mark.parametrize(
    ("case", "number", "word"),
    few([
        ("laplace", signal.SIGUSR1, "iteration"),
        ("partdiff, Jacobi", signal.SIGTERM, "sweep"),
        ("partdiff, Gauss-Seidel", signal.SIGUSR1, "sweep"),
        ("spmv, CG", signal.SIGTERM, "iteration"),
        ("md", signal.SIGUSR1, "step"),
    ]),
)  # fmt: skip
def test_a_signal_keeps_the_state_and_ends_the_run(case, number, word):
    program = killed(case)
    run = program.start("--checkpoint", "c", ranks=2)
    when(Path("c").exists, run)
    # As srun does: all ranks get it.
    for pid in program.pids():
        os.kill(pid, number)
    assert run.wait(1000) == 75
    said = Path("err").read_text()
    assert said.count(f"{number.name} has ended it after {word} ") == 1, said
    assert said.count("; --restart c goes on from there") == 1
    assert "Residu" not in Path("out").read_text()
    program.end("--restart", "c", "--json", "result.json")
    program.compare()


def test_a_file_that_must_not_grow_ends_no_run():
    program = killed("laplace")
    run = program.start("--checkpoint", "c", ranks=2)
    when(Path("c").exists, run)
    for pid in program.pids():
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1000, 1000))
    assert run.wait(1000) != 0
    said = Path("err").read_text()
    begin = "laplace: warning: --checkpoint c: File too large; the run goes on, the newest good"
    assert begin in said
    assert said.count("the result is complete, but its state is not kept") == 1
    assert "Residual" in Path("out").read_text()
    program.end("--restart", "c", "--json", "result.json")
    program.compare()


def test_a_damaged_state_gives_way_to_the_one_before():
    laplace = Program(PATHS["laplace"])
    words = ("--grid", "16,16,16", "--max-iterations")
    _, right = laplace.solve(*words, 300, "--tolerance", "1e-9")
    laplace(*words, 200, "--checkpoint", "c", "--every", "90steps", "--tolerance", "1e-9", ranks=2)
    with Path("c").open("r+b") as file:
        file.seek(5000)
        file.write(b"damaged")
    run, rest = laplace.solve(
        *words, 300, "--restart", "c", "--checkpoint", "c", "--tolerance", "1e-9", ranks=3
    )
    assert "c: its checksum is not that of its content" in run.stderr
    assert "; going on from" in run.stderr
    assert rest["result"]["checksum"] == right["result"]["checksum"]
    assert rest["result"]["iterations"] == right["result"]["iterations"]
    # The damaged one has not taken the place of the one that was good.
    Path("c").write_text("")
    run, rest = laplace.solve(*words, 300, "--restart", "c", "--tolerance", "1e-9")
    assert rest["result"]["checksum"] == right["result"]["checksum"]


def test_what_is_no_damage_stays_and_nothing_stands_in_for_it():
    laplace, partdiff = Program(PATHS["laplace"]), Program(PATHS["partdiff"])
    words = ("--grid", "8,8,8", "--max-iterations", 20, "--tolerance", "1e-9")
    laplace(*words, "--checkpoint", "c", "--every", "5steps")
    partdiff(1, 2, 4, 2, 2, 50, "--checkpoint", "p")
    newer = bytearray(Path("c").read_bytes())
    newer[16] = 3
    for content, says in (
        (Path("p").read_bytes(), "it is a checkpoint of partdiff, not of laplace"),
        (newer, "it is of version 3, this laplace reads version 2"),
        (b"a matrix", "it is no checkpoint of laplace"),
    ):
        Path("c").write_bytes(content)
        before = Path("c.previous").read_bytes()
        laplace.fails(*words, "--restart", "c", "--checkpoint", "c", ranks=2,
                      says=f"laplace: --restart c: {says}")  # fmt: skip
        # Nor does a run that begins take its name.
        laplace.fails(*words, "--checkpoint", "c",
                      says=f"laplace: --checkpoint c: {says}; name another file")  # fmt: skip
        assert (Path("c").read_bytes(), Path("c.previous").read_bytes()) == (content, before)
    Path("c").unlink()
    Path("c").mkdir()
    laplace.fails(*words, "--restart", "c", says="laplace: --restart c: is a folder")


def test_what_stands_under_the_name_of_the_former_state_stays():
    laplace, partdiff = Program(PATHS["laplace"]), Program(PATHS["partdiff"])
    words = ("--grid", "8,8,8", "--max-iterations", 20, "--tolerance", "1e-9", "--checkpoint", "c",
             "--every", "5steps")  # fmt: skip
    partdiff(1, 2, 4, 2, 2, 50, "--checkpoint", "p")
    for content, says in (
        (Path("p").read_bytes(), "it is a checkpoint of partdiff, not of laplace"),
        (b"a matrix", "it is no checkpoint of laplace"),
    ):
        Path("c.previous").write_bytes(content)
        laplace.fails(*words, ranks=2, says=f"--checkpoint c.previous: {says}; name another file")
        assert Path("c.previous").read_bytes() == content
        assert not Path("c").exists()
    Path("c.previous").unlink()
    # Nor may another output have this name.
    laplace.fails(*words, "--json", "c.previous",
                  says="--json c.previous: is the file of --checkpoint, too")  # fmt: skip
    # A run that ends between two names leaves one file that has both.
    assert laplace(*words).returncode == 0
    Path("c.previous").unlink()
    Path("c.previous").hardlink_to("c")
    assert laplace(*words, "--restart", "c").returncode == 0


def test_a_state_knows_its_system_by_content_and_not_by_name():
    laplace, spmv = Program(PATHS["laplace"]), Program(PATHS["spmv"])
    rows = range(1, 31)
    matrix = "".join(f"{i} {i} 3\n" + (f"{i} {i - 1} -1\n" if i > 1 else "") for i in rows)
    begin = "%%MatrixMarket matrix coordinate real symmetric\n30 30 59\n"
    vector = "%%MatrixMarket matrix array real general\n30 1\n" + "".join(f"{i}\n" for i in rows)
    for program, options in ((laplace, ("--matrix", "m", "--tolerance", "1e-9")),
                             (spmv, ("m", "--solve", "cg"))):  # fmt: skip
        Path("m").write_text(begin + matrix)
        _, right = program.solve(*options)
        program(*options, "--max-iterations", 3, "--checkpoint", "c", ranks=2)
        Path("other").write_text(begin + matrix)
        other = ["other" if word == "m" else word for word in options]
        _, rest = program.solve(*other, "--restart", "c", ranks=3)
        assert rest["result"]["checksum"] == right["result"]["checksum"]
        Path("m").write_text(begin + matrix.replace("7 7 3", "7 7 4"))
        program.fails(*options, "--restart", "c", ranks=2, says="--restart c: its matrix is ")
        Path("c").unlink()
    system = ("--matrix", "other", "--rhs", "b")
    Path("b").write_text(vector)
    laplace(*system, "--max-iterations", 3, "--checkpoint", "c")
    Path("b").write_text(vector.replace("\n7\n", "\n8\n"))
    laplace.fails(*system, "--restart", "c", ranks=2, says="--restart c: its rhs is ")
    Path("c").unlink()
    numpy = pytest.importorskip("numpy")
    system = ("other", "--solve", "cg", "--rhs", "b.npy")
    numpy.save("b.npy", numpy.ones(30))
    spmv(*system, "--max-iterations", 3, "--checkpoint", "c")
    numpy.save("b.npy", numpy.arange(30.0))
    spmv.fails(*system, "--restart", "c", ranks=2, says="--restart c: its rhs is ")


def test_ranks_that_are_told_different_things_say_so():
    words = ["-n", "1", PATHS["laplace"], "--grid", "8,8,8"]
    run = launch(MPIEXEC, *words, "--checkpoint", "c", ":", *words)
    assert run.returncode != 0
    assert "rank 1 has the options '--grid 8,8,8', but rank 0 '--grid 8,8,8 --che" in run.stderr
    assert run.stdout == "" and not Path("c").exists()


APART = """#!/bin/sh
# Rank 1 has a folder of its own there, as another node would.
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ] || exec "$@"
exec unshare -m sh -c 'mount -t tmpfs none own && exec "$@"' sh "$@"
"""
MATRIX = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 2.5\n"


def test_a_rank_that_does_not_see_the_files_is_named():
    Path("own").mkdir()
    Path("apart").write_text(APART)
    Path("apart").chmod(0o755)
    if launch(Path("apart").resolve(), "true", env={**os.environ, "PMI_RANK": "1"}).returncode:
        pytest.skip("only root mounts file systems")
    laplace = ("--grid", "8,8,8", "--max-iterations", 20, "--tolerance", "1e-9")
    Path("own/m.mtx").write_text(MATRIX)
    Program(PATHS["laplace"])(*laplace, "--checkpoint", "own/s")
    partdiff = (1, 2, 4, 2, 2, 50)
    for program, words, says in (
        ("spmv", ("own/m.mtx",), "own/m.mtx: No such file or directory (on rank 1, host "),
        ("laplace", (*laplace, "--restart", "own/s"),
         "--restart own/s: No such file or directory (on rank 1, host "),
        ("laplace", (*laplace, "--checkpoint", "own/s"),
         "--checkpoint own/s: its folder is not the one of rank 0; all ranks write it, so they "
         "need one that they share (on rank 1, host "),
        ("partdiff", (*partdiff, "--output", "own/o.npy"), "its folder is not the one of rank 0"),
        ("partdiff", (*partdiff, "--trace", "own/t"), "its folder is not the one of rank 0"),
    ):  # fmt: skip
        run = launch(Path("apart").resolve(), PATHS[program].resolve(), *words, ranks=2)
        assert run.returncode != 0
        assert run.stderr.count(says) == 1, run.stderr
        assert run.stdout == ""
        assert {file.name for file in Path("own").iterdir()} == {"m.mtx", "s"}


def test_two_runs_with_one_checkpoint_leave_a_whole_one():
    library = Path("blind.so").resolve()
    Path("blind.c").write_text("int flock(int a, int b) { return (void)a, (void)b, 0; }")
    if launch("cc", "-shared", "-fPIC", "-o", library, "blind.c").returncode != 0:
        pytest.skip("no compiler for C")
    laplace = Program(PATHS["laplace"])
    words = ("--grid", "24,24,24", "--tolerance", "1e-300")
    _, right = laplace.solve(*words, "--max-iterations", 400)
    one, other = (
        subprocess.Popen(
            [MPIEXEC, "-n", "2", laplace.path, *words, "--max-iterations", str(number),
             "--checkpoint", "c", "--every", "10steps", "--pin", "off", "--timeout", "900"],
            env={**os.environ, "LD_PRELOAD": str(library)}, stdout=subprocess.DEVNULL,
        )
        for number in (300, 320)
    )  # fmt: skip
    when(Path("c").exists, one)
    while one.poll() is None or other.poll() is None:
        assert Path("c").read_bytes().startswith(b"halocline state\n")
        time.sleep(0.002)
    assert (one.returncode, other.returncode) == (0, 0)
    for file in ("c", "c.previous"):
        _, rest = laplace.solve(*words, "--max-iterations", 400, "--restart", file)
        assert rest["result"]["checksum"] == right["result"]["checksum"]
    assert {file.name for file in Path().glob("c*")} == {"c", "c.previous"}


def test_another_problem_is_refused():
    laplace = Program(PATHS["laplace"])
    laplace("--grid", "8,8,8", "--max-iterations", 5, "--checkpoint", "c")
    begin = "laplace: --restart c: "
    laplace.fails("--grid", "8,8,9", "--restart", "c", ranks=2,
                  says=begin + "its grid is [8,8,8], but here it is [8,8,9]")  # fmt: skip
    laplace.fails("--grid", "8,8,8", "--restart", "c", "--offset", 1,
                  says=begin + "its offset is 0.0, but here it is 1.0")  # fmt: skip
    laplace.fails("--grid", "8,8,8", "--restart", "none", says="none: No such file or directory")
    laplace.fails("--grid", "8,8,8", "--restart", "c", "--mode", "async",
                  says="--restart: is for --mode sync")  # fmt: skip
    laplace.fails("--grid", "8,8,8", "--checkpoint", "c", "--every", "0m",
                  says="--every 0m: must be minutes above 0, or such as 30s")  # fmt: skip
    laplace.fails("--grid", "8,8,8", "--every", "5", says="--every: is for --checkpoint")
    partdiff = Program(PATHS["partdiff"])
    partdiff.fails(1, 2, 4, 2, 2, 50, "--restart", "c",
                   says="--restart c: it is a checkpoint of laplace, not of partdiff")  # fmt: skip
    partdiff(1, 2, 4, 2, 2, 50, "--checkpoint", "p")
    partdiff.fails(1, 2, 5, 2, 2, 50, "--restart", "p", says="its LINES is 4, but here it is 5")
    partdiff.fails(1, 2, 4, 2, 2, 40, "--restart", "p", refused=False,
                   says="has 50 sweeps behind it; VALUE, here 40, must be more")  # fmt: skip
    spmv = Program(PATHS["spmv"])
    spmv.fails("--generate", "7pt:4,4,4", "--checkpoint", "s", says="--checkpoint: is for --solve")


def test_what_is_complete_is_not_solved_again():
    partdiff = Program(PATHS["partdiff"])
    for words in ((1, 2, 10, 2, 1, 1e-6), (1, 1, 10, 2, 2, 70), (1, 2, 10, 2, 2, 70)):
        _, right = partdiff.solve(*words, ranks=2)
        partdiff(*words, "--checkpoint", "c", ranks=2)
        for ranks in few((3, 1)):
            _, again = partdiff.solve(*words, "--restart", "c", ranks=ranks)
            assert again["result"] == right["result"]
        for file in ("c", "c.previous"):
            Path(file).unlink(missing_ok=True)


@pytest.mark.parametrize(
    "more",
    few([
        ("1", "2", "3", "2", "1", "1e-4", "--halo-depth", "1", "--reduction", "iallreduce"),
        ("1", "2", "3", "1", "1", "1e-4", "--halo-depth", "8", "--reduction", "iallreduce"),
        ("2", "2", "3", "2", "2", "90", "--style", "naive"),
        ("1", "1", "3", "2", "1", "1e-4", "--reduction", "last", "--decomposition", "blocks"),
        ("1", "1", "3", "1", "2", "150", "--scheme", "shm:signal+access=direct"),
    ]),
)  # fmt: skip
def test_states_that_are_kept_at_any_sweep_are_on_the_way(more):
    # A state every few sweeps changes nothing, and each leads to the end.
    partdiff = Program(PATHS["partdiff"])
    _, right = partdiff.solve(*more)
    _, same = partdiff.solve(*more, "--checkpoint", "c", "--every", "23steps", ranks=3)
    assert same["result"] == right["result"]
    assert Path("c.previous").exists()
    _, rest = partdiff.solve(*more, "--restart", "c.previous", ranks=2)
    assert rest["result"] == right["result"]


@pytest.mark.parametrize("method", ["cg", "pipelined-cg"])
@pytest.mark.parametrize("more", few([("--preconditioner", "sgs", "--reorder", "rcm"), ()]))
def test_conjugate_gradients_go_on_however_rows_are_numbered(method, more):
    spmv = Program(PATHS["spmv"])
    words = ("--generate", "7pt:9,9,9", "--solve", method, *more[:2])
    keys = ("checksum", "iterations", "residuum", "convergence")
    _, right = spmv.solve(*words, ranks=2)
    spmv(*words, *more[2:], "--max-iterations", 11, "--checkpoint", "c", "--every", "3steps",
         ranks=3)  # fmt: skip
    for file in ("c", "c.previous"):
        _, rest = spmv.solve(*words, "--restart", file, "--partition", "rows", ranks=2)
        for key in keys:
            assert rest["result"][key] == right["result"][key], key
    # The state is already beyond the most that there may be.
    _, rest = spmv.solve(*words, "--restart", "c", "--max-iterations", 5, ranks=2)
    assert rest["result"]["iterations"] == 11


def test_a_full_disk_ends_no_run():
    folder = Path("small").resolve()
    folder.mkdir()
    if launch("mount", "-t", "tmpfs", "-o", "size=1m", "small", folder).returncode != 0:
        pytest.skip("only root mounts a file system that is small")
    try:
        laplace = Program(PATHS["laplace"])
        words = ("--grid", "40,40,40", "--max-iterations", 400, "--tolerance", "1e-300")
        _, right = laplace.solve(*words)
        run = laplace(*words, "--checkpoint", folder / "c", "--every", "100steps", ranks=2)
        assert run.returncode == 1
        assert run.stderr.count("No space left on device; the run goes on") == 3
        assert "the newest good state is of iteration 100" in run.stderr
        _, rest = laplace.solve(*words, "--restart", folder / "c", ranks=3)
        assert rest["result"]["checksum"] == right["result"]["checksum"]
    finally:
        launch("umount", folder)
