"""Follows the writes of one line into the code that it calls: libraries, imported modules.

A recording knows the line of the program that wrote, and the frames of the
program above it. Where the write is spelled inside somebody else's code is
looked for in a run of its own, and only while that one line runs: to follow
every line of every library would cost more than the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType

from torch import Tensor

from inplace_tui.diagnosis.record.compat import set_eval_frame, variables
from inplace_tui.diagnosis.record.process.modes import is_compiling
from inplace_tui.diagnosis.record.recording.activation import Activation
from inplace_tui.diagnosis.record.recording.mutations import Mutations, chain, is_ours

Trace = Callable[[FrameType, str, object], object]


class LibraryTracer:
    """The trace function of foreign frames, for one visit of one line."""

    def __init__(
        self, line: int, visit: int, stack: Sequence[Activation], mutations: Mutations
    ) -> None:
        self._wanted = (line, visit)
        self._stack = stack
        self._mutations = mutations
        self._at: dict[FrameType, int] = {}

    def follows(self) -> bool:
        line = self._stack[-1].line
        return line is not None and (line.statement.line, line.visit) == self._wanted

    def called(self, frame: FrameType) -> Trace | None:
        """Record what the caller wrote until now, and follow the function."""
        if is_ours(frame):
            return None
        if frame.f_back is not None and frame.f_back in self._at:
            self._see(frame.f_back, frame.f_back.f_lineno)
        self._at[frame] = frame.f_lineno
        return self._event

    def _event(self, frame: FrameType, event: str, _arg: object) -> Trace:
        if event in ("line", "return"):
            self._see(frame, self._at.get(frame, frame.f_lineno))
            self._at[frame] = frame.f_lineno
            if event == "return":
                self._at.pop(frame, None)
        return self._event

    def _see(self, frame: FrameType, line: int) -> None:
        compiling = set_eval_frame(None)
        activation = self._stack[-1]
        try:
            named = [each for each in variables(frame).values() if issubclass(type(each), Tensor)]
            self._mutations.watch_library(named, frame, line)
            writer = activation.code.writers.get(activation.last)
            if writer is not None and not is_compiling():
                self._mutations.stack = chain(frame, line)
                self._mutations.check(activation.frame, writer, memory=True)
        except Exception:
            return  # not seen here, it is seen when the line of the program ends
        finally:
            self._mutations.stack = ()
            if compiling is not None:
                set_eval_frame(compiling)
