"""Facts about this machine that do not need MPI, read from Linux itself."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Optional

import psutil

from halocline.launch import outer

CIRCUMSTANCES = {
    "machine?": {
        "host?": str, "cpu?": str, "cores?": float, "numa_nodes?": float,
        "memory_bytes?": Optional[float], "shm_bytes_free?": float, "shm_bytes_total?": float,
        "kernel?": str,
    },
    "mpi?": {"library?": str, "standard?": str, "thread_level?": str, "built?": str},
    "build?": {"compiler?": str, "flags?": str, "version?": str},
}  # fmt: skip
"""The shape of what every file of a program says (docs/reference/results.md)."""
BOUND_RANK = {"rank?": int, "host?": str, "binding?": Optional[list[int]]}
FACTS = {
    **CIRCUMSTANCES,
    "windows?": dict[str, str],
    "small_windows_work?": bool,
    "ranks?": list[BOUND_RANK],
    "device?": {"device?": str, "missing?": str, "played?": bool},
}  # fmt: skip
"""The shape of what `halocheck --facts` says."""
MPI_PREFIXES = ("OMPI_", "PRTE_", "PMIX_", "MPICH_", "MPIR_", "HYDRA_", "UCX_", "FI_", "I_MPI_")
"""Names of environment variables that begin so can change what an MPI library does."""
RANKS_PREFIXES = ("HALOCLINE_", "OMP_", "GOMP_", "KMP_", "MPI4PY_LIBMPI")
"""Others that programs and their threads read."""


def usable_cores() -> int:
    """Return how many cores (not hardware threads) this process may use."""
    cpus = os.sched_getaffinity(0)
    cores = set()
    for cpu in cpus:
        topology = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
        try:
            package = (topology / "physical_package_id").read_text("utf-8", "replace").strip()
            cores.add((package, (topology / "core_id").read_text("utf-8", "replace").strip()))
        except OSError:
            cores.add(("cpu", str(cpu)))
    return len(cores)


def threads_per_core() -> int:
    """Return how many hardware threads a core has, as far as this process may use them."""
    return max(1, len(os.sched_getaffinity(0)) // usable_cores())


def mpi_environment(environment: dict[str, str] | None = None) -> dict[str, str]:
    """Return the variables that change an MPI library's behaviour, sorted by name."""
    environment = outer.without() if environment is None else environment
    return {k: v for k, v in sorted(environment.items()) if k.startswith(MPI_PREFIXES)}


def environment_of_ranks() -> dict[str, str]:
    """Return the variables that ranks heed, and so must get wherever they are."""
    ours = {k: v for k, v in sorted(os.environ.items()) if k.startswith(RANKS_PREFIXES)}
    return {**ours, **mpi_environment()}


def memory_available(root: Path = Path("/")) -> int:
    """Return the bytes that programs may still take: of the machine, or of this control group.

    Parameters
    ----------
    root
        Where `/proc` and the control groups' folders are; src/base/limits.cpp reads the same files.
    """
    return int(min([psutil.virtual_memory().available, *_left_to_groups(root)]))


def _left_to_groups(root: Path) -> list[float]:
    """Return what the control groups of this process, and those above it, leave of memory."""
    left = []
    for folder, unified in _memory_groups(root):
        most, used = ("max", "current") if unified else ("limit_in_bytes", "usage_in_bytes")
        limits = [_number(folder / f"memory.{most}")]
        if unified:
            limits.append(_number(folder / "memory.high"))
        facts = dict(line.split()[:2] for line in _lines(folder / "memory.stat") if " " in line)
        prefix = "" if unified else "total_"
        # Pages of files are given up before anything fails.
        files = sum(int(facts.get(f"{prefix}{what}_file", 0)) for what in ("inactive", "active"))
        taken = max(0.0, _number(folder / f"memory.{used}") - files)
        left += [max(0.0, limit - taken) for limit in limits if limit < float("inf")]
    return left


def _memory_groups(root: Path) -> list[tuple[Path, bool]]:
    """Return the folders of this process's control groups, and whether they are of version 2."""
    found = []
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        unified = controllers == ""
        if not unified and "memory" not in controllers.split(","):
            continue
        for mount in _lines(root / "proc/self/mountinfo"):
            before, _, behind = mount.partition(" - ")
            top, folder = before.split()[3:5]
            kind, options = behind.split()[0], behind.split()[-1]
            if kind != ("cgroup2" if unified else "cgroup"):
                continue
            if not unified and "memory" not in options.split(","):
                continue
            # What is above the mount's root cannot be seen from within a container.
            below = path.removeprefix(top) if top != "/" else path
            base = root / folder.lstrip("/")
            parts = [part for part in below.split("/") if part]
            found += [(base.joinpath(*parts[:i]), unified) for i in range(len(parts), -1, -1)]
    return found


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _number(file: Path) -> float:
    """Return the number in a file; infinite for 'max', and where there is none."""
    try:
        return float((_lines(file) or ["max"])[0])
    except ValueError:
        return float("inf")


def load() -> list[float]:
    """Return the load averages of the last 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def settings(root: Path = Path("/")) -> dict[str, str]:
    """Return what shapes timings and can be read without being root; 'unknown' where it cannot.

    Parameters
    ----------
    root
        Where `/proc` and `/sys` are.
    """
    cpu = root / "sys/devices/system/cpu"
    processor = _words(root / "proc/cpuinfo")
    virtual = "yes" if "hypervisor" in processor.split() else "no"
    return {
        "CPU governor": _each(cpu, "cpu[0-9]*/cpufreq/scaling_governor"),
        "frequency driver": _each(cpu, "cpu[0-9]*/cpufreq/scaling_driver"),
        "turbo": _turbo(cpu),
        "SMT": {"1": "on", "0": "off"}.get(_words(cpu / "smt/active"), UNKNOWN),
        "isolated CPUs": _words(cpu / "isolated", empty="none"),
        "virtual machine": UNKNOWN if processor == UNKNOWN else virtual,
        "clock": _words(root / "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "transparent huge pages": _chosen(root / "sys/kernel/mm/transparent_hugepage/enabled"),
        "NUMA balancing": {"1": "on", "0": "off"}.get(
            _words(root / "proc/sys/kernel/numa_balancing"), UNKNOWN
        ),
        "C library": " ".join(platform.libc_ver()).strip() or UNKNOWN,
        "Python": platform.python_version(),
    }


UNKNOWN = "unknown"


def _words(file: Path, empty: str = UNKNOWN) -> str:
    try:
        return " ".join(file.read_text("utf-8", "replace").split()) or empty
    except OSError:
        return UNKNOWN


def _each(folder: Path, pattern: str) -> str:
    """Return the different contents of files, as one CPU may be set otherwise."""
    return ", ".join(sorted({_words(file) for file in folder.glob(pattern)})) or UNKNOWN


def _turbo(cpu: Path) -> str:
    intel = {"0": "on", "1": "off"}.get(_words(cpu / "intel_pstate/no_turbo"))
    return intel or {"1": "on", "0": "off"}.get(_words(cpu / "cpufreq/boost"), UNKNOWN)


def _chosen(file: Path) -> str:
    """Return the choice in brackets of a file such as 'always [madvise] never'."""
    words = _words(file)
    return words.partition("[")[2].partition("]")[0] or words
