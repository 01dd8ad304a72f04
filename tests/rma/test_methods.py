"""No protocol of the library breaks over the emulated windows, whatever they do."""

import json
import os
from pathlib import Path

import pytest
from programs import PROGRAMS, launch

ALL = "HALOCLINE_TEST_ALL" in os.environ
SEED = int(os.environ.get("HALOCLINE_SOAK", "1"))
BY_NAME = {Path(path).name: path for path in PROGRAMS}
NOT_EMULATED = "*alloc=shared*"
"""MPI's own windows, of which ranks load and store each other's parts."""
REFUSED = {"separate": "*pack=off*,rma:accumulate*", "unified": ""}
OTHERS = "p2p:*,shm:*,neighbor:*,auto*,shmem:*,gaspi*"


def emulated(program, *arguments, ranks, model):
    done = launch(
        "env", f"LD_PRELOAD={BY_NAME['libemulated_windows.so']}", f"EMULATED_MODEL={model}",
        f"EMULATED_SEED={SEED}", BY_NAME[program], *arguments, ranks=ranks, timeout=3000,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def halocheck(schemes, *arguments, ranks, model, leave_out=""):
    left_out = ",".join(filter(None, [NOT_EMULATED, OTHERS, leave_out]))
    said = emulated("halocheck", "--schemes", schemes, "--except", left_out, "--spread", "--delay",
                    50, "--seed", SEED, *arguments, ranks=ranks, model=model)  # fmt: skip
    lines = [json.loads(line) for line in said.splitlines()]
    return {line["scheme"]: line for line in lines if line["event"] == "end"}


@pytest.mark.parametrize("model, ranks", [("separate", 3), ("unified", 2)])
def test_every_two_options_bring_the_same_bytes(model, ranks):
    found = halocheck("pairs", "--shard", "1/1" if ALL else "1/2", "--cases", 1, "--steps", 4,
                      ranks=ranks, model=model, leave_out=REFUSED[model])  # fmt: skip
    assert len(found) > 25
    assert {line["outcome"] for line in found.values()} == {"sound"}


@pytest.mark.skipif(not ALL, reason="for the soak")
@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("model", ["separate", "unified"])
def test_every_combination_brings_the_same_bytes(model, ranks):
    found = halocheck("rma:*", "--cases", 3, "--steps", 6, ranks=ranks, model=model,
                      leave_out=REFUSED[model])  # fmt: skip
    assert {line["outcome"] for line in found.values()} == {"sound"}


def test_all_ranks_refuse_what_the_separate_model_forbids():
    """Also where neighbours have windows of their own, and some ranks are in several."""
    schemes = [
        "rma:put:fence+group=neighbors+alloc=create+pack=off",
        "rma:get:fence+group=neighbors+alloc=dynamic+pack=off", "rma:put:flush+pack=off",
        "rma:accumulate:pscw",
    ]  # fmt: skip
    found = halocheck(",".join(schemes), "--cases", 2, ranks=3, model="separate")
    assert {scheme: line["outcome"] for scheme, line in found.items()} == dict.fromkeys(
        schemes, "refused"
    )
    assert all("separate memory model forbids" in line["detail"] for line in found.values())


@pytest.mark.parametrize(
    "program, tests, model",
    [
        ("async_exchange", "*/rma_put_flush*", "separate"),
        ("async_exchange", "*/rma_get_flush*", "unified"),
        ("combine", "*rma_*", "unified"),
        ("reduction", "*", "separate"),
    ],
)
def test_what_is_built_on_windows_does_too(program, tests, model):
    if not ALL:
        tests = {"async_exchange": tests.replace("*/", "*.Fills*/"),
                 "combine": "Schemes/Combining.*rma_accumulate_*",
                 "reduction": "MaxReduction.Delivers*"}[program]  # fmt: skip
    emulated(program, f"--gtest_filter={tests}", ranks=3, model=model)
