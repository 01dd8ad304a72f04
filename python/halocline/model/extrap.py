"""Extra-P beside the model: measurements in its format, and both on points that were held out.

Extra-P (A. Calotoiu, T. Hoefler, M. Poke, F. Wolf, SC 2013; PyPI `extrap`) fits terms of powers and
logarithms to measured points of a parameter. It knows nothing of what a scheme does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from halocline.errors import HaloclineError
from halocline.model.fitting import Sample
from halocline.outputs import save

KIND = "roundtrip"
"""Of measurements with one parameter, the bytes."""


def text(samples: Sequence[Sample]) -> str:
    """Return round trips as Extra-P's text input: seconds over bytes, a region for each scheme.

    Its regions all have the same points, so a scheme that lacks one is left out.
    """
    mine = [one for one in samples if one.kind == KIND]
    sizes = sorted({one.bytes for one in mine})
    seconds = {(one.scheme, one.bytes): one.seconds for one in mine}
    lines = [
        "PARAMETER bytes",
        "POINTS " + " ".join(f"{size:.12g}" for size in sizes),
        "METRIC time",
    ]
    for scheme in sorted({one.scheme for one in mine}):
        if all((scheme, size) in seconds for size in sizes):
            lines.append(f"REGION {scheme}")
            lines += [f"DATA {seconds[scheme, size]:.9g}" for size in sizes]
    return "\n".join(lines) + "\n"


def available() -> bool:
    """Say whether Extra-P is installed."""
    try:
        import extrap.modelers.model_generator  # noqa: F401
    except ImportError:
        return False
    return True


def predicted(fitted: Sequence[Sample], held: Sequence[Sample]) -> dict[int, float]:
    """Return what Extra-P's models of `fitted` give for round trips among `held`, by their places.

    Raises
    ------
    HaloclineError
        When Extra-P is not installed.
    """
    if not available():
        raise HaloclineError("Extra-P is not installed: pip install extrap")
    from extrap.fileio.file_reader.text_file_reader import TextFileReader
    from extrap.modelers.model_generator import ModelGenerator

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "measured.txt"
        save(file, text(fitted))
        experiment = TextFileReader().read_experiment(file)
    generator = ModelGenerator(experiment)
    generator.model_all()
    functions = {
        callpath.name: model.hypothesis.function
        for (callpath, _), model in generator.models.items()
    }
    return {
        place: float(np.ravel(functions[one.scheme].evaluate([one.bytes]))[0])
        for place, one in enumerate(held)
        if one.kind == KIND and one.scheme in functions
    }
