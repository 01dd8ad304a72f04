"""A picture of a page, as a browser shows it: for documents."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.launch import is_there, process
from halocline.outputs import save

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SIZE = (1200, 1010)
"""Pixels across and down: of a report the answer, the picture, and how to use it."""
DENSITY = 1.5
LIMIT_S = 60


def take(page: Path, image: Path, part: str = "", size: tuple[int, int] = SIZE) -> Path:
    """Show the top of a page in a browser without a window, and keep what it shows as a PNG file.

    Parameters
    ----------
    page, image
        The HTML file, and the PNG file.
    part
        Of the page, as after # in its address.
    size
        Pixels across and down.

    Raises
    ------
    HaloclineError
        When there is no browser, or it shows nothing.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise HaloclineError(f"--screenshot needs a browser: one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as place:
        profile, shot = Path(place) / "profile", Path(place) / "shot.png"
        finished = process.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--hide-scrollbars", f"--user-data-dir={profile}",
                "--blink-settings=preferredColorScheme=1",
                "--virtual-time-budget=10000",  # until scripts have drawn
                f"--force-device-scale-factor={DENSITY:g}",
                "--window-size={},{}".format(*size), f"--screenshot={shot}",
                page.absolute().as_uri() + part,
            ],
            {}, LIMIT_S,
        )  # fmt: skip
        if not is_there(shot):
            raise HaloclineError(f"{browser} made no picture: {finished.reason()}")
        return save(image, shot.read_bytes())
