"""What is around the command: strangers on its programs' output, terminals, signals, streams."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from halocline import text
from halocline.errors import HaloclineError
from halocline.launch import answer, find_program, has, process

HALOCLINE = [sys.executable, "-m", "halocline"]
STRANGERS = {
    "mpich": "[0] ==== MPIR_CVAR_DEBUG_SUMMARY {x} ====\n{}\n[]\nrequired {",
    "intel": "[0] MPI startup(): libfabric version: 1.21\n[0] MPI startup(): [1,2,3]\n",
    "hydra": "[mpiexec@host] Timeout set to -1 (-1 means infinite)\n[\n[[[[{{\n",
    "label": "[1,0]<stdout>: ",
}


@pytest.mark.parametrize("before", STRANGERS)
def test_answers_are_found_among_what_others_print(before):
    said = f'{STRANGERS[before]}{{"event": "end", "scheme": "a"}} bye\n[0] Finalize\n'
    assert answer(said, has("event", "scheme"), "x") == {"event": "end", "scheme": "a"}


@pytest.mark.parametrize("said", ["", "[0] MPI startup()\n{}", "[" * 5000])
def test_no_answer_is_one_line_that_shows_what_there_was_instead(said):
    with pytest.raises(HaloclineError, match=r"^halocheck: no answer") as it:
        answer(said, has("event"), "halocheck")
    assert "\n" not in str(it.value)
    assert len(str(it.value)) < 400


def test_lists_that_do_not_end_hide_nothing_and_take_no_time():
    begin = time.process_time()
    said = "[ 1, 2,\n" * 20_000 + '{"event": "end"}'
    assert answer(said, has("event"), "x") == {"event": "end"}
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("chatter", ["before", "after", "label"])
def test_doctor_schemes_and_compare_hear_their_programs_only(fake, halocline, chatter):
    fake(chatter=chatter)
    assert halocline("schemes").returncode == 0
    assert "6 sound, 0 broken" in halocline("doctor", "--quick").stdout
    found = halocline("compare", "partdiff", "1", "--launches", "1", "--schemes", "shm:signal")
    assert found.returncode == 0, found.stderr


LINES = {
    "unknown verb": (["comper"], "'compare'"),
    "none of model's": (["model", "mesure"], "'measure'"),
    "unknown option": (["doctor", "--quik"], "--quick"),
    "no number": (["doctor", "--cases", "x"], "--cases"),
    "below the least": (["doctor", "--cases", "0"], "--cases"),
    "option without value": (["report", "x", "--output"], "--output"),
    "argument missing": (["compare"], "program"),
    "one too many": (["schemes", "a", "b"], "b"),
    "odd bytes": (["schemes", "--\udcff\n\x1b[1m"], "schemes --help"),
}


@pytest.mark.parametrize("case", LINES)
def test_a_bad_command_line_is_one_line(halocline, case):
    words, named = LINES[case]
    said = halocline(*words)
    assert said.returncode == 2
    assert said.stdout == ""
    (line,) = said.stderr.splitlines()
    assert line.startswith("halocline: ")
    assert named in line
    assert line.endswith("--help'")


def test_files_are_what_their_first_bytes_say(tmp_path, halocline):
    for name, content, kind in (
        ("x.trace", b"halocline-trace\n\0\0", "a trace"),
        ("r.json", b'{"format": 1}', "JSON"),
        ("p.html", b"<!DOCTYPE html>", "a page"),
        ("notes", b"echo told > told\n", "begins neither"),
    ):
        file = tmp_path / name
        file.write_bytes(content)
        file.chmod(0o755)
        with pytest.raises(HaloclineError, match=f"not a program: .*{kind}"):
            find_program(file)
        said = halocline("trace", file)
        assert (said.returncode, said.stderr.count("\n")) == (1, 1), said.stderr
        assert "trace" in said.stderr
    assert not (tmp_path / "told").exists()


def closed(folder, monkeypatch):
    """Let nobody look into a folder: root may everywhere, so the system says it for us."""
    real = Path.stat

    def stat(self, **options):
        if folder in (self, *self.parents):
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, **options)

    monkeypatch.setattr(Path, "stat", stat)


def test_a_folder_of_path_that_may_not_be_looked_into_is_passed_over(tmp_path, fake, monkeypatch):
    folder = fake.folder
    monkeypatch.delenv("HALOCLINE_BIN")
    monkeypatch.setenv("PATH", f"{tmp_path / 'secret' / 'bin'}:{folder}:{os.environ['PATH']}")
    closed(tmp_path / "secret", monkeypatch)
    monkeypatch.chdir(tmp_path)
    assert find_program("partdiff") == folder / "partdiff"


def test_a_cache_that_may_not_be_looked_into_is_one_line(tmp_path, fake, halocline, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path / "secret" / "cache"))
    closed(tmp_path / "secret", monkeypatch)
    said = halocline("doctor", "--quick")
    assert (said.returncode, said.stderr.count("\n")) == (1, 1), said.stderr
    assert str(tmp_path / "secret" / "cache") in said.stderr


@pytest.mark.parametrize(
    ("columns", "least"), [("0", 40), ("-3", 40), ("7", 39), ("²", 40), ("100000", 40), ("", 40)]
)
def test_any_width_shows_everything(fake, halocline, monkeypatch, columns, least):
    monkeypatch.setenv("COLUMNS", columns)
    said = halocline("schemes")
    assert said.returncode == 0
    assert "p2p:nonblocking" in said.stdout
    assert len(halocline("--help").stdout) > least


def spoken(words, **options):
    """Run the command in a process of its own."""
    return subprocess.run(
        [*HALOCLINE, *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60,
        check=False, **options,
    )  # fmt: skip


@pytest.mark.parametrize("words", [["model", "machines"], ["--help"], ["--version"]])
def test_a_full_standard_output_is_one_line_and_no_success(words):
    with Path("/dev/full").open("wb") as full:
        said = spoken(words, stdout=full)
    assert said.returncode == 1
    assert said.stderr.decode() == "halocline: standard output: No space left on device\n"


def test_a_closed_standard_output_is_one_line_and_no_success():
    said = spoken(["model", "machines"], preexec_fn=lambda: os.close(1))
    assert (said.returncode, said.stderr) == (1, b"halocline: standard output: it is closed\n")


def test_a_reader_that_has_gone_ends_the_command_quietly():
    here, there = os.pipe()
    os.close(here)
    said = spoken(["model", "machines"], stdout=there)
    os.close(there)
    assert (said.returncode, said.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_gets_what_it_can_show(encoding):
    shown = "µs × größe \udcc3\udcb6 \udcff".encode(encoding, text.NAME)
    assert shown.startswith({"ascii": b"us x gr??e ", "latin-1": "µs × größe ".encode("latin-1"),
                             "utf-8": "µs × größe ".encode()}[encoding])  # fmt: skip
    assert shown.endswith(b" ?")


def test_what_an_option_names_is_looked_at_before_the_work(fake, halocline, tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(log))
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    for words in (
        ["trace", "partdiff", "--html", "none/x.html"],
        ["trace", "partdiff", "--perfetto", "file/x"],
        ["trace", "partdiff", "--output", "full"],
        ["trace", "partdiff", "--otf2", "full"],
        ["trace", "partdiff", "--html", "x.html", "--screenshot", "none/x.png"],
        ["demo", "--output", "file/x"],
        ["compare", "partdiff", "--output", "file/x"],
        ["bench", "kernels", "--output", "file"],
        ["bench", "roundtrip", "--output", "file/x"],
        ["predict", "laplace", "--output", "file/x"],
        ["model", "measure", "--output", "none/x"],
        ["model", "trust", "--results", "x", "--json", "none/x"],
        ["topology", "--mesh", "9x9", "-n", "2", "--json", "none/x"],
        ["report", "file", "--output", "none/x"],
        ["validate", "--output", "file/x"],
        ["advise", "--recording", "x", "--html", "none/x.html"],
        ["advise", "--recording", "x", "--json", "full"],
        ["advise", "--recording", "x", "--output", "file/x"],
    ):
        said = halocline(*words)
        assert (said.returncode, said.stdout) == (1, ""), words
        (line,) = said.stderr.splitlines()
        option = next(word for word in reversed(words) if word.startswith("--"))
        assert line.startswith(f"halocline: {option} {words[-1]}: "), line
    assert not log.exists()
    assert sorted(one.name for one in tmp_path.iterdir() if one.name != "build") == ["file", "full"]


SCRIPT = """
import contextlib, io, json, sys
from halocline.cli import main as cli
codes = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["halocline", *words]
    try:
        cli.main()
    except SystemExit as end:
        codes.append(end.code)
print(codes, file=sys.stderr)
"""
ODD = os.fsdecode(b"gr\xf6\xdfe")
ENCODINGS = {
    "ascii output": {"PYTHONIOENCODING": "ascii"},
    "no locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "warned": {
        "PYTHONWARNDEFAULTENCODING": "1",
        "PYTHONWARNINGS": "error::EncodingWarning:halocline",
    },
}


@pytest.mark.parametrize(
    ("case", "folder"), [("ascii output", "größe"), ("no locale", ODD), ("warned", "größe")]
)
def test_every_verb_ends_well_whatever_the_encoding(fake, tmp_path, case, folder):
    """In a folder whose name the locale cannot read, with names in results that it cannot show."""
    fake(device={"device": "µ×", "played": False})
    here = tmp_path / folder
    here.mkdir()
    verbs = [
        ["doctor", "--quick"], ["schemes"],
        ["compare", "partdiff", "ä", "--launches", "1", "--schemes", "shm:signal", "--output", "c"],
        ["report", "c"], ["report", "../" + folder + "/c"],
        ["tune", "partdiff"], ["explain"], ["explain", "partdiff"],
        ["model", "machines"], ["--help"],
    ]  # fmt: skip
    told = os.fsencode(json.dumps(verbs, ensure_ascii=False))
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT, told], cwd=here, env={**os.environ, **ENCODINGS[case]},
        capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    errors = said.stderr.decode(errors="replace")
    assert errors.splitlines()[-1:] == [str([0] * len(verbs))], errors
    ours = str(Path(text.__file__).parent)
    assert [line for line in errors.splitlines() if "Warning" in line and ours in line] == []
    page = (here / "c" / "report.html").read_text("utf-8")
    assert "ä" in page and page.rstrip().endswith("</html>")


def living(*words):
    """Return the processes whose command lines have all of these words."""
    found = []
    for one in psutil.process_iter(["cmdline"]):
        line = " ".join(one.info["cmdline"] or ())
        if all(word in line for word in words):
            found.append(one.pid)
    return found


def ended(words, folder, number, measures):
    """Send the command a signal as soon as it measures; return its code and what it said."""
    child = subprocess.Popen(
        [*HALOCLINE, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not measures():
        assert child.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    child.send_signal(number)
    said = child.communicate(timeout=100)
    assert "Traceback" not in said[1]
    assert child.returncode == 128 + number, said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_a_comparison_in_order(fake, tmp_path, number):
    """What is measured is kept, and nobody goes on."""
    fake(failing={"shm:signal": "hang"})
    words = ["compare", "partdiff", "7", "--schemes", "p2p:sendrecv,shm:signal", "--output", "mine",
             "--trust", "--no-picture", "--seed", "1"]  # fmt: skip
    runs = str(tmp_path / "mine" / "runs")
    ended(words, tmp_path, number, lambda: living(runs, "shm:signal"))
    launches = json.loads((tmp_path / "mine" / "comparison.json").read_text())["launches"]
    assert (launches[-1]["scheme"], launches[-1]["status"]) == ("shm:signal", "interrupted")
    assert {launch["status"] for launch in launches[:-1]} <= {"measured"}
    assert living(runs) == []


def test_a_signal_ends_a_program_that_is_traced(fake, tmp_path):
    fake(failing={"shm:signal": "hang"})
    file = str(tmp_path / "mine.trace")
    words = ["trace", "partdiff", "7", "--scheme", "shm:signal", "--output", file]
    ended(words, tmp_path, signal.SIGTERM, lambda: living("--trace", file))
    assert living(file) == []


def test_a_programs_own_words_are_found_behind_what_launchers_put_before_them():
    for label in ("", "[1,0]<stderr>:", "[0] ", "0: "):
        said = f"{label}partdiff: give six numbers"
        errors = f"1: accuracy\n{said}\n[0] MPI finalize\n==== abort ====\n"
        ended = process.Finished(1, False, "", errors, 1.0, ["mpiexec", "/bin/partdiff", "1"])
        assert ended.last_words() == "partdiff: give six numbers"
