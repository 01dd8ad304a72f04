#!/usr/bin/env python3
"""Lets the doctor look at an MPI on two hosts that are network namespaces of this machine.

doctor_on_two_hosts.py --mpi mpich|openmpi|impi --mpiexec PATH -- OPTIONS of `halocline doctor`...

Ranks go to the hosts in turn. They wait by polling, and --share looks at 200 schemes: on two cores
the 23 without options took 36 s with two ranks, and 184 s with four. So a file for the atlas is
made with two, and has what three found before, which is remembered:

    doctor_on_two_hosts.py ... -- --ranks 3 --timeout 120 --schemes 'p2p:*,neighbor:*,rma:*:*,shm:*'
    doctor_on_two_hosts.py ... -- --ranks 2 --timeout 120 --budget 0 --share FILE

Exits with 77 where this cannot be done (not root, no `ip netns`).
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from on_two_hosts import LEFT_OUT, Hosts, launcher, of_intel


def started_by(mpi, mpiexec, hosts, folder):
    """Write a launcher that `halocline` can use as any other, and return its path."""
    launch = launcher(folder)
    hostfile = Path(folder, "hosts")
    slots = " slots=8" if mpi == "openmpi" else ":1"
    hostfile.write_text("".join(f"{name}{slots}\n" for name in hosts.names))
    if mpi == "openmpi":
        words = ["--hostfile", hostfile, "--map-by", "node:oversubscribe",
                 "--prtemca", "plm_ssh_agent", launch,
                 "--prtemca", "prte_if_include", "eth0"]  # fmt: skip
        variables = {"OMPI_MCA_btl_tcp_if_include": "eth0", "OMPI_MCA_pml": "ob1",
                     "OMPI_MCA_btl": "tcp,sm,self"}  # fmt: skip
    else:
        words = ["-launcher", "ssh", "-launcher-exec", launch, "-f", hostfile]
        variables = {"UCX_TLS": "tcp,self", "FI_PROVIDER": "tcp"}
        if mpi == "impi":
            words += ["-ppn", "1"]  # it takes no number from the file of hosts
            variables |= of_intel(mpiexec)
    on_first = hosts.command(hosts.names[0], mpiexec, *map(str, words))
    script = Path(folder, "mpiexec")
    script.write_text(
        "#!/bin/sh\n"
        f'[ "$1" != --version ] || exec {shlex.quote(mpiexec)} --version\n'
        # Where ranks go is said below, and each host has all cores.
        "while :; do case $1 in -bind-to|--bind-to|--map-by) shift 2 ;; *) break ;; esac; done\n"
        + "".join(f"export {name}={value}\n" for name, value in variables.items())
        + f'exec {shlex.join(on_first)} "$@"\n'
    )
    script.chmod(0o755)
    return script


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", required=True, choices=["mpich", "openmpi", "impi"])
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("left out: needs root")
        return LEFT_OUT
    try:
        with Hosts() as hosts, tempfile.TemporaryDirectory() as folder:
            script = started_by(arguments.mpi, arguments.mpiexec, hosts, folder)
            command = [sys.executable, "-m", "halocline", "doctor", *arguments.options]
            before = [hosts.received(name) for name in hosts.names]
            code = subprocess.run(
                command, env={**os.environ, "HALOCLINE_MPIEXEC": str(script)}, check=False
            ).returncode
            crossed = [hosts.received(name) - was for name, was in zip(hosts.names, before)]
    except (subprocess.CalledProcessError, OSError) as problem:
        print("left out: no network namespaces here:", getattr(problem, "stderr", problem))
        return LEFT_OUT
    print("bytes that came in through eth0 of each host:", *crossed)
    return code


if __name__ == "__main__":
    sys.exit(main())
