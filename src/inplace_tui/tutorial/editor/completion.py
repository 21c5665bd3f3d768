"""What may come next where one types: names and members that begin so."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from inplace_tui.common.run.snapshot import Snapshot, Tensor
from inplace_tui.common.run.torch_names import MODULE, TENSOR, Name, TorchNames
from inplace_tui.common.syntax import parse
from inplace_tui.tutorial.editor.indentation import code_of, indentation

EMPTY = TorchNames(members={})
_WORD = re.compile(r"[^\W\d]\w*")

MIN_PREFIX = 2
"""Letters of a name before anything is proposed unasked."""

_TYPED = re.compile(r"(\.\s*)?([^\W\d]\w*)?$")


@dataclass
class Names:
    """What is known of a program's names."""

    torch_names: TorchNames = EMPTY
    kinds: dict[str, str] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    """Of the program's own classes: members are proposed of what torch has below them."""

    def members(self, kind: str) -> tuple[Name, ...]:
        return self.torch_names.members.get(self._outermost_base(kind), ())

    def kind_of(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                kind = self.kinds.get(name, "")
            case ast.Attribute(value=value, attr=attribute):
                kind = self._member(self.kind_of(value), attribute).gives
            case ast.Call(func=func):
                kind = self._called(func)
            case ast.BinOp(left=left, right=right):
                kind = TENSOR if TENSOR in (self.kind_of(left), self.kind_of(right)) else ""
            case ast.UnaryOp(operand=value) | ast.Subscript(value=value):
                kind = TENSOR if self.kind_of(value) == TENSOR else ""
            case ast.NamedExpr(value=value):
                kind = self.kind_of(value)
            case _:
                kind = ""
        return kind

    def _member(self, kind: str, attribute: str) -> Name:
        found = (each for each in self.members(kind) if each.name == attribute)
        return next(found, Name(name=attribute, kind="", gives=""))

    def _called(self, func: ast.expr) -> str:
        if isinstance(func, ast.Attribute):
            member = self._member(self.kind_of(func.value), func.attr)
            if member.kind in ("function", "class"):
                return member.gives
        kind = self.kind_of(func)
        if isinstance(func, ast.Name) and func.id in self.bases:
            return func.id
        # A module that is called is a layer, and gives what layers give.
        is_layer = self._outermost_base(kind) == MODULE
        return TENSOR if is_layer else self._imported(func)

    def _outermost_base(self, kind: str) -> str:
        seen = set()
        while kind in self.bases and kind not in seen:
            seen.add(kind)
            kind = self.bases[kind]
        return kind

    def _imported(self, func: ast.expr) -> str:
        if not isinstance(func, ast.Name):
            return ""
        owner, _, name = self.kinds.get(func.id, "").rpartition(".")
        return self._member(owner, name).gives if owner else ""

    # Reading.

    def take(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                self._take_class(node)
        for node in ast.walk(tree):
            self._take_names(node)

    def _take_names(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.partition(".")[0]
                    self.kinds[alias.asname or top] = alias.name if alias.asname else top
            case ast.ImportFrom(module=module, names=aliases) if module is not None:
                for alias in aliases:
                    self.kinds[alias.asname or alias.name] = f"{module}.{alias.name}"
            case ast.arguments():
                self._take_arguments(node)
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ExceptHandler(name=str(name))
                | ast.AugAssign(target=ast.Name(id=name))
            ):
                self.kinds.setdefault(name, "")
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, self.kind_of(value))
            case ast.AnnAssign(target=target, annotation=annotation, value=assigned):
                kind = "" if assigned is None else self.kind_of(assigned)
                self._bind(target, kind or self._annotated(annotation))
            case ast.NamedExpr(target=target, value=value):
                self._bind(target, self.kind_of(value))
            case (
                ast.For(target=target)
                | ast.comprehension(target=target)
                | ast.withitem(optional_vars=ast.expr() as target)
            ):
                self._bind(target, "")
            case _:
                return

    def _take_arguments(self, arguments: ast.arguments) -> None:
        for each in ast.iter_child_nodes(arguments):
            if isinstance(each, ast.arg):
                kind = "" if each.annotation is None else self._annotated(each.annotation)
                if kind or each.arg not in self.kinds:
                    self.kinds[each.arg] = kind

    def _take_class(self, node: ast.ClassDef) -> None:
        self.kinds[node.name] = ""
        for base in node.bases:
            name = ast.unparse(base)
            self.bases[node.name] = MODULE if name.endswith("Module") else name

    def _bind(self, target: ast.expr, kind: str) -> None:
        match target:
            case ast.Name(id=name):
                self.kinds[name] = kind
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._bind(part, "")
            case ast.Starred(value=value):
                self._bind(value, "")
            case _:
                return  # an attribute or an item: no name

    def _annotated(self, annotation: ast.expr) -> str:
        written = ast.unparse(annotation).strip("'\"")
        return TENSOR if written.rpartition(".")[2] in ("Tensor", "Parameter") else ""


def names_in(source: str, row: int, torch_names: TorchNames) -> Names:
    """Return the names of a program, broken as it may be in the `row` (from 0) where one types."""
    names = Names(torch_names)
    lines = source.split("\n")
    tree = _parsed(lines, row)
    if tree is None:
        names.kinds = dict.fromkeys(_WORD.findall(source), "")
        tree = _parsed(lines[:row], row) or ast.Module([], [])
    names.take(tree)
    return names


def _parsed(lines: list[str], row: int) -> ast.Module | None:
    """Parse a program, without the line that is being typed if that is what is wrong."""
    without = list(lines)
    if row < len(without):
        without[row] = indentation(without[row]) + "pass"
    for text in ("\n".join(lines), "\n".join(without)):
        try:
            return parse(text)
        except SyntaxError:
            continue
    return None


@dataclass(frozen=True)
class Completion:
    """One way to go on."""

    text: str
    tensor: Tensor | None = None
    """What has this name in the last run."""

    name: Name | None = None
    """What torch says of it."""

    of: str = ""
    """The dotted name of what torch has it in."""

    rank: int = 0


@dataclass(frozen=True)
class TypedName:
    """What stands before the cursor: `y.ex` is `ex` of `y`."""

    prefix: str
    of: str | None = None
    """The expression before the dot; None where there is no dot."""


def typed_name(before: str) -> TypedName | None:
    """Return the name that is being typed at the end of a line; None in strings and comments.

    >>> typed_name("z = y.ex"), typed_name("f(torch."), typed_name("# no")
    (TypedName(prefix='ex', of='y'), TypedName(prefix='', of='torch'), None)
    """
    if code_of(before).text:
        return None
    found = _TYPED.search(before)
    if found is None:
        return None
    dot, prefix = found.group(1), found.group(2) or ""
    if dot is None:
        behind = before[: len(before) - len(prefix)]
        return None if behind[-1:].isalnum() or not prefix else TypedName(prefix)
    of = _expression(before[: found.start()])
    return TypedName(prefix, of) if of else None


def completions(names: Names, what: TypedName, snapshot: Snapshot) -> list[Completion]:
    tensors = {
        name: tensor
        for tensor in snapshot.tensors.values()
        for name in tensor.names
        if ":" not in name
    }
    found = _members(names, what.of, tensors) if what.of else _names(names, tensors)
    return sorted(found, key=lambda each: (each.rank, each.text.startswith("_"), each.text))


def beginning(found: Iterable[Completion], prefix: str) -> list[Completion]:
    """Return those that begin so; capitals count only if some are typed."""
    exact = prefix != prefix.lower()
    fitting = [
        each for each in found if (each.text if exact else each.text.lower()).startswith(prefix)
    ]
    if not prefix.startswith("_"):
        fitting = [each for each in fitting if not each.text.startswith("_")]
    return [] if [each.text for each in fitting] == [prefix] else fitting


def _names(names: Names, tensors: Mapping[str, Tensor]) -> list[Completion]:
    found = {name: Completion(name, rank=1) for name in names.kinds}
    for path, tensor in tensors.items():
        if path.isidentifier():
            found[path] = Completion(path, tensor=tensor)
    for name in (*keyword.kwlist, *dir(builtins)):
        found.setdefault(name, Completion(name, rank=2))
    return list(found.values())


def _members(names: Names, of: str, tensors: Mapping[str, Tensor]) -> list[Completion]:
    found: dict[str, Completion] = {}
    kind = _kind(names, of)
    parts = {path[len(of) + 1 :]: t for path, t in tensors.items() if path.startswith(f"{of}.")}
    if not kind and of in tensors:
        kind = TENSOR
    elif not kind and any(tensor.is_parameter for tensor in parts.values()):
        kind = MODULE
    for each in names.members(kind):
        found[each.name] = Completion(each.name, name=each, of=kind, rank=1)
    for path, tensor in parts.items():
        head = re.match(r"\w+", path)
        if head is not None:
            whole = head.group() == path
            found[head.group()] = Completion(head.group(), tensor=tensor if whole else None)
    return list(found.values())


def _kind(names: Names, of: str) -> str:
    try:
        body = parse(of).body
    except SyntaxError:
        return ""
    return names.kind_of(body[0].value) if body and isinstance(body[0], ast.Expr) else ""


def _expression(before: str) -> str:
    """Return the expression that a text ends with: names, calls and items joined by dots.

    >>> _expression("z = f(x).add(y[0])"), _expression("a + b")
    ('f(x).add(y[0])', 'b')
    """
    place, end = len(before.rstrip()), len(before.rstrip())
    while place > 0:
        letter = before[place - 1]
        if letter in ")]":
            opened = _opening(before, place - 1)
            if opened is None:
                break
            place = opened
        elif letter.isalnum() or letter in "_.":
            place -= 1
        else:
            break
    return before[place:end].lstrip(".")


def _opening(before: str, closing: int) -> int | None:
    depth = 0
    for place in range(closing, -1, -1):
        depth += (before[place] in ")]}") - (before[place] in "([{")
        if depth == 0:
            return place
    return None
