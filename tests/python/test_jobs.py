"""In a job of Slurm: ranks over its nodes, its end, and what goes on after it."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from halocline import verbs
from halocline.errors import HaloclineError
from halocline.launch import (
    Checker,
    Launcher,
    batch,
    layout,
    lost,
    machine,
    process,
    systems,
)
from halocline.measure import Comparison
from halocline.verbs import Wish, submitting

SRUN = Launcher("srun", "slurm", "pmi2", "mpich")


def flags_of(*arguments, **named):
    command = SRUN.command(*arguments, **named)
    return command[1 : command.index("-n")]


def test_steps_have_cores_of_their_own(slurm, monkeypatch):
    assert SRUN.command(2, "p", ["1"]) == [
        "srun", "--mpi=pmi2", "--export=ALL", "--nodes=1", "--ntasks-per-node=2",
        "--distribution=block", "--mem=0", "--kill-on-bad-exit=1", "--cpus-per-task=1",
        "--cpu-bind=cores", "--exact", "-n", "2", "p", "1",
    ]  # fmt: skip
    assert {"--nodes=3", "--ntasks-per-node=2", "--exact"} <= set(flags_of(6, "p"))
    assert {"--nodes=1", "--cpus-per-task=2"} <= set(flags_of(1, "p"))
    assert {"--nodes=1", "--cpus-per-task=1"} <= set(flags_of(1, "p", threads=1))
    assert {"--nodes=2", "--ntasks-per-node=1", "--cpus-per-task=2"} <= set(
        flags_of(2, "p", threads=2)
    )
    assert "--cpu-bind=none" in flags_of(2, "p", pin=False)
    crowded = flags_of(8, "p")
    assert {"--nodes=3", "--ntasks-per-node=3", "--overcommit", "--cpu-bind=none"} <= set(crowded)
    assert "--exact" not in crowded
    assert not any("threads-per-core" in flag for flag in crowded)


def test_ranks_get_the_variables_whatever_the_site_has_set(slurm, monkeypatch):
    for set_by_site, given in (
        ("NONE", "--export=ALL"), ("HOME,PATH", "--export=ALL"),
        ("NONE,A=1,B='x,y',C", "--export=ALL,A=1,B='x,y'"),
    ):  # fmt: skip
        monkeypatch.setenv("SLURM_EXPORT_ENV", set_by_site)
        assert given in flags_of(2, "p")


NODES = {
    2: "CoresPerSocket=32 CPUTot=128 Sockets=2 ThreadsPerCore=2",
    1: "CoresPerSocket=64 CPUTot=128 Sockets=2 ThreadsPerCore=1",
    "cores alone are counted": "CoresPerSocket=64 CPUTot=128 Sockets=2 ThreadsPerCore=2",
}


@pytest.mark.parametrize("threads", NODES)
@pytest.mark.parametrize("here", [1, 2])
def test_cores_are_those_of_the_jobs_nodes(slurm, monkeypatch, threads, here):
    slurm(node=NODES[threads])
    monkeypatch.setenv("SLURM_JOB_CPUS_PER_NODE", "128(x2)")
    monkeypatch.setenv("SLURM_JOB_NODELIST", f"n[1-{threads}]of{here}")
    monkeypatch.setattr(machine, "threads_per_core", lambda: here)  # of the login node
    assert batch.here().cores_per_node == ((64, 64) if threads == 2 else (128, 128))
    flags = flags_of(64, "p")
    assert ("--threads-per-core=1" in flags) == (threads == 2)
    assert "--nodes=1" in flags and "--overcommit" not in flags


def test_where_slurm_does_not_say_a_node_of_the_job_does(slurm, monkeypatch):
    monkeypatch.setattr(machine, "threads_per_core", lambda: 2)
    assert batch.here().cores_per_node == (2, 2, 2)  # nothing is known of the nodes
    monkeypatch.setenv("SLURMD_NODENAME", "n1")
    assert batch.here().cores_per_node == (1, 1, 1)
    assert {"--cpus-per-task=1", "--threads-per-core=1", "--nodes=2"} <= set(flags_of(2, "p"))


def test_within_a_step_its_cores_are_taken(slurm, monkeypatch):
    monkeypatch.setenv("SLURM_STEP_ID", "0")
    monkeypatch.setenv("SLURM_SRUN_COMM_PORT", "5000")
    assert "--overlap" in flags_of(2, "p") and "--exact" not in flags_of(2, "p")
    monkeypatch.setenv("SLURM_STEP_ID", str((1 << 32) - 6))  # the interactive one, which waits
    assert "--exact" in flags_of(2, "p")


SPREADS = [
    ({"nodes": 3}, 3, (3, 1, 2)),
    ({"nodes": 2}, 3, (2, 2, 1)),
    ({"nodes": 3}, 2, (2, 1, 2)),
    ({"ranks_per_node": 1}, 3, (3, 1, 2)),
    ({"ranks_per_node": 2}, 3, (2, 2, 1)),
    ({"nodes": 3, "ranks_per_node": 1}, 2, (2, 1, 2)),
    ({"nodes": 1}, 4, (1, 4, 0)),
    ({}, 3, (2, 2, 1)),
    ({}, 7, (3, 3, 0)),
]


@pytest.mark.parametrize(("asked", "ranks", "spread"), SPREADS)
def test_ranks_go_where_they_are_asked_to(asked, ranks, spread):
    found = layout.Layout(**asked).of(ranks, (2, 2, 2))
    assert (found.nodes, found.ranks_per_node, found.cores_per_rank) == spread


@pytest.mark.parametrize(
    ("asked", "ranks", "said"),
    [
        ({"nodes": 4}, 2, "--nodes 4: this job has 3"),
        ({"ranks_per_node": 1}, 4, "4 ranks, --ranks-per-node 1: need 4 nodes, this job has 3"),
        ({"nodes": 2, "ranks_per_node": 1}, 3, "need 3 nodes, --nodes asks for 2"),
    ],
)
def test_what_cannot_be_spread_is_refused(asked, ranks, said):
    with pytest.raises(HaloclineError, match=said):
        layout.Layout(**asked).of(ranks, (2, 2, 2))


def test_layouts_are_for_jobs(fake, halocline, monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    said = halocline("run", "partdiff", "--nodes", "2")
    assert said.returncode == 1
    assert said.stderr.startswith("halocline: --nodes 2: ") and "on this node alone" in said.stderr


def test_slurms_counts_and_times_are_read():
    assert batch.expanded("2(x3),4") == [2, 2, 2, 4]
    assert batch.expanded("16") == [16]
    assert batch.expanded("many") == []
    assert batch.duration("29:30") == 1770
    assert batch.duration("1-02:03:04") == 93784
    assert batch.duration("UNLIMITED") is None


def test_the_end_of_a_job_is_known(slurm, monkeypatch):
    assert batch.seconds_left() == 1770
    slurm(left="NOT_SET")
    assert batch.seconds_left() is None
    monkeypatch.setenv("SLURM_JOB_END_TIME", str(time.time() + 100))
    assert 90 < batch.seconds_left() <= 100
    monkeypatch.setenv(batch.END, "soon")
    with pytest.raises(HaloclineError, match="HALOCLINE_END_TIME soon: must be seconds"):
        batch.seconds_left()
    for name in ("SLURM_JOB_ID", "SLURM_JOB_END_TIME", batch.END):
        monkeypatch.delenv(name)
    assert batch.here() is None and batch.seconds_left() is None


def test_the_way_in_which_ranks_meet_is_found(slurm, monkeypatch):
    found = Checker().launcher
    assert (found.kind, found.mpi, found.library) == ("slurm", "pmi2", "mpich")
    slurm(mpi="pmix")
    assert Checker().launcher.mpi == "pmix"
    slurm(mpi="another")  # then MPI's own launcher is left
    assert Checker().launcher.kind == "mpich"
    monkeypatch.setenv("HALOCLINE_MPIEXEC", str(slurm.folder / "srun"))
    with pytest.raises(HaloclineError, match="ranks do not meet"):
        print(Checker().launcher)
    monkeypatch.setenv("SLURM_MPI_TYPE", "pmix")  # srun reads it; the option would win
    with pytest.raises(HaloclineError):
        print(Checker().launcher)
    assert "--mpi" not in slurm.steps()[-1]


def test_run_shows_the_step(slurm, halocline):
    said = halocline("run", "partdiff", "1", "-n", 3, "--nodes", 3, "--threads", 2, "--show")
    assert said.returncode == 0
    assert "srun --mpi=pmi2 --export=ALL --nodes=3 --ntasks-per-node=1" in said.stdout
    assert "--cpus-per-task=2 --cpu-bind=cores --exact -n 3" in said.stdout


COMPARE = ("compare", "partdiff", "1", "--schemes", "rma:put:fence", "--ranks", 4, "--nodes", 2,
           "--launches", 6, "--width", "0%", "--no-picture", "--trust",
           "--output", "out")  # fmt: skip


def test_a_comparison_goes_over_the_nodes(slurm, halocline):
    said = halocline(*COMPARE)
    assert said.returncode == 0, said.stderr
    assert "job 12 (slurm): 3 nodes, 6 cores, 29 min 30 s left" in said.stdout
    steps = [step for step in slurm.steps() if step.endswith("partdiff")]
    assert len(steps) == 12
    assert all("--nodes=2 --ntasks-per-node=2" in step for step in steps)


def test_a_node_that_fails_condemns_no_scheme(slurm, halocline, monkeypatch, tmp_path):
    slurm(node_fails=6)
    said = halocline(*COMPARE)
    assert said.returncode == 75
    assert (
        "job 12 is lost: srun: error: Node failure on n2; what is measured is kept" in said.stderr
    )
    before = Comparison.load(tmp_path / "out")
    states = [launch.status for launch in before.launches]
    assert states == ["measured"] * (len(states) - 1) + ["interrupted"]
    assert "Node failure on n2" in before.launches[-1].reason
    slurm()
    monkeypatch.setenv("SLURM_RESTART_COUNT", "1")
    said = halocline(*COMPARE)
    assert said.returncode == 0, said.stderr
    after = Comparison.load(tmp_path / "out")
    assert [launch.status for launch in after.launches] == ["measured"] * 12
    assert after.launches[: len(states) - 1] == before.launches[:-1]
    assert (after.seed, after.ended, after.interrupted) == (before.seed, "launches", False)
    done = len(slurm.steps())
    assert halocline(*COMPARE).returncode == 0  # nothing is left to do
    assert [step for step in slurm.steps()[done:] if step.endswith("partdiff")] == []
    said = halocline(*COMPARE, "--seed", 1)
    assert said.returncode == 1
    assert "not this command; name another folder with --output" in said.stderr


def test_a_program_that_fails_on_a_node_less_is_not_blamed(slurm, fake, halocline, monkeypatch):
    fake(failing={"rma:put:fence": "exit"})
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "3")
    said = halocline(*COMPARE)
    assert said.returncode == 0 and "does not fit Gauss-Seidel" in said.stdout
    slurm(nodes=2)
    said = halocline(*COMPARE[:-1], "other")
    assert said.returncode == 75
    assert "job 12 is lost: 2 of its 3 nodes are left; what is measured is kept" in said.stderr


def test_the_doctor_learns_nothing_from_a_node_that_fails(slurm, halocline):
    slurm(node_fails=2)
    said = halocline("doctor", "--schemes", "p2p:*", "--ranks", "2")
    assert said.returncode == 75 and "Node failure" in said.stderr
    slurm()
    assert "not checked yet" in halocline("schemes", "p2p:nonblocking").stdout


def test_a_comparison_ends_before_its_job(slurm, fake, halocline, monkeypatch, tmp_path):
    fake(wall=0.5)
    monkeypatch.setattr(process, "margin", lambda left: 50)
    monkeypatch.setenv(batch.END, str(time.time() + 60))
    many = ["90" if word == 6 else word for word in COMPARE]
    said = halocline(*many)
    assert said.returncode == 75
    assert "the time of job 12 is over; what is measured is kept" in said.stderr
    found = Comparison.load(tmp_path / "out")
    assert found.interrupted and found.launches[0].status == "measured"
    assert "time of the job" in found.launches[-1].reason
    assert "p2p:nonblocking" in said.stdout  # the table of what there is


def test_a_job_without_a_name_for_its_results_finds_them(slurm, halocline, monkeypatch, tmp_path):
    words = [word for word in COMPARE if word not in ("--output", "out")]
    assert halocline(*words).returncode == 0
    (folder,) = (tmp_path / "results").iterdir()
    assert folder.name.startswith("partdiff-job12-")


def test_the_words_of_a_lost_job_are_told_from_others():
    told = [
        "srun: error: Node failure on n2",
        "slurmstepd: error: *** STEP 3.0 ON n1 CANCELLED AT 03:00:00 DUE TO TIME LIMIT ***",
        "srun: error: Unable to create step for job 3: Job/step already completing or completed",
        "srun: error: Unable to create step for job 3: Required node not available (down, drained)",
    ]
    for words in told:
        assert lost.words(f"noise\n{words}\nmore") == words
    for words in (
        "srun: error: n1: task 1: Exited with exit code 1",
        "partdiff: Node failure on x",
        "slurmstepd: error: *** STEP 3.0 ON n1 CANCELLED AT 03:00:00 ***",
    ):
        assert lost.words(words) == ""


def test_a_step_that_never_began_says_nothing_of_a_program():
    waits = "srun: Job 3 step creation temporarily disabled, retrying (Requested nodes are busy)"
    assert lost.words(waits) == waits
    assert lost.words(f"{waits}\nsrun: Step created for job 3") == ""


def test_the_end_takes_a_tenth_of_what_is_left_within_bounds():
    assert [process.margin(left) for left in (60, 300, 3600)] == [15, 30, 60]


def test_systems_that_are_described_start_ranks(slurm, fake, halocline, monkeypatch, tmp_path):
    monkeypatch.delenv("SLURM_JOB_ID")
    starter = slurm.folder / "start-ranks"
    starter.write_text(f'#!/bin/sh\nshift 3\nexec {fake.folder}/mpiexec "$@"\n')
    starter.chmod(0o755)
    own = tmp_path / "launchers.ini"
    own.write_text(
        "[mine]\njob = MY_JOB\nhosts = MY_HOSTS\n"
        "start = start-ranks {nodes}x{ranks_per_node} {binding} -n {ranks} {program}\n"
        "pinned = --depth {cores}\nunpinned = --depth none\n"
    )
    hosts = tmp_path / "hosts"
    hosts.write_text("a\na\nb\nb\n")
    monkeypatch.setenv("HALOCLINE_LAUNCHERS", str(own))
    monkeypatch.setenv("MY_JOB", "7")
    monkeypatch.setenv("MY_HOSTS", str(hosts))
    monkeypatch.setenv(batch.CORES, "4")
    found = batch.here()
    assert (found.system.name, found.id, found.cores_per_node) == ("mine", "7", (4, 4))
    said = halocline("run", "partdiff", "1 2", "-n", 2, "--nodes", 2, "--show")
    assert f"start-ranks 2x1 --depth 4 -n 2 {fake.folder}/partdiff '1 2'" in said.stdout
    said = halocline("run", "partdiff", "-n", 16, "--show")
    assert "start-ranks 2x8 --depth none -n 16" in said.stdout
    said = halocline(*COMPARE)
    assert said.returncode == 0, said.stderr
    monkeypatch.setenv(batch.NODES, "none")
    said = halocline(*COMPARE, "--output", "other")
    assert said.stderr == "halocline: HALOCLINE_NODES none: must be a number above 0\n"


@pytest.mark.parametrize("name", ["pbs", "lsf", "jsrun", "flux"])
def test_each_system_that_comes_along_starts_and_submits(slurm, fake, monkeypatch, name, tmp_path):
    one = systems.named(name)
    monkeypatch.delenv("SLURM_JOB_ID")
    monkeypatch.setenv(systems.CHOSEN, name)
    monkeypatch.delenv("HALOCLINE_FAKE")  # the job would get it, too
    monkeypatch.setenv(one.job.split()[0], "99")
    monkeypatch.setenv(batch.NODES, "2")
    monkeypatch.setenv(batch.CORES, "8")
    command = Launcher("x", "template", template=one).command(4, "p", ["a b"])
    assert command[-2:] == ["p", "a b"] and "4" in command
    assert not any("{" in word for word in command)
    text = submitting.script(one, Wish(2, 2, 90, "q", "a", ("--more",), 8), ["doctor"], tmp_path)
    assert "{" not in text
    assert f"{one.directive} --more" in text
    assert f"export HALOCLINE_SYSTEM={name}" in text
    assert "export HALOCLINE_END_TIME=$(($(date +%s) + 5400))" in text
    assert "export HALOCLINE_NODES=2 HALOCLINE_CORES_PER_NODE=8" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[x]\nfoo = 1\n", r"\[x\] foo: is not known; there are job, "),
        ("[x]\nstart = run {rank} {program}\n", r"\[x\] start: 'rank' may not stand in braces"),
        ("[x]\nstart = run {ranks}\n", r"\[x\] start: has no \{program\}"),
        ("[x]\nid = (\n", r"\[x\] id: \( is no regular expression"),
        ("[x]\nid = 1\n", r"\[x\] id: 1 has not one group"),
        ("job = 1\n", "describes no launchers: "),
    ],
)
def test_what_is_wrong_in_a_file_of_launchers_is_named(text, said, monkeypatch, tmp_path):
    own = tmp_path / "launchers.ini"
    own.write_text(text)
    monkeypatch.setenv("HALOCLINE_LAUNCHERS", str(own))
    with pytest.raises(HaloclineError, match=said):
        systems.known()


SUBMIT = (
    "submit",
    "--time",
    "0:30",
    "--option=--constraint=zen4",
    "--output",
    "job",
    *COMPARE[:-2],
)


def test_a_job_script_can_be_read(slurm, halocline, tmp_path):
    said = halocline(*SUBMIT, "--show")
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("#!/bin/sh\n#SBATCH --job-name=halocline-compare\n")
    for line in ("#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=2", "#SBATCH --time=30",
                 "#SBATCH --constraint=zen4", f"cd {tmp_path} || exit 1",
                 "export HALOCLINE_CONTINUE=1 "):  # fmt: skip
        assert f"\n{line}" in said.stdout
    assert f"--trust --output {tmp_path}/job/results\n" in said.stdout
    assert not (tmp_path / "job").exists() and not (slurm.folder / "script").exists()


def test_a_job_names_the_command_that_submitted_it(slurm, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/__main__.py"])
    script = verbs.submit(["doctor"], show=True).script
    assert f"\n{sys.executable} -m halocline doctor\n" in script
    command = tmp_path / "by path" / "halocline"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", "/where it is")
    monkeypatch.setattr(sys, "argv", ["by path/halocline"])
    monkeypatch.chdir(tmp_path)
    script = verbs.submit(["doctor"], show=True).script
    assert f"\n'{command}' doctor\n" in script
    assert "\nexport PYTHONPATH='/where it is'\n" in script


def test_a_site_has_a_place_for_its_lines(slurm, halocline, monkeypatch, tmp_path):
    monkeypatch.setenv("LOADEDMODULES", "gcc/12:mpich/5")
    assert (
        "\n# module load gcc/12 mpich/5   # what the site needs: --before LINE\n"
        in halocline("submit", "--show", "doctor").stdout
    )
    own = tmp_path / "launchers.ini"
    own.write_text("[mine]\nsubmit = sbatch {script}\nbefore =\n    . /etc/site\n    set -u\n")
    monkeypatch.setenv("HALOCLINE_LAUNCHERS", str(own))
    lines = ["--before", "module load mpich", "--system", "mine"]
    said = halocline("submit", "--show", *lines, "doctor")
    assert "\n. /etc/site\nset -u\nmodule load mpich\nrm -f " in said.stdout


@pytest.mark.parametrize(
    ("before", "behind", "told"),
    [
        ("--nodes 2 --ranks-per-node 2", "bench roundtrip",
         "bench roundtrip --ranks-per-node 2 --nodes 2 --ranks 4"),
        ("--nodes 2", "doctor", "doctor --nodes 2 --ranks 2"),
        ("--ranks-per-node 2", "compare partdiff --ranks 4",
         "compare --ranks-per-node 2 partdiff --ranks 4"),
        ("--nodes 2", "compare partdiff --ranks 2,4", "compare --nodes 2 partdiff --ranks 2,4"),
        ("--nodes 2", "compare partdiff --ranks 4 --nodes 2", "compare partdiff --ranks 4 --nodes"),
        ("--nodes 2", "validate", "validate"),
        ("", "doctor", "doctor"),
    ],
)  # fmt: skip
def test_the_jobs_ranks_are_those_of_its_verb(slurm, halocline, before, behind, told):
    said = halocline("submit", "--show", *before.split(), *behind.split())
    assert said.returncode == 0, said.stderr
    assert f"halocline {told}" in said.stdout
    if before:
        assert "#SBATCH --nodes=2\n" in said.stdout


@pytest.mark.parametrize(
    ("before", "behind", "said"),
    [
        ("--nodes 4", "compare partdiff --ranks 2", "--nodes 4: --ranks 2 use 2 of them"),
        ("--nodes 2 --ranks-per-node 2", "doctor --ranks 2",
         "--ranks-per-node 2: on 2 nodes are 4 ranks, and --ranks asks for 2"),
        ("--nodes 2 --ranks-per-node 2", "doctor --ranks 8",
         "--ranks 8: on 2 nodes are 4 ranks by --ranks-per-node 2"),
        ("--nodes 2", "doctor --nodes 1", "--nodes 2: the job's is not the verb's, --nodes 1"),
        ("", "compare partdiff --launches many", "Invalid value for '--launches'"),
        ("", "compare", "name a program, or --results"),
        ("", "bench roundtrp", "roundtrp"),
        ("", "compare partdiff --rank 4", "partdiff: --rank: there is no such option"),
        ("", "tune partdiff 1 2 --nothing", "partdiff: --nothing: there is no such option"),
    ],
)  # fmt: skip
def test_what_the_job_would_not_use_or_understand_is_refused(
    slurm, halocline, before, behind, said
):
    found = halocline("submit", *before.split(), *behind.split())
    assert found.returncode in (1, 2) and said in found.stderr
    assert found.stderr.count("\n") == 1
    assert not (slurm.folder / "script").exists()


def test_a_program_that_is_not_here_is_left_to_the_job(slurm, halocline, monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("HALOCLINE_BIN", str(tmp_path / "empty"))
    assert halocline("submit", "--show", "compare", "partdiff", "--rank", "4").returncode == 0


@pytest.mark.parametrize(
    ("time", "minutes"),
    [
        ("90", 90), ("1:30", 90), ("24:00", 1440), ("00:30:00", 30), ("0:45:30", 46),
        ("30:00:00", 1800), ("1-12:00:00", 2160), ("2-0", 2880), ("1-00:30", 1470),
    ],
)  # fmt: skip
def test_times_mean_what_sbatch_means(time, minutes):
    assert verbs.minutes_of(time) == minutes


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("30:00", "give 30:00:00 if these are hours, 0:30:00 if they are minutes"),
        ("24:01", "give 24:01:00 if these are hours, 0:24:01 if they are minutes"),
        ("1:75", "give hours and minutes, as 1:30"), ("1:00:75", "as 1:30:00 and 1-12:00:00"),
        ("1-30:00", "as 1:30:00 and 1-12:00:00"), ("-5", "give hours"), ("1:", "give hours"),
        ("1.5", "give hours"), ("", "give hours"), ("\u0663", "give hours"),
        ("100000000", "from a minute to 366 days"), ("0:00", "from a minute to 366 days"),
    ],
)  # fmt: skip
def test_times_that_may_be_others_are_refused(time, said):
    with pytest.raises(HaloclineError, match=f"--time .*: .*{said}"):
        verbs.minutes_of(time)


def test_jobs_get_the_variables_that_ranks_heed(slurm, halocline, monkeypatch):
    monkeypatch.setenv("HALOCLINE_TIMEOUT", "7")
    monkeypatch.setenv("OMP_PROC_BIND", "close to it")
    monkeypatch.setenv("MPIR_CVAR_CH4_X", "1")
    monkeypatch.setenv(batch.NODES, "5")
    monkeypatch.setenv("PMIX_RANK", "0")
    said = halocline("submit", "--show", "doctor").stdout
    for line in ("HALOCLINE_TIMEOUT=7", "OMP_PROC_BIND='close to it'", "MPIR_CVAR_CH4_X=1"):
        assert f"\nexport {line}\n" in said
    assert batch.NODES not in said and "PMIX_RANK" not in said
    with pytest.raises(HaloclineError, match="0 minutes: a job takes from a minute"):
        verbs.submit(["doctor"], Wish(minutes=0), show=True)


def test_a_job_is_submitted_watched_and_fetched(slurm, halocline, tmp_path):
    slurm(states={"4711": "PENDING"})
    halocline()  # which goes into the empty folder
    said = halocline("submit", "--output", "results/a", *COMPARE[:-2])
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith(f"job 4711 (slurm): {tmp_path}/results/a/job.sh\n")
    script = tmp_path / "results" / "a" / "job.sh"
    assert (slurm.folder / "script").read_text() == script.read_text()
    assert "pending" in halocline("status").stdout
    assert halocline("fetch", "4711").returncode == 75
    own = tmp_path / "bin"
    own.mkdir()
    (own / "halocline").write_text(f'#!/bin/sh\nexec {sys.executable} -m halocline "$@"\n')
    (own / "halocline").chmod(0o755)
    text = re.sub(r"\n\S*halocline compare", f"\n{own}/halocline compare", script.read_text())
    log = (tmp_path / "results" / "a" / "job.log").open("w")
    assert subprocess.run(["sh", "-c", text], stdout=log, check=False).returncode == 0
    said = halocline("status", "results/a")
    assert "done" in said.stdout and "12 launches" in said.stdout
    said = halocline("fetch", "4711", "--output", "here")
    assert said.returncode == 0 and "rma:put:fence" in said.stdout
    assert Comparison.load(tmp_path / "here").ended == "launches"


def test_what_the_system_did_to_a_job_is_said(slurm, halocline, tmp_path):
    halocline()
    assert halocline("submit", "--output", "results/a", "doctor").returncode == 0
    said = halocline("status", "4711")
    assert "the system does not know it any more" in said.stdout
    log = tmp_path / "results" / "a" / "job.log"
    log.write_text(
        "slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 3:00 DUE TO TIME LIMIT ***\n"
    )
    assert "ended by the system: slurmstepd: error: *** JOB 4711" in halocline("status").stdout
    (log.parent / "job.exit").write_text("75\n")
    assert "submit it again, and it goes on" in halocline("status").stdout
    assert halocline("fetch", "4711").returncode == 75


def test_a_system_that_does_not_answer_ends_no_job(slurm, halocline, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "300")
    halocline()
    slurm(states={"4711": "RUNNING"})
    assert halocline("submit", "--output", "results/a", "doctor").returncode == 0
    slurm(away=True)
    said = halocline("status")
    assert "unknown: squeue: slurm_load_jobs error: Unable to contact" in said.stdout
    assert halocline("fetch", "4711").returncode == 75
    slurm(states={"4711": "CANCELLED"})
    assert "over: the system calls it cancelled, and it has left no" in halocline("status").stdout
    assert halocline("fetch", "4711").returncode == 1


def test_a_damaged_record_hides_no_other_job(slurm, halocline, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "300")
    halocline()
    for name in ("a", "b"):
        assert halocline("submit", "--output", f"results/{name}", "doctor").returncode == 0
    (tmp_path / "results" / "a" / "job.json").write_text("{")
    said = halocline("status")
    assert said.returncode == 0 and "results/b" in said.stdout
    assert "unknown: results/a/job.json is not JSON" in said.stdout
    assert halocline("status", "results/a").returncode == 1
    assert halocline("status", "4711").returncode == 0


def test_jobs_are_told_by_a_name_that_finds_them(slurm, halocline, tmp_path):
    halocline()
    elsewhere = tmp_path / "elsewhere"
    said = halocline("submit", "--output", elsewhere, "doctor")
    assert f"'halocline status {elsewhere}' says where it is" in said.stdout
    assert halocline("status", elsewhere).returncode == 0


def test_what_sites_print_besides_is_no_number_of_a_job():
    slurm = systems.named("slurm")
    for said in ("4711\n", "4711;cluster\n", "Welcome 2026\n4711\n",
                 "Use 2 nodes\nSubmitted batch job 4711 on cluster b\n"):  # fmt: skip
        assert re.search(slurm.id, said)[1] == "4711"
    assert re.search(slurm.id, "Welcome 2026\n") is None


def test_variables_that_no_shell_can_set_stay_out_of_the_script(slurm, halocline, monkeypatch):
    monkeypatch.setenv("OMP_A'B", "1")
    monkeypatch.setenv("HALOCLINE_X", "a\nb'c")
    script = halocline("submit", "--show", "doctor").stdout
    assert "OMP_A" not in script
    assert subprocess.run(["sh", "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--option", "-A x\nrm y", "doctor"), "must be one line"),
        (("--partition", "p\n#SBATCH -n 9", "doctor"), "must be one line"),
        (("--output", "q'uote", "doctor"), "the job's folder "),
        (("--output", "sp ace", "doctor"), "the job's folder "),
        (("--output", "a%jb", "doctor"), "name a folder without them with --output"),
        ((), "submit: give what the job is to do, one of compare, "),
        (("report",), "; report is none"),
        (("--time", "soon", "doctor"), "--time soon: give hours and minutes, as 1:30"),
        (("--system", "cray", "doctor"), "no batch system cray is described; there are slurm, pbs"),
        (("--system", "pbs", "doctor"), "cannot start qsub"),
    ],
)
def test_what_cannot_be_submitted_is_said(slurm, halocline, words, said):
    found = halocline("submit", *words)
    assert found.returncode == 1
    assert found.stderr.startswith("halocline: ") and said in found.stderr
    assert found.stderr.count("\n") == 1


def test_the_examples_of_the_documents_can_be_read(monkeypatch, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "reference" / "launchers.md").read_text("utf-8")
    own = tmp_path / "launchers.ini"
    own.write_text("".join(re.findall(r"```ini\n(.*?)```", page, re.DOTALL)))
    monkeypatch.setenv("HALOCLINE_LAUNCHERS", str(own))
    found = [one for one in systems.known() if one.file == own]
    assert [one.name for one in found] == ["pbs", "lsf", "jsrun", "flux"]
    for one in found:
        places = {"ranks": 4, "nodes": 2, "ranks_per_node": 2, "cores": 3}
        assert one.started(["p", "a b"], pin=True, **places)[-2:] == ["p", "a b"]
