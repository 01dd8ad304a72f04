"""What halometer measures."""

KINDS = {
    "roundtrip": "Measure there and back between two ranks, by message size.",
    "bandwidth": "Measure many messages at once from one rank to another.",
    "sync": "Measure synchronisation alone, without data.",
    "neighbors": "Send doubles to each of 2, 4, 6, 8 or 26 neighbours.",
    "halo": "Exchange halos of 2-D and 3-D grids, by extent, width and periodicity.",
    "reverse": "Send halos back to their owners, who add them up.",
    "rings": "Measure several communicating rings at once.",
    "transpose": "Measure how a matrix spread by rows becomes one spread by columns.",
    "overlap": "Find out how much of a transfer a computation hides.",
    "progress": "Put to and get from a rank that is busy outside MPI.",
    "styles": "Find out how much of an exchange a sweep by threads hides, by style.",
    "threads": "Send small messages by one thread, or by all at once.",
    "setup": "Measure making one more exchange: time, and bytes kept.",
    "calls": "Measure what a step costs on its way into the library, by language.",
    "memory": "Measure STREAM's copy and triad, by threads.",
    "sweeps": "Sweep the grids of partdiff and laplace by plain loops.",
}
"""What halometer measures, and the command's help."""
OWN_SCHEMES = ("calls", "sync", "memory", "progress", "sweeps", "threads")
"""Kinds whose `--schemes` halometer itself understands."""
