"""The machine that this is: measured when it is first needed, and kept."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline import measure, outputs, records
from halocline.errors import HaloclineError
from halocline.launch import Checker, find_program, machine, short_library
from halocline.measure import soundness
from halocline.model import computing, fitting, machines, trust
from halocline.model.fitting import Sample
from halocline.model.machines import Machine

QUICK_BUDGET_S = 6
"""For each of three launches; half a minute of all."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    asked: dict[str, tuple[str, str]]
    """What halometer is asked, by the folder of its results: kinds and their arguments."""
    budget_s: float
    """Seconds for each launch of halometer."""
    launches: int = 1
    problems: tuple[computing.Problem, ...] = computing.PROBLEMS
    schemes: tuple[str, ...] = computing.SCHEMES
    turns: int = computing.LAUNCHES


QUICK = Extent(
    fitting.QUICK, QUICK_BUDGET_S, problems=computing.QUICK, schemes=computing.SCHEMES[:1], turns=1
)


def measured(
    folder: Path,
    extent: Extent,
    *,
    schemes: str | None = None,
    seed: int | None = None,
    programs: Path | None = None,
    say: Say = lambda text: None,
) -> tuple[list[Sample], dict[str, Any]]:
    """Return what halometer measured here, as samples, and where; what is there is not repeated."""
    contents: dict[str, list[dict[str, Any]]] = {}
    for name, (kind, arguments) in extent.asked.items():
        place = folder / name
        if (place / measure.benchmark.FILE).is_file() and measure.load(place).whole():
            found = measure.load(place)
        else:
            say(f"halometer {kind} {arguments}")
            found = measure.bench(
                kind, arguments, ranks=2, schemes=schemes, launches=extent.launches,
                budget_s=extent.budget_s, output=place, seed=seed, programs=programs, again=True,
                say=say,
            )  # fmt: skip
            if found.interrupted:
                raise KeyboardInterrupt
        contents[name] = found.contents()
    border = fitting.border_of(one for some in contents.values() for one in some)
    samples = [
        sample
        for name, some in contents.items()
        for sample in fitting.samples_of(some, name, border)
    ]
    return samples, {"folder": str(folder), "points": len(samples), "near_below_s": border}


def machine_of(
    folder: Path,
    extent: Extent,
    name: str,
    source: str,
    *,
    schemes: str | None = None,
    seed: int | None = None,
    programs: Path | None = None,
    say: Say = lambda text: None,
) -> tuple[Machine, fitting.Fit]:
    """Measure what things cost here, and fit a machine file to it.

    Raises
    ------
    HaloclineError
        When a program is missing or fails, or too little could be measured.
    """
    load = machine.load()[0]
    samples, facts = measured(
        folder, extent, schemes=schemes, seed=seed, programs=programs, say=say
    )
    runs = computing.run(folder, programs, extent.problems, extent.schemes, extent.turns, say)
    say(f"fitting {len(samples)} measurements")
    found = fitting.fit(samples, programs)
    found.machine.content["compute"] = computing.rates(runs)
    made = fitting.finished(found, name, source, trust.spread_of(found.ratios), facts)
    made.content["cores_per_node"] = machine.usable_cores()
    made.content["measured"]["load"] = load
    return made, found


@dataclass(frozen=True)
class Place:
    """What this machine is called, where what was measured of it is kept, and how large it is."""

    name: str
    file: Path
    """One for each processor and MPI."""
    cores: int


def place_of(checker: Checker) -> Place:
    """Return what this machine is, as the programs see it."""
    facts = checker.facts(2)
    processor, cores = (facts["machine"].get(name, "unknown") for name in ("cpu", "cores"))
    library = short_library(str(facts["mpi"].get("library", "")))
    name = f"{processor}, {cores} cores, {library}"
    file = "-".join(re.findall(r"[\w.]+", name)).lower() + ".json"
    found = cores if isinstance(cores, int) and cores > 0 else machine.usable_cores()
    return Place(name, soundness.default_path().parent / "machines" / file, found)


def _busy(load: Any, cores: int) -> str:
    """Say that other work kept a machine busy when it was measured, if it did."""
    if not isinstance(load, (int, float)) or load < cores / 2:
        return ""
    return (
        f" while other work kept it busy (load {load:.1f} on {cores} cores: costs are too high; "
        "delete its file to measure again)"
    )


def here(
    place: Place,
    rates: Collection[str] = (),
    programs: Path | None = None,
    say: Say = lambda text: None,
    assumed: str = "",
) -> Machine:
    """Return the machine that this is, as it was measured here earlier, or is now.

    Parameters
    ----------
    place
        What `place_of` says of it.
    rates
        What must be known of computing: where an earlier version has not measured that, all is
        measured again.
    say
        Told which machine it is, and what is assumed, first; then what is measured.

    Raises
    ------
    HaloclineError
        When no programs are built, they fail, or what is measured cannot be kept.
    """
    if place.file.exists():
        found = machines.load(place.file)
        if computing.MEASURED.isdisjoint(set(rates) - set(found.content.get("compute", {}))):
            time = found.content.get("measured", {}).get("time", "earlier")
            busy = _busy(found.content.get("measured", {}).get("load"), place.cores)
            say(f"this machine: {place.name}, measured {time}{busy}, kept in {place.file}{assumed}")
            return found
    for program in ("halometer", *dict.fromkeys(one.program for one in QUICK.problems)):
        find_program(program, programs)
    try:
        outputs.make_folder(place.file.parent)
        outputs.check(place.file, "the file of this machine,")
    except HaloclineError as error:
        raise HaloclineError(f"{error}; HALOCLINE_CACHE names another folder") from error
    say(
        f"this machine: {place.name}, measured now, which takes a minute on a quiet machine"
        f"{_busy(machine.load()[0], place.cores).replace('kept', 'keeps')}, and is kept in "
        f"{place.file}{assumed}"
    )
    with tempfile.TemporaryDirectory(prefix="halocline-") as folder:
        made, _ = machine_of(
            Path(folder), QUICK, place.name, "measured by halocline model measure --quick",
            programs=programs, say=say,
        )  # fmt: skip
    made.content["measured"].pop("folder", None)  # it is gone
    made.content["measured"].setdefault("time", records.now())
    made.write(place.file)
    return made
