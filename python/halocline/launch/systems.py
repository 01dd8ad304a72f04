"""Batch systems and launchers as files describe them: how ranks are started, and jobs submitted.

`systems.ini` beside this file describes some; `launchers.ini` of the user's or the site's adds to
them or takes their place.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from string import Formatter

from halocline import folders
from halocline.errors import HaloclineError
from halocline.text import shown

SHIPPED = Path(__file__).with_name("systems.ini")
FILE = "HALOCLINE_LAUNCHERS"
"""Names the user's file; else it is `halocline/launchers.ini` in XDG_CONFIG_HOME or ~/.config."""
CHOSEN = "HALOCLINE_SYSTEM"
"""Names the section that holds, in place of the first whose job this is."""
PLACES = {
    "start": "ranks nodes ranks_per_node cores binding program",
    "pinned": "cores", "unpinned": "cores",
    "header": "name nodes ranks_per_node cores_per_node slots minutes time log",
    "submit": "script", "state": "job", "queue": "queue", "account": "account",
}  # fmt: skip
"""What may stand in braces in each line."""
COMMANDS = ("start", "pinned", "unpinned", "submit", "state")
"""What is split into words as a shell does."""


@dataclass(frozen=True)
class System:
    """One section of such a file; every line is documented in docs/reference/launchers.md."""

    name: str
    job: str = ""
    """Variables of which one is set in a job, and holds its number."""
    hosts: str = ""
    """A variable that names a file with the host of each slot, a line each."""
    start: str = ""
    """How ranks are started; Slurm's is not a template."""
    pinned: str = ""
    unpinned: str = ""
    """What {binding} stands for."""
    directive: str = ""
    header: str = ""
    submit: str = ""
    id: str = r"(\S+)"
    state: str = ""
    state_is: str = r"(\S+)"
    queue: str = ""
    account: str = ""
    before: str = ""
    """Lines of the shell that a job script has before the command, as `module load openmpi`."""
    file: Path = field(default=SHIPPED, compare=False)

    def number(self, environment: Mapping[str, str]) -> str:
        """Return the number of the job of this system that a process is in; empty for none."""
        return next(filter(None, map(environment.get, self.job.split())), "")

    def can_start(self) -> bool:
        """Whether the program that starts ranks is there."""
        words = self.start.split() if self.start else ["srun"] * (self.name == "slurm")
        return bool(words) and shutil.which(words[0]) is not None

    def started(self, program: Sequence[str], *, pin: bool, **places: int) -> list[str]:
        """Return the command that starts a program, of `start`."""
        binding = filled(self.pinned if pin else self.unpinned, cores=places["cores"])
        words: list[str] = []
        for word in shlex.split(self.start):
            if word == "{program}":
                words += program
            elif word == "{binding}":
                words += shlex.split(binding)
            else:
                words.append(filled(word, **places))
        return words


def filled(text: str, **places: object) -> str:
    """Put values where their names stand in braces; `{{` and `}}` are braces."""
    return text.format(**places)


def known() -> tuple[System, ...]:
    """Return all systems that are described, the user's first.

    Raises
    ------
    HaloclineError
        When a file is damaged; the message names file, section and line.
    """
    own = user_file()
    found = _read(own, own.stat().st_mtime_ns) if own else ()
    taken = {one.name for one in found}
    return (*found, *(one for one in _read(SHIPPED, 0) if one.name not in taken))


def named(name: str) -> System:
    """Return the system of a name.

    Raises
    ------
    HaloclineError
        When none is called so.
    """
    for one in known():
        if one.name == name:
            return one
    names = ", ".join(one.name for one in known())
    raise HaloclineError(
        f"no batch system {shown(name)} is described; there are {names}, and launchers.ini may "
        "describe others"
    )


def user_file() -> Path | None:
    """Return the user's file; None where there is none.

    Raises
    ------
    HaloclineError
        When HALOCLINE_LAUNCHERS names a file that is not there.
    """
    if given := os.environ.get(FILE):
        path = Path(folders.expanded(given) or given)
        if not path.is_file():
            raise HaloclineError(f"{FILE} {shown(given)}: there is no such file")
        return path
    config = folders.expanded(os.environ.get("XDG_CONFIG_HOME") or "")
    config = config if config.startswith("/") else folders.expanded("~/.config")
    path = Path(config) / "halocline" / "launchers.ini"
    return path if config and path.is_file() else None


@lru_cache(maxsize=8)
def _read(path: Path, _: int) -> tuple[System, ...]:
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(path.read_text("utf-8", "replace"), str(path))
    except OSError as error:
        raise HaloclineError(f"cannot read {path}: {error.strerror}") from error
    except configparser.Error as error:
        said = " ".join(str(error).split())
        raise HaloclineError(f"{path} describes no launchers: {said}") from error
    return tuple(_section(path, name, dict(parser[name])) for name in parser.sections())


def _section(path: Path, name: str, lines: dict[str, str]) -> System:
    texts = [one.name for one in fields(System) if one.name not in ("name", "file")]
    for key, text in lines.items():
        where = f"{path}: [{shown(name)}] {shown(key)}"
        if key not in texts:
            raise HaloclineError(f"{where}: is not known; there are {', '.join(texts)}")
        if key in PLACES:
            _check_places(where, text, PLACES[key].split())
        if key in COMMANDS:
            _check_words(where, text)
        if key in ("id", "state_is"):
            _check_expression(where, text)
    if "{program}" not in lines.get("start", "{program}").split():
        raise HaloclineError(f"{path}: [{name}] start: has no {{program}}")
    return System(name=name, file=path, **lines)


def _check_places(where: str, text: str, allowed: Sequence[str]) -> None:
    """Refuse whatever else may stand in braces: formats, attributes, items."""
    names = ", ".join(f"{{{one}}}" for one in allowed)
    try:
        for _, name, form, conversion in Formatter().parse(text):
            if name is not None and (name not in allowed or form or conversion):
                whole = shown(f"{name}{'!' * bool(conversion)}{':' * bool(form)}{form}"[:40])
                raise HaloclineError(
                    f"{where}: '{whole}' may not stand in braces; there are {names}"
                )
    except ValueError as error:
        raise HaloclineError(f"{where}: {error}; in braces may stand {names}") from None


def _check_words(where: str, text: str) -> None:
    try:
        shlex.split(text)
    except ValueError as error:
        raise HaloclineError(f"{where}: {shown(text)} is no command: {error}") from None


def _check_expression(where: str, text: str) -> None:
    try:
        groups = re.compile(text).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise HaloclineError(
            f"{where}: {shown(text)} is no regular expression: {shown(str(error))}"
        ) from None
    if groups != 1:
        raise HaloclineError(f"{where}: {shown(text)} has not one group in parentheses")
