"""How long a step takes on machines that are not here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from halocline import measure, model
from halocline.launch import Checker, counts, words
from halocline.model import Prediction, Question, WhatIf, machines, networks

EXAMPLES = {
    "laplace": ("--per-rank", "64,64,64"),
    "partdiff": ("1", "2", "512", "1", "2", "100"),
    "md": ("--scenario", "melt", "--size", "8"),
    "matmul": ("--shape", "1024,1024,1024"),
}
"""The problem of who names none."""


def predict(
    program: str,
    arguments: str | Sequence[str] = (),
    *,
    ranks: int | Sequence[int] | str | None = None,
    machine: str | Path | None = None,
    schemes: str | Sequence[str] = "all",
    ranks_per_node: int | None = None,
    ranks_per_socket: int | None = None,
    placement: str = "sequential",
    compute_s: float | None = None,
    reduction: str | None = None,
    steps: int = 30,
    network: str | Path | None = None,
    what_if: WhatIf | None = None,
    programs: Path | str | None = None,
    say: Callable[[str], None] = print,
) -> Prediction:
    """Predict the time of a step through every scheme, on ranks that need not be here.

    Parameters
    ----------
    program
        `laplace`, `partdiff`, `heat`, `matmul`, `md`, `spmv`, `replicate`, `halo` (an exchange
        alone), or `goal` (a trace of another code, whose file is the argument).
    arguments
        The program's own, which say how large its problem is, as typed into a shell or as a list;
        without any, those of an example.
    ranks
        A number of ranks or several; None: 2, or those of a trace.
    machine
        A machine file, or the name of one of `halocline model machines`; None: this machine, which
        is measured when it is first needed. What a file lacks of computing is as on this machine.
    schemes
        Names or globs, a list or separated by commas. `all`, of this machine: those that it has and
        that its doctor has not found broken.
    ranks_per_node, ranks_per_socket
        As many as a node has cores, and all of a node on one socket, by default.
    placement
        `sequential`, or `placed`: so that least crosses nodes.
    compute_s
        Seconds of computing for each point, instead of the machine file's.
    reduction
        `none`, `allreduce`, `chain` or `last`, after every step.
    steps
        Steps to simulate.
    network
        Between nodes: one of `halocline model networks`, or a network's file; None: the machine
        file's; where it has none, that of this node's card, or InfiniBand HDR.
    what_if
        What is changed in the machine.
    programs
        Folder of the programs; None to look for them.
    say
        Called with what is assumed, first, and with what is measured of this machine.

    Raises
    ------
    HaloclineError
        When the program or its arguments, the machine or the network are not known.

    Examples
    --------
    >>> import halocline
    >>> found = halocline.predict("halo", "32,32,32", ranks=[2, 32], machine="wr-cluster")
    >>> sorted({row["ranks"] for row in found.table()})
    [2, 32]
    """
    question = Question(
        program, tuple(words(arguments) or EXAMPLES.get(program, ())), ranks_per_node,
        ranks_per_socket, placement, compute_s, reduction, steps, what_if or WhatIf(),
    )  # fmt: skip
    numbers = counts(question.usual_ranks() if ranks is None else ranks)
    folder = None if programs is None else Path(programs)
    question.case("p2p:nonblocking", numbers[0], folder)  # what it refuses needs no machine
    known = machines.load(machine) if machine else None
    between = networks.load(network) if network else None
    named = schemes if isinstance(schemes, str) else ",".join(schemes)
    asked = model.prediction.schemes_of(named, folder)
    # What is named is predicted, whoever has it.
    absent = {} if machine or named != "all" else _absent(asked, folder)
    question, whole, assumed = model.completing.completed(
        question, numbers, known, between, folder, say
    )
    found = model.predict(
        question, whole, numbers, [name for name in asked if name not in absent], folder, assumed
    )
    return replace(found, refused={**found.refused, **absent}) if absent else found


def _absent(schemes: Sequence[str], programs: Path | None) -> dict[str, str]:
    """Return the schemes that this machine does not have, or that its doctor has found broken."""
    checker = Checker(programs)
    missing = {one.name: one.reason for one in checker.schemes(missing=True) if not one.available}
    broken = {
        name: f"the doctor found it {verdict.why}"
        for name, verdict in measure.soundness.Memory().verdicts(checker).items()
        if not verdict.sound
    }
    return {name: why for name, why in {**broken, **missing}.items() if name in schemes}
