"""Where files of the user's are, by the rule of the library (src/base/folders.cpp).

Both are tested against tests/common/cache_folders.json.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Mapping
from pathlib import Path

from halocline.errors import HaloclineError

Homes = Callable[[str], str]
"""The home of a user by name, of this one by ""; empty where it is not known."""


def home_of(user: str) -> str:
    """Return a user's home as the system knows it; of this user by an empty name."""
    try:
        return (pwd.getpwnam(user) if user else pwd.getpwuid(os.getuid())).pw_dir
    except KeyError:
        return ""


def expanded(
    name: str, environment: Mapping[str, str] | None = None, homes: Homes = home_of
) -> str:
    """Return a path whose first folder may be `~` or `~USER`; empty if that home is not known.

    Who writes a path into a variable in quotes, or behind a `=`, has no shell that does it.
    """
    if not name.startswith("~"):
        return name
    user, slash, rest = name[1:].partition("/")
    home = homes(user)
    if not user:
        home = (os.environ if environment is None else environment).get("HOME") or home
    return f"{home}{slash}{rest}" if home else ""


def cache_folder(
    environment: Mapping[str, str] | None = None, homes: Homes = home_of
) -> Path | None:
    """Return the folder of the tuning file and the doctor's memory; None if none is known.

    $HALOCLINE_CACHE; or `halocline` in $XDG_CACHE_HOME, if that is absolute, or in ~/.cache. An
    empty variable counts as none.
    """
    environment = os.environ if environment is None else environment
    if environment.get("HALOCLINE_CACHE"):
        named = expanded(environment["HALOCLINE_CACHE"], environment, homes)
        return Path(named) if named else None
    cache = expanded(environment.get("XDG_CACHE_HOME") or "", environment, homes)
    if not cache.startswith("/"):
        cache = expanded("~/.cache", environment, homes)
    return Path(cache) / "halocline" if cache else None


def in_cache(name: str) -> Path:
    """Return a file of the cache folder.

    Raises
    ------
    HaloclineError
        When no folder is known.
    """
    folder = cache_folder()
    if folder is None:
        raise HaloclineError(
            f"no folder is known for {name}: this user has no home; name one with HALOCLINE_CACHE"
        )
    return folder / name
