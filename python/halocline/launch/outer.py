"""The launcher that has started this process as a rank: its variables are not for other jobs.

A rank that starts another job, such as a script under `mpiexec`, hands its environment on. The
ranks of the inner job would take the outer job's word for who they are, of another MPI, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

RANK = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_ID", "SLURM_STEP_NUM_TASKS")
"""One of these is set in a rank."""
TOLD = re.compile(
    r"PMI_\w+|PMIX_(?!MCA_|PREFIX$|INSTALL_PREFIX$)\w+|MPI_LOCAL(NRANKS|RANKID)|HYDI_\w+|"
    r"PRTE_(?!MCA_|PREFIX$)\w+|OPAL_USER_PARAMS_GIVEN|"
    r"OMPI_(COMM_WORLD|WORLD|UNIVERSE|NUM_APP|APP_CTX|FIRST_RANKS|FILE_LOCATION|ARGV$|COMMAND$|"
    r"TOOL_NAME|VERSION|LIBDIR_LOC|MCA_(PREFIXES|cpu_type|ess|initial_wdir|num_procs|orte_|pmix$|"
    r"shmem_RUNTIME))\w*|"
    r"SLURM_(PROCID|LOCALID|NODEID|GTIDS|TASK_PID|STEP_NUM_TASKS)"
)
"""What launchers of MPICH, Intel MPI, Open MPI and Slurm tell a rank; what users set stays."""


def without(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for children that are no ranks of the job that this process is in."""
    environment = os.environ if environment is None else environment
    if not any(name in environment for name in RANK):
        return dict(environment)
    return {name: value for name, value in environment.items() if not TOLD.fullmatch(name)}
