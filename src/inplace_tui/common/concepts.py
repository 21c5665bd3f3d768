"""Which concept of the course is behind a failure."""

from __future__ import annotations

import ast

from inplace_tui.common.blame import Blame, SilentCause
from inplace_tui.common.source_text import backward_of, statement_on
from inplace_tui.common.syntax import nodes
from inplace_tui.common.verdicts import Verdict

OF_RESULTS = "saved-output"
"""Where the node had saved its own result."""

OF_STEPS = "step-between"
"""Where an optimizer's `step()` came between the loss and its backward."""

OF_RESIDUALS = "residual"
"""Where a line adds to a tensor what it computes from it: `x += f(x)`."""

OF_MODULES = "in-place-activation"
"""Where a module writes its input."""

OF_EMBEDDINGS = "hidden-in-place"
"""Where an embedding scales its rows down."""

OF_OTHER_LIBRARIES = "numpy-alias"
"""Where memory was written and torch ran no op: by NumPy, or by whatever else shares it."""

OF_UNCOUNTED_STEPS = "fused-step"
"""Where such a step moved no version."""


OF_INPUTS = "input-or-output"
"""Where an op that is no product had saved what it was given."""

PRODUCTS = ("Mm", "Addmm", "Bmm", "Baddbmm", "Mv", "Dot", "Linear", "Convolution")
"""What the lesson on a verdict of this kind is about, by the beginning of a node's name."""

OF_ITEMS = "item-assignment"
"""Where elements were assigned."""

OF_STATES = "carried-state"
"""Where one line runs backward again and again, through the same graph."""

OF_GRADIENTS = "double-backward"
"""Where a gradient is differentiated that has no graph."""

OF_HOOKS = "hook-writes-gradient"
"""Where a gradient was written that others needed, too."""

OF_FUNCTIONS = "save-for-backward"
"""Where `backward` of a custom Function wrote what it had saved."""

OF_CHECKPOINTS = "checkpointing"
"""Where a checkpoint recorded nothing."""

OF_LOST_LEAVES = "rebinding"
"""Where the name of a leaf was given to something computed."""


def concept(verdict: Verdict | None, blame: Blame | None, source: str = "") -> str | None:
    """Return what to learn from a failure; None where there was none."""
    if verdict is None:
        return None
    op = blame.writes[0].op or "" if blame is not None and blame.writes else None
    found: str | None = None
    if blame is not None and blame.cause is SilentCause.UNTRACKED:
        return OF_CHECKPOINTS
    saved = verdict in (Verdict.SILENTLY_WRONG, Verdict.SAVED_TENSOR_MODIFIED)
    written = () if blame is None or not saved else blame.writes[:1]
    if any(backward_of(source, each.line) for each in written):
        return OF_FUNCTIONS
    if op is not None and verdict is Verdict.SILENTLY_WRONG:
        if blame is not None and blame.cause is SilentCause.GRADIENT:
            found = OF_HOOKS
        elif op.endswith(".step"):
            found = OF_UNCOUNTED_STEPS
        elif not op or op.startswith(("ndarray.", "numpy.")):
            found = OF_OTHER_LIBRARIES
    elif blame is not None and verdict is Verdict.SAVED_TENSOR_MODIFIED:
        found = _of_saved(op, blame, source)
    elif blame is not None and verdict is Verdict.NO_GRAD_FN:
        if blame.cut is not None:
            found = OF_LOST_LEAVES
        elif _asks_for_gradient(source, blame.origin):
            found = OF_GRADIENTS
    elif blame is not None and verdict is Verdict.GRAPH_FREED and blame.writes:
        found = OF_STATES if blame.writes[0].line == blame.reader else None
    return found or verdict.concept


def _of_saved(op: str | None, blame: Blame, source: str) -> str | None:
    """Return what to learn where a saved tensor changed: by what changed it, else what saved it."""
    saver, op = blame.saver, op or ""
    line = blame.writes[0].line if blame.writes else 0
    adds = op == "Tensor.add_"
    found = None if saver is None or saver.node.startswith(PRODUCTS) else OF_INPUTS
    if op.endswith(".step"):
        found = OF_STEPS
    elif op.endswith(".__call__"):
        found = OF_EMBEDDINGS if op == "Embedding.__call__" else OF_MODULES
    elif adds and (_adds_to_itself(source, line) or (saver and saver.line == line)):
        found = OF_RESIDUALS
    elif saver is not None and saver.is_output:
        found = OF_RESULTS
    elif found is not None and op == "Tensor.__setitem__":
        found = OF_ITEMS
    return found


def _asks_for_gradient(source: str, line: int | None) -> bool:
    """Whether a line calls `torch.autograd.grad`: what that returns has a graph only if asked."""
    calls = nodes(ast.Call, statement_on(source, line))
    return any(ast.unparse(call.func).endswith("autograd.grad") for call in calls)


def _adds_to_itself(source: str, line: int) -> bool:
    """Whether a line adds to a tensor what a call makes of it, as a block's residual does."""
    match statement_on(source, line):
        case ast.AugAssign(target=target, op=ast.Add(), value=ast.Call() as call):
            name = ast.unparse(target)
            return any(ast.unparse(each) == name for each in ast.walk(call))
        case _:
            return False
