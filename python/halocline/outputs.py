"""Files and folders that the user asks for: looked at before the work, and written after it."""

from __future__ import annotations

import os
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.files import check_writable, write_whole
from halocline.text import shown


def save(file: Path, content: str | bytes) -> Path:
    """Write a file, whole or not at all, and return its path; text is UTF-8.

    Raises
    ------
    HaloclineError
        When it cannot be written; an older file then is as it was.
    """
    try:
        write_whole(file, content)
    except OSError as error:
        raise HaloclineError(f"cannot write {shown(str(file))}: {error.strerror}") from error
    return file


def check(file: Path | None, option: str) -> None:
    """Look at a file that an option names, before the work that it is to hold; None is none.

    Raises
    ------
    HaloclineError
        When it could not be written; the message names the option.
    """
    if file is not None:
        try:
            check_writable(file)
        except OSError as error:
            raise _refused(file, option, error) from error


def check_apart(**files: Path | None) -> None:
    """Look at files that options name: no two may be one file, for the second would replace it.

    Raises
    ------
    HaloclineError
        When two are; the message names their options.
    """
    seen: dict[Path, str] = {}
    for name, file in files.items():
        if file is None:
            continue
        other = seen.setdefault(file.resolve(), name)
        if other != name:
            raise HaloclineError(
                f"--{name} {shown(str(file))}: is the file of --{other}, too; name another"
            )


def check_folder(folder: Path | None, option: str, *, empty: bool = False) -> None:
    """Look at a folder that an option names, before the work whose files go there; None is none.

    It may be missing, and so may those above it: whoever writes makes them.

    Parameters
    ----------
    empty
        Whether nothing may be in it yet.

    Raises
    ------
    HaloclineError
        When it is none, or nothing could be written there; the message names the option.
    """
    if folder is None:
        return
    try:
        place = folder.absolute()
        while not os.path.lexists(place):
            place = place.parent
        inside = list(place.iterdir())  # which says what is wrong with it, if it is no folder
        if not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(13, "may not be written to")
        if empty and place == folder.absolute() and inside:
            raise OSError(0, "must be a folder that is new or empty")
    except OSError as error:
        raise _refused(folder, option, error) from error


def make_folder(folder: Path) -> Path:
    """Make a folder and those above it; it may exist.

    Raises
    ------
    HaloclineError
        When it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HaloclineError(f"cannot make {shown(str(folder))}: {error.strerror}") from error
    return folder


def _refused(path: Path, option: str, error: OSError) -> HaloclineError:
    return HaloclineError(f"{option} {shown(str(path))}: {error.strerror}")
