"""Tell the end of a job, or of a node of it, from the end of a program in it.

No verdict about a program or a scheme follows from such an end.
"""

from __future__ import annotations

import os
import re
import subprocess

SAID = re.compile(
    r"DUE TO (?:TIME LIMIT|NODE FAILURE|PREEMPTION|JOB REQUEUE)|Node failure on \S+|"
    r"Required node not available|Job/step already completing or completed|"
    r"Unable to confirm allocation|[Ii]nvalid job id|Expired or invalid job|"
    r"[Jj]ob has been cancelled|Unable to contact slurm controller"
)
"""Words of srun and slurmstepd."""
WHO = ("srun:", "slurmstepd:")
WAITS = "step creation temporarily disabled"
ends: list[str] = []
"""What this process has heard of it, for whoever says last what happened."""


def words(errors: str) -> str:
    """Return what srun says of it in its error output; empty if it says nothing of the kind.

    Who waits for a step until the end has not started: the job has nodes or cores no more.
    """
    waits = ""
    for line in errors.splitlines():
        if not line.lstrip().startswith(WHO):
            continue
        if SAID.search(line):
            return line.strip()
        if WAITS in line or "Step created" in line:
            waits = line.strip() if WAITS in line else ""
    return waits


def nodes() -> str:
    """Say that this process's job has fewer nodes than it began with; empty if not.

    srun may wait without a word for ranks on a node that a job with --no-kill has lost.
    """
    job, had = (os.environ.get(f"SLURM_JOB_{name}", "") for name in ("ID", "NUM_NODES"))
    if not job or not had.isdecimal():
        return ""
    try:
        asked = subprocess.run(
            ["squeue", "--noheader", "-j", job, "-o", "%D"], capture_output=True, text=True,
            errors="replace", timeout=20, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    left = asked.stdout.strip()
    fewer = left.isdecimal() and int(left) < int(had)
    return f"{left} of its {had} nodes are left" if fewer else ""


JOB = re.compile(r"\*\*\* JOB \S+ ON \S+ CANCELLED.*|TERM_\w+: |PBS: job killed: .*")


def ended_job(line: str) -> bool:
    """Whether a line of a job's output says that its system has ended it."""
    return bool(JOB.search(line) or words(line))
