"""A page's C++, C and Fortran are compiled: snippets.py PAGE SOURCE...

Every `cpp`, `c`, `fortran` and `make` block of the page must be in one of the source files, however
indented; and every `cmake` block, if a CMakeLists.txt is among them.
"""

import re
import sys
from pathlib import Path


def words(text):
    """Return the text as it is but for white space."""
    return " ".join(text.split())


page, *sources = (Path(name).read_text() for name in sys.argv[1:])
kinds = "cpp|c|fortran|make"
if any(name.endswith("CMakeLists.txt") for name in sys.argv):
    kinds += "|cmake"
blocks = re.findall(rf"^```(?:{kinds})\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
missing = [block for block in blocks if not any(words(block) in words(one) for one in sources)]
files = ", ".join(sys.argv[2:])
if missing or not blocks:
    sys.exit(f"{files}: not there, of {len(blocks)} blocks:\n" + "\n".join(missing))
print(f"{len(blocks)} blocks are in {files}")
