"""Each wait state, made by a delay of known length on rank 1: name, culprit and length."""

import os
import statistics
import subprocess
from collections import defaultdict

import pytest
from halocline.trace import Trace, critical_path, losses, wait_states

MILLISECONDS = 8
CASES = {
    "p2p": "late sender",
    "sendrecv": "late sender",
    "neighbor": "late sender",
    "signal": "late sender",
    "synchronous": "late receiver",
    "copy": "late receiver",
    "post": "late post",
    "origin": "early wait",
    "complete": "late complete",
    "fence": "wait at fence",
    "shm_fence": "wait at fence",
    "put": "late sender",
    "flush": "late complete",
    "get": "late sender",
    "progress": "wait for progress",
    "lock": "lock competition",
    "reduction": "imbalance before a reduction",
}


@pytest.mark.parametrize("case", CASES)
def test_a_delay_is_found_by_name_culprit_and_length(case, tmp_path):
    file = tmp_path / "run.trace"
    command = [*os.environ["HALOCLINE_TEST_MPIEXEC"].split(";"), "-n", "2"]
    said = subprocess.run(
        [*command, os.environ["HALOCLINE_TEST_DELAYED"], case, str(MILLISECONDS), str(file)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    trace = Trace.load(file)
    assert trace.dropped == 0
    # Where the machine is busy a rank may be late by more, and rank 0 later than rank 1.
    late = [float(line) for line in said.stdout.split()]
    assert len(late) == 10
    by_name = defaultdict(list)
    for state in wait_states(trace):
        if state.rank == 0:
            assert state.culprit == 1
            by_name[state.name].append(1e3 * state.seconds)
    # What comes from elsewhere comes nowhere near.
    assert max(by_name, key=lambda name: sum(by_name[name])) == CASES[case]
    lengths = [length for length in by_name[CASES[case]] if length > MILLISECONDS / 2]
    expected = [length for length in late if length > MILLISECONDS / 2]
    assert len(lengths) == len(expected) >= 5
    errors = [abs(found / right - 1) for found, right in zip(lengths, expected)]
    assert statistics.median(errors) < 0.05

    path = critical_path(trace)
    assert all(one.end == two.begin for one, two in zip(path, path[1:]))
    on_path = sum(1e-6 * (one.end - one.begin) for one in path if one.rank == 1)
    assert on_path > 0.7 * sum(lengths)
    if case != "lock":  # an application's own lock belongs to no exchange
        loss = max(losses(trace), key=lambda loss: loss.share)
        assert (CASES[case], 1) in {(part.name, part.culprit) for part in loss.parts}
