"""What kind of thing an outcome is. The only reader of torch's messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from inplace_tui.model.event import Mutation, Rebound, Warned
from inplace_tui.model.outcome import Completed, Outcome, Raised, Truth, Wrong
from inplace_tui.model.snapshot import Snapshot
from inplace_tui.model.timeline import Step, Timeline


class Verdict(StrEnum):
    """Named as in `explain --json` and in docs."""

    LEAF_MODIFIED = "leaf-modified"
    LEAF_VIEW_MODIFIED = "leaf-view-modified"
    SAVED_TENSOR_MODIFIED = "saved-tensor-modified"
    SAVED_TENSOR_DETACHED = "saved-tensor-detached"
    NO_GRAD_FN = "no-grad-fn"
    SILENTLY_WRONG = "silently-wrong"
    MULTI_VIEW_MODIFIED = "multi-output-view-modified"
    NO_GRAD_VIEW_MODIFIED = "no-grad-view-modified"
    INFERENCE_VIEW_MODIFIED = "inference-view-modified"
    CUSTOM_VIEW_MODIFIED = "custom-function-view-modified"
    VIEW_DETACHED = "view-detached-in-place"
    GRAPH_FREED = "graph-freed"
    NOT_A_SCALAR = "backward-not-a-scalar"
    INFERENCE_SAVED = "inference-tensor-saved"
    INFERENCE_MODIFIED = "inference-tensor-modified"
    DTYPE_NOT_WRITABLE = "dtype-not-writable"
    SHAPE_NOT_WRITABLE = "shape-not-writable"
    MEMORY_OVERLAPS = "memory-overlaps"
    OUT_REQUIRES_GRAD = "out-argument-requires-grad"
    TUPLE_ITEM_WRITTEN = "tuple-item-written"
    RESIZE_REFUSED = "resize-requires-grad"
    SWAP_REFUSED = "swap-tensors-held"
    INTEGER_GRADIENT = "integer-gradient"
    NO_DERIVATIVE = "no-derivative"
    NON_LEAF_GRAD_READ = "non-leaf-grad-read"
    LEAF_LOST = "leaf-lost"
    FLAG_OF_RESULT = "requires-grad-of-result"
    COPY_OF_RESULT = "deepcopy-of-result"
    NEEDS_DETACH = "needs-detach"
    NOT_IN_GRAPH = "input-not-in-graph"
    GRADIENT_MISFITS = "gradient-misfits"
    NAN_IN_BACKWARD = "nan-in-backward"
    DIFFERENTIATED_TWICE = "differentiated-twice"
    OPTIMIZER_NEEDS_LEAF = "optimizer-needs-leaf"
    INFERENCE_NEEDS_GRAD = "inference-tensor-requires-grad"
    INFERENCE_VERSION = "inference-tensor-version"
    DIRTY_NOT_RETURNED = "dirty-input-not-returned"
    CTX_NEEDS_TENSORS = "ctx-needs-tensors"
    FUNCTION_GRADIENT = "function-gradient-invalid"
    HOOK_NEEDS_LEAF = "hook-needs-leaf"
    HOOK_NEEDS_GRAD = "hook-needs-grad"
    PACK_HOOK_WROTE = "pack-hook-wrote"
    SAVED_HOOKS_DISABLED = "saved-hooks-disabled"
    MUTATION_CONTEXT_LEFT = "mutation-context-left"
    MUTATION_CONTEXT_NESTED = "mutation-context-nested"
    TRANSFORM_CAPTURED = "transform-captured-modified"
    VMAP_INPLACE = "vmap-inplace"
    VMAP_RANDOM = "vmap-random"
    SPARSE_UNSUPPORTED = "sparse-unsupported"
    SPARSE_UNCOALESCED = "sparse-uncoalesced"
    NUMPY_MISSING = "numpy-missing"
    GRADIENT_KEEPS_GRAPH = "gradient-keeps-graph"
    TYPED_STORAGE = "typed-storage"


_MESSAGES: tuple[tuple[str, Verdict], ...] = (
    (r"modified by an inplace operation: \[", Verdict.SAVED_TENSOR_MODIFIED),
    (r"saved tensor that has been detached in-place", Verdict.SAVED_TENSOR_DETACHED),
    (r"a view of a leaf Variable that requires grad is being used", Verdict.LEAF_VIEW_MODIFIED),
    (r"a leaf Variable that requires grad (is being|has been) used", Verdict.LEAF_MODIFIED),
    (r"does not require grad and does not have a grad_fn", Verdict.NO_GRAD_FN),
    (r"is the output of a function that returns multiple views", Verdict.MULTI_VIEW_MODIFIED),
    (r"view was created inside a custom Function", Verdict.CUSTOM_VIEW_MODIFIED),
    (r"was created in no_grad mode and", Verdict.NO_GRAD_VIEW_MODIFIED),
    (r"was created in inference mode and", Verdict.INFERENCE_VIEW_MODIFIED),
    (r"Can't detach views in-place", Verdict.VIEW_DETACHED),
    (r"Trying to backward through the graph a second time", Verdict.GRAPH_FREED),
    (r"grad can be implicitly created only for (real )?scalar outputs", Verdict.NOT_A_SCALAR),
    (r"Inference tensors cannot be saved for backward", Verdict.INFERENCE_SAVED),
    (r"Inplace update to inference tensor outside InferenceMode", Verdict.INFERENCE_MODIFIED),
    (
        r"Setting requires_grad=True on inference tensor outside InferenceMode",
        Verdict.INFERENCE_NEEDS_GRAD,
    ),
    (r"Inference tensors do not track version counter", Verdict.INFERENCE_VERSION),
    (
        r"functions with out=\.\.\. arguments don't support automatic differentiation",
        Verdict.OUT_REQUIRES_GRAD,
    ),
    (
        r"can't be cast to the desired output type|"
        r"Expected self\.dtype to be equal to src\.dtype|"
        r"Index put requires the source and destination dtypes match|"
        r"self \(\w+\) and source \(\w+\) must have the same scalar type|"
        r"masked_scatter: expected self and source to have same dtypes",
        Verdict.DTYPE_NOT_WRITABLE,
    ),
    (
        # What vmap gives to an op has one dimension more than what it may write.
        r"vmap: .*\(self, \*extra_args\) is not possible",
        Verdict.VMAP_INPLACE,
    ),
    (
        r"output with shape .* doesn't match the broadcast shape|"
        r"The expanded size of the tensor .* must match the existing size|"
        r"shape mismatch: value tensor of shape|"
        r"masked_fill_ only supports a 0-dimensional value tensor",
        Verdict.SHAPE_NOT_WRITABLE,
    ),
    (r"cannot resize variables that require grad", Verdict.RESIZE_REFUSED),
    (
        r"Expected use_count of t[12] to be 1|Expected no weakrefs to t[12]'s|"
        r"Cannot swap t[12] because it has weakref",
        Verdict.SWAP_REFUSED,
    ),
    (r"refers? to a single memory location", Verdict.MEMORY_OVERLAPS),
    (
        r"only Tensors of floating point (and complex )?dtype can require gradients",
        Verdict.INTEGER_GRADIENT,
    ),
    (r"the derivative for '.*' is not implemented", Verdict.NO_DERIVATIVE),
    (r"you can only change requires_grad flags of leaf variables", Verdict.FLAG_OF_RESULT),
    (r"Only Tensors created explicitly by the user", Verdict.COPY_OF_RESULT),
    (
        r"Can't call (numpy|apply_|map_|map2_)\(\) on (Tensor|Variable) that requires grad",
        Verdict.NEEDS_DETACH,
    ),
    (r"appears to not have been used in the graph", Verdict.NOT_IN_GRAPH),
    (
        r"attempting to assign a gradient (of size|with dtype)|Mismatch in shape: grad_output\[",
        Verdict.GRADIENT_MISFITS,
    ),
    (r"returned nan values in its \d+th output", Verdict.NAN_IN_BACKWARD),
    (r"marked with @once_differentiable", Verdict.DIFFERENTIATED_TWICE),
    (r"can't optimize a non-leaf Tensor", Verdict.OPTIMIZER_NEEDS_LEAF),
    (r"marked as dirty during the forward method were not returned", Verdict.DIRTY_NOT_RETURNED),
    (
        r"(save_for_backward|mark_dirty|mark_non_differentiable) can only \w+ variables",
        Verdict.CTX_NEEDS_TENSORS,
    ),
    (
        r"returned an invalid gradient at index|returned an incorrect number of gradients",
        Verdict.FUNCTION_GRADIENT,
    ),
    (r"hooks cannot be registered on non-leaf tensors", Verdict.HOOK_NEEDS_LEAF),
    (
        r"cannot register a hook on a tensor that doesn't require gradient|"
        r"can't retain_grad on Tensor that has requires_grad=False",
        Verdict.HOOK_NEEDS_GRAD,
    ),
    (r"pack hook is modifying its input in place", Verdict.PACK_HOOK_WROTE),
    (r"don't yet support saved tensor hooks", Verdict.SAVED_HOOKS_DISABLED),
    (
        r"backward outside of the 'allow_mutation_on_saved_tensors' context",
        Verdict.MUTATION_CONTEXT_LEFT,
    ),
    (r"allow_mutation_on_saved_tensors contexts cannot be nested", Verdict.MUTATION_CONTEXT_NESTED),
    (r"in-place operation \(.*\) that would mutate a captured Tensor", Verdict.TRANSFORM_CAPTURED),
    (r"vmap: called random operation while in randomness error mode", Verdict.VMAP_RANDOM),
    (r"Cannot get values on an uncoalesced tensor", Verdict.SPARSE_UNCOALESCED),
    (r"add\(sparse, dense\) is not supported", Verdict.SPARSE_UNSUPPORTED),
    (r"Numpy is not available", Verdict.NUMPY_MISSING),
)
"""Part of a message, and what it says. Where two match, the first one does."""

_NON_LEAF_GRAD = "attribute of a Tensor that is not a leaf Tensor is being accessed"

_WARNINGS: tuple[tuple[str, Verdict], ...] = (
    (_NON_LEAF_GRAD, Verdict.NON_LEAF_GRAD_READ),
    ("create_graph=True will create a reference cycle", Verdict.GRADIENT_KEEPS_GRAPH),
    ("TypedStorage is deprecated", Verdict.TYPED_STORAGE),
)
"""Part of a warning, and what it says."""

WARNED_OF = frozenset(verdict for _, verdict in _WARNINGS)
"""What a program may be told of that ran to its end."""

_NO_GRADIENT = re.compile(r"'NoneType'")

_VERSIONS = re.compile(
    r"\[(?:torch\.)?(?:cuda\.)?(?P<type>\w+)(?: \[(?P<shape>[\d, ]*)\])?\]"
    r"(?:, which is output (?P<output>\d+) of (?P<producer>[\w:]+),)?"
    r" is at version (?P<now>\d+); expected version (?P<expected>\d+) instead"
)

_DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}
"""The words of torch's old type names; a saved mask is a `CPUBoolType`."""


@dataclass(frozen=True)
class VersionError:
    """The numbers in `… is at version 1; expected version 0 instead`."""

    dtype: str
    """As `Tensor.dtype` says it, without `torch.`; the word itself if it is not known."""

    shape: tuple[int, ...]
    now: int
    expected: int
    output: int | None = None
    producer: str | None = None
    """What made the tensor, as torch shortens it: `Exp`, `torch::autograd::CopySlices`."""


def version_error(message: str) -> VersionError | None:
    """Read the numbers of a failed version check; None if it is another message."""
    found = _VERSIONS.search(message)
    if found is None:
        return None
    word = found["type"].removeprefix("CPU").removesuffix("Type").removesuffix("Tensor")
    sizes = re.findall(r"\d+", found["shape"] or "")
    return VersionError(
        dtype=_DTYPES.get(word, word),
        shape=tuple(int(size) for size in sizes),
        now=int(found["now"]),
        expected=int(found["expected"]),
        output=None if found["output"] is None else int(found["output"]),
        producer=found["producer"],
    )


def classify(message: str) -> Verdict | None:
    """Return what an exception's message says; None if there is no verdict for it."""
    for pattern, verdict in _MESSAGES:
        if re.search(pattern, message, re.IGNORECASE):
            return verdict
    return None


def classify_warning(message: str) -> Verdict | None:
    """Return what a warning says; None if there is no verdict for it."""
    return next((verdict for part, verdict in _WARNINGS if part in message), None)


def verdict(timeline: Timeline, truth: Truth) -> Verdict | None:
    """Return what kind of thing the outcome of a run is; None where nothing is to be said."""
    outcome: Outcome | None = timeline.outcome
    if isinstance(outcome, Raised):
        return _raised(timeline, outcome)
    if not isinstance(outcome, Completed):
        return None
    if isinstance(truth, Wrong):
        return Verdict.SILENTLY_WRONG
    said = {classify_warning(event.message) for event in _warnings(timeline)}
    if Verdict.NON_LEAF_GRAD_READ in said and next(lost_leaves(timeline), None) is not None:
        return Verdict.LEAF_LOST
    return next((verdict for _, verdict in _WARNINGS if verdict in said), None)


def _raised(timeline: Timeline, outcome: Raised) -> Verdict | None:
    """Python's own messages say nothing of tensors: there the timeline has to."""
    if _is_missing_gradient(outcome):
        lost = next(lost_leaves(timeline), None)
        return None if lost is None else Verdict.LEAF_LOST
    if _is_write_to_tuple(outcome):
        return Verdict.TUPLE_ITEM_WRITTEN if _wrote_last(timeline) else None
    return presumed(outcome)


def presumed(outcome: Raised) -> Verdict | None:
    """Return what an exception says by itself, without a timeline."""
    found = classify(outcome.message)
    if found is Verdict.SHAPE_NOT_WRITABLE and _is_batched(outcome):
        return Verdict.VMAP_INPLACE
    if found is None and outcome.chain:
        # `disable_saved_tensors_hooks` has the program choose the message.
        last = outcome.chain[-1]
        if (last.function, last.file.endswith(_SAVED_HOOKS_FILE)) == ("__enter__", True):
            return Verdict.SAVED_HOOKS_DISABLED
    return found


def may_have_verdict(outcome: Raised) -> bool:
    """Whether a recording of the program could tell more than Python's message does."""
    known = presumed(outcome) is not None
    return known or _is_missing_gradient(outcome) or _is_write_to_tuple(outcome)


def _is_missing_gradient(outcome: Raised) -> bool:
    """Whether it may be a `.grad` that is None: something was computed with it, or asked of it."""
    kind = outcome.exception.rpartition(".")[2]
    return kind in {"TypeError", "AttributeError"} and bool(_NO_GRADIENT.search(outcome.message))


def _is_write_to_tuple(outcome: Raised) -> bool:
    return outcome.exception.endswith("TypeError") and _NO_ITEM in outcome.message


_VMAP_FILE = "torch/_functorch/vmap.py"
_NO_ITEM = "'tuple' object does not support item assignment"
_SAVED_HOOKS_FILE = "torch/autograd/graph.py"


def _is_batched(outcome: Raised) -> bool:
    """Whether the shape that did not fit is that of a whole batch of `vmap`."""
    return any(place.file.endswith(_VMAP_FILE) for place in outcome.chain)


def _wrote_last(timeline: Timeline) -> bool:
    """Whether the line that raised had written a tensor before."""
    steps = timeline.steps
    return bool(steps) and any(isinstance(event, Mutation) for event in steps[-1].events)


def _warnings(timeline: Timeline) -> Iterator[Warned]:
    for step in timeline:
        for event in step.events:
            if isinstance(event, Warned):
                yield event


def warned_lines(timeline: Timeline, kind: Verdict) -> list[int | None]:
    """Return the lines that were warned of this, in order of time."""
    return [each.line for each in _warnings(timeline) if classify_warning(each.message) is kind]


def lost_leaves(timeline: Timeline) -> Iterator[tuple[Step, Rebound]]:
    """Yield every rebinding of a leaf's name to something computed from that very leaf.

    `w = w - lr * w.grad`: the gradients go on to the old `w`, which has no name now.
    """
    for step in timeline:
        for event in step.events:
            if not isinstance(event, Rebound):
                continue
            leaf = timeline.at(step.began - 1).tensors.get(event.before)
            if leaf is None or not leaf.requires_grad or leaf.is_leaf is not True:
                continue
            after = timeline.at(step.index)
            new = after.tensors.get(event.after)
            if new is None or not isinstance(new.grad_fn, int):
                continue
            if leaf.id in leaves_of(after, new.grad_fn):
                yield step, event


def leaves_of(snapshot: Snapshot, node: int) -> set[int]:
    """Return the leaves to which a backward that comes through `node` delivers."""
    leaves: set[int] = set()
    seen: set[int] = set()
    ahead = [node]
    while ahead:
        key = ahead.pop()
        if key in seen or key not in snapshot.nodes:
            continue
        seen.add(key)
        found = snapshot.nodes[key]
        if found.leaf is not None:
            leaves.add(found.leaf)
        ahead += [edge.node for edge in found.inputs if edge is not None]
    return leaves
