"""Measurements made up by chance, whose truth is known: do the claims keep their promise?

A scenario says how fast schemes are and how their times scatter. `trial` draws what a comparison
would have measured, evaluates it as a comparison does, and counts what was claimed wrongly and what
was found. The tests use few trials; `python tests/python/simulation.py` makes the table of
docs/measured/simulated.md with many.
"""

from __future__ import annotations

import argparse
import functools
from dataclasses import dataclass, field

import numpy as np

from halocline import statistics

DRAWS = 400
"""Random permutations of a step; fewer than a comparison's, which costs power but no truth."""


@dataclass(frozen=True)
class Scenario:
    """How fast some schemes are, and what disturbs them."""

    name: str
    slower: tuple[float, ...]
    """For each scheme, how much slower it is than the fastest: 0.1 is 10 %."""
    scatter: str = "heavy"
    """How launches scatter, by about 2 %: see `launches`."""
    scale: tuple[float, ...] = ()
    """How much more than that each scheme scatters; 1 by default."""
    rounds: int = 6
    repetitions: int = 3
    drift: float = 0.0
    """How much all launches of a round are slowed together: each round differs by about this."""
    failing: int = 0
    """How many schemes fail midway: the first ones."""
    width: float = 0.0
    """Rounds end when every median's interval is narrower, as those of `halocline compare`."""

    @property
    def base(self) -> int:
        """The scheme that all are compared with: the last one."""
        return len(self.slower) - 1


def launches(random: np.random.Generator, scatter: str, shape: tuple[int, ...]) -> np.ndarray:
    """Draw the logarithm of what each launch is slowed by."""
    if scatter == "heavy":  # A sharp left side and a long right tail.
        return 0.02 * np.abs(random.standard_t(2, shape))
    if scatter == "modes":  # A launch gets good memory pages or bad ones.
        return 0.1 * (random.random(shape) < 0.4) + random.normal(0, 0.005, shape)
    if scatter == "ties":  # A coarse clock.
        return 0.02 * np.round(random.normal(0, 1, shape))
    assert scatter == "normal"
    return random.normal(0, 0.02, shape)


def measure(random: np.random.Generator, scenario: Scenario) -> list[list[list[float]]]:
    """Draw a comparison's samples: for each scheme and launch, seconds per step."""
    rounds, schemes = scenario.rounds, len(scenario.slower)
    slowed = launches(random, scenario.scatter, (rounds, schemes))
    slowed *= np.array(scenario.scale or (1.0,) * schemes)
    slowed += np.log1p(scenario.slower)
    slowed += scenario.drift * random.standard_normal((rounds, 1)).cumsum(axis=0)
    if scenario.scatter == "ties":
        within = np.zeros((rounds, schemes, scenario.repetitions))
    else:
        within = 0.01 * np.abs(random.standard_t(3, (rounds, schemes, scenario.repetitions)))
    seconds = np.exp(slowed[:, :, None] + within)
    ends = [rounds] * schemes
    for scheme in range(scenario.failing):
        ends[scheme] = int(random.integers(1, rounds))
    samples = [seconds[: ends[s], s].tolist() for s in range(schemes)]
    for end in range(statistics.LEAST_LAUNCHES, rounds if scenario.width else 0):
        part = [groups[:end] for groups in samples]
        if all(statistics.grouped_median(groups).width < scenario.width for groups in part):
            return part
    return samples


@dataclass
class Count:
    """What many trials found; shares of trials, or of the schemes that differ."""

    trials: int = 0
    false_fastest: float = 0
    """Trials that call any scheme slower than the fastest that is not."""
    false_base: float = 0
    """Trials that call any scheme different from the base that is not."""
    found_fastest: list[float] = field(default_factory=list)
    """For each trial, the share of the slower schemes that are called so."""
    found_base: list[float] = field(default_factory=list)
    median_hits: list[float] = field(default_factory=list)
    """For each trial, the share of schemes whose median's 95 % interval holds the truth."""
    ratio_hits: list[float] = field(default_factory=list)
    """For each trial, whether the 95 % interval of the first scheme's ratio to the base does."""
    rounds: list[float] = field(default_factory=list)
    """How many rounds each trial took."""


@functools.cache
def truth(scatter: str) -> float:
    """Return the true median of the fastest scheme's samples, but for drift."""
    alone = Scenario("", (0.0,), scatter, rounds=400_000, repetitions=1)
    return float(np.median(measure(np.random.default_rng(0), alone)[0]))


def simulate(scenario: Scenario, trials: int, *, intervals: bool = True, seed: int = 1) -> Count:
    """Evaluate many made-up comparisons; without `intervals` their claims of differences alone."""
    random = np.random.default_rng(seed)
    slower, base = np.array(scenario.slower), scenario.base
    fastest, same = slower == slower.min(), slower == slower[base]
    middle = truth(scenario.scatter) if intervals else 0.0
    count = Count(trials)
    for _ in range(trials):
        samples = measure(random, scenario)
        table = statistics.blocks(samples)
        count.rounds.append(len(table))
        claimed = statistics.as_fast_as_the_fastest(table, draws=DRAWS) <= statistics.LEVEL
        count.false_fastest += (claimed & fastest).any() / trials
        if not fastest.all():
            count.found_fastest.append(claimed[~fastest].mean())
        claimed = statistics.as_fast_as(base, table, draws=DRAWS) <= statistics.LEVEL
        count.false_base += (claimed & same).any() / trials
        if not same.all():
            count.found_base.append(claimed[~same].mean())
        if not intervals:
            continue
        if not scenario.drift and not scenario.scale:
            intervals = [statistics.grouped_median(groups) for groups in samples]
            hits = [
                found.low <= middle * (1 + slower[scheme]) <= found.high
                for scheme, found in enumerate(intervals)
                if found.confidence >= 0.95
            ]
            count.median_hits += [np.mean(hits)] if hits else []
        found = statistics.ratio_interval(samples[0], samples[base])
        if found.confidence >= 0.95:
            ratio, rounding = (1 + slower[0]) / (1 + slower[base]), 1 + 1e-12
            count.ratio_hits.append(found.low / rounding <= ratio <= found.high * rounding)
    return count


ALIKE = (0.0,) * 8
HALF = (0.0,) * 4 + (0.1,) * 4
NEAR = (0.0,) * 4 + (0.03,) * 4
AMID = (0.0, 0.02, 0.04, 0.08, 0.1, 0.12, 0.14, 0.06)
STEPS = (0.0, 0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12)
SCENARIOS = [
    Scenario("8 alike, long tails", ALIKE),
    Scenario("8 alike, good and bad launches", ALIKE, "modes"),
    Scenario("8 alike, ties", ALIKE, "ties"),
    Scenario("8 alike, rounds that drift by 10 %", ALIKE, "normal", drift=0.1),
    Scenario("8 alike, 3 fail midway", ALIKE, failing=3),
    Scenario("8 alike, scatter from 1 % to 8 %", ALIKE, "normal", (0.5, 0.7, 1, 1, 1, 2, 3, 4)),
    Scenario("8 alike, the base scatters 5 times more", ALIKE, "normal", (1,) * 7 + (5,)),
    Scenario("8 alike, 3 rounds", ALIKE, rounds=3),
    Scenario("8 alike, 20 rounds", ALIKE, rounds=20),
    Scenario("half 10 % slower", HALF, "normal"),
    Scenario("half 10 % slower, long tails", HALF),
    Scenario("half 10 % slower, drift", HALF, "normal", drift=0.1),
    Scenario("half 10 % slower, 3 rounds", HALF, "normal", rounds=3),
    Scenario("half 10 % slower, 3 fail midway", HALF, "normal", failing=3),
    Scenario("7 alike, 1 slower by 4 %", (0.0,) * 7 + (0.04,), "normal"),
    Scenario("2 alike, 6 slower by 2, 4, ..., 12 %", STEPS, "normal"),
    Scenario("the base amid 7 others, 2 % apart, 6 rounds", AMID, "normal"),
    Scenario("the base amid 7 others, 2 % apart, 10 rounds", AMID, "normal", rounds=10),
    Scenario("the base amid 7 others, 2 % apart, 20 rounds", AMID, "normal", rounds=20),
    Scenario("1 faster than 7 by 10 %", (0.0,) + (0.1,) * 7, "normal"),
    Scenario("8 alike, ended when known to 5 %", ALIKE, "normal", rounds=20, width=0.05),
    Scenario("half 3 % slower, ended so", NEAR, "normal", rounds=20, width=0.05),
    Scenario("19 alike", (0.0,) * 19),
    Scenario("10 of 19 slower by 10 %", (0.1,) * 10 + (0.0,) * 9, "normal"),
    Scenario("a scheme against itself, 6 launches", (0.0, 0.0)),
    Scenario("a scheme against itself, 20 launches", (0.0, 0.0), rounds=20),
    Scenario("2 that differ by 10 %", (0.1, 0.0), "normal"),
    Scenario("2 that differ by 4 %, 12 rounds", (0.04, 0.0), "normal", rounds=12),
]  # fmt: skip


def share(values: list[float]) -> str:
    """Return a mean of shares in per cent; nothing for none."""
    return f"{100 * np.mean(values):.0f}" if values else ""


def main() -> None:
    """Print the table of docs/measured/simulated.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--only", default="", help="part of a scenario's name")
    options = parser.parse_args()
    heads = [
        "scenario", "false: slower than the fastest", "false: other than the base",
        "found: slower", "found: other", "median held", "ratio held", "rounds",
    ]  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for scenario in SCENARIOS:
        if options.only in scenario.name:
            found = simulate(scenario, options.trials)
            print(
                f"| {scenario.name} | {100 * found.false_fastest:.1f} | "
                f"{100 * found.false_base:.1f} | {share(found.found_fastest)} | "
                f"{share(found.found_base)} | {share(found.median_hits)} | "
                f"{share(found.ratio_hits)} | {np.mean(found.rounds):.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
