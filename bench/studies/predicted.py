"""Predict a study's comparisons where one cannot measure: many ranks on nodes with a network.

The machine and the network are files that come with Halocline, so everybody gets the same figures.
A prediction knows what schemes do and what that costs, and no MPI by name: a neighbourhood
collective is as many messages there, a fence a tree of empty messages.
"""

from itertools import product

from halocline.model import machines, networks, simulation
from halocline.statistics import Interval
from wins import FASTER, SLOWER, UNDECIDED, UNMEASURED, Verdict

MACHINE, NETWORK, PER_NODE = "amd-epyc-7003", "slingshot-11", 64
RANKS = (64, 512, 4096)
SIDES_OF_CUBES = (4, 16, 64)
"""Cells of a rank along each axis, of a periodic grid."""
CORNERS = (False, True)
"""6 neighbours, or 26."""
CALM, NOISY = {}, {"compute": 1e-3, "noise_every_s": 1e-2, "noise_s": 1e-4}
"""An exchange by itself; or after a millisecond of computing, which is interrupted for 100 µs
every 10 ms, on each rank at times of its own."""
STEPS = 12


def cases(schemes):
    """What the simulator is asked, and how each is told from the others."""
    found = {}
    for scheme, ranks, side, corners, noisy in product(
        schemes, RANKS, SIDES_OF_CUBES, CORNERS, (False, True)
    ):
        found[scheme, ranks, side, 26 if corners else 6, noisy] = {
            "scheme": scheme, "ranks": ranks, "ranks_per_node": PER_NODE, "steps": STEPS,
            "warm_up": STEPS // 3,
            "pattern": {"kind": "grid", "each": [side] * 3, "periodic": [0, 1, 2],
                        "corners": corners},
            **(NOISY if noisy else CALM),
        }  # fmt: skip
    return found


def predict(study):
    """Simulate all of it and return what is said of cells and of steps.

    A cell has the `us` of a step beyond its computing.
    """
    machine = networks.load(NETWORK).between(machines.load(MACHINE))
    asked = cases(study.methods)
    outcomes = simulation.simulate(machine, list(asked.values()))
    rows = [
        {"scheme": scheme, "ranks": ranks, "side": side, "neighbours": neighbours, "noisy": noisy,
         "us": float(f"{1e6 * (outcome['step_s'] - (NOISY['compute'] if noisy else 0)):.4g}")}
        for (scheme, ranks, side, neighbours, noisy), outcome in zip(asked, outcomes)
        if "error" not in outcome
    ]  # fmt: skip
    return {
        "spread": machine.spread, "cells": rows,
        "steps": [step_of(scheme) for scheme in dict.fromkeys(one["scheme"] for one in rows)],
    }  # fmt: skip


def step_of(scheme):
    """What a rank does in a step with 26 neighbours of its own."""
    said = simulation.described(scheme, {
        "ranks": 27, "rank": 13,
        "pattern": {"kind": "grid", "each": [16] * 3, "dims": [3] * 3, "periodic": [0, 1, 2]},
    })  # fmt: skip
    verbs = [one["verb"] for part in ("start", "finish") for one in said[part]]
    words = [one.get("word") for part in ("start", "finish") for one in said[part]
             if one["verb"] == "notify"]  # fmt: skip
    return {
        "scheme": scheme,
        "messages": verbs.count("send"),
        "transfers": verbs.count("put") + verbs.count("get"),
        "notifications": len(words),
        "round_trips": verbs.count("lock") + verbs.count("unlock") + verbs.count("flush"),
        "barriers": verbs.count("barrier"),
        "bytes": said["buffer_bytes"] + said["window_bytes"],
    }


def verdicts(content, study):
    """By comparison, what is predicted of each cell.

    Differences within what the machine file is off are not told apart.
    """
    low, high = content["spread"]
    doubt = max(0.02, (high - low) / 2)
    times = {}
    for one in content["cells"]:
        key = (one["neighbours"], one["side"]), (one["noisy"], one["ranks"])
        times.setdefault(key, {})[one["scheme"]] = one["us"]

    def verdict(of, side, rival):
        sides = [
            min((of[one], one) for one in map(method, study.sides[name]) if one in of)
            if any(method(one) in of for one in study.sides[name])
            else None
            for name in (side, rival)
        ]
        if None in sides or min(sides)[0] <= 0:
            return Verdict(UNMEASURED)
        (first, scheme), (second, other) = sides
        ratio = first / second
        word = FASTER if ratio < 1 / (1 + doubt) else SLOWER if ratio > 1 + doubt else UNDECIDED
        return Verdict(word, Interval(ratio, ratio, ratio, 0.0), scheme, other)

    return {
        (side, rival): {key: verdict(of, side, rival) for key, of in times.items()}
        for side, rival in study.comparisons
    }


def method(scheme):
    """Without options, which the model does not tell apart."""
    return scheme.split("+")[0]
