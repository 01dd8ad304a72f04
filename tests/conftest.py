"""Every test finds the commands that packaging/system/needed.txt lists, and no others."""

import os

from commands import listed_path

os.environ["PATH"] = listed_path()
