"""Which refusal of torch's an error is that came out of an in-place write itself."""

from __future__ import annotations

import dis
import re
from typing import Any

REFUSALS = {
    "leaf-view-modified": r"a view of a leaf Variable that requires grad is being used",
    "leaf-modified": r"a leaf Variable that requires grad (is being|has been) used",
    "multi-output-view-modified": r"is the output of a function that returns multiple views",
    "custom-function-view-modified": r"view was created inside a custom Function",
    "no-grad-view-modified": r"was created in no_grad mode and",
    "inference-view-modified": r"was created in inference mode and",
    "view-detached-in-place": r"Can't detach views in-place",
    "inference-tensor-modified": r"Inplace update to inference tensor outside InferenceMode",
    "out-argument-requires-grad": (
        r"functions with out=\.\.\. arguments don't support automatic differentiation"
    ),
    "dtype-not-writable": (
        r"can't be cast to the desired output type|"
        r"Expected self\.dtype to be equal to src\.dtype|"
        r"Index put requires the source and destination dtypes match|"
        r"self \(\w+\) and source \(\w+\) must have the same scalar type|"
        r"masked_scatter: expected self and source to have same dtypes|"
        r"value cannot be converted to type .* without overflow"
    ),
    "vmap-inplace": r"vmap: .*\(self, \*extra_args\) is not possible",
    "shape-not-writable": (
        r"output with shape .* doesn't match the broadcast shape|"
        r"The expanded size of the tensor .* must match the existing size|"
        r"shape mismatch: value tensor of shape|"
        r"masked_fill_ only supports a 0-dimensional value tensor"
    ),
    "resize-requires-grad": r"cannot resize variables that require grad",
    "memory-overlaps": r"refers? to a single memory location",
    "transform-captured-modified": r"in-place operation \(.*\) that would mutate a captured Tensor",
    "zero-tensor-modified": r"ZeroTensors are immutable",
}
"""What torch says of a tensor that it won't write to, or of a value that doesn't fit into it.

`common/verdicts.py` reads them from here.
"""


def refusal(error: BaseException, raised: Any, op: str) -> str | None:
    """Return why torch refused the write `op`, in the call or operator that an entry raised in.

    A write on the same line may have succeeded, or come from an earlier iteration.
    """
    if not isinstance(error, RuntimeError) or not _raised_in(raised, op):
        return None
    message = str(error)
    found = (word for word in REFUSALS if re.search(REFUSALS[word], message, re.IGNORECASE))
    return next(found, None)


def _raised_in(raised: Any, op: str) -> bool:
    # A call of a Python function stops behind its instruction: at what is cached with it.
    code, at = raised.tb_frame.f_code, raised.tb_lasti
    *before, raising = (each for each in dis.get_instructions(code) if each.offset <= at)
    if op == "__setitem__":
        return raising.opname == "STORE_SUBSCR"
    if op.startswith("__"):
        return raising.opname.startswith("INPLACE_") or raising.argrepr.endswith("=")
    # A call starts where the name of what it calls starts; before 3.11 that is not known.
    loads = [each for each in before if each.opname.startswith("LOAD_")]
    loaded = [each.argval for each in loads if _start(each) == _start(raising)]
    callee = loaded if _start(raising) is None else loaded[-1:]
    return "CALL" in raising.opname and op in callee


def _start(instruction: Any) -> Any:
    positions = getattr(instruction, "positions", None)
    return None if positions is None else (positions.lineno, positions.col_offset)
