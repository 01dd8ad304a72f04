"""Set what is measured without an application against what it feels.

Applications solve through several schemes in turns, and halometer measures the same pattern; `auto`
chooses afresh in each launch. What schemes differ by in the application's time of
a step is set against what they differ by in the time felt and in the tuner's figures.

`settings` is what is compared, `record` keeps what was launched, `campaign` launches, `judgement`
says what the launches allow to be said.
"""

from halocline.measure.validation.campaign import measure
from halocline.measure.validation.judgement import (
    CLOSE,
    LEAST_S,
    PART,
    UNDECIDED,
    WRONG,
    Difference,
    Row,
    close,
    judged,
    rows,
    said,
    summary,
)
from halocline.measure.validation.record import (
    FILE,
    LEFT_OUT,
    Choice,
    Conditions,
    Felt,
    Solution,
    Validation,
    Visit,
    load,
)
from halocline.measure.validation.settings import AUTO, BASELINE, SCHEMES, SETTINGS, Setting

__all__ = [
    "AUTO",
    "BASELINE",
    "CLOSE",
    "FILE",
    "LEAST_S",
    "LEFT_OUT",
    "PART",
    "SCHEMES",
    "SETTINGS",
    "UNDECIDED",
    "WRONG",
    "Choice",
    "Conditions",
    "Difference",
    "Felt",
    "Row",
    "Setting",
    "Solution",
    "Validation",
    "Visit",
    "close",
    "judged",
    "load",
    "measure",
    "rows",
    "said",
    "summary",
]
