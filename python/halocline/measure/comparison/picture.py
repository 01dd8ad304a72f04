"""A picture of a solution: a field of numbers as a PNG image with level lines."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image

from halocline.errors import HaloclineError
from halocline.launch import Launcher, process
from halocline.measure.comparison.record import Case
from halocline.measure.comparison.table import BASELINE
from halocline.outputs import save

VIRIDIS = np.array([
    (68, 1, 84), (70, 50, 126), (54, 92, 141), (39, 127, 142),
    (31, 161, 135), (74, 193, 109), (160, 218, 57), (253, 231, 37),
])  # fmt: skip
LARGEST_BYTES = 1 << 30
"""Larger fields are not written only to be shrunk again."""


def paint(field: np.ndarray, size: int = 560, levels: int = 12) -> np.ndarray:
    """Colour a two-dimensional field, lowest value dark, with lines between `levels` levels.

    Return its pixels, (height, width, 3) and of type uint8; the longer side has `size`.
    """
    factor = size / max(field.shape)
    height, width = (max(2, round(side * factor)) for side in field.shape)
    whole = Image.fromarray(np.asarray(field, dtype=np.float32))
    shown = np.asarray(whole.resize((width, height), Image.Resampling.BILINEAR), dtype=float)
    low, high = float(shown.min()), float(shown.max())
    height = (shown - low) / (high - low) if high > low else np.zeros_like(shown)
    position = height * (len(VIRIDIS) - 1)
    pixels = np.stack(
        [np.interp(position, np.arange(len(VIRIDIS)), VIRIDIS[:, i]) for i in range(3)], axis=-1
    )
    band = np.floor(height * levels)
    line = np.zeros_like(band, dtype=bool)
    line[1:] |= band[1:] != band[:-1]
    line[:, 1:] |= band[:, 1:] != band[:, :-1]
    pixels[line] *= 0.78
    return pixels.astype(np.uint8)


def take(
    case: Case, program: Path, launcher: Launcher, ranks: int, folder: Path, limit_s: float = 60
) -> Path | None:
    """Run a case once more for its picture; None where the program gives none.

    The field comes from the program's `--output F.npy` and is deleted again.
    """
    arguments = case.picture or case.arguments
    field = folder / "picture.npy"
    command = launcher.command(
        ranks, program, [*arguments, "--scheme", BASELINE, "--output", str(field)]
    )
    try:
        finished = process.run(command, launcher.environment(ranks), limit_s)
        if not finished.ok or not field.is_file() or field.stat().st_size > LARGEST_BYTES:
            return None
        values = np.load(field, mmap_mode="r")
        if values.ndim != 2 or min(values.shape) < 2:
            return None
        image = folder / f"picture-{case.name.replace(' ', '-')}.png"
        drawn = io.BytesIO()
        Image.fromarray(paint(values)).save(drawn, format="PNG", optimize=True)
        return save(image, drawn.getvalue())
    except (HaloclineError, OSError, ValueError):
        return None
    finally:
        field.unlink(missing_ok=True)
