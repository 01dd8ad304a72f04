"""Print what scale_counts has counted as the tables of docs/measured/scale.md.

mpiexec -n 64 scale_counts >64.txt; ...; python table.py 16.txt 64.txt 256.txt
"""

import json
import sys
from pathlib import Path

COLUMNS = {
    "messages": "messages", "bytes": "bytes", "peers": "peers", "reductions": "reductions",
    "broadcasts": "broadcasts", "communicators": "communicators",
    "windows": "windows", "gathers": "gathers", "largest_gathered": "largest gather, bytes",
    "peak": "memory at once, bytes", "largest": "largest piece, bytes",
}  # fmt: skip
"""What is counted, and the heading of its column."""


def cell(values):
    """One number if all are the same, else one for each number of ranks."""
    return str(values[0]) if len(set(values)) == 1 else " / ".join(map(str, values))


def main(files):
    runs = [
        {case["case"]: case for case in map(json.loads, Path(file).read_text().splitlines())}
        for file in files
    ]
    print("| exchange | " + " | ".join(COLUMNS.values()) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for name in runs[0]:
        cells = [
            cell([run[name]["made" if what not in ("peak", "largest", "peers") else "life"][what]
                  for run in runs])
            for what in COLUMNS
        ]  # fmt: skip
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
