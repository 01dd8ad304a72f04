"""Recordings as docs/reference/recording.md has them, read line by line."""

import json
from collections import Counter
from pathlib import Path


class Recording:
    """What one rank has recorded."""

    def __init__(self, path):
        self.head, self.sequences, self.lines = {}, {}, {}
        kinds = ("site", "layout", "comm", "window", "call", "shape", "message", "meeting", "last",
                 "pending")  # fmt: skip
        self.lines = {kind: [] for kind in kinds}
        self.order = []
        for text in Path(path).read_text().splitlines():
            line = json.loads(text)
            kind = next(iter(line))
            self.order.append(kind)
            if kind == "recording":
                self.head = line
            elif kind == "sequence":
                self.sequences[line.get("thread", 0)] = line["sequence"]
            else:
                self.lines[kind].append(line)
        self.calls = {call["call"]: call for call in self.lines["call"]}
        self.layouts = {layout["layout"]: layout for layout in self.lines["layout"]}
        self.comms = {comm["comm"]: comm for comm in self.lines["comm"]}
        self.windows = {window["window"]: window for window in self.lines["window"]}
        self.shapes = {shape["shape"]: shape for shape in self.lines["shape"]}

    @property
    def rank(self):
        return self.head["rank"]

    def called(self, thread=0):
        """Yield the numbers of the calls of a thread in their order."""
        yield from expanded(self.sequences.get(thread, []))

    def functions(self):
        """Count the calls of each function."""
        times = Counter()
        for call in self.lines["call"]:
            times[call["function"]] += call["times"]
        return times


def expanded(sequence):
    """Yield each call of a sequence: `[n, [...]]` is n times what stands in it."""
    for part in sequence:
        if isinstance(part, list):
            times, repeated = part
            for _ in range(times):
                yield from expanded(repeated)
        else:
            yield part


def read_all(folder):
    """Return the recordings of a folder, by rank."""
    found = [Recording(path) for path in sorted(Path(folder).glob("rank-*.jsonl"))]
    return {recording.rank: recording for recording in found}
