"""What else kept this host busy while a program ran, as far as Linux tells without being root.

The kernel's counters are read before and after a launch: the time its CPUs were busy and the time
the hypervisor gave to others (`/proc/stat`), and what the launch itself used and how often it had
to give up a CPU (`getrusage` of the children that have ended). The rest is others' work.
"""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

STAT = Path("/proc/stat")
MOST_STOLEN = 0.01
"""Share of the CPUs' time that the hypervisor may take."""
MOST_OTHER_CPUS = 0.2
"""CPUs that others' work may keep busy, beyond those that the program leaves idle."""
MOST_SWITCHES = 100.0
"""Times a second that each thread may lose its CPU, where there is one for each."""


def usable_cpus() -> int:
    """Return how many CPUs (hardware threads) this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Counters:
    """The kernel's counters at one moment; seconds summed over usable CPUs, None if unreadable."""

    time_s: float
    busy_s: float | None
    stolen_s: float | None
    own_s: float
    """CPU time of this process's children that have ended."""
    switches: int
    """How often these had to give up a CPU (involuntary context switches)."""


def read(stat: Path = STAT) -> Counters:
    """Read the counters."""
    busy = stolen = None
    usable = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    try:
        rows = [line.split() for line in stat.read_text().splitlines()]
        # user, nice, system, idle, iowait, irq, softirq, steal: see proc(5).
        ticks = [[int(word) for word in row[1:9]] for row in rows if row and row[0] in usable]
        second = os.sysconf("SC_CLK_TCK")
        busy = sum(sum(row[:3]) + sum(row[5:7]) for row in ticks) / second
        stolen = sum(row[7] for row in ticks) / second
    except (OSError, ValueError, IndexError):
        pass
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = children.ru_utime + children.ru_stime
    return Counters(time.monotonic(), busy, stolen, own, children.ru_nivcsw)


@dataclass(frozen=True)
class Activity:
    """What happened on this host during a launch; None where it cannot be known."""

    other_cpus: float | None = None
    """How many CPUs others' work kept busy, on average."""
    stolen: float | None = None
    """Share of the CPUs' time that the hypervisor gave to others."""
    switches_per_s: float | None = None
    """How often the launch's processes together lost a CPU, in a second."""

    @classmethod
    def between(cls, before: Counters, after: Counters) -> Activity:
        """Return what happened between two readings."""
        wall = after.time_s - before.time_s
        own = after.own_s - before.own_s
        other = stolen = switches = None
        if wall > 0:
            if None not in (before.stolen_s, after.stolen_s):
                stolen = round((after.stolen_s - before.stolen_s) / wall / usable_cpus(), 4)
            # Ranks whose starter is not our descendant (a batch system's) are not seen as our own.
            if own > wall / 2:
                switches = round((after.switches - before.switches) / wall, 1)
                if None not in (before.busy_s, after.busy_s):
                    other = round(max(0.0, after.busy_s - before.busy_s - own) / wall, 3)
        return cls(other, stolen, switches)

    def disturbances(self, threads: int, cpus: int | None = None) -> list[str]:
        """Name what may have disturbed a launch.

        Parameters
        ----------
        threads
            How many threads of the program ran on this host, all ranks together.
        cpus
            How many CPUs it could use; by default all that this process may use.
        """
        cpus = cpus or usable_cpus()
        found = []
        idle = max(0, cpus - threads)
        if self.stolen is not None and self.stolen > MOST_STOLEN:
            found.append(f"{100 * self.stolen:.0f} % of the CPUs' time stolen by the hypervisor")
        if self.other_cpus is not None and self.other_cpus > idle + MOST_OTHER_CPUS:
            found.append(f"other work on {self.other_cpus:.1f} CPUs")
        if self.switches_per_s is not None and threads <= cpus:
            each = self.switches_per_s / threads
            if each > MOST_SWITCHES:
                found.append(f"each thread lost its CPU {each:.0f} times a second")
        return found
