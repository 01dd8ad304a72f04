"""A rank that gaspi_run has started: a program that MPI can find, on a leash (see gaspi_run).

It is run as a text of its own, so that it needs nothing but Python where it runs.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import threading

_KEPT = ("GASPI_", "HOSTNAME", "SSH_")
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main(text: str) -> int:
    """Run what `text` tells, as gaspi_run.run wrote it, and return its exit code."""
    told = json.loads(text)
    own = {name: value for name, value in os.environ.items() if name.startswith(_KEPT)}
    given = {
        name: value for name, value in told["environment"].items() if not name.startswith(_KEPT)
    }
    pmi = {"PMI_PORT": told["pmi"], "PMI_ID": os.environ["GASPI_RANK"]}
    libc = ctypes.CDLL(None)
    with socket.create_connection(tuple(told["leash"])) as leash:
        child = subprocess.Popen(
            told["command"],
            env={**given, **own, **pmi},
            cwd=told["folder"],
            preexec_fn=lambda: libc.prctl(_DIES_WITH_PARENT, signal.SIGKILL),
        )

        def hold() -> None:
            leash.recv(1)
            child.kill()

        threading.Thread(target=hold, daemon=True).start()
        code = child.wait()
        code = 128 - code if code < 0 else code
        leash.sendall(f"{code}\n".encode())
    return code
