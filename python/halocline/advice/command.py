"""What a user types to start a program: where in it the program stands.

A launcher is known by its name, and has a table of the options that take values: all words before
the program are its own. Where they leave a doubt, the user says which word the program is.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.advice.launchers import (
    ANYBODYS,
    BOTH,
    KINDS,
    LAUNCHERS,
    POSITIONAL,
    WRAPPERS,
    Options,
)
from halocline.errors import HaloclineError
from halocline.launch import describe, first_bytes, is_program
from halocline.text import shown

HINT = "--program NAME says which word is the program"
SHELL = re.compile(rb"#! ?(\S*/env )?\S*sh\b")
SHEBANG = 64
"""Bytes in which a script names its shell."""
SHELLS = re.compile("(ba|da|k|z|a|mk)?sh")
STARTS_RANKS = re.compile(rb"\b(mpiexec|mpirun|srun|aprun|jsrun|ibrun|flux run)\b")


@dataclass(frozen=True)
class Part:
    """A program on a command line, and how many words are in front of it."""

    begin: int
    """Where the program with its arguments begins among the words."""
    end: int


@dataclass(frozen=True)
class Command:
    """A command line that starts a program, taken apart."""

    words: tuple[str, ...]
    parts: tuple[Part, ...]
    """The program; several with colons between them."""
    launcher: str = ""
    """The word that starts the ranks; none: the program is started by itself."""

    @property
    def program(self) -> str:
        """The word that is the program."""
        return self.words[self.parts[0].begin]

    @property
    def shell_scripts(self) -> list[str]:
        """The words among the programs that are scripts of a shell: these start the program."""
        words = dict.fromkeys(self.words[part.begin] for part in self.parts)
        return [
            word
            for word in words
            if SHELL.match(first_bytes(Path(shutil.which(word) or word), SHEBANG))
        ]

    def preceded(self, front: Sequence[str]) -> list[str]:
        """Return the command with words in front of the program, or of each."""
        return self._with(lambda part: [*front, *self.words[part.begin : part.end]])

    def replaced(self, program: Sequence[str]) -> list[str]:
        """Return the command with another program, and its arguments, in place of the program."""
        return self._with(lambda part: list(program))

    def _with(self, made: Callable[[Part], Sequence[str]]) -> list[str]:
        found, at = [], 0
        for part in self.parts:
            found += [*self.words[at : part.begin], *made(part)]
            at = part.end
        return [*found, *self.words[at:]]

    def __str__(self) -> str:
        """Return it as typed into a shell."""
        return shlex.join(self.words)


def parsed(words: Sequence[str], program: str | None = None, kind: str | None = None) -> Command:
    """Take a command line apart.

    Parameters
    ----------
    words
        What the user would type.
    program
        The word that is the program, where the user says it.
    kind
        What the launcher is, as `halocline.launch.launcher_kind` has it; by default it is asked.

    Raises
    ------
    HaloclineError
        When no program is found in it, or it is not clear which word it is.
    """
    if not words:
        raise HaloclineError("give the command that starts the program: -- mpiexec -n 4 ./app")
    if program is not None:
        return _named(tuple(words), program)
    at = _behind_wrappers(words, 0)
    name = Path(words[at]).name
    options = _options_of(words[at], name, kind)
    if options is None:
        _refuse_script(words[at], words[at + 1 :])
        _check_there(words[at])
        return Command(tuple(words), (Part(at, len(words)),))
    parts, begin = [], at + 1
    for end in [*(i for i in range(begin, len(words)) if words[i] == ":"), len(words)]:
        place = _program_at(words, begin, end, options, name, first=not parts)
        parts.append(Part(_behind_wrappers(words, place, end), end))
        begin = end + 1
    for part in parts:
        _check_there(words[part.begin])
    return Command(tuple(words), tuple(parts), name)


def _named(words: tuple[str, ...], program: str) -> Command:
    found = [at for at, word in enumerate(words) if word == program or Path(word).name == program]
    if not found:
        raise HaloclineError(f"--program {shown(program)}: is no word of {shlex.join(words)}")
    ends = [at for at, word in enumerate(words) if word == ":"] + [len(words)]
    parts = []
    for end in ends:
        mine = [at for at in found if (parts[-1].end if parts else -1) < at < end]
        if mine:
            parts.append(Part(mine[0], end))
    launcher = Path(words[0]).name if parts[0].begin > 0 else ""
    return Command(words, tuple(parts), launcher)


def _options_of(word: str, name: str, kind: str | None) -> Options | None:
    """Return the options of a launcher; None: the word is the program."""
    if name in LAUNCHERS:
        return LAUNCHERS[name]
    if name not in ANYBODYS:
        return None
    if kind is None:
        if not shutil.which(word):
            raise HaloclineError(f"{shown(word)}: there is no such launcher")
        kind = describe(word).kind
    return KINDS.get(kind, BOTH)


def _program_at(
    words: Sequence[str], begin: int, end: int, options: Options, launcher: str, *, first: bool
) -> int:
    """Return where the program is among the words from `begin` to `end`."""
    at = begin
    if first and options.subcommands:
        if at >= end or words[at] not in options.subcommands:
            raise HaloclineError(
                f"{launcher}: {HINT}; known is '{launcher} {options.subcommands[0]}'"
            )
        at += 1
    while at < end and words[at].startswith("-") and words[at] != "-":
        if words[at] == "--":
            at += 1
            break
        at += 1 + _taken(words, at, end, options, launcher)
    if at >= end:
        where = shlex.join(words[begin - 1 : end])
        raise HaloclineError(f"{where}: no program behind the launcher's options; {HINT}")
    return at


def _taken(words: Sequence[str], at: int, end: int, options: Options, launcher: str) -> int:
    """Return how many words belong to an option, besides itself."""
    word = words[at]
    long = word.startswith("--")
    name, equals, _ = word.lstrip("-").partition("=")
    if name in options.refused:
        raise HaloclineError(f"{launcher} {word}: {options.refused[name]}")
    if equals and (name in options.values or name in options.flags or long):
        return 0
    if name in options.values:
        return options.values[name]
    if name in options.flags:
        return 0
    if options.attached and not long:
        if name[0] in options.values:
            return 0  # -n4
        if all(letter in options.flags for letter in name):
            return 0  # -lu
    if options.otherwise is not None and long:
        return options.otherwise
    following = words[at + 1] if at + 1 < end else ""
    if following.startswith("-"):
        return 0
    if "/" in following and is_program(Path(following)):
        return 0
    raise HaloclineError(f"{launcher} {word}: this option is not known here; {HINT}")


def _behind_wrappers(words: Sequence[str], at: int, end: int | None = None) -> int:
    """Return where the program is behind programs that start others, such as numactl."""
    end = len(words) if end is None else end
    while at < end and Path(words[at]).name in WRAPPERS:
        name = Path(words[at]).name
        options = WRAPPERS[name]
        begin, at = at, at + 1
        while at < end and words[at].startswith("-") and words[at] not in ("-", "--"):
            at += 1 + _taken(words, at, end, options, name)
        at += at < end and words[at] == "--"
        at += POSITIONAL.get(name, 0)
        while name == "env" and at < end and "=" in words[at]:
            at += 1
        if at >= end:
            raise HaloclineError(f"{shlex.join(words[begin:end])}: starts no program; {HINT}")
    return at


def _refuse_script(word: str, behind: Sequence[str]) -> None:
    """Refuse a script that starts ranks itself: in front of it the recorder would see launchers."""
    name, text = word, first_bytes(Path(word), 1 << 16)
    if SHELLS.fullmatch(Path(word).name) and behind:
        # What the shell is to do is in its words, or in a file that need not say it is a script.
        at = next((i for i, option in enumerate(behind) if not option.startswith(("-", "+"))), None)
        if at is None:
            return
        given = any(re.fullmatch("-[a-z]*c", option) for option in behind[:at])
        name = word + " -c" if given else behind[at]
        text = os.fsencode(behind[at]) if given else first_bytes(Path(name), 1 << 16)
    elif not text.startswith(b"#!"):
        return
    if STARTS_RANKS.search(text):
        raise HaloclineError(
            f"{shown(name)} is a script that calls a launcher itself: write the line with "
            "the launcher behind 'halocline advise --', or 'halocline-preload' in front of the "
            "program in it, and read what it has recorded by --recording"
        )


def _check_there(word: str) -> None:
    """Refuse what is no program here; what a launcher looks for elsewhere it may find."""
    if "/" in word:
        if Path(word).is_absolute() and not Path(word).exists():
            raise HaloclineError(f"{shown(word)} is not a program: there is no such file")
    elif re.fullmatch(r"\w+=.*", word):
        raise HaloclineError(f"{shown(word)}: put variables in front of halocline, or behind 'env'")
    elif word.startswith("-"):
        raise HaloclineError(f"{shown(word)} is no program; {HINT}")
