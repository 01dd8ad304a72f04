"""The job of a batch system that this process is in: its nodes, its end, and what becomes of it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.launch import machine, process, systems
from halocline.launch.systems import System

NODES, CORES = "HALOCLINE_NODES", "HALOCLINE_CORES_PER_NODE"
"""What the job has, where the batch system does not say."""
END = "HALOCLINE_END_TIME"
"""When the job ends, in seconds since 1970, where the batch system does not say."""
CONTINUE = "HALOCLINE_CONTINUE"
"""1: go on with what an earlier start of the same command has left."""


@dataclass(frozen=True)
class Job:
    """A job, as far as its processes are told of it."""

    system: System
    id: str
    cores_per_node: tuple[int, ...] = ()
    """Cores of each node of the job; empty where that is not known."""
    threads_per_core: int = 1
    """As its system counts the threads of these nodes; 1 where that is not known."""
    within_step: bool = False
    """Whether this process is itself in a step of the job, which has the cores (`srun --pty`)."""

    @property
    def nodes(self) -> int:
        """How many nodes it has; 1 where that is not known."""
        return len(self.cores_per_node) or 1

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"job {self.id}"


def here(environment: Mapping[str, str] | None = None) -> Job | None:
    """Return the job that this process is in; None outside of any."""
    environment = os.environ if environment is None else environment
    chosen = environment.get(systems.CHOSEN)
    known = [systems.named(chosen)] if chosen else systems.known()
    found = [one for one in known if one.number(environment)]
    if not found:
        return None
    system = next((one for one in found if one.can_start()), found[0])
    within = False
    threads = 1
    if system.name == "slurm":
        known = _threads_per_core(environment.get("SLURM_JOB_NODELIST", ""))
        # The node of this process may be none of the job's, as that of salloc's shell.
        on_node = "SLURMD_NODENAME" in environment
        threads = known or (machine.threads_per_core() if on_node else 1)
        cpus = expanded(environment.get("SLURM_JOB_CPUS_PER_NODE", ""))
        cores = tuple(max(1, count // threads) for count in cpus)
        # The numbers of steps that are no user's (batch, interactive) are at the end of 32 bits.
        step = environment.get("SLURM_STEP_ID", "")
        within = step.isdecimal() and int(step) < 1 << 31 and "SLURM_SRUN_COMM_PORT" in environment
    else:
        each = _count(environment, CORES) or machine.usable_cores()
        cores = (each,) * (_count(environment, NODES) or _hosts(environment.get(system.hosts, "")))
    return Job(system, system.number(environment), cores, threads, within)


@lru_cache(maxsize=8)
def _threads_per_core(nodes: str) -> int | None:
    """Return how many of the CPUs that Slurm counts on these nodes are one core; None: unknown."""
    try:
        asked = process.run(["scontrol", "show", "node", nodes], limit_s=20) if nodes else None
    except HaloclineError:
        return None
    threads = []
    for node in (asked.output if asked else "").split("NodeName=")[1:]:
        said = {name: int(number) for name, number in re.findall(r"\b(\w+)=(\d+)\b", node)}
        cores = said.get("Sockets", 0) * said.get("CoresPerSocket", 0)
        # Nodes may be configured to count cores, whatever these have.
        threads.append(1 if said.get("CPUTot") == cores else said.get("ThreadsPerCore", 1))
    return max(threads, default=None)


def _count(environment: Mapping[str, str], variable: str) -> int:
    """Return a positive number in a variable; 0 where it is not set."""
    said = environment.get(variable, "")
    if said and not (said.isdecimal() and int(said) > 0):
        raise HaloclineError(f"{variable} {said}: must be a number above 0")
    return int(said or 0)


def _hosts(file: str) -> int:
    """Return how many hosts a file with one for each slot names; 1 where there is none."""
    try:
        return len(set(Path(file).read_text("utf-8", "replace").split())) or 1
    except OSError:
        return 1


def expanded(counts: str) -> list[int]:
    """Return what Slurm shortens: `4(x2),3` is 4, 4, 3. What it does not write so is nothing."""
    found = []
    for part in filter(None, counts.split(",")):
        one = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if one is None:
            return []
        found += [int(one[1])] * int(one[2] or 1)
    return found


def continues(environment: Mapping[str, str] | None = None) -> bool:
    """Whether what an earlier start of this command has left is to be gone on with.

    A job that its system has put into the queue again does; others if they are asked to.
    """
    environment = os.environ if environment is None else environment
    restarts = environment.get("SLURM_RESTART_COUNT", "0")
    return environment.get(CONTINUE) == "1" or (restarts.isdecimal() and int(restarts) > 0)


def seconds_left(environment: Mapping[str, str] | None = None) -> float | None:
    """Return the seconds until this process's job ends; None where it has no end, or none is known.

    Raises
    ------
    HaloclineError
        When HALOCLINE_END_TIME is no time.
    """
    environment = os.environ if environment is None else environment
    for variable in (END, "SLURM_JOB_END_TIME"):
        if said := environment.get(variable):
            try:
                return float(said) - time.time()
            except ValueError:
                raise HaloclineError(
                    f"{variable} {said}: must be seconds since 1970, as 'date +%s' prints them"
                ) from None
    job = here(environment)
    if job is None or job.system.name != "slurm":
        return None
    try:
        asked = process.run(["squeue", "--noheader", "-j", job.id, "-o", "%L"], limit_s=20)
    except HaloclineError:
        return None
    return duration(asked.output.strip()) if asked.ok else None


def duration(text: str) -> float | None:
    """Return the seconds of a time as Slurm writes it, `1-02:03:04`, `2:03`; None if it is none."""
    found = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)", text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60.0 + seconds
