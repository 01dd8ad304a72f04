"""Files that are whole or as they were, whatever stands at their name.

The same rule as of the C++ programs (src/base/whole_file.hpp): links stay, and the file behind
them is written; mode and owner stay; pipes and devices are written to in place; two who write one
file at once leave one whole file; who fails leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import tempfile
from pathlib import Path

from halocline import text

LONGEST = 255
"""Bytes of a file's name."""


def check_writable(path: Path) -> Path:
    """Look at a file that is going to be written, before anything else is done.

    Returns
    -------
    Path
        Where it will be written: absolute, with links followed.

    Raises
    ------
    OSError
        When it is a folder, a socket or read-only, or its folder is missing or closed.
    """
    if str(path) in {"", "."}:
        raise OSError(errno.EISDIR, "is a folder", str(path))
    place = path.absolute()
    for _ in range(40):
        if not place.is_symlink() or _descriptor(place) is not None:
            break
        place = place.parent / place.readlink()
    else:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    descriptor = _descriptor(place)
    try:
        mode = (place.stat() if descriptor is None else os.fstat(descriptor)).st_mode
    except FileNotFoundError:
        folder = place.parent
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, "its folder may not be written to", str(path)) from None
        return place
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, "is a folder", str(path))
    if stat.S_ISSOCK(mode) and descriptor is None:
        raise OSError(errno.ENXIO, "is a socket", str(path))
    # Root may write to what nobody should.
    if descriptor is None and not (mode & 0o222 and os.access(place, os.W_OK)):
        raise OSError(errno.EACCES, "may not be written to", str(path))
    return place


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, whole or not at all. Text is written in UTF-8, whatever the locale.

    Raises
    ------
    OSError
        When it cannot be written; an older file then is as it was.
    """
    data = content.encode("utf-8", text.NAME) if isinstance(content, str) else content
    try:
        _write(check_writable(path), data)
    except OSError as error:  # which a full disk raises without a name
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write(place: Path, data: bytes) -> None:
    descriptor = _descriptor(place)
    if descriptor is not None:
        with os.fdopen(os.dup(descriptor), "wb") as stream:
            stream.write(data)
    elif place.exists() and not place.is_file():
        with place.open("wb", buffering=0) as stream:
            _put(stream.fileno(), data)
    else:
        _replace(place, data)


def _descriptor(place: Path) -> int | None:
    """Return the descriptor of this process that a name stands for: /dev/stdout, /dev/fd/3."""
    with contextlib.suppress(OSError):
        if place.name.isdecimal() and place.parent.samefile("/proc/self/fd"):
            return int(place.name)
    return None


def _put(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _replace(place: Path, data: bytes) -> None:
    """Write beside the old file and rename; copy into it where that is not to be or cannot be."""
    old = place.stat() if place.exists() else None
    file, partial = _new_file(place, old is not None)
    try:
        try:
            _put(file, data)
            replaces = old is None or _keep_mode_and_owner(file, old)
            os.fsync(file)
        finally:
            os.close(file)
        if replaces:
            try:
                partial.replace(place)
                return
            except OSError as error:
                # A mount of its own, another file system, a folder that may not be written to.
                ways = {errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS}
                if old is None or error.errno not in ways:
                    raise
        _copy_into(place, data)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def _new_file(place: Path, exists: bool) -> tuple[int, Path]:
    """Make a file of a name that nobody has, beside the old one if its folder allows that."""
    ending = f".{secrets.token_hex(4)}.partial"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    mode = 0o600 if exists else 0o666
    name = os.fsdecode(os.fsencode(place.name)[: LONGEST - len(ending)]) + ending
    partial = place.parent / name
    try:
        return os.open(partial, flags, mode), partial
    except OSError as error:
        if not exists or error.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:
            raise
    partial = Path(tempfile.gettempdir()) / name
    return os.open(partial, flags, mode), partial


def _keep_mode_and_owner(file: int, old: os.stat_result) -> bool:
    """Give a new file those of the old one; False: replace the content alone."""
    try:
        os.fchown(file, old.st_uid, old.st_gid)
        os.fchmod(file, stat.S_IMODE(old.st_mode) & 0o777)
    except PermissionError:
        return False
    return old.st_nlink == 1


def _copy_into(place: Path, data: bytes) -> None:
    file = os.open(place, os.O_WRONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # some file systems have no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        before = os.fstat(file).st_size
        try:  # all the room there has to be, before the old content goes
            os.posix_fallocate(file, 0, max(1, len(data)))
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
                os.ftruncate(file, before)
                raise
        _put(file, data)
        os.ftruncate(file, len(data))
        os.fsync(file)
    finally:
        os.close(file)
