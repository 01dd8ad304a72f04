"""What `./dev test` says at its end of where the time went."""

import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).parents[1] / "common" / "where_time_went.py"


def part(folder, number, title, wall, times):
    """Write what ./dev notes of a part."""
    here = folder / "parts" / str(number)
    here.mkdir(parents=True)
    for name, text in (("title", title), ("from", 1000), ("to", 1000 + wall), ("times", times)):
        (here / name).write_text(f"{text}\n")


def test_parts_have_their_times_and_the_slowest_tests_their_names(tmp_path):
    """Shells differ in how many decimals `times` has."""
    part(tmp_path, 101, "build mpich", 75, "0m0.01s 0m0.02s\n2m5.50s 0m10.47s")
    part(tmp_path, 201, "test python", 61, "0m0.010000s 0m0.000000s\n0m59.990000s 0m1.000000s")
    cases = "".join(f'<testcase name="t{i}" classname="t{i}" time="{i}.5"/>' for i in range(30))
    (tmp_path / "mpich.xml").write_text(f'<testsuite tests="30">{cases}</testsuite>')
    case = '<testcase classname="tests.test_x" name="test_y" time="100.25"/>'
    (tmp_path / "python.xml").write_text(f"<testsuites><testsuite>{case}</testsuite></testsuites>")
    done = subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[1] == ["100.2", "s", "tests.test_x.test_y", "(python)"]
    assert lines[2] == ["29.5", "s", "t29", "(mpich)"]
    assert sum(line[-1] in ("(mpich)", "(python)") for line in lines) == 20
    assert ["2", "min", "16", "s", "1", "min", "15", "s", "build", "mpich"] in lines
    assert ["1", "min", "1", "s", "1", "min", "1", "s", "test", "python"] in lines
    assert ["3", "min", "17", "s", "together"] in lines
