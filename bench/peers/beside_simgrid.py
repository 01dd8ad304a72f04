"""The own simulator beside SimGrid's actors: predicted step, time and memory as ranks grow.

Both play the same programs on the same machine file (an exchange by itself, such as
`halocline predict halo 16x16x16` has it), each in a launch of its own. SimGrid (Debian:
libsimgrid-dev) must have been found when halosim was built.

    ./dev build halosim
    .venv/bin/python bench/peers/beside_simgrid.py --ranks 64,256,1024
"""

import argparse
import json
import tempfile

from halocline.model import Question, machines
from launches import launched


def simulated(halosim, machine, case):
    """The step of a case, seconds and megabytes of its launch."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"machine": machine.content, "cases": [case]}, file)
        file.flush()
        said, seconds, megabytes = launched([halosim, "run", file.name])
    (outcome,) = json.loads(said)
    if "error" in outcome:
        raise SystemExit(outcome["error"])
    return outcome["step_s"], seconds, megabytes


def main():
    """Simulate, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--halosim", default="build/release/bin/halosim")
    parser.add_argument("--machine", default="mistral")
    parser.add_argument("--ranks", default="64,256,1024")
    parser.add_argument("--ranks-per-node", type=int, default=1)
    parser.add_argument("--extent", default="16x16x16", help="cells of a rank")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument(
        "--schemes", default="p2p:nonblocking,rma:put:fence,rma:put:pscw,shm:signal"
    )
    parser.add_argument("--networks", default="flat", help="as flat/fat-tree/torus:8,8,16")
    wish = parser.parse_args()
    machine = machines.load(wish.machine)
    print("| scheme | ranks | network | own, µs a step | SimGrid, µs | SimGrid / own "
          "| own, s | SimGrid, s | own, MB | SimGrid, MB |")  # fmt: skip
    print(f"|{'---|' * 10}")
    for scheme in wish.schemes.split(","):
        for ranks in map(int, wish.ranks.split(",")):
            question = Question("halo", (wish.extent,), wish.ranks_per_node, steps=wish.steps)
            case = question.case(scheme, ranks)
            own, own_s, own_mb = simulated(wish.halosim, machine, case)
            for network in wish.networks.split("/"):
                asked = {**case, "engine": "simgrid", "network": network}
                step, seconds, megabytes = simulated(wish.halosim, machine, asked)
                print(
                    f"| {scheme} | {ranks:,} | {network} | {1e6 * own:.2f} | {1e6 * step:.2f} "
                    f"| {step / own:.3f} | {own_s:.2f} | {seconds:.2f} | {own_mb:.0f} "
                    f"| {megabytes:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
