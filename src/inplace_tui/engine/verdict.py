"""What kind of thing an outcome is. The only reader of torch's messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from inplace_tui.model.event import Rebound, Warned
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
    INTEGER_GRADIENT = "integer-gradient"
    NO_DERIVATIVE = "no-derivative"
    NON_LEAF_GRAD_READ = "non-leaf-grad-read"
    LEAF_LOST = "leaf-lost"
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
    (r"grad can be implicitly created only for scalar outputs", Verdict.NOT_A_SCALAR),
    (r"Inference tensors cannot be saved for backward", Verdict.INFERENCE_SAVED),
    (r"Inplace update to inference tensor outside InferenceMode", Verdict.INFERENCE_MODIFIED),
    (r"can't be cast to the desired output type", Verdict.DTYPE_NOT_WRITABLE),
    (
        r"output with shape .* doesn't match the broadcast shape|"
        r"The expanded size of the tensor .* must match the existing size|"
        r"shape mismatch: value tensor of shape",
        Verdict.SHAPE_NOT_WRITABLE,
    ),
    (r"refers? to a single memory location", Verdict.MEMORY_OVERLAPS),
    (
        r"only Tensors of floating point (and complex )?dtype can require gradients",
        Verdict.INTEGER_GRADIENT,
    ),
    (r"the derivative for '.*' is not implemented", Verdict.NO_DERIVATIVE),
)
"""Part of a message, and what it says. Where two match, the first one does."""

_NON_LEAF_GRAD = "attribute of a Tensor that is not a leaf Tensor is being accessed"

_WARNINGS: tuple[tuple[str, Verdict], ...] = (
    (_NON_LEAF_GRAD, Verdict.NON_LEAF_GRAD_READ),
    ("create_graph=True will create a reference cycle", Verdict.GRADIENT_KEEPS_GRAPH),
    ("TypedStorage is deprecated", Verdict.TYPED_STORAGE),
)
"""Part of a warning, and what it says."""

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
        if outcome.exception.endswith("TypeError") and _NO_GRADIENT.search(outcome.message):
            lost = next(lost_leaves(timeline), None)
            return None if lost is None else Verdict.LEAF_LOST
        return classify(outcome.message)
    if not isinstance(outcome, Completed):
        return None
    if isinstance(truth, Wrong):
        return Verdict.SILENTLY_WRONG
    said = {classify_warning(event.message) for event in _warnings(timeline)}
    if Verdict.NON_LEAF_GRAD_READ in said and next(lost_leaves(timeline), None) is not None:
        return Verdict.LEAF_LOST
    return next((verdict for _, verdict in _WARNINGS if verdict in said), None)


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
