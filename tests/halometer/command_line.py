"""halometer as users call it.

Every kind on tiny problems, for schemes of every family; the program itself compares all bytes
received before it measures. What the result file holds; what is said about bad input.
"""

import os

import pytest
from programs import PROGRAMS, SOAK, Program

halometer = Program(PROGRAMS[0])
FAMILIES = [
    "p2p:nonblocking",
    "neighbor:nonblocking",
    "rma:put:fence+alloc=create",
    "rma:get:pscw+alloc=create",
    "shm:signal",
]
SOME = FAMILIES if SOAK else FAMILIES[::2]
CPUS = os.sched_getaffinity(0)
FEW = ["--least", "6", "--most", "6", "--width", "1", "--budget", "1000"]


def measure(kind, *arguments, ranks=2, schemes=FAMILIES):
    words = [kind, *arguments, *FEW]
    if schemes:
        words += ["--schemes", ",".join(schemes)]
    run, content = halometer.solve(*words, ranks=ranks)
    assert (content["format"], content["version"]) == ("halocline-benchmark", 1)
    assert content["parameters"]["kind"] == kind
    assert content["ranks"] == ranks
    for setting in content["settings"]:
        assert "left_out" not in setting
        assert len(setting["samples_s"]) == 6
        assert min(setting["samples_s"]) > 0
        low, high = setting["median_s"]["low"], setting["median_s"]["high"]
        assert (low, high) == (min(setting["samples_s"]), max(setting["samples_s"]))
        assert len(setting["rank_medians_s"]) == ranks
        assert setting["scheme"] in run.stdout
        look_at_loop(setting)
    assert ("felt us" in run.stdout) == ("felt_s" in content["settings"][0])
    look_at_distances(content)
    return content["settings"]


def look_at_loop(setting):
    """As many samples of both loops, and the median of their differences."""
    if "felt_s" not in setting:
        assert "with_s" not in setting
        return
    pairs = list(zip(setting["with_s"], setting["without_s"]))
    assert (len(pairs), len(setting["without_s"])) == (6, 6)
    assert setting["loop_steps"] >= 2
    added = sorted(one - other for one, other in pairs)
    felt = setting["felt_s"]
    assert abs(felt["value"] - (added[2] + added[3]) / 2) < 1e-12
    assert abs(felt["low"] - added[0]) < 1e-12
    assert abs(felt["high"] - added[-1]) < 1e-12


def look_at_distances(content):
    """Between two cores, before the first group and after each; none of ranks without cores."""
    settings, taken = content["settings"], content.get("core_distance_s")
    if taken is None:
        assert all("core_distance_s" not in setting for setting in settings)
        assert content["ranks"] == 1 or content["ranks"] > len(CPUS)
        return
    assert 1 < content["ranks"] <= len(CPUS)
    assert all(5e-9 < seconds < 0.1 for seconds in taken)
    around = [setting["core_distance_s"] for setting in settings]
    pairs = [list(pair) for pair in zip(taken, taken[1:])]
    assert all(pair in pairs for pair in around)
    assert around[0] == taken[:2]
    assert around[-1] == taken[-2:]


def has_shares(setting, *names):
    for name in names:
        low, high = setting[f"{name}_interval"]
        assert low <= setting[name] <= high, setting


def schemes_of(settings):
    return [setting["scheme"] for setting in settings]


def test_roundtrip():
    settings = measure("roundtrip", "--sizes", "0,8,1K")
    assert schemes_of(settings) == ["limit:cache-line", *FAMILIES] * 3
    assert [s["parameters"]["size"] for s in settings[::6]] == [0, 8, 1024]
    assert settings[-1]["bytes"] == 2048


def test_bandwidth():
    settings = measure("bandwidth", "--sizes", "8,4K", "--window", 3, schemes=SOME)
    assert schemes_of(settings) == SOME * 2
    assert settings[-1]["bytes"] == 3 * 4096


def test_sync():
    settings = measure("sync", "--threads", 2, ranks=3, schemes=None)
    names = schemes_of(settings)
    assert {
        "barrier",
        "message",
        "signal",
        "openmp-barrier",
        "fence",
        "pscw",
        "lock",
        "flush",
        "flush-all-barrier",
    } <= set(names)
    maxima = ["allreduce", "iallreduce", "chain", "last", "accumulate"]
    reductions = [f"maximum:{kind}" for kind in maxima] + ["sum:tree", "sum:iallreduce"]
    assert [name for name in names if ":" in name] == reductions
    assert "fence+alloc=create+asserts=on" in names


def test_neighbors():
    every = [2, 4, 6, 8, 26]
    for ranks, counts in ((2, every if SOAK else [2, 6, 8, 26]), (4, every if SOAK else [4, 26])):
        count = ",".join(map(str, counts))
        settings = measure(
            "neighbors", "--count", count, "--doubles", 2, ranks=ranks, schemes=FAMILIES[::2]
        )
        assert [s["parameters"]["neighbours"] for s in settings[::3]] == counts
        assert all("felt_s" in s for s in settings)
        if ranks == 2:
            # Two thirds of the 26 neighbours are the other rank, the rest oneself.
            assert settings[-1]["bytes"] == 18 * 2 * 8


def test_neighbors_with_a_computation_meanwhile():
    settings = measure(
        "neighbors", "--count", 2, "--doubles", 2, "--compute", "0,300",
        schemes=["p2p:nonblocking", "shm:signal"],
    )  # fmt: skip
    assert [s["parameters"]["compute_us"] for s in settings] == [0, 0, 300, 300]
    for setting in settings[2:]:
        # In both loops; other processes can only make it longer.
        assert min(setting["without_s"]) > 100e-6
        assert min(setting["samples_s"]) > 100e-6


def test_neighbors_whose_links_change():
    links = ["fixed", "ragged", "lists", "changed"]
    doubles = ["3", "40"] if SOAK else ["40"]
    words = ["--count", "6", "--doubles", ",".join(doubles), "--links", ",".join(links)]
    settings = measure("neighbors", *words, schemes=SOME)
    assert [s["parameters"]["links"] for s in settings] == links * len(doubles) * len(SOME)
    assert all("felt_s" in s for s in settings)
    for setting in settings:
        way = setting["parameters"]["links"]
        assert ("times_fixed" in setting) == (way == "ragged")
        assert ("times_lists" in setting) == (way == "changed")
    for setting in settings[1::4]:
        has_shares(setting, "times_fixed")
    for setting in settings[3::4]:
        has_shares(setting, "times_lists")


def test_reverse():
    settings = measure("reverse", "--extent", "5x4x6", "--halo", 2)
    assert [s["parameters"]["way"] for s in settings] == ["out", "back"] * 10
    for out, back in zip(settings[::2], settings[1::2]):
        assert "times_out" not in out
        has_shares(back, "times_out")
        assert out["bytes"] == back["bytes"]


def test_halo():
    extents = ["--extent", "8x6,5x4x6", "--halo", 2, "--yardstick"]
    for ranks, rewrite, schemes in ((3, "sent", SOME), (2, "none", SOME), (2, "field", FAMILIES)):
        settings = measure("halo", *extents, "--rewrite", rewrite, ranks=ranks, schemes=schemes)
        assert schemes_of(settings) == ["handwritten:p2p", "handwritten:shm", *schemes] * 4
        assert all(s["batch"] == 1 for s in settings) or rewrite == "none"
        assert all(("felt_s" in s) == (rewrite != "none") for s in settings)
    first = settings[0]["parameters"]
    assert (first["extent"], first["boundary"], first["halo"]) == ("8x6", "open", 2)
    assert settings[0]["bytes"] == 2 * 6 * 8
    settings = measure(
        "halo", "--extent", "8x6", "--halo", 2, "--boundary", "open", "--dims", "1x2", "--faces"
    )
    assert settings[0]["parameters"]["dims"] == [1, 2]
    assert settings[0]["bytes"] == 2 * 8 * 8
    # Each exchange is checked by its bytes, also where rows begin on cache lines.
    settings = measure(
        "halo", "--extent", "5x7,3x4x5", "--halo", 2, "--boundary", "periodic", "--padded"
    )
    assert all(s["parameters"]["padded"] for s in settings)


def test_rings():
    settings = measure(
        "rings", "--sizes", 8, "--rings", "1,2", "--communicating", "0", ranks=4,
        schemes=FAMILIES[::2],
    )  # fmt: skip
    assert [s["parameters"]["rings"] for s in settings[::3]] == [1, 2]
    settings = measure("rings", "--sizes", 8, "--communicating", "2", ranks=3, schemes=FAMILIES)
    assert settings[0]["parameters"]["communicating"] == 2


def test_transpose():
    settings = measure("transpose", "--matrix", "9x14", ranks=3, schemes=FAMILIES)
    names = ["handwritten:alltoallw", *FAMILIES]
    assert schemes_of(settings) == names * 2
    assert [s["parameters"]["memory"] for s in settings[:: len(names)]] == ["kept", "turned"]
    # Three rows, of which another rank gets five columns at most.
    assert settings[0]["bytes"] == 16 * 3 * 10


def test_overlap():
    settings = measure("overlap", "--sizes", "1K", "--compute", 20, schemes=SOME)
    assert len(settings) == 1 + 2 * len(SOME)
    for setting in settings:
        both = setting["parameters"]["part"] == "both"
        assert ("hidden_at_sender" in setting) == both
        assert ("hidden_at_receiver" in setting) == both
        if both:
            has_shares(setting, "hidden_at_sender", "hidden_at_receiver")


def test_progress():
    schemes = ["rma:put:lock+alloc=create", "rma:get:flush+alloc=create", "rma:put:flush"]
    settings = measure("progress", "--sizes", "64,1K", "--busy", 200, schemes=schemes)
    assert len(settings) == 12
    assert [s["parameters"]["target"] for s in settings[:2]] == ["in MPI", "busy"]
    for idle, busy in zip(settings[::2], settings[1::2]):
        assert "waited_for_target" not in idle
        has_shares(busy, "waited_for_target")


def test_setup():
    for setting in measure("setup", "--cells", "8,8,8"):
        assert setting["parameters"]["cells"] == [8, 8, 8]
        assert setting["kept_bytes"] > 0


def test_calls():
    settings = measure("calls", schemes=None)
    assert schemes_of(settings) == ["C++", "C++ run(u)", "C"]


def test_memory():
    settings = measure("memory", "--sizes", "64K", "--threads", "1,2", schemes=None)
    assert schemes_of(settings) == ["copy", "triad"] * 2
    assert [s["bytes"] for s in settings[:2]] == [2 * 65536, 3 * 65536]


def test_styles():
    settings = measure(
        "styles", "--sizes", "4K", "--compute", 200, "--styles", "masteronly,thread",
        schemes=["p2p:nonblocking"],
    )  # fmt: skip
    parts = [(s["parameters"]["style"], s["parameters"]["part"]) for s in settings]
    wanted = [("", "sweep")]
    wanted += [(s, p) for s in ("masteronly", "thread") for p in ("exchange", "both")]
    assert parts == wanted
    for setting in settings:
        assert ("hidden" in setting) == (setting["parameters"]["part"] == "both")


def test_messages_of_threads():
    settings = measure("threads", "--messages", 5, schemes=None)
    names = ["one-thread", "one-communicator", "own-communicators"]
    assert schemes_of(settings) == names
    assert {s["bytes"] for s in settings} == {2 * 5 * 8}


def test_globs():
    tiny = ["halo", "--extent", "4x4", "--halo", 1, "--boundary", "open"]
    settings = measure(*tiny, schemes=["p2p:send*", "p2p:nonblocking+mode=*"])
    assert schemes_of(settings)[0] == "p2p:sendrecv"
    assert "p2p:nonblocking+mode=synchronous+pack=off" in schemes_of(settings)
    assert "p2p:nonblocking" not in schemes_of(settings)


def test_more_ranks_than_cores():
    settings = measure("sync", schemes=["message", "ibarrier", "signal"], ranks=4)
    assert len(settings) == 3


def fails(*words, message, ranks=1):
    run = halometer(*words, ranks=ranks)
    assert run.returncode != 0, words
    lines = [line for line in run.stderr.splitlines() if line.startswith("halometer:")]
    assert len(lines) == 1, run.stderr
    assert message in lines[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "is no kind of measurement; there are roundtrip, bandwidth"),
        (["walk"], "walk is no kind of measurement"),
        (["halo", "--extent", "5"], "--extent 5: give the cells of a rank as"),
        (["halo", "--extent", "5x0"], "--extent 5x0"),
        (["halo", "--halo", "9", "--extent", "4x4"], "the halo is 9 wide along axis 0"),
        (["halo", "--dims", "2x2", "--extent", "8x6"], "--dims 2x2: must be 2 numbers"),
        (["halo", "--dims", "two", "--extent", "8x6"], "whose product is the number of ranks"),
        (["halo", "--schemes", "carrier:pigeon"], "carrier:pigeon: a scheme begins with"),
        (["halo", "--schemes", "carrier:*"], "--schemes carrier:*: no scheme"),
        (["halo", "--schemes", ","], "--schemes names no scheme"),
        (["halo", "--rewrite", "some"], "--rewrite"),
        (["sync", "--schemes", "wave"], "--schemes wave: there are barrier"),
        (["transpose", "--matrix", "9"], "--matrix 9: give rows and columns"),
        (["rings", "--rings", "3"], "--rings 3: a ring needs 2 ranks"),
        (["rings", "--communicating", "5"], "--communicating 5: there are only 2 ranks"),
        (["neighbors", "--count", "5"], "--count"),
        (["neighbors", "--links", "loose"], "--links"),
        (["neighbors", "--links", "ragged", "--compute", "5"], "--compute: of --links ragged"),
        (["progress", "--schemes", "p2p:nonblocking"], "progress measures rma:put or rma:get"),
        (["roundtrip", "--width", "0"], "--width"),
        (["roundtrip", "--sizes", "8,many"], "--sizes"),
        (["roundtrip"], "roundtrip needs 2 ranks"),
    ],
)
def test_is_named_once(words, message):
    # What is wrong for any ranks on one, without a launcher, and in the soak on two.
    about_ranks = words[0:1] in (["halo"], ["neighbors"], ["progress"], ["rings"])
    ranks = 2 if about_ranks or (SOAK and words != ["roundtrip"]) else 1
    fails(*words, message=message, ranks=ranks)


def test_file_that_cannot_be_written():
    tiny = ["halo", "--extent", "4x4", "--halo", 1, "--schemes", "p2p:nonblocking", *FEW]
    fails(*tiny, "--json", "/no/such/folder/x.json", message="--json /no/such/folder")


def test_help():
    run = halometer("halo", "--help", ranks=1)
    assert run.returncode == 0
    assert "--yardstick" in run.stdout
