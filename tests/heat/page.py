#!/usr/bin/env python3
"""A page's code is the code of the tree: page.py PAGE ROOT.

A line that names a file in backquotes and ends in a colon says where the code block after it is
from. Each block must occur there, as it is.
"""

import pathlib
import re
import sys

page, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
block = re.compile(r"^`(?P<file>[\w./-]+)`[^\n]*:\n\n```\w*\n(?P<code>.*?)^```$", re.M | re.S)
text = page.read_text()
blocks = list(block.finditer(text))
wrong = [
    found["file"] for found in blocks if found["code"] not in (root / found["file"]).read_text()
]
commands = text.count("\n```sh\n")
fences = len(re.findall(r"^```", text, re.M)) // 2
if wrong:
    sys.exit(f"{page.name}: not what is in {', '.join(wrong)}")
if len(blocks) < 5 or len(blocks) + commands != fences:
    sys.exit(f"{page.name}: of {fences} blocks {len(blocks)} name a file, {commands} are commands")
print(f"{len(blocks)} blocks of code are in the files that they name")
