"""The verbs of the command line as functions, and their results as tables."""

import doctest
import sys
from importlib import import_module
from pathlib import Path

import pytest
from test_benchmark import STAND_IN

import halocline
from halocline.measure import Benchmark, Choices, Comparison, Effort, Result
from halocline.traces import reasons

SCHEMES = ["p2p:persistent", "shm:signal"]
QUICK = {"launches": 6, "repetitions": 2, "trust": True, "seed": 1}
VERBS = ["bench", "compare", "doctor", "explain", "load", "report", "run", "tune"]
BUILT = ["predict", "topology", "trace", "why"]
"""These need what stand-ins are too simple for."""
PROGRAMS = Path(__file__).parent.parent.parent / "build" / "release" / "bin"
built = pytest.mark.skipif(
    not all((PROGRAMS / name).is_file() for name in ("halosim", "haloplan", "partdiff")),
    reason="the programs are not built",
)


@pytest.fixture(autouse=True)
def here(fake, tmp_path, monkeypatch):
    """Work in an empty folder, on the stand-in programs."""
    monkeypatch.chdir(tmp_path)
    fake(noise=0, speed={"shm:signal": 5e-4})


@pytest.fixture
def compared(kept):
    words = ("partdiff", "1 2 10 1 2 20")
    return kept(lambda: halocline.compare(*words, schemes=SCHEMES, output="out", **QUICK), "out")


@pytest.fixture
def halometer(fake):
    """Add a stand-in for halometer."""
    file = fake.folder / "halometer"
    file.write_text(STAND_IN.replace("{python}", f"{sys.executable} -S"))
    file.chmod(0o755)


def test_the_verbs_are_offered_and_say_what_they_do():
    every = [*VERBS, *BUILT, "advise", "bench_kernels", "validate"]
    assert set(every) < set(halocline.__all__) <= set(dir(halocline))
    for verb in every:
        assert callable(getattr(halocline, verb)), "no package has its name"
        said = getattr(halocline, verb).__doc__
        assert "Raises" in said and "Examples" in said and f"halocline.{verb}(" in said
    with pytest.raises(AttributeError, match="no attribute 'compute'"):
        _ = halocline.compute


def test_a_comparison_is_a_table(compared):
    first, *others = compared.table()
    assert (first["scheme"], first["verdict"]) == ("shm:signal", "fastest")
    assert first["median_s_low"] <= first["median_s"] <= first["median_s_high"]
    assert first["median_s"] == pytest.approx(5e-4)
    assert (first["ratio"], first["against_baseline"]) == (pytest.approx(0.5), "faster")
    assert (first["case"], first["ranks"], first["launches"]) == ("partdiff", 2, 6)
    assert {row["scheme"] for row in others} == {"p2p:nonblocking", "p2p:persistent"}
    assert all(list(row) == list(first) for row in others), "the same columns in every row"
    assert not any(isinstance(value, (dict, list)) for value in first.values())


def test_every_repetition_is_a_row_in_long_form(compared):
    rows = compared.samples()
    assert len(rows) == 3 * 6 * 3, "schemes, launches, repetitions"
    assert {row["round"] for row in rows} == set(range(1, 7))
    signal = [row["seconds"] for row in rows if row["scheme"] == "shm:signal" and row["counts"]]
    table = {row["scheme"]: row for row in compared.table()}
    assert len(signal) == table["shm:signal"]["samples"]
    assert sorted(signal)[len(signal) // 2] == pytest.approx(table["shm:signal"]["median_s"])


def test_what_warms_up_is_there_and_does_not_count(fake):
    fake(noise=0, cold=3)
    rows = halocline.compare("partdiff", schemes="p2p:nonblocking", **QUICK).samples()
    assert {row["repetition"] for row in rows if not row["counts"]} == {0}
    assert min(row["seconds"] for row in rows if not row["counts"]) == pytest.approx(3e-3)


def test_tables_are_data_frames(compared):
    frame = compared.to_pandas()
    assert frame.set_index("scheme").loc["shm:signal", "verdict"] == "fastest"
    assert frame["median_s"].dtype == float and len(frame) == 3
    assert "<td>shm:signal</td>" in compared._repr_html_()


def test_without_pandas_the_error_says_what_helps(compared, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(halocline.HaloclineError, match=r"pip install pandas.*table\(\)"):
        compared.to_pandas()
    assert compared._repr_html_() is None


def test_several_numbers_of_ranks_and_lists_of_words():
    found = halocline.compare(
        "partdiff", ["1", "2"], ranks=[2, 3], schemes="shm:*", launches=1, trust=True
    )
    assert {(row["ranks"], row["scheme"]) for row in found.table()} == {
        (ranks, scheme) for ranks in (2, 3) for scheme in ("p2p:nonblocking", "shm:signal")
    }
    assert found.folder.parent.name == "results"
    assert found.command_line == (
        "halocline.compare('partdiff', '1 2', ranks=[2, 3], schemes='shm:*')"
    )


def test_the_doctor_is_asked_first(fake):
    fake(broken={"shm:signal": "crash"})
    asked = []
    found = halocline.compare(
        "partdiff", schemes=SCHEMES, launches=1,
        checking=lambda scheme, event: asked.append((scheme, event)),
    )  # fmt: skip
    assert "crash" in found.skipped["shm:signal"]
    assert {row["scheme"] for row in found.table()} == {"p2p:nonblocking", "p2p:persistent"}
    assert asked.index(("shm:signal", "asked")) < asked.index(("shm:signal", "begin"))


def test_what_was_measured_is_loaded_again(compared):
    again = halocline.load("out")
    assert isinstance(again, Comparison)
    assert again.table() == compared.table() and again.samples() == compared.samples()
    assert halocline.load("out/comparison.json").table() == compared.table()
    result = halocline.load(compared.folder / compared.launches[0].file)
    assert isinstance(result, Result) and result.scheme == compared.launches[0].scheme


def test_a_comparison_that_was_cut_short_is_evaluated_when_it_is_loaded(compared):
    table = compared.table()
    compared.summary = []
    compared.save()
    assert halocline.load("out").table() == table


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read"),
        ("half of", "is no file of Halocline"),
        ("[]", "is no file of Halocline"),
        ('{"format": "other"}', "is not a result file"),
    ],
)
def test_what_cannot_be_loaded_is_named(tmp_path, text, message):
    file = tmp_path / "some.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(halocline.HaloclineError, match=message) as error:
        halocline.load(file)
    assert "some.json" in str(error.value)


def test_a_folder_without_results_is_named(tmp_path):
    with pytest.raises(halocline.HaloclineError, match=r"neither comparison.json nor benchmark"):
        halocline.load(tmp_path)


def test_a_benchmark_is_a_table(halometer):
    found = halocline.bench("roundtrip", "--sizes 8", launches=2, output="bench", budget_s=1)
    rows = found.table()
    assert rows and {row["ranks"] for row in rows} == {2}
    first = rows[0]
    assert first["median_s_low"] <= first["median_s"] <= first["median_s_high"]
    assert first["launches"] == 2 and "size" in first
    assert all(list(row) == list(first) for row in rows)
    again = halocline.load("bench")
    assert isinstance(again, Benchmark) and again.table() == rows
    assert len(found.to_pandas()) == len(rows)
    assert "--sizes 8 --budget 1" in found.launches[0].command


def test_an_unknown_kind_is_named():
    with pytest.raises(halocline.HaloclineError, match="no speed; it measures roundtrip, "):
        halocline.bench("speed")


@pytest.mark.parametrize(
    ("kind", "options", "named"),
    [
        ("kernels", {"ranks": 4}, "ranks"),
        ("kernels", {"arguments": "--sizes 8"}, "arguments"),
        ("roundtrip", {"quick": True}, "quick"),
    ],
)
def test_options_of_other_kinds_are_refused(kind, options, named):
    with pytest.raises(halocline.HaloclineError, match=f"^{named}: has no meaning for {kind}; "):
        halocline.bench(kind, **options)


def test_a_comparison_says_why_in_its_table(monkeypatch):
    def traced(program, arguments, ranks, scheme, launcher, **_):
        raise halocline.HaloclineError(f"{program.name} {' '.join(arguments)} is not traced here")

    monkeypatch.setattr(reasons, "traced", traced)
    told = []
    found = halocline.compare(
        "partdiff", "1 2", schemes="shm:signal", launches=1, trust=True, why=True, say=told.append
    )
    why = "{}: no trace: partdiff 1 2 is not traced here"
    assert {row["scheme"]: row["why"] for row in found.table()} == {
        name: why.format(name) for name in ("p2p:nonblocking", "shm:signal")
    }
    assert halocline.load(found.folder).table() == found.table()
    assert sorted(told) == ["tracing p2p:nonblocking", "tracing shm:signal"]


def test_the_doctor_gives_a_table(fake):
    fake(broken={"rma:get:lock": "wrong"})
    found = halocline.doctor("rma:*", effort=Effort(ranks=(2,), limit_s=30))
    outcomes = {row["scheme"]: (row["outcome"], row["sound"]) for row in found.table()}
    assert outcomes == {"rma:put:fence": ("sound", True), "rma:get:lock": ("wrong", False)}
    assert not found.sound and found.facts["machine"]["cpu"] == "Fake CPU"
    missing = halocline.doctor(effort=Effort(ranks=(2,), limit_s=30)).table()[-1]
    assert (missing["scheme"], missing["outcome"]) == ("p2p:partitioned", "missing")


def test_a_run_gives_its_output_and_its_result():
    done = halocline.run("partdiff", "1 2 'a b'", ranks=3, scheme="shm:signal")
    assert done.output.startswith("1 2 a b --scheme shm:signal")
    assert (done.result.scheme, done.result.ranks) == ("shm:signal", 3)
    assert done.command.endswith("partdiff 1 2 'a b' --scheme shm:signal")


def test_a_run_that_fails_says_why(fake):
    fake(failing={"shm:signal": "exit"})
    with pytest.raises(halocline.HaloclineError, match="on 2 ranks: exit code 1\npartdiff: shm"):
        halocline.run("partdiff", scheme="shm:signal")


def test_choices_are_tables(tmp_path):
    found = halocline.tune("partdiff", "1 2 3", ranks=(2, 3), trust=True)
    assert isinstance(found, Choices) and found.file == tmp_path / "cache" / "tuning.json"
    chosen = [row for row in found.table() if row["chosen"]]
    assert [(row["ranks"], row["scheme"]) for row in chosen] == [
        (2, "shm:signal"), (3, "shm:signal"),
    ]  # fmt: skip
    assert chosen[0]["median_us"] == 1.0 and chosen[0]["bytes"] == 8192
    untried = next(row for row in found.table() if row["scheme"] == "rma:get:lock")
    assert untried["median_us"] is None and "doctor" in untried["dropped"]
    assert halocline.explain().table() == found.table() == halocline.load(found.file).table()
    assert {row["ranks"] for row in halocline.explain("partdiff", "1", ranks=4).table()} == {4}


def example(verb):
    function = getattr(halocline, verb)
    module = import_module(function.__module__)
    (example,) = doctest.DocTestFinder(recurse=False).find(function, verb, module, globs={})
    failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert tried and not failed


@pytest.mark.parametrize("verb", VERBS)
def test_examples_run(verb, halometer):
    example(verb)


@built
@pytest.mark.parametrize("verb", BUILT)
def test_examples_of_real_programs_run(verb, monkeypatch):
    monkeypatch.setenv("HALOCLINE_BIN", str(PROGRAMS))
    example(verb)


def text_of(found, part=None):
    """Return what a notebook shows of a picture."""
    return found.plot(part)._repr_svg_()


def test_results_draw_themselves(compared, halometer, fake):
    assert "shm:signal" in text_of(compared) and "per step" in text_of(
        compared, "partdiff on 2 ranks"
    )
    found = halocline.bench("roundtrip", "--sizes 8", launches=2, output="bench", budget_s=1)
    assert all(row["scheme"] in text_of(found) for row in found.table())
    assert "sound" in text_of(halocline.doctor("p2p:*", effort=Effort(ranks=(2,), limit_s=30)))
    done = halocline.run("partdiff", "1 2 3", scheme="shm:signal")
    assert "repetition" in text_of(done) and len(done.table()) == len(done.result.repetitions)
    assert "shm:signal" in text_of(halocline.tune("partdiff", "1 2 3", trust=True))
    page = halocline.report(compared)
    assert page.table() == compared.table() and "srcdoc" in page._repr_html_()
    assert "shm:signal" in text_of(page)


def test_a_part_that_is_none_is_named(compared):
    with pytest.raises(halocline.HaloclineError, match="no 'heat'; there are partdiff on 2 ranks"):
        compared.plot("heat")
    compared.launches = []
    with pytest.raises(halocline.HaloclineError, match="nothing to draw"):
        compared.plot()


@built
def test_predictions_plans_and_traces_are_tables_and_pictures(tmp_path):
    where = {"programs": PROGRAMS}
    found = halocline.predict("halo", "8,8,8", ranks=[2, 4], machine="wr-cluster", **where)
    assert {row["ranks"] for row in found.table()} == {2, 4}
    assert "ranks" in text_of(found) and "times the fastest" in text_of(found, "heat")
    plan = halocline.topology((48, 80), ranks=12, machine="nodes=2,cores=6", **where)
    assert [row["ranks"] for row in plan.table()] == ["sequential", "placed"]
    assert "words" in text_of(plan) and "the node of each part" in text_of(plan, "placed")
    traced = halocline.trace(
        "partdiff", "1 2 9 1 2 9 --halo-depth 1",  # else 4 or 8 sweeps in a step, by its vectors
        scheme="p2p:nonblocking", output="a.trace", **where,
    )  # fmt: skip
    assert {row["scheme"] for row in traced.table()} >= {"p2p:nonblocking"}
    assert "rank 1" in text_of(traced) and "computing" in text_of(traced)
    again = halocline.trace("a.trace")
    assert again.said == traced.said and traced.write_page(tmp_path / "page.html").is_file()
    with pytest.raises(halocline.HaloclineError, match="step 99: the trace has"):
        traced.plot("99")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: halocline.predict("nothing"), ["predict", "nothing"]),
        (lambda: halocline.predict("halo", "8"), ["predict", "halo", "8"]),
        (
            lambda: halocline.predict("halo", "8,8,8", machine="cray"),
            ["predict", "halo", "8,8,8", "--machine", "cray"],
        ),
        (lambda: halocline.compare("partdiff", ranks="a"), ["compare", "partdiff", "-n", "a"]),
        (lambda: halocline.topology((2, 3)), ["topology", "--mesh", "2x3"]),
        (lambda: halocline.report("nowhere"), ["report", "nowhere"]),
        (lambda: halocline.validate("nothing"), ["validate", "--only", "nothing"]),
        (lambda: halocline.trace("partial"), ["trace", "partial"]),
        (lambda: halocline.advise(), ["advise"]),
        (lambda: halocline.advise(recording="none"), ["advise", "--recording", "none"]),
    ],
)
def test_errors_are_those_of_the_command(call, words, request):
    with pytest.raises(halocline.HaloclineError) as refused:
        call()
    command = request.getfixturevalue("halocline")
    assert command(*words).stderr == f"halocline: {refused.value}\n"
