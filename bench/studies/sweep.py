"""Measure a study's sweep with halometer, and keep of it what the figures need.

All schemes are measured in turn, in an order drawn anew, in each of several launches. A file has
one number of each launch for each scheme and cell: the median of what the exchange is felt. Names
of hosts, users and folders are not in it.
"""

import json
import math
import re
from dataclasses import asdict
from itertools import product
from statistics import median

from halocline import measure as instruments
from halocline import outputs, records
from halocline.errors import HaloclineError
from halocline.launch import Checker, choose
from halocline.measure.atlas.library import library_of
from halocline.measure.atlas.private import Hidden, settings_of
from study import FILES

FORMAT, VERSION = "halocline-study", 1
SIZES = (16, 256, 4096, 32768, 262144, 1048576)
"""Bytes to each peer, on average."""
COMPUTE_US = 100
"""Microseconds between start and finish."""
STENCILS = {2: (1, False), 4: (2, False), 6: (3, False), 8: (2, True), 26: (3, True)}
"""Numbers of neighbours that halometer knows: axes of the process grid, and whether diagonals."""
SHARES = {"sweep": 0.85, "sync": 0.05, "setup": 0.10}
"""Shares of the time for measuring."""


def dims_of(ranks, axes):
    """The most even process grid of so many axes, as MPI_Dims_create makes it."""
    if axes == 1:
        return (ranks,)
    grids = (
        (side, *rest)
        for side in range(1, ranks + 1)
        if ranks % side == 0
        for rest in [dims_of(ranks // side, axes - 1)]
        if side >= rest[0]
    )
    return min(grids, key=lambda dims: (dims[0], -dims[-1]))


def ways_of(ranks, neighbours):
    """How many messages a stencil makes on a periodic grid: to others, and to how many of these."""
    axes, diagonals = STENCILS[neighbours]
    dims = dims_of(ranks, axes)
    to_others, others = 0, set()
    for way in product((-1, 0, 1), repeat=axes):
        far = sum(map(abs, way))
        if far == 0 or (far > 1 and not diagonals):
            continue
        place = tuple(step % side for step, side in zip(way, dims))
        if any(place):
            to_others += 1
            others.add(place)
    return to_others, len(others)


def counts_for(ranks):
    """Stencils that reach a number of ranks that no smaller one reaches."""
    found = {}
    for neighbours in sorted(STENCILS):
        found.setdefault(ways_of(ranks, neighbours)[1], neighbours)
    return [neighbours for peers, neighbours in sorted(found.items()) if peers > 0]


def doubles_for(size, ranks, neighbours):
    """How many doubles go to each neighbour so that a peer gets so many bytes on average."""
    to_others, peers = ways_of(ranks, neighbours)
    return max(1, round(size * peers / (8 * to_others)))


def usable(schemes):
    """Those of the schemes that this MPI can run, and why not the others."""
    found, left_out = [], {}
    checker = Checker(None)
    for scheme in schemes:
        method = scheme.split("+")[0]
        try:
            choose(method, checker)
            found.append(scheme)
        except HaloclineError as why:
            left_out[scheme] = str(why)
    if not found:
        raise HaloclineError(next(iter(left_out.values())))
    return found, left_out


def felt(setting):
    """Seconds that an exchange adds to a step of a loop, in one launch."""
    pairs = zip(setting["with_s"], setting["without_s"])
    return median([one - other for one, other in pairs][setting["warm_up"] :])


def until(setting):
    """Seconds of a step by itself, in one launch."""
    return median(setting["samples_s"][setting["warm_up"] :])


def microseconds(values):
    """With as many digits as they deserve."""
    return [float(f"{1e6 * value:.4g}") for value in values]


class Runs:
    """Launches of halometer: of each kind as many as are wanted, and what they have left out."""

    def __init__(self, wish, folder):
        self.wish, self.folder, self.number = wish, folder, 0
        self.environment = dict(one.split("=", 1) for one in wish.env)
        self.contents, self.left_out = [], {}

    def of(self, kind, arguments, schemes, budget_s):
        """Scheme, parameters, and the setting of each launch, of what all launches have."""
        self.number += 1
        print(f"{kind} {' '.join(arguments)}".rstrip(), flush=True)
        found = instruments.bench(
            kind, arguments, ranks=self.wish.ranks, schemes=schemes, launches=self.wish.launches,
            budget_s=budget_s / self.wish.launches, environment=self.environment,
            output=self.folder / f"{self.number}-{kind}", command_line=" ".join(arguments),
        )  # fmt: skip
        if found.interrupted:
            raise KeyboardInterrupt
        for launch in found.launches:
            if launch.status != "measured":
                raise HaloclineError(f"{kind}: launch {launch.number} failed: {launch.reason}")
        self.left_out |= found.left_out()
        contents = found.contents()
        self.contents += contents
        settings = {}
        for content in contents:
            for one in content["settings"]:
                if "left_out" not in one:
                    key = one["scheme"], json.dumps(one["parameters"], sort_keys=True)
                    settings.setdefault(key, []).append(one)
        return [
            (scheme, some[0]["parameters"], some)
            for (scheme, _), some in settings.items()
            if len(some) == len(contents)
        ]


def cells(runs, study, schemes, budget_s):
    """What every scheme is felt in every cell."""
    ranks, found = runs.wish.ranks, []
    counts = counts_for(ranks)
    for neighbours in counts:
        sizes = {doubles_for(size, ranks, neighbours): size for size in SIZES}
        words = ["--count", str(neighbours), "--doubles", ",".join(map(str, sizes))]
        for more, share in (
            (["--links", "fixed,lists"], 2 / 3), (["--compute", str(COMPUTE_US)], 1 / 3)
        ):  # fmt: skip
            for scheme, parameters, some in runs.of(
                "neighbors", [*words, *more], schemes, budget_s * share / len(counts)
            ):
                found.append({
                    "scheme": scheme, "neighbours": neighbours,
                    "peers": ways_of(ranks, neighbours)[1], "bytes": sizes[parameters["doubles"]],
                    "links": parameters["links"], "compute_us": parameters.get("compute_us", 0),
                    "felt_us": microseconds(map(felt, some)),
                    "until_us": microseconds(map(until, some)),
                })  # fmt: skip
    return found


def place_of(contents, ranks):
    """Whose machine and MPI it is, without a name of anybody."""
    first = contents[0]
    hidden = Hidden.of({"machine": first["machine"]})
    distances = [one for content in contents for one in content.get("core_distance_s", [])]
    return {
        "mpi": asdict(library_of(first["mpi"]["library"])),
        "settings": settings_of(first.get("environment", {}), hidden),
        "machine": {
            "processor": hidden.without(str(first["machine"]["cpu"])),
            "cores": first["machine"]["cores"],
            "kernel": hidden.without(str(first["machine"]["kernel"])),
        },
        "ranks": ranks,
        "nodes": len(first["islands"]),
        "crowded": not distances and max(first["islands"]) > 1,
        "core_distance_ns": [round(1e9 * f(distances)) for f in (min, median, max)]
        if distances
        else [],
    }


def slug(text):
    """Words as part of a file's name."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def name_of(study, place, environment):
    """A file's name that tells machines, MPIs and what was set for the launches apart."""
    library = " ".join((place["mpi"]["name"], place["mpi"]["version"]))
    parts = [study.name, place["machine"]["processor"], library, f"{place['ranks']} ranks"]
    return f"{'-'.join(map(slug, parts + list(environment.values())))}.json"


def measure(study, wish):
    """Measure all of it and return the file that has it."""
    if wish.ranks < 2 or wish.launches < 1 or not 0 < wish.budget < math.inf:
        raise HaloclineError("give 2 --ranks or more, a launch or more, and seconds of --budget")
    outputs.check(wish.file, "--file")
    runs = Runs(wish, wish.results or records.default_folder(study.name))
    schemes, left_out = usable(study.schemes)
    content = {"study": study.name, "date": records.now()[:10], "launches": wish.launches}
    found = {"cells": cells(runs, study, schemes, SHARES["sweep"] * wish.budget)}
    found["synchronisation"] = [
        {"what": what, "us": microseconds(map(until, some))}
        for what, _, some in (
            runs.of("sync", [], study.synchronisation, SHARES["sync"] * wish.budget)
            if study.synchronisation
            else ()
        )
    ]
    methods = [one for one in schemes if "+" not in one]
    found["setting_up"] = [
        {"scheme": scheme, "us": microseconds(map(until, some)),
         "kept_bytes": max(0, round(median(one["kept_bytes"] for one in some)))}
        for scheme, _, some in runs.of("setup", [], methods, SHARES["setup"] * wish.budget)
    ]  # fmt: skip
    content |= place_of(runs.contents, wish.ranks) | found
    content["left_out"] = left_out | runs.left_out
    file = wish.file or FILES / name_of(study, content, runs.environment)
    if content["crowded"]:
        print("more ranks than cores: what was measured is how the system shares cores out")
    file.parent.mkdir(parents=True, exist_ok=True)
    records.write(file, FORMAT, VERSION, content)
    return file
