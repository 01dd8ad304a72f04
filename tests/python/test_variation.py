"""What changes when the environment, the MPI or the date does, and what may be said of it."""

import itertools
import shutil
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from halocline import records, statistics
from halocline.errors import HaloclineError
from halocline.launch import machine, programs_of
from halocline.measure import Case, Comparison, Launch, results, variants
from halocline.measure.comparison import join, judged
from halocline.reports import facts, variation
from halocline.statistics import LEVEL

SCHEMES = "p2p:nonblocking,shm:signal"
QUIET = ["--trust", "--schemes", SCHEMES, "--width", "0%", "--no-picture"]


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """Let the machine be quiet, whatever else computes here."""
    monkeypatch.setattr(machine, "load", lambda: [0.1, 0.1, 0.1])


@pytest.fixture
def at(tmp_path):
    """Write what was measured on some day; return its folder. Times are in seconds per step."""

    def go(
        day, launches=6, load=0.1, noise=0.002, far=None, mpi="MPICH Version: 9.9.9",
        checksum="00ff", failing=(), **speed,
    ):  # fmt: skip
        random = np.random.default_rng(day)
        facts = {"machine": {"host": "a", "cpu": "Fake CPU", "cores": 2}, "mpi": {"library": mpi}}
        found = Comparison(
            tmp_path / f"day-{day}", [Case("partdiff", "partdiff", ["9"])], facts=facts,
            time=f"2026-11-{day}T03:00:00Z",
        )  # fmt: skip
        (found.folder / "runs").mkdir(parents=True)
        for number, scheme in itertools.product(range(launches), SCHEMES.split(",")):
            file = f"runs/{scheme}-{number}.json"
            seconds = speed.get(scheme[:3], 1e-3) * random.lognormal(0, noise, (3, 1))
            content = {
                **facts, "scheme": scheme, "ranks": 2,
                "environment": {"OMPI_COMM_WORLD_RANK": str(day)},
                "result": {"iterations": 20, "residuum": 1.0, "checksum": checksum},
                "samples": {"total_s": (20 * seconds[:, 0]).tolist()},
            }  # fmt: skip
            records.write(found.folder / file, results.FORMAT, results.VERSION, content)
            status = "failed" if scheme in failing else "measured"
            found.launches.append(Launch(
                "partdiff", 2, scheme, number, "mpiexec", [load] * 3, status, "exit code 1", file,
                core_distance_s=[far, far] if far else [],
            ))  # fmt: skip
        found.save()
        return found.folder

    return go


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 5), (6, 6), (8, 5)])
def test_rank_sums_have_the_distribution_of_mann_and_whitney(m, n):
    random = np.random.default_rng(m * n)
    assert statistics.rank_sums(m, n).sum() == pytest.approx(1)
    for shift in (0, 0.5, 3):
        a, b = random.lognormal(0, 1, m), random.lognormal(shift, 1, n)
        p = statistics.unpaired([[v] for v in a], [[v] for v in b])
        assert p == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue)
        ratio = statistics.unpaired_ratio_interval([[v] for v in b], [[v] for v in a])
        if ratio.known:
            assert (p <= LEVEL) == (not ratio.low <= 1 <= ratio.high)
        else:
            assert p > LEVEL


def test_equal_times_are_no_difference():
    same = [[1.0]] * 6
    assert statistics.unpaired(same, same) == 1
    with pytest.raises(ValueError, match="samples on both sides"):
        statistics.unpaired_ratio_interval(same, [])


def test_an_unpaired_interval_covers_the_truth_as_often_as_it_says():
    random = np.random.default_rng(5)
    hits = 0
    for _ in range(400):
        a, b = random.lognormal(0, 0.3, (7, 1)), random.lognormal(np.log(1.5), 0.3, (6, 1))
        ratio = statistics.unpaired_ratio_interval(b.tolist(), a.tolist())
        hits += ratio.low <= 1.5 <= ratio.high
    assert stats.binomtest(hits, 400, 0.95, "less").pvalue > 0.001


def test_claims_are_corrected_together():
    assert statistics.corrected([0.04, 0.01, 0.5]) == pytest.approx([0.08, 0.03, 0.5])
    assert statistics.corrected([]) == []


def test_settings_of_the_environment_are_compared_in_the_same_rounds(fake, halocline, tmp_path):
    fake(factors={"MPIR_SLOW=1": 2.0})
    out = tmp_path / "out"
    said = halocline(
        "compare", "partdiff", *QUIET, "--launches", "8", "--env", ";MPIR_SLOW=1",
        "--threshold", "10%", "--output", out,
    )  # fmt: skip
    assert said.returncode == 5, said.stderr
    assert "Slower by more than 10 %: p2p:nonblocking (" in said.stdout
    found = Comparison.load(out)
    assert [(case.value, case.variables) for case in found.cases] == [
        ("as it is", {}), ("MPIR_SLOW=1", {"MPIR_SLOW": "1"}),
    ]  # fmt: skip
    assert {(launch.round, launch.case) for launch in found.launches} == {
        (number, case.name) for number in range(1, 9) for case in found.cases
    }
    slow = [launch for launch in found.launches if launch.case == "variables MPIR_SLOW=1"]
    assert all(launch.command.startswith("UCX_LOG_FILE=stderr MPIR_SLOW=1 ") for launch in slow)
    assert [one.against_first for one in variants(found)] == ["", "slower"] * 2
    page = halocline("report", out)
    assert page.returncode == 0, page.stderr
    text = (out / "report.html").read_text()
    assert "What variables of the environment change" in text
    assert "Slower by more than <b>10 %</b>: p2p:nonblocking" in text


@pytest.fixture
def other_mpi(fake, monkeypatch):
    """Give a second build, with another MPI."""
    monkeypatch.delenv("HALOCLINE_BIN")
    first = fake.folder.parent
    (first / "mpiexec").write_text("#!/bin/sh\n# Starts programs of this build (mpich 9.9), as\n")
    other = first.with_name("release-openmpi")
    shutil.copytree(first, other)
    for file in (other / "bin").iterdir():
        file.write_text(file.read_text().replace('"MPICH Version: 9.9.9"', '"Open MPI v9.1"'))
    for build in (first, other):
        shutil.copy(build / "bin" / "mpiexec", build / "launcher")
        (build / "mpiexec").write_text(
            f"#!/bin/sh\n# Starts programs of this build ({'mpich' if build is first else 'o'} 9)\n"
            f'exec "{build}/bin/mpiexec" "$@"\n'
        )
        (build / "mpiexec").chmod(0o755)
    return other


def test_mpis_are_compared_by_the_names_of_their_builds(fake, other_mpi, halocline, tmp_path):
    out = tmp_path / "out"
    said = halocline(
        "compare", "partdiff", *QUIET, "--launches", "6", "--mpi", "mpich,openmpi", "--output", out
    )
    assert said.returncode == 0, said.stderr
    found = Comparison.load(out)
    assert found.varied == "MPI" and [case.value for case in found.cases] == ["mpich", "openmpi"]
    told = dict(facts.differences(found))
    assert [text.split(",")[0] for text in told["MPI"]] == ["MPICH 9.9.9", "Open MPI 9.1"]
    assert "What differed" in said.stdout and "Open MPI 9.1" in said.stdout
    commands = {launch.case: launch.command for launch in found.launches}
    assert f"{other_mpi}/mpiexec" in commands["MPI openmpi"]
    assert f"{other_mpi}/bin/partdiff" in commands["MPI openmpi"]
    assert "release/mpiexec" in commands["MPI mpich"]
    assert halocline("report", out).returncode == 0
    assert "What the MPI changes" in (out / "report.html").read_text()


def test_a_launcher_that_is_named_cannot_start_two_mpis(other_mpi, halocline, monkeypatch):
    monkeypatch.setenv("HALOCLINE_MPIEXEC", "mpiexec")
    said = halocline("compare", "partdiff", "--mpi", "mpich,openmpi")
    assert said.returncode == 1 and "unset HALOCLINE_MPIEXEC" in said.stderr


def test_what_is_broken_under_one_mpi_is_lost_there_alone(fake, other_mpi, halocline, tmp_path):
    out = tmp_path / "out"
    program = other_mpi / "bin" / "halocheck"
    config = 'json.loads(os.environ.get("HALOCLINE_FAKE", "{}"))'
    program.write_text(program.read_text().replace(config, '{"broken": {"shm:signal": "wrong"}}'))
    said = halocline(
        "compare", "partdiff", *QUIET[1:], "--launches", "6", "--mpi", "mpich,openmpi",
        "--threshold", "50", "--output", out,
    )  # fmt: skip
    assert said.returncode == 3, said.stderr
    assert "Lost: shm:signal (wrong" in said.stdout
    assert "skipped shm:signal (MPI openmpi): wrong" in said.stdout


def test_a_build_is_named_by_its_mpi_or_its_folder(fake, other_mpi, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert programs_of("openmpi") == other_mpi / "bin"
    assert programs_of("mpich") == fake.folder
    assert programs_of(str(other_mpi)) == programs_of(f"{other_mpi}/bin") == other_mpi / "bin"
    with pytest.raises(HaloclineError, match="no build has the MPI impi; there are mpich, openmpi"):
        programs_of("impi")
    with pytest.raises(HaloclineError, match="is no folder of programs"):
        programs_of("/no/such/place")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["partdiff", "--env", "A=1"], "--env A=1: give settings of variables"),
        (["partdiff", "--env", "A=1;B"], "--env A=1;B: give settings of variables"),
        (["partdiff", "--mpi", "mpich"], "--mpi mpich: give MPIs, or folders of programs"),
        (["partdiff", "--mpi", "a,b", "--env", "A=1;A=2"], "--env and --mpi: vary one of them"),
        (["partdiff", "--env", "A=1;A=2", "--why"], "--env: is for comparisons without"),
        (["partdiff", "--env", "A=1;A=2", "--against-itself", "3"], "--env: is for comparisons"),
        (["./partdiff", "--mpi", "a,b"], "--mpi: takes programs by their names"),
        (["partdiff", "--threshold", "5%"], "--threshold: is for --mpi, --env, --vary and"),
        (["partdiff", "--results", "a", "b"], "--results: measures nothing"),
        (["--results", "a", "b"], "a is not a folder written by 'halocline compare'"),
        ([], "name a program, or --results THEN NOW"),
    ],
)
def test_what_cannot_be_compared_is_one_line(fake, halocline, arguments, message):
    said = halocline("compare", *arguments)
    assert said.returncode in (1, 2) and message in said.stderr
    assert said.stderr.count("\n") == 1


def test_two_dates_say_what_became_slower(at, halocline):
    then = at(28)
    now = at(29, shm=1.5e-3)
    said = halocline("compare", "--results", then, now)
    assert said.returncode == 5, said.stderr
    assert "Slower by more than 5 %: shm:signal (1." in said.stdout
    assert "The same within 5 %: p2p:nonblocking." in said.stdout
    assert "Nothing else that is known of the surroundings differed." in said.stdout
    assert "2026-11-28 03:00" in said.stdout and "2026-11-29 03:00" in said.stdout
    assert halocline("compare", "--results", now, then).returncode == 0
    assert (
        "Faster by more than 5 %: shm:signal (0."
        in halocline("compare", "--results", now, then).stdout
    )
    assert halocline("compare", "--results", then, now, "--threshold", "100%").returncode == 0
    page = halocline("report", then, now)
    assert page.returncode == 0, page.stderr
    text = (now / "report-since.html").read_text()
    assert "What has changed since 2026-11-28 03:00" in text
    assert not (now / "report.html").exists()
    frame = join(then, now).table()
    assert len(frame) == 4 and {row["case"] for row in frame} == {
        "partdiff, 2026-11-28 03:00", "partdiff, 2026-11-29 03:00",
    }  # fmt: skip


def test_what_differed_in_the_surroundings_stands_first(at, halocline):
    then, now = at(28), at(29, mpi="Open MPI v9.1", checksum="other")
    said = halocline("compare", "--results", then, now)
    lines = said.stdout.splitlines()
    assert lines[0].rstrip() == "What differed besides"
    assert any("MPICH 9.9.9" in line and "Open MPI 9.1" in line for line in lines)
    assert "OMPI_COMM_WORLD_RANK" not in said.stdout and "in full" not in said.stdout
    assert any("00ff, 20 iterations" in line and "other, 20 iterations" in line for line in lines)


def test_a_busy_machine_forbids_a_verdict(at, halocline):
    then, now = at(28), at(29, load=9.0, shm=3e-3)
    said = halocline("compare", "--results", then, now)
    assert said.returncode == 6, said.stderr
    assert "the machine was busy 2026-11-29 03:00 (load 9.0 on 2 cores)" in said.stdout
    assert "Slower" not in said.stdout
    assert dict(facts.differences(join(then, now)))["busy"] == ["no", "load 9.0 on 2 cores"]


def test_cores_elsewhere_forbid_a_verdict(at):
    verdicts = judged(join(at(28, far=1e-7), at(29, far=4e-7, shm=3e-3, p2p=3e-3)), 0.05)
    assert {one.verdict for one in verdicts} == {"cannot be told"}
    assert {one.why for one in verdicts} == {"cores were elsewhere: 0.10 to 0.40 µs apart"}


def test_few_launches_and_wide_intervals_tell_nothing(at):
    one = at(26, launches=1)
    assert {said.why for said in judged(join(one, at(27, launches=1)), 0.05)} == {
        "too few launches"
    }
    noisy = join(at(28, noise=0.3), at(29, noise=0.3))
    assert "the interval is too wide" in {said.why for said in judged(noisy, 0.001)}


def test_what_could_not_be_measured_again_is_lost(at, halocline):
    then = at(28)
    now = at(29, failing=["shm:signal"])
    said = halocline("compare", "--results", then, now)
    assert said.returncode == 3
    assert "Lost: shm:signal (exit code 1" in said.stdout
    (table,) = variation.find(join(then, now), 0.05)
    assert table.rows[-1] == ["2026-11-29 03:00", "shm:signal", "2", "", "", "lost"]
    alone = at(30)
    found = Comparison.load(alone)
    found.launches = [one for one in found.launches if one.scheme != "shm:signal"]
    found.save()
    assert (
        "Lost: shm:signal (it was not measured)."
        in halocline("compare", "--results", then, alone).stdout
    )


def test_comparisons_of_other_problems_have_nothing_to_say(at):
    then, now = at(28), at(29)
    other = Comparison.load(now)
    other.cases = [replace(case, arguments=["8"]) for case in other.cases]
    with pytest.raises(HaloclineError, match="have measured nothing alike: 'partdiff 9' and"):
        join(Comparison.load(then), other)


def test_results_of_the_same_minute_are_told_apart_by_their_folders(at):
    then, now = Comparison.load(at(28)), Comparison.load(at(29))
    now.time = then.time
    assert list(join(then, now).sides) == ["day-28", "day-29"]


def test_a_report_takes_one_comparison_or_two(at, halocline):
    folders = [at(day) for day in (27, 28, 29)]
    said = halocline("report", *folders)
    assert said.returncode == 1
    assert "takes one comparison, or two of different times, not 3" in said.stderr


def test_the_sentences_name_what_tells_settings_apart(at):
    found = join(at(28), at(29, shm=2e-3))
    assert variation.sentences(found, 0.05)[0].startswith(
        "Slower by more than 5 %: shm:signal (1.999 [1.996, 2.006] times as long)."
    )
