"""Networks between nodes, as published: a few numbers each, from which a machine file's level is.

A machine file that was measured on one node knows nothing of the way to another. With one of these
it does: `halocline predict --network NAME`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline import records
from halocline.errors import HaloclineError
from halocline.model.machines import PROGRESS, Machine
from halocline.shapes import Above

FORMAT, VERSION = "halocline-network", 1
SHIPPED = Path(__file__).parent / "networks"
USUAL = "infiniband-hdr"
"""What is assumed where nobody says."""
NUMBERS = {
    "latency_s": Above(0.0), "bandwidth_bytes_per_s": Above(0.0), "rank_messages_per_s": Above(0.0),
    "injection_bytes_per_s": Above(0.0), "injection_messages_per_s?": Above(0.0),
    "rendezvous_bytes?": Above(0.0), "progress?": PROGRESS,
}  # fmt: skip
SHAPE = {
    "format": str, "version": int, "name": str, **NUMBERS, "sources?": dict[str, str],
    "assumed?": dict[str, str], "comment?": Any,
}  # fmt: skip
"""The shape of a file; docs/reference/machine-file.md says what each field means."""

CALLS = (
    "send", "receive", "put", "get", "flush", "unlock", "notify", "notified", "post", "start",
    "complete", "wait", "signal", "seen",
)  # fmt: skip
FLIGHTS = ("message", "landing", "line")
ROUNDS = ("barrier", "fence", "allreduce")
FAR = 1 << 20
"""Bytes of the second point of a curve, which goes on from there."""


@dataclass(frozen=True)
class Network:
    """One network, as its file says."""

    content: dict[str, Any]

    @property
    def name(self) -> str:
        """What the file calls it."""
        return str(self.content["name"])

    def level(self) -> dict[str, Any]:
        """Return it as `levels.network` of a machine file.

        A message takes the latency, calls included, and its bytes by the bandwidth. A rank can send
        as many messages a second as it can make calls.
        """
        latency, call = self.content["latency_s"], 1 / self.content["rank_messages_per_s"]
        far = FAR / self.content["bandwidth_bytes_per_s"]

        def flight(seconds: float) -> list[list[float]]:
            return [[0, seconds], [FAR, seconds + far]]

        costs: dict[str, Any] = dict.fromkeys(CALLS, call)
        costs |= {name: flight(latency - 2 * call) for name in FLIGHTS}
        costs |= dict.fromkeys(ROUNDS, latency)
        # What is got is asked for first, and so is a lock; that puts are there is told back.
        costs |= {
            "fetching": flight(2 * latency - 2 * call), "lock": 2 * latency, "acknowledge": latency,
        }  # fmt: skip
        limits = (
            "injection_bytes_per_s", "injection_messages_per_s", "rendezvous_bytes", "progress",
        )  # fmt: skip
        return {
            "comment": f"{self.name}, as published",
            **{name: self.content[name] for name in limits if name in self.content},
            "costs": costs,
        }

    def between(self, nodes: Machine) -> Machine:
        """Return a machine of such nodes, with this network between them."""
        made = nodes.changed()
        levels = made.content.setdefault("levels", {})
        # What each piece of a message takes is the processor's time, wherever the message goes.
        pieces = {
            name: cost
            for name, cost in levels.get("node", {}).get("costs", {}).items()
            if name.startswith("piece")
        }
        levels["network"] = self.level()
        levels["network"]["costs"] |= pieces
        made.content["name"] = f"{nodes.name}, with {self.name}"
        return made


def shipped() -> list[str]:
    """Return the names of the files that come with Halocline."""
    return sorted(file.stem for file in SHIPPED.glob("*.json"))


def of_this_node(root: Path = Path("/sys/class")) -> str | None:
    """Return the name of the fastest network that this node has a card of, if it is one of these.

    Parameters
    ----------
    root
        Where Linux lists devices.
    """
    if any(root.glob("cxi/*")):
        return "slingshot-11"
    if any(root.glob("infiniband/hfi1_*")):
        return "omni-path"
    ports = [port for port in root.glob("infiniband/*/ports/*") if _said(port / "rate")]
    rates = [
        float(_said(port / "rate").split()[0])
        for port in ports
        if _said(port / "link_layer") == "InfiniBand"
    ]
    if rates:
        return "infiniband-ndr" if max(rates) >= 400 else "infiniband-hdr"
    # What has no device behind it is a bridge or a tunnel.
    speeds = [_said(card.parent / "speed") for card in root.glob("net/*/device")]
    fastest = max((int(one) for one in speeds if one.isdecimal()), default=0)
    for rate in (100, 25, 10):
        if fastest >= 1000 * rate:
            return f"ethernet-{rate}"
    return None


def _said(file: Path) -> str:
    """Return what a device says; nothing where it has no link."""
    try:
        return file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def load(name: str | Path) -> Network:
    """Read a network: a path, or the name of one that comes with Halocline.

    Raises
    ------
    HaloclineError
        When there is none, or it is not a network's file of this version.
    """
    path = Path(name)
    if path.suffix != ".json":
        if str(name) not in shipped():
            raise HaloclineError(f"--network {name}: give a file, or one of {', '.join(shipped())}")
        path = SHIPPED / f"{name}.json"
    try:
        content = records.read(path, FORMAT, VERSION, "network file", SHAPE)
    except HaloclineError as error:
        raise HaloclineError(f"--network: {error}") from error
    least = 2 / content["rank_messages_per_s"]
    if content["latency_s"] < least:
        raise HaloclineError(
            f'--network: {path}: "latency_s" must be {least:.3g} or more, two calls of '
            '"rank_messages_per_s"'
        )
    return Network(content)
