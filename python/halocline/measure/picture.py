"""A picture of a solution: a field of numbers as a PNG image with level lines."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

from halocline.errors import HaloclineError
from halocline.launch import process
from halocline.launch.launcher import Launcher
from halocline.measure.compare import BASELINE, Case

VIRIDIS = np.array([
    (68, 1, 84), (70, 50, 126), (54, 92, 141), (39, 127, 142),
    (31, 161, 135), (74, 193, 109), (160, 218, 57), (253, 231, 37),
])  # fmt: skip
LARGEST_BYTES = 1 << 30
"""Larger fields are not written only to be shrunk again."""


def png(pixels: np.ndarray) -> bytes:
    """Encode an array of shape (height, width, 3) and type uint8 as a PNG file."""
    height, width, _ = pixels.shape
    rows = np.hstack([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)])

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + chunk(b"IEND", b"")
    )


def resample(field: np.ndarray, size: int) -> np.ndarray:
    """Return the field with its longer side `size` points long, by bilinear interpolation."""
    height, width = field.shape
    factor = size / max(height, width)
    y = np.linspace(0, height - 1, max(2, round(height * factor)))
    x = np.linspace(0, width - 1, max(2, round(width * factor)))
    top, left = np.minimum(y.astype(int), height - 2), np.minimum(x.astype(int), width - 2)
    down, right = (y - top)[:, None], (x - left)[None, :]
    upper = field[top][:, left] * (1 - right) + field[top][:, left + 1] * right
    lower = field[top + 1][:, left] * (1 - right) + field[top + 1][:, left + 1] * right
    return upper * (1 - down) + lower * down


def paint(field: np.ndarray, size: int = 560, levels: int = 12) -> np.ndarray:
    """Colour a two-dimensional field, lowest value dark, with lines between `levels` levels."""
    shown = resample(np.asarray(field), size).astype(float)
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
        image.write_bytes(png(paint(values)))
        return image
    except (HaloclineError, OSError, ValueError):
        return None
    finally:
        field.unlink(missing_ok=True)
