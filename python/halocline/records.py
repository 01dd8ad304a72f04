"""The project's JSON files: each says its format and version, and nobody ever reads half of one."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import os
import random
import shlex
import shutil
import socket
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from halocline import outputs, shapes
from halocline.errors import HaloclineError
from halocline.files import write_whole
from halocline.text import shown


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def own_command_line() -> str:
    """Return the command `halocline ...` that runs, as typed into a shell."""
    return shlex.join(["halocline", *sys.argv[1:]])


def own_command() -> list[str]:
    """Return what starts this command from anywhere, also where no PATH leads to it."""
    called = sys.argv[0] if sys.argv else ""
    if Path(called).name == "halocline":
        found = shutil.which(called)
        if found:
            return [str(Path(found).absolute())]
    return [sys.executable, "-m", "halocline"]


def drawn_seed() -> int:
    """Return a seed for a random order that nobody has chosen."""
    return random.SystemRandom().randrange(1 << 31)


def parsed(content: bytes, *, odd: str = "replace") -> Any:
    """Return what JSON says.

    Parameters
    ----------
    content
        May begin with a byte order mark, as editors write it.
    odd
        What becomes of bytes that are no UTF-8, as `bytes.decode` has it.

    Raises
    ------
    ValueError
        When it is not JSON.
    """
    try:
        # Names of others may hold anything, also what JSON forbids within quotes.
        found = json.loads(content.decode("utf-8-sig", errors=odd), strict=odd == "strict")
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None
    # Half of a surrogate pair (`\ud800`) is legal in JSON, but no output takes it.
    return _whole_letters(found) if b"\\ud" in content.lower() else found


def _whole_letters(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole_letters(one) for one in value]
    if isinstance(value, dict):
        return {_whole_letters(name): _whole_letters(one) for name, one in value.items()}
    return value


def content_of(path: Path) -> Any:
    """Return what a JSON file says, of whatever format.

    Raises
    ------
    HaloclineError
        When it is missing or no JSON.
    """
    try:
        return parsed(path.read_bytes())
    except OSError as error:
        raise HaloclineError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise HaloclineError(f"{path} is not JSON: {error}") from error


def read(path: Path, kind: str, version: int, name: str, shape: Any = None) -> dict[str, Any]:
    """Read a JSON file of one of the project's formats.

    Parameters
    ----------
    path
        The file.
    kind, version
        What its `format` and `version` must be.
    name
        What such a file is called in messages.
    shape
        What it must hold (see `halocline.shapes`); other fields may be there, too.

    Raises
    ------
    HaloclineError
        When it is missing, no JSON, of another format or version, or a field of another shape.
    """
    content = content_of(path)
    if not isinstance(content, dict) or content.get("format") != kind:
        raise HaloclineError(f'{path} is not a {name}: its "format" is not "{kind}"')
    if content.get("version") != version or isinstance(content["version"], bool):
        raise HaloclineError(
            f"{path} has version {shapes.shown(content.get('version'))} of the format {kind}; "
            f"this halocline reads version {version}"
        )
    return content if shape is None else shapes.fitted(content, shape, path)


Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Loader(Generic[Made]):
    """Reads files of one format that programs write. What has not changed since is not read again.

    What it returns is shared by all who ask: they do not change it.
    """

    kind: str
    version: int
    name: str
    shape: Any
    make: Callable[[Path, dict[str, Any]], Made]
    """Checks what the shape cannot say, and makes of the content what its readers use."""

    def __call__(self, path: Path) -> Made:
        """Read one file.

        Raises
        ------
        HaloclineError
            When it is missing, damaged or of another format; the message names what.
        """
        try:
            now = path.stat()
        except OSError as error:
            raise HaloclineError(f"cannot read {path}: {error.strerror}") from error
        return cast(Made, _loaded(self, path, now.st_mtime_ns, now.st_size, now.st_ino))


@lru_cache(maxsize=1024)
def _loaded(loader: Loader[Any], path: Path, *_: int) -> Any:
    return loader.make(path, read(path, loader.kind, loader.version, loader.name, loader.shape))


def write(path: Path, kind: str, version: int, content: dict[str, Any]) -> None:
    """Write a file of one of the project's formats, whole or not at all.

    Raises
    ------
    OSError
        When it cannot be written; an older file then is as it was.
    """
    write_whole(path, text_of({"format": kind, "version": version, **content}))


def text_of(content: dict[str, Any]) -> str:
    """Return JSON with a line for each member, and for each element of those that have some."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    def shown(value: Any) -> str:
        if isinstance(value, dict) and value:
            members = (f"{line(k)}: {line(v)}" for k, v in value.items())
            return "{\n  " + ",\n  ".join(members) + "\n }"
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n  " + ",\n  ".join(map(line, value)) + "\n ]"
        return line(value)

    return "{\n " + ",\n ".join(f"{line(k)}: {shown(v)}" for k, v in content.items()) + "\n}\n"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep others from changing a file between reading and writing it.

    The lock is on a file beside it, as the library takes it (src/base/lock_file.cpp), and ends
    with the process that holds it. Where a file system has no locks, or locks that see nothing of
    each other, it is a file that only one can make. Where even that does not work, or somebody
    holds it for longer than a change takes, it goes on without, and says so.
    """
    beside = Path(f"{os.path.realpath(path)}.lock")
    try:
        file = os.open(beside, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError:
        yield  # where no file can be made the change cannot be written either
        return
    held = Path(f"{beside}.held")
    by_name = False
    try:
        why = _attempts(lambda: _lock(file))
        if why in NO_LOCKS or (not why and not _seen(beside)):
            why = _attempts(lambda: _make(held))
            by_name = not why
        if why:
            logging.getLogger(__name__).warning(
                "%s: no lock (%s); it is changed without one", path, why
            )
        yield
    finally:
        if by_name:
            held.unlink(missing_ok=True)
        os.close(file)


LOCK_S = 5
"""Others hold a lock for milliseconds."""
STALE_S = 30
"""A process that has held one by name for so long has died."""
NO_LOCKS = {
    os.strerror(code) for code in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
}
"""What flock says on file systems that have none: network file systems, mounted so."""


def _attempts(attempt: Callable[[], str | None]) -> str:
    """Try until it is held, or cannot be; return why not. None of an attempt is: another has it."""
    end = time.monotonic() + LOCK_S
    while True:
        why = attempt()
        if why is not None:
            return why
        if time.monotonic() > end:
            return f"somebody has held it for {LOCK_S} s"
        time.sleep(0.01)


def _lock(file: int) -> str | None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
    except OSError as error:
        return error.strerror
    return ""


def _seen(path: Path) -> bool:
    """Whether a lock on a file, which this process holds, is seen by who opens it again."""
    with path.open("rb+") as again:
        return _lock(again.fileno()) is None


def writer_lives(path: Path, host: object, process: object) -> bool:
    """Whether who writes a file, and locks it meanwhile, is still there; True: who can say.

    Where locks see nothing of each other, the process of a node tells, as in the library
    (src/base/lock_file.cpp).
    """
    with path.open("rb+") as file:
        why = _lock(file.fileno())
        if why is None:
            return True
        if not why and _seen(path):
            return False
    if host != socket.gethostname() or not isinstance(process, int) or process <= 0:
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _make(held: Path) -> str | None:
    """Make the file that is the lock; one whose maker has died goes."""
    try:
        os.close(os.open(held, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
    except FileExistsError:
        with contextlib.suppress(OSError):
            if time.time() - held.stat().st_mtime > STALE_S:
                # Under a name of its own, so that only one who finds it removes it.
                gone = held.with_name(f"{held.name}.{os.getpid()}")
                held.rename(gone)
                gone.unlink()
        return None
    except OSError as error:
        return error.strerror
    return ""


_given: Counter[str] = Counter()


def default_folder(name: str) -> Path:
    """Return the folder for results whose place nobody has named: results/NAME-TIME.

    In a job of Slurm it is results/NAME-jobID-MARK, with a mark of the command: if the job is put
    into the queue again, the same command finds the same folder.
    """
    job = os.environ.get("SLURM_JOB_ID")
    if not job:
        return Path("results") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    mark = zlib.crc32(own_command_line().encode("utf-8", "surrogateescape"))
    named = f"{name}-job{job}-{mark:08x}"
    _given[named] += 1
    return Path("results") / (named if _given[named] == 1 else f"{named}-{_given[named]}")


def new_folder(folder: Path, holds: str, what: str, *, again: bool = False) -> Path:
    """Make a folder for results and return its absolute path.

    Parameters
    ----------
    folder
        May exist, unless there is a file `holds` in it already.
    holds
        The file that will say what the others are.
    what
        What such a folder holds, in messages: `comparison`.
    again
        Whether what it holds is gone on with.

    Raises
    ------
    HaloclineError
        When it cannot be made, or holds such results already.
    """
    if (folder / holds).exists() and not again:
        raise HaloclineError(
            f"{shown(str(folder))} already holds a {what}; name another with --output"
        )
    return outputs.make_folder(folder).resolve()


def check_same_command(folder: Path, earlier: str, now: str) -> None:
    """Refuse to go on with what another command has begun.

    Raises
    ------
    HaloclineError
        When the commands differ.
    """
    if earlier != now:
        raise HaloclineError(
            f"{shown(str(folder))} holds what '{shown(earlier)}' has measured, not this command; "
            "name another folder with --output"
        )
