"""The lines of the table: what is divided by what, and what is hoped for."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.errors import HaloclineError
from halocline.launch import matching
from halocline.measure.kernels.cases import SCHEMES, Effort, Kernel, kernels


@dataclass(frozen=True)
class Goal:
    """A line of the table: what is divided by what, and what is hoped for."""

    name: str
    of: str
    """The kernel whose speed is looked at."""
    against: str
    """The kernel whose speed divides it; empty for the share of time that is not computing."""
    at_least: float
    aim: float
    others: tuple[str, ...] = ()
    """For a share: kernels that may stand in for it; the one with the smallest median counts."""

    @property
    def is_share(self) -> bool:
        """Whether less is better: a share of time rather than a ratio of speeds."""
        return not self.against


def goals(effort: Effort) -> list[Goal]:
    """Return the lines of the table."""
    n = effort.points
    lines = []
    for name, plain, scaling in (
        ("Jacobi", (3, 5), (1.85, 1.95)),
        ("Gauss-Seidel", (6, 12), (1.8, 1.95)),
    ):
        sines, two = f"{name}, sines", f"{name}, 2 ranks"
        others = tuple(f"{two}, {scheme}" for scheme in SCHEMES)
        lines += [
            Goal(f"{name} {n}², 1 thread, against plain loops", name, f"{name}, plain", *plain),
            Goal(f"{name} {n}², 2 threads against 1", f"{name}, 2 threads", name, *scaling),
            Goal(f"{name} {n}², 2 ranks against 1", two, name, *scaling),
            Goal(f"{name} {n}², FUNC 2 against FUNC 1", sines, name, 0.8, 0.95),
            Goal(f"{name} {n}², TERM 1 against TERM 2", f"{sines}, to accuracy", sines, 0.75, 0.9),
            Goal(f"{name} {n}², 2 ranks: communicating and waiting", two, "", 0.05, 0.02, others),
        ]
    small, large = f"Jacobi, {effort.small}", f"Jacobi, {effort.large}"
    lines += [
        Goal(f"Jacobi {effort.small}² against plain loops", small, f"{small}, plain", 1.5, 2.5),
        Goal(f"Jacobi {effort.large}² against {n}²", large, "Jacobi, few sweeps", 0.9, 1),
        *_cube_goals(f"Laplace {effort.cube}³"),
    ]
    return lines


def _cube_goals(name: str) -> list[Goal]:
    return [
        Goal(f"{name}, 1 thread, against plain loops", "Laplace", "Laplace, plain", 1.7, 2.5),
        Goal(f"{name}, 2 threads against 1", "Laplace, 2 threads", "Laplace", 1.85, 1.95),
        Goal(f"{name}, 2 ranks against 1", "Laplace, 2 ranks", "Laplace", 1.85, 1.95),
    ]


def chosen(effort: Effort, only: str) -> tuple[list[Kernel], list[Goal]]:
    """Return the lines of the table that a shell glob matches, and the kernels that they need.

    Raises
    ------
    HaloclineError
        When there are none.
    """
    every = goals(effort)
    names = [goal.name for goal in every]
    wanted = matching(only, names)
    lines = [goal for goal in every if goal.name in wanted]
    if not lines:
        known = "\n  ".join(names)
        raise HaloclineError(f"--only '{only}': no line of the table matches; they are\n  {known}")
    if len(lines) == len(every):
        return kernels(effort), every
    needed = {name for goal in lines for name in (goal.of, goal.against, *goal.others)}
    return [kernel for kernel in kernels(effort) if kernel.name in needed], lines
