"""Every write becomes a `Mutation` at the expression that wrote."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import partial
from types import FrameType

import torch

from inplace_tui.common.run.outcome import StackFrame
from inplace_tui.common.run.step import Event, Mutation
from inplace_tui.diagnosis.record.code import expressions
from inplace_tui.diagnosis.record.code.instructions import Instruction, Source, line_only
from inplace_tui.diagnosis.record.compat import is_compiled_region, set_eval_frame, variables
from inplace_tui.diagnosis.record.process.own_files import RECORDER, OwnFiles
from inplace_tui.diagnosis.record.readings import readings
from inplace_tui.diagnosis.record.recording.activation import Activation, Line
from inplace_tui.diagnosis.record.recording.ledger import Ledger
from inplace_tui.diagnosis.record.state.memory import Block
from inplace_tui.diagnosis.record.state.records import SavedSlot, TrackedTensor, VersionCounter
from inplace_tui.diagnosis.record.state.safe_reads import is_compiling


class Mutations:
    """Compares counters and bytes, and logs the writes."""

    def __init__(self, ledger: Ledger, source: Source, log: list[Event], files: OwnFiles) -> None:
        self.stack: tuple[StackFrame, ...] = ()
        """Stack of the library code that is being traced."""

        self._library_versions: dict[Hashable, int] = {}
        self._library_writes: dict[tuple[Hashable, int], tuple[StackFrame, ...]] = {}
        """By counter and version before the write: where library code wrote its own tensors."""

        self._holds: list[torch._C._WeakTensorRef] = []
        self._ledger = ledger
        self._source = source
        self._log = log
        self._files = files

    def check(
        self, frame: FrameType, writer: Instruction, *, memory: bool, everywhere: bool = False
    ) -> bool:
        """Log what was written since the last check.

        Args:
            writer: the instruction of it that has run, or is running, since then.
            memory: compare bytes too; counters are always asked.
            everywhere: ask all counters, also where there are very many.
        """
        moved = self._ledger.counters.moved(everywhere=everywhere)
        for counter, before, after in moved:
            counter.logged, place = after, _block(counter)
            known = self._through(frame, writer, counter.tensors)
            if known is not None and known.is_view and after == before + 1:
                self._note_rebased(frame, writer, known)
            if place is not None:
                self._ledger.blocks.refresh(place)
            mutation = self._mutation(frame, writer, known, place, before=before, after=after)
            self._log.append(mutation)
        if memory:
            for block in self._ledger.blocks.changed(everywhere=everywhere):
                on_it = [known for known in self._ledger.named.values() if known.block is block]
                tensor = self._through(frame, writer, on_it)
                self._log.append(self._mutation(frame, writer, tensor, block))
        return bool(moved)

    def watch_library(self, tensors: Iterable[torch.Tensor], frame: FrameType, line: int) -> None:
        """Read tensors of library code, so that `log_temporaries` knows where they were written."""
        for tensor in tensors:
            counter = self._ledger.counters.read(tensor)
            if counter is None:
                continue
            key, version = counter
            before = self._library_versions.get(key)
            if before is None:
                self._holds.append(torch._C._WeakTensorRef(tensor))  # its counter stays its own
            elif version != before:
                self._library_writes.setdefault((key, before), chain(frame, line))
            self._library_versions[key] = version

    def log_replaced(self, frame: FrameType, writer: Instruction) -> None:
        """Log assignments to `.data`: another storage, and no counter moved."""
        # Writes that a counter saw were written down before the look, by `check`.
        for known, old, new in self._ledger.watcher.moved:
            if (old.first, old.last) != (new.first, new.last):
                self._log.append(self._mutation(frame, writer, known, new))

    def log_temporaries(
        self,
        frame: FrameType,
        writer: Instruction | None,
        line: Line,
        *,
        slots: Iterable[SavedSlot],
        new: Iterable[TrackedTensor],
    ) -> None:
        """Log writes to temporaries: what was saved stale, or made with a version.

        Args:
            writer: the last instruction of the line that may have done it, if there is one.
            line: it has finished.
            slots: of nodes that had not been reached before; it counts what the line, or a
                function that it called, made.
            new: tensors that have a name for the first time.
        """
        shown = line.statement.line
        first, last = (shown, shown) if writer is None else writer.statement
        excludes = partial(expressions.is_container_write, frame=frame)
        for slot in slots:
            counter, made_at = slot.counter, slot.vertex.made_at
            if counter is None or counter.version == slot.sent.version:
                continue
            if counter.logged is not None and counter.logged >= counter.version:
                continue
            if made_at is None or made_at.step is None or made_at.step < line.began:
                continue
            if made_at.line is None or first <= made_at.line <= last:
                by = self._source.in_place(first, last, excludes) or writer or line_only(shown)
            else:
                by = self._source.in_place(made_at.line, made_at.line) or line_only(made_at.line)
            self._log_temporary(frame, by, counter, slot.sent.version)
        for known in new:
            counter = known.counter
            if counter is not None and counter.version > 0 and counter.logged is None:
                written = self._source.in_place(first, last, excludes)
                if written is not None:
                    self._log_temporary(frame, written, counter, 0)

    def _log_temporary(
        self, frame: FrameType, writer: Instruction, counter: VersionCounter, before: int | None
    ) -> None:
        counter.logged = after = counter.version
        tensor, block = _shortest(counter.tensors), _block(counter)
        self.stack = self._library_writes.get((counter.key, before or 0), ())
        self._log.append(self._mutation(frame, writer, tensor, block, before=before, after=after))
        self.stack = ()

    def _through(
        self, frame: FrameType, writer: Instruction, candidates: Collection[TrackedTensor]
    ) -> TrackedTensor | None:
        """Return the tensor that the expression names, else the one with the shortest name."""
        if len(candidates) > 1:
            with torch._C.DisableTorchFunction():
                for value in expressions.receivers(writer.node, frame):
                    if issubclass(type(value), torch.Tensor):
                        assert isinstance(value, torch.Tensor)
                        known = self._ledger.tensors.get(value)
                        if known is not None and known in candidates:
                            return known
        return _shortest(candidates)

    def _note_rebased(self, frame: FrameType, writer: Instruction, view: TrackedTensor) -> None:
        """Note that a method in place, recorded, has given its view a new `grad_fn`."""
        if readings().knows_age or not torch.is_grad_enabled():
            return
        if expressions.is_method_in_place(writer.node):
            with torch._C.DisableTorchFunction():
                written = next(expressions.receivers(writer.node, frame), None)
                if written is view.tensor:
                    readings().note_fresh(view.tensor)

    def _mutation(
        self,
        frame: FrameType,
        writer: Instruction,
        tensor: TrackedTensor | None,
        block: Block | None,
        *,
        before: int | None = None,
        after: int | None = None,
    ) -> Mutation:
        at = writer.position
        with torch._C.DisableTorchFunction():
            op = expressions.operation(writer.node, frame)
        return Mutation(
            line=at.line,
            column=at.column,
            end_line=at.end_line,
            end_column=at.end_column,
            op=op,
            tensor=None if tensor is None else tensor.id,
            storage=None if block is None else block.id,
            before=before,
            after=after,
            chain=self._chain(frame, at.line),
        )

    def _chain(self, frame: FrameType, line: int) -> tuple[StackFrame, ...]:
        """Return the stack; none where the main module itself wrote, which has no callers."""
        before = self._files.before[frame.f_code.co_filename]
        if self.stack or (frame.f_code.co_name == "<module>" and not before):
            return self.stack
        return chain(frame, line - before)


def _shortest(candidates: Iterable[TrackedTensor]) -> TrackedTensor | None:
    named = [known for known in candidates if known.names]
    return min(
        named, key=lambda known: (len(known.names[0]), known.is_view, known.id), default=None
    )


def _block(counter: VersionCounter) -> Block | None:
    holders: list[TrackedTensor | SavedSlot] = [*counter.tensors, *counter.slots]
    return next((holder.block for holder in holders if holder.block is not None), None)


def chain(frame: FrameType | None, line: int) -> tuple[StackFrame, ...]:
    """Return the stack from the module that runs down to a frame, outermost first."""
    found: list[StackFrame] = []
    while frame is not None:
        code = frame.f_code
        if is_compiled_region(code):
            found.clear()  # the line that calls it did it
        elif not code.co_filename.startswith(RECORDER):
            found.append(StackFrame(file=code.co_filename, line=line, function=code.co_name))
        elif found and found[-1].function == "<module>":
            break  # what started the program
        frame = frame.f_back
        line = 0 if frame is None else frame.f_lineno
    return tuple(found[::-1])


Trace = Callable[[FrameType, str, object], object]


class LibraryTracer:
    """The trace function of foreign frames, for one visit of one line.

    A recording knows the line of the program that wrote, and the frames of the program above it.
    Where the write is spelled inside somebody else's code is looked for in a run of its own, and
    only while that one line runs: to follow every line of every library would cost more than the
    program.
    """

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
        if frame.f_code.co_filename.startswith(RECORDER):
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
            named = [
                each for each in variables(frame).values() if issubclass(type(each), torch.Tensor)
            ]
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
