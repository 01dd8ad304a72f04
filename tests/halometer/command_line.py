#!/usr/bin/env python3
"""halometer as users call it: command_line.py MPIEXEC HALOMETER.

Every kind on tiny problems, for schemes of every family; the program itself compares all bytes
received before it measures. What the result file holds; what is said about bad input.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, HALOMETER = sys.argv[1:3]
FAMILIES = [
    "p2p:nonblocking",
    "neighbor:nonblocking",
    "rma:put:fence+alloc=create",
    "rma:get:pscw+alloc=create",
    "shm:signal",
]
CPUS = os.sched_getaffinity(0)
FEW = ["--least", "6", "--most", "6", "--width", "1", "--budget", "1000"]


def halometer(*arguments, ranks=2):
    command = [MPIEXEC, "-n", str(ranks), HALOMETER, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200)


class Kinds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def measure(self, kind, *arguments, ranks=2, schemes=FAMILIES):
        file = self.folder / "result.json"
        words = [kind, *arguments, *FEW, "--json", file]
        if schemes:
            words += ["--schemes", ",".join(schemes)]
        run = halometer(*words, ranks=ranks)
        self.assertEqual(run.returncode, 0, run.stderr)
        content = json.loads(file.read_text())
        self.assertEqual((content["format"], content["version"]), ("halocline-benchmark", 1))
        self.assertEqual(content["parameters"]["kind"], kind)
        self.assertEqual(content["ranks"], ranks)
        for setting in content["settings"]:
            self.assertNotIn("left_out", setting)
            self.assertEqual(len(setting["samples_s"]), 6)
            self.assertGreater(min(setting["samples_s"]), 0)
            low, high = setting["median_s"]["low"], setting["median_s"]["high"]
            self.assertEqual((low, high), (min(setting["samples_s"]), max(setting["samples_s"])))
            self.assertEqual(len(setting["rank_medians_s"]), ranks)
            self.assertIn(setting["scheme"], run.stdout)
            self.look_at_loop(setting)
        self.assertEqual("felt us" in run.stdout, "felt_s" in content["settings"][0])
        self.look_at_distances(content)
        return content["settings"]

    def look_at_loop(self, setting):
        """As many samples of both loops, and the median of their differences."""
        if "felt_s" not in setting:
            self.assertNotIn("with_s", setting)
            return
        pairs = list(zip(setting["with_s"], setting["without_s"]))
        self.assertEqual((len(pairs), len(setting["without_s"])), (6, 6))
        self.assertGreaterEqual(setting["loop_steps"], 2)
        added = sorted(one - other for one, other in pairs)
        felt = setting["felt_s"]
        self.assertAlmostEqual(felt["value"], (added[2] + added[3]) / 2, delta=1e-12)
        self.assertAlmostEqual(felt["low"], added[0], delta=1e-12)
        self.assertAlmostEqual(felt["high"], added[-1], delta=1e-12)

    def look_at_distances(self, content):
        """Between two cores, before the first group and after each; none of ranks without cores."""
        settings, taken = content["settings"], content.get("core_distance_s")
        if taken is None:
            self.assertTrue(all("core_distance_s" not in setting for setting in settings))
            self.assertTrue(content["ranks"] == 1 or content["ranks"] > len(CPUS))
            return
        self.assertTrue(1 < content["ranks"] <= len(CPUS))
        self.assertTrue(all(5e-9 < seconds < 0.1 for seconds in taken))
        around = [setting["core_distance_s"] for setting in settings]
        pairs = [list(pair) for pair in zip(taken, taken[1:])]
        self.assertTrue(all(pair in pairs for pair in around))
        self.assertEqual(around[0], taken[:2])
        self.assertEqual(around[-1], taken[-2:])

    def has_shares(self, setting, *names):
        for name in names:
            low, high = setting[f"{name}_interval"]
            self.assertTrue(low <= setting[name] <= high, setting)

    def schemes(self, settings):
        return [setting["scheme"] for setting in settings]

    def test_roundtrip(self):
        settings = self.measure("roundtrip", "--sizes", "0,8,1K")
        self.assertEqual(self.schemes(settings), ["limit:cache-line", *FAMILIES] * 3)
        self.assertEqual([s["parameters"]["size"] for s in settings[::6]], [0, 8, 1024])
        self.assertEqual(settings[-1]["bytes"], 2048)

    def test_bandwidth(self):
        settings = self.measure("bandwidth", "--sizes", "8,4K", "--window", 3)
        self.assertEqual(self.schemes(settings), FAMILIES * 2)
        self.assertEqual(settings[-1]["bytes"], 3 * 4096)

    def test_sync(self):
        settings = self.measure("sync", "--threads", 2, ranks=3, schemes=None)
        names = self.schemes(settings)
        self.assertLessEqual(
            {"barrier", "message", "signal", "openmp-barrier", "fence", "pscw", "lock", "flush"},
            set(names),
        )
        maxima = ["allreduce", "iallreduce", "chain", "last", "accumulate"]
        self.assertEqual([n for n in names if ":" in n],
                         [f"maximum:{kind}" for kind in maxima] + ["sum:tree", "sum:iallreduce"])
        self.assertIn("fence+alloc=create+asserts=on", names)

    def test_neighbors(self):
        for ranks in (2, 4):
            settings = self.measure(
                "neighbors", "--count", "2,4,6,8,26", "--doubles", 2, ranks=ranks,
                schemes=FAMILIES[::2],
            )  # fmt: skip
            self.assertEqual(
                [s["parameters"]["neighbours"] for s in settings[::3]], [2, 4, 6, 8, 26]
            )
            self.assertTrue(all("felt_s" in s for s in settings))
            if ranks == 2:
                # Two thirds of the 26 neighbours are the other rank, the rest oneself.
                self.assertEqual(settings[-1]["bytes"], 18 * 2 * 8)

    def test_neighbors_whose_links_change(self):
        links = ["fixed", "ragged", "lists", "changed"]
        settings = self.measure(
            "neighbors", "--count", "6", "--doubles", "3,40", "--links", ",".join(links)
        )
        self.assertEqual([s["parameters"]["links"] for s in settings], links * 2 * len(FAMILIES))
        self.assertTrue(all("felt_s" in s for s in settings))
        for setting in settings:
            way = setting["parameters"]["links"]
            self.assertEqual("times_fixed" in setting, way == "ragged")
            self.assertEqual("times_lists" in setting, way == "changed")
        for setting in settings[1::4]:
            self.has_shares(setting, "times_fixed")
        for setting in settings[3::4]:
            self.has_shares(setting, "times_lists")

    def test_reverse(self):
        settings = self.measure("reverse", "--extent", "5x4x6", "--halo", 2)
        self.assertEqual([s["parameters"]["way"] for s in settings], ["out", "back"] * 10)
        for out, back in zip(settings[::2], settings[1::2]):
            self.assertNotIn("times_out", out)
            self.has_shares(back, "times_out")
            self.assertEqual(out["bytes"], back["bytes"])

    def test_halo(self):
        extents = ["--extent", "8x6,5x4x6", "--halo", 2, "--yardstick"]
        names = ["handwritten:p2p", "handwritten:shm", *FAMILIES]
        for ranks, rewrite in ((3, "sent"), (2, "none"), (2, "field")):
            settings = self.measure("halo", *extents, "--rewrite", rewrite, ranks=ranks)
            self.assertEqual(self.schemes(settings), names * 4)
            self.assertTrue(all(s["batch"] == 1 for s in settings) or rewrite == "none")
            self.assertTrue(all(("felt_s" in s) == (rewrite != "none") for s in settings))
        first = settings[0]["parameters"]
        self.assertEqual((first["extent"], first["boundary"], first["halo"]), ("8x6", "open", 2))
        self.assertEqual(settings[0]["bytes"], 2 * 6 * 8)
        settings = self.measure(
            "halo", "--extent", "8x6", "--halo", 2, "--boundary", "open", "--dims", "1x2", "--faces"
        )
        self.assertEqual(settings[0]["parameters"]["dims"], [1, 2])
        self.assertEqual(settings[0]["bytes"], 2 * 8 * 8)
        # Each exchange is checked by its bytes, also where rows begin on cache lines.
        settings = self.measure(
            "halo", "--extent", "5x7,3x4x5", "--halo", 2, "--boundary", "periodic", "--padded"
        )
        self.assertTrue(all(s["parameters"]["padded"] for s in settings))

    def test_rings(self):
        settings = self.measure(
            "rings", "--sizes", 8, "--rings", "1,2", "--communicating", "0", ranks=4,
            schemes=FAMILIES[::2],
        )  # fmt: skip
        self.assertEqual([s["parameters"]["rings"] for s in settings[::3]], [1, 2])
        settings = self.measure(
            "rings", "--sizes", 8, "--communicating", "2", ranks=3, schemes=FAMILIES
        )
        self.assertEqual(settings[0]["parameters"]["communicating"], 2)

    def test_transpose(self):
        settings = self.measure("transpose", "--matrix", "9x14", ranks=3, schemes=FAMILIES)
        names = ["handwritten:alltoallw", *FAMILIES]
        self.assertEqual(self.schemes(settings), names * 2)
        self.assertEqual([s["parameters"]["memory"] for s in settings[:: len(names)]],
                         ["kept", "turned"])  # fmt: skip
        # Three rows, of which another rank gets five columns at most.
        self.assertEqual(settings[0]["bytes"], 16 * 3 * 10)

    def test_overlap(self):
        settings = self.measure("overlap", "--sizes", "1K", "--compute", 20)
        self.assertEqual(len(settings), 1 + 2 * len(FAMILIES))
        for setting in settings:
            both = setting["parameters"]["part"] == "both"
            self.assertEqual("hidden_at_sender" in setting, both)
            self.assertEqual("hidden_at_receiver" in setting, both)
            if both:
                self.has_shares(setting, "hidden_at_sender", "hidden_at_receiver")

    def test_progress(self):
        schemes = ["rma:put:lock+alloc=create", "rma:get:flush+alloc=create", "rma:put:flush"]
        settings = self.measure("progress", "--sizes", "64,1K", "--busy", 200, schemes=schemes)
        self.assertEqual(len(settings), 12)
        self.assertEqual([s["parameters"]["target"] for s in settings[:2]], ["in MPI", "busy"])
        for idle, busy in zip(settings[::2], settings[1::2]):
            self.assertNotIn("waited_for_target", idle)
            self.has_shares(busy, "waited_for_target")

    def test_setup(self):
        for setting in self.measure("setup", "--cells", "8,8,8"):
            self.assertEqual(setting["parameters"]["cells"], [8, 8, 8])
            self.assertGreater(setting["kept_bytes"], 0)

    def test_memory(self):
        settings = self.measure("memory", "--sizes", "64K", "--threads", "1,2", schemes=None)
        self.assertEqual(self.schemes(settings), ["copy", "triad"] * 2)
        self.assertEqual([s["bytes"] for s in settings[:2]], [2 * 65536, 3 * 65536])

    def test_styles(self):
        settings = self.measure(
            "styles", "--sizes", "4K", "--compute", 200, "--styles", "masteronly,thread",
            schemes=["p2p:nonblocking"],
        )  # fmt: skip
        parts = [(s["parameters"]["style"], s["parameters"]["part"]) for s in settings]
        wanted = [("", "sweep")]
        wanted += [(s, p) for s in ("masteronly", "thread") for p in ("exchange", "both")]
        self.assertEqual(parts, wanted)
        for setting in settings:
            self.assertEqual("hidden" in setting, setting["parameters"]["part"] == "both")

    def test_messages_of_threads(self):
        settings = self.measure("threads", "--messages", 5, schemes=None)
        names = ["one-thread", "one-communicator", "own-communicators"]
        self.assertEqual(self.schemes(settings), names)
        self.assertEqual({s["bytes"] for s in settings}, {2 * 5 * 8})

    def test_globs(self):
        tiny = ["halo", "--extent", "4x4", "--halo", 1, "--boundary", "open"]
        settings = self.measure(*tiny, schemes=["p2p:send*", "p2p:nonblocking+mode=*"])
        self.assertEqual(self.schemes(settings)[0], "p2p:sendrecv")
        self.assertIn("p2p:nonblocking+mode=synchronous+pack=off", self.schemes(settings))
        self.assertNotIn("p2p:nonblocking", self.schemes(settings))

    def test_more_ranks_than_cores(self):
        settings = self.measure("sync", schemes=["message", "ibarrier", "signal"], ranks=4)
        self.assertEqual(len(settings), 3)


class BadInput(unittest.TestCase):
    def fails(self, *words, message, ranks=2):
        run = halometer(*words, ranks=ranks)
        self.assertNotEqual(run.returncode, 0, words)
        lines = [line for line in run.stderr.splitlines() if line.startswith("halometer:")]
        self.assertEqual(len(lines), 1, run.stderr)
        self.assertIn(message, lines[0])

    def test_is_named_once(self):
        for words, message in (
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
            (["progress", "--schemes", "p2p:nonblocking"], "progress measures rma:put or rma:get"),
            (["roundtrip", "--width", "0"], "--width"),
            (["roundtrip", "--sizes", "8,many"], "--sizes"),
        ):
            with self.subTest(words=words):
                self.fails(*words, message=message)
        self.fails("roundtrip", ranks=1, message="roundtrip needs 2 ranks")

    def test_file_that_cannot_be_written(self):
        tiny = ["halo", "--extent", "4x4", "--halo", 1, "--schemes", "p2p:nonblocking", *FEW]
        self.fails(*tiny, "--json", "/no/such/folder/x.json", message="--json /no/such/folder")

    def test_help(self):
        run = halometer("halo", "--help", ranks=1)
        self.assertEqual(run.returncode, 0)
        self.assertIn("--yardstick", run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
