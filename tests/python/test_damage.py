"""Whatever is in a file that people may edit: one line says what is wrong, and nothing breaks.

`HALOCLINE_FUZZ_SECONDS=600`, as `./dev soak` sets it, looks for so many seconds at each format, and
then draws reports, too.
"""

import copy
import io
import json
import logging
import os
import time
import tracemalloc
from types import SimpleNamespace

import damage
import pytest
import recordings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from rich.console import Console

from halocline.advice import Analysis as Advice
from halocline.advice import applying, disturbance, recording, replay
from halocline.cli import predict as predicting
from halocline.cli import tuning as choices
from halocline.errors import HaloclineError
from halocline.launch import systems
from halocline.measure import Comparison, atlas, benchmark, load, results, tabulate, tuning
from halocline.measure import validation as validations
from halocline.measure.benchmark.points import points_of
from halocline.measure.comparison import turns
from halocline.measure.soundness import Memory, baseline
from halocline.model import computing, goal, machines, networks
from halocline.model.prediction import WhatIf
from halocline.traces import Analysis, Trace, reasons, told
from halocline.traces import perfetto as perfetto_file
from halocline.verbs.placing import of_result as grid_of
from halocline.verbs.submitting import Submitted

SECONDS = float(os.environ.get("HALOCLINE_FUZZ_SECONDS", 0))
AT_LENGTH = SECONDS > 0
SOME_BYTES = 1 << 21
"""A table or a permutation test takes these whatever is in the file."""
CHECKER = SimpleNamespace(surroundings=damage.HERE)
console = Console(file=io.StringIO(), width=100)


@pytest.fixture(autouse=True)
def quiet():
    """Remarks are not what is tested here."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def of_tuning(file):
    content = tuning.load(file)
    choices.show(console, content["choices"])
    tuning.Choices(content["choices"], file).table()
    for entry in content["choices"]:
        choices.best(entry)


def of_doctor(file):
    memory = Memory(file)
    verdicts = memory.verdicts(CHECKER)
    assert all(isinstance(verdict.sound, bool) for verdict in verdicts.values())
    memory.record(CHECKER, verdicts)


def of_verdicts(file):
    said = baseline.load(file)
    assert baseline.changes(said, said).sentences()
    assert baseline.changes(damage.VERDICTS, said).sentences()


def of_machine(file):
    machine = machines.load(file)
    changed = WhatIf(latency=2, bandwidth=2).applied(machine)
    machines.text_of(changed.content)
    assert machine.spread[0] <= machine.spread[1]


def of_network(file):
    network = networks.load(file)
    machines.text_of(network.between(machines.load("mistral")).content)


def of_comparison(file):
    found = Comparison.load(file.parent)
    found.table()
    found.samples()
    found.moved()
    tables = tabulate(found)
    load(file.parent)
    if tables and AT_LENGTH:
        from halocline.reports import comparison

        comparison.render(found)


def of_launches(file):
    benchmark.Benchmark.load(file.parent).table()


def of_benchmark(file):
    content = benchmark.load(file)
    for point in points_of([content]):
        point.row()


def of_validation(file):
    validations.summary(validations.rows(validations.load(file.parent)))


def of_result(file):
    found = results.load(file)
    assert found.repetitions and hash(found.identity) is not None
    results.style_of_auto([found])
    assert results.Launches.alone([found]).groups
    assert results.Launches.alone([found]).every_step is not None
    assert found.shares is not None
    from halocline.reports import convergence

    histories = convergence.load([file])
    [convergence.row(one) for one in histories]
    if AT_LENGTH:
        convergence.render(histories)


def of_atlas(file):
    found = atlas.load(file)
    assert all(one.outcome for one in found.schemes.values())
    found.save(file)


def of_job(file):
    found = Submitted.load(file.parent)
    found.state()
    found.save()


def of_replay(file):
    for pattern in replay.load(file).patterns.values():
        assert all(one.own >= 0 for one in pattern.others)


def of_activity(file):
    rank = SimpleNamespace(run=SimpleNamespace(host="h"))
    found = disturbance.kept(file.parent)
    taken = SimpleNamespace(ranks={0: rank, 1: rank})
    found.said("it ran", taken)
    found.busy("it ran", taken)


def of_runs(file):
    computing.rates(computing.run(file.parent))


def of_carried(file):
    assert all(one.said for one in applying.load(file))


def of_log(file):
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            tuning.logged(line, number)
        except HaloclineError as error:  # it is named by number: the file is the command's own
            raise HaloclineError(f"{file}: {error}") from error


def of_recording(file):
    found = Advice(recording.load(file.parent))
    assert found.answer("", {}, "").said is not None


def made_recording(folder):
    """Return the lines of rank 0 of two; those of rank 1 are in the folder."""
    (folder / "made").mkdir()
    place = recordings.Program(ranks=2, steps=8).write(folder / "made")
    (folder / "rank-00001.jsonl").write_bytes((place / "rank-00001.jsonl").read_bytes())
    lines = (place / "rank-00000.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if '"message"' not in line or '"number": 1,' in line]


FILES = {
    "atlas": ("atlas.json", damage.ATLAS, of_atlas),
    "job": ("job.json", damage.JOB_RECORD, of_job),
    "replay": ("replay.json", damage.REPLAY, of_replay),
    "activity": ("activity.json", damage.ACTIVITY, of_activity),
    "answer": ("advice.json", damage.ANSWER, lambda file: applying.schemes_of(file.parent)),
    "runs": ("computing.json", damage.RUNS, of_runs),
    "carried": ("applied.jsonl", damage.CARRIED, of_carried),
    "log": ("choices.jsonl", damage.LOG, of_log),
    "recording": ("rank-00000.jsonl", made_recording, of_recording),
    "tuning": ("tuning.json", damage.TUNING, of_tuning),
    "doctor": ("doctor.json", damage.DOCTOR, of_doctor),
    "verdicts": ("verdicts.json", damage.VERDICTS, of_verdicts),
    "machine": ("machine.json", damage.MACHINE_FILE, of_machine),
    "network": ("network.json", damage.NETWORK_FILE, of_network),
    "comparison": ("comparison.json", damage.COMPARISON, of_comparison),
    "launches": ("benchmark.json", damage.LAUNCHES, of_launches),
    "benchmark": ("0.json", damage.BENCHMARK, of_benchmark),
    "validation": ("validation.json", damage.VALIDATION, of_validation),
    "reasons": ("reasons.json", damage.REASONS, lambda file: reasons.load(file.parent)),
    "result": ("result.json", damage.RESULT, of_result),
    "grid": ("result.json", damage.RESULT, lambda file: grid_of(file, None, None, None)),
    "turns": ("turns.json", damage.TURNS, turns.split),
}


def text_of(name, document):
    """Return what is in a file of this name: JSON, or a line of it for each item."""
    if name.endswith(".jsonl") and isinstance(document, list):
        return "".join(json.dumps(line) + "\n" for line in document)
    return json.dumps(document)


def prepared(kind, tmp_path):
    """Give a file in a folder with what it names, its content, and what it is used for."""
    name, document, use = FILES[kind]
    file = folder_for(tmp_path) / name
    return file, document(tmp_path) if callable(document) else document, use


def folder_for(tmp_path):
    """Give a folder with what the records name."""
    (tmp_path / "runs").mkdir(exist_ok=True)
    (tmp_path / "runs" / "0.json").write_text(json.dumps(damage.RESULT))
    (tmp_path / "0.json").write_text(json.dumps(damage.BENCHMARK))
    return tmp_path


@pytest.mark.parametrize("kind", FILES)
def test_a_valid_file_is_taken(kind, tmp_path):
    file, document, use = prepared(kind, tmp_path)
    file.write_bytes(b"\xef\xbb\xbf" + text_of(file.name, document).encode())
    use(file)


def at_length(strategy, examine, few=30):
    """Look at a few examples, always the same, or at others for so long."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

    @settings(max_examples=100 if AT_LENGTH else few, deadline=None, database=None,
              derandomize=not AT_LENGTH, suppress_health_check=checks,
              phases=[Phase.generate] if AT_LENGTH else Phase)  # fmt: skip
    @given(strategy)
    def look(example):
        examine(example)

    end = time.monotonic() + SECONDS
    look()
    while time.monotonic() < end:
        look()


def refusal(use, file):
    """Return why a file is refused; empty if it is not. It must be a line that names the file."""
    try:
        use(file)
    except HaloclineError as error:
        said = str(error)
        assert said and "\n" not in said
        said.encode()
        return said
    return ""


@pytest.mark.parametrize("kind", FILES)
def test_a_damaged_file_is_taken_or_refused_in_a_line(kind, tmp_path):
    file, document, use = prepared(kind, tmp_path)

    def examine(content):
        file.write_text(text_of(file.name, content))
        said = refusal(use, file)
        assert not said or str(file.parent) in said

    at_length(damage.damaged(document), examine)


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 100000, b"\xff\xfe{}", b"1" * 5000, b"nul"])
@pytest.mark.parametrize("kind", FILES)
def test_what_is_no_json_is_refused_in_a_line(kind, text, tmp_path):
    file, _, use = prepared(kind, tmp_path)
    file.write_bytes(text)
    assert str(file) in refusal(use, file) or (not text and kind == "log")


def claims(document):
    """Yield the document with each of its numbers as one that no file lives up to."""
    for way in damage.places(document):
        changed = copy.deepcopy(document)
        holder = changed
        for key in way[:-1]:
            holder = holder[key]
        if way and type(holder[way[-1]]) in (int, float):
            holder[way[-1]] = 10**12
            yield changed


def memory_of(work):
    """Return the most bytes that were in use at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", FILES)
def test_what_a_file_claims_takes_no_memory(kind, tmp_path):
    file, document, use = prepared(kind, tmp_path)
    file.write_text(text_of(file.name, document))
    use(file)  # what is loaded by the first use is none of a file's
    for content in list(claims(document))[:: 1 if AT_LENGTH else 7]:
        text = text_of(file.name, content)
        file.write_text(text)
        assert memory_of(lambda: refusal(use, file)) < 10 * len(text) + SOME_BYTES, text


# ---- texts -----------------------------------------------------------------------------------


def of_launchers(file):
    for system in systems._read(file, 0):
        assert system.name
        if system.start:
            system.started(["a"], pin=True, cores=1, ranks=2, nodes=1, ranks_per_node=2)


def of_goal(file):
    found = goal.load(file)
    assert len(found.compute_ns) == found.ranks and found.case()


TEXTS = {
    "goal": (damage.GOAL, of_goal),
    "launchers": (damage.LAUNCHERS, of_launchers),
    "noise": (damage.NOISE, predicting._samples),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_damaged_text_is_taken_or_refused_in_a_line(kind, tmp_path):
    text, use = TEXTS[kind]
    file = tmp_path / f"a.{kind}"

    def of_file(file):
        systems._read.cache_clear()
        use(file)

    def examine(content):
        data = content.encode("utf-8", "surrogateescape")
        file.write_bytes(data)
        said = ""

        def work():
            nonlocal said
            said = refusal(of_file, file)

        assert memory_of(work) < 10 * len(data) + SOME_BYTES
        assert not said or str(file) in said

    examine(text)
    assert not refusal(of_file, file)
    at_length(damage.scrambled(text), examine)


# ---- the command -----------------------------------------------------------------------------

COMMANDS = {
    "result": (json.dumps(damage.RESULT)[:-9], ["report", "FILE"]),
    "result without": (json.dumps({**damage.RESULT, "result": []}), ["report", "FILE"]),
    "grid": (json.dumps({**damage.RESULT, "parameters": 7}), ["topology", "--result", "FILE"]),
    "tuning": (json.dumps({**damage.TUNING, "forbid": 7}), ["explain", "--tuning", "FILE"]),
    "trace": (damage.trace()[:-100], ["trace", "FILE"]),
    "trace's head": (damage.trace([]), ["trace", "FILE"]),
    "goal": (damage.GOAL.replace("50", "9" * 5000), ["predict", "goal", "FILE"]),
    "machine": (json.dumps({**damage.MACHINE_FILE, "costs": {"send": "a\nb"}}),
                ["predict", "halo", "8,8,8", "--machine", "FILE"]),
    "network": (json.dumps({**damage.NETWORK_FILE, "latency_s": "\ud800"}),
                ["predict", "halo", "8,8,8", "--network", "FILE"]),
    "noise": ("1\nx", ["predict", "halo", "8,8,8", "--noise-file", "FILE"]),
    "graph": ("3 9\n2\n1\n\n", ["topology", "--graph", "FILE", "--ranks", "2"]),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_says_it_in_a_line(name, halocline, tmp_path):
    content, arguments = COMMANDS[name]
    file = tmp_path / "damaged.file"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = halocline(*(str(file) if one == "FILE" else one for one in arguments))
    assert done.returncode == 1
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("halocline: "), done.stderr


BY_COMMANDS = {
    "status": ("results/a/job.json", damage.JOB_RECORD, ["status"]),
    "fetch": ("results/a/job.json", damage.JOB_RECORD, ["fetch", "results/a"]),
    "submit": ("launchers.ini", damage.LAUNCHERS, ["submit", "--show", "doctor"]),
    "report": ("result.json", damage.RESULT, ["report", "result.json"]),
    "comparison": ("comparison.json", damage.COMPARISON, ["report", "."]),
    "explain": ("tuning.json", damage.TUNING, ["explain", "--tuning", "tuning.json"]),
    "machine": ("m.json", damage.MACHINE_FILE, ["predict", "halo", "8,8,8", "--machine", "m.json"]),
    "network": ("n.json", damage.NETWORK_FILE, ["predict", "halo", "8,8,8", "--network", "n.json"]),
    "goal": ("a.goal", damage.GOAL, ["predict", "goal", "a.goal"]),
}


@pytest.mark.parametrize("name", BY_COMMANDS)
def test_a_command_does_its_work_or_says_why_not(name, halocline, tmp_path, monkeypatch):
    place, document, words = BY_COMMANDS[name]
    file = folder_for(tmp_path) / place
    file.parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("HALOCLINE_LAUNCHERS", str(file) if name == "submit" else "")
    is_text = isinstance(document, str)

    def examine(content):
        systems._read.cache_clear()
        text = content if is_text else text_of(place, content)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        done = halocline(*words)  # which raises what no user should see
        assert done.returncode in (0, 1, 75), done.stderr
        if done.returncode == 1 and name != "fetch":  # whose exit code is the job's
            assert done.stderr.strip().splitlines()[-1].startswith("halocline: "), done.stderr
        assert "Traceback" not in done.stderr

    examine(document)
    at_length((damage.scrambled if is_text else damage.damaged)(document), examine, few=3)


# ---- traces ----------------------------------------------------------------------------------


def of_trace(file):
    found = Trace.load(file)
    for line in told(found, found):
        assert len(line) < 10000
    list(Analysis(found).states)
    if AT_LENGTH:
        pytest.importorskip("perfetto")
        perfetto_file.write(found, file.with_name("a.perfetto"))


def test_a_whole_trace_is_taken(tmp_path):
    file = tmp_path / "a.trace"
    file.write_bytes(damage.trace())
    of_trace(file)
    assert len(Trace.load(file).ranks[1].main) == 6


def test_a_trace_that_ends_early_is_not_whole(tmp_path):
    whole = damage.trace()
    file = tmp_path / "a.trace"
    for size in {*range(16, 64), *range(64, len(whole), 1 if AT_LENGTH else 37), len(whole) - 1}:
        file.write_bytes(whole[:size])
        assert "a.trace: the trace is not whole: " in refusal(of_trace, file), size


def test_what_a_trace_claims_takes_no_memory(tmp_path):
    file = tmp_path / "a.trace"
    file.write_bytes(damage.trace())
    of_trace(file)
    rows = [{"bytes": 800, "description_bytes": 400, "events": 6, "sums": 18}] * 2
    for head in claims({**damage.HEAD, "ranks": rows}):
        file.write_bytes(damage.trace(head))
        assert memory_of(lambda: refusal(of_trace, file)) < 10 * file.stat().st_size + SOME_BYTES
    for about in claims(damage.DESCRIPTION):
        file.write_bytes(damage.trace(descriptions=[damage.DESCRIPTION, about]))
        assert memory_of(lambda: refusal(of_trace, file)) < 10 * file.stat().st_size + SOME_BYTES


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("exchange", 3, "its exchange is none of 2"), ("name", 3, "its name is none of"),
        ("peer", 2, "its peer is no rank"), ("peer", -2, "its peer is no rank"),
        ("thread", 1, "its thread is none of 1"), ("activity", 200, "its activity is none of"),
        ("begin", 990, "it ends before it begins"),
        ("begin", -(2**62), "it is at no time of a run"),
        ("end", 2**62, "it is at no time of a run"), ("end", 905, "it ends before the one"),
    ],
)  # fmt: skip
def test_an_event_that_points_nowhere_is_named(field, value, word, tmp_path):
    table = damage.events()
    table["end"][4] = 910
    table[field][5] = value
    file = tmp_path / "a.trace"
    file.write_bytes(damage.trace(tables=[damage.events(), table]))
    said = refusal(of_trace, file)
    assert f"the trace is not whole: rank 1, event 5: {word}" in said


def test_a_damaged_trace_is_taken_or_refused_in_a_line(tmp_path):
    file = tmp_path / "a.trace"

    @st.composite
    def traces(draw):
        head = draw(st.one_of(st.just(damage.HEAD), damage.damaged(damage.HEAD)))
        about = draw(st.one_of(st.just(damage.DESCRIPTION), damage.damaged(damage.DESCRIPTION)))
        table = copy.deepcopy(damage.events())
        for _ in range(draw(st.integers(0, 3))):
            field = draw(st.sampled_from(table.dtype.names))
            info = {"i": (-3, 2000), "u": (0, 4)}[table.dtype[field].kind]
            table[field][draw(st.integers(0, len(table) - 1))] = draw(st.integers(*info))
        whole = damage.trace(head, [damage.DESCRIPTION, about], [damage.events(), table])
        if draw(st.booleans()):
            at = draw(st.integers(16, len(whole) - 1))
            whole = whole[:at] + bytes([draw(st.integers(0, 255))]) + whole[at + 1 :]
        return whole

    def examine(content):
        file.write_bytes(content)
        said = refusal(of_trace, file)
        assert not said or str(file) in said

    at_length(traces(), examine)
