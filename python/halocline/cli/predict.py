"""The commands `halocline predict` and `halocline model`: times on machines that are not here."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, List, Optional

import typer
from rich.console import Console

from halocline import model, outputs, records, verbs
from halocline.cli import display, terminal
from halocline.cli.in_job import starts_ranks
from halocline.cli.options import BIN, OUTPUT, SEED, percent
from halocline.cli.progress import Ticking
from halocline.errors import HaloclineError
from halocline.figures import amount, plain, scale
from halocline.model import (
    Prediction,
    WhatIf,
    computing,
    fitting,
    machines,
    networks,
    trust,
)
from halocline.reports import screenshot

app = typer.Typer(no_args_is_help=True, help="What schemes do, and what that costs on a machine.")

MACHINE = typer.Option(
    None,
    help="A machine file, or the name of one of 'halocline model machines'.",
    show_default="this machine, measured when first needed",
)


def predict(
    program: str = typer.Argument(
        ...,
        help="laplace, partdiff, heat, matmul, md, spmv, replicate, halo (an exchange alone), or "
        "goal (a trace of another code).",
    ),
    arguments: Optional[List[str]] = typer.Argument(
        None,
        metavar="[ARGS]...",
        help="The program's own, which say how large its problem is; without, an example's. Of "
        "goal the trace's file.",
    ),
    ranks: Optional[str] = typer.Option(
        None, "--ranks", "-n", help="Numbers of ranks: 100,1000,10000.",
        show_default="2, or a trace's own",
    ),
    machine: Optional[str] = MACHINE,
    network: Optional[str] = typer.Option(
        None, metavar="NAME", help="Between nodes: one of 'halocline model networks', or a file.",
        show_default=f"the machine file's, this node's, or {networks.USUAL}",
    ),
    chosen: str = typer.Option("all", "--schemes", help="Names or globs, separated by commas."),
    ranks_per_node: Optional[int] = typer.Option(
        None, min=1, help="As many as a node has cores by default."
    ),
    ranks_per_socket: Optional[int] = typer.Option(None, min=1, help="All of a node by default."),
    placement: str = typer.Option(
        "sequential", help="sequential, or placed: so that least crosses nodes."
    ),
    compute: Optional[float] = typer.Option(
        None, metavar="SECONDS", help="Computing for each point, instead of the machine file's."
    ),
    reduction: Optional[str] = typer.Option(
        None, help="none, allreduce, chain or last, after every step."
    ),
    steps: int = typer.Option(30, min=4, help="Steps to simulate."),
    latency: float = typer.Option(1, min=0, help="What if: factor of latencies between nodes."),
    bandwidth: float = typer.Option(1, min=1e-6, help="What if: factor of rates between nodes."),
    imbalance: str = typer.Option("0%", help="What if: standard deviation of ranks' speeds."),
    slow: Optional[str] = typer.Option(
        None, metavar="RANK:FACTOR", help="What if: this rank computes so many times as long."
    ),
    noise: Optional[str] = typer.Option(
        None, metavar="EVERY:SECONDS",
        help="What if: interruptions of computing, on average EVERY seconds apart.",
    ),
    noise_file: Optional[Path] = typer.Option(
        None, help="What if: measured factors of a step's computing, one a line."
    ),
    output: Optional[Path] = OUTPUT,
    image: Optional[Path] = typer.Option(
        None, "--screenshot", metavar="FILE.png",
        help="With --output: the page's top, by Chromium.",
    ),
    programs: Optional[Path] = BIN,
) -> None:  # fmt: skip
    """Predict the time of a step through every scheme, on ranks that need not be here.

    Into the folder of --output go a page with curves and a heat map, and the table as JSON.
    """
    if image is not None and output is None:
        raise HaloclineError("--screenshot: is of the page; give --output DIR, too")
    outputs.check_folder(output, "--output")
    outputs.check(image, "--screenshot")
    console = terminal.console()
    slow_rank, slow_factor = _pair(slow, "--slow", (-1, 1))
    every, seconds = _pair(noise, "--noise", (0, 0))
    what_if = WhatIf(
        latency, bandwidth, percent(imbalance, "--imbalance"), int(slow_rank), slow_factor, every,
        seconds, _samples(noise_file),
    )  # fmt: skip
    with Ticking(console, always=True) as ticking:
        found = verbs.predict(
            program, arguments or [], ranks=ranks, machine=machine, schemes=chosen,
            ranks_per_node=ranks_per_node, ranks_per_socket=ranks_per_socket, placement=placement,
            compute_s=compute, reduction=reduction, steps=steps, network=network,
            what_if=what_if, programs=programs, say=_tell(console, ticking),
        )  # fmt: skip
    show(console, found)
    if output is not None:
        from halocline.reports import forecast  # it loads matplotlib

        table = json.dumps(found.table(), indent=1) + "\n"
        outputs.save(outputs.make_folder(output) / "prediction.json", table)
        shown = forecast.page(found, output, records.own_command_line())
        console.print(f"Page: {shown}", soft_wrap=True)
        if image is not None:
            console.print(f"Its top: {screenshot.take(shown, image)}", soft_wrap=True)


def _tell(console: Console, ticking: Ticking) -> Callable[[str], None]:
    """Return what prints lines: the first is an answer, the others tell of progress."""
    styles = iter(["bold"])

    def tell(text: str) -> None:
        style = next(styles, "dim")
        console.print(text, style=style, soft_wrap=True)
        ticking.at = f"still {text}" if style == "dim" else ""

    return tell


def _pair(text: Optional[str], option: str, otherwise: tuple[float, float]) -> tuple[float, float]:
    if text is None:
        return otherwise
    one, colon, other = text.partition(":")
    try:
        return (float(one), float(other)) if colon else (float("nan"), float("nan"))
    except ValueError as error:
        raise HaloclineError(f"{option} {text}: give two numbers, as 3:1.5") from error


def _samples(file: Optional[Path]) -> tuple[float, ...]:
    if file is None:
        return ()
    try:
        found = tuple(float(line) for line in file.read_text("utf-8").split())
    except (OSError, ValueError) as error:
        raise HaloclineError(f"--noise-file {file}: {error}") from error
    if not found or not all(0 < one < math.inf for one in found):
        raise HaloclineError(f"--noise-file {file}: give factors above 0, one a line")
    return found


def show(console: Console, found: Prediction) -> None:
    """Print a table for each number of ranks, and where the fastest changes."""
    question = found.question
    for ranks in found.ranks():
        rows = found.at(ranks)
        factor, unit = scale(rows[0].step.value)
        words = " ".join((question.program, *question.arguments))
        table = display.plain_table(f"{words} on {ranks} ranks of {found.machine.name}")
        table.add_column("scheme", no_wrap=True)
        table.add_column(f"{unit} a step\n[90 %]", justify="right", no_wrap=True)
        table.add_column(f"not computing,\n{unit}", justify="right", no_wrap=True)
        table.add_column(f"of it waiting,\n{unit}", justify="right", no_wrap=True)
        table.add_column("longest\nto", no_wrap=True)
        table.add_column("memory\na rank", justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
        for i, row in enumerate(rows):
            step = row.step.scaled(factor)
            bounds = f" [{plain(step.low)}, {plain(step.high)}]" if step.high > step.low else ""
            table.add_row(
                row.scheme, plain(step.value) + bounds, plain(row.communicated_s * factor),
                plain(row.waited_s * factor), row.waits_for, amount(row.memory_bytes),
                "fastest" if i == 0 else "tie" if row.tied else "",
                style="bold green" if i == 0 else "green" if row.tied else "",
            )  # fmt: skip
        console.print(table)
    for sentence in found.crossovers():
        console.print(sentence, style="bold")
    for scheme, why in found.refused.items():
        console.print(f"{scheme} left out: {why}", style="yellow", soft_wrap=True)


@app.command("machines")
def list_machines() -> None:
    """List the machine files that come with Halocline, and where their numbers are from."""
    console = terminal.console()
    table = display.plain_table("")
    table.add_column("name", no_wrap=True)
    table.add_column("machine")
    table.add_column("source")
    for name in machines.shipped():
        content = machines.load(name).content
        table.add_row(name, content.get("name", ""), content.get("source", ""))
    console.print(table)


@app.command("networks")
def list_networks() -> None:
    """List the networks for `predict --network`: what they do between nodes, as published."""
    console = terminal.console()
    table = display.plain_table("")
    table.add_column("name", no_wrap=True)
    table.add_column("latency,\nµs", justify="right")
    table.add_column("a rank,\nGB/s", justify="right")
    table.add_column("a node,\nGB/s", justify="right")
    table.add_column("million messages\na second, a rank", justify="right")
    table.add_column("assumed")
    for name in networks.shipped():
        content = networks.load(name).content
        figures = (
            (content["latency_s"], 1e6), (content["bandwidth_bytes_per_s"], 1e-9),
            (content["injection_bytes_per_s"], 1e-9), (content["rank_messages_per_s"], 1e-6),
        )  # fmt: skip
        assumed = ", ".join(
            what.removesuffix("_s").removesuffix("_per").replace("_", " ")
            for what in content.get("assumed", {})
        )
        table.add_row(name, *(plain(value * unit) for value, unit in figures), assumed)
    console.print(table)
    console.print(
        f"Their sources are in the files, {networks.SHIPPED}/*.json", style="dim", soft_wrap=True
    )


@app.command("describe")
def describe(
    scheme: str = typer.Argument(..., help="A scheme, or a method of another MPI."),
    as_json: bool = typer.Option(False, "--json", help="As data."),
    picture: Optional[Path] = typer.Option(
        None, metavar="FILE.svg", help="Draw a step of two ranks, with the costs of --machine."
    ),
    machine: Optional[str] = typer.Option(None, help="For the picture: a machine file."),
    programs: Optional[Path] = BIN,
) -> None:
    """Say what a scheme does in one step between two ranks: what the simulator carries out."""
    outputs.check(picture, "--picture")
    console = terminal.console()
    said = model.simulation.described(scheme, None, programs)
    if as_json:
        print(json.dumps(said, indent=1))
    else:
        for part in ("start", "finish"):
            console.print(part, style="bold")
            for operation in said[part]:
                console.print(f"  {operation['text']}", soft_wrap=True, highlight=False)
            if not said[part]:
                console.print("  nothing")
    if picture is not None:
        from halocline.reports import forecast  # it loads matplotlib

        known = machines.load(machine) if machine else fitting.beginning()
        console.print(f"Picture: {forecast.diagram(scheme, known, picture, programs)}")


@app.command("measure")
@starts_ranks
def measure_machine(
    output: Path = typer.Option(..., "--output", metavar="FILE.json", help="The machine file."),
    name: str = typer.Option("this machine", help="What the file calls it."),
    chosen: Optional[str] = typer.Option(None, "--schemes", help="All methods by default."),
    quick: bool = typer.Option(
        False, help="A first answer within a minute: fewer sizes and programs, one launch each."
    ),
    budget: Optional[float] = typer.Option(
        None, min=1, show_default="60, with --quick 6",
        help="Seconds for each launch of three kinds.",
    ),
    launches: Optional[int] = typer.Option(
        None, min=1, show_default="2, with --quick 1", help="Launches of each kind."
    ),
    results: Optional[Path] = typer.Option(
        None, metavar="DIR", help="Keep what was measured here; what is there is not measured anew."
    ),
    seed: Optional[int] = SEED,
    programs: Optional[Path] = BIN,
) -> None:  # fmt: skip
    """Measure what things cost here with halometer, and fit a machine file to it."""
    outputs.check(output, "--output")
    outputs.check_folder(results, "--results")
    console = terminal.console()
    usual = model.here.QUICK if quick else model.here.Extent(fitting.MEASURED, 60, 2)
    extent = replace(usual, budget_s=budget or usual.budget_s, launches=launches or usual.launches)
    made, found = model.here.machine_of(
        results or records.default_folder("model"), extent, name,
        f"measured by halocline model measure{' --quick' * quick}", schemes=chosen, seed=seed,
        programs=programs, say=lambda text: console.print(text, style="dim", soft_wrap=True),
    )  # fmt: skip
    made.write(output)
    errors = abs(found.ratios - 1)
    console.print(
        f"{len(errors)} measurements fitted: half of them within "
        f"{100 * float(_median(errors)):.0f} %. Written to {output}",
        soft_wrap=True,
    )


@app.command("trust")
def show_trust(
    results: Path = typer.Option(
        ..., metavar="DIR", help="What 'halocline model measure --results' left."
    ),
    file: Optional[Path] = typer.Option(None, "--json", metavar="FILE", help="Write all there."),
    programs: Optional[Path] = BIN,
) -> None:
    """Fit half of the measured sizes, predict the other half, and say how far off that is."""
    outputs.check(file, "--json")
    console = terminal.console()
    samples, facts = _measured(console, results, programs)
    found = trust.held_out(samples, programs)
    table = display.plain_table("Held out: every second size of each kind")
    for head in ("scheme", "points", "median error, %", "worst, %", "bias, %"):
        table.add_column(head, justify="left" if head == "scheme" else "right", no_wrap=True)
    for row in found.table():
        table.add_row(
            row["scheme"], str(row["points"]), f"{100 * row['median_error']:.1f}",
            f"{100 * row['worst_error']:.0f}", f"{100 * row['bias']:+.1f}",
        )  # fmt: skip
    console.print(table)
    for what, value in found.summary().items():
        shown = f"{value:.0f}" if what == "points" else f"{100 * value:.1f} %"
        console.print(f"{what.replace('_', ' ')}: {shown}")
    runs = computing.run(results, programs)
    fitted = fitting.fit(samples, programs).machine
    fitted.content["compute"] = computing.rates(runs)
    solved = trust.applications(fitted, runs, facts["near_below_s"], programs)
    table = display.plain_table("Programs, fitted to all sizes: µs a step")
    for head in ("program", "scheme", "computing", "measured", "predicted", "error, %"):
        words = head in ("program", "scheme")
        table.add_column(head, justify="left" if words else "right", no_wrap=True)
    for one in solved:
        table.add_row(
            " ".join((one["program"], *one["asked"])), one["scheme"], plain(1e6 * one["compute_s"]),
            plain(1e6 * one["measured_s"]), plain(1e6 * one["predicted_s"]),
            f"{100 * one['error']:+.1f}",
        )  # fmt: skip
    console.print(table)
    if file is not None:
        said = {"summary": found.summary(), "schemes": found.table(), "programs": solved}
        outputs.save(file, json.dumps(said, indent=1) + "\n")


@app.command("replay")
def replay(
    file: Optional[Path] = typer.Option(None, "--json", metavar="FILE", help="Write all there."),
    programs: Optional[Path] = BIN,
) -> None:
    """Predict what the studies found, with the figures that their texts give, and compare."""
    outputs.check(file, "--json")
    console = terminal.console()
    found = model.studies.replay(programs)
    table = display.plain_table()
    for head in ("study", "statement", "found", "predicted", "agrees", "why"):
        table.add_column(head)
    for one in found.statements:
        table.add_row(*(str(value) for value in one.row().values()))
    console.print(table)
    if file is not None:
        outputs.save(file, json.dumps(found.table(), indent=1) + "\n")


def _measured(
    console: Console, folder: Path, programs: Optional[Path]
) -> tuple[list[fitting.Sample], dict[str, Any]]:
    return model.here.measured(
        folder, model.here.Extent(fitting.MEASURED, 0), programs=programs,
        say=lambda text: console.print(text, style="dim"),
    )  # fmt: skip


def _median(values: Any) -> float:
    ordered = sorted(values)
    return float(ordered[len(ordered) // 2])
