#!/usr/bin/env python3
"""Runs an MPI program on two hosts that are network namespaces of this machine.

on_two_hosts.py --mpi mpich|openmpi|impi --release R --mpiexec PATH --ranks PER_HOST -- COMMAND...

The hosts have a name, an address and an eth0 of their own, joined by a bridge; what crosses eth0
is counted, because an MPI library that finds a way around the network would prove nothing.
Exits with 77 where this cannot be done (not root, no `ip netns`).
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from commands import why_not

LEFT_OUT = 77


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


class Hosts:
    """Two network namespaces, each with an eth0 on one bridge. A context manager.

    With a `rate`, such as 400mbit, no more leaves either of them.
    """

    def __init__(self, rate=None):
        mark = os.getpid() % 10000
        self.names = [f"hl{mark}a", f"hl{mark}b"]
        self.rate = rate
        self.bridge = f"hlbr{mark}"
        self.net = f"10.{77 + mark % 100}.{mark // 100}"

    def __enter__(self):
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def build(self):
        run("ip", "link", "add", self.bridge, "type", "bridge")
        run("ip", "link", "set", self.bridge, "up")
        for number, name in enumerate(self.names, 1):
            inside = ("ip", "-n", name)
            outer = f"{name}v"
            run("ip", "netns", "add", name)
            run("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "link", "set", outer, "master", self.bridge, "up")
            run(*inside, "addr", "add", f"{self.net}.{number}/24", "dev", "eth0")
            run(*inside, "link", "set", "eth0", "up")
            run(*inside, "link", "set", "lo", "up")
            if self.rate:
                limit = ("tbf", "rate", self.rate, "burst", "16kb", "limit", "16mb")
                run("tc", "-n", name, "qdisc", "add", "dev", "eth0", "root", *limit)
            etc = pathlib.Path("/etc/netns", name)
            etc.mkdir(parents=True)
            lines = ["127.0.0.1 localhost"]
            lines += [f"{self.net}.{n} {other}" for n, other in enumerate(self.names, 1)]
            (etc / "hosts").write_text("\n".join(lines) + "\n")

    def __exit__(self, *_):
        for name in self.names:
            pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True)
            for pid in pids.stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
            shutil.rmtree(pathlib.Path("/etc/netns", name), ignore_errors=True)
        subprocess.run(["ip", "link", "del", self.bridge], capture_output=True)

    def received(self, name):
        """Bytes that came in through eth0."""
        return int(
            run("ip", "netns", "exec", name, "cat", "/sys/class/net/eth0/statistics/rx_bytes")
        )

    def command(self, name, *words):
        """`words` as they run on a host."""
        script = f'hostname {name} && exec "$@"'
        return ["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", script, "sh", *words]


def launcher(folder):
    """Stands in for ssh: [options] HOST COMMAND..."""
    script = pathlib.Path(folder, "launch")
    script.write_text(
        "#!/bin/sh\n"
        'while [ "${1#-}" != "$1" ]; do shift; done\n'
        "host=$1; shift\n"
        'exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"\n'
    )
    script.chmod(0o755)
    return str(script)


def mpiexec(arguments, hosts, folder):
    """The command and the environment that keep this MPI to TCP between hosts."""
    launch = launcher(folder)
    hostfile = pathlib.Path(folder, "hosts")
    total = str(arguments.ranks * len(hosts.names))
    if arguments.mpi == "openmpi":
        hostfile.write_text("".join(f"{h} slots={arguments.ranks}\n" for h in hosts.names))
        common = [
            "-n",
            total,
            "--hostfile",
            str(hostfile),
            "--mca",
            "btl_tcp_if_include",
            "eth0",
            "--mca",
            "pml",
            "ob1",
        ]
        environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if arguments.release.startswith("4."):
            flags = [
                "--mca",
                "plm_rsh_agent",
                launch,
                "--mca",
                "oob_tcp_if_include",
                "eth0",
                "--mca",
                "btl",
                "tcp,vader,self",
                "--mca",
                "osc",
                "sm,pt2pt",
            ]
            environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
        else:
            flags = [
                "--prtemca",
                "plm_ssh_agent",
                launch,
                "--prtemca",
                "prte_if_include",
                "eth0",
                "--mca",
                "btl",
                "tcp,sm,self",
                "--mca",
                "osc",
                "^ucx",
                "--map-by",
                f"ppr:{arguments.ranks}:node:oversubscribe",
            ]
        return [arguments.mpiexec, *common, *flags], environment
    hostfile.write_text("".join(f"{h}:{arguments.ranks}\n" for h in hosts.names))
    command = [
        arguments.mpiexec,
        "-launcher",
        "ssh",
        "-launcher-exec",
        launch,
        "-f",
        str(hostfile),
        "-n",
        total,
    ]
    environment = {"UCX_TLS": "tcp,self", "FI_PROVIDER": "tcp"}
    if arguments.mpi == "impi":
        command += ["-ppn", str(arguments.ranks)]  # it takes no number from the file of hosts
        environment.update(of_intel(arguments.mpiexec))
    return command, environment


def of_intel(mpiexec):
    """What Intel MPI wants to be told beside: it looks for its libfabric by this path alone."""
    root = pathlib.Path(mpiexec).absolute().parents[1]
    libraries = [str(root / "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {
        "I_MPI_FABRICS": "shm:ofi",
        "I_MPI_ROOT": str(root),
        "LD_LIBRARY_PATH": ":".join(libraries),
    }


def run_to_the_end(command, environment, enough):
    """Runs it, showing what it prints; a line with the text `enough` counts as its good end."""
    with subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as job:
        for line in job.stdout:
            print(line, end="", flush=True)
            if enough and enough in line:
                job.kill()
                return 0
    return job.returncode


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mpi", required=True, choices=["mpich", "openmpi", "impi", "mpi"])
    parser.add_argument("--release", default="")
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--ranks", type=int, default=2, help="on each host")
    return parser


def on_hosts(arguments, commands, enough=None):
    """Runs commands on new hosts, one after the other.

    For each its exit status and the bytes that came in through each eth0. None, after saying why,
    where there can be no hosts.
    """
    why = why_not("ip", "tc", "unshare") or ("" if os.geteuid() == 0 else "left out: needs root")
    if why:
        print(why)
        return None
    hosts = Hosts()
    try:
        hosts.__enter__()
    except (subprocess.CalledProcessError, OSError) as problem:
        print("left out: no network namespaces here:", getattr(problem, "stderr", problem))
        return None
    results = []
    try:
        for words in commands:
            with tempfile.TemporaryDirectory() as folder:
                command, environment = mpiexec(arguments, hosts, folder)
                before = [hosts.received(name) for name in hosts.names]
                code = run_to_the_end(
                    hosts.command(hosts.names[0], *command, *words), environment, enough
                )
                crossed = [hosts.received(name) - was for name, was in zip(hosts.names, before)]
                results.append((code, crossed))
    finally:
        hosts.__exit__()
    return results


def main():
    parser = options(__doc__.splitlines()[0])
    parser.add_argument("--least-bytes", type=int, default=1, help="that must cross into each host")
    parser.add_argument("--enough", help="a text that ends the job well, for an MPI that may not")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()

    results = on_hosts(arguments, [arguments.command], arguments.enough)
    if results is None:
        return LEFT_OUT
    code, crossed = results[0]
    print("bytes that came in through eth0 of each host:", *crossed)
    if min(crossed) < arguments.least_bytes:
        print(f"FAILED: at least {arguments.least_bytes} bytes had to cross into each host")
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
