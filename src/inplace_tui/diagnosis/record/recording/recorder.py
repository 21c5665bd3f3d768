"""Runs a program and reports, after each line, what it left behind.

A line is reported when it *finishes*: so the lines of a function come before the line
that called it. The program must not notice: what fails in here is kept in `faults`.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn, TypeAlias

import torch
from torch.nn.modules import module

from inplace_tui.common.run.step import Event, Step
from inplace_tui.common.syntax import nodes, parse
from inplace_tui.diagnosis.record.code import expressions
from inplace_tui.diagnosis.record.code.instructions import (
    ENDS,
    HIDES,
    JUMPS_BACK,
    RERAISES,
    STARTS,
    WRITES,
    Source,
    Statement,
)
from inplace_tui.diagnosis.record.compat import (
    ENGINES,
    SWAP,
    is_compiled_region,
    set_eval_frame,
    skip,
    trace,
)
from inplace_tui.diagnosis.record.process import errors
from inplace_tui.diagnosis.record.process.errors import in_backward
from inplace_tui.diagnosis.record.process.own_files import OwnFiles, is_function
from inplace_tui.diagnosis.record.recording.activation import (
    Activation,
    Line,
    NodeLines,
    current_line,
    functions,
)
from inplace_tui.diagnosis.record.recording.ledger import Ledger
from inplace_tui.diagnosis.record.recording.mutations import LibraryTracer, Mutations
from inplace_tui.diagnosis.record.state.safe_reads import is_compiling, without_modes

Trace: TypeAlias = Callable[[FrameType, str, Any], Any]


@dataclass(eq=False, kw_only=True)
class Recorder:
    """Records one run of one program."""

    code: CodeType
    files: OwnFiles
    namespace: dict[str, object]
    log: list[Event]
    emit: Callable[[Step], None]
    max_steps: int
    on_limit: Callable[[], NoReturn]
    follow: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        tree = parse(self.files.text, deep=True)
        self.faults: list[str] = []
        """Tracebacks of failures of the recorder itself, hidden from the program."""

        self.off_at: int | None = None
        """The line at which recording was switched off: by the program, or by a signal
        handler of its that raised while this was at work."""

        self._is_at_work = False
        self._begun: int | None = None
        """The line that began last."""

        self._source = Source(tree, self.files.before.values())
        self._node_lines = NodeLines()
        self._callees = Callees(tree)
        self._ledger = Ledger(self._node_lines.made_at)
        self._mutations = Mutations(self._ledger, self._source, self.log, self.files)
        self._stack: list[Activation] = []
        self._library_tracer: LibraryTracer | None = None
        if self.follow is not None:
            self._library_tracer = LibraryTracer(*self.follow, self._stack, self._mutations)
        self._count = 0
        self._scopes = 0
        self._visits: dict[int, int] = {}
        self._engine_ran = False
        self._global: Trace = self._called
        self._local: Trace = self._event
        first = self._source.first
        self.first_line: int | None = None if first is None else first.line

    def run(self) -> None:
        for method in (Recorder._called, Recorder._event, Recorder._foreign_call):
            skip(method.__code__)
        trace(self._global)
        try:
            exec(self.code, self.namespace)
        finally:
            is_off = sys.gettrace() is not self._global
            sys.settrace(None)
            with self._guarded():
                self.off_at = self._begun if is_off else None
                if not self._is_at_work:  # else it is in the middle of something
                    self._close()

    def find(self, number: int) -> torch.Tensor | None:
        return self._ledger.find(functions(self._stack), number)

    # The border: what Python calls. Dynamo must neither compile nor see it.

    def _called(self, frame: FrameType, _event: str, _arg: object) -> Trace | None:
        code = frame.f_code
        if code not in self.files or is_compiled_region(code):
            if code in ENGINES:
                self._engine_ran = True
                if (line := current_line(self._stack)) is not None:
                    line.ran_engine = True
            if self._stack:
                self._stack[-1].record_call()
                if self._callees.kinds.get(code) is not Callee.TORCH:
                    self._foreign_call(frame)
                if self._library_tracer is not None and self._library_tracer.follows():
                    return self._library_tracer.called(frame)
            return self._swapping(frame, "call", None) if code is SWAP else None
        self._is_at_work = True
        compiling = set_eval_frame(None)
        local = None
        try:
            local = self._enter(frame)
        except Exception as fault:
            self._fault(fault)
        finally:
            if compiling is not None:
                set_eval_frame(compiling)
        self._is_at_work = False
        return local

    def _foreign_call(self, frame: FrameType) -> None:
        compiling = set_eval_frame(None)
        try:
            if self._callees.called(frame, self.files):
                self._mark_hidden_write()
        except Exception as fault:
            self._fault(fault)
        finally:
            if compiling is not None:
                set_eval_frame(compiling)

    def _event(self, frame: FrameType, event: str, arg: object) -> Trace | None:
        self._is_at_work = True
        compiling = set_eval_frame(None)
        try:
            self._follow(frame, event, arg)
        except Exception as fault:
            self._fault(fault)
        finally:
            if compiling is not None:
                set_eval_frame(compiling)
        self._is_at_work = False
        return self._local

    def _swapping(self, frame: FrameType, event: str, _arg: object) -> Trace:
        """Release two tensors while they are swapped: torch refuses to swap held ones."""
        if event in ("call", "return"):
            with self._guarded():
                for name in ("t1", "t2"):
                    self._ledger.hold(frame.f_locals[name], firmly=event == "return")
        return self._swapping

    def _fault(self, fault: Exception) -> None:
        """Keep a failure of the recorder from the program, and only that.

        A signal handler of the program's runs wherever Python happens to be,
        which may be in here: what it raises is the program's.
        """
        for frame, _ in traceback.walk_tb(fault.__traceback__):
            if frame.f_code in self.files:
                raise fault
        if len(self.faults) < 100:
            self.faults.append("".join(traceback.format_exception(fault)))

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except Exception as fault:
            self._fault(fault)

    # Events.

    def _enter(self, frame: FrameType) -> Trace | None:
        if is_compiling():
            return None
        if self._stack:
            self._stack[-1].trace_instructions()
            self._end_instruction(self._stack[-1], running=True)
            self._stack[-1].record_call()
        self._scopes += 1
        scope = self._scopes if self._stack else 0
        code = frame.f_code
        before = self.files.before[code.co_filename]
        instructions, last = self._source.code(code, before), max(frame.f_lasti, 0)
        activation = Activation(frame, instructions, scope, before, is_function(frame), last)
        self._stack.append(activation)
        frame.f_trace_opcodes = True
        self._mark(activation.number)
        return self._local

    def _follow(self, frame: FrameType, event: str, arg: object) -> None:
        activation = self._stack[-1] if self._stack else None
        if activation is None or activation.frame is not frame:
            activation = self._find(frame)
            if activation is None:
                return
        if event == "opcode":
            now = frame.f_lasti
            if activation.last != now:
                self._end_instruction(activation)
                activation.last, activation.entered = now, False
                line, reraises = activation.line, activation.code.flags[now >> 1] & RERAISES
                if reraises and line is not None and line.statement.exits and line.raised is None:
                    # A `with` or an `except` let it pass: Python reports nothing.
                    line.raised = activation.error
                if activation.code.flags[now >> 1] & STARTS:
                    with without_modes():
                        self._ledger.refresh(functions(self._stack))
            elif not activation.is_new:
                # `while True: pass` is one jump to itself: Python says no "line".
                self._on_line(activation)
            activation.is_new = False
        elif event == "line":
            straight = activation.straight
            if straight is not None:  # its instructions were not traced one by one
                activation.last = straight.writer
                if 0 <= straight.writer < straight.last:
                    self._end_instruction(activation)
                activation.last = straight.last
            self._on_line(activation)
        elif event == "exception":
            activation.trace_instructions()
            self._end_instruction(activation)
            self._on_exception(activation, arg)
        elif event == "return":
            self._end_instruction(activation)
            self._on_return(activation)

    def _end_instruction(self, activation: Activation, *, running: bool = False) -> None:
        """See what the last instruction wrote."""
        last = activation.last
        flags = activation.code.flags[last >> 1]
        if flags & WRITES:
            activation.writer = last
            writer = activation.code.writers[last]
            if not activation.stored:
                activation.stored = expressions.stores(writer, activation.frame)
            hides = bool(flags & HIDES) and not running
            moved = self._mutations.check(activation.frame, writer, memory=hides)
            if flags & HIDES:
                activation.hider = last
            if (
                hides
                and not activation.entered
                and not (moved and expressions.is_plain_write(writer.node))
            ):
                self._mark_hidden_write()  # by something written in C

    def _mark_hidden_write(self) -> None:
        line = current_line(self._stack)
        if line is not None:
            line.hides = True

    def _on_line(self, activation: Activation) -> None:
        self._end_instruction(activation)
        number = activation.number
        jumped = activation.code.flags[activation.last >> 1] & JUMPS_BACK
        line = activation.line
        if activation.is_function and number:  # a program without a statement "runs" line 0
            statement = self._source.statement(number)
            if line is None:
                with without_modes():
                    self._ledger.enter(functions(self._stack), activation.scope)
                self._begin(activation, statement)
            elif jumped or line.statement is not statement:
                self._finish(activation, then=statement.line)
                self._begin(activation, statement)
        activation.begin()
        self._mark(number)

    def _on_exception(self, activation: Activation, arg: object) -> None:
        assert isinstance(arg, tuple)
        _, error, trace = arg
        ends = activation.code.flags[activation.last >> 1] & ENDS
        if ends and issubclass(type(error), (StopIteration, StopAsyncIteration)):
            return
        activation.error = errors.brief(error)
        if activation.line is not None:
            activation.line.raised = activation.error
            above = reversed([*traceback.walk_stack(activation.frame)])
            frames = (*above, *traceback.walk_tb(trace))
            activation.line.in_backward = in_backward(frame.f_code for frame, _ in frames)

    def _on_return(self, activation: Activation) -> None:
        line, callers = activation.line, self._stack[: self._stack.index(activation)]
        if line is not None:
            above = next((each for each in reversed(callers) if each.is_function), None)
            then = None if above is None or above.line is None else above.line.statement.line
            self._finish(activation, then=then)
        self._stack.pop()
        if activation.scope:
            self._ledger.leave(activation.scope)
        if self._stack:
            self._mark(self._stack[-1].number)

    def _find(self, frame: FrameType) -> Activation | None:
        """Return a frame's activation; those above it returned unseen."""
        if all(activation.frame is not frame for activation in self._stack):
            return None
        while self._stack[-1].frame is not frame:
            self._stack.pop()
        return self._stack[-1]

    # Lines.

    def _begin(self, activation: Activation, statement: Statement) -> None:
        visit = self._visits[statement.line] = self._visits.get(statement.line, 0) + 1
        activation.line = Line(statement=statement, visit=visit, began=self._count)
        self._begun = statement.line
        activation.writer = -1
        activation.hider = -1

    def _finish(self, activation: Activation, *, then: int | None) -> None:
        line = activation.line
        assert line is not None
        activation.line = None
        if self._count >= self.max_steps:
            self.on_limit()
        if is_compiling():
            return
        line.index = self._count
        self._callees.statement_ran(line.statement.line, line.statement.end_line)
        line.unpredictable = self._callees.is_unpredictable(
            activation.frame, self._stack[0].frame, self.files
        )
        with without_modes():
            step = self._step(activation, line, then)
        self._count += 1
        self._engine_ran = False
        self.emit(step)

    def _step(self, activation: Activation, line: Line, then: int | None) -> Step:
        ledger, mutations, frame = self._ledger, self._mutations, activation.frame
        thorough = self._engine_ran or line.ran_engine or line.raised is not None
        writers, hides = activation.code.writers, activation.hider >= 0
        hider = writers.get(activation.hider) or writers.get(activation.writer)
        if hider is not None:
            mutations.check(frame, hider, memory=True, everywhere=thorough)
        stored, activation.stored = activation.stored or thorough, False
        frames, scope = functions(self._stack), activation.scope
        look = ledger.differences(frames, scope, stored=stored, thorough=thorough)
        if hider is not None and hides:
            mutations.log_replaced(frame, hider)
        mutations.log_temporaries(frame, hider, line, slots=look.graph.slots, new=look.new)
        self.log += look.rebound
        events = tuple(self.log)
        del self.log[: len(events)]  # a thread of the program may have printed since
        # By position: to find so many names takes as long as most of what they stand for.
        return Step(
            self._count,
            line.statement.line,
            line.statement.end_line,
            line.began,
            line.visit,
            then,
            sum([each.is_function for each in self._stack]) - 1,
            frame.f_code.co_name,
            line.raised,
            line.in_backward,
            torch.is_grad_enabled(),
            torch.is_inference_mode_enabled(),
            line.unpredictable,
            line.hides,
            line.ran_engine,
            events,
            look.tensors,
            look.gone,
            look.storages,
            look.freed,
            look.graph.nodes,
            look.graph.lost,
            look.graph.saved,
        )

    def _close(self) -> None:
        """Report the line that switched tracing off, with all that came after it."""
        if self._stack and self._stack[-1].line is not None:
            activation = self._stack[-1]
            self._stack = [a for a in self._stack if a is activation or a is self._stack[0]]
            self._finish(activation, then=None)
        self._stack.clear()

    def _mark(self, line: int) -> None:
        self._node_lines.add(line, current_line(self._stack))


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

        attributes = nodes(ast.Attribute, tree)
        self._hooking_lines = {each.lineno for each in attributes if each.attr in _HOOK_METHODS}

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


def _kind(code: CodeType) -> Callee:
    if code in _HOOKERS:
        return Callee.HOOKER
    path = code.co_filename
    if path.startswith(_TORCH):
        return Callee.TORCH
    ours = path.startswith(("<frozen", "<string>", _LIBRARY)) and not path.startswith(_PACKAGES)
    return Callee.LIBRARY if ours else Callee.FOREIGN
