"""Traces: wait states of made-up runs, and what is written for people and other tools."""

import json
import re
import struct
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from commands import browser, needs

from halocline.errors import HaloclineError
from halocline.reports import screenshot
from halocline.traces import (
    Exchange,
    Trace,
    ages,
    copies,
    critical_path,
    losses,
    made,
    messages,
    otf2_archive,
    page,
    perfetto,
    reasons,
    shares,
    slower,
    spread,
    step_begins,
    told,
    wait_states,
)
from halocline.traces.file import ACTIVITIES, EVENT

MS = 1_000_000
US = 1_000


class Run:
    """Events of some ranks, written down activity by activity."""

    def __init__(self, scheme, ranks=2, links=None, waits="messages"):
        if links is None:
            links = {(i, j): 64 for i in range(ranks) for j in range(ranks) if i != j}
        self.exchange = Exchange(5, scheme, tuple(range(ranks)), links, waits=waits)
        self.events = [[] for _ in range(ranks)]

    def add(self, rank, begin, end, activity, depth=1, step=1, peer=-1, **more):
        exchange = 0 if activity in ("compute", "region") else 1
        self.events[rank].append(
            {"begin": begin, "end": end, "activity": activity, "depth": depth, "step": step,
             "peer": peer, "exchange": exchange, **more}
        )  # fmt: skip

    def compute(self, rank, begin, end):
        self.add(rank, begin, end, "compute", depth=0, name=1)

    def exchange_step(self, rank, started, waited, over, step=1):
        """Start at a time, send, and wait from `waited` until `over`."""
        self.add(rank, started, started + 3 * US, "begin step", 0, step)
        self.add(rank, started, started + US, "pack", 1, step)
        self.add(rank, started + US, started + 3 * US, "transfer", 1, step)
        self.add(rank, waited, over + US, "end step", 0, step)
        self.add(rank, waited, over, "wait", 1, step)
        self.add(rank, over, over + US, "unpack", 1, step)

    def trace(self):
        return made(self.events, [self.exchange], ["sweep"])


@pytest.fixture
def late_sender():
    """Rank 1 of three computes 9 ms longer than the others, in each of two steps."""
    run = Run("p2p:nonblocking", 3)
    for step, begin in ((1, 0), (2, 20 * MS)):
        for rank in range(3):
            started = begin + (10 * MS if rank == 1 else MS)
            run.compute(rank, begin, started)
            over = begin + 10 * MS + 5 * US
            run.exchange_step(rank, started, started + 3 * US, over, step)
    return run.trace()


def test_a_late_sender_is_named_with_the_time_it_cost(late_sender):
    states = wait_states(late_sender)
    assert {(one.rank, one.culprit, one.name) for one in states} == {
        (0, 1, "late sender"), (2, 1, "late sender")
    }  # fmt: skip
    # From the wait's beginning until rank 1 sent.
    assert [one.end - one.begin for one in states] == [9 * MS - 2 * US] * 4


def test_the_critical_path_is_without_gaps_and_runs_through_the_culprit(late_sender):
    path = critical_path(late_sender)
    assert sum(one.end - one.begin for one in path) == late_sender.end - late_sender.begin
    share = shares(late_sender, path)
    assert sum(share.values()) == pytest.approx(1)
    assert share[1, "compute"] > 0.9


def test_a_sentence_says_what_a_scheme_loses_and_behind_whom(late_sender):
    (loss,) = losses(late_sender)
    assert loss.what == "p2p:nonblocking"
    assert loss.parts[0].name == "late sender"
    assert loss.parts[0].culprit == 1
    assert loss.parts[0].share == pytest.approx(4 * 9 / (3 * 30.006), rel=0.01)
    assert str(loss).startswith("p2p:nonblocking loses 40 % here: 40 % late sender behind rank 1")
    assert told(late_sender)[0] == "3 ranks, 0.03 s"


def test_copies_from_and_to_a_device_are_told_by_their_way():
    run = Run("p2p:nonblocking+device=staged")
    for rank in range(2):
        run.compute(rank, 0, MS)
        run.exchange_step(rank, MS, MS + 3 * US, MS + 9 * US)
        run.add(rank, MS + US, MS + 2 * US, "copy", 2, name=2, bytes=64)
        run.add(rank, MS + 9 * US, MS + 9 * US + 500, "copy", 2, name=3, bytes=32)
    trace = made(run.events, [run.exchange], ["sweep", "to host", "to device"])
    down, up = copies(trace)
    assert (down.way, down.count, down.bytes) == ("to host", 2, 128)
    assert (up.way, up.count, up.bytes) == ("to device", 2, 64)
    assert up.share == pytest.approx(down.share / 2)
    assert "copies to host: 2 of 0.000128 MB in all" in "\n".join(told(trace))


def test_nobody_is_blamed_where_all_are_in_time():
    run = Run("p2p:nonblocking")
    for rank in range(2):
        run.exchange_step(rank, MS, MS + 3 * US, MS + 9 * US)
    assert wait_states(run.trace()) == []


def test_a_wait_that_lasts_longer_than_the_sender_was_late_is_the_message_s():
    run = Run("p2p:nonblocking")
    run.exchange_step(0, 0, 3 * US, 2 * MS)
    run.exchange_step(1, MS, MS + 3 * US, 2 * MS)
    (state,) = wait_states(run.trace())
    assert (state.rank, state.end - state.begin) == (0, MS - 2 * US)


@pytest.mark.parametrize(
    ("fence", "waits"), [("rma:put:fence", "fences"), ("shm:fence", "shared memory by fences")]
)
def test_all_wait_at_a_fence_for_the_last(fence, waits):
    ranks = 3
    run = Run(fence, ranks, waits=waits)
    for rank in range(ranks):
        came = (1 + 3 * rank) * MS
        run.add(rank, 0, came, "begin step", 0)
        run.add(rank, came, 8 * MS, "end step", 0)
        run.add(rank, came, 8 * MS, "wait", 1)
        run.add(rank, came, 8 * MS, "fence", 2)
    states = wait_states(run.trace())
    assert [(s.name, s.rank, s.culprit, s.end - s.begin) for s in states] == [
        ("wait at fence", 0, 2, 6 * MS), ("wait at fence", 1, 2, 3 * MS)
    ]  # fmt: skip


def test_a_target_waits_early_until_data_leave_and_late_until_completed():
    run = Run("rma:put:pscw", links={(1, 0): 64}, waits="epochs")
    run.add(0, 0, US, "begin step", 0)
    run.add(0, 0, US, "post", 2)
    run.add(0, 2 * US, 9 * MS, "end step", 0)
    run.add(0, 2 * US, 9 * MS, "wait", 1)
    run.add(1, 4 * MS, 5 * MS, "begin step", 0)
    run.add(1, 4 * MS, 5 * MS, "put", 2, peer=0)
    run.add(1, 8 * MS, 9 * MS, "end step", 0)
    run.add(1, 8 * MS, 9 * MS, "complete", 2)
    states = {one.name: one.end - one.begin for one in wait_states(run.trace())}
    assert states == {"early wait": 5 * MS - 2 * US, "late complete": 3 * MS}


def test_an_origin_waits_for_a_post():
    run = Run("rma:put:pscw", links={(0, 1): 64}, waits="epochs")
    run.add(0, 0, 5 * MS, "begin step", 0)
    run.add(0, 0, 5 * MS, "start", 2)
    run.add(1, 4 * MS, 5 * MS, "begin step", 0)
    run.add(1, 4 * MS, 4 * MS + US, "post", 2)
    (state,) = wait_states(run.trace())
    assert (state.name, state.culprit, state.end) == ("late post", 1, 4 * MS)


def test_computing_that_the_exchange_makes_slower_shows_against_another_trace():
    traces = []
    for length in (2 * MS, 3 * MS):
        run = Run("shm:signal", waits="shared memory")
        for step in range(5):
            run.compute(0, 10 * step * MS, 10 * step * MS + length)
        traces.append(run.trace())
    (found,) = slower(traces[1], traces[0])
    assert (found.region, found.times) == ("sweep", pytest.approx(1.5))
    assert "computing 'sweep' takes 1.50 times as long" in told(traces[1], traces[0])[-1]


# ---- files -----------------------------------------------------------------------------------


def content(version=1, activities=ACTIVITIES, events=3, regions="", exchanges=()):
    """Return a file of one rank, byte by byte as the reference says; regions as JSON has them."""
    table = np.zeros(events, EVENT)
    table["end"] = np.arange(events)
    about = json.dumps(
        {"host": "h", "threads": [{"events": events, "dropped": 7, "dropped_after": 1,
         "regions": []}], "steps": 2, "steps_a_row": 1, "exchanges": exchanges}
    )  # fmt: skip
    about = about.replace('"regions": []', f'"regions": [{regions}]')
    about += " " * (-len(about) % 8)
    sums = np.zeros(2 * len(activities), "<f4").tobytes()
    part = about.encode("latin-1") + table.tobytes() + sums
    head = json.dumps(
        {"job": {"program": "x"}, "activities": activities,
         "clock": {"source": "tsc", "error_s": 1e-7},
         "ranks": [{"bytes": len(part), "description_bytes": len(about), "events": events,
                    "sums": 2 * len(activities)}]}
    )  # fmt: skip
    return b"halocline-trace\n" + struct.pack("<QQ", version, len(head)) + head.encode() + part


def test_regions_are_shown_whatever_they_are_called(tmp_path, halocline):
    """Older programs wrote the names that they were given: Latin-1, tabs, HTML."""
    name = "größe\t</script><b>[/x]:lock:\x1b[1m"
    (tmp_path / "x.trace").write_bytes(content(regions=f'"{name}"'))
    said = halocline("trace", "x.trace", "--html", "x.html")
    assert said.returncode == 0, said.stderr
    shown = (tmp_path / "x.html").read_text("utf-8")
    assert shown.count("</script>") == 1
    assert "gr\\ufffd\\ufffde " in shown
    assert "\x1b" not in shown


def test_a_file_is_read_as_the_reference_describes_it(tmp_path):
    file = tmp_path / "a.trace"
    file.write_bytes(content())
    trace = Trace.load(file)
    assert trace.job == {"program": "x"}
    assert trace.dropped == 7
    assert trace.ranks[0].events["end"].tolist() == [0, 1, 2]
    assert trace.ranks[0].sums.shape == (2, len(ACTIVITIES))


@pytest.mark.parametrize("ranks", [{}, {"ranks": [0]}])
def test_an_exchange_of_all_ranks_need_not_list_them(tmp_path, ranks):
    file = tmp_path / "a.trace"
    one = {"number": 1, "what": "p2p:nonblocking", "sends": [[0, 8]], "receives": [], **ranks}
    file.write_bytes(content(exchanges=[one]))
    (found,) = Trace.load(file).ranks[0].exchanges
    assert (found.ranks, found.sends, found.receives) == ((0,), {0: 8}, {})


@pytest.mark.parametrize(
    ("bytes_", "word"),
    [(b"PK", "is not a trace"), (content(version=9), "version 9"), (content()[:-300], "not whole"),
     (content()[:200], "not whole")],
)  # fmt: skip
def test_other_files_are_refused_in_one_line(tmp_path, halocline, bytes_, word):
    file = tmp_path / "a.trace"
    file.write_bytes(bytes_)
    said = halocline("trace", file)
    assert said.returncode == 1
    assert word in said.stderr
    assert said.stderr.count("\n") == 1


def test_the_command_tells_about_a_file(tmp_path, halocline):
    file = tmp_path / "a.trace"
    file.write_bytes(content())
    said = halocline("trace", file, "--html", tmp_path / "a.html")
    assert said.returncode == 0, said.stderr
    assert "1 ranks" in said.stdout
    assert "7 events in the middle found no room" in said.stdout
    assert (tmp_path / "a.html").is_file()


def test_perfetto_has_tracks_slices_and_an_arrow_for_each_message(late_sender, tmp_path):
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    file = perfetto.write(late_sender, tmp_path / "a.pftrace")
    trace = protos.Trace.FromString(file.read_bytes())
    names = [p.track_descriptor.process.process_name for p in trace.packet]
    assert [name for name in names if name] == [f"rank {i} on host" for i in range(3)]
    events = [p.track_event for p in trace.packet if p.HasField("track_event")]
    kinds = [event.type for event in events]
    begin, end = protos.TrackEvent.TYPE_SLICE_BEGIN, protos.TrackEvent.TYPE_SLICE_END
    assert kinds.count(begin) == kinds.count(end)
    begun = sorted(flow for event in events for flow in event.flow_ids)
    ended = sorted(flow for event in events for flow in event.terminating_flow_ids)
    assert begun == ended == list(range(1, 1 + 2 * 3 * 2))
    assert "late sender behind rank 1" in {event.name for event in events}
    # On every track slices end in the reverse order of their beginnings.
    open_on = {}
    for p in trace.packet:
        if p.HasField("track_event"):
            track = open_on.setdefault(p.track_event.track_uuid, [0])
            track[0] += 1 if p.track_event.type == begin else -1
            assert track[0] >= 0
    assert all(count == [0] for count in open_on.values())


@pytest.fixture
def puts():
    """Two ranks that put to each other between fences."""
    run = Run("rma:put:fence", waits="fences")
    for rank in range(2):
        run.add(rank, 0, 10 * US, "begin step", 0)
        run.add(rank, US, 10 * US, "transfer", 1)
        run.add(rank, 2 * US, 9 * US, "put", 2, peer=1 - rank, bytes=64)
        run.add(rank, 10 * US, 20 * US, "end step", 0)
        run.add(rank, 10 * US, 19 * US, "wait", 1)
        run.add(rank, 11 * US, 18 * US, "fence", 2)
    return run.trace()


def test_otf2_has_one_sided_events_that_are_completed_by_the_fence(puts, tmp_path):
    otf2 = pytest.importorskip("otf2")
    anchor = otf2_archive.write(puts, tmp_path / "archive")
    found = []
    with otf2.reader.open(str(anchor)) as archive:
        assert archive.timer_resolution == 10**9
        assert [one.name for one in archive.definitions.rma_wins] == ["rma:put:fence"]
        for location, event in archive.events:
            found.append((location.group.name, event))
    mine = [event for rank, event in found if rank == "rank 0"]
    (put,) = [event for event in mine if isinstance(event, otf2.events.RmaPut)]
    assert (put.remote, put.bytes, put.time) == (1, 64, 2 * US)
    (done,) = [event for event in mine if isinstance(event, otf2.events.RmaOpCompleteBlocking)]
    assert (done.matching_id, done.time) == (put.matching_id, 18 * US)
    kinds = [type(event).__name__ for event in mine]
    assert kinds.count("RmaCollectiveBegin") == kinds.count("RmaCollectiveEnd") == 1
    assert kinds.count("Enter") == kinds.count("Leave") == 6


def test_otf2_has_the_messages_of_two_sided_schemes(late_sender, tmp_path):
    otf2 = pytest.importorskip("otf2")
    anchor = otf2_archive.write(late_sender, tmp_path / "archive")
    with otf2.reader.open(str(anchor)) as archive:
        kinds = [type(event).__name__ for _, event in archive.events]
    assert kinds.count("MpiSend") == kinds.count("MpiRecv") == 12
    with pytest.raises(HaloclineError, match="new or empty"):
        otf2_archive.write(late_sender, tmp_path / "archive")


@needs("otf2-print")
def test_otf2_print_reads_the_archive(puts, tmp_path):
    pytest.importorskip("otf2")
    anchor = otf2_archive.write(puts, tmp_path / "archive")
    said = subprocess.run(
        ["otf2-print", str(anchor)], capture_output=True, text=True, timeout=60, check=False
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("RMA_PUT") == 2
    assert said.stdout.count("RMA_OP_COMPLETE_BLOCKING") == 2


# ---- the page --------------------------------------------------------------------------------

PROBE = """<script>
const found = {};
const key = (name) => window.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
const inked = (id) => {
  const one = document.getElementById(id);
  const size = {width: one.width, height: one.height};
  const copy = Object.assign(document.createElement("canvas"), size);
  const context = copy.getContext("2d", {willReadFrequently: true});
  context.drawImage(one, 0, 0);
  const pixels = context.getImageData(0, 0, one.width, one.height).data;
  let some = 0;
  for (let i = 3; i < pixels.length; i += 4) some += pixels[i] > 0;
  return some;
};
ready.then(() => {
  found.ink = inked("detail");
  found.overview = inked("overview");
  found.ranks = ranks.length;
  found.all = [view.begin, view.end];
  key("+");
  found.zoomed = [view.begin, view.end];
  key("ArrowLeft");
  found.moved = [view.begin, view.end];
  key("0");
  const box = detail.getBoundingClientRect();
  detail.dispatchEvent(new WheelEvent("wheel", {deltaY: -1, clientX: box.right - 1}));
  found.wheeled = [view.begin, view.end];
  key("n");
  key("n");
  found.step = view.step;
  found.oneStep = [view.begin, view.end];
  key("0");
  const at = 0.1 * (box.width - LEFT) + LEFT + box.left;
  detail.dispatchEvent(new PointerEvent("pointermove", {clientX: at, clientY: box.top + 10}));
  found.hover = hover.textContent;
  key("l");
  found.links = [view.links, links.length, inked("detail")];
  found.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
});
</script>"""


def opened(file, tmp_path):
    """Return what the probe found in a page."""
    probe = tmp_path / "probe.html"
    probe.write_text(file.read_text() + PROBE)
    said = subprocess.run(
        [browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/u",
         "--enable-logging=stderr", "--virtual-time-budget=20000", "--window-size=1200,800",
         "--dump-dom", probe.as_uri()],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    found = re.search("FOUND(.*)END", said.stdout)
    assert found, said.stderr
    assert not [line for line in said.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(found[1])


@needs("chromium")
def test_a_browser_shows_ranks_steps_and_links(late_sender, tmp_path):
    found = opened(page.write(late_sender, tmp_path / "a.html"), tmp_path)
    length = late_sender.end - late_sender.begin
    assert found["ink"] > 5000 and found["overview"] > 2000
    assert found["ranks"] == 3
    assert found["all"] == [0, length]
    assert found["zoomed"] == pytest.approx([length / 4, 3 * length / 4])
    assert found["moved"] == pytest.approx([0.15 * length, 0.65 * length])
    assert found["wheeled"][0] > 0.19 * length
    assert found["wheeled"][1] == pytest.approx(length, rel=0.01)
    assert found["step"] == 1
    assert found["oneStep"][0] < 21 * MS < found["oneStep"][1]
    assert "late sender behind rank 1: 8.998 ms" in found["hover"]
    assert found["links"][:2] == [True, 6] and found["links"][2] > 2000
    assert found["wide"] <= 0


@needs("chromium")
def test_a_picture_of_the_page_is_of_the_step_that_is_asked_for(late_sender, tmp_path):
    file = page.write(late_sender, tmp_path / "a.html")
    whole = screenshot.take(file, tmp_path / "whole.png", size=(600, 300)).read_bytes()
    step = f"#step={page.middle(late_sender)}"
    of_step = screenshot.take(file, tmp_path / "step.png", step, (600, 300)).read_bytes()
    assert whole[16:24] == of_step[16:24] == struct.pack(">II", 900, 450)
    assert whole != of_step


def test_a_picture_is_of_a_page(halocline, tmp_path):
    said = halocline("trace", "no.trace", "--screenshot", tmp_path / "a.png")
    assert said.returncode != 0
    assert "--screenshot: is of the page; give --html F.html, too" in said.stderr


def test_the_page_of_a_long_run_is_not_large(tmp_path):
    # As of laplace: times vary, so that nothing is compressed away.
    dice = np.random.default_rng(1)
    ranks, steps = 8, 10_000
    run = Run("p2p:nonblocking", ranks, {
        (i, j): 8192 for i in range(ranks) for j in (i - 1, i + 1) if 0 <= j < ranks
    })  # fmt: skip
    for rank in range(ranks):
        at = 0
        times = dice.integers(2000, 20_000, (steps, 3)).tolist()
        for step, (computed, sent, waited) in enumerate(times, 1):
            run.compute(rank, at, at + computed)
            started = at + computed
            run.exchange_step(
                rank, started, started + 3 * US + sent, started + 9 * US + sent + waited, step
            )
            at = started + 12 * US + sent + waited
    trace = run.trace()
    file = page.write(trace, tmp_path / "a.html")
    assert file.stat().st_size < 10_000_000
    assert len(list(messages(trace))) > 0


@pytest.fixture
def two_islands():
    """Ranks 0 and 1 share memory; what goes to rank 2 goes by messages, and it is late."""
    ranks = (0, 1, 2)
    all_links = {(0, 1): 64, (1, 0): 64, (0, 2): 32, (2, 0): 32}
    outer = Exchange(1, "p2p:nonblocking", ranks, {(0, 2): 32, (2, 0): 32})
    whole = Exchange(2, "shm:signal", ranks, all_links, waits="shared memory")
    ranks_events = []
    for rank in ranks:
        late = 5 * MS if rank == 2 else 0
        events = []

        def add(begin, end, activity, exchange, depth, late=late, events=events):
            over = end if end > MS else late + end
            events.append(
                {"begin": late + begin, "end": over, "activity": activity, "exchange": exchange,
                 "depth": depth, "step": 1}
            )  # fmt: skip

        add(0, 10 * US, "begin step", 2, 0)
        add(0, 4 * US, "begin step", 1, 1)
        add(0, 4 * US, "transfer", 1, 2)
        add(4 * US, 10 * US, "transfer", 2, 1)
        add(20 * US, 6 * MS, "end step", 2, 0)
        add(20 * US, 30 * US, "wait", 2, 1)
        add(30 * US, 6 * MS, "end step", 1, 1)
        add(30 * US, 6 * MS, "wait", 1, 2)
        ranks_events.append(events)
    return made(ranks_events, [outer, whole])


def test_what_travels_between_islands_is_an_exchange_within_the_other(two_islands):
    outer, whole = two_islands.ranks[0].exchanges
    assert outer.name == "p2p:nonblocking within shm:signal"
    assert (set(outer.sends), set(whole.sends)) == ({2}, {1})
    (state,) = (one for one in wait_states(two_islands) if one.rank == 0)
    assert (state.name, state.culprit, state.exchange.what) == ("late sender", 2, "p2p:nonblocking")
    first, second = losses(two_islands)
    assert (first.what, second.what) == (outer.name, "shm:signal")
    # Each is counted once.
    assert first.share > 0.6 and second.share < 0.01
    on_path = shares(two_islands, critical_path(two_islands))
    assert on_path[0, "wait"] > 0.1


def test_asynchronous_data_have_an_age_and_nobody_waits_for_them():
    run = Run("p2p:nonblocking, asynchronous", waits="nobody")
    for step in range(1, 5):
        for rank in range(2):
            begin = step * MS + rank * 100 * US
            run.add(rank, begin, begin + 4 * US, "begin step", 0, step)
            run.add(rank, begin, begin + 4 * US, "transfer", 1, step)
            run.add(rank, begin + 5 * US, begin + 9 * US, "end step", 0, step)
            run.add(rank, begin + 5 * US, begin + 9 * US, "transfer", 1, step)
            behind = 1 if rank == 0 else 0
            if step > behind:
                run.add(rank, begin + 6 * US, begin + 8 * US, "unpack", 2, step - behind,
                        1 - rank, bytes=64)  # fmt: skip
    trace = run.trace()
    assert wait_states(trace) == []
    assert sorted(ages(trace)["p2p:nonblocking, asynchronous"]) == [0] * 4 + [1] * 3
    found = {(one.sender, one.receiver, one.step) for one in messages(trace)}
    assert found == {
        *((0, 1, step) for step in (1, 2, 3, 4)),
        *((1, 0, step) for step in (1, 2, 3)),
    }
    assert any("1 iterations behind" in text or "0 to 1 in all" in text for text in told(trace))


def test_a_comparison_says_why_and_the_page_and_explain_repeat_it(
    fake, halocline, tmp_path, monkeypatch, late_sender
):
    def traced(program, arguments, ranks, scheme, launcher, **_):
        if scheme == "shm:signal":
            raise HaloclineError("no space left")
        return late_sender

    monkeypatch.setattr(reasons, "traced", traced)
    said = halocline(
        "compare", "partdiff", "1", "2", "10", "1", "2", "20", "--launches", "2", "--trust",
        "--why", "--schemes", "shm:signal", "--output", tmp_path / "out",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    sentence = "p2p:nonblocking loses 40 % here: 40 % late sender behind rank 1"
    assert sentence in said.stdout
    assert "shm:signal: no trace: no space left" in said.stdout
    again = halocline("explain", tmp_path / "out")
    assert sentence in again.stdout
    assert halocline("report", tmp_path / "out").returncode == 0
    assert sentence in (tmp_path / "out" / "report.html").read_text()


def test_explain_traces_what_auto_chose_and_what_came_next(
    fake, halocline, monkeypatch, late_sender
):
    asked = []

    def traced(program, arguments, ranks, scheme, launcher, **_):
        asked.append(scheme)
        return late_sender

    monkeypatch.setattr(reasons, "traced", traced)
    said = halocline("explain", "partdiff", "1", "2", "10", "1", "2", "20", "--why")
    assert said.returncode == 0, said.stderr
    assert asked == ["shm:signal", "p2p:nonblocking"]
    assert "late sender behind rank 1" in said.stdout


def stepping(late, idle=None):
    """Two ranks of two threads, 10 ms a step; `late` tells by how much one begins to compute.

    The (step, rank, thread) `idle` does not compute.
    """
    run = Run("p2p:nonblocking", 2)
    for step in range(1, 13):
        for rank in range(2):
            begin = 10 * MS * step
            run.exchange_step(rank, begin, begin + 5 * US, begin + 6 * US, step)
            for thread in range(2):
                if (step, rank, thread) == idle:
                    continue
                starts = begin + MS + late(step, rank, thread)
                run.add(rank, starts, begin + 9 * MS, "compute", 0, name=1, thread=thread)
                run.add(rank, begin + 9 * MS, begin + 9 * MS + US, "compute", 0, thread=thread)
    run_trace = run.trace()
    for rank in run_trace.ranks:
        rank.regions.append(["sweep"])
    return run_trace


def test_workers_begin_steps_apart():
    found = stepping(lambda step, rank, thread: 300 * US * rank + 20 * US * thread)
    begins = step_begins(found)
    assert begins.shape == (12, 4)
    assert list(begins[0] - begins[0, 0]) == [0, 20 * US, 300 * US, 320 * US]
    apart = spread(found)
    assert apart.steps == 7  # without the first five
    assert apart.all_s.value == pytest.approx(320e-6)
    assert apart.ranks_s.value == pytest.approx(300e-6)
    assert apart.step_s.value == pytest.approx(10e-3)
    assert (
        "a step takes 10.0 [10.0, 10.0] ms; its workers begin 320 [320, 320] µs apart, "
        "ranks 300 [300, 300] µs (7 steps)"
    ) in told(found)


def test_threads_with_exchanges_of_their_own_begin_one_step():
    run = Run("p2p:nonblocking", 1)
    for step in range(1, 13):
        begin = 10 * MS * step
        for thread in range(2):
            at, mine = begin + 3 * thread * US, {"exchange": thread + 1, "thread": thread}
            run.add(0, at, at + US, "begin step", 0, step, **mine)
            run.add(0, at + US, begin + 9 * MS, "compute", 0, name=1, thread=thread)
    found = made(run.events, [run.exchange, replace(run.exchange, number=6)], ["sweep"])
    found.ranks[0].regions.append(["sweep"])
    begins = step_begins(found)
    assert begins.shape == (12, 2)
    assert list(begins[0] - begins[0, 0]) == [0, 3 * US]
    assert spread(found).step_s.value == pytest.approx(10e-3)


def test_steps_that_not_all_compute_in_do_not_count():
    found = stepping(lambda step, rank, thread: 0, idle=(4, 1, 1))
    assert len(step_begins(found)) == 11
    with pytest.raises(HaloclineError, match="take 14 or more"):
        spread(found, skip=11)
    with pytest.raises(HaloclineError, match="no step in which all threads"):
        step_begins(Run("p2p:nonblocking").trace())
