#!/usr/bin/env python3
"""Stands in for mpiexec, halocheck and the programs, by the name it is called with.

HALOCLINE_FAKE holds JSON: `broken` maps schemes to what goes wrong with them, `speed` maps them
to seconds per step, `library` is the MPI's version string; with `stranger`,
mpiexec is that of another MPI; `device` is what a rank says of its own. `distance` maps schemes,
and `usual` all others, to the distances between two cores. Times scatter by `noise` times about
1 %, and the first repetition takes `cold` times as long. `factors` maps words among the arguments,
or NAME=VALUE of variables, to what they multiply times by. With `chatter` the MPI prints words of
its own, `before` or `after` the program's or as a `label` of its lines.
"""

# Tests start this thousands of times: what few of them need is imported where it is needed.
import json
import os
import signal
import sys
import time
import zlib
from pathlib import Path

CONFIG = json.loads(os.environ.get("HALOCLINE_FAKE", "{}"))
BROKEN = CONFIG.get("broken", {})
SCHEMES = [
    "p2p:sendrecv",
    "p2p:nonblocking",
    "p2p:persistent",
    "rma:put:fence",
    "rma:get:lock",
    "shm:signal",
]
LIBRARY = CONFIG.get("library", "MPICH Version: 9.9.9")


def value_of(arguments, name, default=None):
    return arguments[arguments.index(name) + 1] if name in arguments else default


def mpiexec(arguments):
    if "--version" in arguments:
        print("HYDRA build details:\n    Version: 9.9.9")
        return 0
    at = arguments.index("-n")
    command = arguments[at + 2 :]
    chatter = CONFIG.get("chatter")
    if chatter in ("before", "label"):
        end = "\n" * (chatter == "before")
        print("[0] MPI startup(): {} [1] {x\n[mpiexec@host] {", end=end, flush=True)
    if chatter == "after":
        import subprocess

        os.environ["FAKE_RANKS"] = arguments[at + 1]
        code = subprocess.run(command, check=False).returncode
        print("[0] MPI finish(): {}")
        return code
    if not CONFIG.get("stranger"):
        os.environ["FAKE_RANKS"] = arguments[at + 1]
    if Path(command[0]).read_bytes() == Path(__file__).read_bytes():
        sys.argv = command  # it is this file, under another name
        return main()
    return os.execv(command[0], command)


def facts():
    ranks = int(os.environ.get("FAKE_RANKS", 1))
    return {
        "machine": {
            "host": "fake",
            "cpu": "Fake CPU",
            "cores": 2,
            "numa_nodes": 1,
            "memory_bytes": 1 << 34,
            "shm_bytes_total": 1 << 32,
            "shm_bytes_free": CONFIG.get("shm_free", 1 << 31),
            "kernel": "Linux 6",
        },
        "mpi": {"library": LIBRARY, "standard": "4.1", "thread_level": "multiple"},
        "windows": {"create": "unified", "allocate": "unified"},
        "ranks": [
            {"rank": r, "host": "fake", "binding": CONFIG.get("binding", [r])} for r in range(ranks)
        ],
        "build": {"compiler": "fake 1", "flags": "-O3", "version": "0.1.0"},
        "verdicts_hold_for": {
            "host": "Fake CPU, 2 CPUs",
            "mpi": LIBRARY,
            "environment": {k: v for k, v in os.environ.items() if k.startswith("MPIR_")},
            "build": f"{zlib.crc32(Path(sys.argv[0]).read_bytes()):016x}",
        },
    }


def halocheck(arguments):
    if "--facts" in arguments:
        print(json.dumps(facts()))
        return 0
    if "--device" in arguments:
        print(json.dumps(CONFIG.get("device", {"missing": "cuda: there is no device"})))
        return 0
    globs = [word.partition("=")[2] for word in arguments if word.startswith("--globs=")]
    if globs:
        print("noise of the MPI library", flush=True)
        print(json.dumps({"match_no_scheme": [glob for glob in globs if glob.startswith("smh")]}))
        return 0
    if "--list" in arguments:
        rows = [{"scheme": name, "available": True, "reason": ""} for name in SCHEMES]
        if "--combinations" in arguments:
            rows += [
                {"scheme": f"{name}+pack=off", "available": True, "reason": ""} for name in SCHEMES
            ]
        if "--all" in arguments:
            rows.append(
                {
                    "scheme": "p2p:partitioned",
                    "available": False,
                    "reason": "needs MPI 4",
                }
            )
        print(json.dumps(rows))
        return 0
    if CONFIG.get("does_not_start"):
        print("libmpi.so: cannot open shared object file", file=sys.stderr)
        return 127
    log = os.environ.get("FAKE_LOG")
    if log:
        with Path(log).open("a") as file:
            file.write(value_of(arguments, "--schemes") + "\n")
    code = 0
    for name in value_of(arguments, "--schemes").split(","):
        print(json.dumps({"event": "begin", "scheme": name}), flush=True)
        flaw = BROKEN.get(name, "sound")
        if flaw == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if flaw == "hang":
            time.sleep(1000)
        if flaw == "exit":
            print("Fatal error in PMPI_Put", file=sys.stderr)
            return 5
        if flaw == "gives up":
            said = "rank 0: a scheme: no progress for 30 s"
            print(f"halocline: {said}\nPrimary job terminated\n", file=sys.stderr)
            return 1
        said = flaw if flaw in ("sound", "wrong", "error", "refused") else "sound"
        detail = "" if said == "sound" else "byte 3 of rank 1 is wrong"
        if flaw == "mpi":
            said, detail = "refused", "MPI_Win_allocate: MPI_ERR_WIN: invalid window"
        print("noise of the MPI library", flush=True)
        print(
            json.dumps({"detail": detail, "event": "end", "outcome": said, "scheme": name}),
            flush=True,
        )
        if flaw == "error":
            return 1
        if flaw == "late":
            os.kill(os.getpid(), signal.SIGABRT)
        code = code or (said in ("wrong", "error"))
    return int(code)


def choose(arguments):
    """Write a choice as the library does; a scheme in `dies` ends the job while it is measured."""
    path = Path(value_of(arguments, "--tuning") or os.environ["HALOCLINE_TUNING"])
    note = path.with_name(f"{path.name}.measuring-fake-1")
    known = json.loads(path.read_text()) if path.exists() else {"unfinished": [], "choices": []}
    if note.exists():
        known["unfinished"].append(json.loads(note.read_text()))
        note.unlink()
    for scheme in CONFIG.get("dies", []):
        if [one["scheme"] for one in known["unfinished"]].count(scheme) < 2:
            note.write_text(json.dumps({"scheme": scheme}))
            path.write_text(json.dumps({"format": "halocline-tuning", "version": 1, **known}))
            os.kill(os.getpid(), signal.SIGSEGV)
    rows = [
        {"scheme": "p2p:nonblocking", "median_us": 3.0, "low_us": 2.9, "high_us": 3.1,
         "samples": 40, "dropped": "round 2: 3 times as long"},
        {"scheme": "shm:signal", "median_us": 1.0, "low_us": 0.9, "high_us": 1.1, "mean_us": 1.25,
         "samples": 40},
        {"scheme": "rma:get:lock", "dropped": "not checked here yet: 'halocline doctor' does it"},
    ]  # fmt: skip
    entry = {
        "machine": {"cpu": "Fake CPU", "cores": 2, "mpi": LIBRARY},
        "job": {"ranks": int(os.environ.get("FAKE_RANKS", 1)), "ranks_per_island": 2},
        "pattern": {"links": 1, "bytes": 8192, "largest": 8192, "runs": 1, "field_bytes": 1 << 20},
        "scheme": "shm:signal",
        "why": "no choice is known for this pattern here",
        "time": "2026-11-22T07:00:00Z",
        "seconds": 0.1,
        "candidates": rows,
    }
    known.update(format="halocline-tuning", version=1)
    known["choices"].append(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known))
    entry["budget"] = os.environ.get("HALOCLINE_TUNING_BUDGET")
    entry["fresh"] = os.environ.get("HALOCLINE_TUNING_FRESH")
    with Path(os.environ.get("HALOCLINE_TUNING_LOG", os.devnull)).open("a") as log:
        log.write(json.dumps(entry) + "\n")


def partdiff(arguments):
    if "--help" in arguments:
        for word in arguments:
            if word in ("--rank", "--nothing"):
                name = Path(sys.argv[0]).name
                print(f"{name}: {word}: there is no such option (see {name} --help)",
                      file=sys.stderr)  # fmt: skip
                return 1
        print(" ".join(arguments))
        return 0
    if "--describe-step" in arguments:
        if "--nothing" in arguments:
            name = Path(sys.argv[0]).name
            print(f"{name}: '--nothing' is no option; try --help", file=sys.stderr)
            return 1
        computing = {"compute": {"program": Path(sys.argv[0]).name, "points": 8}}
        step = {
            "patterns": {}, "parts": [computing], "iterations": 1, "depends_on_scheme": False,
        }  # fmt: skip
        print(json.dumps(step))
        return 0
    if "--in-turn" in arguments:
        return in_turns(arguments)
    scheme = value_of(arguments, "--scheme", "p2p:nonblocking")
    if scheme == "auto" and not CONFIG.get("chooses_nothing"):
        choose(arguments)
    flaw = CONFIG.get("failing", {}).get(scheme)
    if flaw == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if flaw == "hang":
        time.sleep(1000)
    if flaw == "exit":
        print(f"partdiff: {scheme} does not fit Gauss-Seidel", file=sys.stderr)
        return 1
    if "--output" in arguments:
        import site

        site.main()  # packages, which nothing else needs
        import numpy as np

        side = np.linspace(0, 1, 41)
        np.save(value_of(arguments, "--output"), np.outer(side, 1 - side))
    time.sleep(CONFIG.get("wall", 0))
    ranks = int(os.environ.get("FAKE_RANKS", 1))
    steps, repetitions = 20, int(value_of(arguments, "--repetitions", 1))
    import random

    draw = random.Random()
    noise = CONFIG.get("noise", 1)
    speed = CONFIG.get("speed", {}).get(scheme, 1e-3) * draw.lognormvariate(0, 0.01 * noise)
    style = value_of(arguments, "--style")
    for word, factor in CONFIG.get("factors", {}).items():
        name, _, value = word.partition("=")
        speed *= factor if word in arguments or (value and os.environ.get(name) == value) else 1
    rows = [
        [speed * draw.lognormvariate(0, 0.03 * noise) for _ in range(steps)]
        for _ in range(repetitions)
    ]
    rows[0] = [seconds * CONFIG.get("cold", 1) for seconds in rows[0]]
    distance = CONFIG.get("distance", {}).get(scheme, CONFIG.get("distance", {}).get("usual"))
    checksum = "bad" if flaw == "different" else "00ff"
    content = {
        **{name: facts()[name] for name in ("mpi", "build")},
        "machine": {**facts()["machine"], "load": [0.1, 0.1, 0.1]},
        "format": "halocline-result",
        "version": 1,
        "program": Path(sys.argv[0]).name,
        "arguments": arguments,
        "time": "2026-11-21T00:00:00Z",
        "environment": {"GLIBC_TUNABLES": "x<y"},
        **({"core_distance_s": distance} if distance else {}),
        "scheme": scheme,
        **({"style": CONFIG.get("best_style", style)} if style == "auto" else {}),
        "ranks": ranks,
        "threads": 1,
        "islands": [ranks],
        "binding": [[rank] for rank in range(ranks)],
        "parameters": {
            **({"schemes": ["shm:signal"]} if scheme == "auto" else {}),
            **({"style": style} if style else {}),
        },
        "result": {"iterations": steps, "residuum": 3.5e-3, "checksum": checksum},
        "samples": {"step_s": rows, "total_s": [sum(row) for row in rows]},
        "phases": [
            {
                "rank": rank,
                "compute_s": 0.6,
                "pack_s": 0.1,
                "transfer_s": 0.1,
                "wait_s": 0.15,
                "reduce_s": 0.05,
            }
            for rank in range(ranks)
        ],
    }
    if share := CONFIG.get("computing"):
        content["result"]["compute_s"] = [share * total for total in content["samples"]["total_s"]]
    content["result"].update(CONFIG.get("result", {}))
    file = value_of(arguments, "--json")
    if file and flaw != "nothing":
        Path(file).write_text(json.dumps(content))
    print(" ".join(arguments))
    return int(CONFIG.get("exit", 0))


def in_turns(arguments):
    """Solve through all of --in-turn, one after the other."""
    at = arguments.index("--in-turn")
    names = arguments[at + 1].split(",")
    rest = arguments[:at] + arguments[at + 2 :]
    file = Path(value_of(rest, "--json"))
    schemes, solutions = [], []
    for number, name in enumerate(names):
        scheme, _, style = name.partition("@")
        code = partdiff([*rest, "--scheme", scheme, *(["--style", style] if style else [])])
        if code:
            return code
        content = json.loads(file.read_text())
        samples = content.pop("samples")
        parts = ("scheme", "style", "parameters", "result")
        schemes.append({"asked": name, **{k: content.pop(k) for k in parts if k in content}})
        solutions += [
            {"turn": turn, "scheme": number, "total_s": seconds}
            for turn, seconds in enumerate(samples["total_s"])
        ]
    content.update(format="halocline-turns", schemes=schemes, solutions=solutions)
    file.write_text(json.dumps(content))
    return 0


def laplace(arguments):
    return partdiff(arguments)


def halometer(arguments):
    """Measure one setting, as partdiff takes a step of a scheme without a name."""
    code = partdiff([*arguments, "--scheme", "none"])
    file = Path(value_of(arguments, "--json"))
    if code or not file.is_file():
        return code
    content = json.loads(file.read_text())
    result, seconds = content.pop("result"), content.pop("samples")["total_s"]
    if "memory" in arguments:  # 40 GB/s
        result, seconds = {}, [2 * int(value_of(arguments, "--sizes")) / 40e9] * 6
    setting = {
        "scheme": value_of(arguments, "--schemes"), "parameters": {"threads": 1}, "bytes": 1.0,
        "samples_s": seconds, "warm_up": 0, "narrow": True, "result": result,
    }  # fmt: skip
    if why := CONFIG.get("left_out"):
        setting = {"scheme": "jacobi", "parameters": {}, "left_out": why}
    content.update(format="halocline-benchmark", settings=[setting])
    file.write_text(json.dumps(content))
    return 0


def main():
    """Be what the name says."""
    return globals()[Path(sys.argv[0]).name](sys.argv[1:])


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")
    sys.exit(main())
