"""Finds, by identity, which expressions of a program are the tensors that a fault is about.

Each expression of the program's own files is wrapped, in the tree that is compiled, in a call
that passes its value on and notes which memory, which node and which module that is. Their
places stay. What was saved is compared with its clone when a backward reads it: where it
changed, all expressions that had its memory are found.
"""

from __future__ import annotations

import ast
import builtins
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from itertools import islice
from types import CodeType
from typing import Any, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import torch
from torch._C._autograd import _get_sequence_nr

from inplace_tui.common.run.outcome import Outcome, Raised
from inplace_tui.common.run.probes import Carried, Probed, Probes, Span
from inplace_tui.diagnosis.record.compat import engine, engine_replaced
from inplace_tui.diagnosis.record.process.own_files import OwnFiles, compiled
from inplace_tui.diagnosis.record.replay.gradients import Gradients, Root, reachable
from inplace_tui.diagnosis.record.state.safe_reads import detached, is_opaque, outside_modes

NAME = "inplace_tui_probe"
"""What the program calls. With two underscores in front, a class would give it another name."""

MAX_HELD = 64
"""Tensors of a container that are looked at."""

MAX_CHANGED = 32
"""Saved tensors, and carried ones, that are told of."""

MAX_LATEST = 64
"""Tensors that the statement which raised may have been given."""

WRAPPED = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.IfExp)

_storage_of = torch.Tensor.untyped_storage
"""The program's own calls of it are noticed by the replay."""

T = TypeVar("T")


class _Wrapper(ast.NodeTransformer):
    """Wraps expressions, and gives each a number."""

    def __init__(self, before: int, places: list[Span]) -> None:
        self._before = before
        self._places = places

    def visit(self, node: ast.AST) -> Any:
        match node:
            # Of an f-string, Python 3.11 doesn't know the places; an `arg` has annotations only.
            case ast.JoinedStr() | ast.pattern() | ast.arg() | ast.Call(func=ast.Name(id="super")):
                pass
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                node.body = [self.visit(each) for each in node.body]
                if not isinstance(node, ast.ClassDef):
                    node.args = self.visit(node.args)
            case ast.AnnAssign(value=ast.expr() as value):
                node.value = self.visit(value)
            case _:
                return self._wrapped(self.generic_visit(node))
        return node

    def _wrapped(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, WRAPPED) or isinstance(getattr(node, "ctx", None), _WRITES):
            return node
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        number, before = len(self._places), self._before
        self._places.append((node.lineno + before, node.col_offset, end_line + before, end_column))
        call = ast.Call(ast.Name(NAME, ast.Load()), [ast.Constant(number), node], [])
        for new in (call, call.func, call.args[0]):
            ast.copy_location(new, node)
        return call


_WRITES = (ast.Store, ast.Del)


class Noted(NamedTuple):
    """What an expression was."""

    kind: str
    nbytes: int
    clock: int


Seen: TypeAlias = dict[int, Noted]
"""What the expressions were that had one memory, by their numbers."""


class SavedTensor:
    """What a node saved, to be compared with its clone when backward reads it."""

    def __init__(self, probes: Expressions, tensor: torch.Tensor, seen: Seen) -> None:
        self._probes = probes
        self._alias = detached(tensor)
        # `tensor.data = other` gives it other memory; one with a graph would hold itself.
        self._tensor = None if tensor.requires_grad and not tensor.is_leaf else tensor
        self._version = tensor._version
        self.seen = seen
        self.lines = probes.files.lines()
        self.owners: Seen = {}
        """The expressions that were modules with this memory, where it changed."""

    def compare(self, clone: torch.Tensor) -> None:
        """Note it as changed, if it is."""
        with outside_modes(), suppress(Exception):
            changed = self._alias._version != self._version
            if not changed and self._probes.by_value:
                now = self._alias if self._tensor is None else detached(self._tensor)
                changed = not torch.equal(now, clone) and (
                    now.shape != clone.shape or not torch.allclose(now, clone, 0, 0, equal_nan=True)
                )
            if changed:
                self._probes.add_changed(self)


class Expressions:
    """What the expressions of a program were, as far as a fault is about it."""

    def __init__(self, files: OwnFiles, by_value: bool) -> None:
        self.files = files
        self.by_value = by_value
        self._places: list[Span] = []
        self._modules: WeakKeyDictionary[torch.nn.Module, set[int]] = WeakKeyDictionary()
        self._changed: list[SavedTensor] = []
        self._carried: list[Seen] = []
        self._latest: deque[tuple[int, Seen]] = deque(maxlen=MAX_LATEST)
        """The last tensors that were looked at."""

        self._clock = 0
        """Counts the tensors that expressions were or held."""

        self._ended_at: list[int] = []
        """What the clock was when each backward ended."""

        self._first_new = 0
        """The number of the first node that was made after the last backward ended."""

    def compiled(self, text: str, path: str) -> CodeType:
        """Compile one of the program's files, with its expressions wrapped."""
        with suppress(RecursionError):
            tree = ast.parse(text, path)
            self.wrap(tree, path)
            return compile(tree, path, "exec", dont_inherit=True)
        return compiled(text, path)

    def wrap(self, tree: ast.Module, path: str) -> None:
        """Wrap the expressions in the tree of one of the program's files."""
        if "compile" not in self.files.text:  # that would take ours for a part of the program
            _Wrapper(self.files.before[path], self._places).visit(tree)
            vars(builtins)[NAME] = self.look

    def look(self, number: int, value: T) -> T:
        """Note what the value of an expression is, and return it."""
        with suppress(Exception):
            if isinstance(value, torch.Tensor):
                self._note_tensor(number, value, "tensor")
            elif isinstance(value, torch.nn.Module):
                self._modules.setdefault(value, set()).add(number)
            elif type(value) in (tuple, list, dict):
                held: Any = value.values() if isinstance(value, dict) else value
                for each in islice(held, MAX_HELD):
                    if isinstance(each, torch.Tensor):
                        self._note_tensor(number, each, type(value).__name__)
        return value

    def _note_tensor(self, number: int, tensor: torch.Tensor, kind: str) -> None:
        if is_opaque(tensor):
            return
        with outside_modes():
            self._clock += 1
            noted = Noted(kind, tensor.numel() * tensor.element_size(), self._clock)
            seen = self._seen(tensor)
            seen.setdefault(number, noted)
            self._latest.append((number, seen))
            if tensor.requires_grad and (node := tensor.grad_fn) is not None:
                node.metadata.setdefault(NAME, {})[number] = noted

    def _seen(self, tensor: torch.Tensor) -> Seen:
        """Return what is known of a tensor's memory, kept where that is known of."""
        found: Seen = vars(_storage_of(tensor)).setdefault(NAME, {})
        return found

    # What was saved.

    def saved(self, tensor: torch.Tensor) -> SavedTensor | None:
        """Remember a tensor that a node saves; None where it can't be compared."""
        if is_opaque(tensor) or tensor.is_inference():
            return None
        with outside_modes(), suppress(Exception):
            return SavedTensor(self, tensor, self._seen(tensor))
        return None

    def add_changed(self, saved: SavedTensor) -> None:
        known = any(e.lines == saved.lines and e.seen is saved.seen for e in self._changed)
        if not known and len(self._changed) < MAX_CHANGED:
            self._changed.append(saved)
            # When the program has ended, those of a function are gone.
            saved.owners = self._modules_with(saved.seen)

    # What crosses a backward.

    def watched(self) -> AbstractContextManager[None]:
        """Look after each backward that failed, or read what had changed, where its graph began."""
        run_engine = engine()

        def run_backward(roots: Sequence[Root], *args: object, **options: object) -> Gradients:
            changed = len(self._changed)
            failed = True
            try:
                result = run_engine(roots, *args, **options)
                failed = len(self._changed) > changed
                return result
            finally:
                with outside_modes(), suppress(Exception):
                    if failed:
                        self._note_crossing(roots)
                self._ended_at.append(self._clock)
                self._first_new = _get_sequence_nr()

        return engine_replaced(run_backward)

    def _note_crossing(self, roots: Sequence[Root]) -> None:
        """Note the values from before the last backward that the graph goes on from."""
        first = {each.grad_fn for each in roots if isinstance(each, torch.Tensor)}
        for node in reachable(roots):
            if node._sequence_nr() >= self._first_new:
                ahead = [below for below, _ in node.next_functions if below is not None]
            else:
                ahead = [node] if node in first else []
            for each in ahead:
                noted = each.metadata.get(NAME) if each._sequence_nr() < self._first_new else None
                if noted and len(self._carried) < MAX_CHANGED:
                    self._carried.append(noted)

    # The end.

    def found(self, outcome: Outcome) -> Probes:
        """Return what is known when the program has ended so."""
        changed = list(dict.fromkeys(each.lines for each in self._changed))
        of: dict[int, set[int]] = {}
        noted: Seen = {}
        for each in self._changed:
            had = each.seen | each.owners
            noted = had | noted
            for number in had:
                of.setdefault(number, set()).add(changed.index(each.lines))
        refused = self._refused(outcome)
        for found in (refused, *self._carried):
            noted = found | noted
        expressions = [
            Probed(
                place=self._places[number],
                kind=each.kind,
                nbytes=each.nbytes,
                changed=tuple(sorted(of.get(number, ()))),
                refused=number in refused,
            )
            for number, each in sorted(noted.items())
        ]
        return Probes(
            changed=tuple(changed),
            expressions=tuple(expressions),
            carried=tuple(map(self._crossed, self._carried)),
        )

    def _refused(self, outcome: Outcome) -> Seen:
        """Return the expressions with memory that the statement which raised was given."""
        if not isinstance(outcome, Raised) or outcome.in_backward:
            return {}
        found: Seen = {}
        for number, seen in self._latest:
            first, _, last, _ = self._places[number]
            if first <= (outcome.line or 0) <= last:
                found |= seen
        return found

    def _crossed(self, noted: Seen) -> Carried:
        """Tell what was computed before the backward that a value crossed from what was after."""
        ordered = sorted(noted.items(), key=lambda pair: pair[1].clock)
        crossed = [at for at in self._ended_at if at < ordered[-1][1].clock]
        border = crossed[-1] if crossed else 0
        made = [self._places[number] for number, each in ordered if each.clock <= border]
        read = [self._places[number] for number, each in ordered if each.clock > border]
        return Carried(made=tuple(made), read=tuple(read))

    def _modules_with(self, seen: Seen) -> Seen:
        """Return the expressions that were modules with this memory, and how much they have."""
        found: Seen = {}
        for module, numbers in list(self._modules.items()):
            with suppress(Exception):
                parameters = list(module.parameters())
                if any(self._seen(each) is seen for each in parameters):
                    noted = Noted("module", sum(each.nbytes for each in parameters), 0)
                    found |= dict.fromkeys(numbers, noted)
        return found
