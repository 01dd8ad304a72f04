"""Kill programs at random moments, let them go on from their checkpoints, and compare the bits.

`python tests/frame/killing.py --kills 100` prints the table of docs/reference/checkpoints.md: each
program is killed so many times, sometimes all of its ranks, sometimes one, and started again each
time on other ranks and by another scheme, until it has come to its end.
"""

import argparse
import dataclasses
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

CASES = {
    "laplace": ("laplace", "--grid", "40,40,40", "--tolerance", "1e-300",
                "--max-iterations", "2000", "--every", "50steps"),
    "partdiff, Jacobi": ("partdiff", "1", "2", "40", "2", "2", "3000", "--every", "80steps"),
    "partdiff, Gauss-Seidel": ("partdiff", "1", "1", "8", "2", "1", "1e-6", "--every", "80steps"),
    "spmv, CG": ("spmv", "--generate", "7pt:32,32,32", "--solve", "cg", "--tolerance", "1e-300",
                 "--max-iterations", "200", "--every", "5steps"),
    "md": ("md", "--scenario", "melt", "--size", "5", "--steps", "300", "--every", "5steps"),
}  # fmt: skip
OF_THE_STATE = ("--scenario", "--size", "--steps")
"""What md takes from the state alone."""
SCHEMES = ("p2p:nonblocking", "neighbor:blocking", "rma:put:fence", "shm:signal")


def ranks_of(program, mark):
    """Return the processes of a program that have this mark in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if (
                process.name.isdigit()
                and (process / "exe").readlink() == program
                and mark.encode() in (process / "environ").read_bytes()
            ):
                found.append(int(process.name))
        except OSError:  # it has ended, or is another user's
            continue
    return found


def coming_states():
    """Return the names of states that were not whole yet."""
    return {file.name for file in Path().glob("c.*.new")}


undisturbed = {}
"""What a run that nobody kills has found, and its seconds, by program and words."""


@dataclasses.dataclass
class Tally:
    """What has become of a program's runs."""

    kills: int = 0
    of_all: int = 0
    while_writing: int = 0
    """Kills that left a state which was not whole under its other name."""
    ends: int = 0
    """Ends that were compared with the run that nobody has killed."""


class Killed:
    """A program, run in the present folder."""

    def __init__(self, path, words, mpiexec, seed):
        self.path = Path(path).resolve()
        self.words = list(words)
        self.mpiexec = mpiexec
        self.dice = random.Random(seed)
        self.mark = f"HALOCLINE_KILLED={seed}-{os.getpid()}"
        self.tally = Tally()
        known = (str(self.path), *self.words)
        if known not in undisturbed:
            begin = time.monotonic()
            right = self.end("--json", "right.json")
            undisturbed[known] = right, time.monotonic() - begin
        self.right, self.seconds = undisturbed[known]

    def start(self, *more, ranks=None, scheme=None):
        """Start it, by chance on 1 to 3 ranks and by any scheme."""
        ranks = ranks or self.dice.randint(1, 3)
        start = [self.mpiexec, "-n", str(ranks)] if ranks > 1 else []
        scheme = scheme or self.dice.choice(SCHEMES)
        words = list(self.words)
        drop = [] if "--checkpoint" in more else ["--every"]
        for word in [*drop, *(OF_THE_STATE if "--restart" in more else [])]:
            if word in words:
                at = words.index(word)
                del words[at : at + 2]
        # However busy the machine is.
        command = [*start, self.path, *words, "--scheme", scheme, "--timeout", "900", *more]
        name, value = self.mark.split("=")
        # Its output goes to files: a rank that outlives its launcher must not keep a pipe open.
        return subprocess.Popen(
            list(map(str, command)), stdout=Path("out").open("w"), stderr=Path("err").open("w"),
            env={**os.environ, name: value},
        )  # fmt: skip

    def going_on(self):
        """Return the words for a run that keeps its state, and goes on from one if there is one."""
        return ["--checkpoint", "c", *(["--restart", "c"] if Path("c").exists() else [])]

    def end(self, *more):
        """Run it to its end; return what it has found."""
        run = self.start(*more)
        assert run.wait(1000) == 0, Path("err").read_text()
        return self.found(more[-1])

    @staticmethod
    def found(file):
        """Return what has to be the same."""
        result = json.loads(Path(file).read_text())["result"]
        return {key: result.get(key) for key in ("checksum", "residuum", "residual")}

    def pids(self):
        return ranks_of(self.path, self.mark)

    def kill_once(self):
        """Start it, or go on, and kill it at a random moment; see that no state is damaged."""
        before = coming_states()
        run = self.start(*self.going_on(), "--json", "result.json")
        time.sleep(self.dice.uniform(0.05, 0.05 + self.seconds))
        every = self.dice.random() < 0.5
        pids = self.pids()
        for pid in pids if every else self.dice.sample(pids, min(1, len(pids))):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        code = run.wait(1000)
        for _ in range(1000):
            if not self.pids():
                break
            time.sleep(0.01)
        said = Path("err").read_text()
        # The file itself is always whole: the one before it is never needed.
        assert "--restart" not in said and "--help" not in said, said
        if code == 0:
            self.compare()
        else:
            self.tally.kills += 1
            self.tally.of_all += every
            self.tally.while_writing += bool(coming_states() - before)

    def compare(self):
        assert self.found("result.json") == self.right
        self.tally.ends += 1
        assert coming_states() == set()  # what was left has gone
        for file in ("c", "c.previous"):
            Path(file).unlink(missing_ok=True)

    def kill(self, times):
        """Kill it so many times, and let it come to its end."""
        while self.tally.kills < times:
            self.kill_once()
        self.end(*self.going_on(), "--json", "result.json")
        self.compare()
        return self.tally


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="build/release/bin", help="the programs' folder")
    parser.add_argument("--mpiexec", default="build/release/mpiexec")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    programs, mpiexec = Path(asked.bin).resolve(), shutil.which(asked.mpiexec)
    mpiexec = str(Path(mpiexec).resolve())
    print("| program | killed | of these all ranks at once | while a state was being written "
          "| ends with the same bits |\n|---|---|---|---|---|")  # fmt: skip
    for name, (program, *words) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            tally = Killed(programs / program, words, mpiexec, asked.seed).kill(asked.kills)
            os.chdir("/")
        print(f"| {name} | {tally.kills} | {tally.of_all} | {tally.while_writing} "
              f"| {tally.ends} of {tally.ends} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
