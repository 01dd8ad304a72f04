"""A trace as one file for Perfetto (https://ui.perfetto.dev): tracks, and arrows of messages."""

from __future__ import annotations

from pathlib import Path

from halocline.errors import HaloclineError
from halocline.outputs import save
from halocline.traces.file import ACTIVITIES, NUMBER, Trace
from halocline.traces.messages import messages
from halocline.traces.waits import Analysis

SEQUENCE = 1


def write(trace: Trace, file: Path, analysis: Analysis | None = None) -> Path:
    """Write a Perfetto trace: a process for each rank with a track for each thread and its waits.

    Arrows lead from the call that put or sent a message to the wait that it ended.

    Raises
    ------
    HaloclineError
        When the package perfetto is missing.
    """
    try:
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent
        from perfetto.trace_builder.proto_builder import TraceProtoBuilder
    except ImportError:
        raise HaloclineError(
            "Perfetto files need the package perfetto: pip install perfetto"
        ) from None
    analysis = analysis or Analysis(trace)
    builder = TraceProtoBuilder()
    zero = trace.begin
    flows: dict[tuple[int, int], list[int]] = {}
    ends: dict[tuple[int, int], list[int]] = {}
    for number, message in enumerate(messages(trace, analysis), 1):
        flows.setdefault((message.sender, message.left[0]), []).append(number)
        ends.setdefault((message.receiver, message.arrived[0]), []).append(number)

    def packet(time: int, track: int, kind: int):
        made = builder.add_packet()
        made.timestamp = time - zero
        made.trusted_packet_sequence_id = SEQUENCE
        made.track_event.type = kind
        made.track_event.track_uuid = track
        return made.track_event

    for rank in trace.ranks:
        process = 1 + 1000 * rank.rank
        made = builder.add_packet()
        made.track_descriptor.uuid = process
        made.track_descriptor.process.pid = rank.rank + 1
        made.track_descriptor.process.process_name = f"rank {rank.rank} on {rank.host}"
        threads = range(len(rank.regions))
        for place, name in enumerate([*(f"thread {t}" for t in threads), "wait states"], 1):
            made = builder.add_packet()
            made.track_descriptor.uuid = process + place
            made.track_descriptor.parent_uuid = process
            made.track_descriptor.name = name
        starts = (
            NUMBER["transfer"],
            *(NUMBER[name] for name in ("put", "get", "accumulate", "wait")),
        )
        over = (NUMBER["wait"], NUMBER["unpack"])
        for thread in threads:
            track = process + 1 + thread
            open_ends: list[int] = []
            events = rank.main if thread == 0 else rank.events[rank.events["thread"] == thread]
            for event in events:
                begin, end = int(event["begin"]), int(event["end"])
                while open_ends and open_ends[-1] <= begin:
                    packet(open_ends.pop(), track, TrackEvent.TYPE_SLICE_END)
                shown = packet(begin, track, TrackEvent.TYPE_SLICE_BEGIN)
                shown.name = rank.name(event)
                shown.categories.append(ACTIVITIES[event["activity"]])
                exchange = rank.exchange(event)
                if exchange is not None:
                    _note(shown, "exchange", exchange.name)
                    _note(shown, "step", int(event["step"]))
                if rank.peer(event) is not None:
                    _note(shown, "peer", rank.peer(event))
                if event["bytes"]:
                    _note(shown, "bytes", int(event["bytes"]))
                if thread == 0 and event["activity"] in starts:
                    shown.flow_ids.extend(flows.pop((rank.rank, begin), ()))
                if thread == 0 and event["activity"] in over:
                    shown.terminating_flow_ids.extend(ends.pop((rank.rank, begin), ()))
                # Where clocks cut an inner event's end, it still ends within the outer one.
                open_ends.append(min(end, open_ends[-1]) if open_ends else end)
            while open_ends:
                packet(open_ends.pop(), track, TrackEvent.TYPE_SLICE_END)
        track = process + 1 + len(threads)
        last = zero
        for state in (one for one in analysis.states if one.rank == rank.rank):
            begin = max(state.begin, last)
            if state.end <= begin:
                continue
            last = state.end
            shown = packet(begin, track, TrackEvent.TYPE_SLICE_BEGIN)
            shown.name = f"{state.name} behind rank {state.culprit}"
            packet(state.end, track, TrackEvent.TYPE_SLICE_END)
    return save(Path(file), builder.serialize())


def _note(event, name: str, value: str | int) -> None:
    made = event.debug_annotations.add()
    made.name = name
    if isinstance(value, str):
        made.string_value = value
    else:
        made.int_value = value
