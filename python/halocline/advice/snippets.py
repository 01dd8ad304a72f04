"""Lines of an exchange in each language: as calls of MPI, and with Halocline."""

from __future__ import annotations

from collections.abc import Sequence

WORDS = {
    "mpi:persistent": "make the requests once, and start them each step",
    "mpi:nonblocking": "start all receives, then all sends, and complete them together",
    "mpi:waitany": "start all at once, and use what has arrived while the rest is on its way",
    "mpi:neighbor:persistent": "make a persistent collective of neighbours, start it each step",
    "mpi:neighbor": "make a graph of the neighbours once, and call one collective each step",
}
"""What a program does by MPI, by what a scheme begins with."""
GRAPH = "Dist_graph_create_adjacent(comm, n, peers, weights, n, peers, weights, info, 0, &graph)"
ALL_TO_ALL = "u, counts, offsets, edges, u, counts, offsets, halos, graph"
RECEIVE = "halo[i], counts[i], type, peers[i], tag"
SEND = "edge[i], counts[i], type, peers[i], tag"
COMPLETE = "Waitall(2 * n, requests, MPI_STATUSES_IGNORE)"
ONCE, EACH = "# once", "# each step"
CALLS: dict[str, Sequence[str]] = {
    "mpi:persistent": (
        ONCE, f"Recv_init({RECEIVE}, comm, &requests[i])",
        f"Send_init({SEND}, comm, &requests[n + i])",
        EACH, "Startall(2 * n, requests)", COMPLETE,
    ),
    "mpi:nonblocking": (
        EACH, f"Irecv({RECEIVE}, comm, &requests[i])", f"Isend({SEND}, comm, &requests[n + i])",
        COMPLETE,
    ),
    "mpi:waitany": (
        EACH, f"Irecv({RECEIVE}, comm, &requests[i])", f"Isend({SEND}, comm, &requests[n + i])",
        "Waitany(2 * n, requests, &which, MPI_STATUS_IGNORE)",
    ),
    "mpi:neighbor:persistent": (
        ONCE, GRAPH, f"Neighbor_alltoallw_init({ALL_TO_ALL}, info, &request)",
        EACH, "Start(&request)", "Wait(&request, MPI_STATUS_IGNORE)",
    ),
    "mpi:neighbor": (ONCE, GRAPH, EACH, f"Neighbor_alltoallw({ALL_TO_ALL})"),
}  # fmt: skip
"""The calls of a scheme, without `MPI_`; `i` goes over the `n` neighbours."""
PYTHON = {
    "Recv_init": "requests[i] = comm.Recv_init(halo[i], peers[i])",
    "Send_init": "requests[n + i] = comm.Send_init(edge[i], peers[i])",
    "Irecv": "requests[i] = comm.Irecv(halo[i], peers[i])",
    "Isend": "requests[n + i] = comm.Isend(edge[i], peers[i])",
    "Waitany": "which = MPI.Request.Waitany(requests)  # until all are done",
    "Startall": "MPI.Prequest.Startall(requests)",
    "Waitall": "MPI.Request.Waitall(requests)",
    "Start": "request.Start()", "Wait": "request.Wait()",
    "Dist_graph_create_adjacent": "graph = comm.Create_dist_graph_adjacent(peers, peers)",
    "Neighbor_alltoallw": "graph.Neighbor_alltoallw(sent, received)",
    "Neighbor_alltoallw_init": "request = graph.Neighbor_alltoallw_init(sent, received)",
}  # fmt: skip
"""The same of mpi4py."""
COMMENTS = {"Fortran": "! ", "Python": "# "}


def words(scheme: str) -> str:
    """Say what a program does that does by MPI what a scheme does."""
    return next((said for start, said in WORDS.items() if scheme.startswith(start)), scheme)


def plain(scheme: str, language: str) -> tuple[str, ...]:
    """Return the calls of MPI that a scheme is; nothing for schemes that are more than that."""
    calls = next((some for start, some in CALLS.items() if scheme.startswith(start)), ())
    return tuple(_in(language, line) for line in calls)


def _in(language: str, line: str) -> str:
    if line.startswith("# "):
        return COMMENTS.get(language, "// ") + line[2:]
    if language == "Python":
        return PYTHON[line.partition("(")[0]]
    if language == "Fortran":
        called = line.replace("&", "").replace("[", "(").replace("]", ")")
        return f"call MPI_{called.removesuffix(')')}, ierror)"
    return f"MPI_{line};"


def with_halocline(scheme: str, language: str, kind: str, *, overlapped: bool) -> tuple[str, ...]:
    """Return the lines that describe an exchange once and carry it out each step.

    Parameters
    ----------
    kind
        `grid`, `lists` (of indices) or `ragged`: sizes that vary.
    overlapped
        Whether the program computes between starting and finishing.
    """
    comment = COMMENTS.get(language, "// ")
    once = [line.replace("SCHEME", f'"{scheme}"') for line in MADE[kind][language]]
    if kind == "ragged":
        step = list(RAGGED_STEP[language])
    elif overlapped:
        call = STEP[language]
        inside = f"{comment}compute what needs no halo"
        step = [call.format("start"), inside, call.format("finish")]
    else:
        step = [STEP[language].format("run")]
    return (f"{comment}once", *once, f"{comment}each step", *step)


STEP = {
    "C++": "halos.{}();", "C": "halocline_exchange_{}(halos);", "Fortran": "call halos%{}()",
    "Python": "halos.{}()",
}  # fmt: skip
RAGGED_STEP = {
    "C++": (
        "moving.send<double>(i, leaving[i]);  // for each peer", "moving.run();",
        "const auto came = moving.received<double>(i);",
    ),
    "C": (
        "halocline_ragged_exchange_send(moving, i, leaving[i], counts[i]);  // for each peer",
        "halocline_ragged_exchange_run(moving);",
        "halocline_ragged_exchange_received(moving, i, &came, &count);",
    ),
    "Fortran": (
        "call moving%send(i, c_loc(leaving), count)  ! for each peer", "call moving%run()",
        "call moving%received(i, there, count)",
    ),
    "Python": ("came = moving.run(leaving)  # an array for each peer",),
}  # fmt: skip
MADE = {
    "grid": {
        "C++": (
            "const halocline::Grid grid(comm, cells, {.halo = 1});",
            "halocline::Exchange halos(comm, grid.halo(), halocline::field(u, extents, strides),",
            "                          SCHEME);",
        ),
        "C": (
            "halocline_grid_create(halocline_comm_of(comm), axes, cells, &options, &grid);",
            "halocline_grid_halo(grid, &halo);",
            "halocline_exchange_create(halocline_comm_of(comm), halo, &field, 1, SCHEME, NULL,",
            "                          &halos);",
        ),
        "Fortran": (
            "call grid%create(comm, cells, halo=1)",
            "call halos%create(grid, halocline_field(u), SCHEME)",
        ),
        "Python": (
            "grid = halocline.Grid(comm, cells, halo=1)",
            "halos = halocline.Exchange(grid.halo(), u, scheme=SCHEME)",
        ),
    },
    "lists": {
        "C++": (
            "const auto pattern = halocline::Pattern::from_indices(",
            "    peers, sent_counts, sent, peers, halo_counts, halo);",
            "halocline::Exchange halos(comm, pattern, halocline::field(u, n), SCHEME);",
        ),
        "C": (
            "halocline_pattern_create(&pattern);",
            "halocline_pattern_send_indices(pattern, peer, sent, count);  // for each peer",
            "halocline_pattern_receive_indices(pattern, peer, halo, count, NULL, 0);",
            "halocline_exchange_create(halocline_comm_of(comm), pattern, &field, 1, SCHEME, NULL,",
            "                          &halos);",
        ),
        "Fortran": (
            "call pattern%send(peer, sent)  ! for each peer",
            "call pattern%receive(peer, halo)",
            "call halos%create(comm, pattern, halocline_field(u), scheme=SCHEME)",
        ),
        "Python": (
            "pattern = halocline.Pattern(comm=comm)",
            "pattern.send(peer, sent)  # for each peer",
            "pattern.receive(peer, halo)",
            "halos = halocline.Exchange(pattern, u, scheme=SCHEME)",
        ),
    },
    "ragged": {
        "C++": (
            "halocline::RaggedExchange moving(comm, peers, peers, sizeof(double), capacity,",
            "                                 SCHEME);",
        ),
        "C": (
            "halocline_ragged_exchange_create(halocline_comm_of(comm), n, peers, n, peers,",
            "                                 sizeof(double), capacity, SCHEME, &moving);",
        ),
        "Fortran": ("call moving%create(comm, peers, peers, 8, capacity=capacity, scheme=SCHEME)",),
        "Python": (
            'moving = halocline.RaggedExchange(peers, peers, "f8", capacity=capacity,',
            "                                   scheme=SCHEME, comm=comm)",
        ),
    },
}
