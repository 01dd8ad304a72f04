"""What the comparisons of spmv share: options, launches of spmv and of peers, and matrices."""

import argparse
import json
import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import median


def common_options(doc, *, repetitions):
    """Return a parser that has what all of these comparisons are told."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--repetitions", type=int, default=repetitions)
    return parser


def options_beside_peers(doc, *, matrices, repetitions):
    """Return the parser of comparisons with peers, which are launches of the same script."""
    parser = common_options(doc, repetitions=repetitions)
    parser.add_argument("--matrices", nargs="*", default=matrices, metavar="M")
    parser.add_argument("--ways", nargs="*", default=["1x1", "1x2", "2x1"], metavar="RANKSxTHREADS")
    parser.add_argument("--scheme", default="shm:signal+access=direct")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser


class Launch:
    """A launch of spmv under way, if need be on one core alone."""

    def __init__(self, build, ranks, threads, words, core=None):
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "result.json"
        pinned = ["taskset", "-c", str(core)] if core is not None else []
        command = [
            *pinned, build / "mpiexec", "-n", str(ranks), build / "bin/spmv", *map(str, words),
            "--threads", str(threads), "--json", self.file,
        ]  # fmt: skip
        cores = len(os.sched_getaffinity(0)) if core is None else 1
        # A thread that spins keeps the core from the one it waits for.
        waits = {"OMP_WAIT_POLICY": "passive"} if threads > 1 and ranks * threads > cores else {}
        self.run = subprocess.Popen(
            command, env={**waits, **os.environ},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def end(self):
        """Return its result file."""
        _, complaint = self.run.communicate()
        with self.folder:
            if self.run.returncode:
                raise SystemExit(complaint)
            return json.loads(self.file.read_text())


def seconds(result):
    """Return the seconds of a repetition: the median of all but the first."""
    return median(result["samples"]["total_s"][1:])


def seconds_of_peer(command, environment=None):
    """Return the seconds of a peer's repetition, a line each: the median of all but the first."""
    said = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return median([float(line) for line in said.split()][1:])


@contextmanager
def written(build, name):
    """Have a matrix generated; give the folder of its three arrays."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "matrix"
        folder.mkdir()
        subprocess.run([build / "bin/sparse_matrix", name, folder], check=True)
        yield folder


def ways(wish):
    """Ranks and threads."""
    return [tuple(map(int, way.split("x"))) for way in wish.ways]
