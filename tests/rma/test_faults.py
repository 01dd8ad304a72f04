"""Every fault that is planted in a protocol is found (faults.py)."""

from pathlib import Path

import pytest
from faults import FAULTS, search
from programs import MPIEXEC, PROGRAMS

BY_NAME = {Path(path).name: path for path in PROGRAMS}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.scheme} {fault.left_out}")
def test_is_found(fault):
    assert search([MPIEXEC], BY_NAME, fault)
