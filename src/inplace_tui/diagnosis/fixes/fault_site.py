"""The place of the fault: the statements that take part in it, and the tensors they name."""

from __future__ import annotations

import ast
import itertools
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
from inplace_tui.common.syntax import (
    DOTTED,
    bindings,
    innermost_statement,
    names,
    names_read,
    names_stored,
    nodes,
    read_too_early,
)
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Text
from inplace_tui.diagnosis.fixes.expressions import (
    ONLY_IN_PLACE,
    arguments_of,
    is_assignable,
    is_in_place,
    is_pure_write,
    keyword,
    last_name,
)

MAX_VISITS = 3
"""Of a statement in a loop, that are looked at: names mean the same in all of them."""

MAX_COMPUTED = 12
"""Statements of a computation that is done again."""

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

    # How rewrites read expressions and calls, and edit the arguments of a call.

    def new_value(self, statement: ast.AugAssign) -> str:
        """Return `y + 1` for `y += 1`, in parentheses what is right of it where it needs them."""
        target, right = ast.unparse(statement.target), self.text.of(statement.value)
        whole = ast.unparse(ast.BinOp(statement.target, statement.op, statement.value))
        operator, alone = whole.removeprefix(target).split()[0], ast.unparse(statement.value)
        if "\n" in right or not whole.endswith(f"{operator} {alone}"):
            right = f"({right})"
        return f"{self.text.of(statement.target)} {operator} {right}"

    def written_and_new(self, node: ast.AST) -> tuple[ast.Name, str] | None:
        """Return the name that `y += 1` or `y.add_(1)` writes, and its value as an expression."""
        match node:
            case ast.Expr(value=value):
                return self.written_and_new(value)
            case ast.AugAssign(target=ast.Name() as name):
                return name, self.new_value(node)
            case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr=method)) if (
                is_in_place(method) and method not in ONLY_IN_PLACE
            ):
                rest = self.text.of(node).removeprefix(f"{name.id}.{method}")
                return name, f"{name.id}.{method[:-1]}{rest}"
            case _:
                return None

    def tensor_part(self, node: ast.AST, statement: ast.stmt) -> ast.expr | None:
        """Return the part of a chain that names a tensor: `y` of `y.data[0]`, `d[1]` of `d[1].T`.

        The shortest one, so that it is not some `.data` or `.T` of it; a gradient is one by itself.
        """
        chain: list[ast.expr] = []
        while isinstance(node, ast.expr):
            chain.append(node)
            match node:
                case ast.Subscript(value=value) | ast.Attribute(value=value):
                    node = value
                case ast.Call(func=ast.Attribute(value=value)):
                    node = value
                case _:
                    break
        named = [
            part
            for part in reversed(chain)
            if is_assignable(part)
            and (self.tensor(part, statement) is not None or self.had_memory(part))
        ]
        is_gradient = (
            len(named) > 1 and isinstance(named[1], ast.Attribute) and named[1].attr == "grad"
        )
        return None if not named else named[1 if is_gradient else 0]

    def written_parts(self, statement: ast.stmt) -> list[ast.expr]:
        """Return the names on a statement whose memory was written; its target, if not known."""
        named = {
            ast.unparse(part): part
            for node in self.parts(statement)
            if isinstance(node, DOTTED) and (part := self.tensor_part(node, statement)) is not None
        }
        shared = [part for name, part in named.items() if self.shares(name, statement)]
        return shared or [part for part in named.values() if self._is_target(statement, part)]

    def _is_target(self, statement: ast.stmt, part: ast.expr) -> bool:
        if isinstance(statement, ast.AugAssign):
            return statement.target is part or part in ast.walk(statement.target)
        if isinstance(statement, ast.Assign):
            return any(part in ast.walk(target) for target in statement.targets)
        parent = self.parent(part)
        return isinstance(parent, ast.Attribute) and (
            is_in_place(parent.attr) or parent.attr == "requires_grad"
        )

    def must_write(self, statement: ast.stmt) -> bool:
        """Whether a write is there for somebody else: a new tensor under its name would be lost.

        It writes an argument of a function that returns nothing, or a row that a loop goes through,
        or what called a hook, or what holds a leaf.
        """
        function = self.function(statement)
        hooks = self.calls_of("register_hook", "register_prehook")
        called_so = names(*(argument for call in hooks for argument in call.args))
        if self.updates_leaf(statement) or (function and function.name in called_so):
            return True
        # What is put into a dict or an object that somebody gave reaches them.
        written = {part.id for part in self.written_parts(statement) if isinstance(part, ast.Name)}
        returns = any(each.value is not None for each in nodes(ast.Return, function))
        if written & arguments_of(function) and not returns:
            return True
        loop = self.parent(statement)
        if not isinstance(loop, ast.For):
            return False
        behind = (
            loop.body[loop.body.index(statement) + 1 :] if statement in loop.body else loop.body
        )
        used = names(*(other for other in behind if not is_pure_write(other)))
        return bool(written & names(loop.target) - used)

    def calls_of(self, *called: str) -> Iterator[ast.Call]:
        """Yield the program's calls of functions or methods with one of some names."""
        return (node for node in nodes(ast.Call, self.tree) if last_name(node.func) in called)

    def bound_to(self, value: ast.expr) -> ast.expr:
        """Return what an expression is assigned to, or itself if that is nothing."""
        statement = self.statement_of(value)
        pairs = bindings(statement) if isinstance(statement, ast.Assign) else []
        return next((target for target, each in pairs if each is value), value)

    def without_argument(self, argument: ast.keyword) -> Edit:
        """Take an argument out of a call."""
        call = self.parent(argument)
        assert isinstance(call, ast.Call)
        parts = [part for each in (call.args, call.keywords) for part in each]
        kept = ", ".join(self.text.of(each) for each in parts if each is not argument)
        return self.text.replace(call, f"{self.text.of(call.func)}({kept})")

    def graphs_not_kept(self, *statements: ast.stmt) -> Iterator[Edit]:
        """Take `retain_graph` off backwards, or the last one, whose graphs nobody needs again."""
        for call in self.calls(*(statements or [self.reader])):
            kept = keyword(call, "retain_graph") if last_name(call.func) == "backward" else None
            if kept is not None:
                yield self.without_argument(kept)

    def set_argument(self, call: ast.Call, name: str, value: str) -> list[Edit]:
        """Give a keyword argument another value, or add it behind the others."""
        found = keyword(call, name)
        if found is not None:
            return [self.text.replace(found.value, value)]
        ends = [self.text.span(part)[1] for each in (call.args, call.keywords) for part in each]
        end = max(ends, default=self.text.span(call)[1] - 1)
        return [Edit(end, end, f", {name}={value}" if ends else f"{name}={value}")]

    def free_name(self, *wanted: str) -> str:
        """Return the first name that the program does not use; else the last with a number."""
        taken = names(self.tree)
        numbered = (f"{wanted[-1]}_{number}" for number in itertools.count(2))
        return next(name for name in itertools.chain(wanted, numbered) if name not in taken)

    def in_one_block(self, write: ast.stmt) -> tuple[ast.stmt, ast.stmt] | None:
        """Return the statements of one block that lead to a write, and then to its reader."""
        lines = (write, *self.callers(write))
        pairs = (self.in_order(each, reader) for each in lines for reader in self.reading)
        return next(filter(None, pairs), None)

    def runs_graph_again(self) -> bool:
        """Whether a graph is gone through twice: it was freed, or an update wrote in between."""
        stepped = bool(self.writes) and self.writes[0].is_step
        modified = self.verdict is Verdict.SAVED_TENSOR_MODIFIED
        return self.verdict is Verdict.GRAPH_FREED or (stepped and modified)

    def computing(self, above: Iterable[ast.stmt], needed: set[str]) -> list[ast.Assign]:
        """Return the assignments that computed, with a graph, what some names mean below them."""
        found: list[ast.Assign] = []
        for each in sorted(above, key=lambda each: each.lineno, reverse=True):
            if isinstance(each, ast.Assign):
                bound = names_stored(*each.targets)
                made = [
                    tensor
                    for name in bound & needed
                    for tensor in (self.made(name, each), *self.held_in(name, each))
                ]
                needed = needed - bound
                if any(tensor and isinstance(tensor.grad_fn, int) for tensor in made):
                    needed |= names_read(each)
                    found.insert(0, each)
        return found if len(found) <= MAX_COMPUTED else []


def span_of(node: ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _spelled(name: Named) -> str:
    return name if isinstance(name, str) else ast.unparse(name)
