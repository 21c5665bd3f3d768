"""Whether an error came out of an in-place write itself, and torch refused that write."""

from __future__ import annotations

import dis
import re
from typing import Any

REFUSED = re.compile(
    r"leaf Variable that requires grad|is a view and is being modified|"
    r"was created in \w+ mode and|function that returns multiple views|inside a custom Function|"
    r"detach views in-place|Inplace update to inference tensor|\(self, \*extra_args\)|"
    r"would mutate a captured Tensor|ZeroTensors are immutable|to a single memory location|"
    r"cannot resize variables|desired output type|same (scalar type|dtypes)|dtypes match|"
    r"be equal to src\.dtype|cannot be converted to type|doesn't match the broadcast shape|"
    r"must match the existing size|value tensor of shape|0-dimensional value tensor"
)
"""What torch says of a tensor that it won't write to, or of a value that doesn't fit into it."""


def refuses(error: BaseException, raised: Any, op: str) -> bool:
    """Whether torch refused the write `op`, in the call or operator that an entry raised in.

    A write on the same line may have succeeded, or come from an earlier iteration.
    """
    if not isinstance(error, RuntimeError) or not REFUSED.search(str(error)):
        return False
    # A call of a Python function stops behind its instruction: at what is cached with it.
    code, at = raised.tb_frame.f_code, raised.tb_lasti
    *before, raising = (each for each in dis.get_instructions(code) if each.offset <= at)
    if op == "__setitem__":
        return raising.opname == "STORE_SUBSCR"
    if op.startswith("__"):
        return raising.opname.startswith("INPLACE_") or raising.argrepr.endswith("=")
    # A call starts where the name of what it calls starts; before 3.11 that is not known.
    loaded = [
        each.argval
        for each in before
        if each.opname.startswith("LOAD_") and _start(each) == _start(raising)
    ]
    callee = loaded if _start(raising) is None else loaded[-1:]
    return "CALL" in raising.opname and op in callee


def _start(instruction: Any) -> Any:
    positions = getattr(instruction, "positions", None)
    return None if positions is None else (positions.lineno, positions.col_offset)
