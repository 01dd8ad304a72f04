"""Messages that a recording has, beside those that Open MPI's own monitoring has counted.

Open MPI counts what its point-to-point layer sends for the program, by messages and bytes. It does
not count persistent sends when they are started, so these are left out of the recording's, too.
"""

import json

SENDS = {
    "MPI_Bsend", "MPI_Ibsend", "MPI_Irsend", "MPI_Isend", "MPI_Isendrecv", "MPI_Issend",
    "MPI_Rsend", "MPI_Send", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Ssend",
}  # fmt: skip


def monitoring(folder):
    """Options of mpiexec that have every rank write what it has sent into a folder."""
    options = {"enable": 2, "enable_output": 3, "filename": folder / "monitored"}
    return [
        word
        for name, value in options.items()
        for word in ("--mca", f"pml_monitoring_{name}", str(value))
    ]


def recorded(file):
    """Messages and bytes that a rank sent, by its recording."""
    messages = size = 0
    layouts = {}
    with file.open() as lines:
        for line in map(json.loads, lines):
            if "type" in line:
                layouts[line["layout"]] = line["bytes"]
            if line.get("function") in SENDS and line.get("peer") != "null":
                messages += line["times"]
                size += line["times"] * line.get("count", 0) * layouts.get(line.get("layout"), 0)
    return messages, size


def monitored(file):
    """The same by Open MPI: lines of E(xternal) messages, those of the program."""
    messages = size = 0
    for line in file.read_text().splitlines():
        kind, *cells = line.split("\t")
        if kind == "E":
            messages += int(cells[3].split()[0])
            size += int(cells[2].split()[0])
    return messages, size


def compare(recording, folder):
    """Both of all ranks, as words."""
    rows = []
    for file in sorted(recording.glob("rank-*.jsonl")):
        rank = int(file.stem.removeprefix("rank-"))
        rows.append((recorded(file), monitored(folder / f"monitored.{rank}.prof")))
    ours, theirs = (
        [sum(cells) for cells in zip(*side, strict=True)] for side in zip(*rows, strict=True)
    )
    same = all(one == other for one, other in rows)
    return same, f"{ours[0]} messages, {ours[1]} bytes", f"{theirs[0]} messages, {theirs[1]} bytes"
