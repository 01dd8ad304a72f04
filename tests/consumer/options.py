"""options.py FOLDER MPICXX [--build]: each two options of the build, together.

Each choice of options is configured, and no test starts what is not built. With --build the library
is built as well, and users in C++, C and Fortran are linked with it.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]

# What each option may be, as words of CMake's command line; the first is the default.
OPTIONS = [
    [[], ["-DHALOCLINE_PROGRAMS=OFF"]],
    [[], ["-DHALOCLINE_TESTS=OFF"]],
    [[], ["-DHALOCLINE_NATIVE=OFF"], ["-DHALOCLINE_PROCESSOR=x86-64-v3"]],
    [[], ["-DBUILD_SHARED_LIBS=OFF"], ["-DHALOCLINE_WHEEL=ON"]],
    [[], ["-DHALOCLINE_SANITIZE=address,undefined"]],
    [[], ["-DHALOCLINE_EACH_ALONE=ON"]],
    [[], ["-DHALOCLINE_CUDA=OFF", "-DHALOCLINE_OPENMP_TARGET=OFF"]],
    [["-DCMAKE_CXX_COMPILER=g++"], ["-DCMAKE_CXX_COMPILER=clang++"],
     ["-DCMAKE_CXX_COMPILER=clang++", "-DHALOCLINE_FUZZ=ON"]],
    [["-GNinja"], ["-GUnix Makefiles"]],
    [[], ["-DCMAKE_BUILD_TYPE=Debug"]],
    [[], ["-DCMAKE_INSTALL_LIBDIR=lib/deep"]],
    [[], ["-DCMAKE_Fortran_COMPILER=NOTFOUND"]],
    *([[], [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON"]]
      for package in ("nlohmann_json", "CLI11", "OpenMP", "GTest", "Python3", "PkgConfig", "PNG")),
]  # fmt: skip


def pairs_of(row):
    return set(itertools.combinations(enumerate(row), 2))


def covering(sizes):
    """Rows of one number below each size, so that any two numbers of two columns are in one row."""
    missing = {
        ((i, a), (j, b))
        for i, j in itertools.combinations(range(len(sizes)), 2)
        for a in range(sizes[i])
        for b in range(sizes[j])
    }
    rows = []
    while missing:
        row = dict(min(missing))
        for column, size in enumerate(sizes):
            if column not in row:
                gains = [
                    sum(tuple(sorted(((column, value), old))) in missing for old in row.items())
                    for value in range(size)
                ]
                row[column] = gains.index(max(gains))
        rows.append([row[column] for column in range(len(sizes))])
        missing -= pairs_of(rows[-1])
    return rows


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(
            f"FAILED: {' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
    return done.stdout


def targets_of(build):
    made = run("cmake", "--build", build, "--target", "help")
    return {
        line.split(":")[0].removeprefix("... ").split()[0]
        for line in made.splitlines()
        if line.strip()
    }


def count_tests(build, programs):
    """How many there are; none of them starts a program that this build does not make."""
    made = targets_of(build)
    tests = json.loads(run("ctest", "--test-dir", build, "--show-only=json-v1"))["tests"]
    for test in tests:
        for path in re.split("[:=\n]", "\n".join(test.get("command", []))):
            name = Path(path).name.removeprefix("lib").removesuffix(".so")
            is_program = path in programs or path.startswith(
                (f"{build}/bin/", f"{build}/tests/bin/")
            )
            if is_program and name not in made:
                sys.exit(f"FAILED: {test['name']} starts {path}, which is not built")
    return len(tests)


def build_users(build, choice, compiler):
    """Users in each language, linked with what is in the build folder."""
    made = targets_of(build)
    targets = [t for t in ("halocline", "halocline_shared", "halocline_fortran") if t in made]
    run("cmake", "--build", build, "--parallel", os.cpu_count(), "--target", *targets)
    users = {"CXX": "c;async;static;method", "C": "c"}
    if "halocline_fortran" in made:
        users["Fortran"] = "fortran"
    sanitize = "-fsanitize=address,undefined" if any("SANITIZE" in word for word in choice) else ""
    for language, found in users.items():
        user = build / f"user-{language}"
        run("cmake", "-S", SOURCE / "tests/consumer/components", "-B", user, compiler,
            f"-DCMAKE_PREFIX_PATH={build}", f"-DCMAKE_SHARED_LINKER_FLAGS={sanitize}",
            f"-DLANGUAGES={language}", f"-DFOUND={found}", "-DMISSED=nonsense")  # fmt: skip
        run("cmake", "--build", user)


def main():
    folder, mpicxx = Path(sys.argv[1]).resolve(), sys.argv[2]
    shutil.rmtree(folder, ignore_errors=True)
    options = [
        [words for words in choices if "WHEEL" not in str(words) or shutil.which("patchelf")]
        for choices in OPTIONS
    ]
    if not shutil.which("clang++"):
        options = [[words for words in choices if "clang" not in str(words)] for choices in options]
    programs = set()
    for number, row in enumerate([[0] * len(options), *covering([len(each) for each in options])]):
        choice = [
            word for choices, value in zip(options, row, strict=True) for word in choices[value]
        ]
        build = folder / str(number)
        print(number, *choice, flush=True)
        run("cmake", "-S", SOURCE, "-B", build, f"-DMPI_CXX_COMPILER={mpicxx}", *choice,
            *(f"-DCMAKE_CXX_FLAGS_{kind}=-O0" for kind in ("RELEASE", "DEBUG")))  # fmt: skip
        if number == 0:  # the whole
            programs = {
                name
                for name in targets_of(build)
                if (SOURCE / "apps" / name).is_dir() or (SOURCE / "tools" / name).is_dir()
            }
        print(f"  {count_tests(build, programs)} tests", flush=True)
        if "--build" in sys.argv and number > 0 and "-DHALOCLINE_WHEEL=ON" not in choice:
            compiler = next(word for word in choice if "CXX_COMPILER" in word)
            build_users(build, choice, compiler)
            shutil.rmtree(build)


if __name__ == "__main__":
    main()
