#!/usr/bin/env python3
"""Writes functions.txt anew, where pympistandard is installed.

In the table one word stands for the types that differ between MPI_X and MPI_X_c.
"""

import re
from pathlib import Path

import pympistandard as standard

WORDS = {
    ("int", "MPI_Count"): "Count",
    ("int", "MPI_Aint"): "Place",
    ("MPI_Aint", "MPI_Count"): "Extent",
    ("MPI_User_function", "MPI_User_function_c"): "UserFunction",
}

# Nobody wraps these: neither communication nor anything that waits, and called in loops.
LEFT_ALONE = re.compile(
    r"T_|Pcontrol$|Aint_|Wtime$|Wtick$|.*_[cf]2[cf]|.*_f08|.*_(to|from)int$|DUP_FN|NULL_|.*_FN"
    r"|Status_[cf]|Get_address|Sizeof|Abi_|Keyval_|Attr_|Errhandler_(create|get|set)|Register_datarep"
    r"|Conversion_fn|Initialized$|Finalized$|Error_(class|string)|Get_(version|library_version|processor_name)"
    r"|Is_thread_main|Info_create_env|Query_thread|Get_count|Get_elements|Status_(set|get)|Type_(size|extent|lb|ub|get)"
    r"|Comm_(rank|size|remote_size|get_attr|test_inter|get_name|set_name)$|Address$"
)


def in_words(small: str, large: str) -> str:
    """One parameter of both forms."""
    pairs = zip(re.split(r"(\W+)", small), re.split(r"(\W+)", large), strict=True)
    return "".join(one if one == other else WORDS[one, other] for one, other in pairs)


def main() -> None:
    """Write the table."""
    standard.use_api_version(1)
    lines = []
    for procedure in standard.all_iso_c_procedures():
        function = procedure.express.iso_c
        name = function.name.removeprefix("MPI_")
        if LEFT_ALONE.match(name) or function.return_type != "int":
            continue
        parameters = [str(one) for one in function.parameters]
        if procedure.has_embiggenment():
            large = procedure.express.embiggen.iso_c.parameters
            parameters = [
                in_words(one, str(other)) for one, other in zip(parameters, large, strict=True)
            ]
        lines.append(f"{name}({', '.join(parameters)})\n")
    Path(__file__).with_name("functions.txt").write_text("".join(sorted(lines)))


if __name__ == "__main__":
    main()
