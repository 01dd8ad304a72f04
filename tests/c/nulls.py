"""Every function of the C header, called with NULL for each pointer: nulls.py HEADER LIBRARY.

None crashes; all say what is NULL, but for those that may be given nothing. And the tests in C call
each as it should be called.
"""

import ctypes
import re
import sys
from pathlib import Path

NULL_IS_RIGHT = {"halocline_known_scheme", "halocline_patience_heed_environment"}
COLLECTIVE = {"halocline_make_collectives_yield", "halocline_patience_detect"}  # no pointers
NO_CODE = {"halocline_version", "halocline_environment_create"}

header, library = Path(sys.argv[1]).read_text(), ctypes.CDLL(sys.argv[2])
library.halocline_last_error.restype = ctypes.c_char_p
environment, world = ctypes.c_void_p(), ctypes.c_ssize_t()
assert library.halocline_environment_create(None, None, 1, ctypes.byref(environment)) == 0
assert library.halocline_world(ctypes.byref(world)) == 0

wrong = []
functions = re.findall(r"^int (halocline_\w+)\(([^;]*)\);", header, re.MULTILINE)
for name, parameters in functions:
    if name in COLLECTIVE | NO_CODE:
        continue
    arguments = [
        world if "halocline_comm " in one else None if "*" in one else ctypes.c_int64(1)
        for one in parameters.replace("[]", "*").split(",")
    ]
    code = getattr(library, name)(*arguments)
    said = library.halocline_last_error().decode() if code else ""
    if name in NULL_IS_RIGHT or (name.endswith("_free") and "**" in parameters):
        if code:
            wrong.append(f"{name}: {said}")
    elif code != 5 or not re.fullmatch(rf"{name}: [\w.]+ is NULL", said):
        wrong.append(f"{name}: {code} {said}")
assert library.halocline_environment_free(ctypes.byref(environment)) == 0

tests = "".join(path.read_text() for path in Path(__file__).parent.glob("*.c*"))
for name, _ in functions:
    if not re.search(rf"\b{name}\(", tests):
        wrong.append(f"{name}: no test calls it")
if wrong or len(functions) < 100:
    sys.exit("\n".join(["FAILED", *wrong]))
print(f"{len(functions)} functions")
