"""How far cores are apart: what is usual, and what is said of launches elsewhere."""

import pytest

from halocline.measure import distance

NEAR, FAR = 1.2e-7, 4.5e-7


def test_the_usual_distance_is_that_of_most():
    assert distance.usual([[NEAR, NEAR], [NEAR, FAR], [FAR, NEAR], []]) == NEAR
    assert distance.usual([[], []]) is None


@pytest.mark.parametrize(
    ("seconds", "ordinary", "said"),
    [
        ([NEAR, 1.3e-7], NEAR, ""),
        ([], NEAR, ""),
        ([NEAR, NEAR], None, ""),
        ([FAR, FAR], NEAR, "its cores 0.45 µs apart, usually 0.12 µs"),
        ([NEAR, 1.3e-7], FAR, "its cores 0.12 to 0.13 µs apart, usually 0.45 µs"),
        ([NEAR, FAR], NEAR, "its cores moved: 0.12 to 0.45 µs apart"),
        ([FAR, NEAR, FAR], FAR, "its cores moved: 0.12 to 0.45 µs apart"),
    ],
)
def test_what_is_not_usual_is_said(seconds, ordinary, said):
    assert distance.oddity(seconds, ordinary) == said
