"""Variables of MPI libraries that may change what an exchange takes: tried, not guessed.

Each is a launch of the program's own way in a replay, in turns with one that sets nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import numpy as np

from halocline.advice import builds
from halocline.advice.analysis import Analysis
from halocline.advice.answer import Try
from halocline.advice.replay import PRESENT
from halocline.advice.replaying import Replay
from halocline.advice.savings import BUSY, share_saved
from halocline.errors import HaloclineError

TURNS = 6
"""Launches of each: the least that tell two of them apart."""
SECONDS = 2.0
"""Of a launch."""
COPIES = {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1073741824"}
TABLE: Mapping[str, list[tuple[dict[str, str], str]]] = {
    "mpich": [
        ({"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "1000000000"}, "no copies by the kernel"),
        ({"MPIR_CVAR_CH4_SHM_POSIX_EAGER": "iqueue",
          "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": "69632"}, "larger cells between processes"),
        (COPIES, "other copies of large blocks"),
    ],
    "openmpi": [
        ({"OMPI_MCA_pml": "ob1"}, "its own messages rather than UCX"),
        ({"OMPI_MCA_btl_sm_eager_limit": "65536", "OMPI_MCA_btl_vader_eager_limit": "65536"},
         "larger messages sent at once"),
        ({"OMPI_MCA_smsc": "cma", "OMPI_MCA_btl_vader_single_copy_mechanism": "cma"},
         "one copy by the kernel"),
        (COPIES, "other copies of large blocks"),
    ],
    "intel": [
        ({"I_MPI_FABRICS": "shm"}, "shared memory alone, on one node"),
        ({"I_MPI_SHM_CELL_FWD_SIZE": "65536"}, "larger cells between processes"),
        (COPIES, "other copies of large blocks"),
    ],
}  # fmt: skip
"""By the MPI library: few, and each known to have helped somebody."""


def tries(doing: Replay, found: Analysis) -> list[Try]:
    """Try the variables that there are for this MPI on the pattern that takes most."""
    run = found.recording.run
    library = "intel" if "Intel" in run.library else run.interface
    table = TABLE.get(library, [])
    chosen = [(one, 1.0) for one in found.worth[:1]]
    if not table or not chosen:
        return []
    folder = builds.folder_for(run.interface, run.library, doing.programs)
    sets: list[dict[str, str]] = [{}, *(variables for variables, _ in table)]
    times: list[list[float]] = [[] for _ in sets]
    owns: list[float] = []
    failed: dict[int, str] = {}
    doing.say(f"trying {len(table)} settings of the MPI library, {TURNS} times each")
    random = Random(doing.seed)
    for _ in range(TURNS):
        order = list(range(len(sets)))
        random.shuffle(order)
        for place in order:
            if place in failed:
                continue
            with_set = replace(doing, environment={**doing.environment, **sets[place]})
            try:
                results = with_set.measured(
                    found, chosen, "try-plan.json", "try.json", SECONDS, folder,
                    schemes=[], alternatives=[], quietly=True,
                )  # fmt: skip
                (one,) = results.patterns.values()
                steps = one.present.steps if one.present else ()
                if not steps:
                    raise HaloclineError(f"{PRESENT} was not measured")
                times[place].append(float(np.median(steps)))
                if place == 0 and one.present:
                    owns.append(one.present.own)
            except HaloclineError as error:
                failed[place] = str(error).splitlines()[0]
    pattern = chosen[0][0]
    own = max(float(np.median(owns)) if owns else 0.0, 1e-12)
    movable = found.splits[pattern.number].movable / pattern.all_seconds
    made = []
    for place, (variables, what) in enumerate(table, 1):
        if place in failed or len(times[0]) < TURNS:
            made.append(Try(variables, what, None, failed.get(place, failed.get(0, "no time"))))
            continue
        share = share_saved([(a - b) / own for a, b in zip(times[0], times[place])], movable)
        if share.low > 0 and share.value >= movable:
            made.append(Try(variables, what, None, f"{BUSY} and nothing could be told"))
        else:
            made.append(Try(variables, what, share if share.low > 0 else None))
    return made
