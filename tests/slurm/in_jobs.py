#!/usr/bin/env python3
"""The command halocline in jobs of a real Slurm, which is started here for that (cluster.py).

in_jobs.py --bin FOLDER [--keep FOLDER] [WHAT...]: each WHAT is a function below. Exits with 77
where there can be no Slurm, and says why. Scripts and logs of the jobs are copied to --keep.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster import Cluster, alone, missing, said

LEFT_OUT = 77
COMPARE = (
    "compare partdiff 1 2 20 1 2 20 --ranks 4 --nodes 2 --schemes p2p:persistent "
    "--width 0% --no-picture --trust"
)


class Jobs:
    """Submits scripts to a cluster, and reads what they leave."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster, self.folder = cluster, folder

    def submit(self, name: str, script: str, *options: str) -> str:
        """Submit a script that runs in a folder of its own; return the job's number."""
        place = self.folder / name
        place.mkdir(exist_ok=True)
        file = place / "job.sh"
        file.write_text(f"#!/bin/sh\ncd {place}\n{script}\n")
        return said(
            ["sbatch", "--parsable", f"--output={place}/log", "--open-mode=append", *options, file]
        ).strip()  # fmt: skip

    def log(self, name: str) -> str:
        """Return what a job has printed."""
        file = self.folder / name / "log"
        return file.read_text(errors="replace") if file.exists() else ""

    def wait(self, job: str, *states: str, seconds: float = 900) -> str:
        """Wait for one of these states."""
        self.cluster.wait_for(
            lambda: self.cluster.state_of(job) in states, seconds,
            f"{' or '.join(states)} of job {job}, which is {self.cluster.state_of(job)}",
        )  # fmt: skip
        return self.cluster.state_of(job)

    def done(self, name: str, script: str, *options: str) -> str:
        """Run a script as a job, which must end well; return what it has printed."""
        job = self.submit(name, script, *options)
        state = self.wait(job, "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL")
        assert state == "COMPLETED", f"{state}\n{self.log(name)}"
        return self.log(name)

    def record(self, name: str) -> dict:
        """Return the record of a job's comparison, `out` in its folder."""
        return json.loads((self.folder / name / "out" / "comparison.json").read_text())

    def launched(self, name: str, least: int, seconds: float = 600) -> None:
        """Wait until a comparison has so many launches."""

        def has() -> bool:
            try:
                launches = self.record(name)["launches"]
            except OSError:
                return False
            return sum(one["status"] == "measured" for one in launches) >= least

        self.cluster.wait_for(has, seconds, f"{least} launches: {self.log(name)}")


def whole(record: dict, folder: Path) -> None:
    """Assert that every launch that counts has a file that is whole, and no scheme is blamed."""
    states = [one["status"] for one in record["launches"]]
    reasons = [one["reason"] for one in record["launches"]]
    assert "failed" not in states and "running" not in states[:-1], reasons
    for one in record["launches"]:
        if one["status"] == "measured":
            assert json.loads((folder / "out" / one["file"]).read_text())["ranks"] == one["ranks"]


def ranks_over_nodes(jobs: Jobs) -> None:
    """Six ranks go over three nodes, each on a core of its own; three with --nodes 3, too."""
    text = jobs.done(
        "ranks",
        "halocline run halocheck --ranks 6 -- --facts\n"
        "halocline run halocheck --ranks 3 --nodes 3 -- --facts\n"
        "halocline run halocheck --ranks 2 -- --facts\n"
        "halocline run halocheck --ranks 4 --ranks-per-node 2 --show -- --facts",
        "--nodes=3", "--exclusive",
    )  # fmt: skip
    facts = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    where = [[(one["host"], one["binding"]) for one in fact["ranks"]] for fact in facts]
    assert where[0] == [(f"n{node}", [core]) for node in (1, 2, 3) for core in (0, 1)], where[0]
    assert [host for host, _ in where[1]] == ["n1", "n2", "n3"], where[1]
    assert where[2] == [("n1", [0]), ("n1", [1])], where[2]
    assert "srun --mpi=" in text and "--nodes=2 --ntasks-per-node=2" in text


def whatever_the_job_asked_for(jobs: Jobs) -> None:
    """What sbatch was told and hands on in variables does not get in the way of steps."""
    told = [
        ["--ntasks-per-node=1", "--cpus-per-task=2", "--mem-per-cpu=100"],
        ["--ntasks=4", "--mem=200", "--distribution=cyclic"], ["--hint=nomultithread"],
    ]  # fmt: skip
    for number, options in enumerate(told):
        text = jobs.done(
            f"asked-{number}", "halocline run halocheck --ranks 4 -- --facts",
            "--nodes=2", "--exclusive", *options,
        )  # fmt: skip
        facts = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
        where = [(one["host"], one["binding"]) for one in facts["ranks"]]
        assert where == [("n1", [0]), ("n1", [1]), ("n2", [0]), ("n2", [1])], (options, where)


def side_by_side(jobs: Jobs) -> None:
    """Steps side by side have different cores; where there are too few, one waits."""
    place = jobs.folder / "beside"
    place.mkdir()
    (place / "busy").write_text(
        "#!/bin/sh\nbegan=$(date +%s.%N); cores=$(taskset -cp $$ | sed 's/.*: //'); sleep 4\n"
        'echo "at $(hostname) $cores $began $(date +%s.%N)"\n'
    )
    (place / "busy").chmod(0o755)
    one = "HALOCLINE_MPIEXEC=srun SLURM_MPI_TYPE=none halocline run ./busy"
    text = jobs.done(
        "beside",
        "\n".join([f"{one} -n 1 --threads 1 &"] * 3 + ["wait"]),
        "--nodes=1",
        "--exclusive",
    )
    steps = [line.split()[1:] for line in text.splitlines() if line.startswith("at ")]
    assert len(steps) == 3, text
    for here in steps:
        for there in steps:
            together = float(here[2]) < float(there[3]) and float(there[2]) < float(here[3])
            assert here is there or not together or here[1] != there[1], text


def one_tuning_file(jobs: Jobs) -> None:
    """Two jobs choose at once, and both choices are in the file that they share."""
    started = [
        jobs.submit(
            f"tune-{size}",
            f"halocline tune partdiff 1 2 {size} 1 2 20 --trust --budget 1 --ranks 2 "
            f"--tuning {jobs.folder}/tuning.json", "--nodes=1", "--exclusive",
        ) for size in (20, 40)
    ]  # fmt: skip
    for job in started:
        assert jobs.wait(job, "COMPLETED", "FAILED") == "COMPLETED", jobs.log("tune-20")
    known = json.loads((jobs.folder / "tuning.json").read_text())
    assert len(known["choices"]) == 2, known["choices"]


def cancelled(jobs: Jobs) -> None:
    """A job that is cancelled leaves whole results, and says why it ended."""
    job = jobs.submit("cancelled", f"halocline {COMPARE} --launches 100 --output out",
                      "--nodes=2", "--exclusive")  # fmt: skip
    jobs.launched("cancelled", 2)
    said(["scancel", job])
    jobs.wait(job, "CANCELLED")
    jobs.cluster.wait_for(
        lambda: jobs.record("cancelled")["interrupted"], 30, "record of an interruption"
    )
    whole(jobs.record("cancelled"), jobs.folder / "cancelled")
    # Whichever came first: the signal, or the end of srun.
    told = re.compile(rf"job {job}(: SIG\w+ came| is lost: srun: )")
    jobs.cluster.wait_for(lambda: told.search(jobs.log("cancelled")), 60, "word of the end")


def node_down(jobs: Jobs) -> None:
    """A node fails in the middle: the job is put into the queue again, and goes on."""
    job = jobs.submit("down", f"halocline {COMPARE} --launches 4 --output out",
                      "--nodes=2", "--exclusive", "--requeue")  # fmt: skip
    jobs.launched("down", 2)
    jobs.cluster.set_down("n2")
    jobs.cluster.wait_for(lambda: jobs.cluster.state_of(job) != "RUNNING", 60, "end of the job")
    before = [one for one in jobs.record("down")["launches"] if one["status"] == "measured"]
    assert 2 <= len(before) < 8
    jobs.cluster.resume("n2")
    said(["scontrol", "update", f"jobid={job}", "StartTime=now"])  # it would wait two minutes
    assert jobs.wait(job, "COMPLETED", "FAILED") == "COMPLETED", jobs.log("down")
    record = jobs.record("down")
    whole(record, jobs.folder / "down")
    assert record["launches"][: len(before)] == before
    assert len(record["launches"]) == 8 and record["ended"] == "launches"


def node_down_without_requeue(jobs: Jobs) -> None:
    """A node of a job that goes on without it fails: no scheme is blamed, and the node is named."""
    compare = f"halocline {COMPARE} --launches 100 --timeout 60 --output out"
    job = jobs.submit("kept", f"{compare}; echo code $?",
                      "--nodes=2", "--exclusive", "--no-kill", "--no-requeue")  # fmt: skip
    jobs.launched("kept", 2)
    jobs.cluster.set_down("n2")
    try:
        jobs.wait(job, "COMPLETED", "FAILED", "NODE_FAIL", "CANCELLED")
    finally:
        jobs.cluster.resume("n2")
    record = jobs.record("kept")
    whole(record, jobs.folder / "kept")
    assert f"job {job} is lost: " in jobs.log("kept"), jobs.log("kept")
    assert "code 75" in jobs.log("kept"), jobs.log("kept")


def out_of_time(jobs: Jobs) -> None:
    """A comparison ends before its job does, and goes on in the next one of the same script."""
    submitted = subprocess.run(
        ["halocline", "submit", "--time", "0:02", "--output", "job", *COMPARE.split(),
         "--launches", "1000", "--budget", "300"],
        cwd=jobs.folder, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    job = re.match(r"job (\d+) \(slurm\)", submitted)[1]
    jobs.wait(job, "FAILED", "COMPLETED", "TIMEOUT")
    folder = jobs.folder / "job"
    log = (folder / "job.log").read_text()
    assert f"the time of job {job} is over" in log, log
    status = said(["halocline", "status", str(folder)])
    assert "stopped: submit it again" in status, status
    file = folder / "results" / "comparison.json"
    before = [
        one for one in json.loads(file.read_text())["launches"] if one["status"] == "measured"
    ]
    again = said(["sbatch", "--parsable", str(folder / "job.sh")]).strip()
    jobs.wait(again, "FAILED", "COMPLETED", "TIMEOUT")
    after = json.loads(file.read_text())["launches"]
    assert after[: len(before)] == before and len(after) > len(before)
    fetched = subprocess.run(
        ["halocline", "fetch", str(folder), "--output", str(jobs.folder / "fetched")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "p2p:persistent" in fetched.stdout, fetched.stdout + fetched.stderr


def submitted_by_path(jobs: Jobs) -> None:
    """A job whose PATH leads to no halocline runs, on all the ranks that it has booked."""
    command = shutil.which("halocline")
    path = os.environ["PATH"].replace(f"{Path(command).parent}:", "", 1)
    bench = "bench roundtrip --sizes 8 --schemes p2p:nonblocking --launches 1 --budget 1"
    submitted = subprocess.run(
        [command, "submit", "--time", "0:05", "--nodes", "2", "--ranks-per-node", "2",
         "--before", "echo prepared", "--output", "by-path", *bench.split()],
        cwd=jobs.folder, env={**os.environ, "PATH": path}, capture_output=True, text=True,
        check=True,
    ).stdout  # fmt: skip
    job = re.match(r"job (\d+) \(slurm\)", submitted)[1]
    jobs.wait(job, "FAILED", "COMPLETED", "TIMEOUT")
    log = (jobs.folder / "by-path" / "job.log").read_text()
    assert jobs.cluster.state_of(job) == "COMPLETED" and log.startswith("prepared\n"), log
    (launch,) = json.loads((jobs.folder / "by-path/results/benchmark.json").read_text())["launches"]
    assert launch["ranks"] == 4 and "--nodes=2 --ntasks-per-node=2" in launch["command"], launch


PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/did-the-update-make-it-slower.md"
PLANTED = """\
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int MPI_Put(const void *from, int count, MPI_Datatype type, int target, MPI_Aint at, int there,
            MPI_Datatype as, MPI_Win window) {
  if (count > 1 && count == there) count = there = count - 1;
  return PMPI_Put(from, count, type, target, at, there, as, window);
}
static void wait_a_little(void) {
  if (getenv("PLANTED_SLOW") && !strcmp(program_invocation_short_name, "partdiff")) usleep(50000);
}
int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  wait_a_little();
  return PMPI_Isend(from, count, type, to, tag, comm, request);
}
int MPI_Startall(int count, MPI_Request *requests) {
  wait_a_little();
  return PMPI_Startall(count, requests);
}
"""
"""A library that loses the last element of a put, and has a setting with which sends are slow."""


def nightly(jobs: Jobs) -> None:
    """The job of the how-to finds a scheme that is broken since, and a setting that is slow."""
    script = re.findall(r"```sh\n(#!/bin/sh\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[-1]
    problem = "partdiff 1 2 20 1 2 20"
    for name, value in (("problem", problem), ("setting", "PLANTED_SLOW=1")):
        script, changed = re.subn(f'(?m)^{name}=".*"$', f'{name}="{value}"', script)
        assert changed == 1, f"{PAGE.name} has no {name}"
    asked = re.search(r'(?m)^asked="(.*)"$', script)[1]
    many = re.search(r'(?m)^many="(.*)"$', script)[1]
    jobs.done(
        "nightly", f"halocline doctor {asked} --json verdicts.json && "
        f"halocline compare {problem} {asked} {many} --output baseline", "--exclusive",
    )  # fmt: skip
    place = jobs.folder / "nightly"
    (place / "planted.c").write_text(PLANTED)
    cache = Path(os.environ["HALOCLINE_BIN"]).parent / "CMakeCache.txt"
    compiler = re.search(r"(?m)^MPI_CXX_COMPILER:\w+=(.*)$", cache.read_text())[1]
    mpicc = str(Path(compiler).with_name(Path(compiler).name.replace("mpicxx", "mpicc")))
    subprocess.run([mpicc, "-shared", "-fPIC", "-o", place / "libplanted.so", place / "planted.c"],
                   check=True)  # fmt: skip
    job = jobs.submit(
        "nightly", f"export LD_PRELOAD={place}/libplanted.so\n{script}", "--exclusive"
    )
    assert jobs.wait(job, "COMPLETED", "FAILED", "TIMEOUT") == "FAILED", jobs.log("nightly")
    log = jobs.log("nightly")
    for line in (
        "new: rma:put:fence (broken now, but not in the baseline; wrong: ",
        "Lost: rma:put:fence (wrong: ", "Slower by more than 10 %: p2p:",
        "nightly: doctor 3, since the baseline 3, PLANTED_SLOW=1 5",
    ):  # fmt: skip
        assert line in log, f"no '{line}'\n{log}"


TWO = "--ranks 2 --nodes 2"
FEW = "--schemes p2p:nonblocking,rma:put:fence,shm:signal"
VERBS = {
    "doctor": f"doctor --quick --ranks 2,4 --nodes 2 {FEW}",
    "run": "run partdiff 1 2 20 1 2 20 --ranks 4 --nodes 2",
    "compare": f"{COMPARE} --launches 2 --output out",
    "bench": f"bench roundtrip --sizes 8,4K {FEW} --launches 2 --budget 2 {TWO} --output out",
    "validate": "validate --only 'laplace 16*' --budget 0 --nodes 2 --output out",
    "model": f"model measure --quick --budget 2 {FEW} --nodes 2 --output machine.json",
    "tune": f"tune partdiff 1 2 20 1 2 20 --trust --budget 1 {TWO} --tuning tuning.json",
    "explain": f"explain partdiff 1 2 20 1 2 20 {TWO} --tuning ../tune/tuning.json",
    "trace": f"trace laplace --per-rank 16,16,16 {TWO} --output run.trace",
    "advise": "advise --budget 5 --output out -- env $(halocline run partdiff 1 2 40 1 2 200 "
    "--ranks 4 --nodes 2 --show)",
}
"""What each verb that starts ranks is asked over two nodes."""


def every_verb(jobs: Jobs) -> None:
    """Every verb that starts ranks does so over the nodes of its job, and ends well."""
    told = jobs.folder / "told"
    told.mkdir()
    srun = told / "srun"
    srun.write_text(
        f'#!/bin/sh\necho "$@" >> "$SLURM_JOB_ID.steps"\nexec {shutil.which("srun")} "$@"\n'
    )
    srun.chmod(0o755)
    wrong = []
    for verb, words in VERBS.items():
        began = time.monotonic()
        job = jobs.submit(verb, f"PATH={told}:$PATH\nhalocline {words}; echo code $?",
                          "--nodes=2", "--exclusive")  # fmt: skip
        jobs.wait(job, "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED")
        log = jobs.log(verb)
        file = jobs.folder / verb / f"{job}.steps"
        steps = file.read_text().splitlines() if file.exists() else []
        over_both = sum("--nodes=2" in step for step in steps)
        print(f"  {verb}: {time.monotonic() - began:.0f} s, {over_both} steps over both nodes",
              flush=True)  # fmt: skip
        told_of_it = verb == "run" or f"job {job} (slurm): 2 nodes" in log
        if "code 0" not in log or not over_both or not told_of_it:
            wrong.append(f"{verb}: {log}")
    assert not wrong, "\n".join(wrong)


SHORT = (ranks_over_nodes, side_by_side, cancelled, node_down)
LONG = (
    every_verb, whatever_the_job_asked_for, one_tuning_file, node_down_without_requeue, out_of_time,
    nightly, submitted_by_path,
)  # fmt: skip


def main() -> int:
    """Start Slurm, and do what is asked for in jobs of it."""
    known = {one.__name__: one for one in (*SHORT, *LONG)}
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("what", nargs="*", metavar="WHAT", help=", ".join(known))
    asked = parser.parse_args()
    why = missing()
    if why:
        print(why)
        return LEFT_OUT
    alone()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    chosen = [known[name] for name in asked.what] or [*SHORT, *(LONG if asked.all else ())]
    with tempfile.TemporaryDirectory(prefix="halocline-slurm-") as name:
        folder = Path(name)
        programs = folder / "bin"
        programs.mkdir()
        command = programs / "halocline"
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m halocline "$@"\n')
        command.chmod(0o755)
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
        os.environ["HALOCLINE_BIN"] = str(asked.bin.absolute())
        os.environ["HALOCLINE_CACHE"] = str(folder / "cache")
        home, beside = folder / "home", sorted(asked.bin.rglob("*"))
        home.mkdir()
        os.environ["HOME"] = str(home)
        for variable in [name for name in os.environ if name.startswith(("SLURM_", "SBATCH_"))]:
            del os.environ[variable]
        jobs = folder / "jobs"
        jobs.mkdir()
        with contextlib.ExitStack() as stack:
            try:
                cluster = stack.enter_context(Cluster(folder / "slurm"))
            except TimeoutError as error:
                print(f"left out: Slurm does not come up here: {error}")
                return LEFT_OUT
            if asked.keep:
                stack.callback(shutil.copytree, jobs, asked.keep, dirs_exist_ok=True)
            for one in chosen:
                began = time.monotonic()
                one(Jobs(cluster, jobs))
                print(f"{one.__name__}: {time.monotonic() - began:.0f} s", flush=True)
        assert sorted(asked.bin.rglob("*")) == beside, "something was written beside programs"
        assert not list(home.rglob("*halocline*")), "HALOCLINE_CACHE does not set every path"
    return 0


if __name__ == "__main__":
    sys.exit(main())
