"""A Slurm of its own on this machine: a controller and nodes that have names and /dev/shm apart.

It needs root and Slurm's and munge's programs (Debian: slurm-wlm, munge); nothing of the system's
is touched: configuration, keys, logs and sockets are in one folder, ports are any that are free,
and processes and mounts are in namespaces that end with the program that has begun them.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from commands import listed_path, why_not

INSIDE = "HALOCLINE_TEST_INSIDE"
NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
PROGRAMS = (
    "slurmctld", "slurmd", "munged", "srun", "sbatch", "squeue", "scancel", "scontrol", "sinfo",
    "unshare",
)  # fmt: skip
CONFIGURATION = """\
ClusterName=halocline
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.sock
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmdLogFile={folder}/log/slurmd.%n.log
SlurmdSpoolDir={folder}/spool/%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
TmpFS={folder}/tmp/%n
SwitchType=switch/none
MpiDefault=none
ReturnToService=1
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=1,sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
KillWait=20
MailProg={true}
SlurmctldTimeout=30
SlurmdTimeout=30
MinJobAge=300
{nodes}
PartitionName=p Nodes={names} Default=YES MaxTime=10 State=UP
"""


def missing() -> str:
    """Say why there can be no Slurm here; empty if there can."""
    os.environ["PATH"] = listed_path()
    absent = why_not(*PROGRAMS)
    if absent:
        return absent
    if os.geteuid() != 0:
        return "left out: Slurm's daemons need root"
    tried = subprocess.run(
        [*NAMESPACES, "unshare", "--uts", "--mount", "hostname", "n1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    refused = f"left out: no namespaces may be made here: {tried.stderr.strip()}"
    return refused if tried.returncode else ""


def alone() -> None:
    """Start this program again in namespaces of its own; return in there.

    The kernel ends every process in there with the first: daemons and ranks, too, and also where
    this program is killed. The shell is the first, which inherits orphans and reaps them.
    """
    if os.environ.pop(INSIDE, ""):
        return
    os.environ[INSIDE] = "yes"
    first = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, *sys.argv]
    os.execvp(NAMESPACES[0], [*NAMESPACES, *first])


class Cluster:
    """Slurm with so many nodes of two cores, as a context; SLURM_CONF names its configuration.

    Entering raises TimeoutError where it does not come up, and prints what its daemons have said.
    """

    def __init__(self, folder: Path, nodes: int = 3) -> None:
        self.folder = folder
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self.port = _free_ports(nodes + 1)
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Cluster:
        for name in ("state", "log", "run", *(f"{kind}/{n}" for n in self.nodes
                                              for kind in ("spool", "tmp"))):  # fmt: skip
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        lines = [
            f"NodeName={name} NodeHostname={name} NodeAddr=127.0.0.1 Port={port} CPUs=2 "
            "RealMemory=2000 State=UNKNOWN"
            for name, port in zip(self.nodes, self.port[1:])
        ]
        # Else slurmd looks for what the system has, which may want systemd; nothing of it is used.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(
            host=socket.gethostname(), port=self.port[0], folder=self.folder,
            true=shutil.which("true"), nodes="\n".join(lines), names=",".join(self.nodes),
        ))  # fmt: skip
        os.environ["SLURM_CONF"] = str(configuration)
        run, log = self.folder / "run", self.folder / "log"
        self._daemon(
            ["munged", "--foreground", "--force", f"--key-file={key}",
             f"--socket={run}/munge.sock", f"--pid-file={run}/munged.pid",
             f"--log-file={log}/munged.log", f"--seed-file={run}/munged.seed"]
        )  # fmt: skip
        self._daemon(["slurmctld", "-D", "-c", "-f", str(configuration)])
        for name in self.nodes:
            self.start_node(name)
        try:
            self.wait_for(self._is_up, 180, "idle nodes")
        except BaseException:
            self.__exit__()
            for file in sorted(log.iterdir()):
                last = file.read_text(errors="replace").splitlines()[-8:]
                print(f"{file.name}:", *last, sep="\n")
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(subprocess.SubprocessError):
            said(["scancel", "--state=PENDING"], check=False)
            said(["scancel", "-u", "root"], check=False)
            self.wait_for(lambda: not said(["squeue", "-h"], check=False), 30, "empty queue")
        for process in reversed(self._started):
            process.terminate()
        for process in reversed(self._started):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _is_up(self) -> bool:
        for one in self._started:
            if one.poll() is not None:
                raise TimeoutError(f"{one.args[0]} ended: code {one.returncode}")
        return self.states() == ["idle"] * len(self.nodes)

    def _daemon(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "log" / "daemons").open("ab") as log:
            self._started.append(subprocess.Popen(command, stdout=log, stderr=log))
        return self._started[-1]

    def start_node(self, name: str) -> None:
        """Start a node's daemon, under a name and with a /dev/shm of its own."""
        self._daemon(
            ["unshare", "--uts", "--mount", "sh", "-c",
             f"hostname {name}; mount -t tmpfs -o size=1g shm /dev/shm; exec slurmd -D -N {name} "
             f"-f {self.folder}/slurm.conf"]
        )  # fmt: skip

    def states(self) -> list[str]:
        """Return the state of each node."""
        return said(["sinfo", "-h", "-N", "-o", "%T"], check=False).split()

    def set_down(self, name: str) -> None:
        """Take a node out, as its failure does."""
        said(["scontrol", "update", f"nodename={name}", "state=down", "reason=test"])

    def resume(self, name: str) -> None:
        """Bring a node back."""
        said(["scontrol", "update", f"nodename={name}", "state=resume"])

    def state_of(self, job: str) -> str:
        """Return the state of a job, with its reason if it waits."""
        return said(["squeue", "-h", "-t", "all", "-j", job, "-o", "%T"], check=False).strip()

    @staticmethod
    def wait_for(what, seconds: float, name: str) -> None:
        """Wait until something holds."""
        end = time.monotonic() + seconds
        while not what():
            if time.monotonic() > end:
                raise TimeoutError(f"no {name} within {seconds} s")
            time.sleep(0.2)


def said(command: list[str], *, check: bool = True) -> str:
    """Return what a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if check and done.returncode:
        raise RuntimeError(f"{command}: {done.stderr}{done.stdout}")
    return done.stdout


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as held:
        open_ones = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in open_ones:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in open_ones]
