"""All that depends on the version of Python or of torch, each thing with the versions it is for.

What torch offers is looked for, not derived from a version number. Nothing else in the
worker may ask for a version.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from operator import attrgetter
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeAlias

import torch
import torch.autograd.graph
import torch.utils
import torch.utils._python_dispatch

_NEEDED = (
    "_C._WeakTensorRef",
    "_C._are_functorch_transforms_active",
    "_C._autograd.SavedTensor",
    "_C._autograd._get_creation_meta",
    "_C._autograd._get_sequence_nr",
    "_C._autograd._push_saved_tensors_default_hooks",
    "_C._autograd._unsafe_set_version_counter",
    "_C._current_autograd_node",
    "_C._current_graph_task_id",
    "_C._dynamo.eval_frame.set_eval_frame",
    "_C._functorch.is_functorch_wrapped_tensor",
    "_C._functorch.peek_interpreter_stack",
    "_C._len_torch_dispatch_stack",
    "_C._len_torch_function_stack",
    "_guards._TLS",
    "autograd.graph.get_gradient_edge",
    "utils._python_dispatch._disable_current_modes",
)
"""What the recorder can't do without; torch 2.2 and later have it."""


class UnsupportedTorchError(ImportError):
    """This torch lacks what the recorder needs."""


for _name in _NEEDED:  # else no recorder can work here
    try:
        attrgetter(_name)(torch)
    except AttributeError:
        raise UnsupportedTorchError(f"torch {torch.__version__} has no torch.{_name}") from None

# Python.


def variables(frame: FrameType) -> Mapping[str, object]:
    """Return the variables of a frame, as they are now.

    From Python 3.13, `f_locals` of a function is a proxy that looks at the frame anew each
    time it is asked, and that of a module is one too while a comprehension runs in it.
    """
    found = frame.f_locals
    if type(found) is dict:
        return found
    is_module = frame.f_code.co_name == "<module>" and not frame.f_code.co_flags & 0x1
    return frame.f_globals if is_module else dict(found)


def trace(function: Callable[[FrameType, str, Any], Any]) -> None:
    """Trace this thread: what it calls from now on.

    Python 3.12 reports instructions only if some frame had asked for them before.
    """
    if sys.version_info[:2] == (3, 12):
        here = sys._getframe()
        here.f_trace_opcodes = True
        here.f_trace_opcodes = False
    sys.settrace(function)


class Position(NamedTuple):
    """Of an expression: lines from 1, columns from 0 in UTF-8 bytes."""

    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None

    def below(self, lines: int) -> Position:
        """Return it with so many more lines above."""
        end = None if self.end_line is None else self.end_line + lines
        return self._replace(line=self.line + lines, end_line=end)


class Placed(NamedTuple):
    """An instruction; those of Python 3.10 have the names of 3.11."""

    offset: int
    opname: str
    place: Position | None


KEEPS_COLUMNS = sys.version_info >= (3, 11)
"""A code object knows more than the line of each instruction."""

_LATER = {
    "CALL_FUNCTION": "CALL",
    "CALL_FUNCTION_KW": "CALL",
    "CALL_METHOD": "CALL",
    "SETUP_WITH": "BEFORE_WITH",
    "YIELD_FROM": "SEND",
}
"""Instructions of 3.10; its `BINARY_ADD`, `INPLACE_ADD` and so on are `BINARY_OP`."""

_JUMPS = frozenset(dis.hasjabs) | frozenset(dis.hasjrel)


def placed(code: CodeType) -> Iterator[Placed]:
    """Yield the instructions of a code object, with what it knows of their places."""
    if sys.version_info >= (3, 11):
        for each in dis.get_instructions(code):
            line, end, column, end_column = each.positions or (None,) * 4
            place = None if line is None else Position(line, column, end, end_column)
            yield Placed(each.offset, each.opname, place)
        return
    lines = {at: line for begin, end, line in code.co_lines() for at in range(begin, end, 2)}
    for each in dis.get_instructions(code):
        name = _LATER.get(each.opname, each.opname)
        if each.opcode in _JUMPS and each.argval <= each.offset:
            name = "JUMP_BACKWARD"
        elif name.startswith(("INPLACE_", "BINARY_")) and name != "BINARY_SUBSCR":
            name = "BINARY_OP"
        line = lines.get(each.offset)
        yield Placed(each.offset, name, None if line is None else Position(line))


CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})
"""Instructions that call; `CALL_KW` from Python 3.13."""

WRITERS = CALLS | {
    "STORE_SUBSCR",
    "STORE_SLICE",  # from 3.12: `x[a:b] = y`
    "STORE_ATTR",
    "DELETE_SUBSCR",
    "DELETE_ATTR",
    "FOR_ITER",
    "BEFORE_WITH",  # up to 3.13
    "BINARY_OP",
}
"""Instructions that may write a tensor."""

ENTERS = "LOAD_SPECIAL"
"""From 3.14, what comes before the CALL that was a `BEFORE_WITH`."""

NAMES = frozenset(
    {"STORE_NAME", "STORE_FAST", "STORE_GLOBAL", "STORE_DEREF"}
    | {"STORE_FAST_STORE_FAST"}  # from 3.13
)
"""Instructions that bind variables."""

STRAIGHT = (
    NAMES
    | {"BINARY_OP", "CALL", "COMPARE_OP", "LOAD_ATTR", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST"}
    | {"LOAD_GLOBAL", "LOAD_NAME", "NOP", "POP_TOP", "PUSH_NULL", "STORE_SUBSCR", "UNARY_NEGATIVE"}
    | {"PRECALL", "LOAD_METHOD", "KW_NAMES", "BINARY_SUBSCR"}  # 3.11; some until 3.13
    | {"BINARY_SLICE", "STORE_SLICE", "LOAD_FAST_CHECK"}  # from 3.12
    | {"CALL_KW", "LOAD_FAST_LOAD_FAST", "STORE_FAST_LOAD_FAST"}  # from 3.13
    | {"LOAD_FAST_BORROW", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_SMALL_INT"}  # from 3.14
    | {"LOAD_COMMON_CONSTANT"}
)
"""Instructions that neither jump nor leave a line."""

INLINES_COMPREHENSIONS = sys.version_info >= (3, 12)
"""Their loops are part of the function, and jump back in the middle of a statement."""


# Torch: what compiles frames.

eval_frame = torch._C._dynamo.eval_frame  # a package from 2.3
set_eval_frame: Callable[[object], object] = eval_frame.set_eval_frame


def skip(code: CodeType) -> None:
    """Keep Dynamo from compiling a function, without importing Dynamo."""
    if hasattr(eval_frame, "skip_code"):  # up to torch 2.6 or so
        eval_frame.skip_code(code)
        return
    action = eval_frame._FrameAction
    strategy = eval_frame._FrameExecStrategy(action.SKIP, action.DEFAULT)
    eval_frame.set_code_exec_strategy(code, strategy)


def is_compiled_region(code: CodeType) -> bool:
    """Whether Dynamo wrote this code: all that it does belongs to the line that calls it."""
    return any(name.startswith("__compiled_fn") for name in code.co_names)


# Torch: the engine.

Engine: TypeAlias = Callable[..., tuple[torch.Tensor | None, ...]]

_HAS_ENGINE = hasattr(torch.autograd.graph, "_engine_run_backward")
"""From torch 2.3, every backward goes through that function."""

_before = (torch.autograd.backward, torch.autograd.grad)
_entering = (torch.autograd.graph._engine_run_backward,) if _HAS_ENGINE else _before
ENGINES: frozenset[CodeType] = frozenset(each.__code__ for each in _entering)
"""The functions that enter the engine."""


def engine() -> Engine:
    """Return what a backward calls to run."""
    if _HAS_ENGINE:
        return torch.autograd._engine_run_backward  # type: ignore[no-any-return]
    return torch.autograd.Variable._execution_engine.run_backward  # type: ignore[no-any-return]


class _EngineProxy:
    """Before torch 2.3 the engine is an object of C++, whose method can't be replaced."""

    def __init__(self, of: object, run_backward: Engine) -> None:
        self._of = of
        self.run_backward = run_backward

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of, name)


@contextmanager
def replaced(owner: Any, name: str, value: object) -> Iterator[None]:
    """Put something else in the place of what a module or a class has, until the block is left."""
    before = vars(owner)[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def engine_replaced(run_backward: Engine) -> AbstractContextManager[None]:
    """Have every backward call this instead, until the block is left."""
    if _HAS_ENGINE:
        return replaced(torch.autograd, "_engine_run_backward", run_backward)
    holder = torch.autograd.Variable
    proxy = _EngineProxy(holder._execution_engine, run_backward)
    return replaced(holder, "_execution_engine", proxy)


_swap = getattr(torch.utils, "swap_tensors", None)
SWAP: CodeType | None = None if _swap is None else _swap.__code__
"""From torch 2.3."""


# Torch: what is saved.


def set_version(tensor: torch.Tensor, version: int) -> None:
    """Set the number in a version counter; of single tensors before torch 2.7."""
    setter: Callable[[Any, Any], None] = torch._C._autograd._unsafe_set_version_counter
    try:
        setter((tensor,), (version,))
    except TypeError:
        setter(tensor, version)


SHOWS_DATA = hasattr(torch._C._autograd.SavedTensor, "data")
"""A `SavedTensor` has `data`, from torch 2.9: what it holds, without unpacking it. Before that
it is read from memory: `torch_memory.saved_data`."""


def remove_stand_in() -> None:
    """Take the stand-in for msgspec out of the modules that a program can import."""
    found = sys.modules.get("msgspec")
    if found is not None and not hasattr(found, "__path__"):
        del sys.modules["msgspec"]
