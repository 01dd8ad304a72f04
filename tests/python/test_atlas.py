"""What doctors have found is shared without names, and what is known broken is not tried again."""

import getpass
import importlib.util
import json
import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest

import halocline
from halocline.errors import HaloclineError
from halocline.launch import Checker
from halocline.measure import atlas, soundness
from halocline.measure.atlas import Finding, Library, Report, library_of
from halocline.measure.soundness import Diagnosis, Effort, Verdict, check, felt, sharing

ALL = ["p2p:sendrecv", "p2p:nonblocking", "rma:put:fence", "rma:get:lock"]
EFFORT = Effort(ranks=(2, 3), limit_s=30)
BROKEN = Finding("hang", [3], "waits for ever")
REPORT = Report(
    "measured", "2026-11-28", Library("MPICH", "9.9.9"), "shared memory",
    {"rma:get:lock": BROKEN, "p2p:sendrecv": Finding("sound", [2, 3])},
)  # fmt: skip
MPICH = """MPICH Version:      5.0.2
MPICH Device:       ch4:ucx ofi
MPICH configure:    '--prefix=/home/alice/mpich' --with-device=ch4:ucx,ofi --with-ucx=embedded \
--with-libfabric=/opt/alice --enable-fast=O2 --without-xpmem --disable-cxx
MPICH CC:           gcc -I/home/alice
"""
OPEN_MPI = "Open MPI v5.0.11, package: Open MPI alice@node17 Distribution, ident: 5.0.11, repo rev"


@pytest.fixture
def known(fake, tmp_path, monkeypatch):
    """Give the doctor an atlas of these reports; returns a function that says what it asked for."""
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))

    def made(*reports):
        folder = tmp_path / f"atlas{len(list(tmp_path.glob('atlas*')))}"
        folder.mkdir()
        for number, report in enumerate(reports):
            report.save(folder / f"{number}.json")
        monkeypatch.setattr("halocline.measure.atlas.known.FOLDERS", (folder,))

    def tried():
        log = tmp_path / "log"
        said = set(re.split(r"[,\n]", log.read_text())) if log.exists() else set()
        log.unlink(missing_ok=True)
        return said

    made.tried = tried
    return made


def test_an_mpi_is_told_by_its_version_without_folders_and_people():
    found = library_of(MPICH)
    assert (found.title, found.options["device"]) == ("MPICH 5.0.2", "ch4:ucx,ofi")
    assert found.options["libfabric"] == "yes" and found.options["ucx"] == "embedded"
    assert found.options["xpmem"] == "no" and "cxx" not in found.options
    assert library_of(OPEN_MPI) == Library("Open MPI", "5.0.11", {})
    debian = library_of("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4")
    assert debian == Library("Open MPI", "4.1.4", {"package": "Debian OpenMPI"})
    assert library_of("Intel(R) MPI Library 2021.18 for Linux* OS").title == "Intel MPI 2021.18"
    assert library_of("nothing known") == Library("nothing known", "")


def test_what_is_known_broken_is_not_tried_and_says_why(known):
    known(REPORT)
    found = check(Checker(), ALL, EFFORT)
    assert known.tried() == {"", *ALL[:3]}
    one = found["rma:get:lock"]
    assert (one.outcome, one.sound, one.tried) == ("hang", False, False)
    assert "known of MPICH 9.9.9 (measured 2026-11-28): waits for ever; not tried" in one.detail
    assert "--try-broken" in one.detail
    # It is not remembered as found here.
    assert "rma:get:lock" not in soundness.Memory().verdicts(Checker())
    assert check(Checker(), ALL, EFFORT, try_broken=True)["rma:get:lock"].outcome == "sound"
    # What was found here counts for more.
    assert check(Checker(), ALL, EFFORT)["rma:get:lock"].tried


@pytest.mark.parametrize(
    "other",
    [
        {"mpi": Library("MPICH", "9.9.8")},
        {"mpi": Library("Open MPI", "9.9.9")},
        {"transport": "tcp"},
        {"settings": {"MPIR_CVAR_NOLOCAL": "1"}},
        {"schemes": {"rma:get:lock": Finding("hang", [4])}},
        {"schemes": {"rma:get:pscw*": BROKEN}},
    ],
    ids=["version", "mpi", "transport", "settings", "ranks", "scheme"],
)
def test_what_is_known_elsewhere_is_tried(known, other):
    known(replace(REPORT, **other))
    assert check(Checker(), ALL, EFFORT)["rma:get:lock"].tried


def test_what_somebody_has_found_sound_is_tried(known):
    sound = replace(REPORT, schemes={"rma:get:lock": Finding("sound", [2, 3])})
    known(REPORT, sound)
    assert check(Checker(), ALL, EFFORT)["rma:get:lock"].tried
    known(REPORT, replace(sound, schemes={"rma:get:lock": Finding("sound", [2])}))
    assert not check(Checker(), ALL, EFFORT, fresh=True)["rma:get:lock"].tried
    # A race that a program shows is not gone because random patterns missed it.
    known(replace(REPORT, how="reported", source="a program"), sound)
    assert not check(Checker(), ALL, EFFORT, fresh=True)["rma:get:lock"].tried


def test_globs_and_settings_of_a_report(known, monkeypatch):
    monkeypatch.setenv("MPIR_CVAR_NOLOCAL", "1")
    reported = replace(
        REPORT, how="reported", source="a page", settings={"MPIR_CVAR_NOLOCAL": "1"},
        schemes={"*rma:get:*": BROKEN},
    )  # fmt: skip
    known(reported)
    found = check(Checker(), [*ALL, "rma:get:lock+alloc=create"], EFFORT)
    assert [name for name, one in found.items() if not one.tried] == [
        "rma:get:lock", "rma:get:lock+alloc=create",
    ]  # fmt: skip
    assert "reported 2026-11-28, a page" in found["rma:get:lock"].detail


def test_the_command_says_what_it_did_not_try(known, halocline):
    known(replace(REPORT, schemes={"rma:get:lock": Finding("hang", [2], "waits for ever")}))
    said = halocline("doctor", "--quick")
    assert said.returncode == 3, said.stderr
    assert "5 sound, 1 broken" in said.stdout and "1 of them are known" in said.stdout
    assert "not checked yet; known of MPICH 9.9.9" in halocline("schemes").stdout
    assert halocline("doctor", "--quick", "--try-broken").returncode == 0


def facts(host="node17.cluster.example", **more):
    return {
        "machine": {"host": host, "cpu": "Fake CPU", "cores": 2, "kernel": "Linux 6"},
        "mpi": {"library": OPEN_MPI, "built": f"{OPEN_MPI}: /opt", "standard": "3.1"},
        "ranks": [{"rank": 0, "host": host}, {"rank": 1, "host": "node18"}],
        "build": {"version": "0.2.0"},
        "verdicts_hold_for": {
            "environment": {
                "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_osc": "^ucx", "UCX_LOG_FILE": "stderr",
                "OMPI_MCA_hook": "/home/alice/hook.so", "UCX_NET_DEVICES": "node18:1",
                "I_MPI_ROOT": "/opt/intel",
            }
        },
        **more,
    }  # fmt: skip


def test_nothing_that_is_shared_names_a_host_a_user_or_a_path(tmp_path, monkeypatch):
    monkeypatch.setenv("USER", "alice")
    monkeypatch.setenv("LOGNAME", "alice")
    wrong = (
        "grid 3x4: [node17:4711] alice@login2 in /home/alice/build/halocheck at 10.1.2.3 or "
        "fe80:0:0:0:1a2b:3c4d:5e6f:7788, 02:42:ac:11:00:02, ~/halocheck, node18 "
        "says byte 3 of 1/2 is wrong; repeat: mpiexec -n 2 halocheck --seed 1"
    )
    verdicts = {
        "p2p:sendrecv": Verdict("sound", "", [2]),
        "rma:get:lock": Verdict("wrong", wrong, [2]),
    }
    found = Diagnosis(verdicts, {"gaspi": "no library in /opt/gpi"}, facts(), [])
    soundness.share(found, tmp_path / "shared.json", budget_s=0)
    text = (tmp_path / "shared.json").read_text()
    for name in (
        "alice",
        "node1",
        "cluster",
        "login2",
        "10.1.2.3",
        "/home",
        "/opt",
        "~",
        "5e6f",
        "02:42",
        "repeat",
    ):
        assert name not in text, name
    for name in {socket.gethostname(), getpass.getuser()} - {"root"}:
        assert not re.search(rf"\b{re.escape(name)}\b", text), name
    report = atlas.load(tmp_path / "shared.json")
    assert (report.hosts, report.transport) == (2, "tcp")
    assert report.settings == {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_osc": "^ucx"}
    assert "byte 3 of 1/2 is wrong" in report.schemes["rma:get:lock"].detail
    assert report == sharing.report_of(found)


def test_the_command_shares(known, halocline, tmp_path):
    known(REPORT)
    said = halocline("doctor", "--share", "mine.json", "--budget", "0")
    assert said.returncode == 0, said.stderr
    assert "Written to mine.json" in said.stdout
    report = atlas.load(tmp_path / "mine.json")
    assert report.schemes["rma:get:lock"] == Finding("sound", [2, 3, 4])  # it was tried
    assert report.schemes["p2p:sendrecv+pack=off"].sound
    assert report.missing == {"p2p:partitioned": "needs MPI 4"} and report.felt is None
    assert report.machine == {"processor": "Fake CPU", "cores": "2", "kernel": "Linux 6"}
    assert '"fake' not in (tmp_path / "mine.json").read_text()
    refused = halocline("doctor", "--share", "nowhere/mine.json")
    assert refused.returncode == 1 and "--share" in refused.stderr


def test_felt_times_are_ratios_of_the_same_launch(tmp_path):
    def setting(scheme, us):
        return {
            "scheme": scheme,
            "with_s": [9, 1e-6 * us, 1e-6 * us],
            "without_s": [0, 0, 0],
            "warm_up": 1,
        }

    launches = [
        {"settings": [setting("p2p:nonblocking", 10 * slow), setting("shm:signal", 4 * slow)]}
        for slow in (1, 1, 2, 1, 1, 5)
    ]
    launches[0]["settings"].append(setting("rma:put:fence", 30))  # not in all launches
    times, confidence = felt.times_of(launches)
    assert times.ratios == {"shm:signal": [0.4, 0.4, 0.4]}
    assert times.baseline_us[1:] == [10, 50] and confidence > 0.95
    assert felt.times_of([{"settings": [setting("p2p:nonblocking", -1)]}]) is None

    names = [pattern.name for pattern in felt.PATTERNS]
    assert len(set(names)) == 10
    report = replace(REPORT, felt=atlas.Felt(2, 6, confidence, {names[0]: times}))
    assert atlas.load(report.save(tmp_path / "felt.json")) == report


def test_schemes_that_differ_in_options_alone_share_a_line(tmp_path):
    names = ("p2p:nonblocking", "p2p:nonblocking+pack=off", "rma:put:lock+notify=flag", "shm:fence",
             "rma:put:lock+alloc=create+asserts=on", "p2p:nonblocking+heads=2")  # fmt: skip
    found = {name: Finding("sound", [2, 3]) for name in names} | {"p2p:nonblocking+heads=3": BROKEN}
    file = replace(REPORT, schemes=found).save(tmp_path / "one.json")
    assert atlas.load(file).schemes == found
    assert list(json.loads(file.read_text())["schemes"]) == [
        "p2p:nonblocking +pack=off +heads=2", "rma:put:lock+notify=flag +alloc=create+asserts=on",
        "shm:fence", "p2p:nonblocking+heads=3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 2}, "has version 2 of the format halocline-atlas"),
        ({"format": "mine"}, 'is not a file of the atlas: its "format"'),
        ({"how": "guessed"}, '"how" must be one of measured, reported, not "guessed"'),
        ({"how": "reported"}, '"source" is missing'),
        (
            {"schemes": {"p2p:sendrecv": {"outcome": "good"}}},
            r'"schemes.p2p:sendrecv.outcome" must',
        ),
        ({"mpi": {"name": "MPICH"}}, '"mpi.version" is missing'),
        ({"hosts": 0}, '"hosts" must be a whole number of at least 1'),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_line(tmp_path, change, said):
    file = REPORT.save(tmp_path / "one.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(HaloclineError, match=said) as refusal:
        atlas.load(file)
    assert "\n" not in str(refusal.value) and "one.json" in str(refusal.value)


FOLDER = Path(halocline.__file__).parents[2] / "docs" / "atlas"


@pytest.mark.skipif(not FOLDER.is_dir(), reason="installed without its sources")
def test_the_page_of_the_file_has_the_ten_patterns():
    page = (FOLDER.parent / "reference" / "atlas-file.md").read_text()
    for one in felt.PATTERNS:
        assert f"| {one.name} | `{one.kind} {one.options}` |" in page


@pytest.mark.skipif(not FOLDER.is_dir(), reason="installed without its sources")
@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_the_files_of_the_atlas(file):
    report = atlas.load(file)
    texts = [one.detail for one in report.schemes.values()]
    texts += [*report.missing.values(), *report.machine.values(), *report.settings.values()]
    assert not atlas.Hidden(()).names_one(texts)
    assert report.schemes and report.mpi.version
    if report.felt:
        assert set(report.felt.patterns) <= {pattern.name for pattern in felt.PATTERNS}


@pytest.mark.skipif(not FOLDER.is_dir(), reason="installed without its sources")
def test_the_page_leads_from_what_is_broken_to_what_shows_it():
    file = FOLDER.parent / "generate" / "atlas.py"
    spec = importlib.util.spec_from_file_location("atlas_page", file)
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    said = page.page(f"before\n\n{page.MARK}\n")
    assert said.startswith("before") and page.MARK not in said
    anchors = set(re.findall(r"\{#([\w.-]+)\}", said))
    links = set(re.findall(r'(?:href="|\]\()#([\w.-]+)', said))
    assert links and links <= anchors
    rows = re.findall(r'<tr data-scheme="([^"]+)">(.*?)</tr>', said, re.DOTALL)
    columns = len(list(FOLDER.glob("*.json")))
    assert len(rows) == len(dict(rows)) > 0
    assert {row.count("<td ") for _, row in rows} == {columns}
    for program in page.programs():
        assert program.broken and not set(program.broken) & set(program.sound)
        assert program.title.endswith(".") and f"{{#{program.file.stem}}}" in said
    assert "\n\n" not in said[said.index("<div") : said.index("</table>")]
