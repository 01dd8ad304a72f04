"""The verbs of the command line that neither `measure` nor one step of `model` is: for notebooks.

Each is a function that prints nothing and returns a table that draws itself; the command of the
same name calls it, and shows what it returns.
"""

from halocline.verbs.advising import Advised, advise, apply
from halocline.verbs.placing import Plan, topology
from halocline.verbs.predicting import predict
from halocline.verbs.reporting import Page, report
from halocline.verbs.submitting import (
    VERBS,
    Jobs,
    Submitted,
    Wish,
    fetch,
    find,
    minutes_of,
    submit,
)
from halocline.verbs.tracing import Reasons, Traced, is_trace, trace, why
from halocline.verbs.validating import Validated, validate

__all__ = [
    "VERBS",
    "Advised",
    "Jobs",
    "Page",
    "Plan",
    "Reasons",
    "Submitted",
    "Traced",
    "Validated",
    "Wish",
    "advise",
    "apply",
    "fetch",
    "find",
    "is_trace",
    "minutes_of",
    "predict",
    "report",
    "submit",
    "topology",
    "trace",
    "validate",
    "why",
]
