"""Measure one program under many schemes, fairly, and say which differ.

`record` keeps what was launched, `rounds` launches, `table` says what the launches allow to be
said, `division` into what each scheme's time divides, `truth` whether all computed the same,
`itself` how often a difference is claimed where there is none, `variation` what an option, the
environment or the MPI changes, `joined` what comparisons of different times say together,
`picture` shows the solution, and `campaign` does all of it in one call.
"""

from halocline.measure.comparison import itself, picture
from halocline.measure.comparison.campaign import compare, compare_with_itself
from halocline.measure.comparison.division import Division, divisions
from halocline.measure.comparison.itself import FalseClaims
from halocline.measure.comparison.joined import Joined, join
from halocline.measure.comparison.record import Case, Comparison, Launch, Setting, prepare
from halocline.measure.comparison.rounds import Plan, Progress, Start, measure
from halocline.measure.comparison.table import BASELINE, Row, tabulate
from halocline.measure.comparison.truth import Agreement, agreement
from halocline.measure.comparison.variation import (
    DATE,
    FASTER,
    LOST,
    MPI,
    SAME,
    SLOWER,
    UNTOLD,
    VARIABLES,
    Judgement,
    Variant,
    Varied,
    judged,
    variants,
)

__all__ = [
    "BASELINE",
    "DATE",
    "FASTER",
    "LOST",
    "MPI",
    "SAME",
    "SLOWER",
    "UNTOLD",
    "VARIABLES",
    "Agreement",
    "Case",
    "Comparison",
    "Division",
    "FalseClaims",
    "Joined",
    "Judgement",
    "Launch",
    "Plan",
    "Progress",
    "Row",
    "Setting",
    "Start",
    "Variant",
    "Varied",
    "agreement",
    "compare",
    "compare_with_itself",
    "divisions",
    "itself",
    "join",
    "judged",
    "measure",
    "picture",
    "prepare",
    "tabulate",
    "variants",
]
