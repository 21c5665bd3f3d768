"""Calls of functions that are not the program's own, and what they allow backward to do.

Nothing here acts: it looks at which functions are called, and asks torch for
the modes that are on.
"""

from __future__ import annotations

import ast
import sysconfig
from enum import Enum
from pathlib import Path
from types import CodeType, FrameType

import torch
from torch.nn.modules import module

from inplace_tui.diagnosis.record.code.instructions import Expression
from inplace_tui.diagnosis.record.process.errors import in_backward
from inplace_tui.diagnosis.record.process.own_files import OwnFiles

_TORCH = str(Path(torch.__file__).parent)
_LIBRARY = sysconfig.get_path("stdlib")
_PACKAGES = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))

_HOOKERS = frozenset(
    function.__code__
    for function in (
        torch.Tensor.register_hook,
        torch.Tensor.register_post_accumulate_grad_hook,
        torch.nn.Module.register_backward_hook,
        torch.nn.Module.register_full_backward_hook,
        torch.nn.Module.register_full_backward_pre_hook,
        module.register_module_backward_hook,
        module.register_module_full_backward_hook,
        module.register_module_full_backward_pre_hook,
        torch.autograd.graph.register_multi_grad_hook,
    )
)
_WRITES = frozenset(
    name for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")
) - {"apply_", "map_", "map2_", "set_"}
_HOOK_METHODS = frozenset({"register_hook", "register_prehook"})
"""Of a node they are written in C, and no call of them is seen."""


class Callee(Enum):
    """Where a function comes from that is not the program's own."""

    TORCH = "torch"
    HOOKER = "hooker"
    """Torch's, and registers something that backward will run."""

    LIBRARY = "library"
    FOREIGN = "foreign"


class Callees:
    """Remembers whether hooks were registered, and classifies functions by their code."""

    def __init__(self, tree: ast.Module) -> None:
        self._hooked = False
        self.kinds: dict[CodeType, Callee] = {}
        """Of the functions outside the program that were called."""

        self._hooking_lines = {
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in _HOOK_METHODS
        }

    def called(self, frame: FrameType, files: OwnFiles) -> bool:
        """Record a call of a function outside the program; return whether it may write unseen."""
        code = frame.f_code
        kind = self.kinds.get(code)
        if kind is None:
            kind = self.kinds[code] = _kind(code)
        if kind is Callee.TORCH:
            return False
        if kind is Callee.HOOKER:
            self._hooked = True
            return False
        if kind is Callee.LIBRARY:
            # Torch's own helpers apart: `random.shuffle` swaps what numpy holds.
            return frame.f_back is not None and frame.f_back.f_code in files
        return True

    def statement_ran(self, first: int, last: int) -> None:
        if self._hooking_lines and not self._hooking_lines.isdisjoint(range(first, last + 1)):
            self._hooked = True

    def is_unpredictable(self, frame: FrameType, outermost: FrameType, files: OwnFiles) -> bool:
        """Return whether backward would do more from here than follow the graph."""
        return bool(
            self._hooked
            or torch.is_anomaly_enabled()
            or torch._C._get_deterministic_algorithms()
            or torch._C._len_torch_dispatch_stack()
            or torch._C._len_torch_function_stack()
            or torch._C._functorch.peek_interpreter_stack() is not None
            or (frame is not outermost and in_backward(_between(frame, outermost, files)))
        )


def _between(frame: FrameType | None, outermost: FrameType, files: OwnFiles) -> list[CodeType]:
    """Return what was called that is not the program's own, outermost first."""
    found: list[CodeType] = []
    while frame is not None and frame is not outermost:
        if frame.f_code not in files:
            found.append(frame.f_code)
        frame = frame.f_back
    return found[::-1]


def is_plain(node: Expression | None) -> bool:
    """Whether a write is of torch's own kind, if a version counter moved by it."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return name in _WRITES
    return isinstance(node, ast.AugAssign | ast.Subscript)


def _kind(code: CodeType) -> Callee:
    if code in _HOOKERS:
        return Callee.HOOKER
    path = code.co_filename
    if path.startswith(_TORCH):
        return Callee.TORCH
    ours = path.startswith(("<frozen", "<string>", _LIBRARY)) and not path.startswith(_PACKAGES)
    return Callee.LIBRARY if ours else Callee.FOREIGN
