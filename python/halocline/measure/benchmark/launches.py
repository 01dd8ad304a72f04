"""Launch halometer several times, and record what came of it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from halocline.launch import Launcher, machine, process
from halocline.measure.benchmark.record import Benchmark, Launch


def measure(
    benchmark: Benchmark,
    program: Path,
    launcher: Launcher,
    arguments: Sequence[str],
    *,
    ranks: Sequence[int],
    launches: int,
    limit_s: float,
    pin: bool = True,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Launch halometer `launches` times for every number of ranks, and record what came of it.

    A launch that fails is recorded with its reason, and the others go on. Ctrl-C ends the
    measurement; what is complete stays. What the benchmark holds already is not launched again.
    """
    known = {(launch.ranks, launch.number) for launch in benchmark.launches}
    try:
        for number in range(1, launches + 1):
            for count in ranks:
                if (count, number) in known:
                    continue
                say(f"launch {number} of {launches} on {count} rank{'s' * (count != 1)}")
                _launch(benchmark, program, launcher, arguments, count, number, limit_s, pin)
    except KeyboardInterrupt as error:
        benchmark.interrupted = True
        for launch in benchmark.launches:
            if launch.status == "running":
                launch.status, launch.reason = "interrupted", process.why_interrupted(error)
    benchmark.save()


def _launch(
    benchmark: Benchmark,
    program: Path,
    launcher: Launcher,
    arguments: Sequence[str],
    ranks: int,
    number: int,
    limit_s: float,
    pin: bool,
) -> None:
    file = benchmark.folder / f"{benchmark.kind}-{ranks}-{number}.json"
    seed = (benchmark.seed + number) % (1 << 31)
    command = launcher.command(
        ranks, program,
        [benchmark.kind, *arguments, "--seed", str(seed), "--json", str(file)], pin=pin,
    )  # fmt: skip
    shown = " ".join(
        [f"{k}={shlex.quote(v)}" for k, v in benchmark.environment.items()]
        + [launcher.shown(ranks, command)]
    )
    launch = Launch(ranks, number, shown, machine.load())
    benchmark.launches.append(launch)
    began = time.monotonic()
    try:
        finished = process.run(
            command, {**launcher.environment(ranks), **benchmark.environment}, limit_s
        )
        launch.status = "measured" if finished.ok else "failed"
        if not finished.ok:
            launch.reason = f"{finished.reason()}\n{finished.last_words(of_output=False)}".rstrip()
    finally:
        launch.wall_s = round(time.monotonic() - began, 3)
        # halometer writes its file anew after every group: what is there is complete.
        if file.is_file():
            launch.file = file.name
        benchmark.save()
