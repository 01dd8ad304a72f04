"""What `./dev release` does: it checks everything, and makes what a release has.

    ./dev release 0.3.0 --check        every check, and nothing is made
    ./dev release 0.3.0 --key FILE     also wheel, source archive, lists of contents, notes; signed

It neither tags nor uploads; at its end it says how. It stands where `./dev` does.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import sbom

DIST = Path("build/dist")
SIGNERS = Path("packaging/release/allowed_signers")
SIGNER = "releases@halocline.example.org"
NAMESPACE = "halocline-release"
"""What a signature is for, so that one for something else is none for a release."""
SOAKED = Path("docs/measured/soak.md")
SOAKED_CODE = ("include", "src", "tools/halocheck")
MPIS, MINUTES = 5, 60
"""On so many, and so long on each, every scheme has been right with random delays."""
SOAK = """\
./dev soak            hours: five MPIs, long runs, sanitizers, and of a release especially
  abi.since_tag       programs for the last tag of this minor version run with this library
  tests/wheel         the wheel in fresh environments of all MPIs, and its list of contents"""


class Place(NamedTuple):
    """A file that says the version, or the minor version."""

    file: str
    pattern: str
    minor: bool = False


PLACES = (
    Place("include/halocline/version.hpp", r'VERSION_TEXT "([^"]+)"'),  # CMake reads it there
    Place("pyproject.toml", r'^version = "([^"]+)"'),
    Place("python/halocline/__init__.py", r'^__version__ = "([^"]+)"'),
    Place("CITATION.cff", r"^version: (\S+)"),
    Place("packaging/debian/changelog", r"^halocline \(([^-)]+)"),
    Place("packaging/conda/recipe.yaml", r'^  version: "([^"]+)"'),
    Place("packaging/spack/halocline/package.py", r'^    version\("([\d.]+)"'),
    Place("packaging/spack/halocline/package.py", r'tag="v([^"]+)"'),
    Place("packaging/debian/control", r"^Package: libhalocline([\d.]+)$", minor=True),
    Place("packaging/smoke/CMakeLists.txt", r"find_package\(halocline ([\d.]+)", minor=True),
    Place("docs/reference/versions-and-abi.md", r"find_package\(halocline ([\d.]+)", minor=True),
    Place("SECURITY.md", r"newest minor version, (\d+\.\d+)", minor=True),
    Place("SUPPORT.md", r"newest minor version is supported: (\d+\.\d+)", minor=True),
)


def said(*command: str) -> str:
    """Return what a command says; it must succeed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# --- Checks ---------------------------------------------------------------------------------------


def uncommitted() -> list[str]:
    """Say what is not as in the commit that will be released."""
    files = said("git", "status", "--porcelain").splitlines()
    return [f"{line[3:]}: it differs from the commit, or is in none" for line in files]


def differences(version: str) -> list[str]:
    """Say which places name another version."""
    problems = []
    for place in PLACES:
        wanted = version.rpartition(".")[0] if place.minor else version
        found = re.search(place.pattern, Path(place.file).read_text("utf-8"), re.MULTILINE)
        if not found:
            problems.append(f"{place.file}: it names no version where {place.pattern} should be")
        elif found[1] != wanted:
            problems.append(f"{place.file}: it says {found[1]}, not {wanted}")
    header = Path(PLACES[0].file).read_text("utf-8")
    parts = ".".join(re.findall(r"define HALOCLINE_VERSION_[MP]\w+ (\d+)", header))
    if parts != version:
        problems.append(
            f"{PLACES[0].file}: major, minor and patch number are {parts}, not {version}"
        )
    return problems


def section(version: str) -> tuple[str, str]:
    """Return date and text of what CHANGELOG.md says of a version; both empty if nothing."""
    text = Path("CHANGELOG.md").read_text("utf-8")
    heading = rf"^## {re.escape(version)}(?: \(([^)]*)\))?\n(.*?)(?=^## |\Z)"
    found = re.search(heading, text, re.MULTILINE | re.DOTALL)
    return (found[1] or "", found[2].strip()) if found else ("", "")


def unready(version: str) -> list[str]:
    """Say what CHANGELOG.md lacks."""
    date, text = section(version)
    if not text:
        return [
            f"CHANGELOG.md: it says nothing of {version}: a section '## {version} (YYYY-MM-DD)'"
        ]
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        return [f"CHANGELOG.md: {version} has no date: '## {version} (YYYY-MM-DD)', not '({date})'"]
    return []


def tagged(version: str) -> list[str]:
    """Say if another commit has been released under this version."""
    tag = f"v{version}"
    if not said("git", "tag", "--list", tag):
        return []
    there, here = said("git", "rev-parse", f"{tag}^{{commit}}", "HEAD").split()
    return [] if there == here else [f"{tag}: the tag is there, at another commit"]


def unsoaked() -> list[str]:
    """Say if the table of the soak lacks this commit's code, or has failures of it."""
    found = {}
    for line in SOAKED.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 11 or not re.fullmatch(r"[0-9a-f]{7,40}", cells[2]):
            continue
        same = ["git", "diff", "--quiet", cells[2], "HEAD", "--", *SOAKED_CODE]
        if subprocess.run(same, check=False, capture_output=True).returncode == 0:
            found[cells[3]] = int(cells[6]) >= MINUTES and cells[9] == "0"
    sound = sum(found.values())
    if sound >= MPIS and all(found.values()):
        return []
    return [
        f"{SOAKED}: of this commit's code {sound} MPIs have {MINUTES} minutes without failures, "
        f"not {MPIS}: ./dev soak, or --no-soak leaves it out"
    ]


def unsigned(key: Path) -> list[str]:
    """Say why nobody could verify what this key signs."""
    try:
        public = said("ssh-keygen", "-y", "-P", "", "-f", str(key)).split()[1]
    except subprocess.CalledProcessError:  # it has a passphrase, or is one that an agent keeps
        file = key if key.suffix == ".pub" else Path(f"{key}.pub")
        if not file.is_file():
            return [f"{key}: no private SSH key, and there is no {file}"]
        public = file.read_text().split()[1]
    signers = SIGNERS.read_text("utf-8").splitlines()
    if not any(public in line.split() for line in signers if not line.startswith("#")):
        return [f"{key}: {SIGNERS} does not name its public key, so nobody could verify it"]
    return []


# --- What a release has ---------------------------------------------------------------------------


def archive_of(version: str, commit: str, file: Path) -> None:
    """Write the sources: the same bytes whenever, wherever and by whomever they are written.

    git sorts them and gives all the commit's time; owners and permissions are none of a checkout's.
    """
    made = subprocess.run(
        ["git", "-c", "tar.umask=0022", "archive", "--format=tar", f"--prefix=halocline-{version}/",
         commit], check=True, capture_output=True,
    ).stdout  # fmt: skip
    packed = subprocess.run(
        ["gzip", "-n", "-9"], input=made, check=True, capture_output=True
    ).stdout
    file.write_bytes(packed)


def sums(folder: Path) -> Path:
    """Write SHA256SUMS of all files, as sha256sum reads it."""
    file = folder / "SHA256SUMS"
    files = sorted(one for one in folder.iterdir() if not one.name.startswith(file.name))
    lines = (f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in files)
    file.write_text("".join(lines))
    return file


def sign(file: Path, key: Path) -> Path:
    """Sign a file by an SSH key, and verify it as users do."""
    signature = file.with_name(file.name + ".sig")
    signature.unlink(missing_ok=True)
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file)], check=True
    )
    with file.open("rb") as content:
        subprocess.run(
            ["ssh-keygen", "-Y", "verify", "-f", str(SIGNERS), "-I", SIGNER, "-n", NAMESPACE,
             "-s", str(signature)], stdin=content, check=True,
        )  # fmt: skip
    return signature


def notes(version: str) -> str:
    """Return what a release says of itself."""
    date, text = section(version)
    return (
        f"# Halocline {version}\n\nReleased {date}.\n\n{text}\n\n"
        "SECURITY.md says how to verify the files of this release, and what is in the wheel.\n"
    )


def make(version: str, key: "Path | None") -> None:
    """Make all files of a release."""
    commit = said("git", "rev-parse", "HEAD").strip()
    seconds = said("git", "log", "-1", "--format=%ct").strip()
    os.environ["SOURCE_DATE_EPOCH"] = seconds
    dev("wheel")
    archive = DIST / f"halocline-{version}-source.tar.gz"
    archive_of(version, commit, archive)
    once = archive.read_bytes()
    archive_of(version, commit, archive)
    if archive.read_bytes() != once:
        raise SystemExit(f"{archive}: written twice, its bytes differ")
    contents = sbom.text_of(sbom.of_archive(archive, version, int(seconds)))
    archive.with_name(archive.name + ".spdx.json").write_text(contents)
    (DIST / "notes.md").write_text(notes(version), "utf-8")
    summed = sums(DIST)
    if key:
        sign(summed, key)
    print(f"== in {DIST}: {', '.join(sorted(file.name for file in DIST.iterdir()))}")
    if not key:
        print("== not signed: --key FILE names the SSH key")


# --- The verb -------------------------------------------------------------------------------------


def dev(*verb: str) -> None:
    """Run a verb of `./dev`, which must succeed."""
    print(f"== ./dev {' '.join(verb)}", flush=True)
    if subprocess.run(["./dev", *verb], check=False).returncode != 0:
        raise SystemExit(f"./dev release: ./dev {' '.join(verb)} failed")


def release() -> None:
    """Check, and make."""
    parser = argparse.ArgumentParser(prog="./dev release", description=__doc__.split("\n")[0])
    parser.add_argument("version", help="such as 0.3.0")
    parser.add_argument("--check", action="store_true", help="make nothing")
    parser.add_argument("--no-test", action="store_true", help="leave out ./dev test")
    parser.add_argument("--no-soak", action="store_true", help=f"whatever {SOAKED} says")
    parser.add_argument("--soak", action="store_true", help="./dev soak as well, for hours")
    parser.add_argument("--key", type=Path, help="the SSH key that signs, private or an agent's")
    asked = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+", asked.version):
        raise SystemExit(f"./dev release: '{asked.version}' is no version such as 0.3.0")
    problems = [
        *uncommitted(),
        *differences(asked.version),
        *unready(asked.version),
        *tagged(asked.version),
        *([] if asked.soak or asked.no_soak else unsoaked()),
        *(unsigned(asked.key) if asked.key else []),
    ]
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        raise SystemExit(f"./dev release: {asked.version} is not ready")
    dev("lint")
    if not asked.no_test:
        dev("test")
    dev("docs")
    if asked.soak:
        dev("soak")
    if not asked.check:
        make(asked.version, asked.key)
    if asked.no_test:
        print("== NOT TESTED: --no-test has left out ./dev test")
    if asked.no_soak:
        print(f"== NOT SOAKED: --no-soak has not looked at {SOAKED}")
    if asked.soak:
        print(f"== {SOAKED}: ./dev soak has written there what it found; commit it")
    else:
        print(f"== not done, as without --soak:\n{SOAK}")
    if not asked.check:
        print(f"== next: git tag -s v{asked.version} -F {DIST}/notes.md, and upload {DIST}")


def main() -> None:
    """Say in a line what failed."""
    try:
        release()
    except subprocess.CalledProcessError as problem:
        why = (problem.stderr or b"").strip()
        why = why if isinstance(why, str) else why.decode("utf-8", "replace")
        command = " ".join(problem.cmd)
        raise SystemExit(f"./dev release: {command} failed{why and ': '}{why}") from None


if __name__ == "__main__":
    main()
