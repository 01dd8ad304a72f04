"""What is known about machine, MPI and what surrounded a measurement, as pairs of name and text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from halocline.figures import amount
from halocline.launch import outer, short_library
from halocline.measure import Comparison, Joined, distance


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


def surroundings(comparison: Comparison, content: dict[str, Any]) -> list[tuple[str, str]]:
    """Return everything one needs to repeat the comparison, but the commands."""
    known = {**comparison.facts}
    for name in ("machine", "mpi", "build"):
        known.setdefault(name, content.get(name, {}))
    loads = [launch.load[0] for launch in comparison.launches if launch.load]
    environment = {**content.get("environment", {}), **comparison.environment}
    rows = fact_rows(known)
    rows.append(("MPI in full", " ".join(str(known["mpi"].get("library", "")).split())))
    rows.append(("binding of ranks", str(content.get("binding", "unknown"))))
    rows.append(("glibc tunables", environment.pop("GLIBC_TUNABLES", "") or "none"))
    rows += sorted(environment.items())
    if loads:
        spread = f"median {np.median(loads):.2f}, from {min(loads):.2f} to {max(loads):.2f}"
        rows.append(("load before launches", spread))
    rows += list(comparison.settings.items())
    rows.append(("measured", comparison.time))
    rows.append(("order drawn with seed", str(comparison.seed)))
    return rows


PASSING = ("/dev/shm", "pinning", "measured", "order drawn with seed", "load before launches")
"""What is never twice the same, and explains nothing; `busy` says how a load matters."""


def differences(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """Return what was not the same for all values of what is varied: its name, and each value's.

    First of all how busy the machine was, which no test makes up for.
    """
    results = {setting.case: runs[0] for setting, runs in comparison.measured().items()}
    cases = {case.value: case for case in reversed(comparison.cases) if case.name in results}
    rows: list[dict[str, str]] = []
    apart: list[float] = []
    unsaid = {*PASSING, *(name for case in comparison.cases for name in case.variables)}
    for value in reversed(cases):
        case, content = cases[value], results[cases[value].name].content
        of = comparison.sides[value] if isinstance(comparison, Joined) else replace(
            comparison, facts={}, settings={},
            launches=[one for one in comparison.launches if one.case == case.name],
        )  # fmt: skip
        far = distance.usual(launch.core_distance_s for launch in of.launches)
        apart += [far] if far else []
        rows.append({
            **({"busy": of.busy() or "no"} if isinstance(comparison, Joined) else {}),
            "version": str(content.get("build", {}).get("version", "?")),
            **{
                name: text for name, text in surroundings(of, content)
                if name not in unsaid and not outer.TOLD.fullmatch(name)
            },
            "cores apart": distance.shown([far]) if far else "?",
            "result": "{}, {} iterations, residuum {}".format(*results[case.name].identity),
        })  # fmt: skip
    names = dict.fromkeys(name for row in rows for name in row)
    told = [(name, [row.get(name, "none") for row in rows]) for name in names]
    found = {name: texts for name, texts in told if len(set(texts)) > 1}
    if apart and max(apart) < distance.APART * min(apart):
        found.pop("cores apart", None)
    if "MPI" in found:
        found.pop("MPI in full", None)
    return list(found.items())


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
