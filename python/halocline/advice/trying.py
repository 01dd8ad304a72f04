"""Variables of MPI libraries that may change what an exchange takes: tried, not guessed.

Each is a launch of the program's own way in a replay, in turns with one that sets nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from halocline.advice import builds, disturbance, replaying
from halocline.advice.analysis import Analysis
from halocline.advice.answer import Try
from halocline.advice.patterns import Pattern
from halocline.advice.replay import PRESENT, Contender
from halocline.advice.replaying import Replay
from halocline.advice.savings import BUSY, share_saved
from halocline.errors import HaloclineError

TURNS = 6
"""Launches of each: the least that tell two of them apart."""
MOST_S, LEAST_S = 2.0, 0.3
"""Measured in a launch; all of them together take no longer than the replay's budget."""
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


def tries(doing: Replay, found: Analysis, busy: str = "") -> list[Try]:
    """Try the variables that there are for this MPI on the pattern that takes most.

    Nothing is tried if others have kept the machine `busy`: nothing could be told apart.
    """
    run = found.recording.run
    library = "intel" if "Intel" in run.library else run.interface
    table = TABLE.get(library, [])
    worth = replaying.weighed(found)
    if not table or not worth:
        return []
    if busy:
        return [Try(variables, what, None, f"not tried: {BUSY}") for variables, what in table]
    (pattern, _), *_ = worth
    seconds = min(max(doing.budget_s / (TURNS * (len(table) + 1)), LEAST_S), MOST_S)
    doing.say(f"trying {len(table)} settings of the MPI library, {TURNS} times each")
    measured = _Launches(doing, found, pattern, seconds)
    with disturbance.watching() as watched:
        measured.take([{}, *(variables for variables, _ in table)])
    busy = watched.found.busy("they were tried", found.recording) if watched.found else ""
    return [_told(measured, place, *one, busy) for place, one in enumerate(table, 1)]


class _Launches:
    """Launches of a program's own way with variables set, in turns and random order."""

    def __init__(self, doing: Replay, found: Analysis, pattern: Pattern, seconds: float) -> None:
        self.doing, self.found, self.pattern, self.seconds = doing, found, pattern, seconds
        self.folder = builds.folder_for(
            found.recording.run.interface, found.recording.run.library, doing.programs
        )
        self.times: list[list[float]] = []
        self.owns: list[float] = []
        self.failed: dict[int, str] = {}

    def take(self, sets: Sequence[Mapping[str, str]]) -> None:
        """Launch each set; the first is what others are compared with. What fails is left."""
        self.times = [[] for _ in sets]
        random = Random(self.doing.seed)
        for _ in range(TURNS):
            order = list(range(len(sets)))
            random.shuffle(order)
            for place in order:
                if place in self.failed or 0 in self.failed:
                    continue
                try:
                    one = self._launch(sets[place])
                except HaloclineError as error:
                    self.failed[place] = str(error).splitlines()[0]
                    continue
                self.times[place].append(float(np.median(one.steps)))
                if place == 0:
                    self.owns.append(one.own)

    def _launch(self, variables: Mapping[str, str]) -> Contender:
        doing = replace(self.doing, environment={**self.doing.environment, **variables})
        results = doing.measured(
            self.found, [(self.pattern, 1.0)], "try-plan.json", "try.json", self.seconds,
            self.folder, schemes=[], alternatives=[], quietly=True,
        )  # fmt: skip
        (one,) = results.patterns.values()
        if one.present is None:
            raise HaloclineError(f"{PRESENT} was not measured")
        return one.present


def _told(
    measured: _Launches, place: int, variables: dict[str, str], what: str, busy: str
) -> Try:  # fmt: skip
    """Return what a set of variables saves of the run."""
    for failed in (0, place):
        if failed in measured.failed:
            return Try(variables, what, None, f"not tried: {measured.failed[failed]}")
    if busy:
        return Try(variables, what, None, f"unknown: {busy}")
    found, pattern = measured.found, measured.pattern
    own = max(float(np.median(measured.owns)), 1e-12)
    movable = found.splits[pattern.number].movable / pattern.all_seconds
    pairs = zip(measured.times[0], measured.times[place])
    share = share_saved([(a - b) / own for a, b in pairs], movable)
    if share.low > 0 and share.value >= movable:
        return Try(variables, what, None, f"unknown: {BUSY}")
    if share.low <= 0 <= share.high:
        return Try(variables, what, None)
    return Try(variables, what, share)
