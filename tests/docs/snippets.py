"""A page's C++ is compiled: snippets.py PAGE SOURCE.

Every `cpp` block of the page must be in the source file, in whatever indentation.
"""

import re
import sys
from pathlib import Path


def words(text):
    """Return the text as it is but for white space."""
    return " ".join(text.split())


page, source = (Path(name).read_text() for name in sys.argv[1:3])
blocks = re.findall(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
missing = [block for block in blocks if words(block) not in words(source)]
if missing or not blocks:
    sys.exit(f"{sys.argv[2]} does not have, of {len(blocks)} blocks:\n" + "\n".join(missing))
print(f"{len(blocks)} blocks are in {sys.argv[2]}")
