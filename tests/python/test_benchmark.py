"""halometer through the command: launches, failures, what files say together, and curves."""

import json
import os
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from halocline.errors import HaloclineError
from halocline.launch import batch
from halocline.measure import benchmark
from halocline.reports import curves, points
from halocline.statistics import Interval

STAND_IN = """#!{python}
import json, os, sys
words = sys.argv[1:]
value = lambda name: words[words.index(name) + 1]
broken = os.environ.get("FAKE_BENCH", "")
file = value("--json")
launch = int(file.split("-")[-1].split(".")[0])
schemes = value("--schemes").split(",") if "--schemes" in words else ["barrier", "fence"]
def setting(scheme, size, at):
    if scheme == "rma:get:lock":
        return dict(scheme=scheme, parameters=dict(size=size), bytes=size, left_out="no windows")
    seconds = [9.0] + [1e-6 * (1 + at) * (1 + size / 1000) + 1e-9 * i for i in range(20)]
    entry = dict(scheme=scheme, parameters=dict(size=size), bytes=size, samples_s=seconds,
                 warm_up=1, narrow=launch != 2, median_s=dict(value=seconds[10]))
    if words[0] == "overlap":
        entry["hidden_at_sender"] = 0.25 * launch
        entry["hidden_at_sender_interval"] = [0.25 * launch - 0.1, 0.25 * launch + 0.2]
    if words[0] == "halo":
        entry["with_s"] = [9.0] + [5e-6 + 1e-9 * i for i in range(20)]
        entry["without_s"] = [9.0] + [3e-6 - 1e-9 * i for i in range(20)]
    entry["disturbed"] = [3] * launch
    entry["core_distance_s"] = [1e-7, 4e-7 if launch == 3 else 1e-7]
    return entry
sizes = [0, 8, 4096] if words[0] != "sync" else [0]
if "--sizes" in words:
    sizes = [int(size.replace("4K", "4096")) for size in value("--sizes").split(",")]
def write(some):
    content = dict(format="halocline-benchmark", version=1, ranks=int(os.environ["FAKE_RANKS"]),
                   arguments=words, settings=some, variable=os.environ.get("MPIR_X"),
                   machine=dict(cpu="Fake <CPU>", cores=2), mpi=dict(library="MPICH Version: 9"))
    with open(file, "w") as out:
        json.dump(content, out)
done = [setting(s, size, i) for size in sizes for i, s in enumerate(schemes)]
if broken == "crash":
    write(done[: len(schemes)])
    print("halometer: rank 0: rma:put:fence: no progress for 60 s", file=sys.stderr)
    sys.exit(1)
if broken == "nothing":
    print("halometer: --sizes: bad", file=sys.stderr)
    sys.exit(1)
write(done)
"""


@pytest.fixture
def programs(fake):
    """Add a stand-in for halometer."""
    file = fake.folder / "halometer"
    file.write_text(STAND_IN.replace("{python}", f"{sys.executable} -S"))
    file.chmod(0o755)
    return fake


def run(halocline, tmp_path, *words):
    """Run the command; return what it said and the benchmark's folder."""
    folder = tmp_path / "out"
    return halocline("bench", *words, "--output", folder), folder


def recorded(folder):
    return json.loads((folder / "benchmark.json").read_text())


def test_launches_are_recorded_and_put_together(programs, halocline, tmp_path):
    said, folder = run(
        halocline, tmp_path, "roundtrip", "--schemes", "p2p:*,shm:signal", "--launches", 3,
        "--ranks", "2,4", "--sizes", "0,8,4K", "--seed", 5, "--env", "MPIR_X=1", "--budget", 7,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    record = recorded(folder)
    assert (record["format"], record["version"]) == ("halocline-benchmark-launches", 1)
    launches = [(row["ranks"], row["number"], row["status"]) for row in record["launches"]]
    assert launches == [(r, n, "measured") for n in (1, 2, 3) for r in (2, 4)]
    first = benchmark.load(folder / record["launches"][0]["file"])
    words = first["arguments"]
    assert words[0] == "roundtrip"
    assert words[words.index("--sizes") + 1] == "0,8,4K"
    assert words[words.index("--budget") + 1] == "7.0"
    schemes = ["p2p:sendrecv", "p2p:nonblocking", "p2p:persistent", "shm:signal"]
    assert words[words.index("--schemes") + 1] == ",".join(schemes)
    assert first["variable"] == "1"
    assert "MPIR_X=1" in record["launches"][0]["command"]
    seeds = {row["command"].split("--seed ")[1].split()[0] for row in record["launches"]}
    assert len(seeds) == 3
    for scheme in schemes:
        assert scheme in said.stdout
    assert "60*" in said.stdout and "*: the budget was spent" in said.stdout


def test_felt_time_comes_first(programs, halocline, tmp_path):
    said, folder = run(halocline, tmp_path, "halo", "--schemes", "p2p:sendrecv", "--launches", 3)
    running = benchmark.Benchmark(folder, "halo")
    running.launches = [benchmark.Launch(**row) for row in recorded(folder)["launches"]]
    point = running.points()[0]
    # The median difference of the two loops, without the warm-up.
    assert point.felt.value == pytest.approx(2e-6 + 2 * 9.5e-9)
    assert point.felt.low <= point.felt.value <= point.felt.high
    assert point.first is point.felt
    head = next(line for line in said.stdout.splitlines() if "scheme" in line)
    assert 0 < head.index("felt") < head.index("until") and "GB/s" in head
    assert "Drawn is the time <b>felt</b>" in (folder / "benchmark.html").read_text()


def test_kinds_without_a_loop_have_no_felt_time(programs, halocline, tmp_path):
    said, folder = run(halocline, tmp_path, "roundtrip", "--schemes", "p2p:sendrecv")
    running = benchmark.Benchmark(folder, "roundtrip")
    running.launches = [benchmark.Launch(**row) for row in recorded(folder)["launches"]]
    assert all(point.felt is None and point.first is point.median for point in running.points())
    assert "felt" not in said.stdout
    assert "<b>felt</b>" not in (folder / "benchmark.html").read_text()


def test_points_respect_warm_up_and_launches(programs, halocline, tmp_path):
    _, folder = run(halocline, tmp_path, "overlap", "--schemes", "p2p:sendrecv", "--launches", 3)
    running = benchmark.Benchmark(folder, "overlap")
    running.launches = [benchmark.Launch(**row) for row in recorded(folder)["launches"]]
    points = running.points()
    assert [point.parameters["size"] for point in points] == [0, 8, 4096]
    last = points[-1]
    # The first sample, nine seconds, has been cut off as warm-up.
    assert last.median.value == pytest.approx(5.096e-6 + 9.5e-9)
    assert last.median.low <= last.median.value <= last.median.high
    assert last.samples == 60
    assert last.launches == 3
    assert not last.narrow
    assert last.gb_s.value == pytest.approx(4096e-9 / last.median.value)
    assert last.gb_s.low <= last.gb_s.value <= last.gb_s.high
    assert points[0].gb_s is None
    hidden = last.shares["hidden_at_sender"]
    assert (hidden.value, hidden.low, hidden.high) == pytest.approx((0.5, 0.15, 0.95))
    assert last.disturbed == 1 + 2 + 3
    assert last.moved == ["its cores moved: 0.10 to 0.40 µs apart"]


def test_the_table_says_what_disturbed_and_fits_a_page(programs, halocline, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    for kind in ("overlap", "roundtrip"):
        said = halocline(
            "bench", kind, "--schemes", "p2p:*", "--launches", 3, "--output", tmp_path / kind
        )
        assert "disturbed" in said.stdout and "1 of 3" in said.stdout
        assert "moved: launches during which a cache line took longer" in said.stdout
        lines = [line for line in said.stdout.splitlines() if "/" not in line]
        assert all(len(line) <= 100 for line in lines)
    assert any("p2p:nonblocking " in line for line in lines)
    text = (tmp_path / "overlap" / "benchmark.html").read_text()
    assert "0.50 [0.15, 0.95]" in text


def test_files_from_before_distances_and_intervals_are_read(programs, halocline, tmp_path):
    _, folder = run(halocline, tmp_path, "overlap", "--schemes", "p2p:sendrecv", "--launches", 2)
    for file in folder.glob("overlap-*.json"):
        content = json.loads(file.read_text())
        for setting in content["settings"]:
            for name in ("disturbed", "core_distance_s", "hidden_at_sender_interval"):
                del setting[name]
        file.write_text(json.dumps(content))
    running = benchmark.Benchmark(folder, "overlap")
    running.launches = [benchmark.Launch(**row) for row in recorded(folder)["launches"]]
    point = running.points()[0]
    assert (point.disturbed, point.moved) == (0, [])
    assert point.shares["hidden_at_sender"].confidence == 0


def test_curves_stand_by_themselves(programs, halocline, tmp_path):
    _, folder = run(halocline, tmp_path, "bandwidth", "--schemes", "p2p:*", "--launches", 1)
    text = (folder / "benchmark.html").read_text()
    pictures = re.findall(r'<div class="plot wide">(<svg.*?</svg>)', text, re.DOTALL)
    assert len(pictures) == 2  # time and bandwidth
    for picture in pictures:
        ET.fromstring(picture)
        assert len(set(re.findall(r'data-tip="([^":]+:[^":]+):', picture))) == 3
    dots = re.findall(r'<g data-tip="p2p:[^"]*">.*?<use [^>]*y="([\d.]+)"', pictures[0], re.DOTALL)
    assert len(dots) == 9
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", text)
    assert "Fake &lt;CPU&gt;" in text
    # Slower is higher: the picture's origin is at the top.
    assert float(dots[2]) < float(dots[0])


def test_without_an_axis_there_are_bars(programs, halocline, tmp_path):
    said, folder = run(halocline, tmp_path, "sync", "--launches", 2)
    assert said.returncode == 0, said.stderr
    text = (folder / "benchmark.html").read_text()
    assert "barrier" in text
    ET.fromstring(re.search(r"<svg.*?</svg>", text, re.DOTALL).group())


def test_what_cannot_be_measured_is_named(programs, halocline, tmp_path):
    said, folder = run(
        halocline, tmp_path, "rings", "--schemes", "rma:get:lock,p2p:sendrecv", "--launches", 1
    )
    assert said.returncode == 0
    assert "rma:get:lock left out: no windows" in said.stdout
    assert "rma:get:lock left out: no windows" in (folder / "benchmark.html").read_text()


def test_a_failed_launch_keeps_what_was_complete(programs, halocline, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_BENCH", "crash")
    said, folder = run(
        halocline, tmp_path, "roundtrip", "--schemes", "p2p:sendrecv", "--launches", 2
    )
    assert said.returncode == 3
    rows = recorded(folder)["launches"]
    assert [row["status"] for row in rows] == ["failed", "failed"]
    assert "rma:put:fence: no progress" in rows[0]["reason"]
    assert "rma:put:fence: no progress" in said.stdout
    assert "p2p:sendrecv" in said.stdout
    assert (folder / "benchmark.html").exists()


def test_points_without_a_number_have_no_axis():
    interval = Interval(1.0, 1.0, 1.0)
    some = [
        benchmark.Point(2, "shm:signal", parameters, 8.0, interval, 1.0, 1.0, 1, 1, True)
        for parameters in ({"size": 8}, {"size": "16"}, {})
    ]
    across, panels = points.panels(some)
    assert across == "" and sum(map(len, panels.values())) == 3
    assert points.panels([some[0], replace(some[0], parameters={"size": 16})])[0] == "size"


def test_nothing_measured_is_an_error(programs, halocline, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_BENCH", "nothing")
    said, folder = run(halocline, tmp_path, "sync", "--launches", 1)
    assert said.returncode == 3
    assert "halometer: --sizes: bad" in said.stdout
    assert not (folder / "benchmark.html").exists()
    with pytest.raises(HaloclineError, match="no measurement to draw"):
        curves.render(benchmark.Benchmark(folder, "sync"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["halo", "--ranks", "two"], "--ranks two: give positive numbers"),
        (["halo", "--env", "X"], "--env X: must be NAME=VALUE"),
        (["halo", "--schemes", "pigeon*"], "no scheme matches 'pigeon*'"),
    ],
)
def test_bad_input_is_named(programs, halocline, tmp_path, words, message):
    said, _ = run(halocline, tmp_path, *words)
    assert said.returncode == 1
    assert message in said.stderr


def test_an_old_benchmark_is_not_overwritten(programs, halocline, tmp_path):
    run(halocline, tmp_path, "sync", "--launches", 1)
    said, _ = run(halocline, tmp_path, "sync", "--launches", 1)
    assert said.returncode == 1
    assert "already holds a benchmark" in said.stderr


def test_sizes_are_read_easily():
    shown = [points.size(n) for n in (0, 8, 1000, 1024, 65536, 1 << 26)]
    assert shown == ["0", "8", "1000", "1 Ki", "64 Ki", "64 Mi"]


def test_every_kind_has_a_command(halocline):
    for kind in benchmark.KINDS:
        assert kind in halocline("bench", "--help").stdout
    assert os.environ["COLUMNS"]


def test_a_job_that_is_started_again_goes_on(slurm, programs, halocline, monkeypatch, tmp_path):
    words = ("bench", "roundtrip", "--launches", 3, "--output", "out")
    slurm(node_fails=4)  # two were to find the launcher
    said = halocline(*words)
    assert said.returncode == 75 and "Node failure on n2" in said.stderr
    slurm()
    monkeypatch.setenv(batch.CONTINUE, "1")
    assert halocline(*words).returncode == 0
    record = json.loads((tmp_path / "out" / "benchmark.json").read_text())
    assert [one["status"] for one in record["launches"]] == ["measured"] * 3
    assert [one["number"] for one in record["launches"]] == [1, 2, 3]
    assert not record["interrupted"]
