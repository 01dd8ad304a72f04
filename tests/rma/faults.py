"""Faults planted in the library's one-sided protocols, and how each is found.

python3 tests/rma/faults.py build/release

prints the table of docs/explanation/checked-protocols.md. A fault is a call that the programmer has
left out: the emulated windows do nothing there.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FIRST = int(os.environ.get("HALOCLINE_SOAK", "1"))
SEEDS = range(FIRST, FIRST + 40)
"""So many runs may be needed: what ranks do is left to chance, and so is who comes first."""


@dataclass(frozen=True)
class Fault:
    """A call that is left out of what a scheme does."""

    scheme: str
    """Or what else is checked; its program is in `COMMANDS`."""
    left_out: str
    """As for EMULATED_FORGET."""
    meaning: str
    model: str = "separate"
    ranks: int = 2
    cases: int = 5


FAULTS = [
    Fault("rma:put:fence", "MPI_Win_fence=4", "one fence"),
    Fault("rma:put:fence", "MPI_Win_fence=4@1", "one fence, on one rank"),
    Fault("rma:put:fence+group=neighbors", "MPI_Win_fence=4", "one fence", ranks=3),
    Fault("rma:put:fence+pack=off", "MPI_Win_fence=3%2", "opening fences", "unified"),
    Fault("rma:get:fence", "MPI_Win_fence=3%2", "opening fences"),
    Fault("rma:get:fence", "MPI_Win_fence=2%2", "closing fences"),
    Fault("rma:accumulate:fence", "MPI_Win_fence=3%2", "opening fences", "unified"),
    Fault("rma:accumulate:fence", "MPI_Win_fence=2%2", "closing fences", "unified"),
    Fault("rma:put:pscw", "MPI_Win_post=3", "one post"),
    Fault("rma:put:pscw", "MPI_Win_start=3", "one start"),
    Fault("rma:put:pscw", "MPI_Win_complete=3", "one complete"),
    Fault("rma:put:pscw", "MPI_Win_test", "waits"),
    Fault("rma:get:pscw", "MPI_Win_complete=3", "one complete"),
    Fault("rma:get:pscw", "MPI_Win_test", "waits"),
    Fault("rma:put:flush", "MPI_Win_flush/data", "flushes"),
    Fault("rma:put:flush", "MPI_Win_sync/data", "the target's MPI_Win_sync"),
    Fault("rma:put:flush", "MPI_Isend/arrival=5@0", "one notification"),
    Fault("rma:put:flush", "MPI_Irecv/arrival", "waits for notifications"),
    Fault("rma:put:flush", "MPI_Isend/permit=2@0", "one permission", ranks=3),
    Fault("rma:put:flush", "MPI_Irecv/permit", "waits for permissions", ranks=3),
    Fault("rma:put:flush+pack=off", "MPI_Irecv/permit", "waits for permissions", "unified"),
    Fault("rma:put:flush+pack=off", "MPI_Win_sync/data=1%2", "MPI_Win_sync before halos are lent",
          "unified", cases=1),
    Fault("rma:put:flush", "MPI_Win_lock_all/data", "MPI_Win_lock_all"),
    Fault("rma:put:flush+notify=flag", "MPI_Win_flush/data", "flushes"),
    Fault("rma:put:flush+notify=flag", "MPI_Accumulate/words=9%1@0", "flags of one rank"),
    Fault("rma:put:flush+notify=flag", "MPI_Win_flush/words", "flushes of flags"),
    Fault("rma:put:flush+notify=counter", "MPI_Win_flush/data", "flushes"),
    Fault("rma:put:flush+notify=counter", "MPI_Accumulate/words=9%1@0", "counts of one rank"),
    Fault("rma:get:flush", "MPI_Win_flush/data", "flushes"),
    Fault("rma:get:flush", "MPI_Win_sync/data", "the sender's MPI_Win_sync"),
    Fault("rma:get:flush", "MPI_Irecv/arrival", "waits for notifications"),
    Fault("rma:get:flush", "MPI_Irecv/permit", "waits for permissions", ranks=3),
    Fault("rma:put:lock", "MPI_Win_lock/target,MPI_Win_unlock/target", "locks and unlocks"),
    Fault("rma:put:lock", "MPI_Win_unlock/target=3", "one unlock"),
    Fault("rma:put:lock", "MPI_Win_lock/own,MPI_Win_unlock/own", "locks of the target's own part"),
    Fault("rma:put:lock+pack=off", "MPI_Win_lock/own=1%2,MPI_Win_unlock/own=1%2",
          "locks before halos are lent", "unified", cases=1),
    Fault("rma:get:lock", "MPI_Win_lock/own,MPI_Win_unlock/own", "locks of the sender's own part"),
    Fault("rma:accumulate:flush", "MPI_Win_flush/data", "flushes", "unified"),
    Fault("rma:accumulate:flush", "MPI_Win_sync/data", "MPI_Win_sync", "unified"),
    Fault("rma:accumulate:lock", "MPI_Win_lock/own,MPI_Win_unlock/own",
          "locks of the target's own part", "unified"),
    Fault("asynchronous rma:put:flush", "MPI_Win_flush/data", "flushes"),
    Fault("asynchronous rma:put:flush", "MPI_Win_sync/data", "the receiver's MPI_Win_sync"),
    Fault("asynchronous rma:get:flush", "MPI_Win_flush/data", "flushes", "unified"),
    Fault("reduction accumulate", "MPI_Win_flush/words=1%2@0",
          "flushes between a value and its count"),
]  # fmt: skip

COMMANDS = {
    "reduction accumulate": ["reduction", "--gtest_filter=MaxReduction.Delivers*"],
    "asynchronous rma:put:flush": ["async_exchange", "--gtest_filter=*.FillsBoth*/rma_put_flush_*"],
    "asynchronous rma:get:flush": ["async_exchange", "--gtest_filter=*.FillsBoth*/rma_get_flush_*"],
}
"""Tests of what halocheck does not check."""


def command(fault, seed):
    """Return the program and its arguments."""
    if fault.scheme in COMMANDS:
        return COMMANDS[fault.scheme]
    return ["halocheck", "--schemes", fault.scheme, "--cases", fault.cases, "--steps", 12,
            "--delay", 200, "--seed", seed, "--timeout", 60]  # fmt: skip


def run(start, programs, fault, seed):
    """Start it; `programs` are paths by their names. Return what it says."""
    layer = programs["libemulated_windows.so"]
    program, *arguments = command(fault, seed)
    environment = {"EMULATED_MODEL": fault.model, "EMULATED_SEED": seed,
                   "EMULATED_FORGET": fault.left_out}  # fmt: skip
    variables = [f"{name}={value}" for name, value in environment.items()]
    return subprocess.run(
        [*start, "-n", str(fault.ranks), "env", f"LD_PRELOAD={layer}", *variables,
         programs[program], *map(str, arguments)],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip


def found(done):
    """Return how a run has found the fault; nothing if it has not."""
    said = re.search(r"^emulated: (race|illegal|hang): rank \d+: (.*)", done.stderr, re.M)
    if said:
        kind, what = said.groups()
        call = what.partition(":")[0]
        return {"race": f"race, seen in {call}", "illegal": what, "hang": "hang"}[kind]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if any(line.get("outcome") == "wrong" for line in lines):
        return "wrong bytes"
    if re.search(r"^\[rank \d+\] .* failed at |: Failure$", done.stderr + done.stdout, re.M):
        return "wrong values"
    # A job that was ended may lose its last words in mpiexec: then the next run tells.
    assert done.returncode or "leaves out" in done.stderr, "no such call: " + done.stdout
    return ""


def search(start, programs, fault):
    """Return how it is found."""
    for seed in SEEDS:
        if how := found(run(start, programs, fault, seed)):
            return how
    return ""


def main(build):
    """Print the table."""
    folder = Path(build)
    names = ["libemulated_windows.so", "reduction", "async_exchange"]
    programs = {name: folder / "tests/bin" / name for name in names}
    programs["halocheck"] = folder / "bin/halocheck"
    print("| protocol | left out | model | ranks | found by |")
    print("|---|---|---|---|---|")
    missed = 0
    for fault in FAULTS:
        how = search([os.fspath(folder / "mpiexec")], programs, fault)
        missed += not how
        print(f"| {fault.scheme} | {fault.meaning} (`{fault.left_out}`) | {fault.model} "
              f"| {fault.ranks} | {how or 'nothing'} |", flush=True)  # fmt: skip
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
