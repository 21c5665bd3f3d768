"""What the recorder asks of torch through Python alone, where its memory is not to be read.

Dearer than to read, and poorer: each thing that then is not known has its reason at the method
that would say it. Bytes of a storage are still read where they are, at an address and in a
number that Python names, while the storage lives: no other way to them runs no operation.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from operator import attrgetter, methodcaller
from typing import Any, ClassVar
from weakref import ref

import torch

from inplace_tui.diagnosis.record.readings import Look, Readings, Slot
from inplace_tui.diagnosis.record.state.safe_reads import detached, is_opaque, without_modes

_call: Callable[[Callable[[], Any]], Any] = methodcaller("__call__")
_set_versions: Callable[..., None] = torch._C._autograd._unsafe_set_version_counter
_version_of: Callable[[torch.Tensor], int] = attrgetter("_version")
_alive = torch.UntypedStorage._new_with_weak_ptr
_creation: Callable[[torch.Tensor], object] = torch._C._autograd._get_creation_meta
_MADE_PLAINLY = torch._C._autograd.CreationMeta.DEFAULT
_NOBODYS = 0x5A17_1337
"""A version that no tensor has."""

_EXPECTED = re.compile(r"is at version \d+; expected version (\d+) instead")

_RESULT = re.compile(r"result\d*")


class _Counter:
    """A version counter, by a tensor of ours that shares it and has no memory."""

    __slots__ = ("alias", "root", "storage")

    def __init__(self, tensor: torch.Tensor, storage: int) -> None:
        self.alias = _alias(tensor)
        self.root = _root(tensor)
        self.storage = storage


def _versions(cells: Any) -> list[int]:
    with torch._C.DisableTorchFunction():
        return list(map(_version_of, cells))


def _version(cell: torch.Tensor) -> int:
    with torch._C.DisableTorchFunction():
        return _version_of(cell)


def _memory(weak: int) -> tuple[int, int]:
    """Return where the memory of a storage is, and how much; nothing once it was freed."""
    storage = _alive(weak)
    if storage is None:
        return 0, 0
    try:
        return storage.data_ptr(), storage.nbytes()
    except RuntimeError:  # it has none
        return 0, storage.nbytes()


def _memories(heads: Any) -> list[tuple[int, int]]:
    return list(map(_memory, heads))


class AskedReadings(Readings):
    """Asks through Python."""

    versions: ClassVar[Look] = Look(_versions, _version, list)
    memories: ClassVar[Look] = Look(_memories, _memory, list)
    knows_age: ClassVar[bool] = False

    def __init__(self) -> None:
        self._counters: dict[int, list[_Counter]] = {}
        """By the address of a storage."""

        self._fresh: dict[int, tuple[torch._C._WeakTensorRef, int]] = {}
        """By the address of a view, the version at which its `grad_fn` was made."""

        self._most_fresh = 256
        self._outputs: dict[tuple[type, str], bool] = {}
        """By type of node and slot, whether a result is saved there."""

    def reference(self, tensor: torch.Tensor) -> Callable[[], torch.Tensor | None]:
        return ref(tensor)

    # Counters.

    def counter_of(self, tensor: torch.Tensor) -> _Counter | None:
        with torch._C.DisableTorchFunction():
            if tensor.is_inference():
                return None
            storage, version = _storage_of(tensor), tensor._version
            known = self._counters.setdefault(storage, [])
            alike = [each for each in known if each.alias._version == version]
            found = _sharing(tensor, version, alike) if alike else None
            if found is None:
                found = _Counter(tensor, storage)
                known.append(found)
            return found

    def cell(self, counter: _Counter) -> torch.Tensor:
        return counter.alias

    def version_in(self, seen: int) -> int:
        return seen

    def moved(self, counter: _Counter, tensor: torch.Tensor) -> None:
        self.release(counter)
        counter.storage = _storage_of(tensor)
        self._counters.setdefault(counter.storage, []).append(counter)

    def release(self, counter: _Counter) -> None:
        known = self._counters[counter.storage]
        known.remove(counter)
        if not known:
            del self._counters[counter.storage]

    # Storages.

    def head(self, _storage: torch.UntypedStorage, weak: int) -> int:
        return weak

    def memory_in(self, seen: tuple[int, int]) -> tuple[int, int]:
        return seen

    # Views.

    def outdated(self, view: torch.Tensor) -> bool:
        """Whether it is not known that a view's `grad_fn` was made at the version that it has."""
        if not view.requires_grad or view._version == 0:
            return False
        if _creation(view) != _MADE_PLAINLY:  # then torch refuses, and makes no node
            with suppress(RuntimeError):
                _ = view.grad_fn
                return False
            return True
        hold, version = self._fresh.get(view._cdata, (None, 0))
        return hold is None or hold.expired() or version != view._version

    def note_fresh(self, view: torch.Tensor) -> None:
        if view.requires_grad and not view.is_inference() and view._version:
            self._fresh[view._cdata] = torch._C._WeakTensorRef(view), view._version
            if len(self._fresh) > self._most_fresh:
                living = {k: each for k, each in self._fresh.items() if not each[0].expired()}
                self._fresh, self._most_fresh = living, 2 * len(living) + 256

    def let_go(self, tensor: torch.Tensor) -> None:
        self._fresh.pop(tensor._cdata, None)

    # What nodes saved.

    def holder(self, raw: Any) -> tuple[int, bool]:
        if raw.unpack_hook is not None:
            return 0, True
        data = raw.data
        return (0 if data is None else data._cdata), False

    def slot(self, raw: Any, fn: torch.autograd.graph.Node, name: str) -> Slot:
        impl, hooked = self.holder(raw)
        is_result = _RESULT.fullmatch(name) is not None  # so torch calls what is not an input
        if not impl or is_opaque(raw.data):
            empty = not impl and not hooked and _refusal(raw.unpack) is None
            return Slot(impl, None, empty, False, False, is_result, int(hooked))
        data = raw.data
        is_asked = not data._is_view() or not self.outdated(data)
        output = is_asked and self._is_output(raw, fn, name)
        leaf = not output and (not data.requires_grad or (is_asked and data.is_leaf))
        version: int | None = data._version
        if version:
            version = self._saved_version(raw, fn, name, output) if is_asked else None
        return Slot(impl, version, False, not output, leaf, output or is_result, 0)

    def _is_output(self, raw: Any, fn: torch.autograd.graph.Node, name: str) -> bool:
        """Whether torch says of a slot, which it is not told the node of, that it has none."""
        kind = type(fn), name
        if kind in self._outputs:
            return self._outputs[kind]
        refusal = _refusal(raw.unpack)
        if refusal is not None and _EXPECTED.search(refusal):
            return False
        if refusal is not None and not _is_custom(fn):
            with suppress(RuntimeError):  # it is stale
                if _value(fn, name).grad_fn is not fn:
                    return False  # it was detached since
        if not _is_custom(fn):
            self._outputs[kind] = refusal is not None
        return refusal is not None

    def _saved_version(
        self, raw: Any, fn: torch.autograd.graph.Node, name: str, output: bool
    ) -> int | None:
        """Return the version that torch's own check expects.

        It says nothing of a result of a custom Function, nor what the answer would make a node
        for: a view that has to get a `grad_fn`.
        """
        refusal = _refusal(partial(_value, fn, name) if output else raw.unpack)
        if refusal is None:
            return raw.data._version  # type: ignore[no-any-return]
        expected = _EXPECTED.search(refusal)
        return None if expected is None or (output and _is_custom(fn)) else int(expected[1])


def _sharing(tensor: torch.Tensor, version: int, alike: list[_Counter]) -> _Counter | None:
    """Return the counter that moves with the one of this tensor, which is at the same version.

    Nothing says that, so it is moved, and moved back: in one call from C, between whose parts
    neither a signal handler of the program's nor another thread of Python's comes. Code of
    C++ in another thread might meet it: with threads, only views are known to share.
    """
    if threading.active_count() > 1:
        root = _root(tensor)
        return next((each for each in alike if each.root == root), None)
    steps: tuple[Callable[[], Any], ...] = (
        partial(_set_versions, (tensor,), (_NOBODYS,)),
        partial(list, map(_version_of, [each.alias for each in alike])),
        partial(_set_versions, (tensor,), (version,)),
    )
    try:
        _, seen, _ = map(_call, steps)
    except BaseException:  # there was no memory for that
        _set_versions((tensor,), (version,))
        raise
    return next((each for each, now in zip(alike, seen, strict=True) if now == _NOBODYS), None)


def _alias(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor with the same counter, and no memory."""
    with without_modes():
        alias = _plain(detached(tensor))
        # Of another layout than a plain one it keeps the memory, as long as that has a name.
        with suppress(RuntimeError):
            alias.data = _nothing(alias.device)
    return alias


@lru_cache
def _nothing(device: torch.device) -> torch.Tensor:
    with torch.inference_mode(False):
        return _plain(torch.empty(0, device=device))


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """Return what a transform that is at work has wrapped."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor


def _root(tensor: torch.Tensor) -> int:
    base = tensor._base
    address: int = (tensor if base is None else base)._cdata
    return address


def _storage_of(tensor: torch.Tensor) -> int:
    try:
        address: int = tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return 0
    return address


def _refusal(read: Callable[[], object]) -> str | None:
    """Return in which words torch refuses to unpack something; None if it does not."""
    try:
        read()
    except RuntimeError as refusal:
        return str(refusal)
    return None


def _is_custom(fn: torch.autograd.graph.Node) -> bool:
    return issubclass(type(fn), torch._C._FunctionBase)


def _value(fn: torch.autograd.graph.Node, name: str) -> torch.Tensor:
    """Unpack a slot for its node."""
    slot, _, index = name.partition("[")
    if _is_custom(fn):
        found = torch._C._FunctionBase.saved_tensors.__get__(fn)
    else:
        found = getattr(fn, f"_saved_{slot}")
    value: torch.Tensor = found[int(index[:-1])] if index else found
    return value
