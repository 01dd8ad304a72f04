"""Start ranks by Slurm's srun, in steps of a job."""

from __future__ import annotations

import os
import re

from halocline.errors import HaloclineError
from halocline.launch import batch, process
from halocline.launch.layout import Layout

WAYS = {
    "mpich": ("pmi2", "pmix"), "intel": ("pmi2", "pmix"),
    "openmpi4": ("pmix", "pmi2"), "openmpi5": ("pmix",),
    "unknown": ("", "cray_shasta", "pmix", "pmi2"),
}  # fmt: skip
"""The kinds of srun's `--mpi` by which an MPI finds its ranks, best first; "" is the site's own."""


def ways(srun: str, library: str) -> list[str]:
    """Return what `--mpi` is to be tried for an MPI library, of what this srun has.

    A user's SLURM_MPI_TYPE is what srun takes without the option.
    """
    if "SLURM_MPI_TYPE" in os.environ:
        return [""]
    listed = process.run([srun, "--mpi=list"], limit_s=20)
    has = set(re.findall(r"\w+", listed.output + listed.errors))
    found = [way for way in WAYS.get(library, WAYS["unknown"]) if not way or way in has]
    return found if "" in found else [*found, ""]


def exported() -> str:
    """Return srun's `--export`: all variables, whatever the site has set (SLURM_EXPORT_ENV).

    Values that it gives with names are kept.
    """
    given = os.environ.get("SLURM_EXPORT_ENV", "")
    return ",".join(["--export=ALL", *re.findall(r"\w+=(?:'[^']*'|[^,]*)", given)])


def flags(
    ranks: int, threads: int | None, layout: Layout, mpi: str, *, pin: bool = True
) -> list[str]:
    """Return the options of srun for a step of so many ranks.

    A step has its cores for itself: what is started beside it waits until there are enough others.
    """
    job = batch.here()
    cores = job.cores_per_node if job and job.system.name == "slurm" else ()
    found = [*[f"--mpi={mpi}"] * bool(mpi), exported()]
    if not cores:  # srun asks for an allocation itself
        found += [f"--nodes={layout.nodes}"] * bool(layout.nodes)
        found += [f"--ntasks-per-node={layout.ranks_per_node}"] * bool(layout.ranks_per_node)
        return [*found, f"--cpus-per-task={threads or 1}", *_binding(pin), "--kill-on-bad-exit=1"]
    spread = layout.of(ranks, cores, threads)
    found += [
        f"--nodes={spread.nodes}", f"--ntasks-per-node={spread.ranks_per_node}",
        "--distribution=block", "--mem=0", "--kill-on-bad-exit=1",
    ]  # fmt: skip
    if spread.cores_per_rank:
        found += [f"--cpus-per-task={spread.cores_per_rank}", *_binding(pin)]
        found += ["--threads-per-core=1"] * (job is not None and job.threads_per_core > 1)
    else:
        found += ["--overcommit", *_binding(pin=False)]
    if job is not None and job.within_step:
        return [*found, "--overlap"]  # its cores are this step's, which waits meanwhile
    return [*found, "--exact"] if spread.cores_per_rank else found


def _binding(pin: bool) -> list[str]:
    return [f"--cpu-bind={'cores' if pin else 'none'}"]


def refuse_elsewhere(layout: Layout, path: str) -> None:
    """Refuse a layout where a launcher knows no nodes."""
    if layout:
        raise HaloclineError(
            f"{layout}: {path} starts ranks on this node alone; in a job of Slurm, or of a system "
            "that launchers.ini describes, they go over nodes"
        )
