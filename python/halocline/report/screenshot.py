"""A picture of a page, as a browser shows it: for documents."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.launch import process

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SIZE = (1200, 1010)
"""Pixels across and down: the answer, the picture, and how to use it."""
DENSITY = 1.5
LIMIT_S = 60


def take(page: Path, image: Path) -> Path:
    """Show the top of a page in a browser without a window, and keep what it shows as a PNG file.

    Raises
    ------
    HaloclineError
        When there is no browser, or it shows nothing.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise HaloclineError(f"--screenshot needs a browser: one of {', '.join(BROWSERS)}")
    image.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        finished = process.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--hide-scrollbars", f"--user-data-dir={profile}",
                "--blink-settings=preferredColorScheme=1",
                f"--force-device-scale-factor={DENSITY:g}",
                "--window-size={},{}".format(*SIZE), f"--screenshot={image.absolute()}",
                page.absolute().as_uri(),
            ],
            {}, LIMIT_S,
        )  # fmt: skip
    if not image.is_file():
        raise HaloclineError(f"{browser} made no picture: {finished.reason()}")
    return image
