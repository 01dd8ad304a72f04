"""How long ten standard patterns are felt through each scheme, as a multiple of p2p:nonblocking."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halocline import statistics
from halocline.launch import Checker, find_program
from halocline.measure import benchmark
from halocline.measure.atlas import Felt, Times

BASELINE = "p2p:nonblocking"
LAUNCHES = 6
"""With fewer no interval holds 95 %."""
RANKS = 2


@dataclass(frozen=True)
class Pattern:
    """What halometer is asked for."""

    name: str
    kind: str
    options: str


PATTERNS = (
    Pattern("2-D 64, faces", "halo", "--extent 64x64 --halo 1 --boundary open --faces"),
    Pattern("2-D 512, faces", "halo", "--extent 512x512 --halo 1 --boundary open --faces"),
    Pattern("2-D 512, periodic", "halo", "--extent 512x512 --halo 1 --boundary periodic"),
    Pattern("2-D 512, 3 wide", "halo", "--extent 512x512 --halo 3 --boundary periodic"),
    Pattern("3-D 16, faces", "halo", "--extent 16x16x16 --halo 1 --boundary open --faces"),
    Pattern("3-D 64, faces", "halo", "--extent 64x64x64 --halo 1 --boundary open --faces"),
    Pattern("3-D 64, periodic", "halo", "--extent 64x64x64 --halo 1 --boundary periodic"),
    Pattern("26 x 8 doubles", "neighbors", "--count 26 --doubles 8"),
    Pattern("6 x 512, ragged", "neighbors", "--count 6 --doubles 512 --links ragged"),
    Pattern("6 x 512, lists", "neighbors", "--count 6 --doubles 512 --links lists"),
)
"""By name. A file of the atlas may lack some, but has none by these names that are others."""


def measure(
    schemes: Sequence[str],
    *,
    budget_s: float,
    programs: Path | str | None = None,
    say: Callable[[str], None] = lambda text: None,
    patterns: Sequence[Pattern] = PATTERNS,
) -> Felt | None:
    """Measure the patterns in turn; None where none of them could be.

    Parameters
    ----------
    schemes
        Those that are sound; the baseline is measured in any case.
    budget_s
        Seconds that all patterns may measure together; starting ranks is not counted.
    say
        Called with what goes on, and which launches have failed.
    """
    checker = Checker(programs)
    program = find_program("halometer", programs)
    each_s = budget_s / (LAUNCHES * len(patterns))
    named = ",".join(dict.fromkeys([BASELINE, *schemes]))
    found, confidence = {}, 0.0
    for number, pattern in enumerate(patterns, 1):
        say(f"pattern {number} of {len(patterns)}: {pattern.name}")
        own = [*pattern.options.split(), "--schemes", named, "--budget", f"{each_s:g}"]
        with tempfile.TemporaryDirectory() as folder:
            launches = benchmark.prepare(Path(folder) / "felt", pattern.kind, None, {}, "share")
            benchmark.measure(
                launches, program, checker.launcher, own, ranks=(RANKS,), launches=LAUNCHES,
                limit_s=10 * each_s + 120,
            )  # fmt: skip
            if launches.interrupted:
                raise KeyboardInterrupt
            contents = launches.contents()
            for reason in {one.reason.splitlines()[0] for one in launches.launches if one.reason}:
                say(f"{pattern.name}: a launch has failed: {reason}")
        if times := times_of(contents):
            found[pattern.name], holds = times
            confidence = max(confidence, holds)
    return Felt(RANKS, LAUNCHES, round(confidence, 3), found) if found else None


def times_of(contents: Sequence[dict[str, Any]]) -> tuple[Times, float] | None:
    """Return what launches of halometer say of a pattern, and what the intervals hold.

    Each launch gives one ratio of medians for a scheme, of loops measured in turn; what slows a
    whole launch cancels.
    """
    medians = [_medians(content) for content in contents]
    medians = [one for one in medians if one.get(BASELINE, 0.0) > 0]
    if not medians:
        return None
    baseline = statistics.shift_interval([1e6 * one[BASELINE] for one in medians])
    ratios = {}
    for scheme in dict.fromkeys(name for one in medians for name in one):
        in_all = [one[scheme] / one[BASELINE] for one in medians if scheme in one]
        if scheme != BASELINE and len(in_all) == len(medians):
            ratios[scheme] = _three(statistics.shift_interval(in_all))
    return Times(_three(baseline), ratios), baseline.confidence


def _medians(content: dict[str, Any]) -> dict[str, float]:
    """Return what each scheme adds to a step, in seconds."""
    return {
        one["scheme"]: float(
            np.median(np.subtract(one["with_s"], one["without_s"])[one["warm_up"] :])
        )
        for one in content["settings"]
        if {"with_s", "without_s"} <= one.keys() and one["with_s"]
    }


def _three(interval: statistics.Interval) -> list[float]:
    ends = (interval.value, interval.low, interval.high)
    return [float(f"{end:.3g}") for end in ends]
