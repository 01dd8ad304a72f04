"""What else kept this host busy while a program ran, as far as Linux tells without being root.

The kernel's counters are read before and after a launch: the time its CPUs were busy and the time
the hypervisor gave to others (`/proc/stat`), the time in which some thread waited for a CPU
(`/proc/pressure`), and what the launch itself used and how often it had to give up a CPU
(`getrusage` of the children that have ended). The rest is others' work. The limits lie between what
`tests/python/disturbances.py` finds in launches alone and beside a busy loop.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
BATCH = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_URI")
"""Set by batch systems, whose own daemons may start the ranks: these are no children of ours."""
MOST_STOLEN = 0.01
"""Share of the CPUs' time that the hypervisor may take."""
MOST_OTHER_CPUS = 0.4
"""CPUs that others' work may keep busy, beyond those that the program leaves idle."""
MOST_WAITED = 0.25
"""Share of the time in which some thread may wait for a CPU, where there is one for each.

Not a small one: a launcher and its helpers start before the program, on the same CPUs.
"""


def usable_cpus() -> int:
    """Return how many CPUs (hardware threads) this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Counters:
    """The kernel's counters at one moment; seconds summed over usable CPUs, None if unreadable."""

    time_s: float
    busy_s: float | None
    stolen_s: float | None
    waited_s: float | None
    """How long any thread has waited for a CPU (pressure stall information, "some")."""
    own_s: float | None
    """CPU time of this process's children that have ended."""
    switches: int | None
    """How often these had to give up a CPU (involuntary context switches)."""


def read(proc: Path = PROC) -> Counters:
    """Read the counters."""
    busy = stolen = waited = own = switches = None
    usable = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    with contextlib.suppress(OSError, ValueError, IndexError):
        rows = [line.split() for line in (proc / "stat").read_text("utf-8", "replace").splitlines()]
        # user, nice, system, idle, iowait, irq, softirq, steal: see proc(5).
        ticks = [[int(word) for word in row[1:9]] for row in rows if row and row[0] in usable]
        if ticks:
            second = os.sysconf("SC_CLK_TCK")
            busy = sum(sum(row[:3]) + sum(row[5:7]) for row in ticks) / second
            stolen = sum(row[7] for row in ticks) / second
    with contextlib.suppress(OSError, ValueError, IndexError):
        some = (proc / "pressure/cpu").read_text("utf-8", "replace").splitlines()[0]
        waited = int(some.split("total=")[1]) / 1e6
    if not any(name in os.environ for name in BATCH):
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        own, switches = children.ru_utime + children.ru_stime, children.ru_nivcsw
    return Counters(time.monotonic(), busy, stolen, waited, own, switches)


@dataclass(frozen=True)
class Activity:
    """What happened on this host during a launch; None where it cannot be known."""

    other_cpus: float | None = None
    """How many CPUs others' work kept busy, on average."""
    stolen: float | None = None
    """Share of the CPUs' time that the hypervisor gave to others."""
    waited: float | None = None
    """Share of the time in which some thread, of whichever program, waited for a CPU."""
    switches_per_s: float | None = None
    """How often the launch's processes together lost a CPU, in a second.

    For the record: starting a launch costs hundreds, and beside a busy loop there are no more.
    """

    @classmethod
    def between(cls, before: Counters, after: Counters) -> Activity:
        """Return what happened between two readings."""
        wall = after.time_s - before.time_s

        def rate(first: float | None, last: float | None) -> float | None:
            return None if first is None or last is None else (last - first) / wall

        busy, own = rate(before.busy_s, after.busy_s), rate(before.own_s, after.own_s)
        stolen = rate(before.stolen_s, after.stolen_s)
        return cls(
            _rounded(None if busy is None or own is None else max(0.0, busy - own), 3),
            _rounded(None if stolen is None else stolen / usable_cpus(), 4),
            _rounded(rate(before.waited_s, after.waited_s), 3),
            _rounded(rate(before.switches, after.switches), 1),
        )

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
        if threads <= cpus and self.waited is not None and self.waited > MOST_WAITED:
            found.append(f"threads waited for a CPU in {100 * self.waited:.0f} % of the time")
        return found


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
