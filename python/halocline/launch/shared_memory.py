"""What lies in /dev/shm: memory that processes share, which stays when they are killed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path("/dev/shm")


def _open_or_mapped(process: Path) -> Iterator[str]:
    """Yield the files that a process has open or mapped, as far as one may look."""
    with contextlib.suppress(OSError):
        for line in (process / "maps").read_text("utf-8", "surrogateescape").splitlines():
            yield line.partition("/")[1] + line.partition("/")[2]
    with contextlib.suppress(OSError):
        for number in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                yield os.readlink(number)  # noqa: PTH115 (any name, as it is)


def nobodys(folder: Path = FOLDER) -> list[Path]:
    """Return the user's files in `folder` that no process has open or mapped.

    Root is told of everybody's.
    """
    me = os.geteuid()
    mine = {}
    with contextlib.suppress(OSError):
        for file in folder.iterdir():
            with contextlib.suppress(OSError):
                if file.is_file() and me in (0, file.stat().st_uid):
                    mine[str(file)] = file
    if mine:
        for process in Path("/proc").glob("[0-9]*"):
            for name in _open_or_mapped(process):
                mine.pop(name, None)
    return sorted(mine.values())


def leftovers(folder: Path = FOLDER) -> str:
    """Say in a line what lies in `folder` and belongs to nobody; empty if there is nothing."""
    files = nobodys(folder)
    size = 0
    for file in files:
        with contextlib.suppress(OSError):
            size += file.stat().st_size
    if not files:
        return ""
    many = f"{len(files)} files" if len(files) > 1 else "a file"
    some = ", ".join(file.name for file in files[:3]) + (", ..." if len(files) > 3 else "")
    return (
        f"{folder} has {many} ({size / 1e6:.1f} MB) that no process uses ({some}): jobs that were "
        "killed left them; remove them if nobody needs them"
    )
