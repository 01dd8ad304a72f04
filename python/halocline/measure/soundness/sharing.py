"""What the doctor has found, as a file that others may have: nothing in it names host or user."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from halocline import records
from halocline.measure import atlas
from halocline.measure.atlas import Finding, Hidden, Report
from halocline.measure.soundness import felt
from halocline.measure.soundness.examination import Verdict
from halocline.measure.soundness.visit import Diagnosis

LONGEST = 200
"""Letters that are kept of a detail."""


def share(
    found: Diagnosis,
    file: Path,
    *,
    budget_s: float = 180,
    programs: Path | str | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Report:
    """Write what the doctor has found, and how long sound schemes are felt, for the atlas.

    Parameters
    ----------
    found
        Of `doctor(options=True, try_broken=True)`. What was not tried here is left out.
    file
        Where to write it (docs/reference/atlas-file.md).
    budget_s
        Seconds that the ten standard patterns may measure; 0 leaves them out.
    programs
        Folder of the programs; None to look for them.
    say
        Called with what goes on.

    Raises
    ------
    HaloclineError
        When halometer is missing, or the file cannot be written.
    """
    sound = [name for name, one in found.verdicts.items() if one.sound and "+" not in name]
    times = None
    if budget_s > 0 and felt.BASELINE in sound:
        times = felt.measure(sound, budget_s=budget_s, programs=programs, say=say)
    report = report_of(found, times)
    report.save(file)
    return report


def report_of(found: Diagnosis, times: atlas.Felt | None = None) -> Report:
    """Return what may be told of a diagnosis."""
    hidden = Hidden.of(found.facts)
    machine, mpi = found.facts.get("machine", {}), found.facts.get("mpi", {})
    around = found.facts.get("verdicts_hold_for", {})
    named = {"processor": "cpu", "cores": "cores", "kernel": "kernel"}
    return Report(
        how="measured",
        date=records.now()[:10],
        mpi=atlas.library_of(str(mpi.get("built", mpi.get("library", "")))),
        transport=atlas.transport_of(found.facts),
        hosts=atlas.hosts_of(found.facts),
        schemes={
            name: _finding(verdict, hidden)
            for name, verdict in found.verdicts.items()
            if verdict.tried
        },
        settings=atlas.settings_of(around.get("environment", {}), hidden),
        machine={
            name: hidden.without(str(machine[key])) for name, key in named.items() if key in machine
        },
        halocline=str(found.facts.get("build", {}).get("version", "")),
        standard=str(mpi.get("standard", "")),
        missing={name: hidden.without(why) for name, why in found.missing.items()},
        felt=times,
    )


def _finding(verdict: Verdict, hidden: Hidden) -> Finding:
    """Return a verdict without the command that repeats it, which names programs."""
    said = re.split(r"; repeat: ", verdict.detail)[0]
    said = hidden.without(" ".join(said.split()))
    if len(said) > LONGEST:
        said = said[: LONGEST - 3] + "..."
    return Finding(verdict.outcome, list(verdict.ranks), "" if verdict.outcome == "sound" else said)
