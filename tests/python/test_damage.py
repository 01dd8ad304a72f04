"""Whatever is in a file that people may edit: one line says what is wrong, and nothing breaks.

`HALOCLINE_DAMAGE=600` looks for so many seconds at each format, and then draws reports, too.
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
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from rich.console import Console

from halocline.cli import tuning as choices
from halocline.errors import HaloclineError
from halocline.measure import Comparison, benchmark, load, results, tabulate, tuning
from halocline.measure import validation as validations
from halocline.measure.benchmark.points import points_of
from halocline.measure.comparison import turns
from halocline.measure.soundness import Memory
from halocline.model import machines, networks
from halocline.model.prediction import WhatIf
from halocline.traces import Analysis, Trace, reasons, told
from halocline.traces import perfetto as perfetto_file
from halocline.verbs.placing import of_result as grid_of

SECONDS = float(os.environ.get("HALOCLINE_DAMAGE", 0))
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


FILES = {
    "tuning": ("tuning.json", damage.TUNING, of_tuning),
    "doctor": ("doctor.json", damage.DOCTOR, of_doctor),
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


def folder_for(tmp_path):
    """Give a folder with what the records name."""
    (tmp_path / "runs").mkdir(exist_ok=True)
    (tmp_path / "runs" / "0.json").write_text(json.dumps(damage.RESULT))
    (tmp_path / "0.json").write_text(json.dumps(damage.BENCHMARK))
    return tmp_path


@pytest.mark.parametrize("kind", FILES)
def test_a_valid_file_is_taken(kind, tmp_path):
    name, document, use = FILES[kind]
    file = folder_for(tmp_path) / name
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(document).encode())
    use(file)


def at_length(strategy, examine):
    """Look at a few examples, always the same, or at others for so long."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

    @settings(max_examples=100 if AT_LENGTH else 30, deadline=None, database=None,
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
    name, document, use = FILES[kind]
    file = folder_for(tmp_path) / name

    def examine(content):
        file.write_text(json.dumps(content))
        said = refusal(use, file)
        assert not said or str(file.parent) in said

    at_length(damage.damaged(document), examine)


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 100000, b"\xff\xfe{}", b"1" * 5000, b"nul"])
@pytest.mark.parametrize("kind", FILES)
def test_what_is_no_json_is_refused_in_a_line(kind, text, tmp_path):
    file = folder_for(tmp_path) / FILES[kind][0]
    file.write_bytes(text)
    assert str(file) in refusal(FILES[kind][2], file)


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
    name, document, use = FILES[kind]
    file = folder_for(tmp_path) / name
    file.write_text(json.dumps(document))
    use(file)  # what is loaded by the first use is none of a file's
    for content in list(claims(document))[:: 1 if AT_LENGTH else 7]:
        text = json.dumps(content)
        file.write_text(text)
        assert memory_of(lambda: refusal(use, file)) < 10 * len(text) + SOME_BYTES, text


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
