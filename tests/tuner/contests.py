#!/usr/bin/env python3
"""Contests in laps, simulated: how often is the choice wrong, and what does it cost?

The very code that decides in programs makes the decisions (contest_runs.cpp, called by ctypes).
What laps take is made up here: a scheme takes some times as long as another, which is the truth,
and every lap is disturbed. Disturbances are drawn in blocks from laps that a program has made
(`laps/`, by record_laps.cpp), so that slow laps come together as they did; or they are normal.

    contests.py LIBRARY [--runs N] [--figure FILE]

makes the table and the figure of docs/measured/simulated.md. These recorded the laps, on two cores
that nobody else wanted (quiet.json), or that others kept busy:

    mpiexec -n 2 record_laps 128 6000 p2p:nonblocking shm:signal > laps/quiet.json, laps/noisy.json
    mpiexec -n 2 record_laps 128 12000 p2p:nonblocking shm:signal    # bimodal.json: the second half
"""

from __future__ import annotations

import argparse
import ctypes
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "laps"
BLOCK = 256
"""Recorded laps that stay together."""
INTERRUPTED = 20
"""Times as long as usual, and more: a rank did not have its core, whatever the scheme."""
WRONG = 1.03
"""Times the best: another choice is called wrong."""


class Run(ctypes.Structure):
    """What became of a contest (contest_runs.cpp)."""

    _fields_ = (
        *((name, ctypes.c_double) for name in ("seconds", "best", "cost")),
        *((name, ctypes.c_long) for name in ("decided", "found", "contests", "leader")),
    )


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


class Contests:
    """The library that runs them."""

    def __init__(self, library: Path | str) -> None:
        self._run = ctypes.CDLL(str(library)).contest_run
        self._run.restype = None
        size, real, many = ctypes.c_size_t, ctypes.c_double, ctypes.c_void_p
        self._run.argtypes = [
            *(size, many, real, ctypes.c_long, real),
            *(size, size, many, real, size, many, many, many),
        ]

    def run(
        self,
        times: np.ndarray,
        lap: float,
        laps: int,
        factors: np.ndarray,
        marks: np.ndarray,
        regret: float = 0.01,
    ) -> tuple[Run, np.ndarray]:
        """Hold one; also return the share that is lost to the best after so many laps."""
        found, lost = Run(), np.full(len(marks), np.nan)
        times = np.ascontiguousarray(times, np.float64)
        factors = np.ascontiguousarray(factors, np.float64)
        marks = np.ascontiguousarray(marks, np.int64)
        self._run(
            *(len(times), pointer(times), lap, laps, regret),
            *(*factors.shape, pointer(factors), INTERRUPTED),
            *(len(marks), pointer(marks), pointer(lost), ctypes.byref(found)),
        )
        return found, lost


def laps_of(recording: str) -> tuple[np.ndarray, float]:
    """Return laps, times the usual one (a row a scheme, a column at about one time), and that."""
    text = (RECORDED / f"{recording}.json").read_text("utf-8")
    seconds = 1e-8 * np.array(list(json.loads(text)["laps_10ns"].values()))
    seconds /= np.median(seconds, axis=1, keepdims=True)
    return seconds, 1e-8 * float(np.median(list(json.loads(text)["laps_10ns"].values())))


WINDOW = 100


def windows(factors: np.ndarray) -> np.ndarray:
    """Return medians of so many columns each."""
    whole = factors.shape[1] // WINDOW * WINDOW
    return np.median(factors[:, :whole].reshape(len(factors), -1, WINDOW), axis=(0, 2))


class Host:
    """Where laps are made: by what each is disturbed, times its usual time."""

    def __init__(
        self, factors: np.ndarray | float, lap: float = 1e-3, levels: np.ndarray | None = None
    ) -> None:
        self.factors, self.lap, self.levels = factors, lap, levels

    @staticmethod
    def recorded(kind: str) -> Host:
        """Return one where recorded laps are made.

        `quiet`: on an idle machine. `noisy`: beside other work; a rank is interrupted now and then,
        for thousands of laps. `bimodal`: between two states, of which one takes two thirds of the
        other. `drifting`: quiet ones, from state to state as those of the bimodal recording, but
        slowly.
        """
        factors, lap = laps_of("quiet" if kind == "drifting" else kind)
        if kind in ("quiet", "noisy"):
            return Host(factors, lap)
        factors = factors[:, (factors < INTERRUPTED).all(axis=0)]
        if kind == "bimodal":
            return Host(factors, lap)
        return Host(factors, lap, levels=windows(Host.recorded("bimodal").factors))

    def draw(self, random: np.random.Generator, laps: int) -> np.ndarray:
        """Disturb so many laps of each scheme."""
        if isinstance(self.factors, float):
            return np.exp(self.factors * random.standard_normal((1, laps)))
        length = self.factors.shape[1]
        starts = random.integers(0, length, -(-laps // BLOCK))
        drawn = self.factors[:, ((starts[:, None] + np.arange(BLOCK)).ravel()[:laps]) % length]
        if self.levels is None:
            return drawn
        # All levels in their order, from any of them on.
        levels = np.roll(self.levels, random.integers(len(self.levels)))
        return drawn * np.interp(np.linspace(0, len(levels) - 1, laps), range(len(levels)), levels)


@dataclass(frozen=True)
class Scenario:
    """A program on a host, and the schemes that it could use."""

    name: str
    host: str | float
    """Recorded laps, or the noise of normal ones, as a share."""
    schemes: str = "various"
    """`various`: from 0.7 to 3 times as long as the first; `alike`: none matters; `first`: the
    first is the best, by 5 % and more."""
    laps: int = 100_000
    work: Callable[[np.ndarray], np.ndarray] | None = None
    """The work of laps of these numbers."""
    lap: float = 0
    """Seconds of one; 0: those of the host."""
    count: int = 8


UNEQUAL = {
    "every 2nd three times as long": lambda i: np.where(i % 2, 1, 3),
    "every 6th three times as long": lambda i: np.where(i % 6, 1, 3),
    "every 10th three times as long": lambda i: np.where(i % 10, 1, 3),
    "every 24th three times as long": lambda i: np.where(i % 24, 1, 3),
    "every 60th three times as long": lambda i: np.where(i % 60, 1, 3),
    "every 100th three times as long": lambda i: np.where(i % 100, 1, 3),
    "growing by 1 % each, 50 times": lambda i: 1 + i % 50 / 100,
}
"""Programs whose laps differ, by numbers of laps."""

SCENARIOS = (
    Scenario("noise of 1 %", 0.01),
    Scenario("noise of 5 %", 0.05),
    Scenario("noise of 20 %", 0.2),
    Scenario("noise of 5 %, laps of 20 µs", 0.05, lap=20e-6),
    Scenario("noise of 5 %, laps of 0.1 s, 3000", 0.05, lap=0.1, laps=3000),
    Scenario("noise of 5 %, the first is the best", 0.05, "first"),
    Scenario("noise of 5 %, alike", 0.05, "alike"),
    *(
        one
        for name, work in UNEQUAL.items()
        for one in (
            Scenario(f"5 %, {name}", 0.05, work=work),
            Scenario(f"5 %, {name}, alike", 0.05, "alike", work=work),
        )
    ),
    *(
        one
        for kind in ("quiet", "noisy", "drifting", "bimodal")
        for one in (Scenario(kind, kind), Scenario(f"{kind}, alike", kind, "alike"))
    ),
)
HOURS = tuple(
    Scenario(f"an hour, {name}", host, "alike", laps=3_600_000, lap=1e-3, count=3)
    for name, host in (
        ("noise of 5 %", 0.05),
        ("noise of 20 %", 0.2),
        *((kind, kind) for kind in ("quiet", "noisy", "drifting", "bimodal")),
    )
)
"""Which tell how often another contest is held for nothing."""


def truth(random: np.random.Generator, scenario: Scenario) -> np.ndarray:
    """Draw how long each scheme takes, times the first."""
    others = scenario.count - 1
    if scenario.schemes == "alike":
        return np.ones(scenario.count)
    if scenario.schemes == "first":
        return np.append(1, 1.05 + random.exponential(0.5, others))
    return np.append(1, np.exp(random.uniform(np.log(0.7), np.log(3), others)))


@dataclass
class Found:
    """What became of many contests; each field has a number a run."""

    wrong: np.ndarray
    changed: np.ndarray
    regret: np.ndarray
    trying: np.ndarray
    """What the contest says that it cost, as a share."""
    decided: np.ndarray
    """Laps until then, infinity: never."""
    again: np.ndarray
    """Further contests."""
    seconds: np.ndarray
    curves: np.ndarray
    """The regret after MARKS laps, a row a run."""


MARKS = np.unique(np.geomspace(200, 100_000, 40).astype(np.int64))


def simulate(contests: Contests, scenario: Scenario, runs: int, seed: int = 1) -> Found:
    random = np.random.default_rng([seed, len(scenario.name), *scenario.name.encode()])
    host = Host(scenario.host) if isinstance(scenario.host, float) else Host.recorded(scenario.host)
    if scenario.lap:
        host.lap = scenario.lap
    rows, curves = [], []
    for _ in range(runs):
        times = truth(random, scenario)
        factors = host.draw(random, scenario.laps)
        if scenario.schemes == "alike":  # in all that disturbs them, too
            factors = factors[:1]
        if scenario.work:
            factors = factors * scenario.work(np.arange(scenario.laps))
        run, lost = contests.run(times, host.lap, scenario.laps, factors, MARKS)
        rows.append(
            (
                times[run.leader] > WRONG * times.min(),
                run.leader != 0,
                run.seconds / run.best - 1,
                run.cost / run.seconds,
                run.decided if run.decided >= 0 else np.inf,
                run.contests - 1,
                run.seconds,
            )
        )
        curves.append(lost)
    return Found(*np.array(rows).T, np.array(curves))


def row(scenario: Scenario, found: Found) -> str:
    """One of the table."""
    alike = scenario.schemes == "alike"
    decided = np.quantile(found.decided, [0.5, 0.95], method="higher")
    cells = (
        scenario.name,
        "" if alike else f"{100 * found.wrong.mean():.2f}",
        f"{100 * found.changed.mean():.1f}" if alike else "",
        f"{100 * found.regret.mean():.2f}",
        f"{100 * np.quantile(found.regret, 0.95):.2f}",
        f"{100 * found.trying.mean():.2f}",
        *(f"{laps:,.0f}" if np.isfinite(laps) else "-" for laps in decided),
        f"{found.again.mean():.2f}",
    )
    return "| " + " | ".join(cells) + " |"


COLUMNS = (
    "laps",
    "wrong by more than 3 %, % of runs",
    "a difference claimed, % of runs",
    "regret, mean, %",
    "95th percentile, %",
    "trying, %",
    "laps until decided, median",
    "95th percentile",
    "further contests a run",
)
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"


def figure(file: Path, curves: dict[str, np.ndarray]) -> None:
    from matplotlib import pyplot as plt

    chart, axes = plt.subplots(figsize=(7, 4))
    for name, lost in curves.items():
        (line,) = axes.plot(MARKS, 100 * np.nanmean(lost, axis=0), label=name)
        axes.fill_between(
            MARKS,
            *(100 * np.nanquantile(lost, q, axis=0) for q in (0.05, 0.95)),
            color=line.get_color(),
            alpha=0.12,
        )
    axes.set(xscale="log", xlabel="laps", ylabel="lost to the best, % of its time", ylim=(0, None))
    axes.axhline(1, color="grey", linewidth=0.8, linestyle=":")
    axes.legend()
    chart.tight_layout()
    chart.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path, help="contest_runs, built with the tests")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--only", default="", metavar="TEXT", help="scenarios whose names have it")
    parser.add_argument("--figure", type=Path, help="draws what is lost over laps")
    options = parser.parse_args()
    contests = Contests(options.library)
    print(HEAD)
    curves = {}
    for scenario in SCENARIOS + HOURS:
        if options.only not in scenario.name:
            continue
        runs = options.runs if scenario not in HOURS else max(10, options.runs // 50)
        found = simulate(contests, scenario, runs)
        print(row(scenario, found), flush=True)
        if scenario.name in ("noise of 5 %", "quiet", "noisy", "drifting", "bimodal"):
            curves[scenario.name] = found.curves
    if options.figure:
        figure(options.figure, curves)


if __name__ == "__main__":
    main()
