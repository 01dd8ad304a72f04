"""What is known to go wrong on machines and under MPI libraries, and what helps."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from halocline.launch import machine
from halocline.measure.soundness.examination import Verdict


@dataclass(frozen=True)
class Advice:
    """Something about this machine or MPI that the user should know, and what helps."""

    about: str
    text: str
    serious: bool = False


def advise(facts: dict[str, Any], verdicts: dict[str, Verdict]) -> list[Advice]:
    """Compare facts and verdicts with what is known to go wrong, and name the remedies."""
    found = []
    library = facts.get("mpi", {}).get("library", "")
    here = facts.get("machine", {})
    broken = [name for name, verdict in verdicts.items() if not verdict.sound]
    if "Open MPI v4.1" in library and not os.environ.get("OMPI_MCA_osc"):
        found.append(
            Advice(
                "Open MPI 4.1",
                "windows of different communicators can get the same memory (wrong data, 'invalid "
                "window'), and compare-and-swap can crash; OMPI_MCA_osc=^rdma avoids both",
                any(name.startswith("rma") for name in broken),
            )
        )
    if not facts.get("small_windows_work", True):
        found.append(
            Advice(
                "small windows",
                "put into windows of MPI_Win_allocate with 24 or 40 bytes gives wrong data, as in "
                "MPICH 4.0.2. Halocline rounds its own up to cache lines; round up yours, or set "
                "MPIR_CVAR_NOLOCAL=1, which gives shared memory up, or take a newer MPICH",
                serious=True,
            )
        )
    bindings = [tuple(rank.get("binding") or ()) for rank in facts.get("ranks", [])]
    if bindings and all(bindings):
        cpus = set().union(*bindings)
        if len(cpus) < len(bindings) <= machine.usable_cores():
            found.append(
                Advice(
                    "pinning",
                    f"{len(bindings)} ranks share {len(cpus)} CPU while {machine.usable_cores()} "
                    "cores are free: unset I_MPI_PIN or HYDRA_BINDING, or give the launcher "
                    "'--bind-to none'",
                    True,
                )
            )
    found += _of_threads(bindings)
    free = here.get("shm_bytes_free")
    if free is not None and free < 1 << 28:
        found.append(
            Advice(
                "/dev/shm",
                f"only {free / 2**20:.0f} MiB free: shared windows need room there; "
                "'mount -o remount,size=2G /dev/shm', or docker run --shm-size=2g",
                True,
            )
        )
    if here.get("cpu", "").startswith(("AMD", "Intel")) and (
        "x86_rep_movsb_threshold" not in os.environ.get("GLIBC_TUNABLES", "")
    ):
        found.append(
            Advice(
                "glibc",
                "large copies to another process can be 20 times slower than need be; try "
                "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1073741824 and compare",
            )
        )
    if facts.get("mpi", {}).get("thread_level") == "single":
        found.append(
            Advice(
                "threads",
                "this MPI allows one thread a rank: programs with several will refuse to start",
            )
        )
    separate = [k for k, model in facts.get("windows", {}).items() if model == "separate"]
    if separate:
        found.append(
            Advice(
                "memory model",
                f"windows of flavour {', '.join(separate)} are 'separate': schemes that read flags "
                "by plain loads are not available on them",
            )
        )
    return found


def _of_threads(bindings: list[tuple[int, ...]]) -> list[Advice]:
    """Return what OpenMP's variables do to the threads of ranks that are bound so."""
    found = []
    number = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    threads = int(number) if number.isdigit() else 1
    few = min((len(set(cpus)) for cpus in bindings if cpus), default=threads)
    if few < threads:
        found.append(
            Advice(
                "threads on a core",
                f"OMP_NUM_THREADS={threads}, but a rank may run on {few} CPU: threads share cores. "
                f"'halocline run --threads {threads}' has the launcher give each rank as many; "
                "or start fewer ranks",
                True,
            )
        )
    bind = os.environ.get("OMP_PROC_BIND", "").lower()
    if bind in ("master", "primary"):
        found.append(
            Advice(
                "OMP_PROC_BIND",
                f"{bind} puts all threads of a rank where its first is, and programs leave them "
                "there; unset it, or take close",
                True,
            )
        )
    elif bind not in ("", "false"):
        found.append(
            Advice(
                "OMP_PROC_BIND",
                f"{bind} is set, so that programs do not place their threads; unset it and each "
                "keeps to a core of its own, near those of its rank",
            )
        )
    return found
