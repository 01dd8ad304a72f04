"""The example program as users call it.

The start is an eigenvector of a step, so that the exact result of any number of steps is known.
"""

import json
import math
import os
import re
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from commands import needs
from programs import PROGRAMS, Program, some

heat = Program(PROGRAMS[0])


def exactly(points, steps):
    """Return the hottest point: of an odd number of points a side, the one in the middle."""
    factor = 1 - 8 * 0.2 * math.sin(math.pi / (2 * (points + 1))) ** 2
    return factor**steps


def test_right_and_the_same_bits_on_any_ranks_through_any_scheme():
    sums = set()
    for ranks, scheme in (
        (1, "p2p:nonblocking"), (2, "p2p:nonblocking"), (3, "rma:put:fence"), (2, "shm:signal"),
    ):  # fmt: skip
        run, result = heat.solve("--points", 41, "--steps", 300, "--scheme", scheme, ranks=ranks)
        hottest = result["result"]["hottest"]
        assert abs(hottest - exactly(41, 300)) < 1e-13
        said = re.search(r"Hottest point: +(\S+)\n", run.stdout)
        assert abs(float(said[1]) - hottest) < 1e-6
        sums.add(result["result"]["checksum"])
    assert len(sums) == 1


def test_steps_choose_the_scheme_and_no_bit():
    words = ("--points", 41, "--steps", 1500)
    _, fixed = heat.solve(*words)
    for ranks in (2, 3):
        result = heat.solve_in_laps(*words, ranks=ranks)
        assert result["result"] == fixed["result"]
        assert result["scheme"] == "auto+when=running"
        (chosen,) = result["running"]["chosen"]
        assert result["running"]["laps"] == 1500
    _, fixed = heat.solve(*words, "--scheme", chosen["what"], ranks=2)
    assert "running" not in fixed


def test_result_file():
    _, result = heat.solve("--points", 9, "--steps", 7, "--repetitions", 3, ranks=2)
    assert (result["format"], result["version"]) == ("halocline-result", 1)
    assert (result["program"], result["ranks"]) == ("heat", 2)
    assert result["scheme"] == "p2p:nonblocking"
    assert result["parameters"] == {"points": 9, "steps": 7}
    assert [len(steps) for steps in result["samples"]["step_s"]] == [7, 7, 7]
    assert len(result["samples"]["total_s"]) == 3
    assert [phase["rank"] for phase in result["phases"]] == [0, 1]


def test_trace():
    file = Path("heat.trace")
    run = heat("--points", 9, "--steps", 7, "--trace", file, ranks=2)
    assert run.returncode == 0, run.stderr
    content = file.read_bytes()
    assert content[:16] == b"halocline-trace\n"
    assert b'"program":"heat"' in content
    assert content.count(b'"steps": 7, ') == 2
    nowhere = Path("none") / "heat.trace"
    run = heat("--points", 9, "--steps", 7, "--trace", nowhere, ranks=2)
    assert run.returncode == 1
    assert f"--trace {nowhere}: No such file" in run.stderr
    assert run.stdout == ""


def small(*words, ranks=1, **options):
    run = heat("--points", 9, "--steps", 1, *words, ranks=ranks, **options)
    assert run.returncode == 0, run.stderr
    return run


def left():
    return sorted(file.name for file in Path().iterdir())


def test_files_are_written_where_links_point_and_keep_their_mode():
    Path("behind").mkdir()
    old, link, dangling = (Path(name) for name in ("behind/old", "link", "dangling"))
    old.write_text("an old one")
    old.chmod(0o640)
    link.symlink_to("behind/old")
    dangling.symlink_to("behind/new")
    Path("link.partial").write_text("mine")
    small("--json", link, "--trace", dangling, ranks=2)
    assert link.is_symlink() and dangling.is_symlink()
    assert json.loads(old.read_text())["program"] == "heat"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert Path("behind/new").read_bytes()[:16] == b"halocline-trace\n"
    assert Path("link.partial").read_text() == "mine"
    assert left() == ["behind", "dangling", "link", "link.partial"]
    assert len(list(Path("behind").iterdir())) == 2


def test_streams_are_written_in_place():
    pipe = Path("pipe")
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    small("--json", pipe)
    reader.join()
    assert json.loads(got[0])["program"] == "heat"
    assert pipe.is_fifo()
    run = small("--json", "/dev/stdout")
    assert json.loads(run.stdout[run.stdout.index("{") :])["program"] == "heat"
    shell = f"{heat.path} --points 9 --steps 1 --json >(cat > {Path()}/got) > /dev/null"
    subprocess.run(["bash", "-c", f"set -e; {shell}; wait $!"], check=True, timeout=120)
    assert json.loads(Path("got").read_text())["program"] == "heat"


def test_devices_are_written_in_place():
    null = Path("null")
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        null.write_text("x")
    except OSError:
        pytest.skip("no devices can be had here")
    small("--json", null)
    assert null.is_char_device()


def test_files_that_cannot_be_written_are_refused_before_the_run():
    readonly = Path("readonly")
    readonly.write_text("old")
    readonly.chmod(0o444)
    os.mkfifo(Path("pipe"))
    before = left()
    for words, says in (
        (("--json", "."), "is a folder"),
        (("--json", "x/"), "names a folder"),
        (("--json", "readonly"), "may not be written to"),
        (("--json", ""), "must be the name of a file"),
        (("--json", "n" * 300), "File name too long"),
        (("--trace", "pipe"), "is a pipe, where a regular file is needed"),
        (("--json", "r", "--trace", "./r"), "is the file of --json, too"),
    ):
        # A program that computes this is not done in time.
        huge = ("--points", 10000, "--steps", 1_000_000)
        run = heat(*huge, *words)
        assert run.returncode == 1
        heat.says_once(run, f"{words[-2]} {words[-1] or repr('')}: {says}")
    assert left() == before
    assert readonly.read_text() == "old"


def test_jobs_that_write_one_file_at_once_leave_one():
    file = Path("r.json")
    for _ in range(4):
        command = [heat.path, "--steps", "1", "--json", file, "--points"]
        jobs = [subprocess.Popen([*command, points], stdout=subprocess.DEVNULL)
                for points in ("9", "99")]  # fmt: skip
        assert [job.wait(120) for job in jobs] == [0, 0]
        assert json.loads(file.read_text())["parameters"]["points"] in (9, 99)
        assert left() == ["r.json"]


def test_words_that_are_not_utf8():
    odd = os.fsdecode(b"gr\xf6\xdfe")
    one, trace = (Path(f"{odd}.{end}") for end in ("json", "trace"))
    small("--json", one, "--trace", trace)
    assert json.loads(one.read_text())["program"] == "heat"
    assert "gr\ufffd\ufffde.json".encode() in trace.read_bytes()


@needs("localedef", "/usr/share/i18n/charmaps/UTF-8.gz")
def test_numbers_have_a_point_whatever_the_locale():
    Path("source").write_text(
        'LC_CTYPE\ncopy "POSIX"\nEND LC_CTYPE\n'
        'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n'
    )
    # It fails where categories are missing, which -c compiles all the same.
    compile_it = ["localedef", "-c", "-i", "source", "-f", "UTF-8", "./comma"]
    subprocess.run(compile_it, capture_output=True, check=False)
    assert Path("comma").is_dir()
    runs = []
    for locale in ({}, {"LOCPATH": str(Path.cwd()), "LC_ALL": "comma"}):
        run = heat("--points", 99, "--steps", 1000, "--timeout", "59.5", "--json", "r.json",
                   env={**os.environ, **locale})  # fmt: skip
        assert run.returncode == 0, run.stderr
        result = json.loads(Path("r.json").read_text())["result"]
        said = re.search(r"Hottest point: +(\S+)\n", run.stdout)[1]
        runs.append((said, result["hottest"], result["checksum"]))
    assert runs[0] == runs[1]


def test_what_is_printed_is_heard_or_the_program_fails():
    program = f"{heat.path} --points 9 --steps 1"
    for command, reason in (
        (f"{program} > /dev/full", "No space left on device"),
        (f"{program} >&-", "Bad file descriptor"),
        (f"{heat.path} --help > /dev/full", "No space left on device"),
    ):
        run = subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                             timeout=120)  # fmt: skip
        assert run.returncode == 1
        assert f"heat: standard output: {reason}\n" in run.stderr


def test_schemes_in_turns():
    asked = ["p2p:nonblocking", "shm:signal", "p2p:nonblocking"]
    run, content = heat.solve(
        "--points", 9, "--steps", 7, "--repetitions", 3, "--in-turn", ",".join(asked), ranks=2
    )
    assert (content["format"], content["version"]) == ("halocline-turns", 1)
    assert [one["asked"] for one in content["schemes"]] == asked
    for one in content["schemes"]:
        assert one["parameters"] == {"points": 9, "steps": 7}
        assert one["result"]["iterations"] == 7
    assert len({one["result"]["checksum"] for one in content["schemes"]}) == 1
    turns = [(one["turn"], one["scheme"]) for one in content["solutions"]]
    assert [turn for turn, _ in turns] == sorted(turn for turn, _ in turns)
    assert sorted(turns) == [(turn, one) for turn in range(3) for one in range(3)]
    assert all(one["total_s"] > 0 for one in content["solutions"])
    assert len(run.stdout.splitlines()) == 4


def test_a_trace_in_turns_says_what_it_costs():
    file = Path("heat.trace")
    _, content = heat.solve(
        "--points", 9, "--steps", 7, "--repetitions", 3, "--trace", file,
        "--in-turn", "p2p:nonblocking,shm:signal", ranks=2,
    )  # fmt: skip
    solved = sorted((o["turn"], o["scheme"], o["traced"]) for o in content["solutions"])
    each = [(turn, one, on) for turn in range(3) for one in range(2) for on in (False, True)]
    assert solved == each
    # Only what was traced is there: three times seven steps through each, on two ranks.
    assert file.read_bytes().count(b'"steps": 42, ') == 2


def test_idle_ranks_and_no_steps():
    _, result = heat.solve("--points", 1, "--steps", 0, ranks=3)
    assert result["result"]["hottest"] == 1


def test_picture():
    if not writes_images():
        assert "libpng" in heat("--image", "u.png").stderr.splitlines()[-1]
        return
    file = Path("u.png")
    assert heat("--points", 30, "--steps", 1, "--image", file, ranks=2).returncode == 0
    assert file.read_bytes()[16:24] == b"\0\0\0\x1e\0\0\0\x1e"


def writes_images():
    run = heat("--points", 1, "--steps", 1, "--image", Path("try.png"))
    return run.returncode == 0


@pytest.mark.parametrize(
    ("words", "says"),
    some([
        (["--points", "0"], "--points 0: must be an integer from 1 to 100000"),
        (["--steps", "many"], "--steps many: must be an integer from 0"),
        (["--scheme", "carrier:pigeon"], "pigeon"),
        (["--timeout", "0"], "--timeout 0: must be a number of seconds above 0"),
        (["--repetitions", "x"], "--repetitions x: must be an integer from 1"),
        (["--pin", "tight"], "--pin tight: must be auto or off"),
        (["--colour", "red"], "--colour"),
        (["--in-turn", "shm:signal"], "--in-turn: goes with --json, and without --scheme"),
        (["--in-turn", "shm:signal,x:y", "--json", "a.json"], "x:y"),
    ]),
)  # fmt: skip
def test_anything_invalid_is_named(words, says):
    assert heat.fails(*words, says=says, ranks=2).returncode == 1


def test_halos_are_filled_whatever_is_typed_or_pinned():
    tuning = Path("tuning.json")
    empty = {"format": "halocline-tuning", "version": 1, "choices": []}
    tuning.write_text(json.dumps({**empty, "pin": "shm:signal+access=direct"}))
    sums = set()
    for words in (
        ("--scheme", "p2p:nonblocking"),
        ("--scheme", "shm:signal+access=direct"),
        ("--scheme", "auto+access=any"),
        ("--scheme", "auto", "--tuning", tuning),
    ):
        _, result = heat.solve("--points", 9, "--steps", 20, *words, ranks=2)
        sums.add(result["result"]["checksum"])
    assert len(sums) == 1


def test_variables_of_the_environment_are_refused_by_name():
    quick = ("--points", 9, "--steps", 1, "--scheme", "auto")
    tuning = ("--tuning", Path("tuning.json"))
    for name, value, says in some([
        ("HALOCLINE_DELAY_US", "abc", "a whole number of microseconds from 0 to 1000000"),
        ("HALOCLINE_DELAY_US", "99999999999", "a whole number of microseconds"),
        ("HALOCLINE_THREAD_LEVEL", "many", "must be single, funneled"),
        ("HALOCLINE_TUNING_BUDGET", "1,5", "a number of seconds above 0"),
        ("HALOCLINE_TUNING_FRESH", "yes", "must be 0 or 1"),
        ("HALOCLINE_TUNING_LOG", str(Path("none") / "log"), "cannot be written to"),
        ("HALOCLINE_TUNING_LOG", "~nobody-here/log", "no home is known of that user"),
        ("HALOCLINE_TUNING", "~nobody-here/tuning", "no home is known of that user"),
    ]):  # fmt: skip
        words = (*quick, *(tuning if name != "HALOCLINE_TUNING" else ()))
        run = heat(*words, ranks=2, env={**os.environ, name: value})
        assert run.returncode != 0
        heat.says_once(run, f"{name}={value}: ", refused=False)
        assert says in run.stderr


def test_a_log_may_be_in_the_home():
    environment = {**os.environ, "HOME": str(Path.cwd()), "HALOCLINE_TUNING_LOG": "~/log"}
    tuning = ("--tuning", Path("tuning.json"))
    words = ("--points", 9, "--steps", 20, "--scheme", "auto", *tuning)
    run = heat(*words, ranks=2, env=environment)
    assert run.returncode == 0, run.stderr
    choices = Path("log").read_text().splitlines()
    assert all("scheme" in json.loads(choice) for choice in choices) and choices


def test_the_launcher_of_another_mpi_is_named_on_every_rank():
    for rank in ("0", "1"):
        words = {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": rank}
        run = heat("--points", 9, "--steps", 1, env={**os.environ, **words})
        assert run.returncode != 0
        heat.says_once(run, "ranks do not meet", refused=False)
        assert "HALOCLINE_ALONE=1" in run.stderr
        assert run.stdout == ""


def test_under_another_launcher_each_may_run_for_itself():
    words = {**os.environ, "SLURM_STEP_NUM_TASKS": "4"}
    plain = ("--points", 9, "--steps", 1)
    for more in ({"HALOCLINE_ALONE": "1"}, {"SLURM_MPI_TYPE": "none"}):
        assert heat(*plain, env={**words, **more}).returncode == 0
    run = heat(*plain, env={**words, "HALOCLINE_ALONE": "yes"})
    assert run.returncode != 0
    heat.says_once(run, "HALOCLINE_ALONE=yes: must be 0 or 1", refused=False)
    for questions in (["--help"], ["--list-schemes"], []):
        assert heat(*questions, env=words).returncode == 0


def test_another_machine_in_hwlocs_variables_is_not_this_one():
    file = Path("result.json")

    def domains(**more):
        run = heat("--points", 9, "--steps", 1, "--json", file, env={**os.environ, **more})
        assert run.returncode == 0, run.stderr
        return json.loads(file.read_text())["machine"]["numa_nodes"]

    assert domains(HWLOC_SYNTHETIC="numa:7 pu:1") == 1


def test_help_and_schemes():
    for words in ([], ["--help"], ["--points", "0", "-h"]):
        run = heat(*words, ranks=2)
        assert run.returncode == 0
        assert "heat" not in run.stderr  # MPI may complain of the machine
        assert run.stdout.count("Usage: heat") == 1
        assert "--repetitions N" in run.stdout
    assert "p2p:nonblocking" in heat("--list-schemes").stdout
