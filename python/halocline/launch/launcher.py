"""Start programs under the MPI they were built with, with the flags it needs.

Root and more ranks than cores need flags that differ between MPI libraries. All of them can be
given as environment variables, so the command line stays what everybody knows:
`mpiexec -n RANKS PROGRAM ...`. `./dev mpiexec` does the same from the shell.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from halocline.errors import HaloclineError
from halocline.folders import expanded
from halocline.launch import batch, layout, machine, process, slurm
from halocline.launch.programs import is_program, is_there
from halocline.launch.systems import System


@dataclass(frozen=True)
class Launcher:
    """An MPI launcher and what it wants to be told."""

    path: str
    """Program that starts the ranks."""
    kind: str
    """`mpich`, `openmpi4`, `openmpi5`, `intel`, `slurm`, `template` or `unknown`."""
    mpi: str = ""
    """For srun: its `--mpi`; empty for what the site has set."""
    of: str = ""
    """For srun and templates: the kind of the MPI library's own launcher, where that is known."""
    template: System | None = None
    """For the kind `template`: how it starts ranks."""
    variables: tuple[tuple[str, str], ...] = ()
    """What ranks get beside the variables of this process, or in their place."""

    @property
    def library(self) -> str:
        """The kind of the MPI library whose ranks it starts."""
        return self.of or self.kind

    def command(
        self,
        ranks: int,
        program: Path | str,
        arguments: Sequence[str] = (),
        *,
        pin: bool = True,
        threads: int | None = None,
    ) -> list[str]:
        """Return the command line that starts `ranks` ranks of a program.

        With `pin`, each rank gets its own equal share of the cores, or one for each of its
        `threads`, as long as there are enough; otherwise the operating system places them.
        """
        if ranks < 1:
            raise HaloclineError(f"--ranks {ranks}: a job needs at least one rank")
        if self.template is not None:
            return self._of_template(ranks, [str(program), *arguments], threads, pin=pin)
        if self.kind == "slurm":  # which knows the nodes' cores
            flags = slurm.flags(ranks, threads, layout.asked(), self.mpi, pin=pin)
        else:
            slurm.refuse_elsewhere(layout.asked(), self.path)
            flags = self._pinning(ranks, threads) if pin else self._no_pinning()
            flags += self._forwarding(ranks, threads)
        return [self.path, *flags, "-n", str(ranks), str(program), *arguments]

    def _of_template(
        self, ranks: int, program: list[str], threads: int | None, *, pin: bool
    ) -> list[str]:
        assert self.template is not None
        job = batch.here()
        cores = job.cores_per_node if job else (machine.usable_cores(),)
        spread = layout.asked().of(ranks, cores, threads)
        return self.template.started(
            program, pin=pin and spread.cores_per_rank > 0, ranks=ranks, nodes=spread.nodes,
            ranks_per_node=spread.ranks_per_node, cores=max(1, spread.cores_per_rank),
        )  # fmt: skip

    def _share(self, ranks: int, threads: int | None) -> int:
        """Return how many cores each rank gets of its own; 0: there are not enough."""
        share = machine.usable_cores() // ranks
        return share if threads is None else threads if share >= threads else 0

    def _pinning(self, ranks: int, threads: int | None) -> list[str]:
        share = self._share(ranks, threads)
        if share == 0:
            return self._no_pinning()
        if self.kind == "mpich":
            return ["-bind-to", f"core:{share}"]
        if self.kind.startswith("openmpi"):
            return ["--map-by", f"slot:PE={share}", "--bind-to", "core"]
        return []

    def _no_pinning(self) -> list[str]:
        return ["--bind-to", "none"] if self.kind.startswith("openmpi") else []

    def _forwarding(self, ranks: int, threads: int | None) -> list[str]:
        """Open MPI's launcher gives ranks on other nodes only those variables that it is told."""
        job = batch.here()
        told = "OMPI_MCA_mca_base_env_list"  # with which -x is refused
        if not self.kind.startswith("openmpi") or not job or job.nodes < 2 or told in os.environ:
            return []
        own = {**machine.environment_of_ranks(), **self.environment(ranks, threads)}
        names = [name for name in own if not name.startswith(("OMPI_", "PMIX_", "PRTE_"))]
        return [word for name in names for word in ("-x", name)]

    def environment(self, ranks: int = 1, threads: int | None = None) -> dict[str, str]:
        """Return the variables this launcher needs here; those the user has set are kept."""
        wanted = {"UCX_LOG_FILE": "stderr"}  # standard output belongs to the program
        if threads is not None:
            wanted["OMP_NUM_THREADS"] = str(threads)
            if self.kind == "intel":
                share = self._share(ranks, threads)
                wanted.update({"I_MPI_PIN_DOMAIN": str(share)} if share else {"I_MPI_PIN": "off"})
            if (
                self.kind not in ("slurm", "template")
                and threads > 1
                and not self._share(ranks, threads)
            ):
                # A thread that spins keeps the core from the one it waits for.
                wanted["OMP_WAIT_POLICY"] = "passive"
        crowded = ranks > machine.usable_cores()
        if self.kind.startswith("openmpi") and os.geteuid() == 0:
            wanted["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
            wanted["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        if self.library == "openmpi4":
            wanted["OMPI_MCA_osc"] = "^ucx,rdma"  # osc/rdma mixes up windows of different ranks
            if crowded and self.kind == self.library:
                wanted["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
        if self.library == "openmpi5":
            wanted["OMPI_MCA_osc"] = "^ucx"  # silences harmless lines about its priority
            if crowded and self.kind == self.library:
                wanted["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe"
        kept = {name: value for name, value in wanted.items() if name not in os.environ}
        return {**kept, **dict(self.variables)}

    def shown(self, ranks: int, command: Sequence[str], threads: int | None = None) -> str:
        """Return the command as one would type it into a shell, variables included."""
        variables = [f"{k}={shlex.quote(v)}" for k, v in self.environment(ranks, threads).items()]
        return " ".join([*variables, shlex.join(command)])


def launcher_kind(version_text: str) -> str:
    """Tell the MPI library from what `mpiexec --version` prints."""
    if "Intel(R) MPI" in version_text:
        return "intel"
    if version_text.startswith("slurm"):
        return "slurm"
    if "HYDRA" in version_text:
        return "mpich"
    if "OpenRTE" in version_text:
        return "openmpi4"
    found = re.search(r"Open MPI\)? v?(\d+)|prterun|PRRTE", version_text)
    if found:
        return "openmpi4" if found.group(1) and int(found.group(1)) < 5 else "openmpi5"
    return "unknown"


def short_library(library: str) -> str:
    """Shorten an MPI library's version string to name and version."""
    found = re.search(
        r"(Intel\(R\) MPI)\s+Library\s+([\d.]+)|(Open MPI) v?([\w.]+)|"
        r"(M[A-Z0-9]*PICH)\s*Version:?\s*([\w.]+)",
        library,
    )
    if found:
        name, version = [part for part in found.groups() if part]
        return f"{name.replace('(R)', '')} {version}"
    return library.strip().splitlines()[0] if library.strip() else "unknown MPI"


def build_launcher(folder: Path) -> str | None:
    """Return the launcher of the build whose `bin` folder this is; None outside a build."""
    script = folder.parent / "mpiexec"
    if is_program(script):
        return str(script)
    cache = folder.parent / "CMakeCache.txt"
    if is_there(cache):
        found = re.search(
            r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", cache.read_text("utf-8", "replace"), re.MULTILINE
        )
        if found and not found.group(1).endswith("NOTFOUND"):
            return found.group(1).strip()
    return None


def describe(path: str) -> Launcher:
    """Ask a launcher which MPI it belongs to."""
    answer = process.run([path, "--version"], limit_s=20)
    return Launcher(path, launcher_kind(answer.output + answer.errors))


def candidates(program: Path) -> list[Launcher]:
    """Return the launchers that may belong to the MPI a program was built with, best first.

    In a job of Slurm that is srun, by each way in which that MPI may find its ranks, and in one of
    another system what its template says. Else a build folder knows its launcher; elsewhere, the
    one beside the program and those on PATH may do.

    Raises
    ------
    HaloclineError
        When there is none.
    """
    folder = program.resolve().parent
    named = os.environ.get("HALOCLINE_MPIEXEC")
    if named:
        return _each_way(describe(expanded(named) or named), folder)
    job = batch.here()
    if job and job.system.can_start():
        own = []
        with contextlib.suppress(HaloclineError):  # it may be on the login node alone
            own = _own(folder)
        if job.system.name == "slurm" and not job.system.start:
            srun = Launcher(shutil.which("srun") or "srun", "slurm")
            return [*_each_way(srun, folder, own), *own]
        first = job.system.start.split()[0]
        of = own[0].kind if own else ""
        return [Launcher(first, "template", of=of, template=job.system), *own]
    own = _own(folder)
    if not own:
        raise HaloclineError(
            "no MPI launcher (mpiexec) found; install an MPI or name it with HALOCLINE_MPIEXEC"
        )
    return [one for launcher in own for one in _each_way(launcher, folder)]


def _own(folder: Path) -> list[Launcher]:
    """Return the launchers that come with MPI libraries: of a build, or those that are found."""
    named = build_launcher(folder)
    if named:
        return [describe(named)]
    names = ("mpiexec", "mpirun", "mpiexec.mpich", "mpiexec.openmpi", "mpiexec.hydra")
    paths = [shutil.which("mpiexec", path=str(folder)), *map(shutil.which, names)]
    found = {os.path.realpath(path): path for path in reversed(paths) if path}
    return [describe(path) for path in reversed(found.values())]


def _each_way(
    launcher: Launcher, folder: Path, own: Sequence[Launcher] | None = None
) -> list[Launcher]:
    """Return srun once for each way that may be the library's; any other launcher as it is."""
    if launcher.kind != "slurm":
        return [launcher]
    kinds = [one.kind for one in (_own(folder) if own is None else own) if one.kind != "slurm"]
    of = kinds[0] if kinds else ""
    return [replace(launcher, mpi=way, of=of) for way in slurm.ways(launcher.path, of)]
