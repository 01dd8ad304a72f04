"""What tests of a program's command line have in common: FILE.py MPIEXEC PROGRAM."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]


def run(*arguments, ranks=1, **options):
    """Start the program on so many ranks; on one without mpiexec, which is cheaper.

    The options are those of subprocess.run.
    """
    start = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
    command = [*start, PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    # What MPICH's launcher says of ranks that it had to end is no word of the program.
    done.stdout = re.sub(r"\n=+\n=   BAD TERMINATION.*?debugging suggestions\n", "", done.stdout,
                         flags=re.DOTALL)  # fmt: skip
    return done


def some(cases):
    """Return these cases; under the sanitizers one in seven of them, as in its_turn.hpp."""
    few = "HALOCLINE_TEST_FEW" in os.environ and "HALOCLINE_SOAK" not in os.environ
    return cases[:: 7 if few else 1]


class ProgramCase(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def says_once(self, run, says, refused=True):
        """Assert that one line holds `says`: that of a refused command line names the help."""
        lines = [line for line in run.stderr.splitlines() if says in line]
        self.assertEqual(len(lines), 1, run.stderr)
        see = f" (see {pathlib.Path(PROGRAM).name} --help)"
        self.assertEqual(lines[0].endswith(see), refused, run.stderr)
        self.assertNotIn("Usage:", run.stderr)

    def solve(self, *arguments, ranks=1):
        """Start the program, which must succeed; return the run and its result file's content."""
        file = self.folder / "result.json"
        done = run(*arguments, "--json", file, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, json.loads(file.read_text())
