"""Which concept of the course is behind a failure."""

from __future__ import annotations

import ast

from inplace_tui.common.blame import Blame, SilentCause
from inplace_tui.common.source_text import backward_of, line_text, statement_on
from inplace_tui.common.syntax import function_classes, nodes, parsed
from inplace_tui.common.verdicts import Verdict

PRODUCTS = ("Mm", "Addmm", "Bmm", "Baddbmm", "Mv", "Dot", "Linear", "Convolution")
"""Nodes that the lesson on such a verdict is about, by the beginning of their names."""

_LOOKED_UP = ("index", "indices", "mask", "target")
"""How slots begin that hold no factor, but where a gradient goes."""

_KEEPERS = {
    "checkpoint": "checkpointing",
    "allow_mutation_on_saved_tensors": "allowed-mutation",
    "saved_tensors_hooks": "saved-tensor-hooks",
    "save_on_cpu": "saved-tensor-hooks",
}
"""What keeps tensors where torch checks no version, by the word for it in a program."""


def concept(verdict: Verdict | None, blame: Blame | None, source: str = "") -> str | None:
    """Return what to learn from a failure; None where there was none."""
    if verdict is None or blame is None:
        return None if verdict is None else verdict.concept
    if blame.cause is SilentCause.UNTRACKED:
        return "checkpointing"  # which recorded nothing
    op, line = (blame.writes[0].op or "", blame.writes[0].line) if blame.writes else ("", 0)
    saved = verdict in (Verdict.SILENTLY_WRONG, Verdict.SAVED_TENSOR_MODIFIED)
    if saved and line and backward_of(source, line):
        return "save-for-backward"  # it wrote what it had saved
    found: str | None = None
    if blame.writes and verdict is Verdict.SILENTLY_WRONG:
        found = _of_silent(op, line, blame, source)
    elif verdict is Verdict.SAVED_TENSOR_MODIFIED:
        found = _of_saved(op, line, blame, source)
    elif verdict is Verdict.NO_GRAD_FN:
        if blame.cut is not None:
            found = "rebinding"  # of a leaf's name, to something computed
        elif _asks_for_gradient(source, blame.origin):
            found = "double-backward"
    elif verdict is Verdict.LEAF_MODIFIED and op.startswith("Tensor.clamp"):
        found = "projected-update"
    elif verdict is Verdict.GRAPH_FREED and blame.carried is not None:
        found = "carried-state" if blame.carried.made == blame.carried.used else None
    elif verdict is Verdict.GRAPH_FREED and _is_within(source, line, ast.Try):
        found = "retry-after-failure"
    return found or verdict.concept


def _of_silent(op: str, line: int, blame: Blame, source: str) -> str | None:
    """Return what to learn where no check saw a write: by where the tensor was kept, else by it."""
    slot, found = "" if blame.saver is None else blame.saver.slot, None
    classes = function_classes(parsed(source))
    if blame.cause is SilentCause.GRADIENT:
        found = "hook-writes-gradient"
    elif blame.cause is SilentCause.UNRECORDED:
        within = any(each.lineno <= line <= (each.end_lineno or 0) for each in classes)
        found = "mark-dirty" if within else "unrecorded-ops"
    elif blame.cause in (SilentCause.UNCHECKED, SilentCause.GIVEN_BACK):
        kept = (known for word, known in _KEEPERS.items() if word in source)
        found = "save-for-backward" if slot == "ctx" else next(kept, None)
    elif op.endswith(".step"):
        found = "fused-step"
    elif slot.startswith("running_"):
        found = "running-statistics"
    elif op == "Tensor.data":
        found = "exchanged-storage"
    elif not op or op.startswith(("ndarray.", "numpy.", "array.")):
        found = "numpy-alias"  # torch ran no op: whatever shares the memory wrote it
    return found


def _of_saved(op: str, line: int, blame: Blame, source: str) -> str | None:
    """Return what to learn where a saved tensor changed: by what changed it, else what saved it."""
    saver = blame.saver
    node, slot = ("", "") if saver is None else (saver.node, saver.slot)
    found = None if saver is None or node.startswith(PRODUCTS) else "input-or-output"
    if slot == "checkpoint" or node.startswith("Checkpoint"):
        found = "checkpoint-in-place"
    elif node.startswith("CompiledFunction"):
        found = "compiled-writes"
    elif op.endswith(".step"):
        found = "step-between"
    elif op.endswith(".__call__"):
        found = "hidden-in-place" if op == "Embedding.__call__" else "in-place-activation"
    elif slot.startswith(_LOOKED_UP):
        found = "saved-index"
    elif op == "Tensor.add_" and (_adds_to_itself(source, line) or (saver and saver.line == line)):
        found = "residual"
    elif _is_within(source, line, ast.With, "no_grad"):
        found = "no-grad-counts"
    elif saver is not None and saver.is_output:
        found = "saved-output"
    elif found is not None and op == "Tensor.__setitem__":
        found = "item-assignment"
    return found


def _is_within(source: str, line: int, kind: type[ast.stmt], word: str = "") -> bool:
    """Whether a line stands in a statement of a kind, with such a word in its first line."""
    return any(
        each.lineno < line <= (each.end_lineno or 0) and word in line_text(source, each.lineno)
        for each in nodes(kind, parsed(source))
    )


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
