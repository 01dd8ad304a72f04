#!/usr/bin/env python3
"""The example program as users call it: command_line.py MPIEXEC HEAT.

The start is an eigenvector of a step, so that the exact result of any number of steps is known.
"""

import json
import math
import os
import pathlib
import re
import stat
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
from program_case import PROGRAM, ProgramCase, some
from program_case import run as heat


def exactly(points, steps):
    """Return the hottest point: of an odd number of points a side, the one in the middle."""
    factor = 1 - 8 * 0.2 * math.sin(math.pi / (2 * (points + 1))) ** 2
    return factor**steps


class Heat(ProgramCase):
    def test_right_and_the_same_bits_on_any_ranks_through_any_scheme(self):
        sums = set()
        for ranks, scheme in (
            (1, "p2p:nonblocking"), (2, "p2p:nonblocking"), (3, "rma:put:fence"), (2, "shm:signal"),
        ):  # fmt: skip
            run, result = self.solve(
                "--points", 41, "--steps", 300, "--scheme", scheme, ranks=ranks
            )
            hottest = result["result"]["hottest"]
            self.assertAlmostEqual(hottest, exactly(41, 300), delta=1e-13)
            said = re.search(r"Hottest point: +(\S+)\n", run.stdout)
            self.assertAlmostEqual(float(said[1]), hottest, delta=1e-6)
            sums.add(result["result"]["checksum"])
        self.assertEqual(len(sums), 1)

    def test_result_file(self):
        _, result = self.solve("--points", 9, "--steps", 7, "--repetitions", 3, ranks=2)
        self.assertEqual((result["format"], result["version"]), ("halocline-result", 1))
        self.assertEqual((result["program"], result["ranks"]), ("heat", 2))
        self.assertEqual(result["scheme"], "p2p:nonblocking")
        self.assertEqual(result["parameters"], {"points": 9, "steps": 7})
        self.assertEqual([len(steps) for steps in result["samples"]["step_s"]], [7, 7, 7])
        self.assertEqual(len(result["samples"]["total_s"]), 3)
        self.assertEqual([phase["rank"] for phase in result["phases"]], [0, 1])

    def test_trace(self):
        file = self.folder / "heat.trace"
        run = heat("--points", 9, "--steps", 7, "--trace", file, ranks=2)
        self.assertEqual(run.returncode, 0, run.stderr)
        content = file.read_bytes()
        self.assertEqual(content[:16], b"halocline-trace\n")
        self.assertIn(b'"program":"heat"', content)
        self.assertEqual(content.count(b'"steps": 7, '), 2)
        nowhere = self.folder / "none" / "heat.trace"
        run = heat("--points", 9, "--steps", 7, "--trace", nowhere, ranks=2)
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"--trace {nowhere}: No such file", run.stderr)
        self.assertEqual(run.stdout, "")

    def small(self, *words, ranks=1, **options):
        run = heat("--points", 9, "--steps", 1, *words, ranks=ranks, **options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def left(self):
        return sorted(file.name for file in self.folder.iterdir())

    def test_files_are_written_where_links_point_and_keep_their_mode(self):
        (self.folder / "behind").mkdir()
        old, link, dangling = (self.folder / name for name in ("behind/old", "link", "dangling"))
        old.write_text("an old one")
        old.chmod(0o640)
        link.symlink_to("behind/old")
        dangling.symlink_to("behind/new")
        (self.folder / "link.partial").write_text("mine")
        self.small("--json", link, "--trace", dangling, ranks=2)
        self.assertTrue(link.is_symlink() and dangling.is_symlink())
        self.assertEqual(json.loads(old.read_text())["program"], "heat")
        self.assertEqual(stat.S_IMODE(old.stat().st_mode), 0o640)
        self.assertEqual((self.folder / "behind/new").read_bytes()[:16], b"halocline-trace\n")
        self.assertEqual((self.folder / "link.partial").read_text(), "mine")
        self.assertEqual(self.left(), ["behind", "dangling", "link", "link.partial"])
        self.assertEqual(len(list((self.folder / "behind").iterdir())), 2)

    def test_streams_are_written_in_place(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        got = []
        reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
        reader.start()
        self.small("--json", pipe)
        reader.join()
        self.assertEqual(json.loads(got[0])["program"], "heat")
        self.assertTrue(pipe.is_fifo())
        run = self.small("--json", "/dev/stdout")
        self.assertEqual(json.loads(run.stdout[run.stdout.index("{") :])["program"], "heat")
        shell = f"{PROGRAM} --points 9 --steps 1 --json >(cat > {self.folder}/got) > /dev/null"
        subprocess.run(["bash", "-c", f"set -e; {shell}; wait $!"], check=True, timeout=120)
        self.assertEqual(json.loads((self.folder / "got").read_text())["program"], "heat")

    def test_devices_are_written_in_place(self):
        null = self.folder / "null"
        try:
            os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
            null.write_text("x")
        except OSError:
            self.skipTest("no devices can be had here")
        self.small("--json", null)
        self.assertTrue(null.is_char_device())

    def test_files_that_cannot_be_written_are_refused_before_the_run(self):
        readonly = self.folder / "readonly"
        readonly.write_text("old")
        readonly.chmod(0o444)
        os.mkfifo(self.folder / "pipe")
        before = self.left()
        for words, says in (
            (("--json", "."), "is a folder"),
            (("--json", "x/"), "names a folder"),
            (("--json", "readonly"), "may not be written to"),
            (("--json", ""), "must be the name of a file"),
            (("--json", "n" * 300), "File name too long"),
            (("--trace", "pipe"), "is a pipe, where a regular file is needed"),
            (("--json", "r", "--trace", "./r"), "is the file of --json, too"),
        ):
            with self.subTest(words=words):
                # Who computes this is not done in time.
                huge = ("--points", 10000, "--steps", 1_000_000)
                run = heat(*huge, *words, cwd=self.folder)
                self.assertEqual(run.returncode, 1)
                self.says_once(run, f"{words[-2]} {words[-1] or repr('')}: {says}")
        self.assertEqual(self.left(), before)
        self.assertEqual(readonly.read_text(), "old")

    def test_jobs_that_write_one_file_at_once_leave_one(self):
        file = self.folder / "r.json"
        for _ in range(4):
            command = [PROGRAM, "--steps", "1", "--json", file, "--points"]
            jobs = [subprocess.Popen([*command, points], stdout=subprocess.DEVNULL)
                    for points in ("9", "99")]  # fmt: skip
            self.assertEqual([job.wait(120) for job in jobs], [0, 0])
            self.assertIn(json.loads(file.read_text())["parameters"]["points"], (9, 99))
            self.assertEqual(self.left(), ["r.json"])

    def test_words_that_are_not_utf8(self):
        odd = os.fsdecode(b"gr\xf6\xdfe")
        one, trace = (self.folder / f"{odd}.{end}" for end in ("json", "trace"))
        self.small("--json", one, "--trace", trace)
        self.assertEqual(json.loads(one.read_text())["program"], "heat")
        self.assertIn("gr\ufffd\ufffde.json".encode(), trace.read_bytes())

    def test_what_is_printed_is_heard_or_the_program_fails(self):
        program = f"{PROGRAM} --points 9 --steps 1"
        for command, reason in (
            (f"{program} > /dev/full", "No space left on device"),
            (f"{program} >&-", "Bad file descriptor"),
            (f"{PROGRAM} --help > /dev/full", "No space left on device"),
        ):
            with self.subTest(command=command):
                run = subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                                     timeout=120)  # fmt: skip
                self.assertEqual(run.returncode, 1)
                self.assertIn(f"heat: standard output: {reason}\n", run.stderr)

    def test_schemes_in_turns(self):
        asked = ["p2p:nonblocking", "shm:signal", "p2p:nonblocking"]
        run, content = self.solve(
            "--points", 9, "--steps", 7, "--repetitions", 3, "--in-turn", ",".join(asked), ranks=2
        )
        self.assertEqual((content["format"], content["version"]), ("halocline-turns", 1))
        self.assertEqual([one["asked"] for one in content["schemes"]], asked)
        for one in content["schemes"]:
            self.assertEqual(one["parameters"], {"points": 9, "steps": 7})
            self.assertEqual(one["result"]["iterations"], 7)
        self.assertEqual(len({one["result"]["checksum"] for one in content["schemes"]}), 1)
        turns = [(one["turn"], one["scheme"]) for one in content["solutions"]]
        self.assertEqual([turn for turn, _ in turns], sorted(turn for turn, _ in turns))
        self.assertEqual(sorted(turns), [(turn, one) for turn in range(3) for one in range(3)])
        self.assertTrue(all(one["total_s"] > 0 for one in content["solutions"]))
        self.assertEqual(len(run.stdout.splitlines()), 4)

    def test_a_trace_in_turns_says_what_it_costs(self):
        file = self.folder / "heat.trace"
        _, content = self.solve(
            "--points", 9, "--steps", 7, "--repetitions", 3, "--trace", file,
            "--in-turn", "p2p:nonblocking,shm:signal", ranks=2,
        )  # fmt: skip
        solved = sorted((o["turn"], o["scheme"], o["traced"]) for o in content["solutions"])
        each = [(turn, one, on) for turn in range(3) for one in range(2) for on in (False, True)]
        self.assertEqual(solved, each)
        # Only what was traced is there: three times seven steps through each, on two ranks.
        self.assertEqual(file.read_bytes().count(b'"steps": 42, '), 2)

    def test_idle_ranks_and_no_steps(self):
        _, result = self.solve("--points", 1, "--steps", 0, ranks=3)
        self.assertEqual(result["result"]["hottest"], 1)

    def test_picture(self):
        if not self.writes_images():
            self.assertIn("libpng", heat("--image", "u.png").stderr.splitlines()[-1])
            return
        file = self.folder / "u.png"
        self.assertEqual(heat("--points", 30, "--steps", 1, "--image", file, ranks=2).returncode, 0)
        self.assertEqual(file.read_bytes()[16:24], b"\0\0\0\x1e\0\0\0\x1e")

    def writes_images(self):
        run = heat("--points", 1, "--steps", 1, "--image", self.folder / "try.png")
        return run.returncode == 0

    def test_anything_invalid_is_named(self):
        cases = (
            (["--points", "0"], "--points 0: must be an integer from 1 to 100000"),
            (["--steps", "many"], "--steps many: must be an integer from 0"),
            (["--scheme", "carrier:pigeon"], "pigeon"),
            (["--timeout", "0"], "--timeout 0: must be a number of seconds above 0"),
            (["--repetitions", "x"], "--repetitions x: must be an integer from 1"),
            (["--pin", "tight"], "--pin tight: must be auto or off"),
            (["--colour", "red"], "--colour"),
            (["--in-turn", "shm:signal"], "--in-turn: goes with --json, and without --scheme"),
            (["--in-turn", "shm:signal,x:y", "--json", "a.json"], "x:y"),
        )
        for words, says in some(cases):
            with self.subTest(words=words):
                run = heat(*words, ranks=2)
                self.assertEqual(run.returncode, 1)
                self.says_once(run, says)
                self.assertEqual(run.stdout, "")

    def test_halos_are_filled_whatever_is_typed_or_pinned(self):
        tuning = self.folder / "tuning.json"
        empty = {"format": "halocline-tuning", "version": 1, "choices": []}
        tuning.write_text(json.dumps({**empty, "pin": "shm:signal+access=direct"}))
        sums = set()
        for words in (
            ("--scheme", "p2p:nonblocking"),
            ("--scheme", "shm:signal+access=direct"),
            ("--scheme", "auto+access=any"),
            ("--scheme", "auto", "--tuning", tuning),
        ):
            _, result = self.solve("--points", 9, "--steps", 20, *words, ranks=2)
            sums.add(result["result"]["checksum"])
        self.assertEqual(len(sums), 1)

    def test_variables_of_the_environment_are_refused_by_name(self):
        quick = ("--points", 9, "--steps", 1, "--scheme", "auto")
        tuning = ("--tuning", self.folder / "tuning.json")
        for name, value, says in (
            ("HALOCLINE_DELAY_US", "abc", "a whole number of microseconds from 0 to 1000000"),
            ("HALOCLINE_DELAY_US", "99999999999", "a whole number of microseconds"),
            ("HALOCLINE_THREAD_LEVEL", "many", "must be single, funneled"),
            ("HALOCLINE_TUNING_BUDGET", "1,5", "a number of seconds above 0"),
            ("HALOCLINE_TUNING_FRESH", "yes", "must be 0 or 1"),
            ("HALOCLINE_TUNING_LOG", str(self.folder / "none" / "log"), "cannot be written to"),
            ("HALOCLINE_TUNING_LOG", "~nobody-here/log", "no home is known of that user"),
            ("HALOCLINE_TUNING", "~nobody-here/tuning", "no home is known of that user"),
        ):
            words = (*quick, *(tuning if name != "HALOCLINE_TUNING" else ()))
            with self.subTest(name=name, value=value):
                run = heat(*words, ranks=2, env={**os.environ, name: value})
                self.assertNotEqual(run.returncode, 0)
                self.says_once(run, f"{name}={value}: ", refused=False)
                self.assertIn(says, run.stderr)

    def test_a_log_may_be_in_the_home(self):
        environment = {**os.environ, "HOME": str(self.folder), "HALOCLINE_TUNING_LOG": "~/log"}
        tuning = ("--tuning", self.folder / "tuning.json")
        words = ("--points", 9, "--steps", 20, "--scheme", "auto", *tuning)
        run = heat(*words, ranks=2, env=environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        choices = (self.folder / "log").read_text().splitlines()
        self.assertTrue(all("scheme" in json.loads(choice) for choice in choices) and choices)

    def test_the_launcher_of_another_mpi_is_named(self):
        words = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
        run = heat("--points", 9, "--steps", 1, env={**os.environ, **words})
        self.assertNotEqual(run.returncode, 0)
        self.says_once(run, "ranks do not meet", refused=False)
        self.assertEqual(run.stdout, "")

    def test_another_machine_in_hwlocs_variables_is_not_this_one(self):
        file = self.folder / "result.json"

        def domains(**more):
            run = heat("--points", 9, "--steps", 1, "--json", file, env={**os.environ, **more})
            self.assertEqual(run.returncode, 0, run.stderr)
            return json.loads(file.read_text())["machine"]["numa_nodes"]

        self.assertEqual(domains(HWLOC_SYNTHETIC="numa:7 pu:1"), 1)

    def test_help_and_schemes(self):
        for words in ([], ["--help"], ["--points", "0", "-h"]):
            run = heat(*words, ranks=2)
            self.assertEqual(run.returncode, 0)
            self.assertNotIn("heat", run.stderr)  # MPI may complain of the machine
            self.assertEqual(run.stdout.count("Usage: heat"), 1)
            self.assertIn("--repetitions N", run.stdout)
        self.assertIn("p2p:nonblocking", heat("--list-schemes").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
