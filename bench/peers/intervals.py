"""What the comparisons of this folder say of their samples."""

from statistics import median


def interval(values):
    """The median and its 95 % interval, from the order of at least six values."""
    values = sorted(values)
    count, skipped, tail = len(values), 0, 2.0 ** (1 - len(values))
    term = tail
    while count > 2 * skipped + 2:
        term = term * (count - skipped) / (skipped + 1)
        if tail + term > 0.05:
            break
        tail += term
        skipped += 1
    return median(values), values[skipped], values[-1 - skipped]


def said(values, digits=2):
    """Median and interval."""
    return "{0:.{3}f} [{1:.{3}f}, {2:.{3}f}]".format(*interval(values), digits)
