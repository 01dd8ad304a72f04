r"""What `halocline advise` predicts of a program against what porting it brings.

plate_mpi is asked about; plate_halocline is the same program after the change. Both run in turns,
in random order: does the saving lie within the predicted interval, and how far is it off?

    ./dev build plate_mpi plate_halocline haloreplay halocheck halocline-preload halocline_record
    .venv/bin/python bench/advice/known_answer.py --bin build/release/bin -- .venv/bin/mpiexec -n 2

    HALOCLINE_MPI=openmpi ./dev build plate_mpi ...  (the same)
    .venv/bin/python bench/advice/known_answer.py --bin build/release-openmpi/bin \
        -- .venv-openmpi/bin/mpiexec -n 2

--late 1 20 makes rank 1 compute 20 % longer: it is to be named.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import halocline
import numpy as np
from halocline.statistics import shift_interval

asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
asked.add_argument("--bin", default="build/release/bin", help="folder of the programs")
asked.add_argument("--cells", default="64", help="of a rank, along each side")
asked.add_argument("--steps", default="20000")
asked.add_argument("--rounds", type=int, default=12)
asked.add_argument("--budget", type=float, default=60)
asked.add_argument("--scheme", help="instead of the one that is advised")
asked.add_argument("--output", help="folder of the advice")
asked.add_argument("--late", nargs=2, metavar=("RANK", "PERCENT"), default=[])
asked.add_argument("launcher", nargs="+", help="mpiexec -n 2")
options = asked.parse_args()
problem = [options.cells, options.steps, *options.late]


def seconds(program, scheme=None):
    """What a run says that its steps took."""
    environment = {**os.environ, **({"HALOCLINE_SCHEME": scheme} if scheme else {})}
    command = [*options.launcher, f"{options.bin}/{program}", *problem]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(re.search(r"heat, ([\d.e-]+) s", done.stdout)[1])


command = [*options.launcher, f"{options.bin}/plate_mpi", *problem]
output = options.output or f"{tempfile.mkdtemp()}/advice"
found = halocline.advise(
    command, budget_s=options.budget, output=output, programs=options.bin,
    say=lambda text: print(text, file=sys.stderr),
)  # fmt: skip
print(*found.said, sep="\n")
row = found.table()[0]
scheme = options.scheme or row["best_by_halocline"] or "p2p:nonblocking"
times = {"plate_mpi": [], "plate_halocline": []}
for _ in range(options.rounds):
    turn = [("plate_mpi", None), ("plate_halocline", scheme)]
    random.shuffle(turn)
    for program, how in turn:
        times[program].append(seconds(program, how))
saved = shift_interval([(a - b) / a for a, b in zip(*times.values())])
predicted = row["saving_by_halocline"] or 0.0
print(json.dumps({
    "scheme": scheme, "verdict": row["verdict"], "why": row["why"], "predicted": predicted,
    "low": row["saving_by_halocline_low"], "high": row["saving_by_halocline_high"],
    "saved": saved.value, "saved_low": saved.low, "saved_high": saved.high,
    "off": predicted / saved.value - 1 if saved.value > 0 else None,
    "plate_mpi_s": float(np.median(times["plate_mpi"])),
    "plate_halocline_s": float(np.median(times["plate_halocline"])),
}, indent=1))  # fmt: skip
