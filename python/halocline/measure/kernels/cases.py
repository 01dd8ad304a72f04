"""What is launched: real programs and plain loops, and how large their problems are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

METHODS = {"gauss-seidel": "1", "jacobi": "2"}
"""How partdiff numbers them."""
SCHEMES = ("shm:message", "shm:signal", "rma:put:flush")
"""What the ranks exchange by, beside partdiff's default, where the best one counts."""

BRIEFLY = ("--budget", "2", "--least", "6")
"""How long a launch of halometer measures, in seconds, unless it knows enough before."""


@dataclass(frozen=True)
class Effort:
    """How large the problems are, in points along a side, and how often they are swept."""

    points: int
    sweeps: int
    plain_jacobi: int
    """Sweeps of the plain loops that halometer takes together: about a tenth of a second."""
    plain_gauss_seidel: int
    small: int
    """Points of the problem that stays in a cache."""
    small_sweeps: int
    plain_small: int
    large: int
    large_sweeps: int
    cube: int
    """Points along a side of laplace's problem, without its surface."""
    cube_sweeps: int
    plain_cube: int
    budget_s: float


FULL = Effort(4105, 800, 6, 2, 201, 60_000, 4_000, 16009, 64, 400, 100, 2, budget_s=540)
QUICK = Effort(1033, 400, 100, 30, 201, 4_000, 4_000, 2057, 64, 150, 100, 30, budget_s=60)
"""Shows that everything works; its problems fit into large caches, and its figures say little."""


@dataclass(frozen=True)
class Kernel:
    """One thing that is launched: a program, its problem, and how many work on it."""

    name: str
    program: str
    """`partdiff`, `laplace`, or `halometer` for plain loops and streams."""
    method: str
    """`jacobi`, `gauss-seidel`, `laplace` or `stream`."""
    points: int
    sweeps: int = 1
    """How many halometer takes together."""
    function: int = 1
    threads: int = 1
    ranks: int = 1
    scheme: str = ""
    """Empty for the default."""
    accurate_as: str = ""
    """The kernel whose residuum ends this one (TERM 1); by default the number of sweeps does."""

    @property
    def amount(self) -> float:
        """What a sweep does: million points updated; of a stream, gigabytes copied."""
        return 16e-9 * self.points**2 if self.method == "stream" else self.updates / 1e6

    @property
    def updates(self) -> int:
        """Points updated by a sweep: all but the boundary."""
        if self.method == "laplace":
            return self.points**3
        return (self.points - 2) ** 2

    @property
    def grids_bytes(self) -> int:
        """The memory of its grids: partdiff works in place, and to an accuracy keeps two copies."""
        if self.method == "laplace":
            return 8 * (self.points + 2) ** 3 * 2
        if self.program == "partdiff":
            grids = 3 if self.accurate_as else 1
        else:
            grids = 1 if self.method == "gauss-seidel" else 2
        return 8 * self.points**2 * grids

    @property
    def problem(self) -> tuple[Any, ...]:
        """What decides about the result: where it is the same, so must be the bytes."""
        return self.method, self.points, self.function, self.sweeps

    def arguments(self, accuracy: float | None = None) -> list[str]:
        """Return the program's arguments.

        Parameters
        ----------
        accuracy
            The residuum to get below, for a kernel that ends by it.
        """
        more = ["--scheme", self.scheme] if self.scheme else []
        if self.program == "partdiff":
            interlines = str((self.points - 9) // 8)
            end = ["2", str(self.sweeps)] if accuracy is None else ["1", repr(accuracy)]
            return [
                str(self.threads), METHODS[self.method], interlines, str(self.function), *end, *more
            ]  # fmt: skip
        if self.program == "laplace":
            return [
                "--grid", ",".join([str(self.points)] * 3), "--max-iterations", str(self.sweeps),
                "--tolerance", "1e-300", "--threads", str(self.threads), *more,
            ]  # fmt: skip
        threads = ["--threads", str(self.threads), *BRIEFLY]
        if self.method == "stream":
            size = str(8 * self.points**2)
            return ["memory", "--schemes", "copy", "--sizes", size, *threads]
        return [
            "sweeps", "--schemes", self.method, "--points", str(self.points),
            "--sweeps", str(self.sweeps), "--function", str(self.function), *threads,
        ]  # fmt: skip


def kernels(effort: Effort) -> list[Kernel]:
    """Return everything that is launched."""
    n, sweeps = effort.points, effort.sweeps
    found = []
    for name, method, plain in (
        ("Jacobi", "jacobi", effort.plain_jacobi),
        ("Gauss-Seidel", "gauss-seidel", effort.plain_gauss_seidel),
    ):
        sines = f"{name}, sines"
        found += [
            Kernel(name, "partdiff", method, n, sweeps),
            Kernel(f"{name}, plain", "halometer", method, n, plain),
            Kernel(f"{name}, 2 threads", "partdiff", method, n, sweeps, threads=2),
            Kernel(f"{name}, 2 ranks", "partdiff", method, n, sweeps, ranks=2),
            Kernel(sines, "partdiff", method, n, sweeps, function=2),
            Kernel(f"{sines}, to accuracy", "partdiff", method, n, sweeps, 2, accurate_as=sines),
        ]
        found += [
            Kernel(
                f"{name}, 2 ranks, {scheme}", "partdiff", method, n, sweeps, ranks=2, scheme=scheme
            )
            for scheme in SCHEMES
        ]
    small, large = effort.small, effort.large
    found += [
        Kernel(f"Jacobi, {small}", "partdiff", "jacobi", small, effort.small_sweeps),
        Kernel(f"Jacobi, {small}, plain", "halometer", "jacobi", small, effort.plain_small),
        # As few sweeps on both, so that setting the initial values weighs the same.
        Kernel("Jacobi, few sweeps", "partdiff", "jacobi", n, effort.large_sweeps),
        Kernel(f"Jacobi, {large}", "partdiff", "jacobi", large, effort.large_sweeps),
        Kernel("Laplace", "laplace", "laplace", effort.cube, effort.cube_sweeps),
        Kernel("Laplace, plain", "halometer", "laplace", effort.cube, effort.plain_cube),
        Kernel(
            "Laplace, 2 threads", "laplace", "laplace", effort.cube, effort.cube_sweeps, threads=2
        ),
        # Arrays in plain memory lie on huge pages, those in shared memory do not everywhere.
        Kernel(
            "Laplace, 2 ranks",
            "laplace",
            "laplace",
            effort.cube,
            effort.cube_sweeps,
            ranks=2,
            scheme="shm:signal",
        ),
        Kernel("stream", "halometer", "stream", FULL.points),
        Kernel("stream, 2 threads", "halometer", "stream", FULL.points, threads=2),
        Kernel("stream, in L1", "halometer", "stream", 40),
    ]
    return found
