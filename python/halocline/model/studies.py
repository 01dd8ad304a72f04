"""What the studies found, beside what the model says with the figures of their machines.

Most of the studies' figures are lost or without numbers, so most statements are about order and
direction; the machine files say which of their numbers are assumed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halocline.model import machines, simulation
from halocline.model.prediction import Question
from halocline.tables import Tabular


@dataclass(frozen=True)
class Statement:
    """One statement of a study, and what the model says to it."""

    study: str
    text: str
    found: str
    predicted: str
    agrees: bool
    why: str = ""

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table."""
        return {**asdict(self), "agrees": "yes" if self.agrees else "no"}


@dataclass
class Replay(Tabular):
    """All of them."""

    statements: list[Statement]

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each."""
        return [one.row() for one in self.statements]


class _Asked:
    """Steps of cases on a study's machine."""

    def __init__(self, programs: Path | None) -> None:
        self.programs = programs

    def step(self, machine: str, scheme: str, ranks: int, pattern: Any, **more: Any) -> float:
        return float(self.said(machine, scheme, ranks, pattern=pattern, **more)["step_s"])

    def said(self, machine: str, scheme: str, ranks: int, **more: Any) -> dict[str, Any]:
        case = {"scheme": scheme, "ranks": ranks, "steps": 40, "warm_up": 15, **more}
        return simulation.simulated(machines.load(machine), case, self.programs)


PARTDIFF = {"kind": "grid", "cells": [4103, 4103], "corners": False}
JACOBI = {
    "compute": {"program": "partdiff"}, "ranks_per_node": 48,
    "noise_every_s": 1e-2, "noise_s": 1e-4, "steps": 200,
}  # fmt: skip
"""With noise of 1 %, assumed: the study's traces show steps that take longer, here and there."""


def _rows(ranks: int) -> dict[str, Any]:
    return {**PARTDIFF, "dims": [ranks, 1]}


def _fence_falls_behind(asked: _Asked) -> Statement:
    def ratio(ranks: int, **more: Any) -> float:
        one, other = (
            asked.step("wr-cluster", s, ranks, _rows(ranks), **JACOBI, **more)
            for s in ("rma:put:fence", "rma:put:pscw")
        )
        return one / other

    few, many = ratio(4), ratio(192)
    return Statement(
        "Schroeter 5.2", "fence falls behind PSCW as nodes are added (Jacobi, iterations)",
        "grows", f"fence/PSCW {few:.2f} on 4 ranks, {many:.2f} on 192", many > few + 0.01,
        "a fence waits for the latest of all ranks, PSCW for that of two neighbours: of 192 one is "
        "late in nearly every step",
    )  # fmt: skip


def _fence_catches_up(asked: _Asked) -> Statement:
    def ratio(reduction: str) -> float:
        one, other = (
            asked.step("wr-cluster", s, 192, _rows(192), reduction=reduction,
                       **JACOBI)
            for s in ("rma:put:fence", "rma:put:pscw")
        )  # fmt: skip
        return one / other

    without, with_sum = ratio("none"), ratio("allreduce")
    return Statement(
        "Schroeter 5.2", "with an allreduce after every step fence catches up", "falls",
        f"fence/PSCW {without:.2f} without, {with_sum:.2f} with, on 192 ranks",
        with_sum < without,
        "whoever must know the sum waits for all ranks with either",
    )  # fmt: skip


def _last_rank(asked: _Asked) -> Statement:
    """Each of the last rank's partners takes a lock, a put and an unlock of its own."""
    cost: dict[str, float] = {}
    for kind in ("last", "chain"):
        cost[kind] = asked.step(
            "wr-cluster", "rma:put:pscw", 192, _rows(192), reduction=kind, **JACOBI
        )
    return Statement(
        "Schroeter 5.3.1", "residua sent to the last rank cost, the chain repairs it",
        "206 s against 167 s (p2p), 16 ranks",
        f"{1e6 * cost['last']:.0f} us a step against {1e6 * cost['chain']:.0f}, 192 ranks",
        cost["last"] > 1.02 * cost["chain"],
        "on 16 ranks the model sees less than the study: why its one-sided residua cost so much "
        "there, the text does not say",
    )  # fmt: skip


def _shared_on_one_node(asked: _Asked) -> Statement:
    pattern = {"kind": "grid", "cells": [8383, 8383], "corners": False, "dims": [72, 1]}

    def both(per_node: int) -> tuple[float, float]:
        shared, messages = (
            asked.step("mistral", s, 72, pattern, compute={"program": "partdiff"},
                       ranks_per_node=per_node)
            for s in ("shm:signal", "p2p:nonblocking")
        )  # fmt: skip
        return shared, messages

    one, two = both(72), both(36)
    agrees = one[0] < one[1] and two[0] > two[1]
    return Statement(
        "Schroeter 6.3.3", "72 ranks: shared memory wins on one node, loses on two",
        "29.1/31.6 s, 29.6/21.7 s",
        f"shared/p2p {one[0] / one[1]:.3f} on one node, {two[0] / two[1]:.3f} on two", agrees,
        "the first half only: here the links between nodes are p2p in both, so shared memory "
        "cannot lose; and two hardware threads on a core, which made one node slow, are not in "
        "the model",
    )  # fmt: skip


def _sync_26(asked: _Asked) -> Statement:
    def ratio(ranks: int) -> float:
        side = round(ranks ** (1 / 3)) or 1
        dims = {32: [4, 4, 2], 2048: [16, 16, 8]}.get(ranks, [side] * 3)
        pattern = {"kind": "grid", "cells": dims, "dims": dims, "periodic": [0, 1, 2]}
        one, other = (
            asked.step("supermuc2", s, ranks, pattern, ranks_per_node=28)
            for s in ("rma:put:fence", "p2p:nonblocking")
        )
        return one / other

    few, many = ratio(32), ratio(2048)
    return Statement(
        "Schmelz 4.2", "26 neighbours: messages win, and fence is almost up to them on 2048 ranks",
        "fence slower; converging", f"fence/p2p {few:.2f} on 32 ranks, {many:.2f} on 2048",
        few > 1 and many < few,
        "a fence is a tree here: its share grows with the ranks, while messages to 26 neighbours "
        "take as long on any number. What made messages slower on 2048 (contention, polling of "
        "many sources) is not in the model",
    )  # fmt: skip


def _no_overlap(asked: _Asked) -> Statement:
    # 100,000 doubles from one rank to another, 200 million additions.
    pattern, work = [[0, 28, 800000]], 0.1

    def step(compute: float, overlapped: float) -> float:
        return asked.step("supermuc2", "rma:put:fence", 56, pattern, ranks_per_node=28,
                          compute=compute, overlapped=overlapped)  # fmt: skip

    both, apart = step(work, 1.0), step(work, 0.0)
    alone = step(0.0, 0.0)
    hidden = (alone + work - both) / alone
    return Statement(
        "Schmelz 4.4", "nothing of a put is hidden behind computing (fence)", "0 %",
        f"{100 * hidden:.0f} % ({1e3 * both:.2f} ms, {1e3 * apart:.2f} one after the other)",
        hidden < 0.1,
        "said by the file: puts need their target inside MPI",
    )  # fmt: skip


def _slow_core(asked: _Asked) -> Statement:
    pattern = {"kind": "grid", "cells": [400, 400, 400], "corners": False}
    more = {"ranks_per_node": 32, "compute": {"program": "laplace"}}
    calm = asked.step("hector", "p2p:nonblocking", 512, pattern, **more)
    slow = asked.step("hector", "p2p:nonblocking", 512, pattern, slow_rank=100, slow_factor=2.0,
                      warm_up=30, **more)  # fmt: skip
    return Statement(
        "Bethune 6.1", "one core at half its speed makes the whole synchronous run twice as long",
        "about 2 times", f"{slow / calm:.2f} times on 512 ranks", 1.7 < slow / calm < 2.2,
        "a delay travels one neighbour a step, so that soon all wait for the slow one; its "
        "messages take no longer than theirs",
    )  # fmt: skip


def _weak_scaling(asked: _Asked) -> Statement:
    def step(ranks: int, dims: list[int]) -> float:
        pattern = {"kind": "grid", "cells": [50 * d for d in dims], "corners": False, "dims": dims}
        return asked.step("hector", "p2p:nonblocking", ranks, pattern, ranks_per_node=32,
                          compute={"program": "laplace"})  # fmt: skip

    one, many = step(32, [4, 4, 2]), step(32768, [32, 32, 32])
    found = (405.2 / 112000) / (28.4 / 9100)
    return Statement(
        "Bethune table 1", "a synchronous iteration takes longer on 32768 ranks than on 32",
        f"{found:.2f} times ({1e3 * 28.4 / 9100:.2f} to {1e3 * 405.2 / 112000:.2f} ms)",
        f"{many / one:.2f} times ({1e3 * one:.2f} to {1e3 * many:.2f} ms)",
        abs(many / one / found - 1) < 0.1,
        "neighbours that lie far apart in the torus, and noise, are not in the file",
    )  # fmt: skip


def _shmem_faster(asked: _Asked) -> Statement:
    pattern = {"kind": "grid", "cells": [400, 400, 400], "corners": False}
    more = {"ranks_per_node": 32, "compute": {"program": "laplace"}}
    one, other = (
        asked.step("hector", scheme, 512, pattern, **more) for scheme in ("shmem", "p2p:persistent")
    )
    return Statement(
        "Bethune tables 1, 2", "SHMEM is faster than MPI in step on 512 ranks",
        f"{130.1 / 132.1:.3f} of its time", f"{one / other:.3f} of its time", one < other,
        "from assumed overheads of SHMEM",
    )  # fmt: skip


def _period(asked: _Asked) -> Statement:
    pattern = {"kind": "grid", "cells": [400, 400, 400], "corners": False}
    more = {"ranks_per_node": 32}
    each = asked.step("hector", "p2p:nonblocking", 512, pattern,
                      compute={"program": "laplace"}, **more)  # fmt: skip
    compute = 125000 * 2.35e-8
    # 32 sweeps and one exchange
    rare = (each - compute) / 32 + compute
    return Statement(
        "Bethune 6.3", "an exchange every 32 sweeps makes iterations 33 % more frequent", "1.33",
        f"{each / rare:.2f}", abs(each / rare / 1.33 - 1) < 0.1,
        "the study's exchanges take a quarter of the time on 512 ranks; with a usual latency and "
        "no distance in the torus they take less here",
    )  # fmt: skip


def _node_links(asked: _Asked) -> Statement:
    pattern = {"kind": "grid", "cells": [6000, 8080], "corners": False}

    def step(placement: str) -> float:
        return asked.step("mistral", "p2p:nonblocking", 48, pattern, ranks_per_node=12,
                          placement=placement)  # fmt: skip

    one, other = step("sequential"), step("placed")
    return Statement(
        "HLRS course", "a grid with 14 links between nodes is better than one with 26",
        "better", f"{other / one:.2f} of the exchange's time", other < one,
        "by what the ranks of a node share on its way out; links inside the network are not in it",
    )  # fmt: skip


def _gauss_seidel(ranks: int, programs: Path | None) -> dict[str, Any]:
    """Partdiff's pipeline of 4103 lines: the same step as predictions of it have."""
    asked = ("1", "1", "512", "1", "2", "100", "--halo-depth", "1")
    case = Question("partdiff", asked).case("", ranks, programs)
    rate = json.dumps(case["program"]).replace('"gauss-seidel"', '"partdiff"')
    return {
        "patterns": case["patterns"], "program": json.loads(rate), "ranks_per_node": 48,
    }  # fmt: skip


def _extra_sweeps(asked: _Asked) -> Statement:
    def sweeps(ranks: int) -> float:
        case = _gauss_seidel(ranks, asked.programs)
        said = asked.said("wr-cluster", "rma:put:pscw", ranks, **case)
        return float(said["spread_s"] / said["step_s"])

    few, many = sweeps(4), sweeps(96)
    return Statement(
        "Schroeter 5.2", "pipelined sweeps go on past the precision: more so on more ranks",
        "5 sweeps on 4 ranks, 162 on 96 (32 times)",
        f"the first rank is {few:.1f} sweeps ahead of the last on 4, {many:.0f} on 96 "
        f"({many / few:.0f} times)",
        24 < many / few < 40,
        "a rank is one sweep behind the one before it; that the study has 1.7 sweeps a rank, on "
        "many ranks, the model does not explain",
    )  # fmt: skip


def _gauss_seidel_alike(asked: _Asked) -> Statement:
    case = _gauss_seidel(96, asked.programs)
    steps = [
        float(asked.said("wr-cluster", f"rma:put:{how}", 96, **case)["step_s"])
        for how in ("fence", "pscw", "lock")
    ]
    most = max(steps) / min(steps)
    return Statement(
        "Schroeter 5.2", "Gauss-Seidel takes almost as long through fence, PSCW and locks",
        "almost equal", f"within {100 * (most - 1):.0f} % on 96 ranks", most < 1.1,
        "pairs of neighbours synchronise by themselves",
    )  # fmt: skip


DIRECTIONS = [
    (x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)
]


def _torus_links(side: int, direction: tuple[int, int, int], size: int) -> list[list[int]]:
    def rank(x: int, y: int, z: int) -> int:
        return (x % side * side + y % side) * side + z % side

    dx, dy, dz = direction
    return [
        [rank(x, y, z), rank(x + dx, y + dy, z + dz), size]
        for x in range(side) for y in range(side) for z in range(side)
    ]  # fmt: skip


def _many_windows(asked: _Asked) -> Statement:
    """With a window for each direction every one of them is fenced by itself."""
    side, size = 3, 600
    one = asked.said(
        "supermuc2", "rma:put:fence", side**3, ranks_per_node=28,
        pattern=[link for way in DIRECTIONS for link in _torus_links(side, way, size)],
    )  # fmt: skip
    names = [f"{number:02}" for number in range(len(DIRECTIONS))]
    apart = asked.said(
        "supermuc2", "rma:put:fence", side**3, ranks_per_node=28,
        patterns={
            name: {"kind": "links", "links": _torus_links(side, way, size)}
            for name, way in zip(names, DIRECTIONS)
        },
        program=[*({"start": name} for name in names), *({"finish": name} for name in names)],
    )  # fmt: skip
    times = float(apart["step_s"] / one["step_s"])
    return Statement(
        "Schmelz 5.5", "26 windows are 20 to 30 times as slow as one (sparse, fence)",
        "20 to 30 times", f"{times:.1f} times on {side**3} ranks", 20 <= times <= 30,
        "26 fences in place of one, each a tree of empty messages; puts and packing, which take as "
        "long either way, bring the ratio down. What else one window saved, the text does not say",
    )  # fmt: skip


def _half_shell(asked: _Asked) -> Statement:
    """Half the shell computes a tenth less and synchronises a second time."""
    cells, work = [16, 32, 32], 8000 * 4e-7

    def ratio(ranks: int) -> float:
        grid = {"kind": "grid", "cells": cells, "periodic": [0, 1, 2], "element_bytes": 12.0}
        some = {**grid, "element_bytes": 6.0}  # either way
        full, half = work / ranks, work / ranks / 1.1
        one = asked.said(
            "supermuc2", "rma:put:fence", ranks, ranks_per_node=28, pattern=grid, compute=full
        )
        other = asked.said(
            "supermuc2", "rma:put:fence", ranks, ranks_per_node=28,
            patterns={"positions": some, "forces": {**some, "exchange": "reversed"}},
            program=[{"exchange": "positions"}, {"compute": half}, {"exchange": "forces"}],
        )  # fmt: skip
        return float(other["step_s"] / one["step_s"])

    counts = (1, 2, 4, 8, 16, 32, 64, 128, 256)
    ratios = {n: ratio(n) for n in counts if n > 1}
    crossing = next((n for n, one in ratios.items() if one > 1), 0)
    return Statement(
        "Schmelz 5.4", "sparse: half the shell is faster on few ranks, the full one from 32 on",
        "10 % faster below, crossing at 32",
        f"half/full {ratios[2]:.2f} on 2 ranks; above 1 from {crossing} on" if crossing
        else f"half/full {ratios[2]:.2f} on 2 ranks, never above 1",
        16 <= crossing <= 64,
        "the text gives no time of a step: 0.4 us a particle are assumed, and where the lines "
        "cross depends on it",
    )  # fmt: skip


def _in_between(asked: _Asked) -> Statement:
    found = {512: 132.1 / 37500, 8192: 247.1 / 68500}
    dims = {512: [8, 8, 8], 8192: [32, 16, 16]}
    steps = {}
    for ranks, cut in dims.items():
        pattern = {"kind": "grid", "cells": [50 * d for d in cut], "corners": False, "dims": cut}
        steps[ranks] = asked.step("hector", "p2p:nonblocking", ranks, pattern, ranks_per_node=32,
                                  compute={"program": "laplace"})  # fmt: skip
    return Statement(
        "Bethune table 1", "a synchronous iteration on 512 and 8912 ranks (8192 here)",
        ", ".join(f"{1e3 * one:.2f}" for one in found.values()) + " ms",
        ", ".join(f"{1e3 * one:.2f}" for one in steps.values()) + " ms",
        all(abs(steps[n] / found[n] - 1) < 0.1 for n in found),
        "computing from the table's first row, that of 32 ranks",
    )  # fmt: skip


def _asynchronous(asked: _Asked) -> Statement:
    pattern = {"kind": "grid", "cells": [400, 400, 400], "corners": False, "dims": [8, 8, 8]}
    more = {"ranks_per_node": 32, "compute": {"program": "laplace"}}
    in_step = asked.step("hector", "p2p:nonblocking", 512, pattern, **more)
    free = asked.step(
        "hector", "p2p:nonblocking", 512, {**pattern, "exchange": "asynchronous"}, **more
    )
    found = (146.9 / 44776) / (132.1 / 37500)
    return Statement(
        "Bethune table 1", "asynchronous iterations are shorter than those in step (512 ranks)",
        f"{found:.2f} of the time", f"{free / in_step:.2f} of the time",
        abs(free / in_step / found - 1) < 0.05,
        "how many more of them are needed, the model does not say",
    )  # fmt: skip


STATEMENTS: tuple[Callable[[_Asked], Statement], ...] = (
    _fence_falls_behind, _fence_catches_up, _last_rank, _extra_sweeps, _gauss_seidel_alike,
    _shared_on_one_node, _sync_26, _no_overlap, _many_windows, _half_shell, _slow_core,
    _weak_scaling, _in_between, _asynchronous, _shmem_faster, _period, _node_links,
)  # fmt: skip


def replay(programs: Path | None = None) -> Replay:
    """Ask the model about every statement."""
    asked = _Asked(programs)
    return Replay([statement(asked) for statement in STATEMENTS])
