#!/usr/bin/env python3
"""Stands in for srun, squeue, sbatch, scancel and scontrol, by the name it is called with.

FAKE_SLURM names a folder. `config.json` in it holds: `mpi`, the `--mpi` by which ranks meet;
`left`, what squeue says of the time, and `nodes`, of how many there are; `states`, what it says of
jobs, and `away`, whether it cannot; `node_fails`, the number of the step in which a node does;
`node`, what scontrol says of each node. What srun is told goes to `steps`, a line each; sbatch
copies scripts there.
"""

import json
import os
import shutil
import sys
from pathlib import Path

HERE = Path(os.environ["FAKE_SLURM"])
CONFIG = json.loads((HERE / "config.json").read_text())


def srun(arguments):
    if "--version" in arguments:
        print("slurm 22.05.8")
        return 0
    if "--mpi=list" in arguments:
        print(
            "MPI plugin types are...\n\tcray_shasta\n\tpmi2\n\tpmix\n\tnone\nspecific:\n\tpmix_v4"
        )
        return 0
    at = arguments.index("-n")
    flags, ranks, command = arguments[:at], arguments[at + 1], arguments[at + 2 :]
    with (HERE / "steps").open("a+") as log:
        log.write(f"{' '.join(flags)} -n {ranks} {Path(command[0]).name}\n")
        log.seek(0)
        number = sum(1 for _ in log)
    if number == CONFIG.get("node_fails"):
        print("srun: error: Node failure on n2\nsrun: Job step aborted: Waiting up to 4 seconds",
              file=sys.stderr)  # fmt: skip
        return 1
    if f"--mpi={CONFIG.get('mpi', 'pmi2')}" in flags:
        os.environ["FAKE_RANKS"] = ranks
    return os.execv(command[0], command)


def squeue(arguments):
    if "%L" in arguments:
        print(CONFIG.get("left", "29:30"))
        return 0
    if "%D" in arguments:
        print(CONFIG.get("nodes", 3))
        return 0
    job = arguments[arguments.index("-j") + 1]
    if CONFIG.get("away"):
        print("slurm_load_jobs error: Unable to contact slurm controller", file=sys.stderr)
        return 1
    state = CONFIG.get("states", {}).get(job)
    if state is None:
        print("slurm_load_jobs error: Invalid job id specified", file=sys.stderr)
        return 1
    print(state)
    return 0


def scontrol(arguments):
    if "node" not in CONFIG:
        print("slurm_load_node error: Unable to contact slurm controller", file=sys.stderr)
        return 1
    print(f"NodeName=n1 Arch=x86_64 {CONFIG['node']}\n   State=ALLOCATED ThreadsPerCoreMax=8")
    return 0


def sbatch(arguments):
    script = Path(arguments[-1])
    shutil.copy(script, HERE / "script")
    print("4711;cluster" if "--parsable" in arguments else "Submitted batch job 4711")
    return 0


if __name__ == "__main__":
    sys.exit(globals()[Path(sys.argv[0]).name](sys.argv[1:]))
