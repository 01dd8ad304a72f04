"""How far the model can be trusted: fit on half of the sizes, predict the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from halocline.errors import HaloclineError
from halocline.model import fitting, simulation
from halocline.model.fitting import Sample
from halocline.model.machines import Machine
from halocline.model.prediction import Question
from halocline.tables import Tabular


@dataclass
class Trust(Tabular):
    """Predictions of what was held out, beside what was measured."""

    samples: list[Sample]
    predicted_s: np.ndarray
    spread: tuple[float, float]
    """Factors that hold 90 % of measured by predicted, from the half that was fitted."""

    @property
    def errors(self) -> np.ndarray:
        """Relative errors, without sign."""
        return np.abs(self.predicted_s / np.array([one.seconds for one in self.samples]) - 1)

    def summary(self) -> dict[str, float]:
        """Return medians, shares, and how good the best predicted scheme is."""
        measured = np.array([one.seconds for one in self.samples])
        by_case: dict[str, list[int]] = {}
        for i, one in enumerate(self.samples):
            by_case.setdefault(one.setting, []).append(i)
        losses = []
        for places in by_case.values():
            chosen = min(places, key=lambda i: self.predicted_s[i])
            losses.append(measured[chosen] / min(measured[i] for i in places) - 1)
        low, high = self.spread
        inside = (measured >= self.predicted_s * low) & (measured <= self.predicted_s * high)
        halves = np.array([abs(one.again - 1) for one in self.samples])
        halves = halves[np.isfinite(halves)]
        return {
            "points": float(len(measured)),
            "median_error": float(np.median(self.errors)),
            "within_20_percent": float(np.mean(self.errors <= 0.2)),
            "p90_error": float(np.percentile(self.errors, 90)),
            "inside_interval": float(np.mean(inside)),
            "best_within_5_percent": float(np.mean(np.array(losses) <= 0.05)),
            "best_loses_median": float(np.median(losses)),
            # A measurement beside itself: no model can do better.
            "halves_differ_median": float(np.median(halves)) if halves.size else float("nan"),
            "halves_within_20_percent": float(np.mean(halves <= 0.2)) if halves.size else 0.0,
        }

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each scheme: how many points, median and worst error, bias."""
        rows = []
        for scheme in sorted({one.scheme for one in self.samples}):
            places = [i for i, one in enumerate(self.samples) if one.scheme == scheme]
            ratios = [self.predicted_s[i] / self.samples[i].seconds for i in places]
            rows.append({
                "scheme": scheme, "points": len(places),
                "median_error": float(np.median(self.errors[places])),
                "worst_error": float(np.max(self.errors[places])),
                "bias": float(np.median(ratios)) - 1,
            })  # fmt: skip
        return rows


def spread_of(ratios: np.ndarray) -> tuple[float, float]:
    """Return the factors from predicted to measured that hold 90 % of them."""
    low, high = np.percentile(1 / ratios, (5, 95))
    return float(low), float(high)


def halves(samples: Sequence[Sample]) -> tuple[list[Sample], list[Sample]]:
    """Split by size: of each kind's patterns, ascending by bytes, every second one is held out.

    The largest is not: what lies beyond all that was measured nobody knows.
    """
    fitted: list[Sample] = []
    held: list[Sample] = []
    for kind in sorted({one.kind for one in samples}):
        of_kind = [one for one in samples if one.kind == kind]
        patterns = sorted({(one.bytes, str(one.case["pattern"])) for one in of_kind})
        out = {pattern for i, (_, pattern) in enumerate(patterns[:-1]) if i % 2 == 1}
        for one in of_kind:
            (held if str(one.case["pattern"]) in out else fitted).append(one)
    return fitted, held


def held_out(samples: Sequence[Sample], programs: Path | None = None) -> Trust:
    """Fit half of the patterns, predict the other half."""
    fitted, held = halves(samples)
    found = fitting.fit(fitted, programs)
    return Trust(held, fitting.predicted(found.machine, held, programs), spread_of(found.ratios))


def applications(
    machine: Machine,
    runs: Sequence[dict[str, Any]],
    border: float | None = None,
    programs: Path | None = None,
) -> list[dict[str, Any]]:
    """Return programs' steps on two ranks as measured and as predicted from computing and scheme.

    Parameters
    ----------
    runs
        What `computing.run` measured.
    border
        Cores farther apart than that are of two sockets.
    """
    cases = []
    for one in runs:
        apart = one.get("core_distance_s", [])
        near = border is not None and bool(apart) and median(apart) <= border
        question = Question(
            one["program"], tuple(one["asked"]), ranks_per_socket=None if near else 1
        )
        cases.append(question.case(one["scheme"], 2, programs))
    outcomes = simulation.simulate(machine, cases, programs)
    found = []
    for one, outcome in zip(runs, outcomes):
        if "error" in outcome:
            raise HaloclineError(outcome["error"])
        keys = ("program", "asked", "scheme", "points", "compute_s")
        found.append({
            **{key: one[key] for key in keys}, "measured_s": one["step_s"],
            "predicted_s": outcome["step_s"], "error": outcome["step_s"] / one["step_s"] - 1,
        })  # fmt: skip
    return found
