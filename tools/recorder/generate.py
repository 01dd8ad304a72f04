#!/usr/bin/env python3
"""Writes, in the build, the wrapper of each function of MPI that is recorded.

    generate.py SIGNATURES FILE    tools/mpi_calls' signatures.hpp, and wrappers.cpp

What a function does is told by the tables below; what no table names is called, timed and counted.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

# In lifetime.cpp: what begins and ends the recording.
BY_HAND = {"Init", "Init_thread", "Finalize", "Abort", "Session_init", "Session_finalize", "Comm_create_from_group"}


@dataclass
class Role:
    """What is done before and after the call, in the words of core/hooks.hpp."""

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    count: str = "count"
    replaced: dict[str, str] = field(default_factory=dict)
    found: str = ""  # when a status tells what a wildcard met


SENDS = {"Send", "Bsend", "Ssend", "Rsend"}
STARTS = {"Isend", "Ibsend", "Issend", "Irsend"}
DEFINES = {"Send_init", "Bsend_init", "Ssend_init", "Rsend_init"}
COLLECTIVES = (
    "Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather Gatherv Reduce "
    "Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv"
).split()
NEIGHBORS = [f"Neighbor_{name}" for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")]
WINDOWS = {
    "Win_create": ("create", "size"),
    "Win_allocate": ("allocate", "size"),
    "Win_allocate_shared": ("shared", "size"),
    "Win_create_dynamic": ("dynamic", "0"),
}
ACCESSES = {
    "Put": "kPut",
    "Get": "kGet",
    "Accumulate": "kAccumulate",
    "Get_accumulate": "kAccumulate",
    "Fetch_and_op": "kAccumulate",
    "Compare_and_swap": "kAccumulate",
}
# Made by all members of the first communicator; True: each is in one of several.
COMMS = {
    "Comm_dup": False,
    "Comm_dup_with_info": False,
    "Comm_create": True,
    "Comm_split": True,
    "Comm_split_type": True,
    "Cart_create": False,
    "Cart_sub": True,
    "Graph_create": False,
    "Dist_graph_create": False,
    "Dist_graph_create_adjacent": False,
    "Intercomm_merge": False,
    "Comm_spawn": False,
    "Comm_spawn_multiple": False,
    "Comm_accept": False,
    "Comm_connect": False,
}


def neighbor_sides(names: list[str]) -> str:
    """The two sides of a neighbourhood collective."""
    out_counts = "sendcounts" if "sendcounts" in names else "sendcount"
    in_counts = "recvcounts" if "recvcounts" in names else "recvcount"
    out_types = "sendtypes" if "sendtypes" in names else "sendtype"
    in_types = "recvtypes" if "recvtypes" in names else "recvtype"

    def side(counts: str, types: str) -> str:
        if counts.endswith("s"):
            return f"Side(Counts({counts}), {types})"
        return f"Side(static_cast<std::int64_t>({counts}), {types})"

    return f"{side(out_counts, out_types)}, {side(in_counts, in_types)}"


def role_of(name: str, names: list[str]) -> Role:
    """`name` without MPI_ and _c; `names` of the arguments."""
    if name in SENDS:
        return Role(after=["sent(call);"], count="count_message")
    if name in ("Recv", "Mrecv"):
        return Role(
            before=["Forced forced(status);"],
            after=["received(call, *forced);"],
            found="true",
            count="count_message",
            replaced={"status": "forced.get()"},
        )
    if name in ("Sendrecv", "Sendrecv_replace"):
        return Role(
            before=["Forced forced(status);"],
            after=["exchanged(call, *forced);"],
            found="true",
            count="count_message",
            replaced={"status": "forced.get()"},
        )
    if name in STARTS:
        return Role(after=["started(call, LinkKind::kSend, *request);"])
    if name in ("Irecv", "Imrecv"):
        return Role(after=["started(call, LinkKind::kReceive, *request);"])
    if name in ("Isendrecv", "Isendrecv_replace"):
        return Role(after=["started_both(call, *request);"])
    if name in DEFINES:
        return Role(after=["defined(call, LinkKind::kSend, *request);"])
    if name == "Recv_init":
        return Role(after=["defined(call, LinkKind::kReceive, *request);"])
    if name in ("Psend_init", "Precv_init"):
        kind = "kSend" if name == "Psend_init" else "kReceive"
        return Role(after=[f"defined(call, LinkKind::{kind}, *request, true);"])
    if name == "Start":
        return Role(after=["begun(call, 1, request);"])
    if name == "Startall":
        return Role(after=["begun(call, count, array_of_requests);"])
    if name == "Cancel":
        return Role(after=["cancelled(call, *request);"])
    if name in ("Pready", "Pready_range", "Pready_list"):
        return Role(after=["readied(call, request);"])
    if name == "Parrived":
        return Role(after=["arrived(call, request);"])
    if name == "Request_free":
        return Role(before=["MPI_Request freed = *request;"], after=["dropped(call, freed);"])
    if name in ("Wait", "Test", "Waitall", "Testall", "Waitany", "Testany", "Waitsome", "Testsome"):
        return completion(name)
    if name in ("Probe", "Mprobe", "Iprobe", "Improbe"):
        found = "*flag" if name in ("Iprobe", "Improbe") else "true"
        message = "message" in names
        return Role(
            before=["Forced forced(status);"],
            after=[f"if ({found}) call.run().probed.add(*message, call, *forced);"] if message else [],
            found=found,
            replaced={"status": "forced.get()"},
        )
    plain = name.removesuffix("_init")
    if plain in COLLECTIVES:
        return Role(after=["met(call);" if plain == name else "met_often(call, *request);"])
    if plain in NEIGHBORS:
        how = "neighbors" if plain == name else "neighbors_often"
        request = "" if plain == name else ", *request"
        return Role(after=[f"{how}(call, comm, {neighbor_sides(names)}{request});"])
    if name[0] == "I" and name[1:].capitalize() in COLLECTIVES:
        return Role(after=["met_later(call, *request);"])
    if name[0] == "I" and name[1:].capitalize() in NEIGHBORS:
        return Role(after=[f"neighbors_later(call, comm, {neighbor_sides(names)}, *request);"])
    return role_of_objects(name, names)


def completion(name: str) -> Role:
    """Calls that complete requests."""
    several = name not in ("Wait", "Test")
    tests = name.startswith("Test")
    count = {"Wait": "1", "Test": "1"}.get(name, "incount" if name.endswith("some") else "count")
    requests = "array_of_requests" if several else "request"
    arrays = name.endswith(("all", "some"))
    statuses = "array_of_statuses" if arrays else "status"
    finish = "kTest" if tests else "k" + name
    before = f"Completion completion(call, {count}, {requests}, {statuses}, {finish}, {str(arrays).lower()});"
    if name.endswith("all"):
        done = "completion.all();"
    elif name.endswith("any"):
        done = "completion.one(*index);"
    elif name.endswith("some"):
        done = "completion.some(*outcount, array_of_indices);"
    else:
        done = "completion.one(0);"
    if name == "Testsome":
        done = f"if (*outcount > 0) {{ {done} }} else {{ completion.none(); }}"
    elif tests:
        done = f"if (*flag) {{ {done} }} else {{ completion.none(); }}"
    return Role(before=[before], after=[done], replaced={statuses: "completion.statuses()"})


def role_of_objects(name: str, names: list[str]) -> Role:
    """Communicators, windows, datatypes."""
    last = names[-1] if names else ""
    if name in COMMS:
        divided = str(COMMS[name]).lower()
        made = {"Comm_spawn": "intercomm", "Comm_spawn_multiple": "intercomm"}.get(name, "")
        for candidate in ("newcomm", "comm_cart", "comm_graph", "comm_dist_graph", "newintracomm", "intercomm"):
            if not made and candidate in names:
                made = candidate
        more = ["++call.run().spawned_processes;"] if name.startswith("Comm_spawn") else []
        return Role(after=[f"comm_made(call, *{made or last}, {divided});", *more])
    if name == "Comm_create_group":
        return Role(after=["comm_made_by_group(call, group, tag, *newcomm);"])
    if name in ("Comm_idup", "Comm_idup_with_info"):
        return Role(after=["comm_made_later(call, newcomm, *request);"])
    if name == "Intercomm_create":
        return Role(after=["comm_made_between(call, tag, *newintercomm);"])
    if name == "Intercomm_create_from_groups":
        return Role(after=["comm_made_alone(call, stringtag, *newintercomm);"])
    if name in ("Comm_free", "Comm_disconnect"):
        return Role(before=["MPI_Comm freed = *comm;"], after=["call.run().communicators.freed(freed);"])
    if name == "Type_free":
        return Role(before=["call.run().layouts.freed(*datatype);"])
    if name in WINDOWS:
        flavour, size = WINDOWS[name]
        more = ["++call.run().shared_windows;"] if flavour == "shared" else []
        return Role(after=[f'window_made(call, *win, "{flavour}", {size});', *more])
    if name == "Win_free":
        return Role(before=["MPI_Win freed = *win;"], after=["call.run().windows.freed(freed);"])
    if name in ACCESSES:
        return Role(after=[f"accessed(call, LinkKind::{ACCESSES[name]}, target_rank, nullptr);"])
    if name[0] == "R" and name[1:].capitalize() in ACCESSES:
        return Role(after=[f"accessed(call, LinkKind::{ACCESSES[name[1:].capitalize()]}, target_rank, request);"])
    epochs = {
        "Win_fence": "fenced(call, assert);",
        "Win_start": "access_begins(call);",
        "Win_complete": "access_ends(call);",
        "Win_post": "exposure_begins(call);",
        "Win_wait": "exposure_ends(call, true);",
        "Win_test": "exposure_ends(call, *flag != 0);",
        "Win_lock": "locked(call);",
        "Win_lock_all": "locked(call);",
        "Win_unlock": "unlocked(call);",
        "Win_unlock_all": "unlocked(call);",
        "Win_flush": "flushed(call, rank, false);",
        "Win_flush_local": "flushed(call, rank, false);",
        "Win_flush_all": "flushed(call, 0, true);",
        "Win_flush_local_all": "flushed(call, 0, true);",
    }
    if name in epochs:
        return Role(after=[epochs[name]])
    return Role()


def arguments_of(name: str, parameters: dict[str, str]) -> list[str]:
    """What the signature has of the arguments, by their names."""
    lines = []
    for comm in ("comm", "comm_old", "local_comm", "intercomm"):
        if parameters.get(comm) == "MPI_Comm":
            lines.append(f"call.on({comm});")
            break
    if name in ("Comm_free", "Comm_disconnect"):
        lines.append("call.on(*comm);")
    if parameters.get("win") == "MPI_Win":
        lines.append("call.window(win);")
    if name == "Win_free":
        lines.append("call.window(*win);")
    two = "sendtag" in parameters  # sends and receives
    if name in ("Mrecv", "Imrecv"):
        return ["call.run().probed.take(*message, call);", "call.data(count, datatype);"]
    if parameters.get("root") == "int":
        lines.append("call.root(root);")
    for peer in ("dest", "source", "target_rank", "rank"):
        wanted = "tag" in parameters or two or "win" in parameters
        if wanted and parameters.get(peer) == "int":
            lines.append(f"call.peer({peer});")
            break
    if two:
        lines += ["call.tag(sendtag);", "call.other_peer(source);", "call.other_tag(recvtag);"]
    elif parameters.get("tag") == "int":
        lines.append("call.tag(tag);")
    if "partitions" in parameters:
        lines.append("call.partitions(partitions);")
    data = data_of(name, parameters)
    if "root" in parameters and data:
        # Between two groups the arguments of many ranks mean nothing.
        data = [f"if (!call.between()) {{ {' '.join(data)} }}"]
    lines += data
    if parameters.get("op") == "MPI_Op":
        lines.append("call.operation(op);")
    if "array_of_requests" in parameters:
        lines.append(f"call.requests({'incount' if 'incount' in parameters else 'count'});")
    return lines


SINGLE = {"int", "MPI_Count", "MPI_Aint"}


def data_of(name: str, parameters: dict[str, str]) -> list[str]:
    """Counts and datatypes."""
    if "sendtype" in parameters or "sendtypes" in parameters:
        line = collective_data(name, parameters)
        if "recvtag" in parameters:
            return [line, "call.other_data(recvcount, recvtype);"]
        return [line]
    if "origin_datatype" in parameters:
        lines = ["call.data(origin_count, origin_datatype);"]
        if "target_count" in parameters:
            lines.append("call.other_data(target_count, target_datatype);")
        return lines
    if parameters.get("datatype") != "MPI_Datatype" or not {"comm", "win"} & parameters.keys():
        return []
    if "recvcounts" in parameters:
        return ["all_data(call, Counts(recvcounts), datatype);"]
    for count in ("count", "recvcount", "incount", "outcount"):
        if parameters.get(count) in SINGLE:
            return [f"call.data({count}, datatype);"]
    return ["call.data(1, datatype);"]


def collective_data(name: str, parameters: dict[str, str]) -> str:
    """Of both sides the one that means something on all ranks; in place, the other one."""
    first, second = ("recv", "send") if "catter" in name else ("send", "recv")
    if "recvbuf" not in parameters or "recvtag" in parameters:
        return side_of(parameters, "send")
    in_place = f"{first}buf == MPI_IN_PLACE"
    return f"if ({in_place}) {{ {side_of(parameters, second)} }} else {{ {side_of(parameters, first)} }}"


def side_of(parameters: dict[str, str], side: str) -> str:
    """The data of one side of a collective."""
    if f"{side}types" in parameters:
        return f"all_data(call, Counts({side}counts), {side}types);"
    if f"{side}counts" in parameters:
        return f"all_data(call, Counts({side}counts), {side}type);"
    return f"call.data({side}count, {side}type);"


PARAMETER = re.compile(r"(?:const )?(?P<type>\w+\**) (?P<name>\w+)(?P<array>[\[\]\d]*)")


def wrapper(name: str, declared: str) -> str:
    """One function, `declared` with these arguments."""
    parameters = {found["name"]: found["type"] + found["array"] for found in PARAMETER.finditer(declared)}
    bare = name.removesuffix("_c")
    role = role_of(bare, list(parameters))
    replaced = ", ".join(role.replaced.get(p, p) for p in parameters)
    lines = [
        f"RECORDER_EXPORT int WRAPPED({name}) {{",
        f"  RECORDER_REAL({name});",
        f"  Call call(Function::{name}, RECORDER_CALLER);",
        f"  if (!call) return real(ARGUMENTS({name}));",
    ]
    told = arguments_of(bare, parameters)
    if "eighbor_" in bare:  # its links have what it moves
        told = [line for line in told if "data(" not in line]
    for line in told + role.before:
        lines.append(f"  {line}")
    lines += ["  call.enter();", f"  int outcome = real({replaced});", "  call.leave();"]
    if role.found:
        lines.append(f"  if (outcome == MPI_SUCCESS && {role.found}) call.found(*forced);".replace(" && true", ""))
    lines.append(f"  call.{role.count}();")
    if role.after:
        lines.append(f"  if (outcome == MPI_SUCCESS) {{ {' '.join(role.after)} }}")
    lines += ["  return outcome;", "}", f"RECORDER_ALIAS({name})", ""]
    return "\n".join(lines)


def write(signatures: Path, file: Path) -> None:
    """Writes the file."""
    declared = re.findall(r"#define PARAMETERS_OF_(\w+) ?(.*)", signatures.read_text())
    wrappers = "\n".join(wrapper(name, one) for name, one in declared if name not in BY_HAND)
    file.write_text(f'#include "core/wrapper.hpp"\n\nusing namespace recorder;\n\n{wrappers}')


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))
