"""Every test finds the commands that packaging/system/needed.txt lists, and no others."""

import os

from commands import listed_path

os.environ["PATH"] = os.environ["HALOCLINE_TEST_PATH"] = listed_path()  # xdist's processes, too
