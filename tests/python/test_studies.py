"""The studies' statements, replayed by simulation: each says what was found, predicted, and why."""

import os

import pytest

from halocline.errors import HaloclineError
from halocline.launch import find_program
from halocline.model import studies

try:
    PROGRAM = find_program("halosim")
except HaloclineError:
    PROGRAM = None
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="halosim is not built")
QUICK = (studies._no_overlap, studies._many_windows, studies._half_shell, studies._node_links)


@pytest.mark.parametrize("statement", QUICK)
def test_a_statement_says_whether_it_agrees_and_why(statement):
    row = statement(studies._Asked(None)).row()
    assert all(row[key] for key in ("study", "text", "found", "predicted", "why"))
    assert row["agrees"] in ("yes", "no")


@pytest.mark.skipif(not os.environ.get("HALOCLINE_SOAK"), reason="long: in the soak")
def test_all_of_them():
    found = studies.replay().statements
    assert len(found) >= 15
    assert len({one.text for one in found}) == len(found)
    assert all(one.why for one in found)
    assert sum(one.agrees for one in found) >= 12
