"""The benchmark of the sweeps: against plain loops, alone, on two threads and two ranks.

Both sides solve the same problem with the same operations, so that every pair of speeds has a
meaning; halometer's `sweeps` are what one would write first, compiled with the same flags.
Everything is launched once a round, in an order drawn anew, until the time is spent (see
`compare`), and nothing here passes or fails by a time.

How many sweeps a program takes is fixed, so that runs can be repeated: some tenths of a second to
two seconds on a core of 2024 once the sweeps are blocked, and at least 400 where several ranks or
threads follow each other, so that filling the pipeline does not show. partdiff's time includes
setting its grids to their initial values, and laplace's the residual after every 100 sweeps; that
of the plain loops does not, which favours them.
"""

from halocline.measure.kernels.cases import FULL, QUICK, SCHEMES, Effort, Kernel, kernels
from halocline.measure.kernels.evaluation import Line, Speed, disagreements, evaluate, speeds
from halocline.measure.kernels.goals import Goal, chosen, goals
from halocline.measure.kernels.measuring import Outcome, bench_kernels, fitting, outcome, run

__all__ = [
    "FULL",
    "QUICK",
    "SCHEMES",
    "Effort",
    "Goal",
    "Kernel",
    "Line",
    "Outcome",
    "Speed",
    "bench_kernels",
    "chosen",
    "disagreements",
    "evaluate",
    "fitting",
    "goals",
    "kernels",
    "outcome",
    "run",
    "speeds",
]
