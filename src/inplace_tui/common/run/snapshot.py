"""What is there after a line has run: tensors, storages, nodes and what they saved.

Ids are ordinals (T3, S1, N7), never addresses: memory is reused as soon as
something dies, and an address would make two different tensors look like one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from inplace_tui.common.enums import StrEnum

WHOLE_BYTES = 32_768
"""Storages up to this size are recorded whole (4,096 elements of 8 bytes)."""

MAX_NAME = 10_000
"""Characters of a name: a dictionary's key may be a whole page."""

Name = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]
"""What something is called; longer, it is refused where it is decoded."""

SAMPLE_ELEMENTS = 32
"""How many elements each end of a sampled tensor sends."""

MAX_POSITIONS = 65_536
"""Views that touch more positions than this are compared by their bounds only."""


class Unreadable(msgspec.Struct, frozen=True, tag="unreadable"):
    """Torch refused to answer, or reading would have changed the program."""

    reason: str


NOT_ASKED = Unreadable("view of a written base: to ask for its grad_fn might make it anew")
"""Where it is not known whether torch has done so by itself."""


class Elements(msgspec.Struct, frozen=True, tag="elements", gc=False):
    """A tensor's own elements, row-major, where its storage is not recorded whole."""

    head: bytes
    tail: bytes = b""
    """Empty when `head` is everything; otherwise the last elements, and those
    between are not recorded."""

    whole: bool = True


class Storage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One block of memory, which one tensor or many may look at."""

    id: int
    nbytes: int
    """0 after `untyped_storage().resize_(0)`: its tensors must not be read."""

    data: bytes | None = None
    """Everything in it, or None above `WHOLE_BYTES` or off the CPU."""


class Tensor(msgspec.Struct, frozen=True, gc=False):
    """One tensor, as it was after a line. Never changed: a new one is sent."""

    id: int
    names: tuple[Name, ...]
    """Every expression that reaches it, shortest first: `y`, `layers[0].weight`,
    `x.grad`. A name of a calling frame is written `function:name`."""

    shape: tuple[int, ...]
    dtype: Name
    """Without the `torch.` in front."""

    stride: tuple[int, ...] = ()
    """In elements, like `Tensor.stride()`; () where the layout has none."""

    offset: int = 0
    """`storage_offset()`, in elements."""

    device: Name = "cpu"
    layout: Name = "strided"
    requires_grad: bool = False
    is_leaf: bool | Unreadable = True
    version: int | Unreadable | None = 0
    """The version counter; None for an inference tensor, which has none."""

    data_ptr: int | None = None
    """As `data_ptr()`; shown on demand, never an identity."""

    storage: int | None = None
    """Id of its `Storage`; None where the layout has none (sparse, meta)."""

    base: int | None = None
    """Id of the tensor that this is a view of (`_base`: always the root)."""

    is_view: bool = False
    grad: int | None = None
    """Id of the tensor in `.grad`."""

    grad_fn: int | Unreadable | None = None
    """Id of its `Node`."""

    retains_grad: bool = False
    is_inference: bool = False
    is_parameter: bool = False
    is_subclass: bool = False
    """Its class may do anything of its own with it."""

    values: Elements | Unreadable | None = None
    """None: read them from `storage` with `shape`, `stride` and `offset`."""

    @property
    def takes_gradient(self) -> bool:
        """Whether a backward adds to its `.grad`: a leaf that requires grad."""
        return self.requires_grad and self.is_leaf is True


class SlotState(StrEnum):
    """What the version check would say of one saved tensor now."""

    FRESH = "fresh"
    STALE = "stale"
    FREED = "freed"
    HOOKED = "hooked"
    """Packed by a saved-tensor hook: torch makes no version check."""


class ViewOrigin(StrEnum):
    """Where a view comes from that torch refuses to use once its base was written.

    It refuses only if the base requires grad, and then before it looks at versions.
    """

    MULTI_OUTPUT = "multi-output"
    NO_GRAD = "no-grad"
    INFERENCE = "inference"
    CUSTOM = "custom"
    """A Function written in Python returned it."""

    GRADLESS = "gradless"
    """One of these, of a base that did not require grad when it was saved."""


class Saved(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One tensor that one node saved for backward."""

    node: int
    slot: Name
    """As torch calls it, without the prefix: `self`, `result`, `tensors[0]`."""

    tensor: int | None = None
    """The tensor with that memory and version counter, if it has a name."""

    storage: int | None = None
    shape: tuple[int, ...] = ()
    dtype: Name = ""
    version: int | None = None
    """The version it had when it was saved."""

    now: int | None = None
    """The version it has now."""

    is_output: bool = False
    """True where the node saved its own result, not an input."""

    state: SlotState = SlotState.FRESH
    origin: ViewOrigin | None = None
    """Set where it is such a view."""

    detached: bool = False
    """It was detached in place since; torch says that before it looks at versions."""


class Edge(msgspec.Struct, frozen=True, gc=False):
    """Where a node sends a gradient: to output `slot` of the op that made `node`."""

    node: int
    slot: int = 0


class Node(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One node of the backward graph. What it saved is in `Snapshot.saved`."""

    id: int
    name: Name
    """The class name that `grad_fn` prints: `ExpBackward0`."""

    line: int | None = None
    """The line that made it; None for AccumulateGrad, which belongs to a leaf."""

    step: int | None = None
    """Index of the step that made it."""

    inputs: tuple[Edge | None, ...] = ()
    """`next_functions`; None is an input that needs no gradient."""

    leaf: int | None = None
    """The tensor whose `.grad` an AccumulateGrad fills."""

    order: int = 0
    """Its sequence number: of the nodes that are ready, backward runs the one with
    the greatest. 0 for AccumulateGrad, which runs as soon as it is ready."""

    opaque: bool = False
    """It hides what it saved (CopySlices): reading cannot tell, a replay can."""

    @property
    def is_compiled(self) -> bool:
        """Whether a compiled region made it: the names of its slots are the compiler's."""
        return is_compiled(self.name)

    @property
    def fills_grad(self) -> bool:
        """Whether it stands for a leaf, and runs as soon as it is ready."""
        return self.leaf is not None or self.name == "AccumulateGrad"

    @property
    def priority(self) -> tuple[bool, int]:
        """Of the nodes that are ready, backward runs the one for which this is least.

        The first node of a process has the sequence number 0, too, so that does not tell a leaf's.
        """
        return not self.fills_grad, -self.order


def is_compiled(node: str) -> bool:
    return node.startswith("CompiledFunction")


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that could be seen after one line."""

    tensors: dict[int, Tensor]
    storages: dict[int, Storage]
    nodes: dict[int, Node]
    """Every node seen so far that a living tensor may still reach."""

    saved: dict[tuple[int, str], Saved]

    @property
    def by_name(self) -> dict[str, Tensor]:
        return {name: tensor for tensor in self.tensors.values() for name in tensor.names}

    def held_in(self, name: str) -> Iterator[Tensor]:
        """Yield what is reached by way of a name: the parameters of a module, for one."""
        ways = f"{name}.", f"{name}["
        for tensor in self.tensors.values():
            if any(each.startswith(ways) for each in tensor.names):
                yield tensor

    def named(self, name: str) -> Tensor | None:
        return next((each for each in self.tensors.values() if name in each.names), None)

    def storage_of(self, tensor: Tensor) -> Storage | None:
        return None if tensor.storage is None else self.storages.get(tensor.storage)

    def without_saved(self) -> Snapshot:
        return msgspec.structs.replace(self, saved={})


EMPTY = Snapshot(tensors={}, storages={}, nodes={}, saved={})


def letter(rank: int) -> str:
    """Return the letter of storage number `rank`, in order of creation.

    >>> [letter(rank) for rank in (0, 25, 26, 27, 702)]
    ['A', 'Z', 'AA', 'AB', 'AAA']
    """
    letters = ""
    rank += 1
    while rank:
        rank, place = divmod(rank - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters


def sharing(snapshot: Snapshot) -> Mapping[int, tuple[Tensor, ...]]:
    """Return, for each storage, the tensors that look at it, oldest first."""
    found: dict[int, tuple[Tensor, ...]] = {}
    for tensor in snapshot.tensors.values():
        if tensor.storage is not None:
            found[tensor.storage] = (*found.get(tensor.storage, ()), tensor)
    return found


def holders(snapshot: Snapshot, storage: int) -> tuple[Saved, ...]:
    on_it = (saved for saved in snapshot.saved.values() if saved.storage == storage)
    return tuple(saved for saved in on_it if saved.state is not SlotState.FREED)


def reach(shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> frozenset[int]:
    """Return the storage positions a view touches.

    Two tensors overlap exactly when they share a storage and their reaches
    intersect, so this is what decides whether writing one changes the other.

    Args:
        shape: extent of each dimension; () is a scalar, any 0 is an empty view.
        stride: step of each dimension, in *elements* (torch's unit, not bytes);
            0 means the dimension was expanded. Same length as `shape`.
        offset: first position, in elements from the start of the storage.

    Returns:
        At most `prod(shape)` positions; fewer when a stride is 0.

    Raises:
        ValueError: `shape` and `stride` differ in length.

    >>> reach((3,), (0,), 5)
    frozenset({5})
    """
    axes = list(zip(shape, stride, strict=True))
    if 0 in shape:
        return frozenset()
    positions = {offset}
    for size, step in axes:
        if step:
            positions = {at + step * place for at in positions for place in range(size)}
    return frozenset(positions)


def overlap(one: Tensor, other: Tensor) -> bool | None:
    """Return whether writing one tensor changes elements of the other.

    None where that would take too long to find out, or where they have different dtypes.
    """
    if one.storage is None or one.storage != other.storage or 0 in (*one.shape, *other.shape):
        return False
    if one.dtype != other.dtype:
        return None  # a view of another dtype counts its positions in other units
    (first, last), (first_other, last_other) = bounds(one), bounds(other)
    if last < first_other or last_other < first:
        return False
    if first == first_other or last == last_other:
        return True
    if _positions(one) > MAX_POSITIONS or _positions(other) > MAX_POSITIONS:
        return None
    mine = reach(one.shape, one.stride, one.offset)
    return not mine.isdisjoint(reach(other.shape, other.stride, other.offset))


def bounds(tensor: Tensor) -> tuple[int, int]:
    """Return the first and the last storage position of a tensor that has elements."""
    extent = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride, strict=True))
    return tensor.offset, tensor.offset + extent


def _positions(tensor: Tensor) -> int:
    axes = zip(tensor.shape, tensor.stride, strict=True)
    return math.prod(size for size, step in axes if step)
