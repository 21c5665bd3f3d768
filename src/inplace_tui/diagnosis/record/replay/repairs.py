"""Puts into the replay's graph the writes that torch leaves out of it, or records wrongly.

Only for the replay: what backward delivers there is the derivative of what was
executed. A write is made so that it leaves the very same values behind; where
that fails, a doubt is all that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial, wraps
from itertools import product
from types import BuiltinFunctionType
from typing import Any, TypeAlias

import torch
import torch.jit._builtins

from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.source_text import METHODS
from inplace_tui.diagnosis.record.replay.findings import Findings
from inplace_tui.diagnosis.record.state.safe_reads import is_opaque, outside_modes, span_of

Method: TypeAlias = Callable[..., Any]

UNRECORDED = ("logical_not_", "logical_and_", "logical_or_", "logical_xor_")
"""They leave a tensor of zeros and ones, and the `grad_fn` that it had before."""

MAX_CELLS = 4_096

_NEVER_WRITE = frozenset(
    {
        *("requires_grad_", "detach_", "retains_grad_", "share_memory_", "rename_", "set_"),
        *("resize_", "resize_as_", "resize_as_sparse_", "as_strided_", "t_", "transpose_"),
        *("squeeze_", "unsqueeze_", "swapaxes_", "swapdims_"),
    }
)
_known_to_script = torch.jit._builtins._get_builtin_table()
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")


@contextmanager
def repaired(findings: Findings) -> Iterator[None]:
    """Record what torch does not, until the block is left."""
    for name, method in _WRITING.items():
        repair = _recorded if name in UNRECORDED else _by_cell
        setattr(torch.Tensor, name, _followed(name, repair(name, method, findings), findings))
    tensor: Any = torch.Tensor
    data, detach, set_item = tensor.data, tensor.detach, tensor.__setitem__
    numpy = tensor.numpy

    def without_history(read: Callable[[torch.Tensor], torch.Tensor], of: Any) -> Any:
        alias = read(of)
        if alias is not None and of.requires_grad:
            findings.unseen.register(of)
        return alias

    def set_data(of: Any, value: torch.Tensor) -> None:
        if torch.is_grad_enabled() and of.requires_grad:
            findings.expect(value, of)
        with torch.no_grad():
            unseen = findings.unseen.begin("Tensor.data", of)
        data.__set__(of, value)
        if unseen is not None:
            unseen.end()

    @wraps(numpy)
    def lent(of: torch.Tensor, *args: Any, **options: Any) -> object:
        array = numpy(of, *args, **options)
        findings.unseen.lend(of, array)
        return array

    tensor.numpy = lent
    tensor.data = property(partial(without_history, data.__get__), set_data, data.__delete__)
    tensor.detach = wraps(detach)(lambda of: without_history(detach, of))
    tensor.__setitem__ = _followed("__setitem__", set_item, findings)
    functions = _functions(takes_out="out=" in findings.files.text)
    for module, name, function in functions:
        followed = _seen(f"torch.{name}", function, findings)
        setattr(module, name, followed)
        _known_to_script[id(followed)] = f"aten::{name}"
    try:
        yield
    finally:
        for module, name, function in functions:
            setattr(module, name, function)
        del tensor.data, tensor.__setitem__, tensor.numpy
        tensor.detach = detach
        for name, method in _WRITING.items():
            if name in _DEFINED:
                setattr(torch.Tensor, name, method)
            else:
                delattr(torch.Tensor, name)


def _followed(name: str, write: Method, findings: Findings) -> Method:
    """Return a form of a write that expects a backward through what it has recorded."""
    op = f"Tensor.{METHODS.get(name, name)}"

    @wraps(write)
    def followed(self: torch.Tensor, *args: Any, **kwargs: Any) -> object:
        recorded = torch.is_grad_enabled() and not self.requires_grad
        unseen = findings.unseen.begin(op, self, *args, **kwargs)
        result = write(self, *args, **kwargs)
        if recorded and _is_of_graph(self):
            findings.expect(self)
        if unseen is not None:
            unseen.end()
        return result

    return followed


def _seen(name: str, function: Method, findings: Findings) -> Method:
    """Return a form of a function that sees a write of which autograd would not know."""

    @wraps(function)
    def seen(*args: Any, **kwargs: Any) -> object:
        out = kwargs.get("out", args[0] if args and name.endswith("_") else None)
        if out is None or torch.compiler.is_compiling():
            return function(*args, **kwargs)
        outs = out if isinstance(out, (tuple, list)) else [out]
        unseen = [findings.unseen.begin(name, each) for each in outs]
        result = function(*args, **kwargs)
        for each in unseen:
            if each is not None:
                each.end()
        return result

    return seen


def _functions(*, takes_out: bool) -> list[tuple[Any, str, Method]]:
    """Return the functions that write in place, and those that may be given `out`."""
    return [
        (module, name, function)
        for module in (torch, torch._C._nn)
        for name, function in vars(module).items()
        if isinstance(function, BuiltinFunctionType) and name not in _NEVER_WRITE
        if name[0] != "_" and (takes_out or name.endswith("_"))
    ]


def _writing() -> dict[str, Method]:
    methods = {name for name in dir(torch.Tensor) if name.endswith("_") and name[0] != "_"}
    names = (*sorted(methods - _NEVER_WRITE), *(f"__i{name}__" for name in _OPERATORS))
    found = {name: getattr(torch.Tensor, name, None) for name in names}
    return {name: method for name, method in found.items() if callable(method)}


_WRITING = _writing()
_DEFINED = frozenset(vars(torch.Tensor))
"""What `torch.Tensor` defines itself and does not inherit from C++."""


def _recorded(name: str, method: Method, findings: Findings) -> Method:
    """Return a form of a logical operation that cuts the history, as its values do."""

    @wraps(method)
    def recorded(self: torch.Tensor, *args: object, **kwargs: object) -> object:
        result = method(self, *args, **kwargs)
        if _is_of_graph(self) and not self.is_leaf:
            try:
                with outside_modes():
                    values = self.detach().clone()
                self.zero_()
                _set(self, values)
                findings.add_unrecorded(f"Tensor.{name}")
            except Exception:
                findings.add_doubt(Reason.NOT_RECORDED, f"Tensor.{name}")
        return result

    return recorded


def _by_cell(name: str, method: Method, findings: Findings) -> Method:
    """Return a form of a write that records each cell of overlapping memory by itself."""

    @wraps(method)
    def by_cell(self: torch.Tensor, *args: object, **kwargs: object) -> object:
        if not overlaps(self) or not any(map(_is_of_graph, (self, *args))):
            return method(self, *args, **kwargs)
        op = f"Tensor.{METHODS.get(name, name)}"
        expected = _expected(self, method, args, kwargs)
        before = self.detach().clone()
        if expected is not None:
            with suppress(Exception):
                for index in product(*map(range, self.shape)):
                    method(self[index], *(_cell(each, self, index) for each in args), **kwargs)
                if _equal(self, expected):
                    findings.add_unrecorded(op)
                    return self
            with outside_modes():
                for index in product(*map(range, self.shape)):
                    self.detach()[index].copy_(before[index])
        findings.add_doubt(Reason.CELLS_SHARED, op)
        return method(self, *args, **kwargs)

    return by_cell


def overlaps(tensor: torch.Tensor) -> bool:
    """Whether two of its elements lie on one cell, in a way that torch lets pass."""
    if not isinstance(tensor, torch.Tensor) or is_opaque(tensor) or not tensor._is_view():
        return False
    if tensor.layout is not torch.strided or tensor.is_contiguous():
        return False
    reach = 0
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size == 0 or (stride == 0 and size > 1):
            return False  # nothing is written, or torch refuses
        if size > 1:
            if stride <= reach:
                return True
            reach += stride * (size - 1)
    return False


def _is_of_graph(value: object) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and torch.is_grad_enabled()
        and not is_opaque(value)
        and value.requires_grad
    )


def _expected(
    tensor: torch.Tensor, method: Method, args: tuple[object, ...], kwargs: dict[str, object]
) -> torch.Tensor | None:
    """Return what the memory holds after the write; None if that can't be tried out."""
    if tensor.numel() > MAX_CELLS:
        return None
    with outside_modes(), suppress(Exception):
        copy = _block(tensor).clone().as_strided(tensor.shape, tensor.stride(), 0)
        method(copy, *args, **kwargs)
        return _block(copy)
    return None


def _block(tensor: torch.Tensor) -> torch.Tensor:
    """Return all cells from its first to its last, each once."""
    return tensor.detach().as_strided((span_of(tensor),), (1,))


def _equal(tensor: torch.Tensor, expected: torch.Tensor) -> bool:
    with outside_modes():
        return bool(torch.equal(_block(tensor).nan_to_num(), expected.nan_to_num()))


def _cell(value: object, target: torch.Tensor, index: tuple[int, ...]) -> object:
    if isinstance(value, torch.Tensor) and value.dim():
        return value.expand(target.shape)[index]
    return value


def _set(tensor: torch.Tensor, values: torch.Tensor) -> None:
    """Write what autograd is not to see; this replay checks no versions."""
    with outside_modes():
        tensor.detach().copy_(values)


class _DummyContext:
    """A `ctx` that keeps nothing: forward runs on it once more, to be recorded."""

    def __init__(self, needs: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs

    def save_for_backward(self, *tensors: object) -> None:
        """Save nothing."""

    save_for_forward = mark_dirty = mark_non_differentiable = save_for_backward

    def set_materialize_grads(self, value: bool) -> None:
        """Change nothing."""


def record_again(
    cls: type[Any], args: tuple[object, ...], written: dict[int, torch.Tensor], findings: Findings
) -> None:
    """Put the writes of a custom Function that forgot `mark_dirty` into the graph.

    Its forward runs once more, on copies that still have the old values and the old history, with
    autograd recording; the inputs then become those copies. `written` are the values that inputs
    had before, by their positions.
    """
    with suppress(Exception):
        again = list(args)
        for position, values in written.items():
            copy = args[position].clone()  # type: ignore[attr-defined]
            _set(copy, values)
            again[position] = copy
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            needs = tuple(isinstance(a, torch.Tensor) and a.requires_grad for a in args)
            takes_ctx = cls.setup_context is torch.autograd.Function.setup_context
            if takes_ctx:
                cls.forward(_DummyContext(needs), *again)
            else:
                cls.forward(*again)
        pairs: list[tuple[Any, Any]] = [(args[i], again[i]) for i in written]
        if all(_equal(input_, copy) for input_, copy in pairs):
            for input_, copy in pairs:
                input_.copy_(copy)
            findings.add_unrecorded(cls.__name__, in_function=True)
            return
    findings.add_doubt(Reason.NOT_MARKED, cls.__name__)
