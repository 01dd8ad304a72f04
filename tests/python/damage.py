"""Valid files of every format, and what befalls them: by hand, by other versions, by accident."""

import copy
import json
import struct

import numpy as np
from hypothesis import strategies as st

from halocline.traces.file import ACTIVITIES, EVENT

JUNK = [
    None, True, False, "", "x", "2", "\ud800", -1, 0, 1, 2, 3, 1.5, -0.5, 1e-300, 1e300, 10**30,
    float("nan"), float("inf"), [], {}, [None], ["x"], [[]], {"a": 1}, [{}], [0, 1, 2],
]  # fmt: skip


def places(value, here=()):
    """Yield the way to everything in a document."""
    yield here
    if isinstance(value, (dict, list)):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(one, (*here, key))


@st.composite
def damaged(draw, document, most=3):
    """Give a document in which something at any depth is another, missing, or there twice."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, most))):
        ways = [one for one in places(document) if one]
        if not ways:
            break
        way = draw(st.sampled_from(ways))
        holder = document
        for key in way[:-1]:
            holder = holder[key]
        what = draw(st.sampled_from(["junk", "missing", "more", "elsewhere"]))
        if what == "junk":
            holder[way[-1]] = copy.deepcopy(draw(st.sampled_from(JUNK)))
        elif what == "missing":
            del holder[way[-1]]
        elif what == "elsewhere":
            other = document
            for key in draw(st.sampled_from(list(places(document)))):
                other = other[key]
            holder[way[-1]] = copy.deepcopy(other)
        elif isinstance(holder, dict):
            holder["more"] = copy.deepcopy(draw(st.sampled_from(JUNK)))
        else:
            holder.append(copy.deepcopy(holder[way[-1]]))
    return document


WORDS = [
    "", " ", "\n", "\r\n", "\t", "\x00", "\x1c", "\ufeff", "\u2028", "0", "-1", "1.5", "nan",
    "1e400", "9" * 20, "9" * 5000, "[", "]", "{", "}", "{x}", "{0!r:>9}", "(", ")", "=", ":", "%",
    "\\", "'", '"', "#", "//", "/*", "rank", "b", "x" * 300,
]  # fmt: skip


@st.composite
def scrambled(draw, text, most=4):
    """Give a text in which some letters are missing, there twice, or others; it may end early."""
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 9)))
        new = draw(st.sampled_from([*WORDS, 2 * text[at:end]]))
        text = text[:at] + new + draw(st.sampled_from([text[end:]] * 9 + [""]))
    return text


# ---- valid ones ------------------------------------------------------------------------------

MACHINE = {"cpu": "A", "cores": 2, "mpi": "MPICH Version: 5", "environment": {"UCX_TLS": "tcp"}}
JOB = {"ranks": 2, "ranks_per_island": 2, "yielding": True, "asked": "auto"}
PATTERN = {"memory": "shared", "fields": 1, "two_way": True, "links": 1, "bytes": 4096,
           "largest": 4096, "runs": 1, "copied": 0, "field_bytes": 8192}  # fmt: skip
TUNING = {
    "format": "halocline-tuning", "version": 1, "forbid": ["rma:get:*"], "pin": "shm:*",
    "choices": [{
        "machine": MACHINE, "job": JOB, "pattern": PATTERN, "scheme": "shm:signal", "why": "known",
        "time": "2026-11-22T07:00:00Z", "seconds": 0.1, "jobs": 1, "pin": "shm:*",
        "candidates": [
            {"scheme": "shm:signal", "median_us": 1, "low_us": 0.9, "high_us": 1.1, "mean_us": 1,
             "samples": 40, "avoidable_bytes": 4096},
            {"scheme": "p2p:nonblocking", "dropped": "round 2"},
        ],
    }],
    "unfinished": [{"scheme": "rma:get:lock", "machine": MACHINE, "jobs": 1, "time": "now"}],
    "styles": [{"machine": MACHINE, "job": {"ranks": 2, "threads": 2, "yielding": False},
                "step": {"inner": 1, "border": 2, "bytes": 3}, "style": "task", "decided": True,
                "time": "now",
                "candidates": [{"style": "task", "median_us": 2}]}],
}  # fmt: skip
HERE = {"host": "A, 2 CPUs", "mpi": "MPICH Version: 5", "environment": {}, "build": "b"}
DOCTOR = {
    "format": "halocline-doctor", "version": 1,
    "entries": [
        {**HERE, "schemes": {
            "p2p:sendrecv": {"outcome": "sound", "detail": "", "ranks": [2, 3], "time": "now"},
            "rma:get:lock": {"outcome": "hang", "detail": "silent", "ranks": [2], "time": "now"},
        }},
        {**HERE, "mpi": "another", "schemes": {}},
    ],
}  # fmt: skip
VERDICTS = {
    "format": "halocline-verdicts", "version": 1, "time": "now",
    "asked": {"schemes": "all", "quick": False, "all": False, "share": False}, "holds_for": HERE,
    "verdicts": [
        {"scheme": "p2p:sendrecv", "outcome": "sound", "sound": True, "ranks": [2], "detail": "",
         "time": "now", "remembered": True},
        {"scheme": "rma:get:lock", "outcome": "hang", "sound": False, "ranks": [2],
         "detail": "silent", "time": "now", "remembered": False},
        {"scheme": "shmem", "outcome": "missing", "sound": False, "ranks": [], "detail": "none",
         "time": "", "remembered": False},
    ],
}  # fmt: skip
COSTS = {"message": [[0, 1e-6], [1024, 2e-6]], "send": 1e-7}
MACHINE_FILE = {
    "format": "halocline-machine", "version": 1, "name": "A", "source": "by hand",
    "measured": {"time": "now", "points": 3}, "spread": [0.8, 1.2], "costs": COSTS,
    "compute": {"laplace": 1e-9}, "half_intervals_s": {"send/0": 1e-8},
    "levels": {
        "node": {"costs": COSTS, "rendezvous_bytes": 8192},
        "network": {"costs": COSTS, "injection_bytes_per_s": 1e9, "progress": "target"},
    },
}  # fmt: skip
NETWORK_FILE = {
    "format": "halocline-network", "version": 1, "name": "A", "latency_s": 1e-6,
    "bandwidth_bytes_per_s": 1e10, "rank_messages_per_s": 4e6, "injection_bytes_per_s": 1e10,
    "injection_messages_per_s": 1e8, "rendezvous_bytes": 8192, "progress": "target",
    "sources": {"latency_s": "by hand"}, "assumed": {"progress": "by hand"},
}  # fmt: skip
ABOUT = {
    "machine": {"host": "h", "cpu": "A", "cores": 2, "numa_nodes": 1, "memory_bytes": 1 << 34,
                "shm_bytes_total": 1 << 30, "shm_bytes_free": 1 << 29, "kernel": "Linux 6"},
    "mpi": {"library": "MPICH Version: 5", "standard": "4.1", "thread_level": "multiple"},
    "build": {"compiler": "GNU 12", "flags": "-O3", "version": "0.1.0"},
}  # fmt: skip
RESULT = {
    "format": "halocline-result", "version": 1, "program": "laplace", "arguments": ["--grid", "8"],
    "time": "now", **ABOUT, "environment": {"UCX_TLS": "tcp"}, "scheme": "shm:signal", "ranks": 2,
    "threads": 1, "islands": [2], "binding": [[0], [1]], "style": "task",
    "parameters": {"style": "auto", "schemes": ["shm:signal"], "mode": "async", "grid": [8, 8, 8],
                   "dims": [1, 1, 2], "slow": {"worker": 1, "factor": 2.0}},
    "result": {"iterations": 20, "residuum": 0.1, "checksum": "ff", "converged": True,
               "convergence": [[0.1, 1.0], [0.2, 0.1]], "compute_s": [0.1, 0.1], "halo_period": 2,
               "workers": [{"iterations": 20, "sent": 1, "skipped": 0, "superseded": 0,
                            "age_mean": 0.5}]},
    "samples": {"step_s": [[0.01] * 3, [0.01] * 3], "total_s": [0.2, 0.21]},
    "phases": [{"rank": 0, "compute_s": 0.1, "pack_s": 0.1, "wait_s": 0.0}],
    "core_distance_s": [1e-7, 1e-7],
}  # fmt: skip
SETTING = {"case": "laplace", "ranks": 2, "scheme": "shm:signal"}
COMPARISON = {
    "format": "halocline-comparison", "version": 1,
    "cases": [{"name": "laplace", "program": "laplace", "arguments": ["--grid", "8"],
               "picture": []}],
    "launches": [
        {**SETTING, "scheme": scheme, "round": number, "command": "mpiexec", "load": [0.1] * 3,
         "status": "measured", "reason": "", "file": "runs/0.json", "wall_s": 1.0,
         "activity": {"other_cpus": 0.1, "stolen": None, "waited": 0.1, "switches_per_s": 3.0},
         "interference": ["busy"], "core_distance_s": [1e-7, 1e-7]}
        for number in range(2) for scheme in ("shm:signal", "p2p:nonblocking")
    ],
    "skipped": {"rma:get:lock": "hang"}, "command_line": "halocline compare", "seed": 1,
    "time": "now", "environment": {"UCX_TLS": "tcp"},
    "facts": {**ABOUT, "windows": {"create": "unified"}, "device": {"missing": "none"},
              "ranks": [{"rank": 0, "host": "h", "binding": [0, 1]}]},
    "settings": {"turbo": "on"}, "varied": "", "width": 0.05, "ended": "width",
    "summary": [{**SETTING, "warm_up": {"repetitions": 1, "tested": False},
                 "median_s": {"value": 1.0, "low": 0.9, "high": 1.1, "confidence": 0.95},
                 "ratio": None}],
    "interrupted": False,
}  # fmt: skip
LAUNCHES = {
    "format": "halocline-benchmark-launches", "version": 1, "kind": "halo",
    "launches": [{"ranks": 2, "number": 0, "command": "mpiexec", "load": [0.1],
                  "status": "measured", "reason": "", "file": "0.json", "wall_s": 1.0}],
    "command_line": "halocline bench", "time": "now", "seed": 1, "environment": {},
    "interrupted": False,
}  # fmt: skip
BENCHMARK = {
    "format": "halocline-benchmark", "version": 1, "program": "halometer", **ABOUT, "ranks": 2,
    "core_distance_s": [1e-7, 1e-7],
    "settings": [
        {"scheme": "shm:signal", "parameters": {"size": 8, "halo": 1}, "bytes": 8,
         "samples_s": [1e-6, 1.1e-6, 1e-6], "warm_up": 1, "narrow": True, "disturbed": [1],
         "with_s": [2e-6, 2e-6, 2e-6], "without_s": [1e-6, 1e-6, 1e-6], "felt_s": {"value": 1e-6},
         "hidden_at_sender": 0.5, "hidden_at_sender_interval": [0.4, 0.6],
         "core_distance_s": [1e-7, 1e-7]},
        {"scheme": "rma:get:lock", "left_out": "hang"},
    ],
}  # fmt: skip
CONDITIONS = {"distances_s": [1e-7, 3e-7], "disturbances": []}
VALIDATION = {
    "format": "halocline-validation", "version": 2,
    "visits": [{
        "setting": "laplace 16³, depth 1", "mpi": "MPICH 5", "programs": "bin", "depth": 1,
        "solutions": [{"scheme": "shm:signal", "turn": 1, "step_s": 1e-3,
                       "conditions": CONDITIONS}],
        "choices": [{"scheme": "shm:signal", "seconds": {"shm:signal": 1e-6},
                     "conditions": CONDITIONS}],
        "felt": [{"seconds": {"shm:signal": 1e-6}, "conditions": CONDITIONS}],
    }],
    "command_lines": ["halocline validate"], "time": "now", "machine": ABOUT["machine"],
    "failures": [], "interrupted": False,
}  # fmt: skip
REASONS = {"format": "halocline-reasons", "version": 1,
           "reasons": [{**SETTING, "sentences": ["it waits"]}]}  # fmt: skip
TURNS = {
    **{k: v for k, v in RESULT.items() if k not in ("scheme", "parameters", "result", "samples")},
    "format": "halocline-turns",
    "schemes": [{"asked": "auto", "scheme": "shm:signal", "parameters": {},
                 "result": {"iterations": 20}}],
    "solutions": [{"scheme": 0, "turn": 0, "total_s": 0.1, "core_distance_s": [1e-7, 1e-7]}],
}  # fmt: skip

ATLAS = {
    "format": "halocline-atlas", "version": 1, "how": "reported", "date": "2026-11-28",
    "mpi": {"name": "MPICH", "version": "5.0.2", "options": {"device": "ch4"}},
    "transport": "shared memory", "hosts": 1, "source": "by hand", "settings": {"UCX_TLS": "tcp"},
    "schemes": {"rma:*": {"outcome": "hang", "ranks": [2], "detail": "silent"},
                "shm:signal": {"outcome": "sound", "ranks": [2, 3]}},
    "machine": {"processor": "A", "cores": "2"}, "halocline": "0.2", "standard": "4.1",
    "missing": {"shmem": "no OpenSHMEM"},
    "felt": {"ranks": 2, "launches": 6, "confidence": 0.95,
             "patterns": {"faces": {"baseline_us": [1, 0.9, 1.1],
                                    "ratios": {"shm:signal": [0.5, 0.4, 0.6]}}}},
}  # fmt: skip
JOB_RECORD = {
    "format": "halocline-job", "version": 1, "system": "slurm", "command": ["compare", "laplace"],
    "id": "7", "time": "now",
}  # fmt: skip
SERIES = {"with_s": [2e-6, 2e-6], "without_s": [1e-6, 1e-6], "inside_s": [1e-6, 1e-6]}
REPLAY = {
    "format": "halocline-replay", "version": 1, "complete": True, "mpi": {"library": "MPICH 5"},
    "patterns": [{"name": "p0", "scale": 0.5, "contenders": [
        {"name": "mpi:present", "recorded": SERIES, "balanced": SERIES},
        {"name": "shm:signal", "slower": True, "recorded": SERIES},
        {"name": "rma:get:lock", "left_out": "hang"},
    ]}],
}  # fmt: skip
ACTIVITY = {
    "format": "halocline-activity", "version": 1, "host": "h", "cpus": 2, "other_cpus": 0.5,
    "stolen": 0.1, "waited": 0.1, "switches_per_s": 3.0,
}  # fmt: skip
ANSWER = {
    "format": "halocline-advice", "version": 1,
    "patterns": [
        {"way": "neighbor", "best_by_halocline": "shm:signal", "saving_by_halocline": 0.1},
        {"way": "fence", "best_by_halocline": "", "saving_by_halocline": None},
    ],
}  # fmt: skip
RUNS = [
    {"program": program, "asked": ["--grid", "8"], "points": points, "rate": "laplace",
     "scheme": "p2p:nonblocking", "step_s": 1e-3, "compute_s": 9e-4, "core_distance_s": [1e-7]}
    for program in ("laplace", "md") for points in (100.0, 200.0)
]  # fmt: skip
CARRIED = [
    {"substitute": 1},
    {"pattern": "Neighbor_alltoallv", "kind": "neighbor", "steps": 20, "taken_at": 3, "carried": 17,
     "back_at": 0, "scheme": "shm:signal", "why": ""},
    {"pattern": "fence", "kind": "fence", "steps": 2, "taken_at": 0, "carried": 0, "back_at": 0,
     "scheme": "auto", "why": "too few"},
]  # fmt: skip
LOG = [{**TUNING["choices"][0], "scheme": "shm:signal", "why": "measured"}]
GOAL = (
    "// by hand\nnum_ranks 2\nrank 0 {\nl1: calc 50 cpu 0\nl2: send 10b to 1 tag 7\n"
    "l2 requires l1\n}\n/* the\n other */\nrank 1 {\nl1: recv 10b from 0 tag 7\nsend 8b to 0\n}\n"
)
LAUNCHERS = (
    "# by hand\n[mine]\njob = MY_JOB\nstart = run -n {ranks} {binding} {program}\n"
    "pinned = --bind {cores}\ndirective = #MY\nheader =\n    -J {name}\n    -n {nodes}\n"
    "submit = mysub {script}\nid = job (\\d+)\nstate = mystat {job}\nstate_is = is (\\w+)\n"
    "queue = -q {queue}\n\n[other]\nsubmit = other\n"
)
NOISE = "1.0\n1.25\n0.9\n"

HEAD = {"job": {"program": "x"}, "activities": list(ACTIVITIES),
        "clock": {"source": "tsc", "error_s": 1e-7}}  # fmt: skip
DESCRIPTION = {
    "host": "h", "steps": 2, "steps_a_row": 1,
    "threads": [{"events": 6, "dropped": 0, "dropped_after": 0, "regions": ["sweep", "to host"]}],
    "exchanges": [
        {"number": 1, "what": "rma:put:fence", "ranks": [0, 1], "sends": [[1, 64]],
         "receives": [[0, 64]]},
        {"number": 2, "what": "p2p:nonblocking, asynchronous", "ranks": [0, 1], "sends": [[1, 64]],
         "receives": [[0, 64]]},
    ],
}  # fmt: skip


def events():
    """Return a rank's events: a step of each exchange, and computing."""
    rows = [
        (0, 10, "compute", 0, -1, 1), (10, 20, "begin step", 1, -1, 0), (12, 22, "put", 1, 1, 0),
        (20, 900, "end step", 1, -1, 0), (21, 901, "fence", 1, -1, 0), (30, 950, "unpack", 2, 0, 0),
    ]  # fmt: skip
    table = np.zeros(len(rows), EVENT)
    for at, (begin, end, activity, exchange, peer, name) in enumerate(rows):
        table[at] = (begin, end, 64, 1, peer, exchange, name, ACTIVITIES.index(activity), 0, 0)
    return table


def trace(head=None, descriptions=None, tables=None):
    """Return the bytes of a trace of two ranks."""
    head = HEAD if head is None else head
    parts, rows = [], []
    for rank in range(2):
        text = json.dumps((descriptions or [DESCRIPTION] * 2)[rank]).encode()
        text += b" " * (-len(text) % 8)
        table = (tables or [events(), events()])[rank]
        sums = np.zeros(2 * len(ACTIVITIES), "<f4").tobytes()
        parts.append(text + table.tobytes() + sums)
        rows.append({"bytes": len(parts[-1]), "description_bytes": len(text), "events": len(table),
                     "sums": 2 * len(ACTIVITIES)})  # fmt: skip
    if isinstance(head, dict) and "ranks" not in head:
        head = {**head, "ranks": rows}
    text = json.dumps(head).encode()
    return b"halocline-trace\n" + struct.pack("<QQ", 1, len(text)) + text + b"".join(parts)
