"""Recordings of programs that never ran: what they waited for and transferred is known."""

import json
from dataclasses import dataclass, field
from pathlib import Path

TRANSFER_S = 40e-6
START_S = 2e-6


def ring(ranks):
    """Return the neighbours of each rank on a ring."""
    return {r: sorted({(r - 1) % ranks, (r + 1) % ranks} - {r}) for r in range(ranks)}


@dataclass
class Program:
    """A program of steps: each rank computes, then exchanges with its neighbours.

    Sends are eager: a wait ends when all that is to come has arrived, TRANSFER_S after it was sent.
    """

    ranks: int = 4
    steps: int = 200
    computing: dict = field(default_factory=dict)
    """Seconds of a step by rank; 1 ms for the others."""
    transfer: float = TRANSFER_S
    bytes: int = 800
    sizes: tuple = ()
    """Bytes of each step, where they vary: a shape for each size."""
    neighbours: dict = None
    way: str = "nonblocking"
    kept: int = 16
    frames: list = field(default_factory=lambda: [["/opt/app", 4660, "exchange_"]])
    library: str = "MPICH Version: 5.0.2"
    interface: str = "mpich"
    how: str = "finalized"
    offset: dict = field(default_factory=dict)
    """What to add to a rank's clock."""

    def run(self):
        """Return when each rank posts, waits and is done, step by step."""
        peers = self.neighbours or ring(self.ranks)
        now = dict.fromkeys(range(self.ranks), 10.0)
        found = []
        for _ in range(self.steps):
            posted = {r: now[r] + self.computing.get(r, 1e-3) for r in now}
            waited = {r: posted[r] + START_S for r in now}
            done = {
                r: max([waited[r] + 1e-6, *(posted[p] + self.transfer for p in peers[r])])
                for r in now
            }
            found.append((posted, waited, done))
            now = done
        return found

    def lines(self, rank, history):
        """Return what a rank's recorder would write."""
        peers = (self.neighbours or ring(self.ranks))[rank]
        shift = self.offset.get(rank, 0.0)
        begin, end = 10.0, history[-1][2][rank] + 1e-3
        spent = [(p[rank], w[rank], d[rank]) for p, w, d in history]
        sizes = self.sizes or (self.bytes,)
        every = {
            size: [place for place in range(self.steps) if sizes[place % len(sizes)] == size]
            for size in dict.fromkeys(sizes)
        }
        yield {
            "recording": 1, "rank": rank, "ranks": self.ranks, "host": "n1", "cpus": [rank],
            "program": ["./app", "7"], "executable": "/opt/app", "library": self.library,
            "interface": self.interface, "threads": "single", "begin": begin - shift,
            "end": end - shift, "how": self.how,
            "offset": [[begin - shift, shift], [end - shift, shift]], "offset_within": 1e-7,
            "calls": 5 * self.steps, "in_mpi": sum(d - p for p, _, d in spent),
            "left_out": {"messages": 3}, "unseen": {}, "libraries": [], "later": "unknown",
        }  # fmt: skip
        yield {"site": 0, "frames": [["/usr/lib/libmpi.so.12", 77, "MPI_Isend"], *self.frames]}
        yield {"site": 1, "frames": self.frames}
        yield {"layout": 0, "type": "MPI_BYTE", "bytes": 1, "extent": 1, "blocks": 1}
        yield {"comm": 0, "key": "0", "size": self.ranks, "members": list(range(self.ranks))}
        number = 0
        for place, (size, steps) in enumerate(every.items()):
            times, calls, links = len(steps), [], []
            for peer in peers:
                for function, kind in (("MPI_Irecv", "receive"), ("MPI_Isend", "send")):
                    yield {
                        "call": number, "function": function, "comm": 0, "site": 0,
                        "peer": peer - rank, "tag": 7, "count": size, "layout": 0, "times": times,
                        "seconds": times * START_S / (2 * len(peers)), "least": 1e-7, "most": 1e-6,
                        "outside": 0.0,
                    }  # fmt: skip
                    links.append({
                        "kind": kind, "comm": 0, "peer": peer, "tag": 7, "bytes": size,
                        "layout": 0, "count": size, "call": number,
                    })  # fmt: skip
                    calls.append(number)
                    number += 1
            finishing = [spent[at][2] - spent[at][1] for at in steps]
            yield {
                "call": number, "function": "MPI_Waitall", "site": 1, "requests": len(links),
                "times": times, "seconds": sum(finishing), "least": 1e-6, "most": max(finishing),
            }  # fmt: skip
            before = times * self.computing.get(rank, 1e-3)
            yield {
                "shape": place, "calls": [*calls, number], "way": self.way, "finish": "waitall",
                "links": links, "times": times, "start": times * START_S,
                "finish_seconds": sum(finishing), "inside": 0.0, "before": before,
                "bytes": [size * len(peers)] * 2, "durations": [START_S + one for one in finishing],
                "befores": [self.computing.get(rank, 1e-3)],
            }  # fmt: skip
            number += 1
        of_size = {at: place for place, steps in enumerate(every.values()) for at in steps}
        for peer in peers:
            for message in ("sent", "received"):
                for at in self.kept_numbers():
                    posted, waited, done = spent[at]
                    yield {
                        "message": message, "comm": "0", "peer": peer, "tag": 7, "number": at,
                        "shape": of_size[at], "posted": posted - shift, "waited": waited - shift,
                        "done": done - shift,
                    }  # fmt: skip
        yield {"sequence": [[self.steps, [0, 1]]], "thread": 0}

    def kept_numbers(self):
        """Return which messages of a channel are kept."""
        return [at for at in range(self.steps) if at < 16 or at % self.kept == 0]

    def write(self, folder, without=(), change=lambda rank, lines: lines):
        """Write the recording, but for some ranks; `change` may damage lines of others."""
        place = Path(folder) / "app.recording"
        place.mkdir(parents=True)
        history = self.run()
        for rank in range(self.ranks):
            if rank not in without:
                lines = change(rank, list(self.lines(rank, history)))
                text = "".join(
                    (line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines
                )
                (place / f"rank-{rank:05}.jsonl").write_text(text)
        return place


def replayed(saves, present=60e-6, rounds=24, computing=1e-3, inside=None, noise=1e-7, late=None):
    """Return the contenders of a pattern as results have them: by name what each saves a step.

    `late` says what a contender saves from the middle of the rounds on, if that is otherwise.
    """
    made = []
    for number, (name, saved) in enumerate({"mpi:present": 0.0, **saves}.items()):
        if isinstance(saved, str):
            made.append({"name": name, "left_out": saved})
            continue
        then = (late or {}).get(name, saved)
        steps = [
            computing + present - (saved if 2 * at < rounds else then)
            + noise * ((7 * at + 3 * number) % 11 - 5)
            for at in range(rounds)
        ]  # fmt: skip
        within = [present if inside is None else inside] * 2
        made.append({
            "name": name, "steps": 32, "recorded": {"with_s": steps, "inside_s": within},
            "balanced": {"with_s": steps, "without_s": [computing] * rounds, "inside_s": within},
        })  # fmt: skip
    return made


def results(folder, patterns, complete=True, library="MPICH Version: 5.0.2"):
    """Write the results of a replay: contenders by the numbers of patterns."""
    file = Path(folder) / "replay.json"
    content = {
        "format": "halocline-replay", "version": 1, "complete": complete,
        "mpi": {"library": library},
        "patterns": [
            {"name": str(name), "scale": 1.0, "contenders": some} for name, some in patterns.items()
        ],
    }  # fmt: skip
    file.write_text(json.dumps(content))
    return file
