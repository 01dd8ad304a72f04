"""Finding programs and launchers, and giving launchers what they need."""

import os
import sys
import time
from pathlib import Path

import pytest

from halocline.errors import HaloclineError
from halocline.launch import (
    Checker,
    Launcher,
    batch,
    candidates,
    find_program,
    gaspi_run,
    launcher,
    launcher_kind,
    machine,
    outer,
    process,
)

VERSIONS = {
    "slurm": "slurm 22.05.8",
    "mpich": "HYDRA build details:\n    Version:                                 5.0.2",
    "intel": "Intel(R) MPI Library for Linux* OS, Version 2021.18 Build 20260101",
    "openmpi4": "mpiexec (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/",
    "openmpi5": "mpiexec (Open MPI) 5.0.11\n\nReport bugs to https://www.open-mpi.org/",
    "unknown": "something else",
}
LIBRARIES = {
    "MPICH Version:      4.0.2\nMPICH Release date: ...": "MPICH 4.0.2",
    "MPICH Version: 5.0.2\n": "MPICH 5.0.2",
    "Intel(R) MPI Library 2021.18 for Linux* OS\n": "Intel MPI 2021.18",
    "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4": "Open MPI 4.1.4",
    "Open MPI v5.0.11, package: ...": "Open MPI 5.0.11",
}


@pytest.mark.parametrize("kind", VERSIONS)
def test_launchers_are_told_apart(kind):
    assert launcher_kind(VERSIONS[kind]) == kind


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_have_short_names(library):
    assert launcher.short_library(library) == LIBRARIES[library]


def test_ranks_share_the_cores_as_long_as_there_are_any(monkeypatch):
    monkeypatch.setattr(machine, "usable_cores", lambda: 8)
    mpich, open_mpi = Launcher("mpiexec", "mpich"), Launcher("mpiexec", "openmpi5")
    assert mpich.command(2, "p", ["1"]) == [*["mpiexec", "-bind-to", "core:4", "-n", "2", "p", "1"]]
    assert "slot:PE=4" in open_mpi.command(2, "p")
    assert mpich.command(9, "p") == ["mpiexec", "-n", "9", "p"]
    assert open_mpi.command(9, "p")[1:3] == ["--bind-to", "none"]
    assert mpich.command(2, "p", pin=False) == ["mpiexec", "-n", "2", "p"]


def test_threads_get_cores_of_their_own(monkeypatch):
    monkeypatch.setattr(machine, "usable_cores", lambda: 8)
    for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY", "I_MPI_PIN", "I_MPI_PIN_DOMAIN"):
        monkeypatch.delenv(name, raising=False)
    commands = {
        kind: Launcher("mpiexec", kind).command(2, "p", threads=3)[1:-3]
        for kind in ("mpich", "openmpi4", "openmpi5", "intel", "slurm")
    }
    open_mpi = ["--map-by", "slot:PE=3", "--bind-to", "core"]
    assert commands == {
        "mpich": ["-bind-to", "core:3"], "openmpi4": open_mpi, "openmpi5": open_mpi, "intel": [],
        "slurm": ["--export=ALL", "--cpus-per-task=3", "--cpu-bind=cores", "--kill-on-bad-exit=1"],
    }  # fmt: skip
    intel = Launcher("mpiexec", "intel")
    assert intel.environment(2, 3)["I_MPI_PIN_DOMAIN"] == "3"
    assert intel.environment(3, 3)["I_MPI_PIN"] == "off"
    assert intel.environment(2, 3)["OMP_NUM_THREADS"] == "3"
    assert "OMP_NUM_THREADS" not in intel.environment(2)
    mpich = Launcher("mpiexec", "mpich")
    assert mpich.command(3, "p", threads=3) == ["mpiexec", "-n", "3", "p"]
    assert mpich.environment(3, 3)["OMP_WAIT_POLICY"] == "passive"  # they share cores
    assert "OMP_WAIT_POLICY" not in mpich.environment(2, 3)
    assert "OMP_WAIT_POLICY" not in mpich.environment(9, 1)
    assert "OMP_WAIT_POLICY" not in Launcher("srun", "slurm").environment(3, 3)


def test_root_and_crowds_get_their_flags(monkeypatch):
    monkeypatch.setattr(machine, "usable_cores", lambda: 2)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in (
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_MCA_rmaps_base_oversubscribe",
        "OMPI_MCA_osc",
        "UCX_LOG_FILE",
    ):
        monkeypatch.delenv(name, raising=False)
    four = Launcher("mpiexec", "openmpi4")
    assert four.environment(4)["OMPI_MCA_rmaps_base_oversubscribe"] == "1"
    assert "OMPI_MCA_rmaps_base_oversubscribe" not in four.environment(2)
    assert four.environment(2)["OMPI_ALLOW_RUN_AS_ROOT"] == "1"
    assert ":oversubscribe" in Launcher("mpiexec", "openmpi5").environment(4).values()
    assert Launcher("mpiexec", "mpich").environment(4) == {"UCX_LOG_FILE": "stderr"}
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert four.environment(2) == {"UCX_LOG_FILE": "stderr", "OMPI_MCA_osc": "^ucx,rdma"}


def test_what_the_user_has_set_is_kept(monkeypatch):
    monkeypatch.setenv("OMPI_MCA_osc", "^rdma")
    assert "OMPI_MCA_osc" not in Launcher("mpiexec", "openmpi5").environment(2)


def test_open_mpis_ranks_on_other_nodes_get_the_variables(monkeypatch):
    two = batch.Job(batch.System("pbs"), "1", (4, 4))
    monkeypatch.setattr(batch, "here", lambda: two)
    for name in [name for name in os.environ if name.startswith(("HALOCLINE_", "OMP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("OMPI_MCA_mca_base_env_list", raising=False)
    monkeypatch.setenv("HALOCLINE_TUNING", "t")
    words = Launcher("mpirun", "openmpi5").command(2, "p", threads=2)
    for name in ("HALOCLINE_TUNING", "OMP_NUM_THREADS"):
        assert words[words.index(name) - 1] == "-x"
    assert "-x" not in Launcher("mpiexec", "mpich").command(2, "p")  # it gives all of them
    monkeypatch.setenv("OMPI_MCA_mca_base_env_list", "A;B")
    assert "-x" not in Launcher("mpirun", "openmpi5").command(2, "p")


TOLD = ("OMPI_COMM_WORLD_RANK", "OMPI_MCA_orte_hnp_uri", "OMPI_MCA_ess", "PMIX_NAMESPACE",
        "PRTE_LAUNCHED", "PMI_SIZE", "PMI_FD", "MPI_LOCALNRANKS",
        "SLURM_STEP_NUM_TASKS")  # fmt: skip
ASKED = ("OMPI_MCA_osc", "OMPI_CXX", "OMPI_ALLOW_RUN_AS_ROOT", "PMIX_MCA_gds", "PRTE_MCA_x",
         "PMIX_PREFIX", "SLURM_JOB_ID", "HALOCLINE_TUNING")  # fmt: skip


@pytest.mark.parametrize("rank", ["PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK"])
def test_jobs_within_a_rank_are_told_nothing_by_its_launcher(monkeypatch, rank):
    for name in (*TOLD, *ASKED, rank):
        monkeypatch.setenv(name, "1")
    seen = process.run(["env"], {"PMI_MINE": "1"}).output.splitlines()
    assert not {f"{name}=1" for name in (*TOLD, rank)} & set(seen)
    assert {f"{name}=1" for name in (*ASKED, "PMI_MINE")} <= set(seen)
    assert not set(TOLD) & machine.mpi_environment().keys()


def test_without_a_rank_around_it_the_environment_is_handed_on():
    given = {"PMIX_NAMESPACE": "x", "OMPI_MCA_ess": "y"}
    assert outer.without(given) == given


def test_programs_are_found_by_name_and_path(fake):
    assert find_program("partdiff") == fake.folder / "partdiff"
    assert find_program(str(fake.folder / "partdiff")) == fake.folder / "partdiff"


def test_a_missing_program_is_named_with_those_that_exist(fake):
    with pytest.raises(HaloclineError, match=r"no program partdif; there are .*partdiff"):
        find_program("partdif")
    with pytest.raises(HaloclineError, match="not a program"):
        find_program("./nothing")
    with pytest.raises(HaloclineError, match="no folder /nowhere"):
        find_program("partdiff", "/nowhere")


def test_the_builds_launcher_is_taken(fake):
    program = fake.folder / "partdiff"
    cache = fake.folder.parent / "CMakeCache.txt"
    cache.write_text(f"MPIEXEC_EXECUTABLE:FILEPATH={fake.folder / 'mpiexec'}\n")
    assert candidates(program) == [Launcher(str(fake.folder / "mpiexec"), "mpich")]
    script = fake.folder.parent / "mpiexec"
    script.symlink_to(fake.folder / "mpiexec")
    assert [found.path for found in candidates(program)] == [str(script)]


def test_a_launcher_of_another_mpi_is_refused(fake, monkeypatch):
    assert Checker().launcher.kind == "mpich"
    fake(stranger=True)
    with pytest.raises(HaloclineError, match=r"mpiexec: the launcher of another MPI"):
        print(Checker().launcher)


def test_no_launcher_at_all_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HaloclineError, match=r"no MPI launcher .*HALOCLINE_MPIEXEC"):
        candidates(tmp_path / "program")


def lives(pid):
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_process_that_is_silent_or_slow_is_ended_with_its_children(tmp_path):
    began = time.monotonic()
    with process.Child(["sh", "-c", "sleep 987 & echo $!; sleep 987"]) as child:
        lines = list(child.lines(5, silence=True))
        finished = child.finished()
    assert time.monotonic() - began < 300  # it would take 987 s
    assert finished.timed_out and not finished.ok
    deadline = time.monotonic() + 100
    while lives(lines[0]):
        assert time.monotonic() < deadline, "its child lives on"
        time.sleep(0.05)


def test_what_the_program_says_counts_more_than_what_the_launcher_adds():
    said = "partdiff: no memory\n----\nYou may or may not see output\n----\n"
    command = ["mpiexec", "-n", "2", "/bin/partdiff"]
    assert process.Finished(1, False, "", said, 1, command).last_words() == "partdiff: no memory"
    assert process.Finished(1, False, "", said, 1).last_words(1) == "You may or may not see output"


def test_reasons_can_be_read():
    assert process.describe_exit(-11) == "killed by SIGSEGV"
    assert process.describe_exit(139) == "killed by SIGSEGV"
    assert process.describe_exit(3) == "exit code 3"
    with pytest.raises(HaloclineError, match="cannot start /no/such"):
        process.run(["/no/such"])


GASPI_RUN = """#!/bin/sh
# As GPI-2's: rank 0 here, the others in the background, whose exit codes it does not know.
ranks=$4
shift 4
for rank in $(seq 1 $((ranks - 1))); do GASPI_RANK=$rank "$@" & done
GASPI_RANK=0 "$@"
code=$?
wait
exit $code
"""
RANK = """#!{python}
# What MPI does at its start: all tell their number and get the others'.
import os, socket, sys, time
host, port = os.environ["PMI_PORT"].split(":")
pmi = socket.create_connection((host, int(port))).makefile("rw")
def ask(line):
    pmi.write(line + "\\n")
    pmi.flush()
    return pmi.readline()
ask("cmd=initack pmiid=" + os.environ["PMI_ID"])
size, rank, _ = (int(pmi.readline().split("=")[-1]) for _ in range(3))
assert rank == int(os.environ["GASPI_RANK"])
ask(f"cmd=put kvsname=halocline key=rank-{{rank}} value=here-{{rank}}")
ask("cmd=barrier_in")
told = [ask(f"cmd=get kvsname=halocline key=rank-{{other}}") for other in range(size)]
assert all(f"value=here-{{other}}" in line for other, line in enumerate(told)), told
assert "rc=-1" in ask("cmd=get kvsname=halocline key=nobody")
nodes = ask("cmd=get kvsname=halocline key=PMI_process_mapping").split("value=")[1].strip()
with open(sys.argv[1], "a") as out:
    out.write(f"{{rank}} {{nodes}} {{sys.argv[2]}} {{os.environ['OMP_NUM_THREADS']}}\\n")
if len(sys.argv) > 3:
    if rank == size - 1:
        sys.exit(int(sys.argv[3]))
    time.sleep(1000)
"""


@pytest.fixture
def ranks_of_gaspi(tmp_path, monkeypatch):
    """Give a program whose ranks find each other by PMI, and a stand-in for gaspi_run."""
    for name, text in (("gaspi_run", GASPI_RUN), ("rank", RANK.format(python=sys.executable))):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("HALOCLINE_GASPI_RUN", str(tmp_path / "gaspi_run"))
    return tmp_path / "rank"


def test_ranks_that_gaspi_run_starts_find_each_other(ranks_of_gaspi, tmp_path, monkeypatch):
    hosts = tmp_path / "hosts"
    hosts.write_text("localhost\n" * 3)
    out, threads = tmp_path / "out", {"OMP_NUM_THREADS": "5"}
    mpich = Launcher("mpiexec", "mpich")
    arguments = [str(out), "two words"]
    started = gaspi_run.run(
        mpich, 3, ranks_of_gaspi, arguments, environment=threads, hosts_file=hosts
    )
    assert started == 0
    said = sorted(out.read_text().splitlines())
    assert said == [f"{rank} (vector,(0,1,3)) two words 5" for rank in range(3)]


def test_a_rank_of_gaspi_run_that_fails_ends_the_others(ranks_of_gaspi, tmp_path):
    begin = time.monotonic()
    code = gaspi_run.run(
        Launcher("mpiexec", "mpich"), 3, ranks_of_gaspi, [str(tmp_path / "out"), "", "7"],
        environment={"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert code == 7
    assert time.monotonic() - begin < 900  # the others would take 1000 s


def test_what_gaspi_run_cannot_do_is_named(ranks_of_gaspi, tmp_path, monkeypatch):
    mpich = Launcher("mpiexec", "mpich")
    with pytest.raises(HaloclineError, match="needs MPICH or Intel MPI"):
        gaspi_run.run(Launcher("mpiexec", "openmpi5"), 2, ranks_of_gaspi)
    with pytest.raises(HaloclineError, match="1 lines for 2 ranks"):
        (tmp_path / "hosts").write_text("localhost\n")
        gaspi_run.run(mpich, 2, ranks_of_gaspi, hosts_file=tmp_path / "hosts")
    monkeypatch.setenv("HALOCLINE_GASPI_RUN", "/nowhere")
    with pytest.raises(HaloclineError, match="/nowhere is not a program"):
        gaspi_run.run(mpich, 2, ranks_of_gaspi)
