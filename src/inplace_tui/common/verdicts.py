"""The verdicts: what torch says when it refuses, and what each one is about.

To add one: a row here, its meaning in `common/texts/verdicts.py`, a lesson that provokes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, auto

from inplace_tui.blame.refusals import REFUSALS
from inplace_tui.common.enums import StrEnum
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.texts.verdicts import MEANINGS


class Subject(Enum):
    """The tensor that the message is about, where the line that raised shows which one it is."""

    NAMED = auto()
    """The one that the line names."""

    VIEW = auto()
    """A view, perhaps made unusable by a write to its base."""

    INFERENCE = auto()
    """An inference tensor; what to know is where it was made, which the message doesn't say."""


class Verdict(StrEnum):
    """Named as in `explain --json` and in docs."""

    concept: str | None
    """What somebody with this failure lacks. The first lesson that teaches it has a program with
    this verdict; None where no lesson can have one."""

    pattern: str
    """Searched in the message; where two match, the first row counts. Empty where the message
    alone doesn't tell; of a refused write as the witness has it."""

    subject: Subject | None
    is_warning: bool
    """The program ran to its end, and torch warned."""

    def __new__(
        cls,
        name: str,
        concept: str | None,
        pattern: str = "",
        subject: Subject | None = None,
        is_warning: bool = False,
    ) -> Verdict:
        self = str.__new__(cls, name)
        self._value_ = name
        self.concept = concept
        self.pattern = pattern or REFUSALS.get(name, "")
        self.subject = subject
        self.is_warning = is_warning
        return self

    # fmt: off
    SILENTLY_WRONG = ("silently-wrong", "silent-gradient")
    SAVED_TENSOR_MODIFIED = ("saved-tensor-modified", "saved-input",
        r"modified by an inplace operation: \[")
    SAVED_TENSOR_DETACHED = ("saved-tensor-detached", "removed-tensor",
        r"saved tensor that has been detached in-place")
    LEAF_VIEW_MODIFIED = ("leaf-view-modified", "leaf-view")
    LEAF_MODIFIED = ("leaf-modified", "leaf-write-refused")
    NO_GRAD_FN = ("no-grad-fn", "no-grad-fn",
        r"does not require grad and does not have a grad_fn", Subject.NAMED)
    MULTI_VIEW_MODIFIED = ("multi-output-view-modified", "split-views", "", Subject.VIEW)
    CUSTOM_VIEW_MODIFIED = ("custom-function-view-modified", "mark-dirty", "", Subject.VIEW)
    NO_GRAD_VIEW_MODIFIED = ("no-grad-view-modified", "views-across-modes", "", Subject.VIEW)
    INFERENCE_VIEW_MODIFIED = ("inference-view-modified", "inference-mode", "", Subject.VIEW)
    VIEW_DETACHED = ("view-detached-in-place", "detach-in-place")
    GRAPH_FREED = ("graph-freed", "freed-graph",
        r"Trying to backward through the graph a second time")
    NOT_A_SCALAR = ("backward-not-a-scalar", "backward-arguments",
        r"grad can be implicitly created only for (real )?scalar outputs|"
        r"Expected f\(\*args\) to return a scalar Tensor", Subject.NAMED)
    INFERENCE_SAVED = ("inference-tensor-saved", "inference-mode",
        r"Inference tensors cannot be saved for backward", Subject.INFERENCE)
    INFERENCE_MODIFIED = ("inference-tensor-modified", "inference-mode", "", Subject.INFERENCE)
    INFERENCE_NEEDS_GRAD = ("inference-tensor-requires-grad", "inference-mode",
        r"Setting requires_grad=True on inference tensor outside InferenceMode", Subject.INFERENCE)
    INFERENCE_VERSION = ("inference-tensor-version", "inference-mode",
        r"Inference tensors do not track version counter", Subject.INFERENCE)
    OUT_REQUIRES_GRAD = ("out-argument-requires-grad", "matmul-assignment")
    DTYPE_NOT_WRITABLE = ("dtype-not-writable", "in-place-misfits")
    # What vmap gives to an op has one dimension more than what it may write.
    VMAP_INPLACE = ("vmap-inplace", "vmap")
    SHAPE_NOT_WRITABLE = ("shape-not-writable", "in-place-misfits")
    TUPLE_ITEM_WRITTEN = ("tuple-item-written", "in-place-misfits")
    RESIZE_REFUSED = ("resize-requires-grad", "projected-update")
    SWAP_REFUSED = ("swap-tensors-held", "removed-tensor",
        r"Expected use_count of t[12] to be 1|Expected no weakrefs to t[12]'s|"
        r"Cannot swap t[12] because it has weakref")
    MEMORY_OVERLAPS = ("memory-overlaps", "overlapping-memory")
    INTEGER_GRADIENT = ("integer-gradient", "who-may-require-grad",
        r"only Tensors of floating point (and complex )?dtype can require gradients|"
        r"data set to a tensor that requires gradients must be floating point", Subject.NAMED)
    NO_DERIVATIVE = ("no-derivative", "in-place-saves",
        r"derivative for ('.*'|[\w:]+) is not implemented|"
        r"Trying to use forward AD with \w+ that does not support it")
    FLAG_OF_RESULT = ("requires-grad-of-result", "who-may-require-grad",
        r"you can only change requires_grad flags of leaf variables", Subject.NAMED)
    COPY_OF_RESULT = ("deepcopy-of-result", "who-may-require-grad",
        r"Only Tensors created explicitly by the user")
    NEEDS_DETACH = ("needs-detach", "leaving-the-graph",
        r"Can't call (numpy|apply_|map_|map2_)\(\) on (Tensor|Variable) that requires grad|"
        r"refusing to serialize non-leaf tensor which requires_grad", Subject.NAMED)
    NOT_IN_GRAPH = ("input-not-in-graph", "backward-arguments",
        r"appears to not have been used in the graph")
    GRADIENT_MISFITS = ("gradient-misfits", "backward-arguments",
        r"attempting to assign a gradient (of size|with dtype)|"
        r"Mismatch in (shape|dtype): grad_output\[|"
        r"assigned grad expected to be a Tensor|can't assign Variable as its own grad")
    NAN_IN_BACKWARD = ("nan-in-backward", "anomaly-mode",
        r"returned nan values in its \d+th output")
    DIFFERENTIATED_TWICE = ("differentiated-twice", "once-differentiable",
        r"marked with @once_differentiable")
    OPTIMIZER_NEEDS_LEAF = ("optimizer-needs-leaf", "who-may-require-grad",
        r"can't optimize a non-leaf Tensor")
    DIRTY_NOT_RETURNED = ("dirty-input-not-returned", "mark-dirty",
        r"marked as dirty during the forward method were not returned")
    CTX_NEEDS_TENSORS = ("ctx-needs-tensors", "save-for-backward",
        r"(save_for_backward|mark_dirty|mark_non_differentiable) can only \w+ variables")
    FUNCTION_GRADIENT = ("function-gradient-invalid", "save-for-backward",
        r"returned an invalid gradient at index|returned an incorrect number of gradients")
    HOOK_NEEDS_LEAF = ("hook-needs-leaf", "hook-placement",
        r"hooks cannot be registered on non-leaf tensors", Subject.NAMED)
    HOOK_NEEDS_GRAD = ("hook-needs-grad", "hook-placement",
        r"cannot register a hook on a tensor that doesn't require gradient|"
        r"can't retain_grad on Tensor that has requires_grad=False", Subject.NAMED)
    PACK_HOOK_WROTE = ("pack-hook-wrote", "saved-tensor-hooks",
        r"pack hook is modifying its input in place")
    SAVED_HOOKS_DISABLED = ("saved-hooks-disabled", "saved-tensor-hooks",
        r"don't yet support saved tensor hooks")
    MUTATION_CONTEXT_LEFT = ("mutation-context-left", "allowed-mutation",
        r"backward outside of the 'allow_mutation_on_saved_tensors' context")
    MUTATION_CONTEXT_NESTED = ("mutation-context-nested", "allowed-mutation",
        r"allow_mutation_on_saved_tensors contexts cannot be nested")
    TRANSFORM_CAPTURED = ("transform-captured-modified", "func-transforms")
    VMAP_RANDOM = ("vmap-random", "vmap",
        r"vmap: called random operation while in randomness error mode")
    SPARSE_UNCOALESCED = ("sparse-uncoalesced", "sparse-gradients",
        r"Cannot get values on an uncoalesced tensor")
    SPARSE_UNSUPPORTED = ("sparse-unsupported", "sparse-gradients",
        r"add\(sparse, dense\) is not supported|does not support sparse gradients")
    NUMPY_MISSING = ("numpy-missing", None, r"Numpy is not available")
    ZERO_TENSOR = ("zero-tensor-modified", "overlapping-memory")
    CONJUGATE_PENDING = ("conjugate-pending", "numpy-alias",
        r"Can't call numpy\(\) on Tensor that has (conjugate|negative) bit set|"
        r"view_as_real doesn't work on unresolved conjugated tensors", Subject.NAMED)
    FUNCTION_WITHOUT_BACKWARD = ("function-without-backward", "save-for-backward",
        r"must implement (either the backward or vjp method|the jvp function)")
    LEGACY_FUNCTION = ("legacy-function", "once-differentiable",
        r"Legacy autograd function with non-static forward method")
    INPUT_NEEDS_GRAD = ("input-needs-grad", "double-backward",
        r"One of the differentiated Tensors does not require grad")
    HOOK_RESULT = ("hook-result-invalid", "hook-writes-gradient",
        r"hook '.*' has changed the \w+ of value|expected Variable, but hook returned|"
        r"post accumulate grad hooks should return None|"
        r"Output of saved tensor unpack_hook expected to be a Tensor")
    PARAMETER_REPLACED = ("parameter-replaced", "module-init",
        r"cannot assign '.*' (as|object to) parameter|Cannot assign non-leaf Tensor to parameter")
    CHECKPOINT_DIFFERS = ("checkpoint-differs", "checkpointing",
        r"A different number of tensors was saved during the original forward and recomputation|"
        r"Recomputed values for the following tensors have different metadata")
    CHECKPOINT_REENTRANT = ("checkpoint-reentrant", "checkpointing",
        r"use_reentrant=True, torch\.utils\.checkpoint is incompatible with")
    TRANSFORM_FUNCTION = ("transform-needs-setup-context", "once-differentiable",
        r"must override the setup_context staticmethod")
    TRANSFORM_INSIDE = ("transform-autograd-inside", "func-transforms",
        r"backward\(\) called inside a functorch transform|"
        r"requires_grad_\(\) .*inside of a function being transformed")
    VMAP_NEEDS_VALUES = ("vmap-needs-values", "vmap",
        r"vmap: It looks like you're (calling \.item\(\)|attempting to use a Tensor in some data-)|"
        r"vmap: We do not support batching operators that can output dynamic shape")
    LEAF_LOST = ("leaf-lost", "rebinding")
    NON_LEAF_GRAD_READ = ("non-leaf-grad-read", "nonleaf-grad",
        r"attribute of a Tensor that is not a leaf Tensor is being accessed", None, True)
    GRADIENT_KEEPS_GRAPH = ("gradient-keeps-graph", "backward-arguments",
        r"create_graph=True will create a reference cycle", None, True)
    TYPED_STORAGE = ("typed-storage", "storage", r"TypedStorage is deprecated", None, True)
    # fmt: on

    @property
    def meaning(self) -> LocalText:
        return MEANINGS[self.value]

    @property
    def is_refused_write(self) -> bool:
        """Whether torch refused the write itself, so that the line that raised is at fault."""
        return self.value in REFUSALS

    @property
    def is_about_inference(self) -> bool:
        return self.subject is Subject.INFERENCE


WARNINGS = tuple(verdict for verdict in Verdict if verdict.is_warning)
_ERRORS = tuple(verdict for verdict in Verdict if verdict.pattern and not verdict.is_warning)


def verdict_of_message(message: str) -> Verdict | None:
    return _first_match(_ERRORS, message)


def verdict_of_warning(message: str) -> Verdict | None:
    return _first_match(WARNINGS, message)


def _first_match(verdicts: Iterable[Verdict], message: str) -> Verdict | None:
    found = (each for each in verdicts if re.search(each.pattern, message, re.IGNORECASE))
    return next(found, None)
