"""Launch `halometer` several times and put together what the launches say.

A launch keeps its memory pages, cores and windows, so samples of one launch resemble each other:
every kind of measurement is launched several times, each time with the schemes in another random
order, and intervals respect the launches (see `statistics`).

`kinds` lists what is measured, `points` says what the launches allow to be said, `record` keeps
what was launched, and `launches` launches.
"""

from halocline.measure.benchmark.kinds import KINDS, OWN_SCHEMES
from halocline.measure.benchmark.launches import measure
from halocline.measure.benchmark.points import SHARES, Point
from halocline.measure.benchmark.record import FILE, RECORD, Benchmark, Launch, load, prepare

__all__ = [
    "FILE",
    "KINDS",
    "OWN_SCHEMES",
    "RECORD",
    "SHARES",
    "Benchmark",
    "Launch",
    "Point",
    "load",
    "measure",
    "prepare",
]
