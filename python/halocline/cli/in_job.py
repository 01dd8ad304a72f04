"""Commands that start ranks: where these go, and the end of the job in which they are started."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Optional

import typer

from halocline.cli import terminal
from halocline.launch import batch, layout, process
from halocline.text import shown

NODES = typer.Option(
    None, "--nodes", min=1, help="In a job: nodes to use; by default as few as hold the ranks."
)
PER_NODE = typer.Option(
    None, "--ranks-per-node", min=1, help="In a job: ranks on each node; by default equally many."
)
OPTIONS = {"nodes": NODES, "ranks_per_node": PER_NODE}


def starts_ranks(command: Callable[..., None], *, ends: bool = True) -> Callable[..., None]:
    """Return a command with the options that say where its ranks go.

    Parameters
    ----------
    ends
        Whether it ends before its job does, with what it has.
    """

    @functools.wraps(command)
    def within(*words: Any, nodes: int | None, ranks_per_node: int | None, **named: Any) -> None:
        left = batch.seconds_left() if ends else None
        say(left)
        with layout.asking(nodes, ranks_per_node), process.ending_before(left):
            command(*words, **named)

    signature = inspect.signature(command)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option)
        for name, option in OPTIONS.items()
    ]
    within.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), *more]
    )
    within.__annotations__ = {**command.__annotations__, **dict.fromkeys(OPTIONS, Optional[int])}
    return within


def say(left_s: float | None) -> None:
    """Say in a line what there is to measure on, and for how long, where that is known."""
    job = batch.here()
    if job is None or left_s is None:
        return
    many = f"{job.nodes} nodes" if job.nodes > 1 else "a node"
    cores = f", {sum(job.cores_per_node)} cores" if job.cores_per_node else ""
    terminal.console().print(
        shown(f"{job.name} ({job.system.name}): {many}{cores}, {int(left_s) // 60} min "
              f"{int(left_s) % 60} s left"),
        style="dim", soft_wrap=True, highlight=False,
    )  # fmt: skip
