"""What a release has: one archive, a signature, lists of contents; and what is refused."""

import base64
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from commands import why_not

import halocline

SOURCES = Path(halocline.__file__).parents[2]
FOLDER = SOURCES / "packaging" / "release"
if not FOLDER.is_dir():
    pytest.skip("installed without its sources", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import release  # noqa: E402
import sbom  # noqa: E402

VERSION = halocline.__version__
TIME = 1_790_000_000
DEV = """#!/bin/sh
echo "$@" >>build/verbs
[ "$1" != "$(cat build/fails 2>/dev/null)" ] || exit 1
[ "$1" != wheel ] || { mkdir -p build/dist; echo wheel >build/dist/halocline-0.2.0.whl; }
"""


def git(folder, *arguments, **more):
    environment = {
        **os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_DATE": f"{TIME} +0100",
        "GIT_COMMITTER_DATE": f"{TIME} +0100", **more,
    }  # fmt: skip
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", folder, *who, *arguments], env=environment, check=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Make a repository with what a release looks at, whose `./dev` does nothing."""
    if why := why_not("git", "ssh-keygen"):
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("project")
    for place in (*release.PLACES, release.Place("LICENSE", ""), release.Place("CHANGELOG.md", "")):
        file = folder / place.file
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SOURCES / place.file, file)
    shutil.copytree(FOLDER, folder / "packaging" / "release", ignore=shutil.ignore_patterns("__*"))
    (folder / ".gitignore").write_text("/build/\n__pycache__/\n")
    (folder / "dev").write_text(DEV)
    (folder / "dev").chmod(0o755)
    (folder / "build").mkdir()
    changes = folder / "CHANGELOG.md"
    dated = re.sub(rf"## {VERSION} \(.*\)", f"## {VERSION} (2026-12-24)", changes.read_text())
    changes.write_text(dated)
    key = folder / "build" / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = " ".join(key.with_suffix(".pub").read_text().split()[:2])
    with (folder / release.SIGNERS).open("a") as signers:
        signers.write(f'{release.SIGNER} namespaces="{release.NAMESPACE}" {public}\n')
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "All")
    soaked(folder)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Soaked")
    return folder


def soaked(folder, minutes=60, failures=0):
    """Write the rows of a soak of the newest commit."""
    head = ["git", "-C", str(folder), "rev-parse", "--short=10", "HEAD"]
    commit = subprocess.run(head, check=True, capture_output=True, text=True).stdout.strip()
    ends = f"2 to 8 | 1 | {minutes} | 9 | 99 | {failures} | |\n"
    rows = "".join(f"| 2026-12-01 | {commit} | MPI {number} | {ends}" for number in range(5))
    file = folder / release.SOAKED
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# Soak\n\n| date | ... |\n|---|\n{rows}")


@pytest.fixture
def copy(project, tmp_path):
    """Give a copy that a test may spoil."""
    shutil.copytree(project, tmp_path / "copy")
    return tmp_path / "copy"


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, "packaging/release/release.py", *arguments],
        cwd=folder, text=True, capture_output=True, check=False,
    )  # fmt: skip


def verbs(folder):
    return (folder / "build" / "verbs").read_text().splitlines()


# --- Checks ------------------------------------------------------------------------------------


def test_all_places_say_the_same_version(monkeypatch):
    monkeypatch.chdir(SOURCES)
    assert release.differences(VERSION) == []
    assert len(release.differences("9.9.9")) == len(release.PLACES) + 1


def test_a_release_is_checked_and_nothing_is_made(copy):
    done = run(copy, VERSION, "--check", "--key", "build/key")
    assert done.returncode == 0, done.stderr
    assert verbs(copy) == ["lint", "test", "docs"]
    assert not (copy / "build" / "dist").exists()
    for step in ("./dev soak", "abi.since_tag", "tests/wheel"):
        assert step in done.stdout
    done = run(copy, VERSION, "--check", "--no-test", "--soak")
    assert verbs(copy)[3:] == ["lint", "docs", "soak"]
    assert "NOT TESTED: --no-test has left out ./dev test" in done.stdout


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("pyproject.toml", 'version = "0', 'version = "7', "pyproject.toml: it says 7.2.0, not "),
        ("CITATION.cff", "version: ", "is: ", "CITATION.cff: it names no version where "),
        ("SUPPORT.md", "supported: 0", "supported: 8", "SUPPORT.md: it says 8.2, not "),
        ("CHANGELOG.md", "(2026-12-24)", "(unreleased)", "has no date: "),
        ("CHANGELOG.md", f"## {VERSION}", "## 6.6.6", f"it says nothing of {VERSION}: "),
        ("include/halocline/version.hpp", "PATCH 0", "PATCH 5", "patch number are 0.2.5, not "),
    ],
)
def test_what_does_not_fit_is_named(file, old, new, said, copy):
    text = (copy / file).read_text()
    assert old in text
    (copy / file).write_text(text.replace(old, new))
    done = run(copy, VERSION, "--check")
    assert done.returncode == 1 and said in done.stderr
    assert f"{file}: it differs from the commit, or is in none" in done.stderr
    assert done.stderr.endswith(f"./dev release: {VERSION} is not ready\n")
    assert not (copy / "build" / "verbs").exists(), "something has been started"


def test_a_version_is_released_once(copy):
    git(copy, "tag", f"v{VERSION}")
    assert run(copy, VERSION, "--check").returncode == 0
    git(copy, "commit", "-q", "--allow-empty", "-m", "Another")
    assert "the tag is there, at another commit" in run(copy, VERSION, "--check").stderr


def test_the_code_has_been_soaked(copy):
    says = "of this commit's code {} MPIs have 60 minutes without failures, not 5"
    header = copy / "include/halocline/version.hpp"
    header.write_text(header.read_text() + "\n")
    git(copy, "commit", "-q", "-a", "-m", "Another code")
    assert says.format(0) in run(copy, VERSION, "--check").stderr
    done = run(copy, VERSION, "--check", "--no-soak")
    assert done.returncode == 0 and "NOT SOAKED: --no-soak has not looked at" in done.stdout
    for minutes, failures in ((3, 0), (60, 1)):
        soaked(copy, minutes, failures)
        git(copy, "commit", "-q", "-a", "-m", "Soaked")
        assert says.format(0) in run(copy, VERSION, "--check").stderr
    soaked(copy, 61)
    git(copy, "commit", "-q", "-a", "-m", "Soaked")
    assert run(copy, VERSION, "--check").returncode == 0


def test_what_fails_ends_it(copy):
    (copy / "build" / "fails").write_text("test")
    done = run(copy, VERSION)
    assert (done.returncode, done.stderr) == (1, "./dev release: ./dev test failed\n")
    assert run(copy, "0.2").stderr == "./dev release: '0.2' is no version such as 0.3.0\n"


# --- The archive -------------------------------------------------------------------------------


def test_the_archive_has_the_same_bytes_wherever_it_is_made(project, tmp_path, monkeypatch):
    archives = []
    for number, (mask, zone) in enumerate([(0o022, "UTC"), (0o077, "Asia/Tokyo")]):
        before = os.umask(mask)
        git(tmp_path, "clone", "-q", project, f"clone{number}", TZ=zone)
        monkeypatch.chdir(tmp_path / f"clone{number}")
        monkeypatch.setenv("TZ", zone)
        archives.append(tmp_path / f"{number}.tar.gz")
        release.archive_of(VERSION, "HEAD", archives[-1])
        os.umask(before)
    first, second = (file.read_bytes() for file in archives)
    assert first == second
    listed = subprocess.run(["tar", "tvf", archives[0]], text=True, capture_output=True, check=True)
    assert f"halocline-{VERSION}/dev\n" in listed.stdout
    # The page that says how to make it again means the same.
    said = re.search(r"^git -c .* \| gzip -n -9", (SOURCES / "SECURITY.md").read_text(), re.M)[0]
    assert VERSION in said
    command = f"{said} >{tmp_path}/again.tar.gz".replace(f" v{VERSION} ", " HEAD ")
    subprocess.run(["sh", "-c", command], check=True)
    assert (tmp_path / "again.tar.gz").read_bytes() == first


# --- All of it ---------------------------------------------------------------------------------


def test_a_release_is_signed_and_verified_as_the_page_says(copy):
    done = run(copy, VERSION, "--key", "build/key")
    assert done.returncode == 0, done.stderr
    assert verbs(copy) == ["lint", "test", "docs", "wheel"]
    dist = copy / "build" / "dist"
    archive = f"halocline-{VERSION}-source.tar.gz"
    assert {file.name for file in dist.iterdir()} == {
        "SHA256SUMS", "SHA256SUMS.sig", "notes.md", "halocline-0.2.0.whl", archive,
        f"{archive}.spdx.json",
    }  # fmt: skip
    shutil.copy(copy / release.SIGNERS, dist)
    block = re.search(r"```sh\n(ssh-keygen.*?)```", (SOURCES / "SECURITY.md").read_text(), re.S)[1]
    verify = ["sh", "-ec", block]
    said = subprocess.run(verify, cwd=dist, text=True, capture_output=True, check=True).stdout
    assert 'Good "halocline-release" signature' in said and f"{archive}: OK" in said
    for file in (archive, "SHA256SUMS"):
        (dist / file).write_bytes((dist / file).read_bytes() + b"\n")
        assert subprocess.run(verify, cwd=dist, capture_output=True, check=False).returncode != 0
    contents = json.loads((dist / f"{archive}.spdx.json").read_text())
    check_list(contents, [])
    assert contents["packages"][0]["checksums"][0]["algorithm"] == "SHA256"
    notes = (dist / "notes.md").read_text()
    assert notes.startswith(f"# Halocline {VERSION}\n\nReleased 2026-12-24.\n\n")
    assert "The first release has:" in notes and "semantic versioning" not in notes


def test_a_key_that_nobody_knows_signs_nothing(copy):
    other = copy / "build" / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
    said = run(copy, VERSION, "--key", "build/other").stderr
    assert "does not name its public key, so nobody could verify it" in said
    assert "no private SSH key, and there is no" in run(copy, VERSION, "--key", "build/none").stderr
    done = run(copy, VERSION)
    assert done.returncode == 0 and "not signed: --key FILE names the SSH key" in done.stdout


# --- Lists of contents -------------------------------------------------------------------------


def check_list(content, names):
    """Check what SPDX 2.3 wants of a list; `./dev soak` asks its own tools."""
    assert content["spdxVersion"] == "SPDX-2.3" and content["dataLicense"] == "CC0-1.0"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", content["creationInfo"]["created"])
    assert content["documentNamespace"].startswith("https://")
    packages = content["packages"]
    assert [one["name"] for one in packages] == ["halocline", *names]
    marks = {one["SPDXID"] for one in packages} | {"SPDXRef-DOCUMENT"}
    assert all(re.fullmatch(r"SPDXRef-[\w.-]+", mark) for mark in marks)
    related = {
        (one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"])
        for one in content["relationships"]
    }
    assert related == {
        ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-halocline"),
        *(("SPDXRef-halocline", "CONTAINS", f"SPDXRef-{name}") for name in names),
    }


def wheel_in(folder, leave_out=""):
    """Make a wheel as auditwheel leaves it."""
    info = f"halocline-{VERSION}.dist-info/"
    told = {"components": [{"name": "libgomp1", "version": "12.2.0-14", "purl": "pkg:deb/x@12"}]}
    files = {
        "halocline/__init__.py": b"",
        "halocline.libs/libgomp-24e2ab19.so.1.0.0": b"\x7fELF",
        f"{info}METADATA": b"Name: halocline\n",
        f"{info}sboms/auditwheel.cdx.json": json.dumps(told).encode(),
        **{
            f"{info}licenses/{sbom.LICENCES}/{text.name}": text.read_bytes()
            for text in (SOURCES / sbom.LICENCES).iterdir()
            if text.name != leave_out
        },
    }
    wheel = folder / f"halocline-{VERSION}-cp311-cp311-manylinux_2_36_x86_64.whl"
    rows = "".join(",".join(sbom.row(name, content)) + "\n" for name, content in files.items())
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in {**files, f"{info}RECORD": f"{rows}{info}RECORD,,\n"}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return wheel


@pytest.fixture
def headers(tmp_path, monkeypatch):
    """Make headers that define versions in each of the ways of those that are bundled."""
    (tmp_path / "GPL-3").write_text("GNU")
    monkeypatch.setitem(sbom.SYSTEM, "GPL-3.0.txt", ("none", tmp_path / "GPL-3"))
    found = {"/usr/include/stdio.h"}
    for path, text in {
        "CLI/Version.hpp": '#define CLI11_VERSION "2.1.2"\n',
        "CLI/App.hpp": "",
        "nlohmann/detail/abi_macros.hpp": "#define NLOHMANN_JSON_VERSION_MAJOR 3   // x\n"
        "#define NLOHMANN_JSON_VERSION_MINOR 11\n  # define NLOHMANN_JSON_VERSION_PATCH 2\n",
    }.items():
        file = tmp_path / "include" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        found.add(str(file))
    return found


def test_the_list_of_a_wheel_is_in_it(tmp_path, headers):
    wheel = wheel_in(tmp_path)
    sbom.into_wheel(wheel, headers, TIME)
    once = wheel.read_bytes()
    names = zipfile.ZipFile(wheel).namelist()
    info = f"halocline-{VERSION}.dist-info/"
    mine = f"{info}sboms/halocline.spdx.json"
    assert names.count(mine) == 1 and f"{info}sboms/auditwheel.cdx.json" in names
    archive = zipfile.ZipFile(wheel)
    assert archive.read(f"{info}licenses/{sbom.LICENCES}/GPL-3.0.txt") == b"GNU"
    content = json.loads(archive.read(mine))
    check_list(content, ["CLI11", "nlohmann-json", "libgomp"])
    assert [one.get("versionInfo") for one in content["packages"]] == [
        VERSION, "2.1.2", "3.11.2", "12.2.0-14",
    ]  # fmt: skip
    assert content["packages"][0]["licenseConcluded"] == (
        "BSD-3-Clause AND GPL-3.0-or-later WITH GCC-exception-3.1 AND MIT"
    )
    rows = {row[0]: row for row in csv.reader(io.StringIO(archive.read(f"{info}RECORD").decode()))}
    assert set(rows) == set(names)
    for name in set(names) - {f"{info}RECORD"}:
        digest = hashlib.sha256(archive.read(name)).digest()
        assert rows[name][1] == f"sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"
    again = wheel_in(tmp_path)
    sbom.into_wheel(again, headers, TIME)
    assert again.read_bytes() == once


def test_what_is_not_known_is_no_part_of_a_wheel(tmp_path, headers):
    with pytest.raises(SystemExit, match=r"the licence nlohmann-json.txt is not in it"):
        sbom.into_wheel(wheel_in(tmp_path, "nlohmann-json.txt"), headers, TIME)
    with pytest.raises(SystemExit, match=r"halocline.libs/libm-1.so: what is it\?"):
        sbom.added(["halocline.libs/libm-1.so"], {})
    with pytest.raises(SystemExit, match="ninja knows of no header there"):
        sbom.headers_of(tmp_path)


def test_everything_that_a_build_looks_for_is_listed_or_left_out():
    """What a build may find is a part of a wheel, or there is a reason why not."""
    files = [SOURCES / "CMakeLists.txt"]
    for folder in ("cmake", "apps", "tools", "bench", "tests"):
        files += (SOURCES / folder).rglob("*.cmake")
        files += (SOURCES / folder).rglob("CMakeLists.txt")
    call = re.compile(r'^\s*summarise_dependency\((?:"([^"]+)"|(\S+))\s', re.MULTILINE)
    looked_for = {"".join(name) for file in files for name in call.findall(file.read_text())}
    parts = {part.found for part in sbom.PARTS} - {""}
    assert looked_for == parts | set(sbom.NOT_IN_A_WHEEL)


def test_each_licence_is_there():
    texts = {text for part in sbom.PARTS for text in part.texts}
    assert texts - set(sbom.SYSTEM) == {file.name for file in (SOURCES / sbom.LICENCES).iterdir()}
