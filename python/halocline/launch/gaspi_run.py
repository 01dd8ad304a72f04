"""Start programs by GPI-2's launcher, gaspi_run, in place of MPI's.

`gaspi_run` starts processes that are alone to MPI. So they are told where a PMI server is, by which
MPI finds all of them, and each is on a leash: a connection over which its exit code comes, and at
whose end it ends itself. gaspi_run knows neither the codes of ranks other than 0 nor how to end a
job but by `killall` of the program's name.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import stat
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.folders import expanded
from halocline.launch import gaspi_rank, outer, process
from halocline.launch.launcher import Launcher
from halocline.launch.pmi import Server
from halocline.launch.programs import is_there

CAN = ("mpich", "intel")
"""Kinds of launchers whose MPI finds its ranks by PMI-1."""


def find(folder: Path) -> Path:
    """Return gaspi_run: HALOCLINE_GASPI_RUN, that of the build with this `bin`, or PATH's."""
    named = os.environ.get("HALOCLINE_GASPI_RUN")
    named = named and (expanded(named) or named)
    cache = folder.parent / "CMakeCache.txt"
    if not named and is_there(cache):
        for line in cache.read_text("utf-8", "replace").splitlines():
            if line.startswith("GPI2_INCLUDE_DIR:"):
                beside = Path(line.partition("=")[2]).parent / "bin" / "gaspi_run"
                named = str(beside) if is_there(beside) else None
    found = shutil.which(named or "gaspi_run")
    if not found:
        raise HaloclineError(
            f"{named or 'gaspi_run'} is not a program: put GPI-2's bin folder on PATH, or name "
            "its launcher with HALOCLINE_GASPI_RUN"
        )
    return Path(found)


def machines(file: Path | None, ranks: int) -> list[str]:
    """Return the host of each rank: the first lines of a machine file, or this host."""
    if file is None:
        return [socket.gethostname()] * ranks
    try:
        hosts = file.read_text("utf-8", "surrogateescape").split()
    except OSError as error:
        raise HaloclineError(f"--machines {file}: {error.strerror}") from error
    if len(hosts) < ranks:
        raise HaloclineError(
            f"--machines {file}: {len(hosts)} lines for {ranks} ranks; it has a host for each rank"
        )
    return hosts[:ranks]


class Leashes:
    """What a job's ranks hold on to, and what became of them."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("", 0))
        self.port = self._listener.getsockname()[1]
        self.code = 0
        self._held: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def release(self, code: int) -> None:
        """End all ranks; the first code that is not 0 is the job's."""
        self.code = self.code or code
        for held in self._held:
            with contextlib.suppress(OSError):  # its rank has ended
                held.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no more."""
        self._listener.close()

    def _accept(self) -> None:
        try:
            while True:
                held, _ = self._listener.accept()
                self._held.append(held)
                threading.Thread(target=self._watch, args=(held,), daemon=True).start()
        except OSError:
            return  # closed

    def _watch(self, held: socket.socket) -> None:
        try:
            with held.makefile("r", encoding="ascii") as lines:
                for line in lines:
                    if int(line) != 0:
                        self.release(int(line))
        except (OSError, ValueError):
            self.release(1)


def run(
    launcher: Launcher,
    ranks: int,
    program: Path,
    arguments: Sequence[str] = (),
    *,
    environment: dict[str, str] | None = None,
    hosts_file: Path | None = None,
) -> int:
    """Run a program under gaspi_run, and return its exit code.

    `launcher` is its MPI's own, which tells what it needs. With hosts other than this one, the
    working folder is one that all of them see, as gaspi_run asks of the program's.
    """
    if launcher.kind not in CAN:
        raise HaloclineError(
            f"--gaspi-run: the MPI of {launcher.path} does not find ranks that others have "
            "started; that needs MPICH or Intel MPI. Leave the option out: the scheme gaspi works "
            "under MPI's launcher"
        )
    starter = find(program.resolve().parent)
    hosts = machines(hosts_file, ranks)
    here = all(host in (socket.gethostname(), "localhost") for host in hosts)
    address = "127.0.0.1" if here else socket.getfqdn()
    leashes = Leashes()
    server = Server(hosts, lambda code: leashes.release(int(code) or 1))
    with tempfile.TemporaryDirectory(
        prefix="halocline-", dir=None if here else Path.cwd()
    ) as named:
        folder = Path(named)
        told = {
            "leash": [address, leashes.port], "pmi": f"{address}:{server.port}",
            "folder": str(Path.cwd()), "command": [str(program), *arguments],
            "environment": {**outer.without(), **(environment or {})},
        }  # fmt: skip
        script = folder / f"rank-{folder.name}"  # a name that no other job's killall means
        own = Path(gaspi_rank.__file__).read_text("utf-8")
        script.write_text(
            f"#!{sys.executable}\n{own}\n"
            f"raise SystemExit(main({json.dumps(told)!r}))\n",
            "utf-8", "surrogateescape",
        )  # fmt: skip
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        machine_file = folder / "machines"
        machine_file.write_text("".join(f"{host}\n" for host in hosts), "utf-8", "surrogateescape")
        # Its first line asks for sh, but it is written for bash, which sh is not on Debian.
        shell = ["bash"] if shutil.which("bash") else []
        command = [*shell, str(starter), "-m", str(machine_file), "-n", str(ranks), str(script)]
        code = process.attend(command)
    server.close()
    leashes.close()
    return leashes.code or code
