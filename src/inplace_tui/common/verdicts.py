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


class Group(Enum):
    """What happened, as far as all verdicts of a group have it in common."""

    WRONG = auto()
    """Nothing was raised, and a gradient is wrong."""

    WRITE = auto()
    """Torch refused the write itself, so the line that raised is the line at fault."""

    WARNING = auto()
    """The program ran to its end, and torch warned."""

    OTHER = auto()
    """Torch refused something else."""


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

    group: Group
    concept: str | None
    """What somebody with this failure lacks. The first lesson that teaches it has a program with
    this verdict; None where no lesson can have one."""

    pattern: str
    """Searched in the message; where two match, the first row counts. Empty where the message
    alone doesn't tell; of a refused write as the witness has it."""

    subject: Subject | None

    def __new__(
        cls,
        name: str,
        group: Group,
        concept: str | None,
        pattern: str = "",
        subject: Subject | None = None,
    ) -> Verdict:
        self = str.__new__(cls, name)
        self._value_ = name
        self.group = group
        self.concept = concept
        self.pattern = pattern or REFUSALS.get(name, "")
        self.subject = subject
        return self

    # fmt: off
    SILENTLY_WRONG = ("silently-wrong", Group.WRONG, "silent-gradient")
    SAVED_TENSOR_MODIFIED = ("saved-tensor-modified", Group.OTHER, "saved-input",
        r"modified by an inplace operation: \[")
    SAVED_TENSOR_DETACHED = ("saved-tensor-detached", Group.OTHER, "removed-tensor",
        r"saved tensor that has been detached in-place")
    LEAF_VIEW_MODIFIED = ("leaf-view-modified", Group.WRITE, "leaf-view")
    LEAF_MODIFIED = ("leaf-modified", Group.WRITE, "leaf-write-refused")
    NO_GRAD_FN = ("no-grad-fn", Group.OTHER, "no-grad-fn",
        r"does not require grad and does not have a grad_fn", Subject.NAMED)
    MULTI_VIEW_MODIFIED = ("multi-output-view-modified", Group.WRITE, "split-views",
        "", Subject.VIEW)
    CUSTOM_VIEW_MODIFIED = ("custom-function-view-modified", Group.WRITE, "mark-dirty",
        "", Subject.VIEW)
    NO_GRAD_VIEW_MODIFIED = ("no-grad-view-modified", Group.WRITE, "views-across-modes",
        "", Subject.VIEW)
    INFERENCE_VIEW_MODIFIED = ("inference-view-modified", Group.WRITE, "inference-mode",
        "", Subject.VIEW)
    VIEW_DETACHED = ("view-detached-in-place", Group.WRITE, "detach-in-place")
    GRAPH_FREED = ("graph-freed", Group.OTHER, "freed-graph",
        r"Trying to backward through the graph a second time")
    NOT_A_SCALAR = ("backward-not-a-scalar", Group.OTHER, "backward-arguments",
        r"grad can be implicitly created only for (real )?scalar outputs|"
        r"Expected f\(\*args\) to return a scalar Tensor", Subject.NAMED)
    INFERENCE_SAVED = ("inference-tensor-saved", Group.OTHER, "inference-mode",
        r"Inference tensors cannot be saved for backward", Subject.INFERENCE)
    INFERENCE_MODIFIED = ("inference-tensor-modified", Group.WRITE, "inference-mode",
        "", Subject.INFERENCE)
    INFERENCE_NEEDS_GRAD = ("inference-tensor-requires-grad", Group.OTHER, "inference-mode",
        r"Setting requires_grad=True on inference tensor outside InferenceMode", Subject.INFERENCE)
    INFERENCE_VERSION = ("inference-tensor-version", Group.OTHER, "inference-mode",
        r"Inference tensors do not track version counter", Subject.INFERENCE)
    OUT_REQUIRES_GRAD = ("out-argument-requires-grad", Group.WRITE, "matmul-assignment")
    DTYPE_NOT_WRITABLE = ("dtype-not-writable", Group.WRITE, "in-place-misfits")
    # What vmap gives to an op has one dimension more than what it may write.
    VMAP_INPLACE = ("vmap-inplace", Group.WRITE, "vmap")
    SHAPE_NOT_WRITABLE = ("shape-not-writable", Group.WRITE, "in-place-misfits")
    TUPLE_ITEM_WRITTEN = ("tuple-item-written", Group.OTHER, "in-place-misfits")
    RESIZE_REFUSED = ("resize-requires-grad", Group.WRITE, "projected-update")
    SWAP_REFUSED = ("swap-tensors-held", Group.OTHER, "removed-tensor",
        r"Expected use_count of t[12] to be 1|Expected no weakrefs to t[12]'s|"
        r"Cannot swap t[12] because it has weakref")
    MEMORY_OVERLAPS = ("memory-overlaps", Group.WRITE, "overlapping-memory")
    INTEGER_GRADIENT = ("integer-gradient", Group.OTHER, "who-may-require-grad",
        r"only Tensors of floating point (and complex )?dtype can require gradients|"
        r"data set to a tensor that requires gradients must be floating point", Subject.NAMED)
    NO_DERIVATIVE = ("no-derivative", Group.OTHER, "in-place-saves",
        r"derivative for ('.*'|[\w:]+) is not implemented|"
        r"Trying to use forward AD with \w+ that does not support it")
    FLAG_OF_RESULT = ("requires-grad-of-result", Group.OTHER, "who-may-require-grad",
        r"you can only change requires_grad flags of leaf variables", Subject.NAMED)
    COPY_OF_RESULT = ("deepcopy-of-result", Group.OTHER, "who-may-require-grad",
        r"Only Tensors created explicitly by the user")
    NEEDS_DETACH = ("needs-detach", Group.OTHER, "leaving-the-graph",
        r"Can't call (numpy|apply_|map_|map2_)\(\) on (Tensor|Variable) that requires grad|"
        r"refusing to serialize non-leaf tensor which requires_grad", Subject.NAMED)
    NOT_IN_GRAPH = ("input-not-in-graph", Group.OTHER, "backward-arguments",
        r"appears to not have been used in the graph")
    GRADIENT_MISFITS = ("gradient-misfits", Group.OTHER, "backward-arguments",
        r"attempting to assign a gradient (of size|with dtype)|"
        r"Mismatch in (shape|dtype): grad_output\[|"
        r"assigned grad expected to be a Tensor|can't assign Variable as its own grad")
    NAN_IN_BACKWARD = ("nan-in-backward", Group.OTHER, "anomaly-mode",
        r"returned nan values in its \d+th output")
    DIFFERENTIATED_TWICE = ("differentiated-twice", Group.OTHER, "once-differentiable",
        r"marked with @once_differentiable")
    OPTIMIZER_NEEDS_LEAF = ("optimizer-needs-leaf", Group.OTHER, "who-may-require-grad",
        r"can't optimize a non-leaf Tensor")
    DIRTY_NOT_RETURNED = ("dirty-input-not-returned", Group.OTHER, "mark-dirty",
        r"marked as dirty during the forward method were not returned")
    CTX_NEEDS_TENSORS = ("ctx-needs-tensors", Group.OTHER, "save-for-backward",
        r"(save_for_backward|mark_dirty|mark_non_differentiable) can only \w+ variables")
    FUNCTION_GRADIENT = ("function-gradient-invalid", Group.OTHER, "save-for-backward",
        r"returned an invalid gradient at index|returned an incorrect number of gradients")
    HOOK_NEEDS_LEAF = ("hook-needs-leaf", Group.OTHER, "hook-placement",
        r"hooks cannot be registered on non-leaf tensors", Subject.NAMED)
    HOOK_NEEDS_GRAD = ("hook-needs-grad", Group.OTHER, "hook-placement",
        r"cannot register a hook on a tensor that doesn't require gradient|"
        r"can't retain_grad on Tensor that has requires_grad=False", Subject.NAMED)
    PACK_HOOK_WROTE = ("pack-hook-wrote", Group.OTHER, "saved-tensor-hooks",
        r"pack hook is modifying its input in place")
    SAVED_HOOKS_DISABLED = ("saved-hooks-disabled", Group.OTHER, "saved-tensor-hooks",
        r"don't yet support saved tensor hooks")
    MUTATION_CONTEXT_LEFT = ("mutation-context-left", Group.OTHER, "allowed-mutation",
        r"backward outside of the 'allow_mutation_on_saved_tensors' context")
    MUTATION_CONTEXT_NESTED = ("mutation-context-nested", Group.OTHER, "allowed-mutation",
        r"allow_mutation_on_saved_tensors contexts cannot be nested")
    TRANSFORM_CAPTURED = ("transform-captured-modified", Group.WRITE, "func-transforms")
    VMAP_RANDOM = ("vmap-random", Group.OTHER, "vmap",
        r"vmap: called random operation while in randomness error mode")
    SPARSE_UNCOALESCED = ("sparse-uncoalesced", Group.OTHER, "sparse-gradients",
        r"Cannot get values on an uncoalesced tensor")
    SPARSE_UNSUPPORTED = ("sparse-unsupported", Group.OTHER, "sparse-gradients",
        r"add\(sparse, dense\) is not supported|does not support sparse gradients")
    NUMPY_MISSING = ("numpy-missing", Group.OTHER, None,
        r"Numpy is not available")
    ZERO_TENSOR = ("zero-tensor-modified", Group.WRITE, "overlapping-memory")
    CONJUGATE_PENDING = ("conjugate-pending", Group.OTHER, "numpy-alias",
        r"Can't call numpy\(\) on Tensor that has (conjugate|negative) bit set|"
        r"view_as_real doesn't work on unresolved conjugated tensors", Subject.NAMED)
    FUNCTION_WITHOUT_BACKWARD = ("function-without-backward", Group.OTHER, "save-for-backward",
        r"must implement (either the backward or vjp method|the jvp function)")
    LEGACY_FUNCTION = ("legacy-function", Group.OTHER, "once-differentiable",
        r"Legacy autograd function with non-static forward method")
    INPUT_NEEDS_GRAD = ("input-needs-grad", Group.OTHER, "double-backward",
        r"One of the differentiated Tensors does not require grad")
    HOOK_RESULT = ("hook-result-invalid", Group.OTHER, "hook-writes-gradient",
        r"hook '.*' has changed the \w+ of value|expected Variable, but hook returned|"
        r"post accumulate grad hooks should return None|"
        r"Output of saved tensor unpack_hook expected to be a Tensor")
    PARAMETER_REPLACED = ("parameter-replaced", Group.OTHER, "module-init",
        r"cannot assign '.*' (as|object to) parameter|Cannot assign non-leaf Tensor to parameter")
    CHECKPOINT_DIFFERS = ("checkpoint-differs", Group.OTHER, "checkpointing",
        r"A different number of tensors was saved during the original forward and recomputation|"
        r"Recomputed values for the following tensors have different metadata")
    CHECKPOINT_REENTRANT = ("checkpoint-reentrant", Group.OTHER, "checkpointing",
        r"use_reentrant=True, torch\.utils\.checkpoint is incompatible with")
    TRANSFORM_FUNCTION = ("transform-needs-setup-context", Group.OTHER, "once-differentiable",
        r"must override the setup_context staticmethod")
    TRANSFORM_INSIDE = ("transform-autograd-inside", Group.OTHER, "func-transforms",
        r"backward\(\) called inside a functorch transform|"
        r"requires_grad_\(\) .*inside of a function being transformed")
    VMAP_NEEDS_VALUES = ("vmap-needs-values", Group.OTHER, "vmap",
        r"vmap: It looks like you're (calling \.item\(\)|attempting to use a Tensor in some data-)|"
        r"vmap: We do not support batching operators that can output dynamic shape")
    LEAF_LOST = ("leaf-lost", Group.OTHER, "rebinding")
    NON_LEAF_GRAD_READ = ("non-leaf-grad-read", Group.WARNING, "nonleaf-grad",
        r"attribute of a Tensor that is not a leaf Tensor is being accessed")
    GRADIENT_KEEPS_GRAPH = ("gradient-keeps-graph", Group.WARNING, "backward-arguments",
        r"create_graph=True will create a reference cycle")
    TYPED_STORAGE = ("typed-storage", Group.WARNING, "storage",
        r"TypedStorage is deprecated")
    # fmt: on

    @property
    def meaning(self) -> LocalText:
        return MEANINGS[self.value]

    @property
    def is_refused_write(self) -> bool:
        return self.group is Group.WRITE

    @property
    def is_about_inference(self) -> bool:
        return self.subject is Subject.INFERENCE

    @property
    def is_warning(self) -> bool:
        return self.group is Group.WARNING


WARNINGS = tuple(verdict for verdict in Verdict if verdict.is_warning)
_ERRORS = tuple(verdict for verdict in Verdict if verdict.pattern and not verdict.is_warning)


def verdict_of_message(message: str) -> Verdict | None:
    return _first_match(_ERRORS, message)


def verdict_of_warning(message: str) -> Verdict | None:
    return _first_match(WARNINGS, message)


def _first_match(verdicts: Iterable[Verdict], message: str) -> Verdict | None:
    found = (each for each in verdicts if re.search(each.pattern, message, re.IGNORECASE))
    return next(found, None)
