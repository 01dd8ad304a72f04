"""What is compared: applications' problems, the patterns that they exchange, and the schemes."""

from __future__ import annotations

import math
from dataclasses import dataclass

BASELINE = "p2p:nonblocking"
SCHEMES = (
    BASELINE,
    "rma:put:flush",
    "shm:message",
    "shm:signal",
    "shm:signal+access=copy",
    "shm:signal+access=direct",
)
"""What is compared; schemes that read in place only where the application can."""
AUTO = "auto"
SOLUTION_S = 0.01
EXCHANGES = 64
"""A solution has as many at least: the first steps take longer than an exchange adds, once."""


@dataclass(frozen=True)
class Setting:
    """One problem of an application, and the pattern that it exchanges on each of two ranks."""

    name: str
    program: str
    problem: tuple[str, ...]
    points: int
    """Per rank; how many steps a repetition has follows from it."""
    extent: str
    dims: str
    depth: int
    """Steps from one exchange to the next, and width of the halo."""

    def steps(self, exchange_s: float = 0.0) -> int:
        """Return the steps of a solution: for `SOLUTION_S` or `EXCHANGES`, in hundreds.

        `exchange_s` is what an exchange takes, which between nodes can be most of a step.
        """
        once = 1e-6 + self.points * 0.4e-9 + exchange_s / self.depth
        return math.ceil(max(SOLUTION_S / once, EXCHANGES * self.depth) / 100) * 100

    def arguments(self, exchange_s: float = 0.0) -> list[str]:
        """Return the application's command line without scheme and files."""
        steps = str(self.steps(exchange_s))
        if self.program == "partdiff":
            return [*self.problem, steps, "--halo-depth", str(self.depth)]
        return [
            *self.problem, "--depth", str(self.depth), "--max-iterations", steps,
            "--check", f"every={steps}", "--tolerance", "1e-300",
        ]  # fmt: skip

    def pattern(self) -> list[str]:
        """Return the arguments of halometer for the same pattern."""
        padded = ["--padded"] if self.program == "laplace" else []
        return [
            "halo", "--extent", self.extent, "--dims", self.dims, "--halo", str(self.depth),
            "--boundary", "open", "--faces", *padded,
        ]  # fmt: skip

    def schemes(self) -> list[str]:
        """Return the schemes that the application has."""
        return [s for s in SCHEMES if self.depth == 1 or "access=direct" not in s]


def _laplace(n: int, depth: int = 1, *, stacked: bool = False) -> Setting:
    """Return two cubes of n³ points, side by side along x or on top of each other."""
    shape = ["--grid", f"{n},{n},{2 * n}"] if stacked else ["--per-rank", f"{n},{n},{n}"]
    name = f"laplace {n}³{' stacked' if stacked else ''}, depth {depth}"
    dims = "2x1x1" if stacked else "1x1x2"
    return Setting(name, "laplace", tuple(shape), n**3, f"{n}x{n}x{n}", dims, depth)


def _partdiff(interlines: int, depth: int = 1) -> Setting:
    """Return Jacobi's method on a square, cut into two halves of its rows."""
    cells = 8 * interlines + 7
    rows = (cells + 1) // 2
    problem = ("1", "2", str(interlines), "1", "2")
    name = f"partdiff {cells + 1}², depth {depth}"
    return Setting(name, "partdiff", problem, rows * cells, f"{rows}x{cells}", "2x1", depth)


SETTINGS = (
    _laplace(16), _laplace(24), _laplace(32), _laplace(48), _laplace(64),
    _laplace(32, stacked=True), _laplace(64, stacked=True),
    _laplace(48, 8), _laplace(64, 8),
    _partdiff(10), _partdiff(30), _partdiff(60), _partdiff(125),
    _partdiff(30, 8), _partdiff(125, 8),
)  # fmt: skip
