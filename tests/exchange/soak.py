"""Every scheme with random delays on 2 to 8 ranks, for a while; a row of docs/measured/soak.md.

    python tests/exchange/soak.py --mpiexec build/release/mpiexec \\
        --halocheck build/release/bin/halocheck

`./dev soak` does it for an hour with each MPI: HALOCLINE_SOAK_SECONDS is another time,
HALOCLINE_SOAK the seed. Each launch of halocheck takes other patterns, delays and sizes, all drawn
by the seed; ranks go round. It fails if a scheme is wrong, ends in an error, crashes or hangs.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from halocline.launch import short_library

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs/measured/soak.md"
HEAD = (
    "| date | commit | MPI | ranks | seed | minutes | launches | exchanges | failures | left out |"
)
RANKS = range(2, 9)
SILENT_S = 120
"""Without progress for so long halocheck gives up."""
LAUNCH_S = 1800


class Found(NamedTuple):
    """What a launch has found."""

    exchanges: int
    failures: list


def rounds(engine):
    """Yield numbers of ranks: all of them in a random order, again and again."""
    while True:
        yield from engine.sample(RANKS, len(RANKS))


def drawn(engine, ranks):
    """Draw what a launch is told beside its ranks."""
    # Large messages on many ranks take some MPIs gigabytes.
    sizes = engine.choice(["small", "any"]) if ranks < 5 else "small"
    return [
        "--seed", str(engine.randrange(1, 1 << 31)), "--sizes", sizes, "--cases", "1", "--spread",
        "--delay", str(engine.choice([0, 50, 300, 1000])), "--steps", str(engine.randint(2, 12)),
    ]  # fmt: skip


def judged(told, output, code):
    """Return what a launch has found, of halocheck's lines and exit code (None: it hung)."""
    steps = int(told[told.index("--steps") + 1])
    exchanges, failures, at_work = 0, [], ""
    for line in output.splitlines():
        if not line.startswith('{"'):
            continue
        said = json.loads(line)
        if said.get("event") == "begin":
            at_work = said["scheme"]
        elif said.get("event") == "end":
            at_work = ""
            exchanges += steps
            if said["outcome"] != "sound":
                failures.append(f"{said['scheme']}: {said['outcome']}: {said['detail']}")
    if code != 0 and not failures:
        how = "it hangs" if code is None else f"it ended with {code}"
        failures.append(f"{at_work or 'no scheme'}: {how}")
    return Found(exchanges, failures)


def launched(asked, ranks, told):
    """Launch halocheck once."""
    command = [
        asked.mpiexec, "-n", str(ranks), asked.halocheck, "--strict", "--timeout", str(SILENT_S),
        *told, *(["--except", asked.leave_out] if asked.leave_out else []),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LAUNCH_S, check=False
        )
    except subprocess.TimeoutExpired as ended:
        return judged(told, (ended.stdout or b"").decode("utf-8", "replace"), None)
    return judged(told, done.stdout, done.returncode)


def library(asked):
    """Return the MPI's name and version, as halocheck says it."""
    said = subprocess.run(
        [asked.mpiexec, "-n", "1", asked.halocheck, "--facts"],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    return short_library(json.loads(said.stdout)["mpi"]["library"])


def commit():
    """Return the commit, with + if what is compiled differs from it."""
    git = ["git", "-C", str(ROOT)]
    said = subprocess.run([*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "include", "src", "tools"])
    return said.stdout.strip() + ("+" if changed.returncode else "")


def with_row(text, row):
    """Return the page with a row at the table's end; an older one of commit and MPI goes."""
    cells = [cell.strip() for cell in row.split("|")]
    lines = text.splitlines()
    first = lines.index(HEAD) + 2
    last = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    others = [
        line for line in lines[first:last]
        if [cell.strip() for cell in line.split("|")][2:4] != cells[2:4]
    ]  # fmt: skip
    return "\n".join([*lines[:first], *others, row, *lines[last:]]) + "\n"


def main():
    """Launch until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--halocheck", required=True)
    parser.add_argument("--leave-out", default="", help="globs of schemes that this MPI breaks")
    parser.add_argument("--table", type=Path, default=TABLE)
    asked = parser.parse_args()
    seconds = float(os.environ.get("HALOCLINE_SOAK_SECONDS", 3600))
    seed = int(os.environ.get("HALOCLINE_SOAK", 1))
    engine = random.Random(seed)
    mpi, of_commit, begin = library(asked), commit(), time.monotonic()
    found, counts = [], []
    for ranks in rounds(engine):
        told = drawn(engine, ranks)
        one = launched(asked, ranks, told)
        found.append(one)
        counts.append(ranks)
        print(f"{ranks} ranks, {' '.join(told)}: {one.exchanges} exchanges", flush=True)
        for failure in one.failures:
            print(f"  {failure}", flush=True)
        if time.monotonic() >= begin + seconds:
            break
    failures = sum(len(one.failures) for one in found)
    cells = [
        datetime.now(timezone.utc).strftime("%Y-%m-%d"), of_commit, mpi,
        f"{min(counts)} to {max(counts)}", seed, round((time.monotonic() - begin) / 60), len(found),
        sum(one.exchanges for one in found), failures,
        f"`{asked.leave_out}`" if asked.leave_out else "",
    ]  # fmt: skip
    row = "| " + " | ".join(map(str, cells)) + " |"
    asked.table.write_text(with_row(asked.table.read_text("utf-8"), row), "utf-8")
    print(f"{row}\n-> {asked.table}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
