"""Talk with `halocheck`, the C++ program that knows the schemes, their MPI and its launcher."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from halocline import shapes
from halocline.errors import HaloclineError
from halocline.launch import process
from halocline.launch.answers import answer, has, rows
from halocline.launch.launcher import Launcher, candidates
from halocline.launch.programs import find_program


@dataclass(frozen=True)
class Scheme:
    """One scheme and whether this MPI has what it needs."""

    name: str
    available: bool
    reason: str = ""
    """Why it is missing, when it is."""


SURROUNDINGS = {"host": str, "mpi": str, "environment": dict[str, str], "build": str}


class Checker:
    """The installed `halocheck` and the launcher that belongs to it."""

    def __init__(
        self, folder: Path | str | None = None, variables: Mapping[str, str] | None = None
    ) -> None:
        """Find it.

        Parameters
        ----------
        folder
            Of the programs; None to look for it.
        variables
            What its ranks, and those of all that its launcher starts, get beside ours.
        """
        self.program = find_program("halocheck", folder)
        self.variables = tuple((variables or {}).items())
        self._known_facts: dict[int, dict[str, Any]] = {}

    @cached_property
    def launcher(self) -> Launcher:
        """The launcher of the MPI that the programs were built with.

        One of another MPI starts every rank as a job of its own, so each is tried.
        """
        refused = []
        for found in candidates(self.program):
            launcher = replace(found, variables=self.variables)
            try:
                facts = self._facts(launcher, 2)
            except HaloclineError as error:
                refused.append(f"{launcher.path}: {error}")
                continue
            if len(facts.get("ranks", [])) == 2:
                self._known_facts[2] = facts
                return launcher
            refused.append(f"{launcher.path}: the launcher of another MPI, ranks do not meet")
        raise HaloclineError(
            "no launcher for the MPI that halocheck was built with; name it with "
            "HALOCLINE_MPIEXEC\n" + "\n".join(refused)
        )

    @property
    def surroundings(self) -> dict[str, Any]:
        """What verdicts hold for: `host`, `mpi`, `environment` and `build`, as a rank sees them.

        `auto` compares them with its own, which the same code of the library tells it.
        """
        found = self.facts(2).get("verdicts_hold_for")
        return shapes.fitted(found, SURROUNDINGS, "halocheck --facts", "verdicts_hold_for")

    def facts(self, ranks: int) -> dict[str, Any]:
        """Return what a job of `ranks` ranks tells about machine, MPI, windows and pinning."""
        launcher = self.launcher
        if ranks not in self._known_facts:
            self._known_facts[ranks] = self._facts(launcher, ranks)
        return self._known_facts[ranks]

    def _facts(self, launcher: Launcher, ranks: int) -> dict[str, Any]:
        command = launcher.command(ranks, self.program, ["--facts"])
        fits = has("machine", "mpi", "ranks")
        return self._asked(command, "--facts", fits, launcher.environment(ranks))

    def device(self) -> dict[str, Any]:
        """Return the `device` of a rank and whether it is `played` by a CPU; or what is `missing`.

        It is opened for that, which is why it is none of the facts.
        """
        try:
            command = self.launcher.command(1, self.program, ["--device"])
            return self._asked(
                command, "--device", lambda said: has("device")(said) or has("missing")(said),
                self.launcher.environment(1),
            )  # fmt: skip
        except HaloclineError as error:
            return {"missing": str(error)}

    def schemes(self, *, missing: bool = False, combinations: bool = False) -> list[Scheme]:
        """Return the schemes of this build.

        Parameters
        ----------
        missing
            Include those that this MPI cannot run, with the reason.
        combinations
            Every combination of options, not only the default of each.
        """
        flags = ["--all"] * missing + ["--combinations"] * combinations
        command = [str(self.program), "--list", *flags, "--json"]
        found = self._asked(command, "--list", rows("scheme"))
        return [Scheme(r["scheme"], r.get("available", True), r.get("reason", "")) for r in found]

    def meaningless(self, globs: Sequence[str]) -> list[str]:
        """Return those of the globs that match no scheme, here or under another MPI."""
        command = [str(self.program), *(f"--globs={glob}" for glob in globs)]
        found = self._asked(command, "--globs", has("match_no_scheme"))
        return shapes.fitted(found, {"match_no_scheme": list[str]}, "halocheck --globs")[
            "match_no_scheme"
        ]

    def _asked(
        self,
        command: Sequence[str],
        what: str,
        fits: Callable[[Any], bool],
        environment: dict[str, str] | None = None,
    ) -> Any:
        finished = process.run(command, environment, limit_s=60)
        if not finished.ok:
            raise HaloclineError(
                f"halocheck {what}: {finished.reason()}\n{finished.last_words()}".rstrip()
            )
        return answer(finished.output, fits, f"halocheck {what}")


def launcher_of(program: Path, folder: Path | str | None = None) -> Launcher:
    """Return the launcher for a program, with the help of `halocheck` where several might do."""
    found = candidates(program)
    if len(found) > 1:
        with contextlib.suppress(HaloclineError):
            return Checker(folder).launcher
    return found[0]
