"""Programs that stand in for the real ones, so that every kind of failure can be had at will."""

import copy
import json
import shutil
import signal
import stat
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import pytest

from halocline.cli import main as cli
from halocline.launch import batch, machine, process
from halocline.measure.comparison import rounds
from halocline.measure.kernels import measuring

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

# Tests run beside a build.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")
# Shells start what runs beside with SIGINT ignored, nohup with SIGHUP, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def private_memory(tmp_path, monkeypatch):
    """Keep the doctor's memory, and what the user has set, out of the tests."""
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "160")
    for name in ("HALOCLINE_BIN", "HALOCLINE_MPIEXEC", "HALOCLINE_TUNING"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Give a folder of stand-in programs; calling the fixture configures them."""
    folder = tmp_path / "build" / "release" / "bin"
    folder.mkdir(parents=True)
    text = (HERE / "fake_mpi.py").read_text()
    text = text.replace("#!/usr/bin/env python3", f"#!{sys.executable} -S", 1)
    for name in ("mpiexec", "halocheck", "laplace", "partdiff"):
        path = folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("HALOCLINE_BIN", str(folder))

    def configure(**config):
        monkeypatch.setenv("HALOCLINE_FAKE", json.dumps(config))
        return folder

    configure()
    configure.folder = folder
    return configure


OF_SLURM = (
    "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES", "SLURM_JOB_CPUS_PER_NODE", "SLURM_RESTART_COUNT",
    "SLURM_STEP_ID", "SLURM_JOB_END_TIME", "SLURM_MPI_TYPE", "SLURM_JOB_NODELIST",
    "SLURMD_NODENAME", "SLURM_EXPORT_ENV", batch.END, batch.CONTINUE,
)  # fmt: skip


@pytest.fixture
def slurm(tmp_path, monkeypatch, fake):
    """Put this process into a job of three nodes of two cores; calling it configures Slurm."""
    for name in OF_SLURM:
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "slurm"
    folder.mkdir()
    text = (HERE / "fake_slurm.py").read_text()
    text = text.replace("#!/usr/bin/env python3", f"#!{sys.executable} -S", 1)
    for name in ("srun", "squeue", "sbatch", "scontrol"):
        path = folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    shutil.copy(fake.folder / "mpiexec", folder.parent / "build" / "release" / "mpiexec")
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("FAKE_SLURM", str(folder))
    monkeypatch.setenv("SLURM_JOB_ID", "12")
    monkeypatch.setenv("SLURM_JOB_CPUS_PER_NODE", "2(x3)")
    monkeypatch.setattr(machine, "threads_per_core", lambda: 1)

    def configure(**config):
        (folder / "config.json").write_text(json.dumps(config))

    configure()
    configure.folder = folder
    configure.steps = lambda: (folder / "steps").read_text().splitlines()
    return configure


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Make something and its folder once for all tests of a module; each gets copies."""
    known = {}

    def once(make, folder):
        if known:
            shutil.copytree(known["folder"], folder)
        else:
            known["made"] = make()
            known["folder"] = shutil.copytree(folder, tmp_path_factory.mktemp("kept") / "folder")
        return copy.deepcopy(known["made"])

    return once


@pytest.fixture
def one_second_each(monkeypatch):
    """Let each launch of a comparison take a second by the clock, whatever else computes here."""
    now = SimpleNamespace(seconds=0.0)
    clock = SimpleNamespace(monotonic=lambda: now.seconds)
    run = process.run

    def of_a_second(*arguments):
        now.seconds += 1
        return replace(run(*arguments), wall_s=1.0)

    for module in (rounds, measuring):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(rounds, "process", SimpleNamespace(run=of_a_second))


@dataclass
class Said:
    """What a command said."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def halocline(tmp_path, monkeypatch, capfd):
    """Run the command within this process, in an empty folder."""

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["halocline", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        return Said(end.value.code or 0, *capfd.readouterr())

    return run


@pytest.fixture
def shell(tmp_path):
    """Run the command as a user does, in a process of its own."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "halocline", *map(str, arguments)],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return run
