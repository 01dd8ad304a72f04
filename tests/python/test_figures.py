"""How figures are written."""

import pytest

from halocline.figures import amount, digits, percent, plain, scale
from halocline.statistics import Interval


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.0012345, "0.00123"), (9.876, "9.88"), (123.4, "123"), (1020.3, "1020"),
     (1234567.8, "1234568"), (-2.5, "-2.50")],
)  # fmt: skip
def test_numbers_have_no_exponent(value, text):
    assert plain(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (1.7e-7, "< 0.01 %"), (6e-5, "0.006 %"), (0.0412, "4.1 %"), (0.127, "13 %")],
)
def test_a_share_has_two_digits_or_is_next_to_nothing(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ((501.52, 490.5, 504.1), "501.5 [490.5, 504.1]"),
        ((3, 0.03, 40), "3.00 [0.03, 40.00]"),
        ((1, 1, 1), "1.00 [1.00, 1.00]"),
        ((0.86412, 0.848, 0.878), "0.864 [0.848, 0.878]"),
    ],
)
def test_numbers_have_the_digits_they_deserve(interval, text):
    assert digits(Interval(*interval)) == text


@pytest.mark.parametrize(
    ("seconds", "factor", "unit"),
    [(3e-7, 1e9, "ns"), (1e-6, 1e6, "µs"), (2e-3, 1e3, "ms"), (1.0, 1, "s"), (90, 1, "s")],
)
def test_times_have_the_unit_in_which_they_read_best(seconds, factor, unit):
    assert scale(seconds) == (factor, unit)


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "?"), (0, "0 B"), (1023, "1023 B"), (1 << 20, "1.0 MiB"), (3 << 39, "1.5 TiB")],
)
def test_bytes_have_the_unit_in_which_they_read_best(count, text):
    assert amount(count) == text
