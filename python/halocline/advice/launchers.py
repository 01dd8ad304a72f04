"""Launchers and other programs that start programs: their options, so that those end somewhere.

Only options that take values need be known by name where all others stand alone; where an option is
in neither list, there is a doubt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Options:
    """How a launcher's options are told from the program behind them."""

    values: Mapping[str, int] = field(default_factory=dict)
    """Options and how many words follow them; without their dashes, but for those of one letter."""
    flags: frozenset[str] = frozenset()
    """Options that stand alone."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Options that hide the program, and why."""
    attached: bool = False
    """Whether a value may follow one letter at once: -n4."""
    subcommands: tuple[str, ...] = ()
    """A word that stands before the options: flux run."""
    otherwise: int | None = None
    """How many words an option takes that is in neither list; None: that is a doubt."""


def _values(one: str, two: str = "") -> dict[str, int]:
    return {**dict.fromkeys(one.split(), 1), **dict.fromkeys(two.split(), 2)}


def _flags(names: str) -> frozenset[str]:
    return frozenset(names.split())


FILE = "the program stands in a file: start it by a command line"
HYDRA = Options(
    _values(
        "n np host hosts f hostfile machinefile machine rankmap genvlist envlist wdir wd path "
        "umask ppn perhost grr rr-size bind-to map-by membind binding launcher launcher-exec "
        "bootstrap bootstrap-exec rmk iface localhost prepend-pattern outfile-pattern outfile "
        "errfile-pattern errfile nameserver usize demux order-nodes topolib gpus-per-proc "
        "gpu-subdevs-per-proc memory-alloc-kinds arch soft s tune timeout gwdir gpath gumask "
        "ghost port-range ckpoint-interval ckpoint-prefix ckpoint-num ckpointlib",
        "genv env",
    ),
    _flags(
        "genvall genvnone envall envnone rr l prepend-rank v verbose info version nolocal "
        "print-all-exitcodes enable-x disable-x disable-hostname-propagation disable-auto-cleanup "
        "enable-auto-cleanup skip-launch-node pmi-port print-rank-map hybrid-hosts profile "
        "silent-abort debug"
    ),
    {"configfile": FILE, "file": FILE},
)  # fmt: skip
OPENMPI = Options(
    _values(
        "n np c N npernode npersocket map-by bind-to rank-by host H hostfile machinefile "
        "default-hostfile add-host add-hostfile x wdir wd path prefix output output-filename tune "
        "am rankfile rf cpu-set cpu-list slot-list stdin personality dvm dvm-uri ompi-server "
        "report-uri report-pid timeout spawn-timeout pset runtime-options display max-restarts "
        "launch-agent keepalive max-vm-size with-ft xterm rtos preload-files gpu-support "
        "memory-alloc-kinds initial-errhandler cpus-per-proc cpus-per-rank stream-buffering "
        "forward-signals",
        "mca gmca prtemca pmixmca omca",
    ),
    _flags(
        "tag-output timestamp-output merge-stderr-to-stdout report-bindings oversubscribe "
        "nooversubscribe allow-run-as-root display-map display-allocation display-devel-map "
        "display-topo v verbose q quiet enable-recovery novm no-prefix noprefix s preload-binary "
        "set-sid set-cwd-to-session-dir get-stack-traces stack-traces report-state-on-timeout "
        "use-hwthread-cpus nolocal do-not-launch do-not-resolve bynode byslot bycore bysocket "
        "bind-to-core bind-to-socket bind-to-none continuous index-argv-by-rank debug-daemons "
        "leave-session-attached pernode show-progress do-not-aggregate-help"
    ),
    {"app": FILE, "appfile": FILE},
)  # fmt: skip
SLURM = Options(
    _values("A B c C d D e F G i K L m M n N o p P q r R S t T U w W x J a g b"),
    _flags(
        "E H I k l O Q s u v V X Z contiguous disable-status exclusive hold immediate "
        "kill-on-bad-exit label no-allocate no-kill nice overcommit oversubscribe overlap "
        "preserve-env pty quiet quit-on-interrupt reboot spread-job test-only unbuffered "
        "use-min-nodes verbose version exact external-launcher resv-ports interactive propagate "
        "get-user-env whole send-libs"
    ),
    {"multi-prog": FILE},
    attached=True,
    otherwise=1,
)  # fmt: skip
ALPS = Options(
    _values("n N d S sn sl cc cp D F j L m p P r t e M a R"),
    _flags("b B C E q T ss v Z"),
    attached=True,
)
JSRUN = Options(
    _values(
        "n a c g r b d l E e i o k t K M m p S u h X np nrs tasks_per_rs cpu_per_rs gpu_per_rs "
        "rs_per_host bind launch_distribution latency_priority env chdir stdio_input stdio_stdout "
        "stdio_stderr stdio_mode smpiargs memory_per_rs rs_per_socket progress"
    ),
    _flags("H I V z immediate use_spindle"),
    {"erf_input": FILE, "U": FILE, "appfile": FILE, "A": FILE},
    attached=True,
)
FLUX = Options(
    _values(
        "n N c g o q t B S p requires nodes ntasks nslots cores-per-task gpus-per-task "
        "tasks-per-node tasks-per-core cores gpus-per-node setopt setattr queue time-limit bank "
        "cwd env env-remove env-file rlimit job-name input output error dependency urgency "
        "begin-time signal flags wait-event add-file"
    ),
    _flags("x exclusive l label-io u unbuffered v verbose wait watch"),
    attached=True,
    subcommands=("run",),
)  # fmt: skip
IBRUN = Options(_values("n np o"), _flags("v"))
LAUNCHERS = {
    "mpiexec.hydra": HYDRA, "mpiexec.mpich": HYDRA, "mpirun.mpich": HYDRA, "mpirun_rsh": HYDRA,
    "mpiexec.openmpi": OPENMPI, "mpirun.openmpi": OPENMPI, "orterun": OPENMPI,
    "prterun": OPENMPI, "prun": OPENMPI, "srun": SLURM, "aprun": ALPS, "jsrun": JSRUN,
    "flux": FLUX, "ibrun": IBRUN,
}  # fmt: skip
ANYBODYS = ("mpiexec", "mpirun", "mpiexec.slurm")
"""Launchers whose MPI their names do not tell: they are asked."""
KINDS = {
    "mpich": HYDRA, "intel": HYDRA, "openmpi4": OPENMPI, "openmpi5": OPENMPI, "slurm": SLURM,
}  # fmt: skip
BOTH = Options(
    {**OPENMPI.values, **HYDRA.values}, (OPENMPI.flags | HYDRA.flags) - HYDRA.values.keys(),
    {**OPENMPI.refused, **HYDRA.refused},
)  # fmt: skip
"""Options of a launcher that does not say what it is."""
WRAPPERS = {
    "env": Options(_values("u C unset chdir"), _flags("i ignore-environment v")),
    "numactl": Options(
        _values("i N C m p w membind cpunodebind physcpubind interleave preferred"),
        _flags("l a localalloc all"), attached=True,
    ),
    "taskset": Options({}, _flags("a all-tasks c cpu-list ac")),
    "nice": Options(_values("n adjustment"), attached=True),
    "stdbuf": Options(_values("i o e input output error"), attached=True),
    "time": Options(_values("f o format output"), _flags("a p v append portability")),
    "timeout": Options(
        _values("k s kill-after signal"), _flags("foreground preserve-status v")
    ),
    "nohup": Options(), "setsid": Options({}, _flags("w wait")),
    "setarch": Options({}, _flags("R addr-no-randomize")),
}  # fmt: skip
"""Programs that start the next word, on nodes or here."""
POSITIONAL = {"timeout": 1, "taskset": 1, "setarch": 1}
"""Words that stand before it: a time, a mask or list, an architecture."""
