"""What the recorder asks of torch without being noticed, and who answers.

`torch_memory.Layout` reads torch's own objects where they lie; `torch_asked.AskedReadings` asks
through Python alone, and says of some things that they are not known. Which of them it is,
`choosing.choose` decides when a worker starts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from typing import Any, ClassVar, NamedTuple

import msgspec
import torch


class Look(NamedTuple):
    """How one looks at places: at all of them at once, and at one."""

    all: Callable[[Iterable[Any]], object]
    one: Callable[[Any], Any]
    seen: Callable[[Iterable[Any]], object]
    """What `all` would have found in places where this was seen."""


class Slot(msgspec.Struct, frozen=True, gc=False):
    """What one `SavedVariable` says of itself."""

    impl: int
    """Address of the `TensorImpl` that it holds."""

    version: int | None
    """The version when it was saved; None where that is not known."""

    empty: bool
    """Nothing was ever saved in it."""

    original: bool
    """It holds the tensor itself, not another one on the same memory."""

    leaf: bool
    """It was a leaf when it was saved."""

    output: bool
    """It is a result of its own node."""

    hooked: int
    """Address of what packed it; 0 if no hook did."""


class Readings(ABC):
    """What is read of tensors, counters, storages and saved tensors.

    Nothing here may run in the program's modes, leave a version moved, make a node, call a hook
    or keep a tensor or a storage alive.
    """

    versions: ClassVar[Look]
    """How to look at the cells of counters."""

    memories: ClassVar[Look]
    """How to look at the heads of storages."""

    knows_age: ClassVar[bool]
    """Whether it is always known if the `grad_fn` of a view is outdated."""

    @abstractmethod
    def reference(self, tensor: torch.Tensor) -> Callable[[], torch.Tensor | None]:
        """Return what gives this object again, for as long as the program has it."""

    @abstractmethod
    def counter_of(self, tensor: torch.Tensor) -> Hashable | None:
        """Return the version counter, equal for tensors that share it; None if it has none.

        It is that counter's while one of its tensors lives or is held by a `_WeakTensorRef`.
        """

    @abstractmethod
    def cell(self, counter: Any) -> object:
        """Return where the number of a counter stands."""

    @abstractmethod
    def version_in(self, seen: Any) -> int:
        """Return the version that a look at a cell has seen."""

    @abstractmethod
    def moved(self, counter: Any, tensor: torch.Tensor) -> None:
        """Note that a tensor with this counter has another storage now."""

    @abstractmethod
    def release(self, counter: Any) -> None:
        """Forget a counter."""

    @abstractmethod
    def head(self, storage: torch.UntypedStorage, weak: int) -> object:
        """Return where it stands which memory a storage has: it moves when that does.

        It can be looked at while the storage lives or has the weak reference.
        """

    @abstractmethod
    def memory_in(self, seen: Any) -> tuple[int, int]:
        """Return where the memory of a storage is, and how many bytes, as a look has seen it."""

    @abstractmethod
    def outdated(self, view: torch.Tensor) -> bool:
        """Whether torch would make a new `grad_fn` for this view when asked, or may."""

    @abstractmethod
    def note_fresh(self, view: torch.Tensor) -> None:
        """Note that the `grad_fn` of a view was made at the version that it has."""

    @abstractmethod
    def let_go(self, tensor: torch.Tensor) -> None:
        """Hold a tensor no more, not even weakly."""

    @abstractmethod
    def holder(self, raw: object) -> tuple[int, bool]:
        """Return the address of what a `SavedTensor` holds, and whether a hook packed that."""

    @abstractmethod
    def slot(self, raw: object, fn: torch.autograd.graph.Node, name: str) -> Slot:
        """Return all that a `SavedTensor` says, which is the `_raw_saved_*` of a node."""


_used: Readings | None = None


def use(chosen: Readings) -> None:
    """Have this process, and those that are forked from it, read in this way."""
    global _used  # noqa: PLW0603  # a process has one
    _used = chosen


def readings() -> Readings:
    assert _used is not None, "none were chosen"
    return _used
