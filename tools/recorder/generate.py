#!/usr/bin/env python3
"""Writes, in the build, the wrapper of each function of MPI that is recorded.

    generate.py SIGNATURES FILE    tools/mpi_calls' signatures.hpp, and wrappers.cpp

What a function does is told by the tables below; what no table names is called, timed and counted.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# In lifetime.cpp: what begins and ends the recording.
BY_HAND = {"Init", "Init_thread", "Finalize", "Abort", "Session_init", "Session_finalize", "Comm_create_from_group"}


# What is done when a call has succeeded, in the words of core/hooks.hpp; names without MPI_ and _c.
AFTER = {
    "Send Bsend Ssend Rsend": "sent(call);",
    "Recv Mrecv": "received(call, *forced);",
    "Sendrecv Sendrecv_replace": "exchanged(call, *forced);",
    "Isend Ibsend Issend Irsend": "started(call, LinkKind::kSend, *request);",
    "Irecv Imrecv": "started(call, LinkKind::kReceive, *request);",
    "Isendrecv Isendrecv_replace": "started_both(call, *request);",
    "Send_init Bsend_init Ssend_init Rsend_init": "defined(call, LinkKind::kSend, *request);",
    "Recv_init": "defined(call, LinkKind::kReceive, *request);",
    "Psend_init": "defined(call, LinkKind::kSend, *request, true);",
    "Precv_init": "defined(call, LinkKind::kReceive, *request, true);",
    "Start": "begun(call, 1, request);",
    "Startall": "begun(call, count, array_of_requests);",
    "Cancel": "cancelled(call, *request);",
    "Pready Pready_range Pready_list": "readied(call, request);",
    "Parrived": "arrived(call, request);",
    "Request_free": "dropped(call, freed);",
    "Wait": "completion.one(0);",
    "Waitall": "completion.all();",
    "Waitany": "completion.one(*index);",
    "Waitsome": "completion.some(*outcount, array_of_indices);",
    "Test": "if (*flag) { completion.one(0); } else { completion.none(); }",
    "Testall": "if (*flag) { completion.all(); } else { completion.none(); }",
    "Testany": "if (*flag) { completion.one(*index); } else { completion.none(); }",
    "Testsome": "if (*outcount > 0) { completion.some(*outcount, array_of_indices); } else { completion.none(); }",
    "Mprobe": "call.run().probed.add(*message, call, *forced);",
    "Improbe": "if (*flag) call.run().probed.add(*message, call, *forced);",
    # Made by all members of the first communicator; true: each is in one of several.
    "Comm_dup Comm_dup_with_info Comm_accept Comm_connect": "comm_made(call, *newcomm, false);",
    "Comm_create Comm_split Comm_split_type Cart_sub": "comm_made(call, *newcomm, true);",
    "Cart_create": "comm_made(call, *comm_cart, false);",
    "Graph_create": "comm_made(call, *comm_graph, false);",
    "Dist_graph_create Dist_graph_create_adjacent": "comm_made(call, *comm_dist_graph, false);",
    "Intercomm_merge": "comm_made(call, *newintracomm, false);",
    "Comm_spawn Comm_spawn_multiple": "comm_made(call, *intercomm, false); ++call.run().spawned_processes;",
    "Comm_create_group": "comm_made_by_group(call, group, tag, *newcomm);",
    "Comm_idup Comm_idup_with_info": "comm_made_later(call, newcomm, *request);",
    "Intercomm_create": "comm_made_between(call, tag, *newintercomm);",
    "Intercomm_create_from_groups": "comm_made_alone(call, stringtag, *newintercomm);",
    "Comm_free Comm_disconnect": "call.run().communicators.freed(freed);",
    "Win_create": 'window_made(call, *win, "create", size);',
    "Win_allocate": 'window_made(call, *win, "allocate", size);',
    "Win_allocate_shared": 'window_made(call, *win, "shared", size); ++call.run().shared_windows;',
    "Win_create_dynamic": 'window_made(call, *win, "dynamic", 0);',
    "Win_free": "call.run().windows.freed(freed);",
    "Put": "accessed(call, LinkKind::kPut, target_rank, nullptr);",
    "Get": "accessed(call, LinkKind::kGet, target_rank, nullptr);",
    "Accumulate Get_accumulate Fetch_and_op Compare_and_swap": "accessed(call, LinkKind::kAccumulate, target_rank, nullptr);",
    "Rput": "accessed(call, LinkKind::kPut, target_rank, request);",
    "Rget": "accessed(call, LinkKind::kGet, target_rank, request);",
    "Raccumulate Rget_accumulate": "accessed(call, LinkKind::kAccumulate, target_rank, request);",
    "Win_fence": "fenced(call, assert);",
    "Win_start": "access_begins(call);",
    "Win_complete": "access_ends(call);",
    "Win_post": "exposure_begins(call);",
    "Win_wait": "exposure_ends(call, true);",
    "Win_test": "exposure_ends(call, *flag != 0);",
    "Win_lock Win_lock_all": "locked(call);",
    "Win_unlock Win_unlock_all": "unlocked(call);",
    "Win_flush Win_flush_local": "flushed(call, rank, false);",
    "Win_flush_all Win_flush_local_all": "flushed(call, 0, true);",
}
BEFORE = {
    "Request_free": "MPI_Request freed = *request;",
    "Comm_free Comm_disconnect": "MPI_Comm freed = *comm;",
    "Win_free": "MPI_Win freed = *win;",
    "Type_free": "call.run().layouts.freed(*datatype);",
    "Recv Mrecv Sendrecv Sendrecv_replace Probe Mprobe Iprobe Improbe": "Forced forced(status);",
    "Wait": "Completion completion(call, 1, request, status, kWait, false);",
    "Waitall": "Completion completion(call, count, array_of_requests, array_of_statuses, kWaitall, true);",
    "Waitany": "Completion completion(call, count, array_of_requests, status, kWaitany, false);",
    "Waitsome": "Completion completion(call, incount, array_of_requests, array_of_statuses, kWaitsome, true);",
    "Test": "Completion completion(call, 1, request, status, kTest, false);",
    "Testall": "Completion completion(call, count, array_of_requests, array_of_statuses, kTest, true);",
    "Testany": "Completion completion(call, count, array_of_requests, status, kTest, false);",
    "Testsome": "Completion completion(call, incount, array_of_requests, array_of_statuses, kTest, true);",
}
MESSAGES = "Send Bsend Ssend Rsend Recv Mrecv Sendrecv Sendrecv_replace"
COLLECTIVES = (
    "Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather Gatherv Reduce "
    "Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv"
)


def entry_of(name: str, table: dict[str, str]) -> str:
    """What a table has for a function."""
    return next((one for names, one in table.items() if name in names.split()), "")


def after(name: str, names: list[str]) -> str:
    """What is done after the call; `names` of the arguments."""
    plain = name.removesuffix("_init")
    if plain == name and name[0] == "I":
        plain = name[1:].capitalize()
    how = "often" if name.endswith("_init") else "later" if plain != name else ""
    request = ", *request" if how else ""
    how = how and "_" + how
    if plain in COLLECTIVES.split():
        return f"met{how}(call{request});"
    if plain.startswith("Neighbor_"):
        return f"neighbors{how}(call, comm, {neighbor_side(names, 'send')}, {neighbor_side(names, 'recv')}{request});"
    return entry_of(name, AFTER)


def neighbor_side(names: list[str], side: str) -> str:
    """One side of a neighbourhood collective."""
    counts = f"Counts({side}counts)" if f"{side}counts" in names else f"static_cast<std::int64_t>({side}count)"
    return f"Side({counts}, {side}type{'s' * (f'{side}types' in names)})"


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
    """Return the side that means something on all ranks; in place, the other one."""
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
    before, done = entry_of(bare, BEFORE), after(bare, list(parameters))
    forced = before.startswith("Forced")
    instead = "forced.get()" if forced else "completion.statuses()" if before.startswith("Completion") else ""
    given = ", ".join(instead if instead and "status" in p else p for p in parameters)
    lines = [
        f"RECORDER_EXPORT int WRAPPED({name}) {{",
        f"  RECORDER_REAL({name});",
        f"  Call call(Function::{name}, RECORDER_CALLER);",
        f"  if (!call) return real(ARGUMENTS({name}));",
    ]
    told = arguments_of(bare, parameters)
    if "eighbor_" in bare:  # its links have what it moves
        told = [line for line in told if "data(" not in line]
    lines += [f"  {line}" for line in [*told, before] if line]
    lines += ["  call.enter();", f"  int outcome = real({given});", "  call.leave();"]
    if forced:  # a status tells what a wildcard met
        found = " && *flag" if "flag" in parameters else ""
        lines.append(f"  if (outcome == MPI_SUCCESS{found}) call.found(*forced);")
    lines.append(f"  call.{'count_message' if bare in MESSAGES.split() else 'count'}();")
    if done:
        lines.append(f"  if (outcome == MPI_SUCCESS) {{ {done} }}")
    lines += ["  return outcome;", "}", f"RECORDER_ALIAS({name})", ""]
    return "\n".join(lines)


def write(signatures: Path, file: Path) -> None:
    """Writes the file."""
    declared = re.findall(r"#define PARAMETERS_OF_(\w+) ?(.*)", signatures.read_text())
    wrappers = "\n".join(wrapper(name, one) for name, one in declared if name not in BY_HAND)
    file.write_text(f'#include "core/wrapper.hpp"\n\nusing namespace recorder;\n\n{wrappers}')


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))
