#!/usr/bin/env python3
"""Where threads run, as users see it: command_line.py MPIEXEC PARTDIFF."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PARTDIFF = sys.argv[1:3]
CPUS = sorted(os.sched_getaffinity(0))
CHOICES = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
WARNING = "threads but was bound to CPU"


class Pinning(unittest.TestCase):
    def solve(self, threads, *options, before=(), **variables):
        """Run one problem; return the result file's content and what came on stderr."""
        environment = {k: v for k, v in os.environ.items() if k not in CHOICES}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            words = [threads, 1, 10, 2, 2, 20, "--json", file, *options]
            run = subprocess.run(
                [*before, PARTDIFF, *map(str, words)],
                capture_output=True,
                text=True,
                timeout=60,
                env=environment | variables,
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            return json.loads(file.read_text()), run.stderr

    def check(self, result, ranks=1):
        """Bindings are within what there is, and threads have CPUs of their own."""
        self.assertEqual(len(result["pinning"]), ranks)
        taken = []
        for binding, pinning in zip(result["binding"], result["pinning"]):
            self.assertTrue(set(binding) <= set(CPUS))
            self.assertEqual(len(pinning), 1)
            for cpus in pinning.get("cpus", []):
                self.assertTrue(cpus and set(cpus) <= set(binding))
                taken += cpus
            if "cpus" in pinning:
                self.assertEqual(len(pinning["cpus"]), result["threads"])
            else:
                self.assertTrue(pinning["not_pinned"])
        self.assertEqual(len(taken), len(set(taken)))

    def test_one_core_for_two_threads(self):
        right = self.solve(1, "--pin", "off")[0]["result"]
        one = ("taskset", "-c", str(CPUS[0]))
        result, said = self.solve(2, before=one)
        if result["binding"] != [CPUS[:1]]:
            self.skipTest("taskset has no effect here")
        self.assertEqual(result["result"], right)
        self.assertIn("not_pinned", result["pinning"][0])
        self.assertEqual(said.count(f"partdiff: rank 0 has 2 {WARNING} {CPUS[0]} only"), 1, said)

        for variable, value in (("OMP_PROC_BIND", "false"), ("OMP_PLACES", "threads")):
            result, said = self.solve(2, before=one, **{variable: value})
            self.assertNotIn(WARNING, said)
            self.assertEqual(result["pinning"], [{"not_pinned": f"{variable} is set"}])
            self.assertEqual(result["result"], right)

        result, said = self.solve(2, "--pin", "off", before=one)
        self.assertNotIn(WARNING, said)
        self.assertEqual(result["pinning"], [{"not_pinned": "--pin off"}])

    def test_two_cores_for_two_threads(self):
        right = self.solve(2, "--pin", "off")[0]["result"]
        result, said = self.solve(2)
        self.assertNotIn(WARNING, said)
        self.assertEqual(result["result"], right)
        self.assertEqual(result["binding"], [CPUS])
        self.check(result)

    def test_ranks_do_not_meet(self):
        right = self.solve(1, "--pin", "off")[0]["result"]
        result, _ = self.solve(1, before=(MPIEXEC, "-n", "2"))
        self.assertEqual(result["result"], right)
        self.check(result, ranks=2)

    def test_more_threads_than_cores(self):
        right = self.solve(1)[0]["result"]
        result, said = self.solve(len(CPUS) + 1)
        self.assertNotIn(WARNING, said)
        self.assertIn("cores", result["pinning"][0]["not_pinned"])
        self.assertEqual(result["result"], right)

    def test_only_auto_or_off(self):
        run = subprocess.run(
            [PARTDIFF, "1", "2", "3", "1", "2", "5", "--pin", "tight"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(run.returncode, 1)
        self.assertIn("--pin tight: must be auto or off", run.stderr)


if __name__ == "__main__":
    if len(CPUS) < 2 or shutil.which("taskset") is None:
        print("needs two CPUs and taskset")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
