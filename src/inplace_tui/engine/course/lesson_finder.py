"""Which lesson teaches what went wrong."""

from __future__ import annotations

from inplace_tui.engine.blame.blame import Blame
from inplace_tui.engine.blame.messages import Message
from inplace_tui.engine.blame.verdict import Verdict
from inplace_tui.engine.course.course import Course
from inplace_tui.engine.lessons.loader import LoadedLesson

CONCEPTS: dict[Verdict, str] = {
    Verdict.LEAF_MODIFIED: "leaf-write-refused",
    Verdict.LEAF_VIEW_MODIFIED: "leaf-view",
    Verdict.MULTI_VIEW_MODIFIED: "split-views",
    Verdict.NO_GRAD_VIEW_MODIFIED: "views-across-modes",
    Verdict.INFERENCE_VIEW_MODIFIED: "views-across-modes",
    Verdict.CUSTOM_VIEW_MODIFIED: "mark-dirty",
    Verdict.VIEW_DETACHED: "leaf-view",
    Verdict.INFERENCE_MODIFIED: "inference-mode",
    Verdict.INFERENCE_SAVED: "inference-mode",
    Verdict.INFERENCE_NEEDS_GRAD: "inference-mode",
    Verdict.INFERENCE_VERSION: "inference-mode",
    Verdict.DTYPE_NOT_WRITABLE: "in-place-misfits",
    Verdict.SHAPE_NOT_WRITABLE: "in-place-misfits",
    Verdict.TUPLE_ITEM_WRITTEN: "in-place-misfits",
    Verdict.MEMORY_OVERLAPS: "overlapping-memory",
    Verdict.ZERO_TENSOR: "overlapping-memory",
    Verdict.OUT_REQUIRES_GRAD: "projected-update",
    Verdict.RESIZE_REFUSED: "projected-update",
    Verdict.SILENTLY_WRONG: "silent-gradient",
    Verdict.SAVED_TENSOR_MODIFIED: "saved-input",
    Verdict.SAVED_TENSOR_DETACHED: "exchanged-storage",
    Verdict.SWAP_REFUSED: "exchanged-storage",
    Verdict.NO_GRAD_FN: "no-grad-fn",
    Verdict.GRAPH_FREED: "freed-graph",
    Verdict.NOT_A_SCALAR: "backward-arguments",
    Verdict.NOT_IN_GRAPH: "backward-arguments",
    Verdict.GRADIENT_MISFITS: "backward-arguments",
    Verdict.GRADIENT_KEEPS_GRAPH: "backward-arguments",
    Verdict.NON_LEAF_GRAD_READ: "nonleaf-grad",
    Verdict.LEAF_LOST: "rebinding",
    Verdict.INTEGER_GRADIENT: "who-may-require-grad",
    Verdict.FLAG_OF_RESULT: "who-may-require-grad",
    Verdict.COPY_OF_RESULT: "who-may-require-grad",
    Verdict.OPTIMIZER_NEEDS_LEAF: "who-may-require-grad",
    Verdict.PARAMETER_REPLACED: "module-init",
    Verdict.NO_DERIVATIVE: "in-place-saves",
    Verdict.NEEDS_DETACH: "leaving-the-graph",
    Verdict.CONJUGATE_PENDING: "leaving-the-graph",
    Verdict.TYPED_STORAGE: "storage",
    Verdict.NAN_IN_BACKWARD: "anomaly-mode",
    Verdict.HOOK_NEEDS_LEAF: "hook-placement",
    Verdict.HOOK_NEEDS_GRAD: "hook-placement",
    Verdict.HOOK_RESULT: "hook-writes-gradient",
    Verdict.CTX_NEEDS_TENSORS: "save-for-backward",
    Verdict.FUNCTION_GRADIENT: "save-for-backward",
    Verdict.FUNCTION_WITHOUT_BACKWARD: "save-for-backward",
    Verdict.DIRTY_NOT_RETURNED: "mark-dirty",
    Verdict.DIFFERENTIATED_TWICE: "once-differentiable",
    Verdict.LEGACY_FUNCTION: "once-differentiable",
    Verdict.TRANSFORM_FUNCTION: "once-differentiable",
    Verdict.PACK_HOOK_WROTE: "saved-tensor-hooks",
    Verdict.SAVED_HOOKS_DISABLED: "saved-tensor-hooks",
    Verdict.MUTATION_CONTEXT_LEFT: "saved-tensor-hooks",
    Verdict.MUTATION_CONTEXT_NESTED: "saved-tensor-hooks",
    Verdict.CHECKPOINT_DIFFERS: "checkpointing",
    Verdict.CHECKPOINT_REENTRANT: "checkpointing",
    Verdict.INPUT_NEEDS_GRAD: "double-backward",
    Verdict.TRANSFORM_CAPTURED: "func-transforms",
    Verdict.TRANSFORM_INSIDE: "func-transforms",
    Verdict.VMAP_INPLACE: "func-transforms",
    Verdict.VMAP_RANDOM: "func-transforms",
    Verdict.VMAP_NEEDS_VALUES: "func-transforms",
    Verdict.SPARSE_UNSUPPORTED: "sparse-gradients",
    Verdict.SPARSE_UNCOALESCED: "sparse-gradients",
}
"""The concept behind a verdict. A test runs the lesson that teaches it and sees
that one of its programs is given the verdict; a verdict of which no lesson can
have a program is not here."""

OF_RESULTS = "saved-output"
"""Where the node had saved its own result."""

OF_STEPS = "step-between"
"""Where an optimizer's `step()` came between the loss and its backward."""

OF_UNCOUNTED_STEPS = "fused-step"
"""Where such a step moved no version."""


def concept(verdict: Verdict, blame: Blame | None) -> str | None:
    """Return the concept that a person with this failure lacks."""
    if blame is not None and blame.writes and (blame.writes[0].op or "").endswith(".step"):
        if verdict is Verdict.SAVED_TENSOR_MODIFIED:
            return OF_STEPS
        if verdict is Verdict.SILENTLY_WRONG:
            return OF_UNCOUNTED_STEPS
    saver = None if blame is None else blame.saver
    if verdict is Verdict.SAVED_TENSOR_MODIFIED and saver is not None and saver.is_output:
        return OF_RESULTS
    return CONCEPTS.get(verdict)


def lesson_about(
    verdict: Verdict | None, blame: Blame | None, course: Course
) -> LoadedLesson | None:
    """Return the first lesson of a course that teaches what is behind a verdict."""
    return first_teaching(None if verdict is None else concept(verdict, blame), course)


def lesson_on(message: Message, course: Course) -> LoadedLesson | None:
    """Return the lesson for a message of which nothing else is known."""
    stale = message.verdict is Verdict.SAVED_TENSOR_MODIFIED
    wanted = OF_RESULTS if stale and message.is_of_result else CONCEPTS.get(message.verdict)
    return first_teaching(wanted, course)


def first_teaching(concept: str | None, course: Course) -> LoadedLesson | None:
    """Return the first lesson of a course that teaches a concept, if one does."""
    return next((each for each in course.lessons if concept in each.lesson.teaches), None)
