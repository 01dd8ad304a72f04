"""What small programs do with a window is reported if it is a race, and carried out if not."""

import os
import re
from pathlib import Path

import pytest
from programs import PROGRAMS, launch

SEED = int(os.environ.get("HALOCLINE_SOAK", "1"))
BY_NAME = {Path(path).name: path for path in PROGRAMS}
SOURCE = Path(__file__).with_name("cases") / "window_cases.cpp"
CASES = re.findall(r'{"((?:race|right):[^"]+)"', SOURCE.read_text())


def run(case, seed):
    model = "coherent" if seed % 2 else "unified"
    return launch(
        "env", f"LD_PRELOAD={BY_NAME['libemulated_windows.so']}", f"EMULATED_MODEL={model}",
        f"EMULATED_SEED={seed}", BY_NAME["window_cases"], case, ranks=3, timeout=100,
    )  # fmt: skip


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("race")])
def test_race_is_found(case):
    """Perhaps not at once: whether two ranks meet is left to chance."""
    seeds = range(SEED, SEED + 20)
    assert any("emulated: race: rank" in run(case, seed).stderr for seed in seeds)


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("right")])
def test_what_is_right_is_carried_out(case):
    done = run(case, SEED + CASES.index(case))
    assert done.returncode == 0, done.stderr
