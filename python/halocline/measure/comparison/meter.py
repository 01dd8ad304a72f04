"""Yardsticks of halometer among the launches of programs.

A launch of halometer measures one setting; what it writes becomes a result file, as a program would
have written it.
"""

from __future__ import annotations

from pathlib import Path

from halocline import records
from halocline.errors import HaloclineError
from halocline.measure import benchmark, results

PROGRAM = "halometer"


def as_result(file: Path) -> Path:
    """Write the only setting of a file of halometer as a result file beside it; return that.

    Raises
    ------
    HaloclineError
        When it is none, or the setting was left out; the message says why.
    """
    content = benchmark.load(file)
    if len(content["settings"]) != 1:
        raise HaloclineError(f"{file} has {len(content['settings'])} settings; one is expected")
    (setting,) = content["settings"]
    if "left_out" in setting:
        raise HaloclineError(setting["left_out"])
    own = ("format", "version", "clock", "settings")
    made = {name: value for name, value in content.items() if name not in own}
    made |= {
        "scheme": setting["scheme"],
        "parameters": setting["parameters"],
        "result": {"iterations": 1, **setting.get("result", {})},
        "samples": {"total_s": setting["samples_s"]},
    }
    result = file.with_name(f"{file.stem}-result.json")
    records.write(result, results.FORMAT, results.VERSION, made)
    return result
