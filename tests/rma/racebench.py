"""How many of the races of RMARaceBench the emulated windows find.

python3 tests/rma/racebench.py build/release PATH --mpicc .venv/bin/mpicc --seeds 5

PATH is a checkout of https://github.com/RWTH-HPC/RMARaceBench: small programs of MPI's RMA, whose
heads say whether there is a race in them, and of what. Each runs with every seed in both memory
models, and one in which messages make memory and window equal, until a race is found. Prints the
programs of which the layer says something else than their heads (with --all, what it says of each),
and the table of docs/explanation/checked-protocols.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

MODELS = ["separate", "unified", "coherent"]
RUBBISH = "-286331154"
"""What an int holds that the layer has filled with 0xEE: memory that MPI may still write."""


def head(source):
    """Return what a program's head says of it."""
    labels = re.search(r"RACE LABELS BEGIN\s*/\*(.*?)\*/\s*// RACE LABELS END", source, re.S)
    return json.loads(labels[1], strict=False)


def verdict(done):
    """Return the layer's word and what it says; or `rubbish` if the program printed some."""
    said = re.search(r"^emulated: (race|illegal|hang|settings): rank \d+: (.*)", done.stderr, re.M)
    if said:
        return said[1], said[2]
    if RUBBISH in done.stdout:
        return "rubbish", "the program printed memory that MPI was still to write"
    if done.returncode:
        return "crash", (done.stderr + done.stdout).strip().splitlines()[-1:]
    return "", ""


def search(start, layer, program, ranks, models, seeds):
    """Return by model what is said first; races before all else."""
    found = {}
    for model in models:
        found[model] = ("", "")
        for seed in range(1, seeds + 1):
            command = [*start, "-n", str(ranks), "env", f"LD_PRELOAD={layer}",
                       f"EMULATED_MODEL={model}", f"EMULATED_SEED={seed}", program]  # fmt: skip
            try:
                said = verdict(subprocess.run(command, capture_output=True, text=True, timeout=60))
            except subprocess.TimeoutExpired:
                said = ("hang", "60 s")
            if said[0]:
                found[model] = said
            if said[0] not in ("", "rubbish"):
                break
    return found


def main():
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("build", type=Path)
    options.add_argument("checkout", type=Path)
    options.add_argument("--mpicc", default="mpicc", help="of the MPI that the build is of")
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    options.add_argument("--only", default="*/*")
    options.add_argument("--all", action="store_true")
    options = options.parse_args()

    layer = (options.build / "tests/bin/libemulated_windows.so").resolve()
    start = [os.fspath((options.build / "mpiexec").resolve())]
    sources = sorted((options.checkout / "MPIRMA").glob(options.only + ".c"))
    if not sources:
        sys.exit(f"{options.checkout}: no MPIRMA/{options.only}.c; it must be a checkout of "
                 "RMARaceBench")  # fmt: skip
    counts = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            labels = head(source.read_text())
            program = os.fspath(Path(folder) / source.stem)
            subprocess.run([options.mpicc, "-w", "-fopenmp", source, "-o", program], check=True)
            found = search(start, layer, program, labels["NPROCS"], options.models,
                           options.seeds)  # fmt: skip
            racy = labels["RACE_KIND"] != "none"
            expected = {"", "none"} if not racy else {"race", "rubbish"}
            kind = source.parent.name, labels["RACE_KIND"]
            counts[kind] += 1
            for model, (word, what) in found.items():
                counts[(*kind, model, word)] += 1
                if options.all or word not in expected:
                    name = f"{source.parent.name}/{source.stem}"
                    print(f"{name} ({labels['RACE_KIND']}), {model}: {word or 'nothing'} {what}",
                          flush=True)  # fmt: skip
    print(
        "| programs | race | of these | model | reported | by effect | refused or hung | nothing |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for kind in sorted(key for key in counts if len(key) == 2):
        for model in options.models:
            said = {key[3]: n for key, n in counts.items() if key[:3] == (*kind, model) and key[3:]}
            race, effect, silent = (said.pop(word, 0) for word in ("race", "rubbish", ""))
            print(
                f"| {kind[0]} | {kind[1]} | {counts[kind]} | {model} | {race} | {effect} "
                f"| {sum(said.values())} | {silent} |"
            )


if __name__ == "__main__":
    main()
