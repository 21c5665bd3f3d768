"""Where each node of the graph was made, and which of them a failed backward stopped at.

torch can tell where a node was made: in anomaly mode its constructor calls
`torch.fx.traceback.format_stack` and keeps what that returns with the node. Formatting is
what makes the mode slow; here the stack is only captured. The mode's flag is off while
backward runs, so that errors, their texts and their warnings are those of a plain run: no
hook is set on what is saved, and the check that fails is torch's own.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

from inplace_tui.blame import frames, writes
from inplace_tui.blame.graph import (
    OURS,
    PARENT,
    STACK,
    CreationSite,
    NumberedCreationSite,
    creation_site,
    in_order,
    sequence_nr,
)
from inplace_tui.blame.program import OWN
from inplace_tui.blame.saved import reads_hooks


class Nodes:
    """Switches the recording of stacks, and reads what was recorded."""

    def __init__(self) -> None:
        import torch
        import torch.fx.traceback

        self._torch = torch
        self._capture = capture = frames.capturer()

        def record() -> CreationSite:
            found = CreationSite()
            found.captured = capture()
            return found

        def number() -> CreationSite:
            found = NumberedCreationSite()
            found.captured = capture()
            found.number = next(self._numbers)
            found.hooked = self._hooks > 0
            return found

        self._sequence = getattr(torch._C._autograd, "_get_sequence_nr", None)
        self._numbers = itertools.count()
        self._number = number
        self._record = record if self._sequence else number
        self._home: Any = torch.fx.traceback
        if not hasattr(self._home, "format_stack"):  # before 2.0 torch calls Python's own
            import traceback

            self._home = traceback
        self._format = self._home.format_stack
        self._requested = (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        """What the program asked for: the mode, and whether to look for NaN."""
        self._lock = threading.RLock()
        self._running = 0
        """How many threads run a backward now, and not a forward that it runs again."""
        self._local = threading.local()
        self._hooks = 0
        self._made_in_backward: deque[tuple[int, int, int, Any]] = deque(maxlen=1024)
        self._replaced: list[tuple[Any, str, Any]] = []

    def install(self) -> None:
        torch = self._torch
        self._replace(torch, "is_anomaly_enabled", lambda: self._requested[0])
        self._replace(torch, "is_anomaly_check_nan_enabled", lambda: self._requested[1])

        def set_anomaly(mode: bool, check_nan: bool = True) -> None:
            self._set_anomaly(mode, check_nan)

        self._replace(torch, "set_anomaly_enabled", set_anomaly)
        enter, leave = torch.enable_grad.__enter__, torch.enable_grad.__exit__

        def pausing(mode: Any) -> Any:
            self._pause()
            return enter(mode)

        def resuming(mode: Any, *error: Any) -> Any:
            self._resume()
            return leave(mode, *error)

        self._replace(torch.enable_grad, "__enter__", pausing)
        self._replace(torch.enable_grad, "__exit__", resuming)
        if not reads_hooks():
            self._count_hooks("_push_saved_tensors_default_hooks", 1)
            self._count_hooks("_pop_saved_tensors_default_hooks", -1)
        around = (Nodes._pause, Nodes._resume, Nodes._enter, Nodes._leave)
        others = (Nodes._formatted, Nodes._tagged, Nodes._switch, Nodes._set_anomaly)
        writes.leave_uncompiled(self._record, pausing, resuming, *around, *others)
        self._replace(self._home, "format_stack", self._format)
        self._switch()

    def uninstall(self) -> None:
        self._real(*self._requested)
        while self._replaced:
            owner, name, before = self._replaced.pop()
            setattr(owner, name, before)

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        before = getattr(owner, name)
        self._replaced.append((owner, name, before))
        with contextlib.suppress(AttributeError):  # a partial takes all, a function of C none
            functools.update_wrapper(value, before)  # so that it can be pickled by its name
            value._torchdynamo_inline = before
        setattr(owner, name, value)

    def _count_hooks(self, name: str, more: int) -> None:
        home = self._torch._C._autograd
        before = getattr(home, name)

        def counting(*hooks: Any) -> Any:
            with self._lock:
                self._hooks += more
                self._switch()
            return before(*hooks)

        self._replace(home, name, counting)

    # Recording

    def _real(self, mode: bool, check_nan: bool = True) -> None:
        self._torch._C.set_anomaly_enabled(mode, check_nan)

    def _set_anomaly(self, mode: bool, check_nan: bool) -> None:
        """Take the place of `torch.set_anomaly_enabled`."""
        with self._lock:
            self._requested = (mode, check_nan)
            self._switch()

    def _switch(self) -> None:
        """Have torch record stacks, unless backward runs or the program has the mode on itself."""
        on, check_nan = self._requested
        self._real(on or self._running <= 0, on and check_nan)
        if on:
            self._home.format_stack = self._formatted
        elif self._hooks or self._home.__name__ == "traceback":
            self._home.format_stack = self._tagged
        else:
            self._home.format_stack = self._record

    def _formatted(self, *asked: Any) -> Any:
        """Take the place of `format_stack` while the program has anomaly mode on."""
        if self._home.__name__ == "traceback":
            if asked or _is_called_by_python(sys._getframe(1)):
                return self._format(*(asked or (sys._getframe(1),)))
            lines = CreationSite(self._format(sys._getframe(1)))
        else:
            lines = CreationSite(self._format())
            if lines and OWN in lines[-1]:
                lines.pop()
        lines.captured = self._capture()
        return lines

    def _tagged(self, *asked: Any) -> Any:
        """Take the place of `format_stack` where the graph's own functions don't do."""
        if self._home.__name__ == "traceback" and (asked or _is_called_by_python(sys._getframe(1))):
            return self._format(*(asked or (sys._getframe(1),)))
        return self._number()

    def begin(self) -> int:
        """A backward starts in this thread; return what `end` wants."""
        self._enter("backward")
        return self._now()

    def end(self, began: int) -> None:
        """It ended. What it made is recognized by where it was called."""
        self._leave("backward")
        now = self._now()
        if now != began:
            place = (threading.get_ident(), began, now, self._capture())
            self._made_in_backward.append(place)

    def _now(self) -> int:
        return 0 if self._sequence is None else int(self._sequence())

    @contextlib.contextmanager
    def after(self, began: int) -> Iterator[None]:
        """Treat the backward as over within this block, in which other threads may run."""
        self.end(began)
        try:
            yield
        finally:
            self._enter("backward")

    def _pause(self) -> None:
        """Gradients are enabled in the middle of a backward: it runs a forward again."""
        if getattr(self._local, "stack", None):
            self._enter("forward")

    def _resume(self) -> None:
        if getattr(self._local, "stack", None):
            self._leave("forward")

    def _enter(self, part: str) -> None:
        stack = self._local.__dict__.setdefault("stack", [])
        before = stack[-1:] == ["backward"]
        stack.append(part)
        self._count(before, part == "backward")

    def _leave(self, part: str) -> None:
        stack = self._local.__dict__.get("stack", [])
        if stack[-1:] == [part]:
            stack.pop()
            self._count(part == "backward", stack[-1:] == ["backward"])

    def _count(self, before: bool, after: bool) -> None:
        if before != after:
            with self._lock:
                self._running += after - before
                self._switch()

    # Reading

    def in_users_mode(self) -> bool:
        return bool(self._requested[0])

    def hide(self, roots: list[Any]) -> None:
        """Move what was recorded out of the way of the program's own anomaly mode.

        It joins what it finds with a node as lines of text, and finds nothing in a plain run.
        """
        for node in in_order(roots):
            metadata = node.metadata
            if isinstance(metadata.get(STACK), CreationSite) and not metadata[STACK]:
                metadata[OURS] = metadata.pop(STACK)
                metadata.pop(PARENT, None)

    def stack(self, node: Any) -> list[frames.Frame]:
        """Return where a node was made, innermost first; empty if that is not known."""
        found = creation_site(node)
        captured = self._backward_that_made(node) if found is None else found.captured
        return [] if captured is None else frames.resolve(captured)

    def _backward_that_made(self, node: Any) -> frames.Capture:
        number, thread = sequence_nr(node), threading.get_ident()
        for who, first, end, captured in reversed(self._made_in_backward):
            if who == thread and first <= number < end:
                return captured
        return None


def _is_called_by_python(caller: Any) -> bool:
    """Whether this frame names `format_stack` itself: else torch called it from there."""
    return "format_stack" in caller.f_code.co_names
