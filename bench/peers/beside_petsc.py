"""A step of spmv's conjugate gradients beside one of PETSc's, in turn, on the same matrices.

In every round each is launched once, in an order drawn anew, and solves the same system several
times for the same number of iterations; a launch's time of an iteration is the median of its
solutions but the first. Both keep |r| as well as r M^-1 r. Printed: milliseconds of an iteration,
and the median over the rounds of PETSc's time over spmv's of that round (above 1: spmv is faster),
with its 95 % interval. PETSc has a rank for each core that spmv has.

PETSc is given its matrix row by row as it distributes it, in its AIJ format. It comes with
petsc4py, from PyPI or, with an MPI of its own, from Debian (python3-petsc4py):

    ./dev build spmv sparse_matrix
    python3 bench/peers/beside_petsc.py --matrices 7pt:160,160,160 --peer-mpiexec mpiexec.openmpi
"""

import random
import sys
import time
from statistics import median

from intervals import said
from spmv_runs import Launch, options_beside_peers, seconds, seconds_of_peer, ways, written


def peer(wish):
    """Print the seconds of an iteration, for each solution; run by itself, as spmv is."""
    import numpy as np
    import petsc4py

    petsc4py.init([])
    from petsc4py import PETSc

    starts = np.memmap(wish.folder / "begin", np.int32, "r")
    rows = PETSc.Vec().createMPI(starts.size - 1)
    first, last = rows.getOwnershipRange()
    begin = np.array(starts[first : last + 1])
    columns = np.array(np.memmap(wish.folder / "columns", np.int32, "r")[begin[0] : begin[-1]])
    values = np.array(np.memmap(wish.folder / "values", np.float64, "r")[begin[0] : begin[-1]])
    size = (rows.getSizes(), rows.getSizes())
    matrix = PETSc.Mat().createAIJ(size, csr=(begin - begin[0], columns, values))
    x, b = matrix.createVecs()
    x.set(1)
    matrix.mult(x, b)
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType("cg")
    solver.getPC().setType(wish.peer)
    solver.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
    solver.setTolerances(rtol=1e-300, atol=0, max_it=wish.iterations)
    solver.setUp()
    for _ in range(wish.repetitions):
        x.set(0)
        PETSc.COMM_WORLD.barrier()
        start = time.perf_counter()
        solver.solve(b, x)
        PETSc.COMM_WORLD.barrier()
        taken = time.perf_counter() - start
        if solver.getIterationNumber() != wish.iterations:
            raise SystemExit("PETSc ended before its time")
        if PETSc.COMM_WORLD.rank == 0:
            print(taken / wish.iterations)


def time_of_peer(preconditioner, folder, ranks, wish):
    """Seconds of an iteration of one launch."""
    command = [
        wish.peer_mpiexec, "-n", str(ranks), *wish.peer_options.split(), wish.peer_python, __file__,
        "--peer", preconditioner, "--folder", folder, "--iterations", str(wish.iterations),
        "--repetitions", str(wish.repetitions),
    ]  # fmt: skip
    return seconds_of_peer(command)


def spmv(preconditioner, name, ranks, threads, wish):
    """Seconds of an iteration of one launch."""
    content = Launch(
        wish.build, ranks, threads,
        ["--generate", name, "--solve", wish.method,
         "--preconditioner", preconditioner, "--tolerance", "1e-300",
         "--max-iterations", wish.iterations, "--repetitions", wish.repetitions,
         "--scheme", wish.scheme],
    ).end()  # fmt: skip
    return seconds(content) / content["result"]["iterations"]


def beside(wish, name, folder):
    """Measure one matrix, and print its lines of the table."""
    for preconditioner in wish.preconditioners:
        ours = {way: [] for way in ways(wish)}
        theirs = {cores: [] for cores in sorted({ranks * threads for ranks, threads in ours})}
        for _ in range(wish.rounds):
            for one in random.sample([*ours, *theirs], len(ours) + len(theirs)):
                if one in ours:
                    ours[one].append(spmv(preconditioner, name, *one, wish))
                else:
                    theirs[one].append(time_of_peer(preconditioner, folder, one, wish))
        for (ranks, threads), times in ours.items():
            others = theirs[ranks * threads]
            ratios = [x / y for x, y in zip(others, times, strict=True)]
            print(
                f"| {name} | {preconditioner} | {ranks} x {threads} | {1e3 * median(times):.1f} | "
                f"{1e3 * median(others):.1f} | {said(ratios)} |",
                flush=True,
            )


def main():
    """Measure, and print a table."""
    parser = options_beside_peers(__doc__, matrices=["7pt:160,160,160"], repetitions=4)
    parser.add_argument("--preconditioners", nargs="*", default=["none", "jacobi"], metavar="P")
    parser.add_argument("--method", default="cg")
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--peer-mpiexec", default="mpiexec", help="of PETSc's MPI")
    parser.add_argument("--peer-options", default="--bind-to core", help="of that mpiexec")
    parser.add_argument("--peer-python", default=sys.executable, help="that has petsc4py")
    wish = parser.parse_args()
    if wish.peer:
        peer(wish)
        return
    print(
        "| matrix | preconditioner | ranks x threads | spmv, ms | PETSc, ms | PETSc's time |\n"
        "|---|---|---|---|---|---|"
    )
    for name in wish.matrices:
        with written(wish.build, name) as folder:
            beside(wish, name, folder)


if __name__ == "__main__":
    main()
