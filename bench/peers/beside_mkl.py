"""spmv on threads and on ranks beside MKL and SciPy, in turn, on the same matrices.

In every round each is launched once, in an order drawn anew, and multiplies many times; a launch's
time is the median of its repetitions but the first. Printed: the speed of spmv in GF/s, its share
of what a triad of the same launch says memory allows, and the median over the rounds of MKL's time
over spmv's of that round (above 1: spmv is faster), with its 95 % interval; of SciPy likewise.

MKL is given its matrix by mkl_sparse_d_create_csr, mkl_sparse_optimize for so many calls, and
mkl_sparse_d_mv: 32-bit indices, as spmv has. It comes from PyPI, best into a folder of its own:

    python3 -m venv scratch && scratch/bin/pip install mkl numpy scipy
    ./dev build spmv sparse_matrix
    scratch/bin/python bench/peers/beside_mkl.py --matrices 7pt:200,200,200
"""

import ctypes
import os
import random
import sys
import time
from pathlib import Path
from statistics import median

from intervals import said as interval_said
from spmv_runs import Launch, options_beside_peers, seconds, seconds_of_peer, ways, written

MATRICES = (
    "5pt:1500,1500", "9pt:1200,1200", "7pt:200,200,200", "27pt:90,90,90", "anisotropic:150,150,150",
    "random:1000000,1000,5,15", "random:400000,200000,5,15", "random:300000,300,20,60",
    "power:500000,12", "holstein:6,5",
)  # fmt: skip


def read_matrix(folder):
    """Return what `written` has written."""
    import numpy as np
    import scipy.sparse as sp

    begin = np.fromfile(folder / "begin", np.int32)
    columns = np.fromfile(folder / "columns", np.int32)
    values = np.fromfile(folder / "values", np.float64)
    return sp.csr_matrix((values, columns, begin), shape=(begin.size - 1, begin.size - 1))


class Mkl:
    """One matrix in MKL."""

    class Description(ctypes.Structure):
        """MKL's matrix_descr."""

        _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]

    general, as_it_is = 20, 10

    def __init__(self, matrix, calls):
        import numpy as np

        found = sorted(Path(sys.prefix, "lib").glob("libmkl_rt.so*"))
        if not found:
            raise SystemExit("no MKL beside this Python: pip install mkl")
        self.mkl = ctypes.CDLL(str(found[0]))
        self.about = self.Description(self.general, 0, 0)
        self.begin = matrix.indptr.astype(np.int32)
        self.columns = matrix.indices.astype(np.int32)
        self.values = matrix.data
        self.handle = ctypes.c_void_p()
        rows, columns = matrix.shape
        begin = self.address(self.begin)
        end = ctypes.c_void_p(begin.value + self.begin.itemsize)
        self.ask(
            "mkl_sparse_d_create_csr", ctypes.byref(self.handle), 0, rows, columns, begin, end,
            self.address(self.columns), self.address(self.values),
        )  # fmt: skip
        hint = (self.handle, self.as_it_is, self.about)
        self.ask("mkl_sparse_set_mv_hint", *hint, calls)
        self.ask("mkl_sparse_optimize", self.handle)

    @staticmethod
    def address(array):
        return ctypes.c_void_p(array.ctypes.data)

    def ask(self, name, *arguments):
        status = getattr(self.mkl, name)(*arguments)
        if status:
            raise SystemExit(f"{name} fails with status {status}")

    def multiply(self, x, y):
        self.ask(
            "mkl_sparse_d_mv", self.as_it_is, ctypes.c_double(1), self.handle, self.about,
            self.address(x), ctypes.c_double(0), self.address(y),
        )  # fmt: skip


def peer(folder, which, products, repetitions):
    """Print the seconds of a product, for each repetition; run by itself, as spmv is."""
    import numpy as np

    matrix = read_matrix(folder)
    x, y = np.ones(matrix.shape[1]), np.zeros(matrix.shape[0])
    mkl = Mkl(matrix, products * repetitions) if which == "mkl" else None
    for _ in range(repetitions):
        begin = time.perf_counter()
        for _ in range(products):
            if mkl:
                mkl.multiply(x, y)
            else:
                y = matrix @ x
        print((time.perf_counter() - begin) / products)
    if not np.allclose(y, matrix @ x, rtol=1e-9, atol=1e-9):
        raise SystemExit("the peer's product is wrong")


def time_of_peer(which, folder, threads, wish):
    """Seconds of one launch."""
    environment = {**os.environ, "MKL_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    command = [
        sys.executable, __file__, "--peer", which, "--folder", folder,
        "--products", str(wish.products), "--repetitions", str(wish.repetitions),
    ]  # fmt: skip
    return seconds_of_peer(command, environment)


def spmv(wish, name, layout, ranks, threads):
    """Seconds of a product, GF/s and the share of the triad of one launch."""
    content = Launch(
        wish.build, ranks, threads,
        ["--generate", name, "--format", layout, "--products", wish.products,
         "--repetitions", wish.repetitions, "--scheme", wish.scheme, "--bandwidth"],
    ).end()  # fmt: skip
    result = content["result"]
    taken = seconds(content) / wish.products
    triad = median(result["triad_bytes_s"][1:])
    return taken, 2e-9 * content["parameters"]["entries"] / taken, result["bytes"] / taken / triad


def beside(wish, name, folder):
    """Measure one matrix, and print its lines of the table."""
    ours = [(layout, ranks, threads) for layout in wish.formats for ranks, threads in ways(wish)]
    cores = sorted({ranks * threads for _, ranks, threads in ours})
    peers = [("mkl", count) for count in cores] + [("scipy", 1)] * (not wish.without_scipy)
    times = {one: [] for one in [*ours, *peers]}
    said = {one: [] for one in ours}
    for _ in range(wish.rounds):
        for one in random.sample(list(times), len(times)):
            if len(one) == 2:
                times[one].append(time_of_peer(*one[:1], folder, one[1], wish))
                continue
            taken, *rest = spmv(wish, name, *one)
            times[one].append(taken)
            said[one].append(rest)
    for one in ours:
        layout, ranks, threads = one

        def ratio(peer, one=one):
            pairs = zip(times[peer], times[one], strict=True)
            return interval_said([x / y for x, y in pairs])

        scipy = "" if wish.without_scipy else ratio(("scipy", 1))
        gflops, share = (median(values) for values in zip(*said[one], strict=True))
        print(
            f"| {name} | {layout} | {ranks} x {threads} | {gflops:.2f} | {share:.2f} | "
            f"{ratio(('mkl', ranks * threads))} | {scipy} |",
            flush=True,
        )


def main():
    """Measure, and print a table."""
    parser = options_beside_peers(__doc__, matrices=MATRICES, repetitions=6)
    parser.add_argument("--formats", nargs="*", default=["auto", "sell", "crs"])
    parser.add_argument("--without-scipy", action="store_true")
    parser.add_argument("--products", type=int, default=10)
    wish = parser.parse_args()
    if wish.peer:
        peer(wish.folder, wish.peer, wish.products, wish.repetitions)
        return
    print(
        "| matrix | format | ranks x threads | GF/s | of triad | MKL's time | SciPy's time |\n"
        "|---|---|---|---|---|---|---|"
    )
    for name in wish.matrices:
        with written(wish.build, name) as folder:
            beside(wish, name, folder)


if __name__ == "__main__":
    main()
