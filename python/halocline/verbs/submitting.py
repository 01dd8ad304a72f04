"""Verbs as jobs of a batch system: a script that one can read, and what becomes of it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from halocline import measure, outputs, records, shapes
from halocline.errors import HaloclineError
from halocline.launch import batch, counts, lost, machine, outer, process, systems
from halocline.launch.systems import System, filled
from halocline.measure import Benchmark, Comparison
from halocline.tables import Tabular
from halocline.text import shown

FORMAT, VERSION = "halocline-job", 1
FILE, SCRIPT, LOG, EXIT = "job.json", "job.sh", "job.log", "job.exit"
RESULTS = "results"
RANKED = ("bench", "compare", "doctor", "explain", "run", "trace", "tune")
"""Verbs with --ranks."""
IN_FOLDER = ("compare", "bench", "validate", "advise", "trace")
"""Verbs whose --output is a folder."""
VERBS = (*IN_FOLDER, "run", "tune", "doctor", "model", "explain")
ENDED = {0: "done", 75: "stopped: submit it again, and it goes on", 130: "interrupted",
         3: "done: schemes failed", 4: "done: results differ"}  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """What a job asks its system for."""

    nodes: int | None = None
    ranks_per_node: int | None = None
    minutes: int = 60
    queue: str | None = None
    account: str | None = None
    options: tuple[str, ...] = ()
    """More lines for the system, as its script has them behind the directive."""
    cores_per_node: int | None = None
    before: tuple[str, ...] = ()
    """Lines of the shell before the command, as `module load openmpi`."""


@dataclass
class Submitted:
    """A job that has been submitted, as its folder has it."""

    folder: Path
    system: str
    command: list[str]
    id: str = ""
    """The system's number; empty if it is not submitted yet."""
    time: str = ""
    script: str = field(default="", compare=False)
    problem: str = field(default="", compare=False)
    """Why its record cannot be read."""

    def save(self) -> None:
        """Write `job.json`."""
        content = asdict(self)
        del content["folder"], content["script"], content["problem"]
        records.write(self.folder / FILE, FORMAT, VERSION, content)

    @classmethod
    def load(cls, folder: Path) -> Submitted:
        """Read a job's folder."""
        content = records.read(folder / FILE, FORMAT, VERSION, "record of a job")
        return shapes.fitted({**content, "folder": folder.absolute()}, cls, folder / FILE)

    @property
    def results(self) -> Path:
        """Where the command leaves its results."""
        return self.folder / RESULTS

    def state(self) -> str:
        """Say where it is: by the system as long as that knows it, then by what it has left."""
        if self.problem:
            return f"unknown: {self.problem}"
        left = self.folder / EXIT
        if not left.is_file():
            try:
                asked = _asked(self._system(), self.id)
            except HaloclineError as error:
                return f"unknown: {error}"
            return asked.lower() if _alive(asked) else self._without_end(asked)
        try:
            code = int(left.read_text("utf-8", "replace"))
        except ValueError:
            return "unknown: its exit code is none"
        return ENDED.get(code, f"failed ({process.describe_exit(code)})")

    def running(self) -> bool:
        """Whether the system still knows it, and it has not ended."""
        system = self._system()
        if (self.folder / EXIT).is_file():
            return False
        try:
            return _alive(_asked(system, self.id))
        except UnreachableError:
            return True  # as far as one can tell

    def exit_code(self) -> int:
        """Return its exit code; 1 where it left none."""
        try:
            return int((self.folder / EXIT).read_text("utf-8", "replace"))
        except (OSError, ValueError):
            return 1

    def said(self) -> str:
        """Return all that it has printed."""
        try:
            return (self.folder / LOG).read_text("utf-8", "replace")
        except OSError:
            return ""

    def measured(self) -> str:
        """Say in a few words what it has left so far."""
        with contextlib.suppress(HaloclineError):  # it may be of another kind
            found = measure.load(self.results)
            if isinstance(found, (Comparison, Benchmark)):
                return f"{sum(one.status == 'measured' for one in found.launches)} launches"
        if self.results.is_dir():
            return f"{sum(one.is_file() for one in self.results.rglob('*'))} files"
        return "nothing yet"

    def _system(self) -> System:
        try:
            return systems.named(self.system)
        except HaloclineError as error:
            raise HaloclineError(f"{self.folder / FILE}: {error}") from error

    def _without_end(self, asked: str) -> str:
        """Say what ended it before it could leave an exit code."""
        why = [line for line in self.said().splitlines() if lost.ended_job(line)]
        if why:
            return f"ended by the system: {shown(why[-1].strip())}"
        if asked:
            return f"over: the system calls it {asked.lower()}, and it has left no exit code"
        return "gone: the system does not know it any more, and it has not ended by itself"


class UnreachableError(HaloclineError):
    """A system that cannot be asked for the moment: the job may still run."""


def _asked(system: System, job: str) -> str:
    """Return a job's state in the system's word; empty if it is not known.

    Raises
    ------
    UnreachableError
        When the system does not answer, or its command is not there.
    """
    if not system.state or not job:
        return ""
    command = _words(system.state, job=job)
    try:
        done = process.run(command, limit_s=60)
    except HaloclineError as error:
        raise UnreachableError(str(error)) from error
    if done.ok:
        found = re.search(system.state_is, done.output)
        return found[1] if found else ""
    if done.timed_out:
        raise UnreachableError(f"{command[0]}: {done.reason()}")
    said = [line.strip() for line in (done.errors + done.output).splitlines() if AWAY.search(line)]
    if said:
        raise UnreachableError(f"{command[0]}: {shown(said[-1])}")
    return ""


def _alive(word: str) -> bool:
    return bool(word) and not OVER.fullmatch(word)


def _words(template: str, **places: object) -> list[str]:
    """Return the words of a command; what is put in stays in its word, whatever it holds."""
    return [filled(word, **places) for word in shlex.split(template)]


AWAY = re.compile(
    r"unable to contact|cannot connect|can't connect|cannot contact|connection (refused|timed out)|"
    r"connect failure|timed out|is down|no route to host|communication|socket|not respond",
    re.IGNORECASE,
)
"""What systems say when they cannot be asked, and not of a job that they do not know."""
OVER = re.compile(
    r"COMPLET\w*|CANCELLED\S*|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|BOOT_FAIL|OUT_OF_MEMORY|DEADLINE|"
    r"F|X|E|DONE|EXIT|CD|CA|INACTIVE", re.IGNORECASE
)  # fmt: skip
"""What systems call jobs that are over."""


@dataclass(frozen=True)
class Jobs(Tabular):
    """Jobs that have been submitted, the newest first."""

    jobs: list[Submitted]

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each: `id`, `system`, `state`, `measured`, `command`, `folder`."""
        return [
            {
                "id": one.id, "system": one.system, "state": one.state(),
                "measured": one.measured(), "command": shlex.join(one.command),
                "folder": str(one.folder),
            }
            for one in self.jobs
        ]  # fmt: skip


LONGEST_MIN = 366 * 24 * 60
"""The longest job: a longer one is a slip of the pen."""
TIME = re.compile(r"(?:(\d+)-)?(\d+)(?::([0-5]?\d))?(?::([0-5]?\d))?", re.ASCII)


def minutes_of(time: str) -> int:
    """Return the minutes of a time limit: minutes, H:MM, or what sbatch takes with seconds or days.

    Raises
    ------
    HaloclineError
        When it is none of these, or H:MM may be meant as minutes and seconds, as sbatch takes it.
    """
    asked = f"--time {shown(time)}"
    found = TIME.fullmatch(time)
    if found is None or (found[1] and int(found[2]) > 23):
        raise HaloclineError(
            f"{asked}: give hours and minutes, as 1:30, minutes, or days, hours, minutes and "
            "seconds as sbatch takes them, as 1:30:00 and 1-12:00:00"
        )
    days, first, second, third = (int(part or 0) for part in found.groups())
    if not found[1] and not found[3]:
        return _in_range(first, asked)
    minutes = (24 * days + first) * 60 + second + (third > 0)
    if not found[1] and not found[4] and minutes > 24 * 60:
        raise HaloclineError(
            f"{asked}: give {first}:{second:02}:00 if these are hours, "
            f"{first // 60}:{first % 60:02}:{second:02} if they are minutes"
        )
    return _in_range(minutes, asked)


def _in_range(minutes: int, asked: str) -> int:
    if minutes not in range(1, LONGEST_MIN + 1):
        raise HaloclineError(f"{asked}: a job takes from a minute to {LONGEST_MIN // 1440} days")
    return minutes


def submit(
    command: Sequence[str],
    wish: Wish | None = None,
    *,
    system: str | None = None,
    output: Path | str | None = None,
    show: bool = False,
) -> Submitted:
    """Write a job script for a verb of `halocline`, and submit it.

    Parameters
    ----------
    command
        The verb and its own words: `["compare", "laplace", "--ranks", "2,16"]`.
    wish
        What is asked of the system.
    system
        A section of the files of launchers; by default the first whose command to submit is there.
    output
        The job's folder; by default a new one in `results`.
    show
        Only make the script, which is in what is returned.

    Raises
    ------
    HaloclineError
        When there is no such verb or system, or the system refuses the job.
    """
    words = list(command)
    if not words or words[0] not in VERBS:
        raise HaloclineError(
            f"submit: give what the job is to do, one of {', '.join(VERBS)}"
            + (f"; {shown(words[0])} is none" if words else "")
        )
    taken = _system(system, show=show)
    wish = _completed(wish or Wish(), words)
    _in_range(wish.minutes, f"{wish.minutes} minutes")
    named = Path(output) if output else records.default_folder(f"submit-{words[0]}")
    folder = named.absolute()
    if words[0] in IN_FOLDER and not any(re.match(r"--output(=|$)", word) for word in words):
        at = words.index("--") if "--" in words else len(words)
        at = 1 if words[0] == "advise" else at  # behind which all is the program's
        words[at:at] = ["--output", str(folder / RESULTS)]
    _check_lines(wish, folder)
    job = Submitted(folder, taken.name, words, time=records.now())
    job.script = script(taken, wish, words, folder)
    if show:
        return job
    records.new_folder(folder, FILE, "job")
    path = outputs.save(folder / SCRIPT, job.script)
    path.chmod(0o755)
    job.id = _submitted(taken, path)
    job.save()
    return job


PLAIN = re.compile(r"[\w./+@=,:~^-]*")
"""Names that no system reads in a way of its own in the lines for it: none has quotes for all."""


def _check_lines(wish: Wish, folder: Path) -> None:
    """Refuse what would not be what it is any more in the lines for the system."""
    lines: list[tuple[str, str | None]] = [
        ("--partition", wish.queue), ("--account", wish.account),
    ]  # fmt: skip
    lines += [("--option", line) for line in wish.options]
    for option, text in (*lines, *(("--before", line) for line in wish.before)):
        if text and len(text.splitlines()) > 1:
            raise HaloclineError(f"{option} {shown(text)}: must be one line")
    if not PLAIN.fullmatch(str(folder)):
        raise HaloclineError(
            f"the job's folder {shown(str(folder))}: batch systems read blanks, quotes, %, $ and "
            "the like in the name of a log in ways of their own; name a folder without them with "
            "--output"
        )


def _system(name: str | None, *, show: bool) -> System:
    name = name or os.environ.get(systems.CHOSEN)
    if name:
        found = systems.named(name)
        if not found.submit:
            raise HaloclineError(f"{found.file}: [{found.name}] has no line 'submit'")
        return found
    for one in systems.known():
        if one.submit and shutil.which(one.submit.split()[0]):
            return one
    if show:
        return systems.named("slurm")
    commands = ", ".join(
        dict.fromkeys(one.submit.split()[0] for one in systems.known() if one.submit)
    )
    raise HaloclineError(
        f"no command of a batch system is on PATH ({commands}); --show prints the script, and "
        "launchers.ini may describe another system"
    )


def _completed(wish: Wish, words: list[str]) -> Wish:
    """Take from the verb's words what the wish leaves open, and put into them what they do.

    Raises
    ------
    HaloclineError
        When the verb would not use what the job asks for.
    """
    own = {name: _number(words, f"--{name.replace('_', '-')}") for name in LAYOUT}
    asked = {name: getattr(wish, name) for name in LAYOUT}
    for name, number in asked.items():
        option = f"--{name.replace('_', '-')}"
        if number and own[name] not in (0, number):
            raise HaloclineError(
                f"{option} {number}: the job's is not the verb's, {option} {own[name]}; one of "
                "them is enough"
            )
    nodes, each = (asked[name] or own[name] for name in LAYOUT)
    most = 2
    if words[0] in RANKED and words[:2] != ["bench", "kernels"]:
        ranks = _value(words, "--ranks") or _value(words, "-n")
        at = 2 if words[0] == "bench" else 1
        if not ranks and any(asked.values()):
            ranks = str((nodes or 1) * (each or 1))
            words[at:at] = ["--ranks", ranks]
        most = max(counts(ranks)) if ranks else most
        for name in LAYOUT:
            if asked[name] and not own[name]:
                words[at:at] = [f"--{name.replace('_', '-')}", str(asked[name])]
        nodes = nodes or (-(-most // each) if each else 1)
        _check_use(most, nodes, each)
    nodes = nodes or 1
    each = each or -(-most // nodes)
    return replace(
        wish, nodes=nodes, ranks_per_node=each, cores_per_node=wish.cores_per_node or max(each, 1)
    )


LAYOUT = ("nodes", "ranks_per_node")


def _check_use(ranks: int, nodes: int, each: int) -> None:
    """Refuse nodes, and ranks on them, that the job would book and the verb not use."""
    if ranks < nodes:
        raise HaloclineError(f"--nodes {nodes}: --ranks {ranks} use {ranks} of them")
    if each and -(-ranks // nodes) < each:
        raise HaloclineError(
            f"--ranks-per-node {each}: on {nodes} node{'s' * (nodes > 1)} are {nodes * each} "
            f"ranks, and --ranks asks for {ranks}"
        )
    if each and ranks > nodes * each:
        raise HaloclineError(
            f"--ranks {ranks}: on {nodes} node{'s' * (nodes > 1)} are {nodes * each} ranks by "
            f"--ranks-per-node {each}"
        )


def _value(words: Sequence[str], option: str) -> str:
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return ""


def _number(words: Sequence[str], option: str) -> int:
    value = _value(words, option)
    return int(value) if value.isdecimal() else 0


NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""A variable that a shell can set; programs may be given others."""


def script(system: System, wish: Wish, words: Sequence[str], folder: Path) -> str:
    """Return a job script that says what it does, for people to read and to change."""
    hours, minutes = divmod(wish.minutes, 60)
    lines = filled(
        system.header, name=f"halocline-{words[0]}", nodes=wish.nodes,
        ranks_per_node=wish.ranks_per_node, cores_per_node=wish.cores_per_node,
        slots=wish.nodes * (wish.cores_per_node or 1), minutes=wish.minutes,
        time=f"{hours}:{minutes:02}:00", log=folder / LOG,
    ).split("\n")  # fmt: skip
    lines += [filled(system.queue, queue=wish.queue)] if wish.queue else []
    lines += [filled(system.account, account=wish.account)] if wish.account else []
    options = [f"{system.directive} {line}" for line in (*lines, *wish.options) if line.strip()]
    told = [
        f"export {batch.CONTINUE}=1   # what an earlier start has measured is not measured again"
    ]
    if system.name != "slurm":  # which says both itself
        told += [
            f"export {systems.CHOSEN}={system.name}",
            f"export {batch.NODES}={wish.nodes} {batch.CORES}={wish.cores_per_node}",
            f"export {batch.END}=$(($(date +%s) + {60 * wish.minutes}))",
        ]
    # Many a system starts jobs without the variables of who submits them.
    told += [
        f"export {name}={shlex.quote(value)}"
        for name, value in {**_of_python(), **machine.environment_of_ranks()}.items()
        if name not in (batch.CONTINUE, batch.NODES, batch.CORES, batch.END, systems.CHOSEN)
        and NAME.fullmatch(name)
    ]
    exit_file = shlex.quote(str(folder / EXIT))
    before = [*system.before.strip().splitlines(), *wish.before]
    if not before:
        loaded = " ".join(filter(None, os.environ.get("LOADEDMODULES", "").split(":")))
        before = [f"# module load {loaded or '...'}   # what the site needs: --before LINE"]
    return "\n".join([
        "#!/bin/sh", *options,
        "# Written by 'halocline submit'. Submitted again, it goes on where it stopped.",
        f"cd {shlex.quote(str(Path.cwd()))} || exit 1",
        *told,
        *before,
        f"rm -f {exit_file}",
        shlex.join([*records.own_command(), *words]),
        "status=$?",
        f"echo $status > {exit_file}",
        "exit $status",
        "",
    ])  # fmt: skip


def _of_python() -> dict[str, str]:
    """Return what Python finds this package by, if a variable says it."""
    return {name: os.environ[name] for name in ("PYTHONPATH",) if os.environ.get(name)}


def _submitted(system: System, path: Path) -> str:
    """Hand a script to the system, and return the job's number."""
    command = _words(system.submit, script=path)
    given = None if "{script}" in system.submit else path.read_text("utf-8")
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, errors="replace", check=False,
            env=outer.without(),
        )  # fmt: skip
    except OSError as error:
        raise HaloclineError(f"cannot start {command[0]}: {error.strerror}") from error
    found = re.search(system.id, done.stdout)
    if done.returncode or found is None:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise HaloclineError(
            f"{command[0]} took no job: {shown(said[-1]) if said else 'it says nothing'}; its "
            f"script is {path}"
        )
    return found[1]


def _listed(folder: Path) -> Submitted:
    """Read a job's folder among others: one that is damaged does not hide them."""
    try:
        return Submitted.load(folder)
    except HaloclineError as error:
        return Submitted(folder.absolute(), "", [], problem=str(error))


def find(wanted: Sequence[str | Path] = (), beneath: Path | str = "results") -> Jobs:
    """Return jobs that were submitted here.

    Parameters
    ----------
    wanted
        Their folders or numbers; none for all.
    beneath
        Where folders of jobs are looked for.

    Raises
    ------
    HaloclineError
        When there is no such job.
    """
    there = [_listed(file.parent) for file in Path(beneath).glob(f"*/{FILE}")]
    there.sort(key=lambda job: job.time, reverse=True)
    if not wanted:
        return Jobs(there)
    found = []
    for one in wanted:
        if (Path(one) / FILE).is_file():
            found.append(Submitted.load(Path(one)))
            continue
        named = [job for job in there if job.id == str(one)]
        if not named:
            raise HaloclineError(
                f"{shown(str(one))} is neither the folder of a job nor the number of one in "
                f"{shown(str(beneath))}: 'halocline status' lists them"
            )
        found.append(named[0])
    return Jobs(found)


def fetch(job: Submitted, output: Path | str | None = None, *, wait_s: float = 0) -> Path:
    """Return the folder of a job's results, copied to another place if one is named.

    Parameters
    ----------
    wait_s
        Seconds to wait for its end.

    Raises
    ------
    HaloclineError
        When there is nothing yet, or the place cannot be written.
    """
    end = time.monotonic() + wait_s
    while job.running() and time.monotonic() < end:
        time.sleep(min(5.0, max(0.1, end - time.monotonic())))
    if not job.results.is_dir():
        return job.folder
    if output is None:
        return job.results
    place = Path(output)
    outputs.check_folder(place, "--output", empty=True)
    try:
        shutil.copytree(job.results, place, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise HaloclineError(f"cannot copy {job.results} to {place}: {error}") from error
    return place.absolute()
