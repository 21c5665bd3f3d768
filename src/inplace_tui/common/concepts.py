"""Which concepts of the course are behind a failure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

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


def concepts(verdict: Verdict | None, blame: Blame | None, source: str = "") -> tuple[str, ...]:
    """Return what to learn from a failure, what says most about it first."""
    if verdict is None:
        return ()
    rules = () if blame is None else _rules(verdict, blame, source)
    found = [(concept or verdict.concept) for concept, holds in rules if holds]
    return tuple(dict.fromkeys(each for each in (*found, verdict.concept) if each))


def _rules(verdict: Verdict, blame: Blame, source: str) -> Iterator[tuple[str | None, object]]:
    """Yield what may be to learn, and whether that happened; what says most comes first."""
    tree, saver, carried, cause = parsed(source), blame.saver, blame.carried, blame.cause
    op, line = (blame.writes[0].op or "", blame.writes[0].line) if blame.writes else ("", 0)
    node, slot = ("", "") if saver is None else (saver.node, saver.slot)
    yield "checkpointing", cause is SilentCause.UNTRACKED  # which recorded nothing
    match verdict:
        case Verdict.SILENTLY_WRONG if blame.writes:
            # By where the tensor was kept, else by what wrote it.
            yield "save-for-backward", backward_of(source, line)  # it wrote what it had saved
            yield "hook-writes-gradient", cause is SilentCause.GRADIENT
            if cause is SilentCause.UNRECORDED:
                yield "mark-dirty", _is_within(line, function_classes(tree))
                yield "unrecorded-ops", True
            if cause in (SilentCause.UNCHECKED, SilentCause.GIVEN_BACK):
                yield "save-for-backward", slot == "ctx"
                keepers = (known for word, known in _KEEPERS.items() if word in source)
                yield next(keepers, None), True
            yield "fused-step", op.endswith(".step")
            yield "running-statistics", slot.startswith("running_")
            yield "exchanged-storage", op == "Tensor.data"
            # Torch ran no op: whatever shares the memory wrote it.
            yield "numpy-alias", not op or op.startswith(("ndarray.", "numpy.", "array."))
        case Verdict.SAVED_TENSOR_MODIFIED:
            # By what changed it, else by what saved it.
            yield "save-for-backward", backward_of(source, line)
            yield "checkpoint-in-place", slot == "checkpoint" or node.startswith("Checkpoint")
            yield "compiled-writes", node.startswith("CompiledFunction")
            yield "step-between", op.endswith(".step")
            yield "hidden-in-place", op == "Embedding.__call__"
            yield "in-place-activation", op.endswith(".__call__")
            yield "saved-index", slot.startswith(_LOOKED_UP)
            if op == "Tensor.add_":
                yield "residual", _adds_to_itself(source, line) or (saver and saver.line == line)
            withs = nodes(ast.With, tree)
            frozen = (each for each in withs if "no_grad" in line_text(source, each.lineno))
            yield "no-grad-counts", _is_within(line, frozen)
            yield "saved-output", saver and saver.is_output
            if saver is not None and not node.startswith(PRODUCTS):
                yield "item-assignment", op == "Tensor.__setitem__"
                yield "input-or-output", True
        case Verdict.NO_GRAD_FN:
            yield "rebinding", blame.cut is not None  # of a leaf's name, to something computed
            # What `torch.autograd.grad` returns has a graph only if asked.
            calls = nodes(ast.Call, statement_on(source, blame.origin))
            asked = any(ast.unparse(call.func).endswith("autograd.grad") for call in calls)
            yield "double-backward", asked
        case Verdict.LEAF_MODIFIED:
            yield "projected-update", op.startswith("Tensor.clamp")
        case Verdict.GRAPH_FREED:
            is_tried = carried is None and _is_within(line, nodes(ast.Try, tree))
            yield "retry-after-failure", is_tried
            # Computed from the one before, or used again in the next round of a loop.
            yield (
                "carried-state",
                (carried and carried.made == carried.used) or line == blame.reader,
            )
        case _:
            pass


def _is_within(line: int, statements: Iterable[ast.stmt]) -> bool:
    return any(each.lineno < line <= (each.end_lineno or 0) for each in statements)


def _adds_to_itself(source: str, line: int) -> bool:
    """Whether a line adds to a tensor what a call makes of it, as a block's residual does."""
    match statement_on(source, line):
        case ast.AugAssign(target=target, op=ast.Add(), value=ast.Call() as call):
            name = ast.unparse(target)
            return any(ast.unparse(each) == name for each in ast.walk(call))
        case _:
            return False
