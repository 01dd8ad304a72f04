"""The project's JSON files: each says its format and version, and nobody ever reads half of one."""

from __future__ import annotations

import json
import random
import shlex
import sys
import time
from dataclasses import fields
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

from halocline import outputs
from halocline.errors import HaloclineError
from halocline.files import write_whole
from halocline.text import shown

Record = TypeVar("Record")


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def own_command_line() -> str:
    """Return the command `halocline ...` that runs, as typed into a shell."""
    return shlex.join(["halocline", *sys.argv[1:]])


def drawn_seed() -> int:
    """Return a seed for a random order that nobody has chosen."""
    return random.SystemRandom().randrange(1 << 31)


def read(path: Path, kind: str, version: int, name: str) -> dict[str, Any]:
    """Read a JSON file of one of the project's formats.

    Parameters
    ----------
    path
        The file.
    kind, version
        What its `format` and `version` must be.
    name
        What such a file is called in messages.

    Raises
    ------
    HaloclineError
        When it is missing, no JSON, or of another format or version.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise HaloclineError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise HaloclineError(f"{path} is not JSON: {error}") from error
    if not isinstance(content, dict) or content.get("format") != kind:
        raise HaloclineError(f'{path} is not a {name}: its "format" is not "{kind}"')
    if content.get("version") != version:
        raise HaloclineError(
            f"{path} has version {content.get('version')} of the format {kind}; "
            f"this halocline reads version {version}"
        )
    return content


def write(path: Path, kind: str, version: int, content: dict[str, Any]) -> None:
    """Write a file of one of the project's formats, whole or not at all.

    Raises
    ------
    OSError
        When it cannot be written; an older file then is as it was.
    """
    content = {"format": kind, "version": version, **content}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    write_whole(path, text)


def known(kind: type[Record], row: dict[str, Any]) -> Record:
    """Make a dataclass of the fields it has; a later halocline may have written more."""
    names = {one.name for one in fields(kind)}
    return kind(**{name: value for name, value in row.items() if name in names})


def default_folder(name: str) -> Path:
    """Return the folder for results whose place nobody has named: results/NAME-TIME."""
    return Path("results") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"


def new_folder(folder: Path, holds: str, what: str) -> Path:
    """Make a folder for results and return its absolute path.

    Parameters
    ----------
    folder
        May exist, unless there is a file `holds` in it already.
    holds
        The file that will say what the others are.
    what
        What such a folder holds, in messages: `comparison`.

    Raises
    ------
    HaloclineError
        When it cannot be made, or holds such results already.
    """
    if (folder / holds).exists():
        raise HaloclineError(
            f"{shown(str(folder))} already holds a {what}; name another with --output"
        )
    return outputs.make_folder(folder).resolve()
