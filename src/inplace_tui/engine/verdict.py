"""What kind of thing an outcome is. The only reader of torch's messages."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """Named as in `explain --json` and in docs."""

    LEAF_MODIFIED = "leaf-modified"
    LEAF_VIEW_MODIFIED = "leaf-view-modified"
    SAVED_TENSOR_MODIFIED = "saved-tensor-modified"
    NO_GRAD_FN = "no-grad-fn"
    SILENTLY_WRONG = "silently-wrong"
