"""The place of the fault: the statements that take part in it, and the tensors they name."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from typing import TypeAlias

from inplace_tui.common.blame import Blame
from inplace_tui.common.run.elements import size_of
from inplace_tui.common.run.lookup import calls_to, raising_step
from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.probes import Probed, Probes, Span
from inplace_tui.common.run.snapshot import Snapshot, Tensor
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.syntax import DOTTED, innermost_statement, nodes, read_too_early
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Text

MAX_VISITS = 3
"""Of a statement in a loop, that are looked at: names mean the same in all of them."""

MAX_WRITES = 4
"""Lines that wrote too late, of which each one is looked at."""

NO_PROBES = Probes()

Named: TypeAlias = "str | ast.AST"
"""A name as recordings have it, or what spells it."""


class FaultSite:
    """A program, its syntax tree, and what a run and its blame say of its lines.

    Raises:
        SyntaxError: it is not Python, or too deep; then there is nothing to rewrite.
    """

    def __init__(
        self,
        source: str,
        blame: Blame | None,
        timeline: Timeline,
        probes: Probes = NO_PROBES,
        *,
        lost: Sequence[str] = (),
    ) -> None:
        """Look at a program; `lost` are the parameters that no gradient reaches."""
        self.text = Text(source)
        self.lost = lost
        self.probes = probes
        self._probed = {each.place: each for each in probes.expressions}
        self.blame = blame
        self.timeline = timeline
        self.tree = self.text.tree
        self._names: dict[ast.stmt, tuple[dict[str, Tensor], dict[str, Tensor]]] = {}
        self.parent = {
            child: parent
            for parent in ast.walk(self.tree)
            for child in ast.iter_child_nodes(parent)
        }.get

    @cached_property
    def read_early(self) -> set[tuple[str, str]]:
        """The names that are read before they are bound: in loops, by the round before."""
        return read_too_early(self.tree)

    @property
    def verdict(self) -> Verdict | None:
        return None if self.blame is None else self.blame.verdict

    @property
    def writes(self) -> tuple[Mutation, ...]:
        return () if self.blame is None else self.blame.writes

    @cached_property
    def raised(self) -> ast.stmt | None:
        outcome = self.timeline.outcome
        return self.statement(outcome.line) if isinstance(outcome, Raised) else None

    @cached_property
    def reader(self) -> ast.stmt | None:
        """The statement that needed what was changed: mostly a backward."""
        line = None if self.blame is None else self.blame.reader
        return self.raised if line is None else self.statement(line)

    @cached_property
    def culprits(self) -> tuple[ast.stmt, ...]:
        """The statements that wrote, the first one first; where nobody is blamed, that raised."""
        found = [each for write in self.writes for each in self.at(write)]
        if self.blame is not None and self.blame.cut is not None:
            found += self.on(self.blame.cut)
        if not found:
            places = {(event.line, event.column): event for event in self.timeline.mutations()}
            wrote = (each for event in reversed(places.values()) for each in self.at(event))
            found = [*([self.raised] if self.raised else []), *wrote]
            found = [each for each in found if each is self.raised or each is not self.reader]
        return tuple(dict.fromkeys(found))[:MAX_WRITES]

    @cached_property
    def saver(self) -> ast.stmt | None:
        saver = None if self.blame is None else self.blame.saver
        return None if saver is None else self.statement(saver.line)

    @cached_property
    def storages(self) -> frozenset[int]:
        """What was written."""
        return frozenset(write.storage for write in self.writes if write.storage is not None)

    @cached_property
    def written_bytes(self) -> int:
        """Bytes of the storages written at fault: what out-of-place copies take."""
        before = self.timeline.at(max(0, min(self.fault, len(self.timeline)) - 1))
        return sum(before.storages[each].nbytes for each in self.storages & set(before.storages))

    @cached_property
    def fault(self) -> int:
        """The index of the step at which things went wrong; the number of steps if unknown."""
        for write in self.writes:
            if (step := self.step_of(write)) is not None:
                return step.index if step.raised is None else step.began
        raising = raising_step(self.timeline)
        last = len(self.timeline) if raising is None else raising.began
        if self.writes:
            return last
        if raising is None and self.blame is not None and self.blame.verdict.is_warning:
            visits = self.timeline.index.visits.get(self.blame.reader or 0, ())
            return self.timeline.steps[visits[0]].began if visits else last
        # Nobody is blamed: anything that was written may have been the fault.
        wrote = (step.index for step in self.timeline.steps[:last] if step.mutations)
        return next(wrote, last)

    def step_of(self, write: Mutation) -> Step | None:
        """Return the step that wrote; None for a write that torch refused."""
        of_line = [self.timeline.steps[i] for i in self.timeline.index.visits.get(write.line, ())]
        for step in of_line:
            if any(event is write or event == write for event in step.events):
                return step
        return of_line[-1] if of_line and write.op is None else None

    def probed(self, node: ast.expr) -> Probed | None:
        """Return what an expression was when the program ran with probes."""
        return self._probed.get(span_of(node))

    def bytes_of(self, node: ast.expr, statement: ast.stmt) -> int:
        """Return what a copy of an expression takes."""
        tensor, probed = self.tensor(node, statement), self.probed(node)
        if tensor is not None:
            return math.prod(tensor.shape) * size_of(tensor.dtype)
        return 0 if probed is None else probed.nbytes

    def had_memory(self, node: ast.AST) -> bool:
        """Whether an expression was seen to be a tensor with the memory at fault."""
        found = self.probed(node) if isinstance(node, ast.expr) else None
        if found is None or found.kind != "tensor":
            return False
        verdict = self.verdict
        refused = verdict is None or verdict.is_refused_write or verdict.is_about_inference
        return bool(found.changed) or (found.refused and refused)

    @cached_property
    def expressions(self) -> dict[Span, ast.expr]:
        return {span_of(each): each for each in nodes(ast.expr, self.tree)}

    def statement(self, line: int | None) -> ast.stmt | None:
        return innermost_statement(self.tree, line)

    def at(self, write: Mutation) -> list[ast.stmt]:
        """Return the statement that wrote; all of the line's where its column is not known."""
        place = (write.line, write.column or 0)
        return [
            each
            for each in self.on(write.line)
            if write.column is None
            or (each.lineno, each.col_offset)
            <= place
            < (each.end_lineno or 0, each.end_col_offset or 0)
        ]

    def on(self, line: int) -> list[ast.stmt]:
        """Return the innermost statements of a line: more than one where it has semicolons."""
        innermost = self.statement(line)
        if innermost is None:
            return []
        block = self.block(innermost)
        return [each for each in block if each.lineno <= line <= (each.end_lineno or 0)]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node is part of, the nearest first."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def loops_around(self, node: ast.AST) -> Iterator[ast.For | ast.While]:
        """Yield the loops that a node is part of, the nearest first."""
        return (each for each in self.around(node) if isinstance(each, ast.For | ast.While))

    def statement_of(self, node: ast.AST) -> ast.stmt:
        nearest = (each for each in (node, *self.around(node)) if isinstance(each, ast.stmt))
        return next(nearest)

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        found = (each for each in self.around(node) if isinstance(each, ast.FunctionDef))
        return next(found, None)

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        parent = self.parent(statement)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                return block
        return [statement]

    def in_order(self, first: ast.stmt, second: ast.stmt) -> tuple[ast.stmt, ast.stmt] | None:
        """Return the statements of one block that two are part of, if the first comes first."""
        for mine in self._compound(first):
            block = self.block(mine)
            for its in self._compound(second):
                if its in block:
                    return (mine, its) if mine.lineno < its.lineno else None
        return None

    def _compound(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return a statement and the compound ones around it, no further than its function."""
        ends = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        around = takewhile(lambda each: not isinstance(each, ends), self.around(statement))
        return [statement, *(each for each in around if isinstance(each, ast.stmt))]

    def parts(self, statement: ast.stmt) -> Iterator[ast.AST]:
        """Yield the nodes of a statement, of a compound one those of its header."""
        yield statement
        for each in ast.iter_child_nodes(statement):
            if not isinstance(each, ast.stmt | ast.ExceptHandler | ast.match_case):
                yield from ast.walk(each)

    def calls(self, *statements: ast.stmt | None) -> Iterator[ast.Call]:
        """Yield the calls of statements, of compound ones those of their headers."""
        for statement in statements:
            for node in () if statement is None else self.parts(statement):
                if isinstance(node, ast.Call):
                    yield node

    def steps(self, statement: ast.stmt) -> list[int]:
        """Return the steps that ran a statement, up to the fault."""
        visits = self.timeline.index.visits.get(statement.lineno, ())
        return [index for index in visits if index <= self.fault] or list(visits[:1])

    def callers(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the statements whose calls led to the last run of one, the nearest first."""
        return self._callers_of([self.timeline.steps[each] for each in self.steps(statement)[-1:]])

    @cached_property
    def reading(self) -> tuple[ast.stmt, ...]:
        """The statement that needed what was changed, and those whose calls led to it."""
        if self.reader is None:
            return ()
        raising = raising_step(self.timeline) if self.reader is self.raised else None
        above = self.callers(self.reader) if raising is None else self._callers_of([raising])
        return (self.reader, *above)

    def _callers_of(self, steps: list[Step]) -> list[ast.stmt]:
        calls = (call for each in steps for call in calls_to(self.timeline, each))
        return list(filter(None, (self.statement(each.line) for each in calls)))

    def tensor(self, name: Named, statement: ast.stmt) -> Tensor | None:
        """Return the tensor that a name meant when a statement ran last: before, or else after."""
        return self._named(statement)[0].get(_spelled(name))

    def made(self, name: Named, statement: ast.stmt) -> Tensor | None:
        """Return the tensor that a name meant after a statement had run last, or else before."""
        return self._named(statement)[1].get(_spelled(name))

    def _named(self, statement: ast.stmt) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Return what each name meant around the last visits: a new frame has names after one."""
        found = self._names.get(statement)
        if found is None:
            found = {}, {}
            for index in reversed(self.steps(statement)[-MAX_VISITS:]):
                before, after = (seen.by_name for seen in self._seen(index))
                found = after | before | found[0], before | after | found[1]
            self._names[statement] = found
        return found

    def _seen(self, index: int) -> tuple[Snapshot, Snapshot]:
        return self.timeline.at(self.timeline.steps[index].began - 1), self.timeline.at(index)

    def shares(self, name: Named, statement: ast.stmt) -> bool:
        """Whether a name means, or lies in, memory that was written."""
        if isinstance(name, ast.AST) and self.had_memory(name):
            return True
        tensor = self.tensor(name, statement)
        return tensor is not None and tensor.storage in self.storages

    def updates_leaf(self, statement: ast.stmt) -> bool:
        """Whether a leaf was updated unrecorded: its update must reach whoever else holds it.

        A new tensor under the name that stands there, often a loop's, would lose the update.
        """
        if self.blame is None or self.blame.verdict.is_refused_write:
            return False
        named = (self.tensor(e, statement) for e in self.parts(statement) if isinstance(e, DOTTED))
        # A write that was only seen by its version counter has no storage.
        return any(
            each.takes_gradient
            for each in named
            if each is not None and (not self.storages or each.storage in self.storages)
        )

    def names(self, statement: ast.stmt) -> Iterable[str]:
        return self._named(statement)[1]

    def held_in(self, name: Named, statement: ast.stmt) -> list[Tensor]:
        """Return the tensors that are part of what a name means: a module's parameters."""
        snapshots = (each for i in self.steps(statement)[-1:] for each in self._seen(i))
        held = (tensor for each in snapshots for tensor in each.held_in(_spelled(name)))
        return list({tensor.id: tensor for tensor in held}.values())


def span_of(node: ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _spelled(name: Named) -> str:
    return name if isinstance(name, str) else ast.unparse(name)
