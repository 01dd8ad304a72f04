#!/usr/bin/env python3
"""Whether as many bytes cross between two hosts as `haloplan` computes, as numbered and renumbered.

placement_on_two_hosts.py --mpi ... --ranks 4 --haloplan PROGRAM --halo-steps PROGRAM

The hosts are those of on_two_hosts.py. What crosses beside the cells is measured by a run of few
steps. Exits with 77 where there can be no hosts.
"""

import json
import subprocess
import sys

from on_two_hosts import LEFT_OUT, on_hosts, options

MESH = (200, 400)
STEPS, FEW = 60, 10
CELL_BYTES = 512


def computed(haloplan, ranks):
    """The bytes of a step that come into a host, as numbered and placed."""
    mesh = "x".join(map(str, MESH))
    machine = f"hosts=left:{ranks},right:{ranks}"
    said = subprocess.run(
        [haloplan, "--mesh", mesh, "--ranks", str(2 * ranks), "--machine", machine],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    plan = json.loads(said)
    words = []
    for way in ("sequential", "placed"):
        each = {link["words"] for link in plan[way]["node_to_node"]}
        assert len(each) == 1, f"{way}: the hosts send each other the same"
        words.append(each.pop())
    return [CELL_BYTES * count for count in words]


def main():
    parser = options(__doc__.splitlines()[0])
    parser.add_argument("--haloplan", required=True)
    parser.add_argument("--halo-steps", required=True)
    arguments = parser.parse_args()
    ways = ("numbered", "renumbered")
    commands = [
        [arguments.halo_steps, *map(str, MESH), str(steps), way]
        for way in ways
        for steps in (FEW, STEPS)
    ]
    results = on_hosts(arguments, commands)
    if results is None:
        return LEFT_OUT
    expected = computed(arguments.haloplan, arguments.ranks)
    failed = any(code != 0 for code, _ in results)
    for number, way in enumerate(ways):
        (_, few), (_, many) = results[2 * number : 2 * number + 2]
        for host in (0, 1):
            step = (many[host] - few[host]) / (STEPS - FEW)
            share = step / expected[number]
            print(f"{way}: {step:.0f} bytes a step into host {host}, computed {expected[number]}, "
                  f"{share:.3f} of it")  # fmt: skip
            # Headers of TCP and acknowledgements come on top.
            failed = failed or not 1 <= share < 1.1
    if not expected[1] < 0.7 * expected[0]:
        print("FAILED: placed, less must cross")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
