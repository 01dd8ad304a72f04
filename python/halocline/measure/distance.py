"""How far the cores of two ranks were apart while something was measured.

On a virtual machine the hypervisor moves virtual CPUs among cores that share a cache and cores that
do not, for seconds or minutes; what two ranks exchange then takes a multiple of the time. Programs
measure the time that a cache line takes there and back, and record it (`core_distance_s`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

APART = 1.5
"""The factor from which on two distances are different states of the machine."""


def usual(readings: Iterable[Sequence[float]]) -> float | None:
    """Return the median of all distances; None where none was taken."""
    every = [value for row in readings for value in row]
    return median(every) if every else None


def oddity(seconds: Sequence[float], ordinary: float | None) -> str:
    """Say how distances differ from the ordinary one; empty where they do not."""
    if not seconds or ordinary is None:
        return ""
    if max(seconds) >= APART * min(seconds):
        return f"its cores moved: {shown(seconds)} apart"
    if not ordinary / APART < median(seconds) < ordinary * APART:
        return f"its cores {shown(seconds)} apart, usually {shown([ordinary])}"
    return ""


def border(readings: Iterable[Sequence[float]]) -> float | None:
    """Return the distance that tells near cores from far ones; None where all are alike.

    Of two states of the machine each must hold for a twentieth of the readings at least.
    """
    every = sorted(value for row in readings for value in row)
    if not every:
        return None
    low, high = every[len(every) // 20], every[-1 - len(every) // 20]
    return (low * high) ** 0.5 if high >= APART * low else None


def shown(seconds: Sequence[float]) -> str:
    """Return the range of distances: 0.12 µs, or 0.12 to 0.45 µs."""
    low, high = f"{1e6 * min(seconds):.2f}", f"{1e6 * max(seconds):.2f}"
    return f"{low} µs" if low == high else f"{low} to {high} µs"
