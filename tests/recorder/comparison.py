"""Recordings beside the plain logs of the same run: each call, each message, each sum."""

import re
from collections import Counter, defaultdict
from math import isclose

NOT_LOGGED = re.compile(
    r"MPI_(Type_\w+|Group_\w+|Comm_(group|rank|size|test_inter|compare|get_\w+|set_\w+)|Pack\w*|Unpack\w*"
    r"|Buffer_\w+|Win_(attach|detach|sync|get_\w+|set_\w+)|Test_cancelled|Cart_(shift|coords|rank|get)"
    r"|Dist_graph_neighbors\w*|Topo_test|Info_\w+|Op_\w+|Init\w*|Finalize\w*|Get_(count|elements\w*|address|version|library_version|processor_name)|Errhandler\w*)"
)
"""Functions that random programs call without a line in their log."""
COUNTS_REQUESTS = re.compile(r"MPI_(Wait|Test)(all|any|some)|MPI_Startall")
COLLECTIVE = re.compile(
    r"MPI_I?(barrier|bcast|gatherv?|scatterv?|(all|neighbor_all)gatherv?|(neighbor_)?alltoall[vw]?"
    r"|(all)?reduce|reduce_scatter(_block)?|scan|exscan)",
    re.IGNORECASE,
)
CLOCK = 2e-9  # both round to nanoseconds


class Comparison:
    """One run: logs and recordings of all its ranks."""

    def __init__(self, logs, recordings):
        assert sorted(logs) == sorted(recordings), "a rank has recorded nothing"
        self.logs, self.recordings = logs, recordings
        self.key_of = {}  # of the log's names of communicators
        self.paired = {}  # of each rank: (line, call)

    def check(self):
        for rank in self.logs:
            self.check_calls(rank)
            self.check_times(rank)
        self.check_keys()
        channels = Channels(self.logs)
        for rank in self.logs:
            self.check_links(rank, channels)
            self.check_messages(rank, channels)
        self.check_both_sides(channels)
        self.check_meetings()

    # --- Calls ---------------------------------------------------------------------------------

    def check_calls(self, rank):
        log, recording = self.logs[rank], self.recordings[rank]
        self.paired[rank] = []
        for thread in {line.thread for line in log.calls}:
            lines = [line for line in log.calls if line.thread == thread]
            calls = [recording.calls[number] for number in recording.called(thread)]
            calls = [call for call in calls if not NOT_LOGGED.fullmatch(call["function"])]
            for at, (line, call) in enumerate(zip(lines, calls)):
                where = f"rank {rank}, call {at}: logged {line}, recorded {call}"
                assert line.function == call["function"], where
                self.check_arguments(log, recording, line, call, where)
            assert len(lines) == len(calls), (
                f"rank {rank}, thread {thread}: {len(lines)} calls logged, {len(calls)} recorded; "
                f"the first one more: {(lines[len(calls) :] or calls[len(lines) :])[0]}"
            )
            self.paired[rank] += zip(lines, calls)

    def check_arguments(self, log, recording, line, call, where):
        rank_in = self.check_comm(log, recording, line, call, where)
        for name in ("peer", "other_peer"):
            if name in line.said:
                assert call.get(name) == relative(log, line.number(name), rank_in), (name, where)
        for name in ("tag", "other_tag"):
            if name in line.said:
                tag = line.number(name)
                tag = "any" if tag == log.constants["any_tag"] else tag
                nobody = call.get("peer" if name == "tag" else "other_peer") == "null"
                assert call.get(name) == tag or nobody, (name, where)
        # What a null peer is sent may be left out.
        for count, kind, layout in (
            ("count", "type", "layout"),
            ("other_count", "other_type", "other_layout"),
        ):
            if count in line.said:
                assert call.get(count, 0) == line.number(count), (count, where)
            if kind in line.said and line.number(count):
                assert layout in call, (layout, where)
                self.check_layout(
                    log.types[line.said[kind]], recording.layouts[call[layout]], where
                )
        if COUNTS_REQUESTS.fullmatch(line.function):
            assert call.get("requests", 0) == line.number("requests"), where
        if "root" in line.said and len(recording.comms[call["comm"]]["members"]) > 0:
            assert call.get("peer") == "root" and call.get("root") == line.number("root"), where
        if "partitions" in line.said:
            assert call["partitions"] == line.number("partitions"), where
        wild = "any" in (
            call.get("peer"),
            call.get("tag"),
            call.get("other_peer"),
            call.get("other_tag"),
        )
        if wild and line.met is not None and "Sendrecv" not in line.function:
            source, tag = line.met
            assert call.get("found") == [source - rank_in, tag], ("found", where)

    def check_comm(self, log, recording, line, call, where):
        """Return the own rank in what is spoken of."""
        name = line.said.get("comm")
        if "window" in line.said:
            window = recording.windows[call["window"]]
            logged = log.windows[line.said["window"]]
            assert window["flavour"] == logged["flavour"], where
            alone = window.get("made", 1) == 1
            size = int(logged["bytes"])
            assert window["bytes"] == size if alone else window["bytes"] >= size, where
            comm, name = recording.comms[window["comm"]], logged["comm"]
        elif name is not None:
            comm = recording.comms[call["comm"]]
        elif "comm" in call:
            return recording.comms[call["comm"]]["rank"]
        else:
            return None
        said = log.comms[name]
        assert comm["members"] == said["members"] and comm["rank"] == said["rank"], (comm, where)
        assert comm["size"] == len(said["members"]), (comm, where)
        if comm.get("made", 1) == 1:
            known = self.key_of.setdefault(name, comm["key"])
            assert known == comm["key"], f"{name} has the keys {known} and {comm['key']}; {where}"
        return said["rank"]

    @staticmethod
    def check_layout(said, layout, where):
        blocks = said["blocks"]
        assert layout["bytes"] == said["bytes"], (layout, said, where)
        assert layout["extent"] == said["extent"], (layout, said, where)
        if len(blocks) == 1 and blocks[0][0] == 0 and "offsets" not in layout:
            return
        assert layout["blocks"] == len(blocks), (layout, said, where)
        # In the order of sending, or in that of memory.
        offsets = [tuple(block) for block in layout["offsets"]]
        assert offsets in (blocks[:64], sorted(blocks)[:64]), (layout, said, where)
        alike = {size for _, size in blocks}
        assert layout.get("block_bytes") == (alike.pop() if len(alike) == 1 else None), where

    def check_keys(self):
        """No two communicators have the same key, and a child's begins with its parent's."""
        names = defaultdict(set)
        for name, key in self.key_of.items():
            names[key].add(name)
        for key, several in names.items():
            assert len(several) == 1, f"the key {key} is that of {sorted(several)}"
        for log in self.logs.values():
            for name, said in log.comms.items():
                if name in self.key_of and said.get("parent") in self.key_of:
                    parent = self.key_of[said["parent"]]
                    assert self.key_of[name].startswith(parent + "/"), (name, said, self.key_of)

    # --- Times ---------------------------------------------------------------------------------

    def check_times(self, rank):
        log, recording = self.logs[rank], self.recordings[rank]
        head = recording.head
        assert head["begin"] <= log.run["begin"] <= log.run["end"] <= head["end"]
        logged, times = Counter(), Counter()
        for line, call in self.paired[rank]:
            logged[call["call"]] += line.after - line.before
            times[call["call"]] += 1
        all_times = Counter(
            number for thread in recording.sequences for number in recording.called(thread)
        )
        for number, call in recording.calls.items():
            assert all_times[number] == call["times"], (rank, call)
            assert call["least"] <= call["most"], (rank, call)
            least, most = call["least"] * call["times"], call["most"] * call["times"]
            slack = 1e-9 * call["times"] + 1e-12
            assert least - slack <= call["seconds"] <= most + slack, (rank, call)
            if number in times:
                slack = CLOCK * call["times"]
                assert call["seconds"] <= logged[number] + slack, (rank, call, logged[number])
        in_calls = sum(call["seconds"] for call in recording.lines["call"])
        outside = sum(call.get("outside", 0) for call in recording.lines["call"])
        assert head["calls"] == sum(call["times"] for call in recording.lines["call"])
        if len(recording.sequences) == 1:
            assert isclose(head["in_mpi"], in_calls, rel_tol=1e-3, abs_tol=1e-6), (head, in_calls)
            whole = head["end"] - head["begin"]
            # What remains is the recorder's own.
            assert 0.5 * whole - 0.1 <= in_calls + outside <= 1.001 * whole, (
                in_calls,
                outside,
                whole,
            )

    # --- Shapes --------------------------------------------------------------------------------

    def check_links(self, rank, channels):
        """Every message that was sent or received is in one shape."""
        recording = self.recordings[rank]
        linked, expected = Counter(), Counter()
        varied = any(shape.get("varied") for shape in recording.shapes.values())
        for shape in recording.shapes.values():
            for link in shape["links"]:
                # Those of neighbours have no tag, nor have those of windows.
                if link["kind"] in ("send", "receive") and "tag" in link:
                    key = (link["kind"], recording.comms[link["comm"]]["key"], link["peer"])
                    key += () if varied else (link["tag"], link["bytes"])
                    linked[key] += shape["times"]
        own = keys_of_one(recording)
        for key in [key for key in linked if key[1] not in own]:
            del linked[key]
        for kind, comm, peer, tag, size in channels.of(rank):
            if self.key_of.get(comm) not in own:
                continue
            key = (kind, self.key_of[comm], peer)
            expected[key + (() if varied else (tag, size))] += 1
        more, less = linked - expected, expected - linked
        if (
            recording.head["interface"] != "openmpi"
        ):  # MPICH does not say how much Isendrecv receives
            unsure = {(self.key_of[comm], tag) for comm, tag in channels.unsure}
            more, less = (
                Counter(key[:4] if key[1:4:2] in unsure else key for key in found.elements())
                for found in (more, less)
            )
        assert more == less, (
            f"rank {rank}: linked and not logged: {more}; logged and not linked: {less}"
        )

    # --- Messages ------------------------------------------------------------------------------

    def check_messages(self, rank, channels):
        recording = self.recordings[rank]
        name_of = {key: name for name, key in self.key_of.items()}
        own, kept = keys_of_one(recording), Counter()
        for message in recording.lines["message"]:
            where = f"rank {rank}: {message}"
            assert message["posted"] <= message["waited"] <= message["done"], where
            if message["comm"] not in own:
                continue
            comm, tag = name_of[message["comm"]], message["tag"]
            partitioned = recording.shapes[message["shape"]]["way"] == "partitioned"
            tag = ("partitioned", tag) if partitioned else tag
            channel = channels.channel(message["message"], rank, comm, message["peer"], tag)
            assert message["number"] < len(channel), where
            posted, completed = channel[message["number"]]
            assert posted.before - CLOCK <= message["posted"] <= posted.after + CLOCK, (
                where,
                posted,
            )
            # Sends that are over at once share a handle: nobody knows which is waited for.
            if completed is not None and message["message"] == "received":
                assert completed.before - CLOCK <= message["waited"], (where, completed)
                assert message["done"] <= completed.after + CLOCK, (where, completed)
            kept[message["message"], comm, message["peer"], tag] += 1
        assert not kept or max(kept.values()) <= 64

    def check_both_sides(self, channels):
        """The same messages are kept by who sends and by who receives them."""
        keys = {rank: keys_of_one(recording) for rank, recording in self.recordings.items()}
        own = {
            comm["key"]
            for recording in self.recordings.values()
            for comm in recording.comms.values()
            if all(comm["key"] in keys[member] for member in comm["members"])
        }
        sides = {"sent": defaultdict(set), "received": defaultdict(set)}
        for rank, recording in self.recordings.items():
            for message in recording.lines["message"]:
                if message["comm"] not in own:
                    continue
                other = message["peer"]
                ends = (rank, other) if message["message"] == "sent" else (other, rank)
                partitioned = recording.shapes[message["shape"]]["way"] == "partitioned"
                tag = ("partitioned", message["tag"]) if partitioned else message["tag"]
                channel = (message["comm"], *ends, tag)
                sides[message["message"]][channel].add(message["number"])
        for channel, received in sides["received"].items():
            sent = sides["sent"][channel]
            # A send whose request the program has freed ends unseen; where requests share a handle,
            # another one may seem to be that.
            forgotten = channels.forgotten(channel[1])
            assert len(received - sent) <= forgotten, (channel, sorted(received - sent))
        for channel, sent in sides["sent"].items():
            missing = sorted(sent - sides["received"][channel])
            assert not missing, (channel, missing)

    def check_meetings(self):
        """Collectives have the same function for all, and times within a call of it."""
        functions = {}
        for rank, recording in self.recordings.items():
            spans = defaultdict(list)
            for line, call in self.paired[rank]:
                spans[call["function"]].append((line.before, line.after))
            for meeting in recording.lines["meeting"]:
                where = f"rank {rank}: {meeting}"
                assert meeting["enter"] <= meeting["leave"], where
                if meeting["meeting"] not in self.key_of.values():
                    continue  # of a window, or of one of several that share a line
                key = meeting["meeting"], meeting["number"]
                assert functions.setdefault(key, meeting["function"]) == meeting["function"], where
                if meeting["function"] in spans:
                    assert any(
                        before - CLOCK <= meeting["enter"] <= after + CLOCK
                        for before, after in spans[meeting["function"]]
                    ) or meeting["function"].endswith("_init"), where


def keys_of_one(recording):
    """Keys of communicators that share their line with no other."""
    return {comm["key"] for comm in recording.comms.values() if comm.get("made", 1) == 1}


def relative(log, peer, own):
    """A peer as recordings have it."""
    if peer == log.constants["proc_null"]:
        return "null"
    if peer == log.constants["any_source"]:
        return "any"
    return peer - own


class Channels:
    """Messages between two ranks with a tag on a communicator, in the order of MPI's matching.

    Each is the call that has started it and the one that has completed it.
    """

    def __init__(self, logs):
        self.logs = logs
        self.sent, self.received = defaultdict(list), defaultdict(list)
        self.bytes, self.freed = defaultdict(list), Counter()
        self.unsure = set()
        for rank, log in logs.items():
            self.read(rank, log)

    def read(self, rank, log):
        null = log.constants["proc_null"]
        requests = {}
        open_ = {}  # requests under way: what they have started

        def world(line, peer):
            return log.comms[line.said["comm"]]["members"][peer]

        def send(line, posted, completed):
            peer = line.number("peer")
            if peer == null:
                return None
            tag = line.number("tag")
            if "partitions" in line.said:
                tag = ("partitioned", tag)
            key = (line.said["comm"], rank, world(line, peer), tag)
            size = line.number("count") * log.types[line.said["type"]]["bytes"]
            size *= line.number("partitions") or 1
            self.sent[key].append([posted, completed])
            self.bytes[key].append(size)
            return self.sent[key][-1]

        def receive(line, posted, tagged):
            """Take a place in posting order; what is met is known later."""
            place = {"line": line, "posted": posted, "met": tagged, "completed": None}
            receives.append(place)
            return place

        receives = []
        probed = None
        for line in log.calls:
            name = line.function
            base = re.sub(r"^MPI_I?", "", name).lower()
            if "request" in line.said and (name.endswith("_init")):
                requests[line.number("request")] = line
            elif name in ("MPI_Mprobe", "MPI_Improbe") and line.met is not None:
                probed = receive(line, line, line.met)  # here it is met, not where it is received
            elif base in ("send", "bsend", "ssend", "rsend"):
                entry = send(line, line, None if "request" in line.said else line)
                if "request" in line.said:
                    open_[line.number("request")] = ("send", entry)
            elif base == "recv":
                place = receive(line, line, line.met)
                if "request" in line.said:
                    open_[line.number("request")] = ("receive", place)
                else:
                    place["completed"] = line
            elif base == "mrecv":
                place = probed
                said = {**place["line"].said, **line.said}
                place["line"] = type(line)(name, line.before, line.after, said)
                place["posted"] = line
                if "request" in line.said:
                    open_[line.number("request")] = ("receive", place)
                else:
                    place["completed"] = line
            elif base in ("sendrecv", "sendrecv_replace"):
                if "request" in line.said:
                    self.unsure.update(
                        (line.said["comm"], line.number(n)) for n in ("tag", "other_tag")
                    )
                entry = send(line, line, None if "request" in line.said else line)
                other = dict(line.said, peer=line.said["other_peer"], tag=line.said["other_tag"])
                place = receive(type(line)(name, line.before, line.after, other), line, line.met)
                if "request" in line.said:
                    open_[line.number("request")] = ("both", entry, place)
                else:
                    place["completed"] = line
            elif name in ("MPI_Start", "MPI_Startall"):
                for number in line.started:
                    init = requests.get(number)
                    if init is None or COLLECTIVE.fullmatch(init.function.replace("_init", "")):
                        continue
                    if "ecv" in init.function:
                        open_[number] = ("receive", receive(init, line, None))
                    else:
                        open_[number] = ("send", send(init, line, None))
            elif name == "MPI_Request_free" and line.number("request") in open_:
                del open_[line.number("request")]
                self.freed[rank] += 1
            for number, met in line.done:
                what = open_.pop(number, None)
                if what is None:
                    continue
                if what[0] in ("send", "both") and what[1] is not None:
                    what[1][1] = line
                if what[0] in ("receive", "both"):
                    what[-1]["met"], what[-1]["completed"] = met, line
        for place in receives:
            line, met = place["line"], place["met"]
            if met in (None, "cancelled") or met[0] == null or line.number("peer") == null:
                continue
            source, tag = met
            if "partitions" in line.said:
                tag = ("partitioned", tag)
            key = (line.said["comm"], world(line, source), rank, tag)
            self.received[key].append((place["posted"], place["completed"]))

    def channel(self, kind, rank, comm, peer, tag):
        if kind == "sent":
            return self.sent[comm, rank, peer, tag]
        return self.received[comm, peer, rank, tag]

    def forgotten(self, rank):
        """Count messages of a rank that nobody has waited for."""
        return self.freed[rank]

    def of(self, rank):
        """Yield each message of a rank: kind, communicator, peer in the world, tag and bytes."""
        for (comm, source, target, tag), sizes in self.bytes.items():
            tag = tag[1] if isinstance(tag, tuple) else tag
            for size in sizes:
                if source == rank:
                    yield "send", comm, target, tag, size
                if target == rank:
                    yield "receive", comm, source, tag, size
