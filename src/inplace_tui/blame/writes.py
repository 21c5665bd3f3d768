"""Every in-place write as it happens: which storage, at which version, by which call.

An in-place method is noticed when it is looked up (`x.add_`, `x += 1`, `x[0] = 1`): a
descriptor on `torch.Tensor` logs the write and returns torch's own method. So no frame
of ours is on the stack while torch works, an error comes from where it always did, and
`torch.Tensor.add_` is the object that it was. Functions (`torch.relu_`, `torch._foreach_add_`)
have no such place and are wrapped.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
import weakref
from sys import _getframe
from typing import Any, Callable, NamedTuple

from inplace_tui.blame import frames, libraries
from inplace_tui.blame.program import hide_frame

OPERATORS = (
    "__setitem__",
    *(f"__i{each}__" for each in ("add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow")),
    *(f"__i{each}__" for each in ("and", "or", "xor", "lshift", "rshift")),
)

NOT_IN_PLACE = frozenset({"requires_grad_", "share_memory_", "rename_", "_coalesced_"})

MAX_WRITES = 128
"""Writes kept of a storage: beyond that, every other one of the older half is dropped."""


class Write(NamedTuple):
    """One write that was about to happen."""

    version: int
    op: str
    captured: frames.Capture
    at: int | None
    """The instruction in the innermost function, if an earlier write there shares its stack."""
    uncounted: bool
    """Whether it went through `.data`, whose versions are a counter of their own."""


ITEMS = len(Write._fields)


class WriteLog(list):  # type: ignore[type-arg]
    """The writes to one storage: of each, `ITEMS` items in a row.

    No object for each of them: the garbage collector would start more often, and look through
    all that is alive.
    """

    __slots__ = ("dropped", "storage")

    def __init__(self, storage: Any) -> None:
        self.storage = storage
        self.dropped = 0

    def thin_out(self) -> None:
        half = MAX_WRITES // 2 * ITEMS
        kept = self[: half // 2]
        for item in range(ITEMS):
            kept[item::ITEMS] = self[ITEMS + item : half : 2 * ITEMS]
        self[:half] = kept
        self.dropped += MAX_WRITES // 4

    def uncount(self, version: int) -> None:
        """Mark the writes from this version on as uncounted: torch reset the version to it."""
        for start in range(0, len(self), ITEMS):
            if self[start] >= version:
                self[start + ITEMS - 1] = True

    def total(self) -> int:
        """Return how many writes there were, whether they were kept or not."""
        return self.dropped + len(self) // ITEMS

    def since(self, first: int) -> list[Write]:
        """Return the writes from the one of this number on, as far as they were kept."""
        starts = range(max(0, first - self.dropped) * ITEMS, len(self), ITEMS)
        return [Write(*self[start : start + ITEMS]) for start in starts]

    def counted(self, since: int, until: int) -> list[Write]:
        """Return the writes that moved the version from `since` to `until`, in their order.

        A method that was looked up and never called moved no version: of several writes at one
        version, only the last did.
        """
        counted = (each for each in self.since(0) if not each.uncounted)
        found = {each.version: each for each in counted if since <= each.version < until}
        return [found[version] for version in sorted(found)]


class Writes:
    """The logs of all storages that are alive."""

    def __init__(self) -> None:
        import torch
        from torch.multiprocessing.reductions import StorageWeakRef

        self._torch = torch
        self._weakly = StorageWeakRef
        self._has_untyped = hasattr(torch.Tensor, "untyped_storage")  # from 2.0
        self._plain = frozenset({torch.Tensor, torch.nn.Parameter} if self._has_untyped else ())
        self._capture = frames.capturer()
        self._logs: dict[int, WriteLog] = {}
        self._limit = 1024
        self._from_data: dict[int, weakref.ref[Any]] = {}
        self._under_mode = getattr(torch._C, "_is_torch_function_mode_enabled", lambda: False)
        self._undo: list[Callable[[], None]] = []
        self.latest: frames.Capture = None
        """The stack of the latest write: if one is refused, it is this one."""
        self.latest_at: int | None = None
        self.latest_op = ""

    def note(
        self, tensor: Any, op: str, captured: frames.Capture = None, uncounted: bool = False
    ) -> None:
        """Note a write that is about to happen. Never raises: it is called in the program.

        One function that leaves almost no object alive: most of the witness's cost is here.
        """
        try:
            at = None
            if captured is None:
                frame = _getframe(2)  # that looked the method up
                captured = frame.f_trace
                if type(captured) is frames.SharedStack:
                    at = frame.f_lasti
                else:
                    captured, at = frames.shared(frame, self._capture)
            self.latest = captured
            self.latest_at = at
            self.latest_op = op
            if type(tensor) in self._plain and not self._under_mode():
                if self._from_data and self._is_from_data(tensor):
                    uncounted = True
                storage = tensor.untyped_storage()
                log = self._logs.get(storage._cdata)
                if log is None:
                    log = self._new_log(storage)
                log += (tensor._version, op, captured, at, uncounted)
                if len(log) >= MAX_WRITES * ITEMS:
                    log.thin_out()
            else:  # neither a subclass nor a mode of the program may see these reads
                with self._torch._C.DisableTorchFunction():
                    self._add(tensor, op, captured, at, uncounted)
        except Exception:  # an inference tensor has no version, a sparse one no storage
            return

    def note_all(self, written: Any, op: str) -> None:
        """Note a write to a tensor, or to each of a list."""
        captured = self._capture()
        for each in written if isinstance(written, (list, tuple)) else (written,):
            if isinstance(each, self._torch.Tensor):
                self.note(each, op, captured)

    def _add(
        self, tensor: Any, op: str, captured: frames.Capture, at: int | None, uncounted: bool
    ) -> None:
        if self._from_data and self._is_from_data(tensor):
            uncounted = True
        storage = self.storage_of(tensor)
        log = self._logs.get(storage._cdata)
        if log is None:
            log = self._new_log(storage)
        log += (tensor._version, op, captured, at, uncounted)
        if len(log) >= MAX_WRITES * ITEMS:
            log.thin_out()

    def _new_log(self, storage: Any) -> WriteLog:
        if len(self._logs) >= self._limit:
            self._forget_dead()
        # While there is a weak reference to it, no other storage gets its address.
        log = self._logs[storage._cdata] = WriteLog(self._weakly(storage))
        return log

    def _forget_dead(self) -> None:
        known = list(self._logs.items())
        self._logs = {address: each for address, each in known if not each.storage.expired()}
        self._limit = max(1024, 2 * len(self._logs))

    def log_of(self, tensor: Any) -> WriteLog | None:
        """Return what was written to the storage of a tensor."""
        try:
            with self._torch._C.DisableTorchFunction():
                return self._logs.get(self.storage_of(tensor)._cdata)
        except Exception:
            return None

    def storage_of(self, tensor: Any) -> Any:
        return tensor.untyped_storage() if self._has_untyped else _legacy_storage(tensor)

    def count(self, storage: Any) -> int:
        """Return how many writes there were to a storage."""
        log = self._logs.get(storage._cdata)
        return 0 if log is None else log.dropped + len(log) // ITEMS

    def reset_versions(self, tensors: Any, versions: Any) -> None:
        """Follow versions that torch sets, as after DistributedDataParallel broadcasts buffers."""
        one = isinstance(tensors, self._torch.Tensor)  # before 2.7
        for tensor, version in [(tensors, versions)] if one else zip(tensors, versions):
            log = self.log_of(tensor)
            if log is not None:
                log.uncount(version)

    def __len__(self) -> int:
        return len(self._logs)

    def _is_from_data(self, tensor: Any) -> bool:
        return id(tensor) in self._from_data or id(tensor._base) in self._from_data

    def add_from_data(self, tensor: Any) -> None:
        """Remember that this tensor came from `.data`."""
        key = id(tensor)
        known = self._from_data
        known[key] = weakref.ref(tensor, lambda _: known.pop(key, None) and None)

    def install(self) -> None:
        tensor_type, base = self._torch.Tensor, self._torch._C._TensorBase
        written = (name for name in dir(tensor_type) if name.endswith("_") and name[-2:] != "__")
        methods = [name for name in written if name not in NOT_IN_PLACE]
        for name in [*methods, *(each for each in OPERATORS if hasattr(tensor_type, each))]:
            original = inspect.getattr_static(tensor_type, name)
            self.replace(tensor_type, name, InPlace(name, original, self.note))
        self.replace(tensor_type, "data", Data(base.data, self.add_from_data, self.note))
        self._wrap_functions()
        leave_uncompiled(
            *(InPlace.__get__, Data.__get__, Writes.note, Writes._add, WriteLog.thin_out),
            *(Writes.note_all, Writes.add_from_data, Writes._is_from_data, Data.__set__),
            *(frames.shared, libraries.is_library.__wrapped__, libraries.library_roots.__wrapped__),
        )

    def _wrap_functions(self) -> None:
        torch = self._torch
        from torch import _VF
        from torch.jit import _builtins
        from torch.nn import functional

        scripted = _builtins._get_builtin_table()  # built now, while it has torch's own functions
        wrapped: dict[int, Any] = {}
        for module in (torch, _VF, torch._C._nn, functional):
            names = dir(torch._C._VariableFunctions) if module is _VF else dir(module)
            for name in names:
                if name.endswith("__") or not name.endswith("_") or name in NOT_IN_PLACE:
                    continue
                original = getattr(module, name, None)
                if isinstance(original, types.BuiltinFunctionType):
                    if id(original) not in wrapped:
                        wrapped[id(original)] = self._wrapper(original, name, 0)
                    self.replace(module, name, wrapped[id(original)])
        for owner, name, position in (
            (torch._C, "_increment_version", 0),  # operators of torch.library
            # DistributedDataParallel: its buffers, before each forward
            (getattr(torch, "distributed", None), "_broadcast_coalesced", 1),
        ):
            if hasattr(owner, name):
                self.replace(owner, name, self._wrapper(getattr(owner, name), name, position))
        self._wrap_version_resets()
        self._add_to_torchscript(scripted, wrapped.values())

    def _wrap_version_resets(self) -> None:
        home = self._torch._C._autograd
        original = getattr(home, "_unsafe_set_version_counter", None)  # from 2.0
        if original is None:
            return

        def wrapper(tensors: Any, versions: Any) -> None:
            original(tensors, versions)
            self.reset_versions(tensors, versions)

        self.replace(home, "_unsafe_set_version_counter", wrapper)
        leave_uncompiled(wrapper, Writes.reset_versions, WriteLog.uncount)

    def _wrapper(self, original: Any, op: str, position: int) -> Any:
        note = self.note_all

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if len(args) > position:
                note(args[position], op)
            else:
                note(kwargs.get("input", kwargs.get("self")), op)
            try:
                return original(*args, **kwargs)
            except BaseException:
                hide_frame()
                raise

        wrapper._torchdynamo_inline = original  # type: ignore[attr-defined]
        leave_uncompiled(wrapper)
        return BuiltinFunction(wrapper).of(original)

    def _add_to_torchscript(self, table: Any, wrappers: Any) -> None:
        """Let TorchScript treat a wrapper as the builtin that it wraps."""
        for each in wrappers:
            op = table.get(id(each.__wrapped__))
            if op is not None:
                table[id(each)] = op
                self._undo.append(functools.partial(table.pop, id(each), None))

    def replace(self, owner: Any, name: str, value: Any) -> None:
        before = owner.__dict__.get(name, self)
        setattr(owner, name, value)

        def undo() -> None:
            if owner.__dict__.get(name) is not value:
                return  # the program has put another there, or taken it away
            if before is self:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.append(undo)

    def uninstall(self) -> None:
        while self._undo:
            self._undo.pop()()


class BuiltinFunction(functools.partial):  # type: ignore[type-arg]
    """Takes the place of a builtin: called with what it notes, in all else like that one.

    No function: that would become a method in a class. torch.compile knows partials.
    """

    def of(self, original: Any) -> BuiltinFunction:
        self.__wrapped__ = original
        self.__doc__ = original.__doc__
        self.__module__ = original.__module__
        return self

    @property  # type: ignore[misc]  # typeshed lets one assign it
    def __class__(self) -> Any:
        return type(self.__wrapped__)  # a builtin's, which `inspect` asks for

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__wrapped__"], name)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __eq__(self, other: object) -> bool:
        return other is self or self.__wrapped__ == getattr(other, "__wrapped__", other)

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __reduce__(self) -> Any:
        return self.__wrapped__.__reduce__()

    def __deepcopy__(self, memo: object) -> BuiltinFunction:
        return self

    def __copy__(self) -> BuiltinFunction:
        return self


class InPlace:
    """An in-place method of `torch.Tensor`: what is not noted is what it stands for."""

    __slots__ = ("_bind", "_name", "_note", "_original")

    def __init__(self, name: str, original: Any, note: Callable[[Any, str], None]) -> None:
        self._name = name
        self._original = original
        self._bind = original.__get__
        self._note = note

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._note(args[0] if args else None, self._name)
        return self._original(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __get__(self, tensor: Any, owner: Any = None) -> Any:
        if tensor is not None:
            self._note(tensor, self._name)
        return self._bind(tensor, owner)


class Data:
    """`torch.Tensor.data`: what it returns has a version counter of its own."""

    __slots__ = ("_note", "_on_read", "_original")

    def __init__(self, original: Any, on_read: Callable[[Any], None], note: Any) -> None:
        self._original = original
        self._on_read = on_read
        self._note = note

    def __get__(self, tensor: Any, owner: Any = None) -> Any:
        found = self._original.__get__(tensor, owner)
        if tensor is not None:
            self._on_read(found)
        return found

    def __set__(self, tensor: Any, value: Any) -> None:
        self._original.__set__(tensor, value)
        self._note(tensor, "data =", None, True)

    def __delete__(self, tensor: Any) -> None:
        self._original.__delete__(tensor)  # torch refuses that

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def _legacy_storage(tensor: Any) -> Any:
    """Return the untyped storage of a tensor before torch 2.0."""
    storage = tensor.storage()
    return storage._storage if hasattr(storage, "_storage") else storage


def leave_uncompiled(*functions: Any) -> None:
    """Have torch.compile leave these alone, should it meet them between two regions."""
    with contextlib.suppress(Exception):
        from torch._C._dynamo import eval_frame

        for each in functions:
            code = each.__code__
            if hasattr(eval_frame, "_FrameAction"):
                skip, default = eval_frame._FrameAction.SKIP, eval_frame._FrameAction.DEFAULT
                strategy = eval_frame._FrameExecStrategy(skip, default)
                eval_frame.set_code_exec_strategy(code, strategy)
            else:
                eval_frame.skip_code(code)  # type: ignore[attr-defined]
