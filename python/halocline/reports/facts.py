"""What is known about machine and MPI, as pairs of name and text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halocline.figures import amount
from halocline.launch import short_library


def fact_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts as pairs of name and text."""
    here, mpi, build = (facts.get(name, {}) for name in ("machine", "mpi", "build"))
    rows = []
    if here:
        cores, nodes = here.get("cores", "?"), here.get("numa_nodes", "?")
        rows.append(("host", str(here.get("host", "?"))))
        rows.append(
            (
                "processor",
                f"{here.get('cpu', '?')}, {cores} cores, {nodes} NUMA node{'s' * (nodes != 1)}",
            )
        )
        rows.append(("memory", amount(here.get("memory_bytes"))))
        if "shm_bytes_free" in here:
            free, total = amount(here["shm_bytes_free"]), amount(here.get("shm_bytes_total"))
            rows.append(("/dev/shm", f"{free} free of {total}"))
        rows.append(("kernel", str(here.get("kernel", "?"))))
    if mpi:
        library = short_library(str(mpi.get("library", "")))
        rows.append(("MPI", f"{library}, standard {mpi.get('standard', '?')}"))
        rows.append(("thread level", str(mpi.get("thread_level", "?"))))
    if facts.get("windows"):
        text = ", ".join(f"{name} {model}" for name, model in facts["windows"].items())
        rows.append(("windows", text))
    if facts.get("ranks"):
        rows.append(
            (
                "pinning",
                "; ".join(
                    f"rank {r.get('rank')} on {r.get('host', '?')} CPU {cpu_list(r.get('binding'))}"
                    for r in facts["ranks"]
                ),
            )
        )
    if device := facts.get("device"):
        played = ", played by a CPU" if device.get("played") else ""
        rows.append(("device", device.get("missing") or f"{device.get('device', '?')}{played}"))
    if build:
        rows.append(
            ("built with", f"{build.get('compiler', '?')} {build.get('flags', '')}".strip())
        )
    return rows


def cpu_list(cpus: Sequence[int] | None) -> str:
    """Return CPU numbers as ranges: 0-3,8."""
    if not cpus:
        return "any"
    parts, first = [], cpus[0]
    for cpu, following in zip(cpus, [*cpus[1:], None]):
        if following != cpu + 1:
            parts.append(f"{first}" if first == cpu else f"{first}-{cpu}")
            first = following
    return ",".join(parts)
