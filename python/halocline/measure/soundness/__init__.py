"""The doctor: which schemes are sound on this machine under this MPI, and what helps the others."""

from halocline.measure.soundness import baseline
from halocline.measure.soundness.advice import Advice, advise
from halocline.measure.soundness.examination import (
    OUTCOMES,
    QUICK,
    Effort,
    Verdict,
    examine,
    of_devices,
    with_each_option,
    with_other_paths,
)
from halocline.measure.soundness.felt import PATTERNS
from halocline.measure.soundness.memory import Memory, check, default_path
from halocline.measure.soundness.sharing import share
from halocline.measure.soundness.visit import Diagnosis, broken, doctor

__all__ = [
    "OUTCOMES",
    "PATTERNS",
    "QUICK",
    "Advice",
    "Diagnosis",
    "Effort",
    "Memory",
    "Verdict",
    "advise",
    "baseline",
    "broken",
    "check",
    "default_path",
    "doctor",
    "examine",
    "of_devices",
    "share",
    "with_each_option",
    "with_other_paths",
]
