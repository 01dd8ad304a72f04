"""A launch with what it takes: its output, seconds and megabytes."""

import json
import subprocess
import sys

# A child's memory counts from its parent's, so the parent is a small interpreter.
SMALL = """
import json, os, sys, time
begin = time.monotonic()
child = os.fork()
if not child:
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
print(json.dumps([status, time.monotonic() - begin, used.ru_maxrss / 1024]), file=sys.stderr)
"""


def launched(command):
    """What a command prints, how long it takes and how much memory it has at most, in MB."""
    words = [sys.executable, "-ISc", SMALL, *map(str, command)]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    *said, last = run.stderr.splitlines()
    status, seconds, megabytes = json.loads(last)
    if status:
        raise SystemExit(f"{command[0]} failed: {run.stdout} {' '.join(said)}")
    return run.stdout, seconds, megabytes
