"""The doctor finds every kind of flaw, names the culprit, and remembers."""

import json
import mmap
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from commands import why_not

from halocline.errors import HaloclineError
from halocline.launch import Checker, choose, machine, shared_memory
from halocline.measure import soundness
from halocline.measure.soundness import Effort, Memory, advise, check, with_other_paths
from halocline.reports.facts import fact_rows

QUICK = Effort(ranks=(2,), limit_s=30)
ALL = ["p2p:sendrecv", "p2p:nonblocking", "p2p:persistent", "rma:put:fence", "rma:get:lock"]


def outcomes(verdicts):
    return {name: verdict.outcome for name, verdict in verdicts.items()}


def test_all_sound(fake):
    assert set(outcomes(check(Checker(), ALL, QUICK)).values()) == {"sound"}


@pytest.mark.parametrize(
    ("flaw", "outcome", "detail"),
    [
        ("wrong", "wrong", "byte 3"),
        ("error", "error", "byte 3"),
        ("crash", "crash", "SIGSEGV"),
        ("exit", "crash", "exit code 5: Fatal error in PMPI_Put"),
        ("gives up", "hang", "no progress for 30 s"),
        ("late", "crash", "SIGABRT while cleaning up"),
        ("refused", "refused", "byte 3"),
        ("mpi", "error", "MPI_ERR_WIN"),
    ],
)
@pytest.mark.parametrize("culprit", [ALL[0], ALL[2], ALL[-1]])
def test_every_flaw_is_found_and_pinned_on_the_culprit(fake, flaw, outcome, detail, culprit):
    fake(broken={culprit: flaw})
    verdicts = check(Checker(), ALL, QUICK)
    assert outcomes(verdicts) == {**dict.fromkeys(ALL, "sound"), culprit: outcome}
    assert detail in verdicts[culprit].detail
    assert verdicts[culprit].sound == (flaw == "refused")


def test_a_hang_is_ended_and_the_rest_goes_on(fake):
    fake(broken={"p2p:persistent": "hang", "rma:put:fence": "crash"})
    found = outcomes(check(Checker(), ALL, replace(QUICK, limit_s=1)))
    assert (found["p2p:persistent"], found["rma:put:fence"]) == ("hang", "crash")
    assert found["rma:get:lock"] == "sound"


def test_a_program_that_does_not_start_is_an_error(fake):
    fake(does_not_start=True)
    with pytest.raises(HaloclineError, match=r"exit code 127\nlibmpi.so: cannot open"):
        check(Checker(), ALL, QUICK)


def test_verdicts_are_remembered_and_only_new_schemes_checked(fake, tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(log))
    fake(broken={ALL[1]: "wrong"})
    check(Checker(), ALL[:3], QUICK)
    assert outcomes(check(Checker(), ALL, QUICK))[ALL[1]] == "wrong"
    assert log.read_text().split() == [",".join(ALL[:3]), ",".join(ALL[3:])]
    fake()
    assert set(outcomes(check(Checker(), ALL, QUICK, fresh=True)).values()) == {"sound"}
    assert set(outcomes(check(Checker(), ALL, QUICK)).values()) == {"sound"}


def test_sound_schemes_are_checked_with_further_numbers_of_ranks(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    fake(broken={ALL[1]: "wrong"})
    check(Checker(), ALL[:3], QUICK)
    verdicts = check(Checker(), ALL[:3], Effort(ranks=(2, 3), limit_s=30))
    assert verdicts[ALL[0]].ranks == [2, 3]
    assert verdicts[ALL[1]].ranks == [2]
    assert (tmp_path / "log").read_text().split()[1] == f"{ALL[0]},{ALL[2]}"


def test_memory_holds_for_one_mpi_one_environment_and_one_build(fake, monkeypatch):
    check(Checker(), ALL, QUICK)
    assert set(Memory().verdicts(Checker())) == set(ALL)
    fake(library="MPICH Version: 1.2.3")
    assert Memory().verdicts(Checker()) == {}
    fake()
    monkeypatch.setenv("MPIR_CVAR_NOLOCAL", "1")
    assert Memory().verdicts(Checker()) == {}
    monkeypatch.delenv("MPIR_CVAR_NOLOCAL")
    assert set(Memory().verdicts(Checker())) == set(ALL)
    with (fake.folder / "halocheck").open("a") as program:
        program.write("# another build\n")
    assert Memory().verdicts(Checker()) == {}


def test_the_memory_can_be_read_by_people(fake):
    check(Checker(), ALL, QUICK)
    content = json.loads(soundness.default_path().read_text())
    assert (content["format"], content["version"]) == ("halocline-doctor", 1)
    assert content["entries"][0]["mpi"] == "MPICH Version: 9.9.9"
    assert content["entries"][0]["schemes"]["rma:put:fence"]["outcome"] == "sound"


def test_a_damaged_memory_is_named():
    path = soundness.default_path()
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.raises(HaloclineError, match=r"doctor.json is not a record .*delete it"):
        Memory()


def test_a_memory_that_cannot_be_written_is_named(fake, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CACHE", "/dev/null/cache")
    with pytest.raises(HaloclineError, match="HALOCLINE_CACHE names another"):
        check(Checker(), ALL, QUICK)


def about(facts, verdicts=None):
    return {advice.about: advice for advice in advise(facts, verdicts or {})}


def test_known_remedies(monkeypatch):
    for name in ("OMPI_MCA_osc", "GLIBC_TUNABLES"):
        monkeypatch.delenv(name, raising=False)
    debian = about({"small_windows_work": False})["small windows"]
    assert "MPIR_CVAR_NOLOCAL=1" in debian.text and debian.serious
    assert "small windows" not in about({"small_windows_work": True})
    open_mpi = about({"mpi": {"library": "Open MPI v4.1.4"}})
    assert "OMPI_MCA_osc=^rdma" in open_mpi["Open MPI 4.1"].text
    assert about({"mpi": {"library": "MPICH Version: 5.0.2"}}).keys() <= {"glibc"}


def test_advice_on_the_machine(monkeypatch):
    monkeypatch.setattr(machine, "usable_cores", lambda: 2)
    same = [{"rank": 0, "binding": [0]}, {"rank": 1, "binding": [0]}]
    assert about({"ranks": same})["pinning"].serious
    apart = [{"rank": 0, "binding": [0]}, {"rank": 1, "binding": [1]}]
    assert "pinning" not in about({"ranks": apart})
    assert "64 MiB" in about({"machine": {"shm_bytes_free": 64 << 20}})["/dev/shm"].text
    assert "glibc" in about({"machine": {"cpu": "AMD EPYC"}})
    assert "memory model" in about({"windows": {"create": "separate"}})


def test_advice_on_threads(monkeypatch):
    for name in ("OMP_NUM_THREADS", "OMP_PROC_BIND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(machine, "usable_cores", lambda: 4)
    ranks = {"ranks": [{"rank": 0, "binding": [0, 1]}, {"rank": 1, "binding": [2]}]}
    assert not {"threads on a core", "OMP_PROC_BIND"} & about(ranks).keys()
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    said = about(ranks)["threads on a core"]
    assert said.serious and "halocline run --threads 2" in said.text
    monkeypatch.setenv("OMP_PROC_BIND", "master")
    assert about({})["OMP_PROC_BIND"].serious
    monkeypatch.setenv("OMP_PROC_BIND", "close")
    assert not about({})["OMP_PROC_BIND"].serious
    monkeypatch.setenv("OMP_PROC_BIND", "false")
    assert "OMP_PROC_BIND" not in about({})


def test_choosing_schemes(fake):
    checker = Checker()
    assert choose("p2p:*", checker) == ["p2p:sendrecv", "p2p:nonblocking", "p2p:persistent"]
    assert choose("shm:signal, p2p:send*,shm:*", checker) == ["shm:signal", "p2p:sendrecv"]
    assert choose("rma:*+pack=*", checker) == ["rma:put:fence+pack=off", "rma:get:lock+pack=off"]
    assert choose("shm:signal+access=direct", checker) == ["shm:signal+access=direct"]
    assert len(choose("all", checker)) == 6
    with pytest.raises(HaloclineError, match=r"no scheme matches 'rdma:\*'.*families p2p, rma"):
        choose("rdma:*", checker)
    with pytest.raises(HaloclineError, match="p2p:partitioned is not available here: needs MPI 4"):
        choose("p2p:partitioned", checker)
    with pytest.raises(HaloclineError, match="names no scheme"):
        choose(",", checker)


def test_windows_over_given_memory_and_assertions_are_checked_too():
    assert with_other_paths(["p2p:sendrecv", "rma:get:lock"]) == [
        "p2p:sendrecv", "rma:get:lock", "rma:get:lock+alloc=create", "rma:get:lock+alloc=dynamic",
        "rma:get:lock+asserts=on", "rma:get:lock+alloc=create+asserts=on",
        "rma:get:lock+alloc=dynamic+asserts=on",
    ]  # fmt: skip


def test_the_command(fake, halocline):
    fake(broken={"rma:get:lock": "crash"})
    said = halocline("doctor", "--quick")
    assert said.returncode == 3, said.stderr
    assert "5 sound, 1 broken, 1 missing" in said.stdout
    assert "killed by SIGSEGV" in said.stdout
    assert "needs MPI 4" in said.stdout
    assert "rank 0 on fake CPU 0; rank 1 on fake CPU 1" in said.stdout
    listed = halocline("schemes", "rma:*")
    assert "crash" in listed.stdout and "p2p" not in listed.stdout
    fake()
    assert halocline("doctor", "--quick", "--fresh").returncode == 0


def test_what_is_answered_from_memory_says_so(fake, halocline):
    first = halocline("doctor", "--schemes", "p2p:*", "--quick")
    assert "remembered, from" not in first.stdout
    again = halocline("doctor", "--schemes", "p2p:*", "--quick")
    assert re.search(r"3 of 3 verdicts are remembered, from 20\S+Z.*; --fresh", again.stdout)
    known = soundness.doctor("p2p:*,rma:*", quick=True)
    assert [row["remembered"] for row in known.table()] == [True] * 3 + [False] * 2


def nightly(halocline, tmp_path, *more):
    command = ["doctor", "--fresh", "--quick", "--baseline", tmp_path / "base", *more]
    return halocline(*command)


@pytest.fixture
def baseline(fake, halocline, tmp_path):
    """Write verdicts of a machine with a known breakage."""
    fake(broken={ALL[1]: "wrong"})
    said = halocline("doctor", "--quick", "--json", tmp_path / "base")
    assert said.returncode == 3
    return json.loads((tmp_path / "base").read_text())


def test_the_verdicts_are_a_file_with_all_that_they_hold_for(baseline):
    assert baseline["format"] == "halocline-verdicts" and baseline["version"] == 1
    rows = {row["scheme"]: row for row in baseline["verdicts"]}
    assert rows[ALL[1]]["outcome"] == "wrong" and rows[ALL[0]]["sound"]
    assert rows["p2p:partitioned"]["outcome"] == "missing"
    assert baseline["holds_for"]["mpi"] == "MPICH Version: 9.9.9"


def test_a_known_breakage_is_no_alarm(baseline, halocline, tmp_path):
    said = nightly(halocline, tmp_path)
    assert said.returncode == 0, said.stderr
    assert f"known: {ALL[1]} (broken as in the baseline; wrong: " in said.stdout


def test_a_new_breakage_is_told_from_a_known_one(baseline, fake, halocline, tmp_path):
    fake(broken={ALL[1]: "wrong", ALL[3]: "crash"})
    said = nightly(halocline, tmp_path, "--json", tmp_path / "tonight")
    assert said.returncode == 3
    assert f"new: {ALL[3]} (broken now, but not in the baseline; crash: " in said.stdout
    assert f"known: {ALL[1]}" in said.stdout
    assert "p2p:nonblocking" in (tmp_path / "tonight").read_text()


def test_a_scheme_that_is_gone_is_lost(baseline, fake, halocline, tmp_path):
    program = fake.folder / "halocheck"
    program.write_text(program.read_text().replace('    "rma:get:lock",\n', "", 1))
    said = nightly(halocline, tmp_path)
    assert said.returncode == 4
    assert "lost: rma:get:lock (sound in the baseline, and gone now)" in said.stdout
    assert nightly(halocline, tmp_path, "--schemes", "p2p:*").returncode == 0  # others not asked


def test_another_mpi_than_in_the_baseline_is_said_and_mended_schemes_are(
    baseline, fake, halocline, tmp_path
):
    fake(library="Open MPI v9.1")
    said = nightly(halocline, tmp_path)
    assert said.returncode == 0
    assert "mpi is another than in the baseline: MPICH Version: 9.9.9; now Open MPI" in said.stdout
    assert f"mended: {ALL[1]} (broken in the baseline, and sound now)" in said.stdout


def test_a_baseline_that_is_none_is_named(fake, halocline, tmp_path):
    (tmp_path / "base").write_text("{}")
    said = nightly(halocline, tmp_path)
    assert said.returncode == 1 and "is not a file of verdicts" in said.stderr


def test_the_broken_mpich_of_debian_12_is_found_out(tmp_path, monkeypatch):
    """Its own windows of 24 or 40 bytes give wrong data; Halocline's are rounded up and do not.

    Programs of any MPICH run with its library, for all have the same binary interface.
    """
    halocheck = Path(__file__).parents[2] / "build" / "release" / "bin" / "halocheck"
    library = next(Path("/usr/lib").glob("*/libmpich.so.12"), None)
    if not halocheck.exists() or b"libmpi.so.12\0" not in halocheck.read_bytes():
        pytest.skip("needs a build with MPICH")
    if why := why_not("mpiexec.mpich"):
        pytest.skip(why)
    if not library:
        pytest.skip("needs Debian's MPICH")
    programs, libraries = tmp_path / "build" / "bin", tmp_path / "build" / "lib"
    programs.mkdir(parents=True)
    libraries.mkdir()
    shutil.copy(halocheck, programs)
    (libraries / "libmpi.so.12").symlink_to(library)
    start = programs.parent / "mpiexec"
    start.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH="{libraries}" exec mpiexec.mpich "$@"\n')
    start.chmod(0o755)
    monkeypatch.delenv("HALOCLINE_FAKE", raising=False)
    checker = Checker(programs)
    if "4.0.2" not in checker.surroundings["mpi"]:
        pytest.skip("another MPICH")
    schemes = choose("rma:put:fence+alloc=allocate,p2p:nonblocking", checker)
    effort = Effort(ranks=(2,), limit_s=30)
    verdicts = check(checker, schemes, effort)
    assert all(verdict.sound for verdict in verdicts.values())
    assert about(checker.facts(2), verdicts)["small windows"].serious
    monkeypatch.setenv("MPIR_CVAR_NOLOCAL", "1")
    assert "small windows" not in about(Checker(programs).facts(2))


def test_fields_on_a_device_are_checked_way_by_way_where_there_is_one(fake, monkeypatch):
    monkeypatch.delenv("HALOCLINE_DEVICE", raising=False)
    aware = "p2p:nonblocking+device=aware"
    effort = Effort(ranks=(2,), limit_s=30)
    without = soundness.doctor(effort=effort)
    assert not any("device=" in name for name in without.verdicts)
    assert without.facts["device"] == {"missing": "cuda: there is no device"}

    fake(device={"device": "cuda: Fake GPU, 0 of 1", "played": False}, broken={aware: "wrong"})
    found = soundness.doctor(effort=effort)
    assert not found.sound and outcomes(found.verdicts)[aware] == "wrong"
    assert outcomes(found.verdicts)["shm:signal+device=staged"] == "sound"
    assert sum(name.endswith("device=peer") for name in found.verdicts) == 1
    assert ("device", "cuda: Fake GPU, 0 of 1") in fact_rows(found.facts)

    # A CPU that plays a device is nobody's but a tester's.
    fake(device={"device": "openmp: x86_64", "played": True})
    assert not any("device=" in name for name in soundness.doctor(effort=effort).verdicts)
    monkeypatch.setenv("HALOCLINE_DEVICE", "openmp")
    assert any("device=" in name for name in soundness.doctor(effort=effort).verdicts)


def test_what_lies_in_shared_memory_and_is_nobodys_is_said(tmp_path):
    assert shared_memory.leftovers(tmp_path) == ""
    assert shared_memory.leftovers(tmp_path / "none") == ""
    left, used, mapped = (tmp_path / name for name in ("mpich_left", "used", "mapped"))
    for file in (left, used, mapped):
        file.write_bytes(bytes(4096))
    with used.open("rb"), mapped.open("rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        file.close()
        assert shared_memory.nobodys(tmp_path) == [left]
        assert "a file (0.0 MB) that no process uses (mpich_left)" in shared_memory.leftovers(
            tmp_path
        )
        pages.close()
    assert shared_memory.nobodys(tmp_path) == sorted([left, used, mapped])
