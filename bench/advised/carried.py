"""What the substitute has done in a program, by its report, as cells of a table."""

from halocline.advice import applying

HEAD = """\
| program | result | lines | scheme | taken over | steps carried | handed back | left to MPI |
|---|---|---|---|---|---|---|---|"""
NOTHING = "none of what it takes over"


def listed(patterns):
    """Each kind of call with how many there were, and why."""
    words = []
    for one in patterns:
        call = one.pattern.split(" ")[0]
        many = f"{one.times} {call}" if one.times > 1 else call
        words.append(f"{many}: {one.why or 'the program ended before'} ({one.steps})")
    return "; ".join(words)


def cells(folder):
    """What became of a program's patterns, by the report in a folder."""
    report = folder / applying.REPORT
    if not report.exists():
        return ["no report", "", "", ""]
    patterns = applying.load(report)
    if not patterns:
        return [NOTHING, "", "", ""]
    taken = [one for one in patterns if one.taken_at]
    whole = sum(one.times for one in patterns)
    steps = sum(one.steps for one in patterns)
    return [
        f"{sum(one.times for one in taken)} of {whole}",
        f"{sum(one.carried for one in taken)} of {steps}",
        listed(one for one in taken if one.back_at),
        listed(one for one in patterns if not one.taken_at),
    ]


def together(done):
    """Schemes with the same cells in one row: pairs of their names and the cells."""
    rows = {}
    for scheme, row in done.items():
        rows.setdefault(tuple(row), []).append(scheme)
    return [(", ".join(schemes), row) for row, schemes in rows.items()]
