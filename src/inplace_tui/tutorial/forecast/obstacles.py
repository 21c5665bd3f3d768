"""What in a graph may keep a backward from returning the right gradients.

A node without an obstacle computes its formula with the values that it saved.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.run.histories import latest
from inplace_tui.common.run.snapshot import (
    Node,
    Saved,
    SlotState,
    Snapshot,
    Tensor,
    Unreadable,
    ViewOrigin,
)
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict

WATCHED = 256
"""How many saved storages without a name are compared after every line: the latest ones."""

_GENERATED = re.compile(r"\w+Backward\d+")
"""Nodes of torch's own, which unpack all that they saved before they compute."""
_OF_VIEWS = {
    ViewOrigin.MULTI_OUTPUT: Verdict.MULTI_VIEW_MODIFIED,
    ViewOrigin.NO_GRAD: Verdict.NO_GRAD_VIEW_MODIFIED,
    ViewOrigin.INFERENCE: Verdict.INFERENCE_VIEW_MODIFIED,
    ViewOrigin.CUSTOM: Verdict.CUSTOM_VIEW_MODIFIED,
}


class UnknownReason(StrEnum):
    """Why the graph does not show the forecast: a key of `common/texts/forecast.py`."""

    PROGRAM = "program"
    """Hooks, modes, or a backward that runs already."""

    VIEW = "view"
    """Its `grad_fn` is outdated, and reading it would make another."""

    TENSOR = "tensor"
    """An unusual dtype, layout, device or class."""

    HIDDEN = "hidden"
    """CopySlices does not show what it saved."""

    CUSTOM = "custom"
    """A Function written in Python."""

    DEEP = "deep"
    """More nodes than are gone through."""

    RARE = "rare"
    """A node that may raise by itself."""

    UNRECORDED = "unrecorded"
    """A write or a reshape that the graph does not record, or a part of the graph not recorded."""

    HOOKED = "hooked"
    """Packed by a hook: unpacking runs code."""

    LARGE = "large"
    """The saved storage is too large to be recorded."""

    CHANGED = "changed"
    """The saved memory has other values now, at the same version."""

    UNSEEN = "unseen"
    """The line that saved it may have written it, before it could be read."""

    GRADIENT = "gradient"
    """A `.grad` on the way is unusual, or was saved itself: backward will write it."""

    NO_VIEW = "no-view"
    """It takes a replay, which could change the user's files here."""

    NOT_REPEATED = "not-repeated"
    """A replay ran differently."""

    NOT_COMPARED = "not-compared"
    """It runs; the replays could not determine whether the gradient is right."""

    EARLIER_WRONG = "earlier-wrong"
    """An earlier backward was wrong, so the replays have different tensors by now."""


@dataclass(frozen=True)
class CertainError:
    """Backward raises when it comes to this node."""

    node: int
    slot: Saved
    verdict: Verdict


@dataclass(frozen=True)
class Uncertain:
    """What backward does at this node can't be known from the graph."""

    node: int
    why: UnknownReason
    slot: str | None = None


Obstacle: TypeAlias = CertainError | Uncertain


def obstacles(timeline: Timeline, index: int) -> list[Obstacle]:
    """Return all obstacles of the graph after step `index`, in the order of the engine.

    Those at the leaves come first: an AccumulateGrad runs as soon as it can.
    """
    return _Search(timeline, index).run()


class _Search:
    def __init__(self, timeline: Timeline, index: int) -> None:
        self._steps = timeline.steps
        self._index = index
        self._histories = timeline.histories
        self._snapshot: Snapshot = timeline.at(index)
        self._slots: dict[int, list[Saved]] = {}
        for slot in self._snapshot.saved.values():
            self._slots.setdefault(slot.node, []).append(slot)
        self._unwatched = self._find_unwatched()

    def run(self) -> list[Obstacle]:
        found: list[Obstacle] = []
        nodes = self._snapshot.nodes.values()
        for node in sorted(nodes, key=lambda n: n.priority):
            if node.fills_grad:
                if self._may_reject_grad(node):
                    found.append(Uncertain(node.id, UnknownReason.GRADIENT))
            else:
                found += self._of_node(node)
        return found

    def _of_node(self, node: Node) -> Iterator[Obstacle]:
        """Yield the obstacles of one node: certain errors before uncertainties."""
        if node.opaque:
            yield Uncertain(node.id, UnknownReason.HIDDEN)
        elif _GENERATED.fullmatch(node.name) or node.name in HARMLESS:
            slots = self._slots.get(node.id, ())
            for slot in sorted(slots, key=lambda s: (s.is_output, s.slot)):
                yield from self._of_slot(node, slot)
            if node.name not in HARMLESS:
                yield Uncertain(node.id, UnknownReason.RARE)
        else:
            yield Uncertain(node.id, UnknownReason.CUSTOM)
        known = self._snapshot.nodes
        lacking = self._histories.unrecorded.get(node.id, self._index + 1) <= self._index
        if lacking or any(e and e.node not in known for e in node.inputs):
            yield Uncertain(node.id, UnknownReason.UNRECORDED)

    def _of_slot(self, node: Node, slot: Saved) -> Iterator[Obstacle]:
        match slot.state:
            case SlotState.STALE if slot.origin is ViewOrigin.GRADLESS and self._got_graph(slot):
                yield Uncertain(node.id, UnknownReason.VIEW, slot.slot)
            case SlotState.STALE:
                yield CertainError(node.id, slot, _stale_verdict(slot))
            case SlotState.FREED:
                yield CertainError(node.id, slot, Verdict.GRAPH_FREED)
            case SlotState.HOOKED:
                yield Uncertain(node.id, UnknownReason.HOOKED, slot.slot)
            case SlotState.FRESH:
                why = self._doubt(node, slot)
                if why is not None:
                    yield Uncertain(node.id, why, slot.slot)

    def _doubt(self, node: Node, slot: Saved) -> UnknownReason | None:
        """Return why a fresh slot may have other values than it saved; None if it has the same."""
        storage, index, histories = slot.storage, self._index, self._histories
        contents = histories.contents.get(-1 if storage is None else storage, ())
        now = latest(contents, index)
        if storage is None or slot.version is None or now is None:
            return UnknownReason.LARGE
        if histories.grads.get(storage, index + 1) <= index:
            return UnknownReason.GRADIENT
        if any(step <= index for step in histories.replaced.get(storage, [])[:1]):
            return UnknownReason.CHANGED
        saved = None if node.step is None else latest(contents, node.step)
        if node.step is None or saved is None or storage in self._unwatched:
            return UnknownReason.UNSEEN
        if saved != now:
            return UnknownReason.CHANGED
        return None if self._was_watched(storage, node.step) else UnknownReason.UNSEEN

    def _got_graph(self, slot: Saved) -> bool:
        """Whether a tensor on its storage ever required grad, so that the base may by now."""
        return self._histories.requires_grad.get(slot.storage, self._index + 1) <= self._index

    def _was_watched(self, storage: int, step: int) -> bool:
        """Whether the bytes of a storage after a line are those that its nodes saved."""
        began = self._steps[step].began
        uncounted = self._histories.uncounted.get(storage, [])
        if bisect_left(uncounted, began) < bisect_right(uncounted, step):
            return False
        if not any(each.hides for each in self._steps[began : step + 1]):
            return True
        contents = self._histories.contents[storage]
        return latest(contents, began - 1) == latest(contents, step)

    def _find_unwatched(self) -> frozenset[int]:
        """Return the saved storages that may have been written unobserved."""
        named = {tensor.storage for tensor in self._snapshot.tensors.values()}
        held = {
            slot.storage
            for slot in self._snapshot.saved.values()
            if slot.storage is not None and slot.state is not SlotState.FREED
        }
        unnamed = held - named
        return frozenset(unnamed) if len(unnamed) > WATCHED else frozenset()

    def _may_reject_grad(self, node: Node) -> bool:
        """Whether accumulating into the `.grad` of a leaf may fail, or go wrong."""
        if node.leaf is None:
            return True
        if self._histories.reshaped.get(node.leaf, self._index + 1) <= self._index:
            return True
        leaf = self._snapshot.tensors.get(node.leaf)
        if leaf is None:
            return False
        if leaf.grad_fn is not None or leaf.is_subclass or leaf.layout != "strided":
            return True
        if leaf.grad is None:
            return False
        grad = self._snapshot.tensors.get(leaf.grad)
        return grad is None or not _takes_gradients(grad, leaf)


def _stale_verdict(slot: Saved) -> Verdict:
    """Return the verdict of the error that torch raises: that of a view comes first."""
    if slot.origin in _OF_VIEWS:
        return _OF_VIEWS[slot.origin]
    moved = slot.now != slot.version and not slot.detached
    return Verdict.SAVED_TENSOR_MODIFIED if moved else Verdict.SAVED_TENSOR_DETACHED


def _takes_gradients(grad: Tensor, leaf: Tensor) -> bool:
    """Whether a gradient for `leaf` can be added to `grad` in place."""
    alike = (grad.shape, grad.dtype, grad.layout, grad.device) == (
        (leaf.shape, leaf.dtype, leaf.layout, leaf.device)
    )
    if not alike or grad.is_inference or grad.is_subclass or isinstance(grad.values, Unreadable):
        return False
    reach = 1
    for size, step in sorted(zip(grad.shape, grad.stride, strict=True), key=lambda axis: axis[1]):
        if size > 1:
            if step < reach:
                return False  # several elements share one place
            reach = step * (size - 1) + 1
    return True


_BACKWARDS = """
    Abs:0 Acos:0 Acosh:0 AdaptiveAvgPool2D:0 AdaptiveAvgPool3D:0 AdaptiveMaxPool2D:0
    AdaptiveMaxPool3D:0 Add:01 Addbmm:0 Addcdiv:0 Addcmul:0 Addmm:0 Addmv:0 Addr:0 Alias:0
    Amax:0 Amin:0 Aminmax:0 Angle:0 AsStrided:01 AsStridedScatter:0 Asin:0 Asinh:0 Atan:0
    Atan2:0 Atanh:0 AvgPool2D:0 AvgPool3D:0 Baddbmm:0 BatchNormWithUpdate:0 BinaryCrossEntropy:0
    BinaryCrossEntropyWithLogits:0 Bmm:0 Cat:0 Ceil:0 Celu:01 ChannelShuffle:0 Clamp:01
    ClampMax:1 ClampMin:01 Clone:0 Conj:0 ConjPhysical:01 ConstantPadNd:0 Convolution:0
    Copysign:01 Cos:0 Cosh:0 Cummax:0 Cummin:0 Cumprod:0 Cumsum:0 Deg2Rad:0 DiagEmbed:0
    Diagonal:0 DiagonalScatter:0 Digamma:0 Dist:0 Div:012 Dot:0 Elu:01 Embedding:0 Eq:1 Erf:0
    Erfc:0 Erfinv:0 Exp:0 Exp2:0 Expand:0 Expm1:0 Fill:0123 Flip:0 Floor:0 Fmax:0 Fmin:0 Fmod:1
    Gather:0 Ge:1 Gelu:0 Glu:0 Gt:1 Hardshrink:0 Hardsigmoid:0 Hardswish:0 Hardtanh:0
    HuberLoss:0 Hypot:0 Im2Col:0 Index:0 IndexAdd:0 IndexCopy:0 IndexFill:01 IndexPut:0
    IndexSelect:0 Kthvalue:0 Le:1 LeakyRelu:01 Lerp:01 Lgamma:0 LinalgCross:0 LinalgVectorNorm:0
    Log:0 Log10:0 Log1P:0 Log2:0 LogSigmoid:0 LogSoftmax:0 Logaddexp:0 Logaddexp2:0
    Logcumsumexp:0 Logit:0 Logsumexp:0 Lt:1 MaskedFill:01 MaskedScatter:0 MaskedSelect:0 Max:01
    MaxPool2DWithIndices:0 MaxPool3DWithIndices:0 Maximum:0 Mean:01 Median:01 Min:01 Minimum:0
    Mish:0 Mm:0 Mode:0 MseLoss:0 Mul:01 Mv:0 NanToNum:0 Nanmedian:01 Nansum:0 NarrowCopy:0
    NativeBatchNorm:0 NativeBatchNormLegit:01 NativeDropout:0 NativeGroupNorm:0
    NativeLayerNorm:0 Ne:1 Neg:0 NllLoss:0 NllLoss2D:0 Permute:0 PixelShuffle:0 PixelUnshuffle:0
    Pow:01 PreluKernel:0 Prod:01 Put:0 Rad2Deg:0 Reciprocal:0 ReflectionPad1D:0
    ReflectionPad2D:0 ReflectionPad3D:0 Relu:0 Remainder:1 Repeat:0 ReplicationPad1D:0
    ReplicationPad2D:0 ReplicationPad3D:0 ReshapeAlias:0 Roll:0 Round:01 RreluWithNoise:01
    Rsqrt:0 Rsub:01 Scatter:01 ScatterAdd:0 Select:0 SelectScatter:0 Sgn:0 Sigmoid:0 Sign:0
    Silu:0 Sin:0 Sinc:0 Sinh:0 Slice:0 SliceScatter:0 SmoothL1Loss:0 SoftMarginLoss:0 Softmax:0
    Softplus:0 Softshrink:0 Sort:01 SpecialEntr:0 SpecialErfcx:0 SpecialLogNdtr:0 SpecialNdtri:0
    SpecialXlog1Py:0 Split:0 SplitWithSizes:0 Sqrt:0 Squeeze:012345 Stack:0 Std:0 StdMean:0
    Sub:01 Sum:01 T:01 Take:0 Tan:0 Tanh:0 Threshold:01 ToCopy:0 Topk:0 Trace:0 Transpose:01
    Tril:0 Triu:0 Trunc:0 Unbind:0 UnsafeSplit:0 UnsafeView:0 Unsqueeze:01 UpsampleBicubic2D:0
    UpsampleBilinear2D:0 UpsampleLinear1D:0 UpsampleNearest1D:0 UpsampleNearest2D:0
    UpsampleNearest3D:0 UpsampleNearestExact1D:0 UpsampleNearestExact2D:0
    UpsampleNearestExact3D:0 Var:0 VarMean:0 View:0 Where:0 Xlogy:0 Zero:0
"""
"""`Add:01` stands for AddBackward0 and AddBackward1. The digit counts: `acosh_` has no
derivative, and its node is called AcoshBackward1."""

HARMLESS = frozenset(
    {
        "AccumulateGrad",
        "CopyBackwards",
        *(
            f"{name}Backward{digit}"
            for name, _, digits in (entry.partition(":") for entry in _BACKWARDS.split())
            for digit in digits
        ),
    }
)
"""Nodes whose own computation never fails, once the forward did not.

What can go wrong with them is what they saved; so a graph of nothing else can be
judged by its saved tensors. Every other node may refuse (an SVD with equal singular
values, a derivative that is not implemented, a Function of the program's own), and
only running it tells.
"""
