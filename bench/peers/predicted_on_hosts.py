"""Exchanges between hosts, predicted beside measured: network namespaces with rate-limited links.

The hosts are those of tests/hosts (root, `ip netns`; MPICH over TCP). halometer measures round
trips and halos on two hosts of a rank each; the model is fitted to the round trips and every second
size of the halos, and predicts the others. With `--ranks 2`, it is fitted to halos within one host,
too, and predicts all of what two hosts of so many ranks do, which it has not seen. Where ranks
outnumber cores, links have to be slow: 10mbit.

    ./dev build halometer halosim
    .venv/bin/python bench/peers/predicted_on_hosts.py --rate 400mbit
"""

import argparse
import json
import os
import re
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
INSIDE = f"{SCHEMES},shm:signal,shm:message"
OUTER = (f"{SCHEMES},shm:signal+outer=p2p:nonblocking,shm:signal+outer=rma:put:pscw,"
         "shm:message+outer=p2p:persistent")  # fmt: skip
HALOS = ("--extent", "8x8x8,12x12x12,16x16x16,24x24x24,32x32x32,48x48x48,64x64x64", "--boundary",
         "open", "--rewrite", "field")  # fmt: skip
ROUNDTRIPS = ("--no-limit", "--sizes", "8,256,2K,4K,8K,16K,32K,64K,128K")


def measured(wish, launch, kind, arguments, schemes):
    """What halometer measures, as samples of the model; `launch` has a command to run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "said.json"
        words = [
            wish.build / "bin/halometer", "--schemes", schemes, "--budget", wish.budget,
            "--pin", "off", "--json", file, kind, *arguments,
        ]  # fmt: skip
        launch(list(map(str, words)))
        return fitting.samples_of([json.loads(file.read_text())], kind)


def measured_here(wish, kind, arguments, schemes):
    """The same with the ranks of a host on this machine as it is."""
    command = [str(wish.build / "mpiexec"), "-n", str(wish.ranks)]

    def launch(words):
        subprocess.run([*command, *words], check=True, stdout=subprocess.DEVNULL)

    return measured(wish, launch, kind, arguments, schemes)


def measured_on(hosts, wish, kind, arguments, ranks=1, schemes=SCHEMES):
    """The same with so many ranks on each host."""
    job = argparse.Namespace(mpi="mpich", release="", mpiexec=wish.build / "mpiexec", ranks=ranks)

    def launch(words):
        before = [hosts.received(name) for name in hosts.names]
        with tempfile.TemporaryDirectory() as folder:
            command, environment = mpiexec(job, hosts, folder)
            subprocess.run(
                hosts.command(hosts.names[0], *map(str, command), *words), check=True,
                env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
            )  # fmt: skip
        crossed = [hosts.received(name) - was for name, was in zip(hosts.names, before)]
        if min(crossed) < 100_000:
            raise SystemExit(f"{kind}: only {crossed} bytes crossed: MPI found a way around TCP")

    samples = measured(wish, launch, kind, arguments, schemes)
    for one in samples:
        one.case["ranks_per_node"] = ranks
        if ranks == 1:
            del one.case["ranks_per_socket"]
    return samples


def show(title, samples, predicted, long=0.0):
    """A table of what was predicted beside what was measured; `long` are so many seconds."""
    print(f"\n{title}\n\n| scheme | cells of a rank | measured, µs | predicted, µs | off, % |")
    print("|---|---|---|---|---|")
    errors, times = [], []
    for one, seconds in zip(samples, predicted):
        dims = one.case["pattern"]["dims"]
        cells = "x".join(str(n // d) for n, d in zip(one.case["pattern"]["cells"], dims))
        error = seconds / one.seconds - 1
        errors.append(abs(error))
        times.append(seconds)
        print(f"| {one.scheme} | {cells} | {1e6 * one.seconds:.0f} | {1e6 * seconds:.0f} "
              f"| {100 * error:+.0f} |")  # fmt: skip
    for least in sorted({0.0, long}):
        some = [error for error, seconds in zip(errors, times) if seconds >= least]
        print(f"\npredicted to take {1e3 * least:.0f} ms or more: median "
              f"{100 * np.median(some):.0f} %, within 20 %: {sum(np.array(some) <= 0.2)} "
              f"of {len(some)}")  # fmt: skip


def main():
    """Measure, fit, predict, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--rate", default="400mbit", help="of each host's link: N mbit")
    parser.add_argument("--budget", default="30", help="seconds for each launch of halometer")
    parser.add_argument("--ranks", type=int, default=1, choices=(1, 2), help="on each host")
    wish = parser.parse_args()
    if not re.fullmatch(r"[0-9]+mbit", wish.rate):
        parser.error(f"--rate {wish.rate}: must be megabits a second, such as 400mbit")
    inside, crowd = [], []
    if wish.ranks > 1:
        for kind, arguments in (("roundtrip", ROUNDTRIPS), ("halo", HALOS)):
            inside += measured_here(wish, kind, arguments, INSIDE)
    with Hosts(wish.rate) as hosts:
        pairs = measured_on(hosts, wish, "roundtrip", ROUNDTRIPS)
        halos = measured_on(hosts, wish, "halo", HALOS)
        if wish.ranks > 1:
            crowd = measured_on(hosts, wish, "halo", HALOS, wish.ranks, OUTER)

    start = fitting.beginning(("network", "node") if inside else ("network",))
    # Ranks of a host share its link. One alone has its rate in what it measures, where a link also
    # lets the first 16 KiB pass at once.
    if inside:
        rate = 1e6 / 8 * float(wish.rate.removesuffix("mbit"))
        start.content["levels"]["network"]["injection_bytes_per_s"] = rate
    fitted, held = trust.halves(halos)
    found = fitting.fit(pairs + fitted + inside, start=start).machine
    show("Two hosts of a rank, sizes held out", held, fitting.predicted(found, held))
    if crowd:
        # Ranks that outnumber cores wait for the scheduler, some slices of 4 ms in an exchange.
        title = f"Two hosts of {wish.ranks} ranks, none seen"
        show(title, crowd, fitting.predicted(found, crowd), long=0.02)


if __name__ == "__main__":
    main()
