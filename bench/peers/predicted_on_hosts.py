"""Exchanges between hosts, predicted beside measured: network namespaces with rate-limited links.

The hosts are those of tests/hosts (root, `ip netns`; MPICH over TCP). halobench measures round
trips and halos on two hosts of a rank each; the model is fitted to the round trips and every second
size of the halos, and predicts the others.

    ./dev build halobench halosim
    .venv/bin/python bench/peers/predicted_on_hosts.py --rate 400mbit
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from halocline.model import fitting, trust

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/hosts"))

from on_two_hosts import Hosts, mpiexec  # noqa: E402

SCHEMES = "p2p:nonblocking,p2p:persistent,rma:put:fence,rma:put:pscw,rma:put:flush"
HALOS = ("--extent", "8x8x8,12x12x12,16x16x16,24x24x24,32x32x32,48x48x48,64x64x64", "--boundary",
         "open", "--rewrite", "field")  # fmt: skip
ROUNDTRIPS = ("--no-limit", "--sizes", "8,256,2K,4K,8K,16K,32K,64K,128K")


def measured(wish, hosts, kind, arguments):
    """What halobench measures with a rank on each host, as samples of the model."""
    job = argparse.Namespace(mpi="mpich", release="", mpiexec=wish.build / "mpiexec", ranks=1)
    with tempfile.TemporaryDirectory() as folder:
        command, environment = mpiexec(job, hosts, folder)
        file = Path(folder) / "said.json"
        words = [
            *command, wish.build / "bin/halobench", "--schemes", SCHEMES, "--budget", wish.budget,
            "--pin", "off", "--json", file, kind, *arguments,
        ]  # fmt: skip
        before = [hosts.received(name) for name in hosts.names]
        subprocess.run(
            hosts.command(hosts.names[0], *map(str, words)), check=True,
            env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        crossed = [hosts.received(name) - was for name, was in zip(hosts.names, before)]
        content = json.loads(file.read_text())
    if min(crossed) < 100_000:
        raise SystemExit(f"{kind}: only {crossed} bytes crossed: MPI has found a way around TCP")
    samples = fitting.samples_of([content], kind)
    for one in samples:
        del one.case["ranks_per_socket"]
        one.case["ranks_per_node"] = 1
    return samples


def show(title, samples, predicted):
    """A table of what was predicted beside what was measured."""
    print(f"\n{title}\n\n| scheme | cells of a rank | measured, µs | predicted, µs | off, % |")
    print("|---|---|---|---|---|")
    errors = []
    for one, seconds in zip(samples, predicted):
        dims = one.case["pattern"]["dims"]
        cells = "x".join(str(n // d) for n, d in zip(one.case["pattern"]["cells"], dims))
        error = seconds / one.seconds - 1
        errors.append(abs(error))
        print(f"| {one.scheme} | {cells} | {1e6 * one.seconds:.0f} | {1e6 * seconds:.0f} "
              f"| {100 * error:+.0f} |")  # fmt: skip
    print(f"\nmedian {100 * np.median(errors):.0f} %, within 20 %: {sum(np.array(errors) <= 0.2)} "
          f"of {len(errors)}")  # fmt: skip


def main():
    """Measure, fit, predict, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--rate", default="400mbit", help="of each host's link: N mbit")
    parser.add_argument("--budget", default="30", help="seconds for each launch of halobench")
    wish = parser.parse_args()
    with Hosts(wish.rate) as hosts:
        pairs = measured(wish, hosts, "roundtrip", ROUNDTRIPS)
        halos = measured(wish, hosts, "halo", HALOS)

    start = fitting.beginning()
    start.content["levels"] = {"network": start.content["levels"]["node"]}
    fitted, held = trust.halves(halos)
    found = fitting.fit(pairs + fitted, start=start).machine
    show("Two hosts of a rank, sizes held out", held, fitting.predicted(found, held))


if __name__ == "__main__":
    main()
