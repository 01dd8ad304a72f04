"""The atlas: which schemes are sound under which MPI, as people's doctors have found and shared.

`report` has the file that one examination is shared as, `library` tells an MPI and its build by
what it says of itself, `private` keeps names out, `known` looks up what is broken here.
"""

from halocline.measure.atlas.known import (
    FOLDERS,
    Known,
    hosts_of,
    known_broken,
    reports,
    transport_of,
)
from halocline.measure.atlas.library import Library, library_of
from halocline.measure.atlas.private import Hidden, settings_of
from halocline.measure.atlas.report import OUTCOMES, Felt, Finding, Report, Times, load

__all__ = [
    "FOLDERS",
    "OUTCOMES",
    "Felt",
    "Finding",
    "Hidden",
    "Known",
    "Library",
    "Report",
    "Times",
    "hosts_of",
    "known_broken",
    "library_of",
    "load",
    "reports",
    "settings_of",
    "transport_of",
]
