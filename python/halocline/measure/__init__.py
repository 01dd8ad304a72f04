"""Measure programs and schemes, and say what the measurements mean; nothing here prints.

Verbs a notebook calls (`halocline` itself offers them): `compare`, `bench`, `bench_kernels`,
`doctor`, `run`, `tune`, `explain`, `load`. Beneath them, by subject: `comparison` (a program under
many schemes), `benchmark` (halometer), `kernels` (the sweeps), `soundness` (the doctor), `atlas`
(what others' doctors have found), `tuning` (what `auto` chose), `validation` (whether both predict
programs), `results` (the programs' files) and `distance` (between cores).
"""

from halocline.measure import (
    atlas,
    benchmark,
    comparison,
    distance,
    kernels,
    results,
    soundness,
    tuning,
    validation,
)
from halocline.measure.benching import bench
from halocline.measure.benchmark import Benchmark, Point
from halocline.measure.comparison import (
    BASELINE,
    Agreement,
    Case,
    Comparison,
    Division,
    FalseClaims,
    Joined,
    Judgement,
    Launch,
    Plan,
    Progress,
    Row,
    Setting,
    Variant,
    Varied,
    agreement,
    compare,
    compare_with_itself,
    divisions,
    join,
    judged,
    tabulate,
    variants,
)
from halocline.measure.kernels import Line, Outcome, Speed, bench_kernels
from halocline.measure.loading import load
from halocline.measure.results import PHASES, Launches, Result, style_of_auto
from halocline.measure.single import Run, run
from halocline.measure.soundness import Advice, Diagnosis, Effort, Verdict, doctor
from halocline.measure.tuning import Choices, explain, tune

__all__ = [
    "BASELINE",
    "PHASES",
    "Advice",
    "Agreement",
    "Benchmark",
    "Case",
    "Choices",
    "Comparison",
    "Diagnosis",
    "Division",
    "Effort",
    "FalseClaims",
    "Joined",
    "Judgement",
    "Launch",
    "Launches",
    "Line",
    "Outcome",
    "Plan",
    "Point",
    "Progress",
    "Result",
    "Row",
    "Run",
    "Setting",
    "Speed",
    "Variant",
    "Varied",
    "Verdict",
    "agreement",
    "atlas",
    "bench",
    "bench_kernels",
    "benchmark",
    "compare",
    "compare_with_itself",
    "comparison",
    "distance",
    "divisions",
    "doctor",
    "explain",
    "join",
    "judged",
    "kernels",
    "load",
    "results",
    "run",
    "soundness",
    "style_of_auto",
    "tabulate",
    "tune",
    "tuning",
    "validation",
    "variants",
]
