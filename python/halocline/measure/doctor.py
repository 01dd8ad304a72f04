"""Find out which schemes are sound on this machine under this MPI, and remember it.

MPI libraries have bugs: some give wrong data, some crash, some hang. So every scheme is checked
by `halocheck` in a child process, against a plain reference, before it is trusted. One child
checks all schemes in turn and says which one it is at; when it dies or falls silent, that
scheme is the culprit, and a new child goes on with the rest.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from halocline.errors import HaloclineError
from halocline.launch import machine
from halocline.launch.process import Child, Finished
from halocline.measure.checker import Checker

FORMAT, VERSION = "halocline-doctor", 1
OUTCOMES = ("sound", "refused", "wrong", "error", "crash", "hang")
"""All that can be said of a scheme. One that refuses some patterns, with a clear message, may be
trusted with the others; from `wrong` on it is broken."""


@dataclass
class Verdict:
    """What was found out about one scheme."""

    outcome: str
    detail: str = ""
    ranks: list[int] = field(default_factory=list)
    """The numbers of ranks it was checked with."""
    time: str = ""
    """When, in UTC."""

    @property
    def sound(self) -> bool:
        """Whether the scheme may be trusted."""
        return self.outcome in ("sound", "refused")

    @property
    def why(self) -> str:
        """The verdict in a line, without how to repeat it."""
        return f"{self.outcome}: {self.detail.split('; repeat:')[0]}"


@dataclass(frozen=True)
class Effort:
    """How hard the doctor looks."""

    ranks: tuple[int, ...] = (2, 3, 4)
    cases: int | None = None
    steps: int | None = None
    seed: int | None = None
    delay_us: int | None = None
    limit_s: float = 30
    """Seconds that one scheme may take."""

    def options(self) -> list[str]:
        """Return the options for `halocheck`; what is not given is left to its defaults."""
        given = {
            "--cases": self.cases,
            "--steps": self.steps,
            "--seed": self.seed,
            "--delay": self.delay_us,
        }
        return [
            text
            for name, value in given.items()
            if value is not None
            for text in (name, str(value))
        ]


def with_other_paths(schemes: Sequence[str]) -> list[str]:
    """Return the schemes, and those that take other ways through the MPI library.

    It may serve windows over memory that it did not allocate by another component: Debian's Open
    MPI 4.1 then hangs in `rma:get:lock` on 3 and more ranks. And it may skip on an assertion what
    it relies on: with both the same library hangs in `rma:put:lock`. The verdict on a method
    would say nothing about either.
    """
    one_sided = [name for name in schemes if name.startswith("rma:")]
    kinds = ("", "+alloc=create", "+alloc=dynamic")
    others = [kind + asserts for asserts in ("", "+asserts=on") for kind in kinds][1:]
    return [*schemes, *(name + other for name in one_sided for other in others)]


QUICK = Effort(ranks=(2,), cases=8, steps=4, limit_s=10)


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def examine(
    checker: Checker,
    schemes: Sequence[str],
    ranks: int,
    effort: Effort,
    progress: Callable[[str, str], None] = lambda scheme, event: None,
) -> dict[str, Verdict]:
    """Check schemes with one number of ranks.

    Parameters
    ----------
    progress
        Called with the scheme and `begin` or its outcome.

    Raises
    ------
    HaloclineError
        When `halocheck` does not even start.
    """
    verdicts: dict[str, Verdict] = {}

    def settle(scheme: str, outcome: str, detail: str) -> None:
        if outcome == "refused" and "MPI_ERR_" in detail:
            outcome = "error"  # Halocline refuses in its own words; this is MPI failing
        verdicts[scheme] = Verdict(outcome, detail, [ranks], now())
        progress(scheme, outcome)

    rest = list(schemes)
    while rest:
        arguments = ["--schemes", ",".join(rest), "--timeout", f"{effort.limit_s:g}"]
        command = checker.launcher.command(
            ranks, checker.program, arguments + effort.options(), pin=False
        )
        current = last = None  # the scheme in progress, and the one before
        with Child(command, checker.launcher.environment(ranks)) as child:
            # The program's own time limit comes first: it can say where it was waiting.
            for line in child.lines(1.5 * effort.limit_s + 5, silence=True):
                event = _event(line)
                if event.get("event") == "begin":
                    current = event["scheme"]
                    progress(current, "begin")
                elif event.get("event") == "end":
                    last, current = event["scheme"], None
                    settle(last, event.get("outcome", "error"), event.get("detail", ""))
            finished = child.finished()
        left = [scheme for scheme in rest if scheme not in verdicts and scheme != current]
        if current:
            settle(current, *_post_mortem(finished, during=True))
        elif last and verdicts[last].sound and not (finished.ok or _explained(left, verdicts)):
            # It died though nothing was wrong: the scheme before left something behind.
            settle(last, *_post_mortem(finished, during=False))
        if len(left) == len(rest):
            words = f"{finished.reason()}\n{finished.last_words()}".rstrip()
            raise HaloclineError(f"halocheck checked none of {', '.join(rest)}: {words}")
        rest = left
    return verdicts


def _explained(left: Sequence[str], verdicts: dict[str, Verdict]) -> bool:
    """Whether a non-zero exit code only says that some scheme was found broken."""
    return not left and not all(verdict.sound for verdict in verdicts.values())


def _event(line: str) -> dict[str, Any]:
    """Return the event in a line of output, where there is one: MPI libraries print, too."""
    with contextlib.suppress(ValueError):
        event = json.JSONDecoder().raw_decode(line[line.index("{") :])[0]
        if {"event", "scheme"} <= event.keys():
            return event
    return {}


def _post_mortem(finished: Finished, during: bool) -> tuple[str, str]:
    when = "" if during else " while cleaning up"
    words = finished.last_words(1, of_output=False)
    if finished.timed_out:
        return "hang", f"silent for {finished.wall_s:.0f} s{when}"
    if "no progress for" in words:  # its own time limit, in a call into MPI
        return "hang", f"{words}{when}"
    return "crash", f"{finished.reason()}{when}" + (f": {words}" if words else "")


class Memory:
    """The verdicts of earlier examinations, in a JSON file that people can read and edit.

    Each entry holds for one kind of machine, one MPI library, the MPI variables set by the user
    and one build of the programs.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self.entries: list[dict[str, Any]] = []
        if self.path.is_file():
            try:
                content = json.loads(self.path.read_text())
                if (content["format"], content["version"]) == (FORMAT, VERSION):
                    self.entries = content["entries"]
            except (ValueError, KeyError, TypeError) as error:
                raise HaloclineError(
                    f"{self.path} is not a record of the doctor ({error}); delete it"
                ) from error

    def entry(self, checker: Checker) -> dict[str, Any]:
        """Return the entry for this machine, MPI, environment and build; a new one if none."""
        key = {
            "host": machine.host_type(),
            "mpi": checker.library,
            "environment": machine.mpi_environment(),
        }
        for entry in self.entries:
            if all(entry.get(name) == value for name, value in key.items()):
                if entry.get("build") != checker.build:
                    entry.update(build=checker.build, schemes={})
                return entry
        entry = {**key, "build": checker.build, "schemes": {}}
        self.entries.append(entry)
        return entry

    def verdicts(self, checker: Checker) -> dict[str, Verdict]:
        """Return what is known about the schemes here."""
        return {name: Verdict(**row) for name, row in self.entry(checker)["schemes"].items()}

    def record(self, checker: Checker, verdicts: dict[str, Verdict]) -> None:
        """Add verdicts and write the file, so that nobody ever reads half of it."""
        rows = self.entry(checker)["schemes"]
        rows.update({name: asdict(verdict) for name, verdict in verdicts.items()})
        content = {"format": FORMAT, "version": VERSION, "entries": self.entries}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}")
            fresh.write_text(json.dumps(content, indent=1) + "\n")
            fresh.replace(self.path)
        except OSError as error:
            raise HaloclineError(
                f"cannot write {self.path}: {error.strerror}; HALOCLINE_CACHE names another folder"
            ) from error


def default_path() -> Path:
    """Return where verdicts are remembered: HALOCLINE_CACHE, or the user's cache folder."""
    folder = os.environ.get("HALOCLINE_CACHE")
    if folder:
        return Path(folder).expanduser() / "doctor.json"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "halocline" / "doctor.json"


def check(
    checker: Checker,
    schemes: Sequence[str],
    effort: Effort,
    *,
    fresh: bool = False,
    memory: Memory | None = None,
    progress: Callable[[str, str], None] = lambda scheme, event: None,
) -> dict[str, Verdict]:
    """Return a verdict for every scheme: remembered ones, the rest examined now.

    A scheme is examined with every number of ranks of `effort` until it is found broken. What
    was found is written down after each number of ranks, so an interruption loses little.
    """
    memory = memory or Memory()
    known = {} if fresh else memory.verdicts(checker)
    verdicts = {name: known[name] for name in schemes if name in known}
    for ranks in effort.ranks:
        todo = [
            name
            for name in schemes
            if name not in verdicts or (verdicts[name].sound and ranks not in verdicts[name].ranks)
        ]
        if not todo:
            continue
        found = examine(checker, todo, ranks, effort, progress)
        for name, verdict in found.items():
            if verdict.sound and name in verdicts:
                verdict.ranks = sorted({*verdicts[name].ranks, ranks})
            verdicts[name] = verdict
        memory.record(checker, found)
    return {name: verdicts[name] for name in schemes}


@dataclass(frozen=True)
class Advice:
    """Something about this machine or MPI that the user should know, and what helps."""

    about: str
    text: str
    serious: bool = False


def advise(facts: dict[str, Any], verdicts: dict[str, Verdict]) -> list[Advice]:
    """Compare facts and verdicts with what is known to go wrong, and name the remedies."""
    found = []
    library = facts.get("mpi", {}).get("library", "")
    here = facts.get("machine", {})
    broken = [name for name, verdict in verdicts.items() if not verdict.sound]
    if "Open MPI v4.1" in library and not os.environ.get("OMPI_MCA_osc"):
        found.append(
            Advice(
                "Open MPI 4.1",
                "windows of different communicators can get the same memory (wrong data, 'invalid "
                "window'), and compare-and-swap can crash; OMPI_MCA_osc=^rdma avoids both",
                any(name.startswith("rma") for name in broken),
            )
        )
    if not facts.get("small_windows_work", True):
        found.append(
            Advice(
                "small windows",
                "put into windows of MPI_Win_allocate with 24 or 40 bytes gives wrong data, as in "
                "MPICH 4.0.2. Halocline rounds its own up to cache lines; round up yours, or set "
                "MPIR_CVAR_NOLOCAL=1, which gives shared memory up, or take a newer MPICH",
                serious=True,
            )
        )
    bindings = [tuple(rank.get("binding") or ()) for rank in facts.get("ranks", [])]
    if bindings and all(bindings):
        cpus = set().union(*bindings)
        if len(cpus) < len(bindings) <= machine.usable_cores():
            found.append(
                Advice(
                    "pinning",
                    f"{len(bindings)} ranks share {len(cpus)} CPU while {machine.usable_cores()} "
                    "cores are free: unset I_MPI_PIN or HYDRA_BINDING, or give the launcher "
                    "'--bind-to none'",
                    True,
                )
            )
    free = here.get("shm_bytes_free")
    if free is not None and free < 1 << 28:
        found.append(
            Advice(
                "/dev/shm",
                f"only {free / 2**20:.0f} MiB free: shared windows need room there; "
                "'mount -o remount,size=2G /dev/shm', or docker run --shm-size=2g",
                True,
            )
        )
    if here.get("cpu", machine.cpu_model()).startswith(("AMD", "Intel")) and (
        "x86_rep_movsb_threshold" not in os.environ.get("GLIBC_TUNABLES", "")
    ):
        found.append(
            Advice(
                "glibc",
                "large copies to another process can be 20 times slower than need be; try "
                "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1073741824 and compare",
            )
        )
    if facts.get("mpi", {}).get("thread_level") == "single":
        found.append(
            Advice(
                "threads",
                "this MPI allows one thread a rank: programs with several will refuse to start",
            )
        )
    separate = [k for k, model in facts.get("windows", {}).items() if model == "separate"]
    if separate:
        found.append(
            Advice(
                "memory model",
                f"windows of flavour {', '.join(separate)} are 'separate': schemes that read flags "
                "by plain loads are not available on them",
            )
        )
    return found
