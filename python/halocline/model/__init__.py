"""What schemes take on machines that need not be here: machine files, simulation, prediction.

`halosim` runs the description that each method has; here its questions are asked and its numbers
fitted. Nothing here prints.
"""

from halocline.model import (
    completing,
    computing,
    fitting,
    goal,
    here,
    machines,
    networks,
    prediction,
    simulation,
    studies,
    trust,
)
from halocline.model.machines import Machine
from halocline.model.prediction import Estimate, Prediction, Question, WhatIf, predict

__all__ = [
    "Estimate",
    "Machine",
    "Prediction",
    "Question",
    "WhatIf",
    "completing",
    "computing",
    "fitting",
    "goal",
    "here",
    "machines",
    "networks",
    "predict",
    "prediction",
    "simulation",
    "studies",
    "trust",
]
