"""The plain log of random_calls: what each rank has called, by its own account."""

import re
from dataclasses import dataclass, field
from pathlib import Path

WORD = re.compile(r"(\w+)=(\S*)")


@dataclass
class Line:
    """One call: times around it, and what was said of it."""

    function: str
    before: float
    after: float
    said: dict
    thread: int = 0

    def number(self, name):
        return int(self.said[name]) if name in self.said else None

    @property
    def met(self):
        """Source and tag that came, where the log has them."""
        return tuple(map(int, self.said["met"].split(":"))) if "met" in self.said else None

    @property
    def done(self):
        """Numbers of completed requests, each with what it met: (source, tag) or None."""
        for word in filter(None, self.said.get("done", "").split(",")):
            number, *met = word.split(":")
            if met == ["cancelled"]:
                yield int(number), "cancelled"
            else:
                yield int(number), tuple(map(int, met)) or None

    @property
    def started(self):
        return [int(word) for word in filter(None, self.said.get("start", "").split(","))]


@dataclass
class Log:
    """That of one rank."""

    rank: int
    calls: list = field(default_factory=list)
    comms: dict = field(default_factory=dict)
    types: dict = field(default_factory=dict)
    windows: dict = field(default_factory=dict)
    constants: dict = field(default_factory=dict)
    run: dict = field(default_factory=dict)


def blocks_of(text):
    return [tuple(map(int, block.split(":"))) for block in text.split(",")] if text else []


def read(path, rank):
    """Return what one rank has logged."""
    log = Log(rank)
    for text in Path(path).read_text().splitlines():
        kind, _, rest = text.partition(" ")
        said = dict(WORD.findall(rest))
        if kind.startswith("MPI_"):
            before, after = map(float, rest.split()[:2])
            log.calls.append(Line(kind, before, after, said, int(said.get("thread", 0))))
        elif kind == "comm":
            said["members"] = [int(member) for member in said["members"].split(",")]
            said["rank"] = int(said["rank"])
            log.comms[said["name"]] = said
        elif kind == "type":
            log.types[said["name"]] = {
                "bytes": int(said["bytes"]),
                "extent": int(said["extent"]),
                "blocks": blocks_of(said["blocks"]),
            }
        elif kind == "window":
            log.windows[said["name"]] = said
        elif kind == "constants":
            log.constants = {name: int(value) for name, value in said.items()}
        elif kind == "run":
            log.run = {name: float(value) for name, value in said.items()}
        else:
            raise ValueError(f"{path}: {text}")
    return log


def read_all(prefix, ranks):
    return {rank: read(f"{prefix}.{rank}", rank) for rank in range(ranks)}
