"""How the ranks of a launch are spread over nodes: as is asked, else over as few as hold them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from halocline.errors import HaloclineError


@dataclass(frozen=True)
class Spread:
    """So many ranks at most on each of so many nodes, with cores of their own or not."""

    nodes: int
    ranks_per_node: int
    cores_per_rank: int
    """0: there are more ranks, or threads of ranks, than cores."""


@dataclass(frozen=True)
class Layout:
    """What the user asks for; None is as it comes."""

    nodes: int | None = None
    ranks_per_node: int | None = None

    def __bool__(self) -> bool:
        return self != Layout()

    def __str__(self) -> str:
        asked = {"--nodes": self.nodes, "--ranks-per-node": self.ranks_per_node}
        return " ".join(f"{name} {value}" for name, value in asked.items() if value is not None)

    def of(self, ranks: int, cores: Sequence[int], threads: int | None = None) -> Spread:
        """Spread ranks over the nodes of a job.

        Parameters
        ----------
        cores
            Of each node.
        threads
            Of each rank, a core for each; by default a rank gets its share of the node.

        Raises
        ------
        HaloclineError
            When they cannot be spread as is asked for.
        """
        least = min(cores)
        each = self.ranks_per_node
        nodes = self.nodes
        if nodes is not None and nodes > len(cores):
            raise HaloclineError(f"--nodes {nodes}: this job has {len(cores)}")
        if nodes is None:
            # As few as hold them; all, where there are more ranks than cores.
            nodes = len(cores) if each is None else -(-ranks // each)
            if each is None:
                nodes = min(nodes, -(-ranks * (threads or 1) // least))
        nodes = min(nodes, ranks)
        if each is None:
            each = -(-ranks // nodes)
        if nodes > len(cores) or ranks > nodes * each:
            there = self.nodes or len(cores)
            raise HaloclineError(
                f"{ranks} ranks, --ranks-per-node {each}: need {-(-ranks // each)} nodes, "
                f"{'this job has' if self.nodes is None else '--nodes asks for'} {there}"
            )
        share = least // each
        return Spread(nodes, each, share if threads is None else threads * (share >= threads))


_asked: ContextVar[Layout] = ContextVar("layout")


def asked() -> Layout:
    """Return what is asked for here."""
    return _asked.get(Layout())


@contextmanager
def asking(nodes: int | None = None, ranks_per_node: int | None = None) -> Iterator[None]:
    """Within, ranks that are started are spread so."""
    token = _asked.set(Layout(nodes, ranks_per_node))
    try:
        yield
    finally:
        _asked.reset(token)
