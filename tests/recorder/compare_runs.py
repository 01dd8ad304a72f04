"""Compares a recording with the plain logs of the same run, by hand.

python compare_runs.py LOG FOLDER.recording
"""

import sys
from pathlib import Path

import plain_log
import recordings
from comparison import Comparison

if __name__ == "__main__":
    prefix, folder = sys.argv[1:]
    ranks = len(list(Path(folder).glob("rank-*.jsonl")))
    Comparison(plain_log.read_all(prefix, ranks), recordings.read_all(folder)).check()
    print("recording and log are the same")
