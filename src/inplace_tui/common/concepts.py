"""Which concept of the course is behind a failure."""

from __future__ import annotations

import ast

from inplace_tui.common.blame import Blame, SilentCause
from inplace_tui.common.source_text import backward_of, statement_on
from inplace_tui.common.syntax import nodes
from inplace_tui.common.verdicts import Verdict

PRODUCTS = ("Mm", "Addmm", "Bmm", "Baddbmm", "Mv", "Dot", "Linear", "Convolution")
"""Nodes that the lesson on such a verdict is about, by the beginning of their names."""


def concept(verdict: Verdict | None, blame: Blame | None, source: str = "") -> str | None:
    """Return what to learn from a failure; None where there was none."""
    if verdict is None:
        return None
    op = blame.writes[0].op or "" if blame is not None and blame.writes else None
    found: str | None = None
    if blame is not None and blame.cause is SilentCause.UNTRACKED:
        return "checkpointing"  # which recorded nothing
    saved = verdict in (Verdict.SILENTLY_WRONG, Verdict.SAVED_TENSOR_MODIFIED)
    written = () if blame is None or not saved else blame.writes[:1]
    if any(backward_of(source, each.line) for each in written):
        return "save-for-backward"  # it wrote what it had saved
    if op is not None and verdict is Verdict.SILENTLY_WRONG:
        if blame is not None and blame.cause is SilentCause.GRADIENT:
            found = "hook-writes-gradient"
        elif op.endswith(".step"):
            found = "fused-step"
        elif not op or op.startswith(("ndarray.", "numpy.")):
            found = "numpy-alias"  # torch ran no op: whatever shares the memory wrote it
    elif blame is not None and verdict is Verdict.SAVED_TENSOR_MODIFIED:
        found = _of_saved(op, blame, source)
    elif blame is not None and verdict is Verdict.NO_GRAD_FN:
        if blame.cut is not None:
            found = "rebinding"  # of a leaf's name, to something computed
        elif _asks_for_gradient(source, blame.origin):
            found = "double-backward"
    elif blame is not None and verdict is Verdict.GRAPH_FREED and blame.carried is not None:
        found = "carried-state" if blame.carried.made == blame.carried.used else None
    return found or verdict.concept


def _of_saved(op: str | None, blame: Blame, source: str) -> str | None:
    """Return what to learn where a saved tensor changed: by what changed it, else what saved it."""
    saver, op = blame.saver, op or ""
    line = blame.writes[0].line if blame.writes else 0
    adds = op == "Tensor.add_"
    found = None if saver is None or saver.node.startswith(PRODUCTS) else "input-or-output"
    if op.endswith(".step"):
        found = "step-between"
    elif op.endswith(".__call__"):
        found = "hidden-in-place" if op == "Embedding.__call__" else "in-place-activation"
    elif adds and (_adds_to_itself(source, line) or (saver and saver.line == line)):
        found = "residual"
    elif saver is not None and saver.is_output:
        found = "saved-output"
    elif found is not None and op == "Tensor.__setitem__":
        found = "item-assignment"
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
