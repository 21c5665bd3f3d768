"""The names of a program that is being written, and what kind of thing each is, as far as seen.

Kinds are dotted names: `torch.Tensor`, `torch.nn.Module`, `torch.nn` of a module, or
the name of a class of the program itself. "" is anything else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from inplace_tui.common.parsing import parse
from inplace_tui.common.run.torch_names import MODULE, TENSOR, Name, TorchNames
from inplace_tui.tutorial.editor.indentation import indentation

EMPTY = TorchNames(members={})
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass
class Names:
    """What is known of a program's names. `whole` is False where it could not be parsed."""

    torch_names: TorchNames = EMPTY
    kinds: dict[str, str] = field(default_factory=dict)
    classes: dict[str, dict[str, str]] = field(default_factory=dict)
    """Members of the program's own classes, with their kinds."""

    bases: dict[str, str] = field(default_factory=dict)
    whole: bool = True

    def members(self, kind: str) -> tuple[Name, ...]:
        return self.torch_names.members.get(self._outermost_base(kind), ())

    def own_members(self, kind: str) -> dict[str, str]:
        found: dict[str, str] = {}
        seen = set()
        while kind in self.classes and kind not in seen:
            seen.add(kind)
            found = {**self.classes[kind], **found}
            kind = self.bases.get(kind, "")
        return found

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
        own = self.own_members(kind)
        if attribute in own:
            return Name(name=attribute, kind="attribute", gives=own[attribute])
        found = (each for each in self.members(kind) if each.name == attribute)
        return next(found, Name(name=attribute, kind="", gives=""))

    def _called(self, func: ast.expr) -> str:
        if isinstance(func, ast.Attribute):
            member = self._member(self.kind_of(func.value), func.attr)
            if member.kind in ("function", "class"):
                return member.gives
        kind = self.kind_of(func)
        if isinstance(func, ast.Name) and func.id in self.classes:
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
            self._take_import(node)
            self._take_definition(node)
            self._take_binding(node)

    def _take_import(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.partition(".")[0]
                    self.kinds[alias.asname or top] = alias.name if alias.asname else top
            case ast.ImportFrom(module=module, names=aliases) if module is not None:
                for alias in aliases:
                    path = f"{module}.{alias.name}"
                    self.kinds[alias.asname or alias.name] = path
            case _:
                return

    def _take_binding(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, self.kind_of(value))
            case ast.AnnAssign(target=target, annotation=annotation, value=assigned):
                kind = "" if assigned is None else self.kind_of(assigned)
                self._bind(target, kind or self._annotated(annotation))
            case ast.AugAssign(target=ast.Name(id=name)):
                self.kinds.setdefault(name, "")
            case ast.For(target=target) | ast.comprehension(target=target):
                self._bind(target, "")
            case ast.withitem(optional_vars=target) if target is not None:
                self._bind(target, "")
            case ast.NamedExpr(target=target, value=value):
                self._bind(target, self.kind_of(value))
            case _:
                return

    def _take_definition(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.kinds.setdefault(name, "")
                self._take_arguments(node.args)
            case ast.Lambda(args=arguments):
                self._take_arguments(arguments)
            case ast.ExceptHandler(name=caught) if caught is not None:
                self.kinds.setdefault(caught, "")
            case _:
                return

    def _take_arguments(self, arguments: ast.arguments) -> None:
        others = (arguments.vararg, arguments.kwarg)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *others]
        for each in every:
            if each is not None:
                kind = "" if each.annotation is None else self._annotated(each.annotation)
                if kind or each.arg not in self.kinds:
                    self.kinds[each.arg] = kind

    def _take_class(self, node: ast.ClassDef) -> None:
        self.kinds[node.name] = ""
        for base in node.bases:
            name = ast.unparse(base)
            self.bases[node.name] = MODULE if name.endswith("Module") else name
        members = self.classes.setdefault(node.name, {})
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                members[each.name] = ""
                members |= {attribute: "" for attribute, _ in _given_to_self(each)}
            elif isinstance(each, ast.Assign):
                names = (target for target in each.targets if isinstance(target, ast.Name))
                members |= {target.id: "" for target in names}

    def take_selves(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            self.kinds["self"] = node.name
            for attribute, value in _given_to_self(node):
                self.classes[node.name][attribute] = self.kind_of(value)

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


def _given_to_self(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes that methods give to `self`, with what they are given."""
    for assign in ast.walk(node):
        if isinstance(assign, ast.Assign):
            for target in assign.targets:
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                    yield target.attr, assign.value


def names_in(source: str, row: int, torch_names: TorchNames) -> Names:
    """Return the names of a program, broken as it may be in the `row` (from 0) where one types."""
    names = Names(torch_names)
    lines = source.split("\n")
    tree = _parsed(lines, row)
    if tree is None:
        names.whole = False
        names.kinds = dict.fromkeys(_WORD.findall(source), "")
        tree = _parsed(lines[:row], row) or ast.Module([], [])
    names.take(tree)
    names.take_selves(tree)
    _enclosing(names, lines, row)
    return names


def _enclosing(names: Names, lines: list[str], row: int) -> None:
    """Let `self` be of the class that the line is in."""
    names.kinds.pop("self", None)
    deepest = len(indentation(lines[row])) if row < len(lines) else 0
    for above in range(min(row, len(lines) - 1), -1, -1):
        found = re.match(r"(\s*)class (\w+)", lines[above])
        if found and len(found.group(1)) < max(deepest, 1) and found.group(2) in names.classes:
            names.kinds["self"] = found.group(2)
            return


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
