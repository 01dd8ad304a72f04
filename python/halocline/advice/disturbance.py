"""What else kept the host busy while ranks ran on it, and what can be claimed then.

It is kept beside a recording, so that an answer later knows it, too. Only this host is looked at;
ranks on others may have had worse.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from halocline import records
from halocline.advice.recording import Recording
from halocline.advice.savings import BUSY
from halocline.errors import HaloclineError
from halocline.figures import percent
from halocline.launch import Activity, interference
from halocline.shapes import AtLeast

FORMAT, VERSION = "halocline-activity", 1
FILE = "activity.json"
NAMES = tuple(one.name for one in fields(Activity))
SHAPE = {"host": str, "cpus": AtLeast(1), **{f"{name}?": AtLeast(0.0) for name in NAMES}}
MOST_TAKEN = 0.3
"""Share of the ranks' processors that others may take before no time is believed."""


@dataclass(frozen=True)
class Disturbance:
    """What happened on a host during a launch, and how many processors the ranks could use."""

    host: str
    cpus: int
    ran: Activity

    def said(self, when: str, taken: Recording) -> list[str]:
        """Return a sentence on what else kept the host busy, if anything did."""
        here = self._ranks(taken)
        said = self.ran.disturbances(here, self.cpus) if here else []
        busy = f"While {when}: {', '.join(said)}. Figures are of a machine that was busy."
        return [busy] if said else []

    def busy(self, when: str, taken: Recording) -> str:
        """Say that others took too much of the ranks' processors for any claim; empty: not so."""
        here = self._ranks(taken)
        if not here:
            return ""
        ours = min(here, self.cpus)
        others = max((self.ran.other_cpus or 0.0) - (self.cpus - ours), 0.0) / ours
        took = min(others + (self.ran.stolen or 0.0), 1.0)
        if took <= MOST_TAKEN:
            return ""
        return f"{BUSY}: others took {percent(took)} of the ranks' processors while {when}"

    def save(self, folder: Path) -> None:
        """Keep it beside a recording.

        Raises
        ------
        HaloclineError
            When the file cannot be written.
        """
        known = {name: value for name, value in asdict(self.ran).items() if value is not None}
        content = {"host": self.host, "cpus": self.cpus, **known}
        try:
            records.write(folder / FILE, FORMAT, VERSION, content)
        except OSError as error:
            raise HaloclineError(f"cannot write {folder / FILE}: {error.strerror}") from error

    def _ranks(self, taken: Recording) -> int:
        return sum(rank.run.host == self.host for rank in taken.ranks.values())


@dataclass
class Watched:
    """What is known at the end of `watching`."""

    found: Disturbance | None = None


@contextmanager
def watching() -> Iterator[Watched]:
    """Look at this host while something runs on it."""
    watched, before = Watched(), interference.read()
    yield watched
    ran = Activity.between(before, interference.read())
    watched.found = Disturbance(socket.gethostname(), interference.usable_cpus(), ran)


def kept(folder: Path) -> Disturbance | None:
    """Return what was kept beside a recording; None: nothing was.

    Raises
    ------
    HaloclineError
        When the file is damaged.
    """
    if not (folder / FILE).exists():
        return None
    content = records.read(folder / FILE, FORMAT, VERSION, "file of a host's activity", SHAPE)
    ran = Activity(**{name: content.get(name) for name in NAMES})
    return Disturbance(content["host"], content["cpus"], ran)
