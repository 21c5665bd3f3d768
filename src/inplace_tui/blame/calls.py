"""Looks at what each call of torch's functions returned, from Python and in one thread.

Done by a mode, which costs two microseconds a call and more: where an optimizer builds no graph,
it is taken away. While torch.compile's hook is set it is, too: it would be compiled.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
from typing import Any, Callable

from inplace_tui.blame.program import hide_frame
from inplace_tui.blame.writes import Writes, leave_uncompiled

STEP, OPTIMIZERS = "Optimizer.step", ("Optimizer.step", "Optimizer.zero_grad")


class Calls:
    """The mode, and whether it is on."""

    def __init__(self, look: Callable[[Any], None], writes: Writes) -> None:
        import torch
        from torch.overrides import TorchFunctionMode

        class AfterEachCall(TorchFunctionMode):  # type: ignore[misc]
            """Looks at what each call returned."""

            def __torch_function__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                returned = func(*args, **kwargs) if kwargs else func(*args)
                if returned is not None:
                    look(returned)
                return returned

        self._torch = torch
        self._mode = AfterEachCall()
        self._writes = writes
        self._local = threading.local()
        """`is_away`: it was taken off; `compiles`: torch.compile's hook is set."""

    def install(self) -> None:
        self._mode.__enter__()
        if not hasattr(self._torch._C, "_len_torch_function_stack"):  # before torch 2.0
            return
        with contextlib.suppress(ImportError, AttributeError):
            self._leave_compiled_regions()
        switches = self._torch.set_grad_enabled, self._torch.enable_grad
        for owner in switches:
            self._follow(owner, "__enter__")
            self._follow(owner, "__exit__")
        self._follow(switches[0], "__init__")
        self._leave_optimizers()

    def uninstall(self) -> None:
        if not getattr(self._local, "is_away", False):
            self._mode.__exit__(None, None, None)

    def _take_all(self) -> list[Any]:
        """Take all modes off, and return them, the innermost last."""
        torch_c = self._torch._C
        size = torch_c._len_torch_function_stack()
        return [torch_c._pop_torch_function_stack() for _ in range(size)][::-1]

    def _put(self, modes: list[Any]) -> None:
        for each in modes:
            self._torch._C._push_on_torch_function_stack(each)

    def _follow(self, owner: Any, name: str) -> None:
        """See whether the mode is to be on whenever this method has switched gradients."""
        original = getattr(owner, name)

        def switch(*args: Any, **kwargs: Any) -> Any:
            try:
                return original(*args, **kwargs)
            except BaseException:
                hide_frame()
                raise
            finally:
                self._switched()

        self._put_in_place(owner, name, switch, original)

    def _put_in_place(self, owner: Any, name: str, own: Any, original: Any) -> None:
        functools.update_wrapper(own, original)
        own._torchdynamo_inline = original
        leave_uncompiled(own)
        self._writes.replace(owner, name, own)

    def _switched(self) -> None:
        """Have the mode on, but in optimizers where gradients are off or set to zero."""
        local = self._local
        is_away, blocks = getattr(local, "is_away", False), getattr(local, "blocks", ())
        wanted = not blocks or (blocks[-1] == STEP and self._torch.is_grad_enabled())
        if wanted is not is_away or getattr(local, "compiles", False):
            return
        if is_away:  # below those that the program has put there meanwhile
            local.is_away = False
            self._put([self._mode, *self._take_all()])
        else:
            self._take_away()

    def _take_away(self) -> None:
        """Take the mode off, if it is the only one."""
        if self._torch._C._len_torch_function_stack() == 1:
            (mode,) = self._take_all()
            self._local.is_away = mode is self._mode
            self._put([] if self._local.is_away else [mode])

    def _leave_optimizers(self) -> None:
        """Take the mode off where an optimizer works: it would see each `.grad`.

        It says so to the profiler, when it begins and when it ends.
        """
        record = self._torch.autograd.profiler.record_function
        enter, leave = record.__enter__, record.__exit__

        def begin(block: Any) -> Any:
            kind = block.name.partition("#")[0]
            if kind in OPTIMIZERS:
                self._local.__dict__.setdefault("blocks", []).append(kind)
                self._switched()
            return enter(block)

        def end(block: Any, *error: Any) -> Any:
            try:
                return leave(block, *error)
            finally:
                blocks = self._local.__dict__.get("blocks")
                if blocks and block.name.partition("#")[0] in OPTIMIZERS:
                    blocks.pop()
                    self._switched()

        for name, own, original in (("__enter__", begin, enter), ("__exit__", end, leave)):
            self._put_in_place(record, name, own, original)

    def _leave_compiled_regions(self) -> None:
        import torch
        from torch._C._dynamo import eval_frame

        original, mode, local = eval_frame.set_eval_frame, self._mode, self._local
        is_compiling = torch._guards.CompileContext.try_get  # torch has all modes off meanwhile

        def set_eval_frame(callback: Any) -> Any:
            before = original(None)
            places = local.__dict__.setdefault("places", [])
            if bool(places) is (callback is None) and not is_compiling():
                modes = self._take_all()
                for at in places:
                    modes.insert(at, mode)
                here = range(0 if places else len(modes))
                places[:] = [at for at in here if modes[at] is mode]
                for at in places:
                    del modes[at]
                self._put(modes)
            local.compiles = callback is not None
            original(callback)
            return before

        own = Calls._switched, Calls._take_away, Calls._take_all, Calls._put
        leave_uncompiled(set_eval_frame, *own)
        for owner in (eval_frame, sys.modules.get("torch._dynamo.eval_frame")):
            for name in ("set_eval_frame", "_maybe_set_eval_frame"):
                if hasattr(owner, name):
                    self._writes.replace(owner, name, set_eval_frame)
