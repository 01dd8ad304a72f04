"""What is in a wheel and in the source archive, as lists in SPDX 2.3 (JSON).

`./dev wheel` calls this with the wheel that auditwheel has made and the folder it was compiled in;
the list goes into the wheel, where PEP 770 wants it. What was compiled in is read from the
compiler's own record of the headers that it has read, not from what somebody remembers.
"""

import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import datetime, timezone
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

HOME = "https://halocline.example.org"
LICENCES = "packaging/licences"
"""The texts, in the sources and, below `licenses/`, in a wheel."""
SYSTEM = {
    "GPL-3.0.txt": ("/usr/share/common-licenses/GPL-3", "/usr/share/licenses/libgcc/COPYING3"),
}
"""Those that every system has: where."""


class Part(NamedTuple):
    """Something that others have made, and that a wheel may have in it."""

    name: str
    found: str
    """Its name in the summary of the build; empty: it comes with another."""
    headers: str
    """Where its headers lie; empty: none of it is compiled in."""
    version: str
    """The macro with its version, or the beginning of three with _MAJOR, _MINOR and _PATCH."""
    file: str
    """What auditwheel calls its library; empty: it is headers alone."""
    licence: str
    texts: tuple[str, ...]
    copyright: str
    home: str
    purl: str


PARTS = (
    Part("CLI11", "CLI11", "CLI/", "CLI11_VERSION", "", "BSD-3-Clause", ("CLI11.txt",),
         "2017-2021 University of Cincinnati", "https://github.com/CLIUtils/CLI11",
         "pkg:github/CLIUtils/CLI11@v{}"),
    Part("nlohmann-json", "nlohmann_json", "nlohmann/", "NLOHMANN_JSON_VERSION", "", "MIT",
         ("nlohmann-json.txt",), "2013-2022 Niels Lohmann", "https://github.com/nlohmann/json",
         "pkg:github/nlohmann/json@v{}"),
    Part("nanobind", "nanobind", "nanobind/", "NB_VERSION", "", "BSD-3-Clause", ("nanobind.txt",),
         "2022 Wenzel Jakob", "https://github.com/wjakob/nanobind", "pkg:pypi/nanobind@{}"),
    Part("robin-map", "", "tsl/", "TSL_RH_VERSION", "", "MIT", ("robin-map.txt",),
         "2017 Thibaut Goetghebuer-Planchon", "https://github.com/Tessil/robin-map",
         "pkg:github/Tessil/robin-map@v{}"),
    Part("libgomp", "OpenMP", "", "", "libgomp-*.so*",
         "GPL-3.0-or-later WITH GCC-exception-3.1", ("libgomp.txt", "GPL-3.0.txt"),
         "2005-2022 Free Software Foundation, Inc.", "https://gcc.gnu.org", ""),
)  # fmt: skip

NOT_IN_A_WHEEL = {
    "Python for the recorder": "writes its source in the build",
    "hwloc": "switched off, as whatever pkg-config finds",
    "HDF5": "switched off, as whatever pkg-config finds",
    "toml++": "switched off, as whatever pkg-config finds",
    "METIS": "switched off",
    "BLAS": "switched off",
    "libpng": "switched off",
    "GPI-2": "switched off",
    "OpenSHMEM": "switched off",
    "CUDA": "switched off",
    "OpenMP target": "switched off",
    "Fortran": "its module is for whoever compiles",
    "GoogleTest": "tests alone need it",
    "ScaLAPACK": "the benchmarks of peers alone need it",
}
"""What the summary may name besides, and why a wheel has none of it."""


class Found(NamedTuple):
    """A part that is there."""

    part: Part
    version: str
    purl: str
    comment: str


# --- What is there --------------------------------------------------------------------------------


def headers_of(build: Path) -> set[str]:
    """Return the headers that were compiled, as the compiler has told ninja."""
    folders = [file.parent for file in build.rglob(".ninja_deps")]
    said = [
        subprocess.run(
            ["ninja", "-C", str(folder), "-t", "deps"], text=True, capture_output=True, check=True
        ).stdout
        for folder in folders
    ]
    found = {line.strip() for text in said for line in text.splitlines() if line.startswith("    ")}
    if not found:
        raise SystemExit(f"{build}: ninja knows of no header there; was the wheel compiled by it?")
    return found


def version_in(headers: list[str], macro: str) -> str:
    """Return the version that a part's headers define."""
    text = "\n".join(Path(name).read_text("utf-8", "replace") for name in headers)
    whole = re.search(rf'^#\s*define\s+{macro}\s+"([\d.]+)"', text, re.MULTILINE)
    if whole:
        return whole[1]
    numbers = [
        re.search(rf"^\s*#\s*define\s+{macro}_{step}\s+(\d+)", text, re.MULTILINE)
        for step in ("MAJOR", "MINOR", "PATCH")
    ]
    if not all(numbers):
        raise SystemExit(f"no version {macro} in {headers[0]} and those beside it")
    return ".".join(number[1] for number in numbers if number)


def compiled(headers: set[str]) -> list[Found]:
    """Return the parts whose headers were compiled."""
    found = []
    for part in PARTS:
        below = f"/include/{part.headers}"
        own = sorted(name for name in headers if part.headers and below in name)
        if own:
            version = version_in(own, part.version)
            found.append(
                Found(part, version, part.purl.format(version), "Compiled from its headers.")
            )
    return found


def added(names: list[str], told: dict) -> list[Found]:
    """Return the parts whose libraries auditwheel has put in; it tells of which packages."""
    found = []
    for name in sorted(names):
        file = Path(name).name
        part = next((one for one in PARTS if one.file and fnmatch(file, one.file)), None)
        if not part:
            raise SystemExit(f"{name}: what is it? packaging/release/sbom.py names no such part")
        about = next(
            (one for one in told.get("components", []) if one["name"].startswith(part.name)), {}
        )
        found.append(Found(part, about.get("version", ""), about.get("purl", ""), f"As {name}."))
    return found


# --- SPDX -----------------------------------------------------------------------------------------


def package(found: Found) -> dict:
    """Describe a part as SPDX does."""
    part = found.part
    said = {
        "SPDXID": f"SPDXRef-{part.name}",
        "name": part.name,
        "downloadLocation": part.home,
        "filesAnalyzed": False,
        "licenseConcluded": part.licence,
        "licenseDeclared": part.licence,
        "copyrightText": f"Copyright (c) {part.copyright}",
        "supplier": "NOASSERTION",
        "primaryPackagePurpose": "LIBRARY",
        "comment": found.comment,
    }
    if found.version:
        said["versionInfo"] = found.version
    if found.purl:
        said["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": found.purl}
        ]  # fmt: skip
    return said


def document(
    name: str, version: str, sha256: str, parts: list[Found], seconds: int, **more
) -> dict:
    """Return the list of what `name` has in it; `sha256` tells it from all others of that name."""
    together = {"BSD-3-Clause", *(found.part.licence for found in parts)}
    itself = {
        "SPDXID": "SPDXRef-halocline",
        "name": "halocline",
        "versionInfo": version,
        "packageFileName": name,
        "downloadLocation": HOME,
        "filesAnalyzed": False,
        "licenseConcluded": " AND ".join(sorted(together)),
        "licenseDeclared": "BSD-3-Clause",
        "copyrightText": "Copyright (c) 2026 Halocline developers",
        "supplier": "Organization: Halocline developers",
        **more,
    }
    made = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"{HOME}/spdx/{name}-{sha256}",
        "creationInfo": {
            "created": made,
            "creators": ["Organization: Halocline developers", f"Tool: halocline-sbom-{version}"],
        },
        "packages": [itself, *map(package, parts)],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": "SPDXRef-halocline"},
            *({"spdxElementId": "SPDXRef-halocline", "relationshipType": "CONTAINS",
               "relatedSpdxElement": f"SPDXRef-{found.part.name}"} for found in parts),
        ],
    }  # fmt: skip


def text_of(content: dict) -> str:
    """Return a list as its file has it."""
    return json.dumps(content, indent=2) + "\n"


def of_archive(archive: Path, version: str, seconds: int) -> dict:
    """Return the list of a source archive, which has nothing of others in it."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    return document(
        archive.name, version, digest, [], seconds, primaryPackagePurpose="SOURCE",
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
        comment="It has nothing of others in it but texts of licences, which wheels take along.",
    )  # fmt: skip


# --- The wheel ------------------------------------------------------------------------------------


def row(name: str, content: bytes) -> list[str]:
    """Return what a wheel's RECORD says of a file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return [name, f"sha256={digest}", str(len(content))]


def into_wheel(wheel: Path, headers: set[str], seconds: int) -> dict:
    """Put the list into a wheel, and return it."""
    with zipfile.ZipFile(wheel) as old:
        names = old.namelist()
        record = next(name for name in names if re.fullmatch(r"[^/]+\.dist-info/RECORD", name))
        folder = record.removesuffix("RECORD")
        version = folder.removesuffix(".dist-info/").rpartition("-")[2]
        about = f"{folder}sboms/auditwheel.cdx.json"
        told = json.loads(old.read(about)) if about in names else {}
        libraries = [name for name in names if re.match(r"halocline\.libs/.", name)]
        parts = [*compiled(headers), *added(libraries, told)]
        texts = {}
        for text in (text for found in parts for text in found.part.texts):
            place = f"{folder}licenses/{LICENCES}/{text}"
            there = next((file for file in SYSTEM.get(text, ()) if Path(file).is_file()), None)
            if there:
                texts[place] = Path(there).read_bytes()
            elif place not in names:
                raise SystemExit(f"{wheel.name}: the licence {text} is not in it")
        rows = list(csv.reader(io.StringIO(old.read(record).decode())))
        digest = hashlib.sha256(old.read(record)).hexdigest()
        content = document(
            wheel.name, version, digest, parts, seconds, primaryPackagePurpose="LIBRARY"
        )
        mine = f"{folder}sboms/halocline.spdx.json"
        put = {mine: text_of(content).encode(), **texts}
        table = io.StringIO()
        kept = [one for one in rows if one[0] not in put]
        csv.writer(table, lineterminator="\n").writerows([*map(row, put, put.values()), *kept])
        put[record] = table.getvalue().encode()
        time = datetime.fromtimestamp(seconds, timezone.utc).timetuple()[:6]
        new = wheel.with_suffix(".part")
        with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as whole:
            for info in old.infolist():
                if info.filename not in put:
                    whole.writestr(info, old.read(info))
            for name, data in put.items():
                info = zipfile.ZipInfo(name, time)
                info.external_attr = 0o100644 << 16
                whole.writestr(info, data, zipfile.ZIP_DEFLATED)
    new.replace(wheel)
    return content


def main() -> None:
    """Put the list into the wheel of the first argument, compiled in the folder of the second."""
    wheel, build = map(Path, sys.argv[1:])
    content = into_wheel(wheel, headers_of(build), int(os.environ["SOURCE_DATE_EPOCH"]))
    print(f"{wheel.name} has in it:")
    for one in content["packages"][1:]:
        print(f"  {one['name']} {one.get('versionInfo', '')} ({one['licenseConcluded']})")


if __name__ == "__main__":
    main()
