"""What a prediction needs and nobody has given: taken from this machine or assumed, and said."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from halocline.launch import Checker
from halocline.launch import machine as this_machine
from halocline.model import computing, here, networks
from halocline.model.here import Say
from halocline.model.machines import Machine
from halocline.model.networks import Network
from halocline.model.prediction import Question


def completed(
    question: Question,
    ranks: Sequence[int],
    named: Machine | None = None,
    between: Network | None = None,
    programs: Path | None = None,
    say: Say = lambda text: None,
) -> tuple[Question, Machine, list[str]]:
    """Return a question, a machine that can be asked it, and what both assume.

    Ranks beyond the cores of a node lie on several. Between nodes there is a network that a machine
    file need not know, and of computing what it lacks is as on this machine.

    Parameters
    ----------
    named
        The machine; None: this one, which is measured when it is first needed.
    between
        The network between its nodes; None: the machine's own, or else the usual one.
    say
        Told which machine it is and what is assumed, first.

    Raises
    ------
    HaloclineError
        When this machine is needed and cannot be measured.
    """

    @functools.cache
    def place() -> here.Place:
        return here.place_of(Checker(programs))

    assumed: list[str] = []
    cores = question.ranks_per_node
    if cores is None:
        known = named.cores_per_node if named else place().cores
        cores = known or this_machine.usable_cores()
        if max(ranks) > cores:
            whose = "its cores" if known else "cores here"
            assumed.append(f"{cores} ranks a node, as many as {whose} (--ranks-per-node)")
    if max(ranks) > cores:
        question = replace(question, ranks_per_node=cores)
        if between is None and not (named and "network" in named.levels()):
            card = None if named else networks.of_this_node()
            between = networks.load(card or networks.USUAL)
            why = ", of which this one has a card" if card else ""
            assumed.append(f"{between.name} between nodes{why} (--network)")

    rates = question.rates(ranks[0], programs)
    if named is None:
        found = here.here(place(), rates, programs, say, _said(assumed))
    else:
        lacking = rates & computing.MEASURED - set(named.content.get("compute", {}))
        if lacking:
            assumed.append("computing as on this machine (--compute)")
        if assumed:
            say(named.name + _said(assumed))
        found = named.changed()
        if lacking:
            own = here.here(place(), lacking, programs, say).content.get("compute", {})
            computed = {rate: own[rate] for rate in sorted(lacking) if rate in own}
            found.content.setdefault("compute", {}).update(computed)
    return question, between.between(found) if between else found, assumed


def _said(assumed: Sequence[str]) -> str:
    return f"; assumed: {', '.join(assumed)}" if assumed else ""
