"""Start programs under their MPI, and know the machine that they run on and what disturbs them.

`Launcher` makes command lines, `process` runs them and leaves nothing behind, `Checker` asks a
build what it can do, `machine` and `interference` read Linux.
"""

from halocline.launch import (
    batch,
    gaspi_run,
    interference,
    layout,
    lost,
    machine,
    outer,
    process,
    shared_memory,
    systems,
)
from halocline.launch.answers import answer, has
from halocline.launch.asked import count, counts, words
from halocline.launch.checker import Checker, Scheme, launcher_of
from halocline.launch.interference import Activity
from halocline.launch.launcher import (
    Launcher,
    build_launcher,
    candidates,
    describe,
    launcher_kind,
    short_library,
)
from halocline.launch.process import Child, Finished
from halocline.launch.programs import (
    TRACE,
    find_program,
    first_bytes,
    is_program,
    is_there,
    program_folders,
    programs_of,
)
from halocline.launch.schemes import choose, matching
from halocline.launch.tools import ask, check_options, printed

__all__ = [
    "TRACE",
    "Activity",
    "Checker",
    "Child",
    "Finished",
    "Launcher",
    "Scheme",
    "answer",
    "ask",
    "batch",
    "build_launcher",
    "candidates",
    "check_options",
    "choose",
    "count",
    "counts",
    "describe",
    "find_program",
    "first_bytes",
    "gaspi_run",
    "has",
    "interference",
    "is_program",
    "is_there",
    "launcher_kind",
    "launcher_of",
    "layout",
    "lost",
    "machine",
    "matching",
    "outer",
    "printed",
    "process",
    "program_folders",
    "programs_of",
    "shared_memory",
    "short_library",
    "systems",
    "words",
]
