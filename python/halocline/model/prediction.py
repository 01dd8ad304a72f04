"""How long a step takes through each scheme on a machine, and which is fastest."""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.launch import ask, find_program, has, words
from halocline.model import goal, simulation
from halocline.model.machines import Machine
from halocline.statistics import Interval
from halocline.tables import Tabular, flat

TIE = 0.02
"""Schemes whose predictions differ by less are ties, however narrow the intervals are."""


@dataclass(frozen=True)
class WhatIf:
    """What is changed in a machine before it is asked."""

    latency: float = 1.0
    """Factor of everything between nodes that does not grow with the bytes."""
    bandwidth: float = 1.0
    """Factor of the rate of bytes between nodes."""
    imbalance: float = 0.0
    """Standard deviation of the ranks' speeds, as a share."""
    slow_rank: int = -1
    slow_factor: float = 1.0
    noise_every_s: float = 0.0
    noise_s: float = 0.0
    """Interruptions of computing so long, at random, on average so far apart."""
    noise_samples: tuple[float, ...] = ()
    """Measured: factors of a step's computing, drawn with replacement."""

    def applied(self, machine: Machine) -> Machine:
        """Return the machine with other latency and bandwidth between nodes."""
        changed = machine.changed()
        network = changed.content.get("levels", {}).get("network", {})
        for name, curve in network.get("costs", {}).items():
            if isinstance(curve, (int, float)):
                network["costs"][name] = curve * self.latency
            else:
                first = curve[0][1]
                network["costs"][name] = [
                    [size, first * self.latency + (s - first) / self.bandwidth] for size, s in curve
                ]
        if "injection_bytes_per_s" in network:
            network["injection_bytes_per_s"] *= self.bandwidth
        return changed

    def of_case(self) -> dict[str, Any]:
        """Return what a case says of it."""
        return {
            "imbalance": self.imbalance, "slow_rank": self.slow_rank,
            "slow_factor": self.slow_factor, "noise_every_s": self.noise_every_s,
            "noise_s": self.noise_s, "noise_samples": list(self.noise_samples),
        }  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A program and its arguments, on some ranks."""

    program: str
    arguments: tuple[str, ...] = ()
    ranks_per_node: int | None = None
    ranks_per_socket: int | None = None
    placement: str = "sequential"
    compute_s_per_point: float | None = None
    """None: what the machine file says of the program."""
    reduction: str | None = None
    """None: the program's own."""
    steps: int = 30
    what_if: WhatIf = field(default_factory=WhatIf)

    def case(
        self,
        scheme: str,
        ranks: int,
        programs: Path | None = None,
        in_place: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Return what `halosim` is asked.

        Parameters
        ----------
        in_place
            Schemes whose halos are read in place, `scheme` among them if its are. By default
            `halosim` is asked that, too.

        Raises
        ------
        HaloclineError
            When the program is not one that is known here, or its arguments are not.
        """
        if self.program == HALO:
            made = _halo(self.arguments)
        elif self.program == GOAL:
            made = self._traced(ranks)
        elif self.program in DESCRIBED:
            made = _case_of(self._step(scheme, ranks, programs, in_place))
        else:
            known = ", ".join((*DESCRIBED, HALO, GOAL))
            raise HaloclineError(f"the model knows the programs {known}")
        if self.compute_s_per_point is not None:
            made = _at_rate(made, self.compute_s_per_point)
        if self.reduction is not None:
            if "program" in made:
                made["program"] = _reduced(made["program"], self.reduction, made["iterations"])
            else:
                made["reduction"] = self.reduction
        per_node = min(self.ranks_per_node or ranks, ranks)
        return {
            "scheme": scheme, "ranks": ranks, "ranks_per_node": per_node,
            "ranks_per_socket": min(self.ranks_per_socket or per_node, per_node),
            "placement": self.placement, "steps": self.steps, "warm_up": min(10, self.steps // 2),
            **self.what_if.of_case(), **made,
        }  # fmt: skip

    def usual_ranks(self) -> int:
        """Return how many ranks are asked about when nobody says: a trace's own, or 2."""
        return self._schedule().ranks if self.program == GOAL else 2

    def _schedule(self) -> goal.Schedule:
        if len(self.arguments) != 1:
            raise HaloclineError("goal: give one file, a schedule in GOAL's text format")
        return goal.load(self.arguments[0])

    def _traced(self, ranks: int) -> dict[str, Any]:
        schedule = self._schedule()
        if schedule.ranks != ranks:
            raise HaloclineError(
                f"goal: {self.arguments[0]} is of {schedule.ranks} ranks, not {ranks}; "
                "leave --ranks out"
            )
        return schedule.case()

    def rates(self, ranks: int, programs: Path | None = None) -> set[str]:
        """Return the names of the computing that the machine file must know seconds a point of."""
        return _rates(self.case("p2p:nonblocking", ranks, programs))

    def _step(
        self, scheme: str, ranks: int, programs: Path | None, in_place: Sequence[str] | None
    ) -> dict[str, Any]:
        """Return a step as the program describes it, from the code that runs it."""
        program = find_program(self.program, programs)
        said = _described(program, self.arguments, ranks)
        if said["depends_on_scheme"]:
            if in_place is None:
                in_place = simulation.in_place([scheme], programs)
            if scheme in in_place:
                # Whichever of them is asked for: the step is the same.
                said = _described(program, (*self.arguments, "--scheme", in_place[0]), ranks)
        return said


def _at_rate(part: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Return a part of a step, or a case, that computes so long for each point."""
    changed = dict(part)
    for inner in ("program", "do"):
        if inner in part:
            changed[inner] = [_at_rate(one, seconds) for one in part[inner]]
    if isinstance(part.get("compute"), dict):
        changed["compute"] = {**part["compute"], "seconds_per_point": seconds}
    return changed


def _rates(part: dict[str, Any]) -> set[str]:
    """Return the rates of computing that a part of a step, or a case, takes from a machine file."""
    inner = [*part.get("program", ()), *part.get("do", ())]
    found = set().union(*(_rates(one) for one in inner))
    how = part.get("compute")
    if isinstance(how, dict) and "seconds_per_point" not in how:
        found.add(how["program"])
    return found


def _reduced(parts: list[dict[str, Any]], kind: str, times: int) -> list[dict[str, Any]]:
    """Return a step with another reduction after every iteration."""

    def without(some: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {**one, "do": without(one["do"])} if "do" in one else one
            for one in some
            if "reduce" not in one
        ]

    more = [] if kind == "none" else [{"times": times, "do": [{"reduce": kind}]}]
    return [*without(parts), *more]


HALO = "halo"
"""An exchange by itself."""
GOAL = "goal"
"""A trace of a real code."""
DESCRIBED = ("laplace", "partdiff", "heat", "matmul", "md", "spmv", "replicate")
"""Programs that say themselves what a step of theirs does (`--describe-step`)."""


def _described(program: Path, arguments: tuple[str, ...], ranks: int) -> dict[str, Any]:
    said = _asked(program, arguments, ranks)
    if isinstance(said, HaloclineError):
        raise said
    return said


@functools.lru_cache(maxsize=256)
def _asked(
    program: Path, arguments: tuple[str, ...], ranks: int
) -> dict[str, Any] | HaloclineError:
    """Return what a program says of its step, or why not: it is not asked again, either."""
    fits = has("patterns", "parts", "iterations", "depends_on_scheme")
    try:
        return dict(ask(program, [*arguments, "--describe-step", "--ranks", str(ranks)], fits))
    except HaloclineError as refusal:
        return refusal


def _case_of(said: dict[str, Any]) -> dict[str, Any]:
    """Return what a simulation is told of a step."""
    made = {
        "patterns": said["patterns"], "program": said["parts"], "iterations": said["iterations"],
    }  # fmt: skip
    if _exchanges(said["parts"]) > LONG:
        # A long step is like many short ones: few of them say as much.
        made |= {"steps": 4, "warm_up": 1}
    return made


LONG = 10
"""Exchanges of a step."""


def _exchanges(parts: list[dict[str, Any]]) -> int:
    return sum(
        part.get("times", 1) * _exchanges(part["do"])
        if "do" in part
        else "exchange" in part or "start" in part
        for part in parts
    )


def _sizes(text: str, axes: Sequence[int], option: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.replace("x", ",").split(",")]
    except ValueError:
        sizes = []
    if len(sizes) not in axes or min(sizes, default=0) < 1:
        raise HaloclineError(f"{option} {text}: give sizes such as 64,64,64")
    return sizes


def _halo(arguments: tuple[str, ...]) -> dict[str, Any]:
    """Give the halo of a grid, open, with edges and corners: extents of a rank as of halometer."""
    if len(arguments) != 1:
        raise HaloclineError("halo: give the cells of a rank, such as 32x32x32")
    extent = _sizes(arguments[0], (2, 3), "halo")
    return {"pattern": {"kind": "grid", "each": extent}, "compute": 0.0}


@dataclass(frozen=True)
class Estimate:
    """What one scheme takes on so many ranks."""

    ranks: int
    scheme: str
    step: Interval
    """Seconds of a step; the interval holds 90 % of what was measured beside the fit."""
    waits_for: str
    """The kind of operation for which the average rank waits longest."""
    waited_s: float
    communicated_s: float
    """Seconds of a step that are not computing, in the average rank."""
    memory_bytes: int
    """Bytes of message buffers and windows, on the rank with most."""
    tied: bool = False
    """Not told apart from the fastest."""

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table."""
        return flat({
            "ranks": self.ranks, "scheme": self.scheme,
            "step_s": {"value": self.step.value, "low": self.step.low, "high": self.step.high},
            "waits_for": self.waits_for, "waited_s": self.waited_s,
            "communicated_s": self.communicated_s, "memory_bytes": self.memory_bytes,
            "tied": self.tied,
        })  # fmt: skip


@dataclass
class Prediction(Tabular):
    """Estimates by number of ranks, fastest first."""

    question: Question
    machine: Machine
    estimates: list[Estimate]
    refused: dict[str, str] = field(default_factory=dict)
    """Schemes that cannot be, with the reason."""
    assumed: Sequence[str] = ()
    """What nobody gave: `completing`."""

    def ranks(self) -> list[int]:
        """Return the numbers of ranks, ascending."""
        return sorted({one.ranks for one in self.estimates})

    def at(self, ranks: int) -> list[Estimate]:
        """Return the estimates for so many ranks, fastest first."""
        return [one for one in self.estimates if one.ranks == ranks]

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each scheme and number of ranks."""
        return [one.row() for one in self.estimates]

    def crossovers(self) -> list[str]:
        """Say where the fastest changes as ranks grow; ties change nothing."""
        said, before = [], None
        for ranks in self.ranks():
            rows = self.at(ranks)
            names = {one.scheme for one in rows if one.tied}
            if before is not None and before not in names:
                said.append(f"from {ranks} ranks on {rows[0].scheme} instead of {before}")
            if before is None or before not in names:
                before = rows[0].scheme
        return said


def schemes_of(text: str, programs: Path | None = None) -> list[str]:
    """Return the schemes that names or globs stand for; `all` are all methods."""
    known = simulation.methods(programs)
    if text == "all":
        return known
    found: list[str] = []
    for word in words(text.replace(",", " ")):
        matching = fnmatch.filter(known, word) if any(c in word for c in "*?") else [word]
        if not matching:
            raise HaloclineError(f"--schemes {word}: there are {', '.join(known)}")
        found += matching
    return list(dict.fromkeys(found))


def predict(
    question: Question,
    machine: Machine,
    ranks: Sequence[int],
    schemes: Sequence[str],
    programs: Path | None = None,
    assumed: Sequence[str] = (),
) -> Prediction:
    """Simulate every scheme on every number of ranks.

    Raises
    ------
    HaloclineError
        When no scheme can be predicted, or ranks span nodes and the file knows no network.
    """
    per_node = question.ranks_per_node
    if per_node and max(ranks) > per_node and "network" not in machine.levels():
        raise HaloclineError(
            f"--machine {machine.name}: has no costs between nodes; name the --network, or add "
            "levels/network"
        )
    changed = question.what_if.applied(machine)
    in_place = simulation.in_place(schemes, programs)
    cases, refused = [], {}
    for n in sorted(ranks):
        for scheme in schemes:
            try:
                cases.append((scheme, n, question.case(scheme, n, programs, in_place)))
            except HaloclineError as why:
                refused[scheme] = str(why)
    outcomes = simulation.simulate(changed, [case for *_, case in cases], programs)
    low, high = machine.spread
    estimates = []
    for (scheme, n, _), outcome in zip(cases, outcomes):
        if "error" in outcome:
            refused[scheme] = outcome["error"]
            continue
        waits = outcome["wait_s"]
        longest = max(waits, key=waits.get) if waits else ""
        busy = sum(s for verb, s in outcome["busy_s"].items() if verb != "compute")
        step = outcome["step_s"]
        estimates.append(
            Estimate(
                n, scheme, Interval(step, step * low, step * high, 0.9), longest,
                sum(waits.values()), busy + sum(waits.values()),
                outcome["buffer_bytes"] + outcome["window_bytes"],
            )
        )  # fmt: skip
    if not estimates:
        raise HaloclineError(next(iter(refused.values()), "nothing to predict"))
    return Prediction(question, machine, _ranked(estimates, low, high), refused, assumed)


def _ranked(estimates: Sequence[Estimate], low: float, high: float) -> list[Estimate]:
    """Sort by ranks and time. Ties: errors of one machine file are shared, so half the spread."""
    width = max(TIE, (high - low) / 2 if high > low else 0.0)
    found: list[Estimate] = []
    for ranks in sorted({one.ranks for one in estimates}):
        rows = sorted((e for e in estimates if e.ranks == ranks), key=lambda e: e.step.value)
        best = rows[0]
        for row in rows:
            # What is computed is the same for all: errors are of what is communicated.
            error = width * max(row.communicated_s, best.communicated_s)
            near = row.step.value - best.step.value <= max(error, TIE * best.step.value)
            found.append(Estimate(**{**row.__dict__, "tied": near}))
    return found
