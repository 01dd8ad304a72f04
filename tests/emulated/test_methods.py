"""No protocol of the library breaks over the emulated windows, whatever they do."""

import os
from pathlib import Path

import pytest
from programs import PROGRAMS, launch

ALL = "HALOCLINE_TEST_ALL" in os.environ
SEEDS = range(1, 9) if ALL else [1]
BY_NAME = {Path(path).name: path for path in PROGRAMS}
EMULATED = "rma:*"
NOT_EMULATED = "*alloc=shared*"
"""MPI's own windows, of which ranks load and store each other's parts."""
OTHERS = "p2p:*,shm:*,neighbor:*,auto*,shmem:*,gaspi*"


def emulated(program, *arguments, ranks, model, seed):
    done = launch(
        "env", f"LD_PRELOAD={BY_NAME['libemulated_windows.so']}", f"EMULATED_MODEL={model}",
        f"EMULATED_SEED={seed}", BY_NAME[program], *arguments, ranks=ranks, timeout=3000,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ranks", [2, 3, 4] if ALL else [2, 3])
@pytest.mark.parametrize("model", ["separate", "unified"])
def test_every_scheme_brings_the_same_bytes(model, ranks, seed):
    which = ["--schemes", EMULATED, "--except", NOT_EMULATED, "--cases", 6]
    if not ALL:
        which = ["--schemes", "pairs", "--except", f"{NOT_EMULATED},{OTHERS}", "--cases", 1]
    emulated("halocheck", *which, "--spread", "--steps", 6, "--delay", 50, "--seed", seed,
             ranks=ranks, model=model, seed=seed)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "program, tests, model",
    [
        ("combine", "*rma_*", "unified"),
        ("async_exchange", "*/rma_put_flush*", "separate"),
        ("async_exchange", "*/rma_get_flush*", "unified"),
        ("reduction", "*", "separate"),
    ],
)
def test_what_is_built_on_windows_does_too(program, tests, model, seed):
    emulated(program, f"--gtest_filter={tests}", ranks=3, model=model, seed=seed)
