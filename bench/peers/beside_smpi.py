"""A halo of messages, predicted, beside the same program simulated by SimGrid's own SMPI.

plain_halo.cpp is compiled by smpicxx and run by smpirun on the platform file that the engine
simgrid plays on (flat, a rank a node), with the machine file's overheads of sending and receiving
and its times of packing. SMPI knows nothing of Halocline; what it is told is the same.

    ./dev build halosim
    .venv/bin/python bench/peers/beside_smpi.py --ranks 64,256,1024
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from halocline.model import Question, machines, simulation
from launches import launched

SCHEME = "p2p:nonblocking"
HERE = Path(__file__).resolve().parent
EXACT = (
    "network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "surf/precision:1e-12",
    "smpi/simulate-computation:no", "smpi/cpu-threshold:0", "smpi/wtime:0",
)  # fmt: skip


def cost(machine, name, size):
    """What the file says between nodes, as straight lines."""
    content = machine.content
    curve = content["levels"]["network"]["costs"].get(name, content["costs"].get(name, 0.0))
    return curve if isinstance(curve, float) else float(np.interp(size, *zip(*curve)))


def packing(machine, extent):
    """Seconds of packing for each of 27 directions: of the middle one of 27 ranks."""
    pattern = {"kind": "grid", "cells": [3 * extent] * 3, "dims": [3, 3, 3]}
    said = simulation.described(SCHEME, {"ranks": 27, "rank": 13, "pattern": pattern})
    seconds = [0.0] * 27
    for one in said["start"]:
        if one["verb"] == "pack":
            seconds[one["peer"]] = cost(machine, "pack", one["bytes"])
    return seconds


def by_smpi(program, machine, platform, ranks, dims, wish):
    """Seconds of a step as SMPI has it; seconds and megabytes that it takes."""
    overheads = [
        f"smpi/{option}:0:{cost(machine, name, 0)}:0"
        for option, name in (("os", "send"), ("ois", "send"), ("or", "receive"))
    ]
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "platform.xml").write_text(platform)
        (Path(place) / "hosts").write_text("".join(f"node-{i}\n" for i in range(ranks)))
        command = [
            "smpirun", "-np", ranks, "-platform", f"{place}/platform.xml",
            "-hostfile", f"{place}/hosts", *(f"--cfg={one}" for one in (*EXACT, *overheads)),
            "--log=root.threshold:critical", program, *dims, wish.extent, wish.steps,
            wish.warm_up, *packing(machine, wish.extent),
        ]  # fmt: skip
        said, seconds, megabytes = launched(command)
    return float(said.split()[-1]), seconds, megabytes


def main():
    """Simulate thrice, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--machine", default="mistral")
    parser.add_argument("--ranks", default="64,256,1024")
    parser.add_argument("--extent", type=int, default=16, help="cells of a rank along each axis")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm-up", type=int, default=4)
    wish = parser.parse_args()
    machine = machines.load(wish.machine)
    print("| ranks | SMPI, µs a step | predicted: own, µs | off, % | SimGrid's actors, µs | off, % "
          "| SMPI, s | MB |")  # fmt: skip
    print(f"|{'---|' * 8}")
    with tempfile.TemporaryDirectory() as place:
        program = f"{place}/plain_halo"
        subprocess.run(["smpicxx", "-O2", HERE / "plain_halo.cpp", "-o", program], check=True)
        for ranks in map(int, wish.ranks.split(",")):
            question = Question("halo", ("x".join([str(wish.extent)] * 3),), 1, steps=wish.steps)
            case = {**question.case(SCHEME, ranks), "warm_up": wish.warm_up}
            file = Path(place) / "request.json"
            file.write_text(json.dumps({"machine": machine.content, **case}))
            platform = simulation.asked(["platform", str(file)])
            outcomes = [
                simulation.simulated(machine, {**case, "engine": engine})
                for engine in ("own", "simgrid")
            ]
            dims = outcomes[0]["dims"]
            smpi, seconds, megabytes = by_smpi(program, machine, platform, ranks, dims, wish)
            cells = []
            for step in (outcome["step_s"] for outcome in outcomes):
                cells += [f"{1e6 * step:.2f}", f"{100 * (step / smpi - 1):+.1f}"]
            print(f"| {ranks:,} | {1e6 * smpi:.2f} | {' | '.join(cells)} | {seconds:.1f} "
                  f"| {megabytes:.0f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
