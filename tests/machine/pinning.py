"""Where threads run, as users see it."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from commands import needs
from programs import MPIEXEC, PROGRAMS, Program

partdiff = Program(PROGRAMS[0])
CPUS = sorted(os.sched_getaffinity(0))
CHOICES = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
WARNING = "threads but was bound to CPU"
pytestmark = [pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs"), needs("taskset")]


def solve(threads, *options, before=(), **variables):
    """Run one problem; return the result file's content and what came on stderr."""
    environment = {k: v for k, v in os.environ.items() if k not in CHOICES}
    words = [threads, 1, 10, 2, 2, 20, "--json", "result.json", *options]
    run = subprocess.run(
        [*before, partdiff.path, *map(str, words)],
        capture_output=True, text=True, timeout=60, env=environment | variables,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(Path("result.json").read_text()), run.stderr


def check(result, ranks=1):
    """Bindings are within what there is, and threads have CPUs of their own."""
    assert len(result["pinning"]) == ranks
    taken = []
    for binding, pinning in zip(result["binding"], result["pinning"]):
        assert set(binding) <= set(CPUS)
        assert len(pinning) == 1
        for cpus in pinning.get("cpus", []):
            assert cpus and set(cpus) <= set(binding)
            taken += cpus
        if "cpus" in pinning:
            assert len(pinning["cpus"]) == result["threads"]
        else:
            assert pinning["not_pinned"]
    assert len(taken) == len(set(taken))


def test_one_core_for_two_threads():
    right = solve(1, "--pin", "off")[0]["result"]
    one = ("taskset", "-c", str(CPUS[0]))
    result, said = solve(2, before=one)
    if result["binding"] != [CPUS[:1]]:
        pytest.skip("taskset has no effect here")
    assert result["result"] == right
    assert "not_pinned" in result["pinning"][0]
    assert said.count(f"partdiff: rank 0 has 2 {WARNING} {CPUS[0]} only") == 1, said

    for variable, value in (("OMP_PROC_BIND", "false"), ("OMP_PLACES", "threads")):
        result, said = solve(2, before=one, **{variable: value})
        assert WARNING not in said
        assert result["pinning"] == [{"not_pinned": f"{variable} is set"}]
        assert result["result"] == right

    result, said = solve(2, "--pin", "off", before=one)
    assert WARNING not in said
    assert result["pinning"] == [{"not_pinned": "--pin off"}]


def test_two_cores_for_two_threads():
    right = solve(2, "--pin", "off")[0]["result"]
    result, said = solve(2)
    assert WARNING not in said
    assert result["result"] == right
    assert result["binding"] == [CPUS]
    check(result)


def test_ranks_do_not_meet():
    right = solve(1, "--pin", "off")[0]["result"]
    result, _ = solve(1, before=(MPIEXEC, "-n", "2"))
    assert result["result"] == right
    check(result, ranks=2)


def test_more_threads_than_cores():
    right = solve(1)[0]["result"]
    result, said = solve(len(CPUS) + 1)
    assert WARNING not in said
    assert "cores" in result["pinning"][0]["not_pinned"]
    assert result["result"] == right


def test_only_auto_or_off():
    run = partdiff(1, 2, 3, 1, 2, 5, "--pin", "tight")
    assert run.returncode == 1
    assert "--pin tight: must be auto or off" in run.stderr
