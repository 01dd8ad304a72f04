"""The program's files as users meet them."""

import os
import re
import resource
import signal
import struct
import subprocess
import time
import zlib
from pathlib import Path

import pytest
from programs import PROGRAMS, Program

md = Program(PROGRAMS[0])
HDF5, TOML, PNG = (word == "1" for word in os.environ["HALOCLINE_TEST_HAS"].split(","))
MELT = ("--scenario", "melt", "--size", 5)
"""500 particles in a box of 8.4."""

DATA = """two particles

2 atoms
1 atom types
-1 9 xlo xhi
0 10 ylo yhi
0 10 zlo zhi

Masses

1 2.5

Atoms # atomic

7 1 0.0 1.0 2.0
9 1 5.5 1.0 2.0 0 0 0

Velocities

9 0.5 0 -0.5
7 0 0 0
"""
XYZ = """2
Lattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3:velo:R:3:id:I:1 pbc="T F T"
Ar 1 1 2 0 0 0 7
Ar 6.5 1 2 0.5 0 -0.5 9
"""


def outcome(*arguments, ranks=1):
    return md.solve(*arguments, ranks=ranks)[1]


def fails(*arguments, says, ranks=1):
    run = md(*arguments, ranks=ranks)
    assert run.returncode != 0, arguments
    assert run.stderr.count(says) == 1, run.stderr
    assert run.stdout == ""


def write(name, text):
    Path(name).write_text(text)
    return name


def test_a_run_goes_on_with_the_same_bits_on_any_ranks():
    whole = outcome(*MELT, "--steps", 60, "--checkpoint", "end", ranks=2)["result"]
    outcome(*MELT, "--steps", 35, "--checkpoint", "half", "--shell", "half", ranks=3)
    for ranks in (1, 2):
        rest = outcome(
            "--restart", "half", "--steps", 25, "--checkpoint", f"end{ranks}", ranks=ranks
        )
        assert rest["result"]["checksum"] == whole["checksum"]
        assert rest["result"]["pressure"] == whole["pressure"]
        assert rest["parameters"]["first_step"] == 35
        end = Path("end").read_bytes()
        assert Path(f"end{ranks}").read_bytes() == end


def test_a_run_that_was_killed_goes_on_to_its_end():
    steps = (*MELT, "--steps", 1500)
    words = (md.path, *steps, "--checkpoint", "c", "--checkpoint-every", 1)
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL) as run:
        while not Path("c").exists() and run.poll() is None:
            time.sleep(0.01)
        time.sleep(0.1)
        run.kill()
    rest = outcome("--restart", "c", ranks=2)
    assert rest["parameters"]["first_step"] > 0
    assert rest["parameters"]["first_step"] + rest["parameters"]["steps"] == 1500
    whole = outcome(*steps, ranks=2)
    assert rest["result"]["checksum"] == whole["result"]["checksum"]


GOES_ON = ("--trajectory", "t.xyz", "--trajectory-every", 40, "--log", "l.csv", "--log-every", 30)


def test_a_requeued_run_has_the_files_of_one_that_went_through():
    # The same words in each part, as a job script has them.
    words = (*MELT, "--steps", 400, *GOES_ON)
    outcome(*words)
    files = ("t.xyz", "l.csv")
    whole = {name: Path(name).read_bytes() for name in files}
    for name in files:
        Path(name).unlink()
    command = [md.path, *words, "--checkpoint", "c", "--every", "5steps"]
    for end in (signal.SIGUSR1, signal.SIGKILL, None):
        restart = ["--restart", "c"] if Path("c").exists() else []
        before = Path("c").stat().st_mtime_ns if restart else 0
        with subprocess.Popen(list(map(str, command + restart)), stdout=subprocess.DEVNULL) as run:
            while end and run.poll() is None:
                time.sleep(0.005)
                if Path("c").exists() and Path("c").stat().st_mtime_ns != before:
                    run.send_signal(end)
                    break
        assert run.returncode == {signal.SIGUSR1: 75, None: 0}.get(end, -signal.SIGKILL)
    assert {name: Path(name).read_bytes() for name in files} == whole
    assert list(Path().glob("*.partial")) == list(Path().glob("*.new")) == []
    # Complete: the same again makes no more steps.
    rest = outcome(*words, "--restart", "c", ranks=2)
    assert (rest["parameters"]["first_step"], rest["parameters"]["steps"]) == (400, 0)
    assert {name: Path(name).read_bytes() for name in files} == whole


@pytest.mark.parametrize("end", ["gsd", *(["h5"] if HDF5 else [])])
def test_trajectories_of_other_formats_go_on(end):
    reader = pytest.importorskip({"gsd": "gsd.hoomd", "h5": "h5py"}[end])

    def frames(name):
        with reader.open(Path(name), "r") if end == "gsd" else reader.File(Path(name)) as file:
            if end == "gsd":
                return [(one.configuration.step, one.log["time"][0], one.configuration.box.tolist(),
                         one.particles.position.tolist(), one.particles.velocity.tolist())
                        for one in file]  # fmt: skip
            ours = file["particles/all"]
            return [ours[name][what][()].tolist() for name in ("position", "velocity", "id")
                    for what in ("step", "time", "value")]  # fmt: skip

    every = ("--trajectory-every", 20, "--trajectory")
    outcome(*MELT, "--steps", 100, *every, f"whole.{end}")
    outcome(*MELT, "--steps", 50, "--checkpoint", "c", *every, f"t.{end}")
    # One that has gone farther than the state.
    outcome("--restart", "c", "--steps", 20, *every, f"t.{end}", ranks=2)
    outcome("--restart", "c", "--steps", 50, "--checkpoint", "d", "--every", "9steps", *every,
            f"t.{end}")  # fmt: skip
    assert frames(f"t.{end}") == frames(f"whole.{end}")
    assert list(Path().glob("*.partial")) == []


def test_what_an_earlier_part_has_left_is_not_replaced():
    outcome(*MELT, "--steps", 90, "--checkpoint", "c", *GOES_ON)
    for name in ("t.xyz", "t.gsd", *(["t.h5"] if HDF5 else [])):
        write(name, "no frames")
        fails("--restart", "c", "--trajectory", name, says=f"{name} is there, ")
        assert Path(name).read_text() == "no frames"
        # The frames of another run.
        outcome("--scenario", "melt", "--size", 4, "--steps", 90, "--trajectory-every",
                40, "--trajectory", name)  # fmt: skip
        before = Path(name).read_bytes()
        fails("--restart", "c", "--trajectory", name, says=f"{name} is there, ")
        assert Path(name).read_bytes() == before
    outcome(*MELT, "--steps", 10, "--checkpoint", "without")
    write("l.csv", "as before")
    fails("--restart", "without", "--log", "l.csv", says="--log l.csv: is there, and the state")
    assert Path("l.csv").read_text() == "as before"
    # The words of the whole run must be those of the state's.
    fails(
        *MELT, "--steps", 80, "--restart", "c", says="c: has 90 steps behind it, more than --steps"
    )
    fails("--scenario", "melt", "--size", 6, "--restart", "c", says="--restart c: its box is 8.39")


def test_the_log_counts_on():
    outcome(*MELT, "--steps", 10, "--checkpoint", "c")
    outcome("--restart", "c", "--steps", 5, "--log", "l.csv", "--log-every", 5)
    lines = Path("l.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["10", "15"]


def test_refuses_what_is_no_checkpoint():
    write("none", "nothing of the kind")
    fails("--restart", "none", says="md: --restart none: it is no checkpoint of md", ranks=2)
    outcome(*MELT, "--steps", 1, "--checkpoint", "c")
    content = bytearray(Path("c").read_bytes())
    content[1000] ^= 1
    Path("c").write_bytes(content)
    fails("--restart", "c", says="its checksum is not that of its content", ranks=2)


def test_files_of_a_run_that_fails_are_whole_or_as_before():
    # One runs into the other after some 50 steps.
    crash = XYZ.replace("2 0 0 0 7", "2 100 0 0 7").replace("0.5 0 -0.5", "0 0 0")
    write("crash.xyz", crash)
    write("t.xyz", "as before")
    write("r.json", "as before")
    files = ("--trajectory", "t.xyz", "--trajectory-every", 1, "--json", "r.json")
    state = ("--checkpoint", "c", "--checkpoint-every", 10)
    run = ("--input", "crash.xyz", "--dt", 0.001)
    fails(*run, *files, *state, says="overlap", ranks=2)
    for name in ("t.xyz", "r.json"):
        assert Path(name).read_text() == "as before"
    again = outcome("--restart", "c", "--steps", 0, "--log", "l.csv")
    assert again["parameters"]["first_step"] == 40
    assert again["result"]["particles"] == 2


def test_who_leaves_by_more_than_a_cell_is_named():
    # With lists that are not built in time, in slabs of 10.
    write("fast.xyz", XYZ.replace("10 0 0 0 10", "40 0 0 0 10").replace("0.5 0", "5 0"))
    fails(
        "--input", "fast.xyz", "--dt", 0.1, "--rebuild-every", 50, "--ranks-grid", "4,1,1",
        says="particle 9 has left the subdomain of rank 3 by more than a cell", ranks=4,
    )  # fmt: skip


def test_lammps_and_xyz_say_the_same():
    data = outcome("--input", write("in.data", DATA), "--steps", 50, ranks=2)
    xyz = outcome("--input", write("in.xyz", XYZ), "--mass", 2.5, "--steps", 50, ranks=3)
    assert data["parameters"]["mass"] == 2.5
    assert data["parameters"]["edges"] == [10, 10, 10]
    assert data["parameters"]["walls"] == [False, False, False]
    assert xyz["parameters"]["walls"] == [False, True, False]
    assert data["result"]["particles"] == 2
    assert data["result"]["checksum"] == xyz["result"]["checksum"]


def test_own_trajectories_are_exact():
    outcome(*MELT, "--steps", 20, "--trajectory", "t.xyz", "--trajectory-every", 30, ranks=2)
    end = outcome(*MELT, "--steps", 20)["result"]["checksum"]
    again = outcome("--input", "t.xyz", "--steps", 20, ranks=2)["result"]["checksum"]
    assert again == end


def refuses(name, text, where, says):
    write(name, text)
    fails("--input", name, says=f"--input {name}{where}: {says}", ranks=2)


def test_lammps_errors_name_the_line():
    def bad(old, new, line, says):
        refuses("bad.data", DATA.replace(old, new), f":{line}" if line else "", says)

    bad("0 0 0", "0 0", 16, "has 7 columns; an atom is")
    bad("0.0 1.0 2.0", "nan 1.0 2.0", 15, "coordinate 'nan' is not finite")
    bad("7 1 0.0", "7 2 0.0", 15, "there is one type of particles, 1")
    bad("9 1 5.5", "7 1 5.5", 16, "particle 7 is in line 15 already")
    bad("9 1 5.5", "9 1 1e9", 16, "particle 9 is more than a million boxes outside of the box")
    bad("9 0.5 0", "8 0.5 0", 20, "particle 8 has a velocity, but is not among the atoms")
    bad("9 0.5 0", "9 1e9 0", 20, "particle 9 is too fast")
    bad("7 0 0 0\n", "", 0, "ends after line 20 with 1 of its 2 velocities")
    bad("2 atoms", "3 atoms", 18, "a new section after 2 of 3 atoms")
    bad("2 atoms", "1 atoms", 16, "there are more atoms than the 1 it says")
    bad("1 atom types", "2 atom types", 13, "a new section after 1 of 2 lines of Masses")
    bad("# atomic", "# sphere", 13, "atoms are of style sphere")
    bad("-1 9 xlo", "9 -1 xlo", 5, "the box must have a positive length")
    bad("0 10 zlo zhi", "0 0 0 xy xz yz", 9, "there is no line 'LOW HIGH zlo zhi'")
    refuses(
        "short.data",
        DATA[: DATA.index("9 1 5.5")],
        "",
        "ends after line 15 with 1 of its 2 particles",
    )


def test_xyz_errors_name_the_line():
    def bad(old, new, line, says):
        refuses("bad.xyz", XYZ.replace(old, new), f":{line}" if line else "", says)

    bad("Ar 6.5", "Ar six", 4, "coordinate 'six' is no number")
    bad("-0.5 9", "-0.5", 4, "has 7 columns, its properties are 8")
    bad("-0.5 9", "-0.5 7", 4, "particle 7 is in line 3 already")
    bad("Ar 6.5 1", "Ar 6.5 10.5", 4, "particle 9 is outside of the box along y, which is not")
    bad("Lattice", "Lettuce", 2, 'has no Lattice="..."')
    bad("10 0 0 0", "10 1 0 0", 2, "Lattice: the box must be rectangular")
    bad("pos:R:3", "pos:R:2", 2, "Properties=")
    bad("T F T", "T F", 2, "pbc must be three of T and F")
    bad("2\n", "two\n", 1, "number of particles 'two' is no number")
    bad("2\n", "3\n", 0, "ends after line 4 with 2 of its 3 particles")
    bad("2\n", "1\n", 4, "there are more particles than the 1 it says")
    bad("2\n", "2\0\n", 1, "is no text")
    fails("--input", "none.xyz", says="--input none.xyz: No such file or directory")


def test_what_all_particles_have_may_come_last():
    start = DATA[: DATA.index("Masses")].replace("-1 9", "0 10")
    atoms = "Atoms\n\n1 1 2 5 5\n2 1 3.2 5 5\n\n"
    of_all = "Masses\n\n1 2.5\n\nPair Coeffs # lj/cut\n\n1 3.0 1.1 4\n\n"
    for text in (start + atoms + of_all, start + of_all + atoms):
        result = outcome("--input", write("in.data", text), "--steps", 0)
        assert abs(result["result"]["potential_energy"] + 1.44778) < 0.5e-5
        assert result["parameters"]["mass"] == 2.5
        assert result["parameters"]["cutoff"] == 4


def test_periodic_places_are_moved_into_the_box():
    inside = outcome("--input", write("in.xyz", XYZ), "--steps", 5)
    for x in ("11", "-9", "31"):
        outside = XYZ.replace("Ar 1 1", f"Ar {x} 1")
        moved = outcome("--input", write("in.xyz", outside), "--steps", 5, ranks=2)
        assert moved["result"]["checksum"] == inside["result"]["checksum"]
    outcome("--input", write("in.xyz", XYZ.replace("1 1 2", "10.0000001 1 -1e-17")))


def test_two_particles_in_a_wide_box_are_little_work():
    atoms = "\n\nAtoms\n\n1 1 5 5 5\n2 1 6.2 5 5\n"
    energies = []
    for edge in (10, 100000):
        box = "".join(f"\n0 {edge} {x}lo {x}hi" for x in "xyz")
        write("in.data", "pair\n\n2 atoms\n1 atom types" + box + atoms)
        run = outcome("--input", "in.data", "--steps", 20)
        energies.append(run["result"]["total_energy"])
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # KiB
    assert largest < 1 << 20
    assert abs(energies[0] - energies[1]) < 0.5e-6


def test_momenta_are_velocities_once_the_mass_is_known():
    momenta = XYZ.replace("velo", "momenta").replace("0.5 0 -0.5", "1.25 0 -1.25")
    velocities = outcome("--input", write("v.xyz", XYZ), "--mass", 2.5)
    known = outcome("--input", write("p.XYZ", momenta), "--mass", 2.5)
    assert known["result"]["checksum"] == velocities["result"]["checksum"]
    run = md("--input", "p.XYZ", "--steps", 1)
    assert "p.XYZ: velocities are its momenta over --mass, 1 unless" in run.stderr


def test_one_source_of_particles():
    write("in.xyz", XYZ)
    fails("--input", "in.xyz", "--temperature", 1, says="--temperature: is for --scenario")
    fails("--input", "in.xyz", "--size", 4, says="--size: is for --scenario")
    fails("--input", "in.xyz", "--scenario", "melt", says="--scenario: is for runs")


ARGUMENTS = (*MELT, "--walls", "y", "--steps", 20, "--trajectory-every", 10, "--trajectory")


def test_xyz():
    outcome(*ARGUMENTS, "t.xyz", ranks=2)
    lines = Path("t.xyz").read_text().splitlines()
    assert len(lines) == 3 * 502
    for frame in range(3):
        head = lines[502 * frame + 1]
        assert f"Step={10 * frame} Time=" in head
        assert 'pbc="T F T"' in head
        rows = [line.split() for line in lines[502 * frame + 2 : 502 * (frame + 1)]]
        assert [int(row[7]) for row in rows] == list(range(1, 501))
        for row in rows:
            for word in row[1:4]:
                assert 0 <= float(word) <= 8.398


def test_jobs_that_write_one_file_at_once_leave_one():
    for end in ("xyz", *(["h5"] if HDF5 else [])):
        file = Path(f"t.{end}")
        sizes = {}
        for size in (4, 5):
            md("--scenario", "melt", "--size", size, "--steps", 50, "--trajectory-every", 5,
               "--trajectory", file)  # fmt: skip
            sizes[size] = file.stat().st_size
        command = [md.path, "--scenario", "melt", "--steps", "50", "--trajectory-every", "5",
                   "--trajectory", file, "--size"]  # fmt: skip
        jobs = [subprocess.Popen([*command, str(size)], stdout=subprocess.DEVNULL)
                for size in sizes]  # fmt: skip
        assert [job.wait(120) for job in jobs] == [0, 0]
        assert file.stat().st_size in sizes.values()
        if end == "xyz":
            counts = {line for line in file.read_text().splitlines() if " " not in line}
            assert len(counts) == 1
    assert list(Path().glob("*.partial")) == []


def test_a_pipe_takes_text_and_no_other_format():
    for end in ("xyz", "gsd"):
        os.mkfifo(Path(f"pipe.{end}"))
    fails(*ARGUMENTS, "pipe.gsd", says="pipe.gsd: is a pipe, where a regular file")
    with subprocess.Popen(["cat", Path("pipe.xyz")], stdout=subprocess.PIPE) as reader:
        outcome(*ARGUMENTS, "pipe.xyz")
        through = reader.stdout.read()
    outcome(*ARGUMENTS, "t.xyz")
    assert through == Path("t.xyz").read_bytes()


def test_is_the_same_on_any_ranks():
    outcome(*ARGUMENTS, "one.xyz")
    outcome(*ARGUMENTS, "three.xyz", ranks=3)
    one, three = (Path(f"{name}.xyz") for name in ("one", "three"))
    assert one.read_bytes() == three.read_bytes()


def test_h5md():
    if not HDF5:
        return fails(*ARGUMENTS, "t.h5", says="apt install libhdf5-dev")
    try:
        import h5py
        import numpy
    except ImportError:
        pytest.skip("no h5py")
    outcome(*ARGUMENTS, "t.h5", ranks=2)
    outcome(*ARGUMENTS, "t.xyz", ranks=2)
    text = Path("t.xyz").read_text().splitlines()
    with h5py.File(Path("t.h5")) as file:
        assert list(file["h5md"].attrs["version"]) == [1, 1]
        assert file["h5md/creator"].attrs["name"] == b"Halocline md"
        ours = file["particles/all"]
        boundary = [bytes(word) for word in ours["box"].attrs["boundary"]]
        assert boundary == [b"periodic", b"none", b"periodic"]
        assert ours["box"].attrs["dimension"] == 3
        edges = ours["box/edges/value"]
        assert edges.shape == (3, 3, 3)
        assert (edges[2] == numpy.diag(edges[0].diagonal())).all()
        assert abs(edges[0][1][1] - 8.39798) < 0.5e-4
        for name, columns in (("position", slice(1, 4)), ("velocity", slice(4, 7))):
            assert list(ours[name]["step"]) == [0, 10, 20]
            assert list(ours[name]["time"]) == [0, 10 * 0.005, 20 * 0.005]
            for frame in range(3):
                rows = text[502 * frame + 2 : 502 * (frame + 1)]
                there = numpy.array([row.split()[columns] for row in rows], dtype=float)
                assert (ours[name]["value"][frame] == there).all()
        assert list(ours["id/value"][2]) == list(range(1, 501))
    assert list(Path().glob("*.partial")) == []


def frames_of_xyz():
    """The edges of t.xyz's box, and of each frame positions and velocities."""
    import numpy

    text = Path("t.xyz").read_text().splitlines()
    edges = list(map(float, re.search(r'Lattice="([^"]+)"', text[1])[1].split()))[::4]
    frames = [text[502 * frame + 2 : 502 * (frame + 1)] for frame in range(len(text) // 502)]
    return numpy.array(edges), [
        numpy.array([row.split()[1:7] for row in rows], dtype=float) for rows in frames
    ]


def test_h5md_needs_no_lock():
    if not HDF5:
        pytest.skip("no HDF5")
    library = Path("locks.so").resolve()
    write("locks.c", "#include <errno.h>\nint flock(int a, int b) { errno = ENOLCK; return -1; }")
    if subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", library, "locks.c"]).returncode != 0:
        pytest.skip("no compiler for C")
    run = md(*ARGUMENTS, "t.h5", env={**os.environ, "LD_PRELOAD": str(library)})
    assert run.returncode == 0, run.stderr
    assert Path("t.h5").read_bytes().startswith(b"\x89HDF")


def test_mdanalysis_reads_h5md():
    if not HDF5:
        pytest.skip("no HDF5")
    try:
        import MDAnalysis
        import numpy
    except ImportError:
        pytest.skip("no MDAnalysis")
    outcome(*ARGUMENTS, "t.h5md", ranks=2)
    outcome(*ARGUMENTS, "t.xyz", ranks=2)
    edges, frames = frames_of_xyz()
    files = (str(Path(name)) for name in ("t.xyz", "t.h5md"))
    universe = MDAnalysis.Universe(*files, convert_units=False)
    assert len(universe.trajectory) == 3
    for frame, there in enumerate(universe.trajectory):
        assert there.data["step"] == 10 * frame
        assert abs(there.time - 10 * frame * 0.005) < 0.5e-12
        expected = numpy.float32([*edges, 90, 90, 90])
        assert (there.dimensions == expected).all(), there.dimensions
        # MDAnalysis keeps 4 bytes of a number.
        ours = frames[frame].astype(numpy.float32)
        assert (there.positions == ours[:, :3]).all()
        assert (there.velocities == ours[:, 3:]).all()
    universe.trajectory.close()


def test_gsd():
    try:
        import gsd.hoomd
        import MDAnalysis
        import numpy
    except ImportError:
        pytest.skip("no gsd or MDAnalysis")
    outcome(*ARGUMENTS, "t.gsd")
    outcome(*ARGUMENTS, "three.gsd", ranks=3)
    one, three = (Path(f"{name}.gsd") for name in ("t", "three"))
    assert one.read_bytes() == three.read_bytes()
    outcome(*ARGUMENTS, "t.xyz")
    edges, frames = frames_of_xyz()
    around_0 = [(ours - numpy.append(edges / 2, [0, 0, 0])).astype("f4") for ours in frames]
    with gsd.hoomd.open(one, "r") as file:
        assert (file.file.schema, file.file.schema_version) == ("hoomd", (1, 4))
        assert len(file) == 3
        for frame, there in enumerate(file):
            there.validate()
            assert there.configuration.step == 10 * frame
            assert there.log["time"][0] == 10 * frame * 0.005
            assert (there.configuration.box == numpy.float32([*edges, 0, 0, 0])).all()
            assert (there.particles.position == around_0[frame][:, :3]).all()
            assert (there.particles.velocity == around_0[frame][:, 3:]).all()
    universe = MDAnalysis.Universe(str(one))
    assert [there.data["step"] for there in universe.trajectory] == [0, 10, 20]
    for there, ours in zip(universe.trajectory, around_0):
        assert (there.positions == ours[:, :3]).all()
    universe.trajectory.close()


def test_refuses_other_formats():
    turns = ("--json", "r.json", "--in-turn", "p2p:nonblocking,p2p:sendrecv")
    fails(*ARGUMENTS, "t.xyz", *turns, says="md: --trajectory: is for runs without")
    fails(*ARGUMENTS, "t.dcd", says="--trajectory t.dcd: must be extended XYZ")
    fails(*ARGUMENTS, "no/t.xyz", says="no/t.xyz: No such file or directory", ranks=2)


def points(name):
    """Rows of indices of colours, from above."""
    content = Path(name).read_bytes()
    chunks, at = {}, 8
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind = content[at + 4 : at + 8]
        chunks[kind] = chunks.get(kind, b"") + content[at + 8 : at + 8 + length]
        at += length + 12
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == height * (width + 1)
    rows = [lines[row * (width + 1) :][: width + 1] for row in range(height)]
    assert {row[0] for row in rows} == {0}  # no filter
    return [row[1:] for row in rows]


def test_particles_are_where_they_are():
    if not PNG:
        return fails("--scenario", "melt", "--image", "p.png", says="libpng-dev")
    box = XYZ.replace("10 0 0 0 10 0", "10 0 0 0 20 0")
    outcome("--input", write("in.xyz", box), "--steps", 0, "--image", "p.png")
    rows = points("p.png")
    assert (len(rows), len(rows[0])) == (512, 256)
    # In the middle of a spot it is brightest; x = 1 and 6.5 of 10, y = 1 of 20, upwards.
    bright = [i for i, row in enumerate(rows) if max(row) > 250]
    assert {i // 16 for i in bright} == {30}
    assert {j // 8 for i in bright for j, value in enumerate(rows[i]) if value > 250} == {3, 20}
    dark = sum(row.count(0) for row in rows)
    assert dark > 0.98 * 512 * 256


def test_a_picture_is_the_same_on_any_ranks():
    if not PNG:
        pytest.skip("no libpng")
    outcome(*MELT, "--steps", 5, "--image", "one.png")
    outcome(*MELT, "--steps", 5, "--image", "three.png", ranks=3)
    one, three = (Path(f"{name}.png") for name in ("one", "three"))
    assert one.read_bytes() == three.read_bytes()


TEXT = 'scenario = "melt"\nsize = 5\nsteps = 12\nlists = false\nranks-grid = [2, 1, 1]\n'


def test_a_file_says_what_options_say():
    write("melt.toml", TEXT)
    if not TOML:
        return fails("melt.toml", says="apt install libtomlplusplus-dev")
    file = outcome("melt.toml", ranks=2)
    words = outcome(*MELT, "--steps", 12, "--lists", "off", "--ranks-grid", "2,1,1", ranks=2)
    assert file["parameters"] == words["parameters"]
    assert file["result"]["checksum"] == words["result"]["checksum"]
    stronger = outcome("melt.toml", "--steps", 3, ranks=2)
    assert stronger["parameters"]["steps"] == 3


def test_errors_name_file_line_and_key():
    if not TOML:
        pytest.skip("no toml++")
    for line, says in (
        ("stepp = 3", "stepp: there is no such setting"),
        ("dt = -1", "dt -1: must be a number above 0"),
        ('dt = "fast"', "dt fast: must be a number above 0"),
        ('layout = "oas"', "layout oas: must be one of aos, soa, cluster"),
        ('scenario = "mlet"', "scenario mlet: must be one of melt, sparse, dense"),
        ("[steps]", "steps is a table"),
        ("dt = ", ""),
    ):
        write("bad.toml", "# first\n" + line + "\n")
        fails("bad.toml", says="md: bad.toml:2: " + says, ranks=2)
    fails("none.toml", says="md: none.toml: No such file or directory", ranks=2)
    fails("melt.data", says="md: melt.data: settings are in files *.toml")
