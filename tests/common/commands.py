"""What tests call: commands that packaging/system/needed.txt lists, or they are skipped."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _asked(*words: object) -> "subprocess.CompletedProcess[str]":
    script = ROOT / "packaging" / "system" / "needed.sh"
    return subprocess.run(
        ["sh", str(script), *map(str, words)], capture_output=True, text=True, check=False
    )


def listed_path() -> str:
    """Return a PATH that leads to those and to the Python that runs this; ctest has set its own."""
    if os.environ.get("PATH") == os.environ.get("HALOCLINE_TEST_PATH", ""):
        return os.environ["PATH"]
    return _asked("path", ROOT / "build" / "commands", Path(sys.executable).parent).stdout.strip()


def why_not(*names: str) -> str:
    """Say which package a command is missing of; empty if all are there.

    Raises
    ------
    LookupError
        When nobody has listed one.
    """
    found = _asked("command", *names)
    if found.returncode > 1:
        raise LookupError(found.stderr.strip())
    return found.stdout.strip()


def needs(*names: str):
    """Skip a test where one of these commands is not there."""
    import pytest  # what asks for the PATH alone has none

    missing = why_not(*names)
    return pytest.mark.skipif(bool(missing), reason=missing)


def browser() -> str:
    """Return the browser of a test that @needs("chromium")."""
    names = "chromium", "chromium-browser", "google-chrome"
    return next(filter(None, map(shutil.which, names)))
