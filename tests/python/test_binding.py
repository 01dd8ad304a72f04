"""Python's classes: on one, two and four ranks, and what surrounds them."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BUILD = ROOT / "build" / "release"
CHECKS = Path(__file__).parent / "binding_checks.py"
MPIEXEC = BUILD / "mpiexec"

pytest.importorskip("mpi4py", reason="needs mpi4py")
if not list((BUILD / "python").glob("_native*.so")) or not MPIEXEC.is_file():
    pytest.skip("./dev build halocline_python has not been run", allow_module_level=True)

NAMES = re.findall(r"^@check\ndef (\w+)", CHECKS.read_text(), re.MULTILINE)


def run(*command, ranks=None, **variables):
    """Run Python, on so many ranks if there are any, and return what it has said.

    What MPI's libraries say of a machine that they do not know is left out.
    """
    launcher = [str(MPIEXEC), "-n", str(ranks)] if ranks else []
    environment = {**os.environ, "HALOCLINE_BIN": str(BUILD / "bin"), **variables}
    done = subprocess.run(
        [*launcher, sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
    )
    for stream in ("stdout", "stderr"):
        said = re.sub(r"^\[(hwloc/|\d+\.\d+\] ).*\n", "", getattr(done, stream), flags=re.MULTILINE)
        setattr(done, stream, said)
    return done


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_on_ranks(ranks):
    done = run(CHECKS, ranks=ranks)
    lines = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
    assert {line["name"]: line["wrong"] for line in lines if line["wrong"]} == {}
    assert [line["name"] for line in lines] == NAMES, done.stdout + done.stderr
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("scheme", ["p2p:persistent", "shm:signal", "rma:put:fence"])
@pytest.mark.parametrize(
    "child",
    [
        "sys.exit(0)",
        "del halos, u, grid; gc.collect(); sys.exit(0)",
        "print(raised(halos.run), raised(lambda: hc.Grid((4,)))); sys.exit(0)",
    ],
)
def test_a_child_that_is_forked_off_leaves_mpi_alone(child, scheme):
    done = run(
        "-c",
        f"""
import gc, os, sys, halocline as hc
def raised(act):
    try:
        act()
    except hc.Error as problem:
        return "forked off" in str(problem)
grid = hc.Grid((8,), periodic=True)
u = grid.zeros(scheme="{scheme}")
halos = hc.Exchange(grid.halo(), u, scheme="{scheme}")
halos.run()
if (child := os.fork()) == 0:
    {child}
assert os.waitpid(child, 0)[1] == 0
for step in range(3):
    u.owned[:] = step
    halos.run()
    assert (u == step).all()
""",
        ranks=2,
        HALOCLINE_TIMEOUT="60",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "".join(done.stdout.split()) == "True" * (4 if "raised" in child else 0)


def test_importing_the_package_loads_neither_the_module_nor_mpi():
    done = run(
        "-c",
        "import sys, halocline; halocline.Error; print([m for m in sys.modules"
        " if 'numpy' in m or '_native' in m or 'mpi4py' in m])",
    )
    assert done.stdout == "[]\n", done.stderr


def test_a_missing_module_is_one_sentence(tmp_path):
    done = run("-c", "import halocline; halocline.Grid", HALOCLINE_BIN=str(tmp_path))
    last = done.stderr.strip().split("\n")[-1]
    assert "not built for Python" in last and "./dev build halocline_python" in last


def test_without_mpiexec_and_mpi4py_it_is_one_rank():
    done = run(
        "-c",
        "import halocline as hc, sys; g = hc.Grid((4, 4), periodic=True); u = g.zeros();"
        "u.owned[:] = 1; hc.Exchange(g.halo(), u).run(); print(g.ranks, u.min(),"
        " g.comm, 'mpi4py.MPI' in sys.modules)",
    )
    assert done.stdout == "1 1.0 None False\n", done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("imports", ["", "from mpi4py import MPI; "])
def test_the_launcher_of_another_mpi_is_named(imports):
    done = run(
        "-c",
        f"{imports}import halocline as hc; hc.Grid((4, 4))",
        OMPI_COMM_WORLD_SIZE="2",
        OMPI_COMM_WORLD_RANK="1",
    )
    last = done.stderr.strip().split("\n")[-1]
    assert last.startswith("halocline.errors.Error: the launcher has started 2 ranks"), done.stderr
    done = run(
        "-c",
        f"{imports}import halocline as hc; print(hc.Grid((4, 4)).ranks)",
        OMPI_COMM_WORLD_SIZE="2",
        HALOCLINE_ALONE="1",
    )
    assert done.stdout == "1\n", done.stderr


def test_an_mpi4py_with_another_mpi_is_named():
    done = run(
        "-c",
        """
import sys, types, halocline as hc
hc.Grid((4,))
other = types.ModuleType("MPI")
other.Comm = type("Comm", (), {})
other.COMM_WORLD = other.Comm()
other.Is_initialized = lambda: False
other._sizeof = lambda kind: 4
other.Get_library_version = lambda: "Open MPI v5.0.11, package"
sys.modules["mpi4py.MPI"] = other
hc.Grid((4,))
""",
    )
    last = done.stderr.strip().split("\n")[-1]
    assert "mpi4py has loaded another MPI (Open MPI v5.0.11)" in last, done.stderr


@pytest.mark.parametrize(
    "end",
    [
        "MPI.Finalize(); del halos, u",
        "MPI.Finalize()",
        "",
        "halos.start(); del halos",
        "import atexit; atexit.register(lambda: u.sum())",
    ],
)
def test_objects_may_outlive_mpi(end):
    done = run(
        "-c",
        "from mpi4py import MPI\nimport halocline as hc\n"
        "g = hc.Grid((8, 8), periodic=True)\nu = g.zeros(scheme='shm:signal')\n"
        "halos = hc.Exchange(g.halo(), u, scheme='shm:signal')\nhalos.run()\n" + end,
        ranks=2,
    )
    assert (done.returncode, done.stderr) == (0, "")


# The last one as on two nodes, with MPICH.
@pytest.mark.parametrize("ranks, environment", [(1, {}), (2, {}), (2, {"MPIR_CVAR_NOLOCAL": "1"})])
def test_arrays_keep_their_numbers_when_mpi_ends(ranks, environment):
    done = run(
        "-c",
        "from mpi4py import MPI\nimport halocline as hc\n"
        "g, arrays = hc.Grid((64, 64), halo=1, periodic=True), []\n"
        "for scheme in 'auto', 'rma:put:flush+alloc=allocate', 'shm:signal':\n"
        "    u = g.zeros(scheme=scheme)\n    u.owned[:] = 1\n"
        "    h = hc.Exchange(g.halo(), u, scheme=scheme)\n    h.run()\n    arrays.append(u)\n"
        "MPI.Finalize()\nassert all((u == 1).all() for u in arrays)\n"
        "for u in arrays:\n    u[:] = 2",
        ranks=ranks,
        **environment,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "end",
    [
        "MPI.Finalize(); del step, halos, u",
        "MPI.Finalize(); del halos, u; del step",
        "MPI.Finalize()",
        "",
        "step.begin(); halos.start(); del step",
        "import sys; sys.exit(step.begin())",
    ],
)
def test_sections_may_outlive_mpi(end):
    done = run(
        "-c",
        "from mpi4py import MPI\nimport halocline as hc\n"
        "g = hc.Grid((8, 8), periodic=True)\nu = g.zeros()\n"
        "halos = hc.Exchange(g.halo(), u, scheme='auto+when=running')\nstep = hc.Section(halos)\n"
        "for _ in range(150):\n    with step.lap():\n        halos.run()\n" + end,
        ranks=2,
        HALOCLINE_TUNING_REGRET="0.5",
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_after_mpi_has_ended_it_says_so():
    done = run(
        "-c",
        "from mpi4py import MPI\nimport halocline as hc\n"
        "g = hc.Grid((8, 8), periodic=True)\nu = g.zeros()\n"
        "halos = hc.Exchange(g.halo(), u)\nMPI.Finalize()\nhalos.run()",
    )
    assert "halocline.errors.Error: MPI has ended" in done.stderr
    done = run(
        "-c",
        "from mpi4py import MPI\nimport halocline as hc\n"
        "g = hc.Grid((8, 8), periodic=True)\nu = g.zeros()\nMPI.Finalize()\n"
        "hc.Exchange(g.halo(), u)",
    )
    assert "halocline.errors.Error: MPI has ended" in done.stderr
    done = run(
        "-c",
        "from mpi4py import MPI\nimport halocline as hc\nstep = hc.Section()\nMPI.Finalize()\n"
        "print(step.report(), step.laps)\nwith step.lap():\n    pass",
    )
    assert "section: 0 laps" in done.stdout
    assert "halocline.errors.Error: MPI has ended" in done.stderr
    # Nothing is made on its communicators, either, not even where no object is asked for its state.
    done = run(
        "-c",
        "from mpi4py import MPI\nimport halocline as hc\ng = hc.Grid((8, 8), periodic=True)\n"
        "u = g.zeros()\nhalos = hc.Exchange(g.halo(), u, scheme='auto+when=running')\n"
        "MPI.Finalize()\n"
        "for make in (lambda: hc.Exchange(g.halo(), u), lambda: hc.Section(halos), g.zeros):\n"
        "    try:\n        make()\n    except hc.Error as error:\n        print(error)",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("MPI has ended") == 3, done.stdout


def test_an_interrupt_ends_a_wait():
    done = run(
        "-c",
        """
import os, signal, sys, threading, time
from mpi4py import MPI
import halocline as hc
signal.signal(signal.SIGINT, signal.default_int_handler)
g = hc.Grid((8,), periodic=True)
u = g.zeros()
halos = hc.Exchange(g.halo(), u, scheme="p2p:nonblocking")
halos.run()
if g.rank == 0:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.time()
    try:
        halos.run()
    except KeyboardInterrupt:
        print("interrupted", time.time() - begin < 3, flush=True)
    time.sleep(0.1)
else:
    time.sleep(4)
os._exit(0)
""",
        ranks=2,
    )
    assert "interrupted True" in done.stdout, done.stderr


def test_a_time_limit_raises_timeout():
    done = run(
        "-c",
        """
import os, time
import halocline as hc
g = hc.Grid((8,), periodic=True)
u = g.zeros()
halos = hc.Exchange(g.halo(), u, scheme="p2p:nonblocking")
halos.run()
if g.rank == 0:
    hc.set_time_limit(0.3)
    try:
        halos.run()
    except TimeoutError as problem:
        print(isinstance(problem, hc.Timeout), "rank 1" in str(problem), flush=True)
else:
    time.sleep(4)
os._exit(0)
""",
        ranks=2,
    )
    assert done.stdout == "True True\n", done.stderr


def test_stubs_have_all_that_the_classes_have():
    made = BUILD / "python" / "_native.pyi"
    if not made.is_file():
        pytest.skip("./dev build halocline_python_stub has not been run")
    classes = {
        one.name: {inner.name for inner in one.body if isinstance(inner, ast.FunctionDef)}
        for one in ast.parse(made.read_text("utf-8")).body
        if isinstance(one, ast.ClassDef)
    }
    assert "await_" in classes["Exchange"]
    said = run(
        "-c",
        """
import json
from halocline.library import _native
print(json.dumps({name: [one for one in vars(kind) if one[0] != "_"]
                  for name, kind in vars(_native).items() if isinstance(kind, type)}))
""",
    )
    for name, there in json.loads(said.stdout).items():
        assert set(there) <= classes[name] | set(classes), name
