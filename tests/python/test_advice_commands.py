"""Command lines that start programs: where the program stands in them."""

import stat

import pytest

from halocline.advice import command
from halocline.errors import HaloclineError

LINES = [
    ("mpich", "mpiexec -n 4 PROGRAM args -n 7"),
    ("mpich", "mpiexec -np=4 -bind-to core:2 -genv A 1 -env B 2 -l PROGRAM x"),
    ("mpich", "mpiexec.hydra -f hosts -ppn 2 -prepend-rank -outfile-pattern o.%r PROGRAM"),
    ("intel", "mpirun -genv I_MPI_DEBUG 5 -n 2 -hosts a,b PROGRAM"),
    ("openmpi5", "mpirun --map-by slot:PE=2 --bind-to core -x A=1 --mca btl sm,self -n 2 PROGRAM"),
    ("openmpi5", "mpirun --allow-run-as-root --oversubscribe -np 4 -H a:2,b:2 PROGRAM --np 9"),
    ("openmpi4", "mpirun -c 4 --report-bindings --tag-output --rankfile r -wdir /tmp PROGRAM"),
    (None, "srun -n4 -N 2 --mpi=pmix --cpu-bind cores -u PROGRAM -u"),
    (None, "srun --exclusive --ntasks 4 -lu -c2 PROGRAM"),
    (None, "srun --nodes=2 --het-group 1 PROGRAM"),
    (None, "aprun -n 4 -N2 -cc cpu -ss PROGRAM"),
    (None, "jsrun --nrs 2 -a 4 --bind packed:7 -r1 PROGRAM"),
    (None, "flux run -N 2 -n8 --cores-per-task 2 -x PROGRAM"),
    (None, "ibrun -n 4 -o 0 PROGRAM"),
    (None, "ibrun PROGRAM"),
    ("mpich", "mpiexec -n 2 numactl --membind 0 -C 0-3 PROGRAM a"),
    ("mpich", "mpiexec -n 2 taskset -c 0,1 PROGRAM"),
    ("mpich", "mpiexec -n 2 env -u X A=1 B=2 PROGRAM"),
    ("mpich", "env A=1 mpiexec -n 2 PROGRAM"),
    ("mpich", "timeout -k 5 600 mpiexec -n 2 PROGRAM"),
    ("mpich", "mpiexec -n 2 nice -n 5 stdbuf -oL PROGRAM"),
    ("openmpi5", "mpirun -n 1 -- PROGRAM"),
    (None, "PROGRAM alone"),
]


@pytest.fixture
def app(tmp_path, monkeypatch):
    """Make a program that exists."""
    file = tmp_path / "app"
    file.write_bytes(b"\x7fELF")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.chdir(tmp_path)
    return "./app"


@pytest.mark.parametrize(("kind", "line"), LINES)
def test_the_program_is_found(app, kind, line):
    words = line.replace("PROGRAM", app).split()
    found = command.parsed(words, kind=kind)
    at = words.index(app)
    assert found.program == app
    assert found.preceded(["before"]) == [*words[:at], "before", *words[at:]]
    assert found.replaced(["other", "x"]) == [*words[:at], "other", "x"]
    assert str(found) == " ".join(words)


def test_each_part_of_a_line_with_colons_is_found(app):
    line = "mpiexec -n 1 {} a : -n 2 -env X 1 {} b"
    found = command.parsed(line.format(app, app).split(), kind="mpich")
    assert " ".join(found.preceded(["p"])) == line.format(f"p {app}", f"p {app}")
    assert " ".join(found.replaced(["q", "r"])) == "mpiexec -n 1 q r : -n 2 -env X 1 q r"


def test_the_user_may_say_which_word_it_is(app):
    words = ["mylauncher", "--cores", "4", app, app]
    found = command.parsed(words, "app")
    assert found.preceded(["p"]) == ["mylauncher", "--cores", "4", "p", app, app]
    with pytest.raises(HaloclineError, match="--program other: is no word of mylauncher"):
        command.parsed(words, "other")


@pytest.mark.parametrize(
    ("kind", "line", "said"),
    [
        ("mpich", "mpiexec -n 4", "no program behind the launcher's options; --program NAME"),
        ("mpich", "mpiexec --quantum 4 app", "mpiexec --quantum: this option is not known here"),
        ("mpich", "mpiexec -configfile f", "-configfile: the program stands in a file"),
        ("openmpi5", "mpirun --app f", "--app: the program stands in a file"),
        (None, "srun --multi-prog f", "--multi-prog: the program stands in a file"),
        ("mpich", "mpiexec -n 2 numactl", "starts no program"),
        ("mpich", "mpiexec -n 2 /no/app", "/no/app is not a program: there is no such file"),
        (None, "A=1 mpiexec -n 2 app", "A=1: put variables in front of halocline, or behind 'env'"),
        (None, "flux batch script", "flux: --program NAME"),
        (None, "", "give the command that starts the program"),
    ],
)
def test_what_is_not_clear_is_said(kind, line, said):
    with pytest.raises(HaloclineError) as error:
        command.parsed(line.split(), kind=kind)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_script_that_starts_ranks_itself_is_refused(tmp_path, monkeypatch):
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/sh\nmpiexec -n 4 ./app\n")
    script.chmod(0o755)
    (tmp_path / "job").write_text("mpiexec -n 4 ./app\n")
    by_shell = [["sh", "-c", "mpiexec -n 4 ./app"], ["/bin/bash", "-e", "-lc", "exec srun ./app"]]
    for words in [*by_shell, ["sh", "-e", str(tmp_path / "job")]]:
        with pytest.raises(HaloclineError, match="is a script that calls a launcher itself"):
            command.parsed(words)
    assert command.parsed(["sh", "-c", "./app x"]).program == "sh"
    with pytest.raises(HaloclineError, match="is a script that calls a launcher itself"):
        command.parsed([str(script)])
    assert command.parsed(["mpiexec", "-n", "2", str(script)], kind="mpich").parts


def test_an_unknown_option_before_a_path_stands_alone(app):
    assert command.parsed(["mpiexec", "--quantum", app], kind="mpich").program == app


def test_a_launcher_that_is_not_there_is_said():
    with pytest.raises(HaloclineError, match="/no/mpiexec: there is no such launcher"):
        command.parsed(["/no/mpiexec", "-n", "2", "app"])
