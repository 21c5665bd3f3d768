"""What torch's messages say: the verdicts, and the words by which each is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


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
    ZERO_TENSOR = "zero-tensor-modified"
    CONJUGATE_PENDING = "conjugate-pending"
    FUNCTION_WITHOUT_BACKWARD = "function-without-backward"
    LEGACY_FUNCTION = "legacy-function"
    INPUT_NEEDS_GRAD = "input-needs-grad"
    HOOK_RESULT = "hook-result-invalid"
    PARAMETER_REPLACED = "parameter-replaced"
    CHECKPOINT_DIFFERS = "checkpoint-differs"
    CHECKPOINT_REENTRANT = "checkpoint-reentrant"
    TRANSFORM_FUNCTION = "transform-needs-setup-context"
    TRANSFORM_INSIDE = "transform-autograd-inside"
    VMAP_NEEDS_VALUES = "vmap-needs-values"
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
    (
        r"grad can be implicitly created only for (real )?scalar outputs|"
        r"Expected f\(\*args\) to return a scalar Tensor",
        Verdict.NOT_A_SCALAR,
    ),
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
        r"masked_scatter: expected self and source to have same dtypes|"
        r"value cannot be converted to type .* without overflow",
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
        r"only Tensors of floating point (and complex )?dtype can require gradients|"
        r"data set to a tensor that requires gradients must be floating point",
        Verdict.INTEGER_GRADIENT,
    ),
    (
        r"derivative for ('.*'|[\w:]+) is not implemented|"
        r"Trying to use forward AD with \w+ that does not support it",
        Verdict.NO_DERIVATIVE,
    ),
    (r"you can only change requires_grad flags of leaf variables", Verdict.FLAG_OF_RESULT),
    (r"Only Tensors created explicitly by the user", Verdict.COPY_OF_RESULT),
    (
        r"Can't call (numpy|apply_|map_|map2_)\(\) on (Tensor|Variable) that requires grad|"
        r"refusing to serialize non-leaf tensor which requires_grad",
        Verdict.NEEDS_DETACH,
    ),
    (r"appears to not have been used in the graph", Verdict.NOT_IN_GRAPH),
    (
        r"attempting to assign a gradient (of size|with dtype)|"
        r"Mismatch in (shape|dtype): grad_output\[|"
        r"assigned grad expected to be a Tensor|can't assign Variable as its own grad",
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
    (
        r"add\(sparse, dense\) is not supported|does not support sparse gradients",
        Verdict.SPARSE_UNSUPPORTED,
    ),
    (r"Numpy is not available", Verdict.NUMPY_MISSING),
    (r"ZeroTensors are immutable", Verdict.ZERO_TENSOR),
    (
        r"Can't call numpy\(\) on Tensor that has (conjugate|negative) bit set|"
        r"view_as_real doesn't work on unresolved conjugated tensors",
        Verdict.CONJUGATE_PENDING,
    ),
    (
        r"must implement (either the backward or vjp method|the jvp function)",
        Verdict.FUNCTION_WITHOUT_BACKWARD,
    ),
    (r"Legacy autograd function with non-static forward method", Verdict.LEGACY_FUNCTION),
    (r"One of the differentiated Tensors does not require grad", Verdict.INPUT_NEEDS_GRAD),
    (
        r"hook '.*' has changed the \w+ of value|expected Variable, but hook returned|"
        r"post accumulate grad hooks should return None|"
        r"Output of saved tensor unpack_hook expected to be a Tensor",
        Verdict.HOOK_RESULT,
    ),
    (
        r"cannot assign '.*' (as|object to) parameter|Cannot assign non-leaf Tensor to parameter",
        Verdict.PARAMETER_REPLACED,
    ),
    (
        r"A different number of tensors was saved during the original forward and recomputation|"
        r"Recomputed values for the following tensors have different metadata",
        Verdict.CHECKPOINT_DIFFERS,
    ),
    (
        r"use_reentrant=True, torch\.utils\.checkpoint is incompatible with",
        Verdict.CHECKPOINT_REENTRANT,
    ),
    (r"must override the setup_context staticmethod", Verdict.TRANSFORM_FUNCTION),
    (
        r"backward\(\) called inside a functorch transform|"
        r"requires_grad_\(\) .*inside of a function being transformed",
        Verdict.TRANSFORM_INSIDE,
    ),
    (
        r"vmap: It looks like you're (calling \.item\(\)|attempting to use a Tensor in some data-)|"
        r"vmap: We do not support batching operators that can output dynamic shape",
        Verdict.VMAP_NEEDS_VALUES,
    ),
)
"""Part of a message, and what it says. Where two match, the first one does."""

_NON_LEAF_GRAD = "attribute of a Tensor that is not a leaf Tensor is being accessed"

WARNINGS: tuple[tuple[str, Verdict], ...] = (
    (_NON_LEAF_GRAD, Verdict.NON_LEAF_GRAD_READ),
    ("create_graph=True will create a reference cycle", Verdict.GRADIENT_KEEPS_GRAPH),
    ("TypedStorage is deprecated", Verdict.TYPED_STORAGE),
)
"""Part of a warning, and what it says."""

WARNED_OF = frozenset(verdict for _, verdict in WARNINGS)
"""What a program may be told of that ran to its end."""

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
    return next((verdict for part, verdict in WARNINGS if part in message), None)
