"""Which module wrote or saved, where a line runs one: its path, class, and the line that made it.

Read from the text of the program: what `nn.Sequential(…)` and its like are made of, by path. A
stack tells the class; where two of it could have run, none is named.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.run.outcome import StackFrame
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.source_text import statement_on
from inplace_tui.common.syntax import DOTTED, around, bindings, nodes, parsed

CONTAINERS = frozenset({"Sequential", "ModuleList"})

_POSITIONAL = {
    **dict.fromkeys(("ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardswish", "Hardsigmoid"), 0),
    **dict.fromkeys(("ELU", "CELU", "LeakyReLU"), 1),
    **dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"), 1),
    **dict.fromkeys(("Hardtanh", "Threshold"), 2),
}
"""Modules that take `inplace` also as an argument of this number."""


class Module(msgspec.Struct, frozen=True, kw_only=True):
    """A module as the program's text makes it."""

    path: str
    """From the line that runs it: `self.reduce[2]`, `net["head"][0]`."""

    line: int
    """That makes it, in the joined text of all files."""

    kind: str
    """Its class alone."""

    in_place: bool
    is_hooked: bool = False
    """It was not the module that wrote, but a hook on it."""

    @property
    def name(self) -> str:
        """Its class, with `inplace=True` if it is made so: `Dropout(inplace=True)`."""
        return f"{self.kind}(inplace=True)" if self.in_place else self.kind


class Modules(msgspec.Struct, frozen=True, kw_only=True):
    """Who wrote, and who had saved what was written; None where that was no module, or unknown."""

    writer: Module | None = None
    saver: Module | None = None


@lru_cache(maxsize=8)
def modules_of(source: str, blame: Blame) -> Modules:
    """Return the modules that a blame is about; found once, since each step on a screen asks."""
    if not blame.writes:
        return Modules()
    first, saver = blame.writes[0], blame.saver
    made = _made(source, first.line)
    wrote, hooked = _writer(source, first, made), _hooked(source, first, made)
    saved = None
    if saver is not None and saver.line is not None:
        saved = _saver(source, saver, first, wrote, _made(source, saver.line))
    return Modules(writer=hooked or wrote, saver=saved)


def _hooked(source: str, write: Mutation, made: tuple[Module, ...]) -> Module | None:
    """Return the module on which the function that wrote is registered as a hook."""
    names = {each.function for each in write.chain if each.line == write.line}
    if not names:
        return None
    paths = {
        _spelled(function.value)
        for node in nodes(ast.Call, parsed(source))
        if isinstance(function := node.func, ast.Attribute)
        if function.attr.startswith("register_") and "hook" in function.attr
        for hook in node.args[:1]
        if ast.unparse(hook).rpartition(".")[2] in names
    }
    found = [each for each in made if each.path in paths]
    return msgspec.structs.replace(found[0], is_hooked=True) if len(found) == 1 else None


def _writer(source: str, write: Mutation, made: tuple[Module, ...]) -> Module | None:
    called = list(_called(source, write))
    under = [each for each in made if _is_under(each.path, called)]
    found = [each for each in under if each.in_place or each.kind.startswith("Embedding")]
    ran = _ran(write)
    if ran is None:
        return None
    exact = [each for each in found if _plain(each.kind) in ran]
    # What a class of torch's is made of stands in a file that is named as the class is.
    files = [each.rpartition("/")[2][:-3] for each in _files_of_torch(write.chain)]
    stems = tuple({*map(_plain, files)} - {"module"})
    of_library = [e for e in made if e.path in called and _plain(e.kind).startswith(stems)]
    return next((each[0] for each in (exact, found, of_library) if len(each) == 1), None)


def _files_of_torch(stack: Sequence[StackFrame]) -> list[str]:
    """Return the files of a stack in which torch defines its modules."""
    files = (each.file.replace("\\", "/") for each in stack)
    return [each for each in files if "/torch/nn/modules/" in each]


def _ran(write: Mutation) -> frozenset[str] | None:
    """Return how what ran may be called; None where it was no module."""
    own = [at for at, each in enumerate(write.chain) if each.line == write.line]
    inner = write.chain[own[-1] + 1 :] if own else ()
    within = _files_of_torch(inner)
    if not (write.op is None or write.op.endswith(".__call__") or within):
        return None
    names = {each.function for each in inner} | {(write.op or "").partition(".")[0]}
    return frozenset(map(_plain, names))


def _saver(
    source: str, saver: Saver, write: Mutation, wrote: Module | None, made: tuple[Module, ...]
) -> Module | None:
    called = list(_called(source, saver))
    node = _plain(re.sub(r"Backward\d*$", "", saver.node))
    kinds = _KINDS.get(node, (node,))
    saved = (saver.tensor or "").replace("'", '"')
    # Of the modules that a line runs, a weight is used by the one that has it.
    having = [each for each in called if _is_under(saved, [each])]
    within = [each for each in made if _is_under(each.path, having or called)]
    owners = [each.path for each in within if _is_under(saved, [each.path])]
    alike = [each for each in within if _plain(each.kind).startswith(kinds)]
    found = [each for each in alike if not owners or each.path == max(owners, key=len)]
    if saver.line == write.line and wrote is not None:
        # What it wrote was the result of the one before it.
        before = [each for each in made[: made.index(wrote)] if each in found]
        found = before[-1:]
    return found[0] if len(found) == 1 else None


_KINDS = {
    "addmm": ("linear", "gru", "lstm", "rnn"),
    "mm": ("linear", "gru", "lstm", "rnn"),
    "convolution": ("conv",),
    "nativebatchnorm": ("batchnorm",),
    "cudnnbatchnorm": ("batchnorm",),
    "nativelayernorm": ("layernorm",),
    "nativegroupnorm": ("groupnorm",),
    "leakyrelu": ("leakyrelu", "rrelu"),
    "hardtanh": ("hardtanh", "relu6"),
    "threshold": ("threshold", "relu"),
    "mul": ("dropout",),
    "nativedropout": ("dropout",),
}
"""Classes whose forward makes a node: the beginnings of their names."""


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _spelled(node: ast.expr) -> str:
    """Return how paths of modules are spelled: with double quotes."""
    return ast.unparse(node).replace("'", '"')


def _called(source: str, place: Mutation | Saver) -> Iterator[str]:
    """Yield what a line calls, as it is spelled: of `self.net(f(x))` both."""
    statement = statement_on(source, place.line)
    if place.line is None or statement is None:
        return
    rounds = _rounds(source, place.line)
    for node in nodes(ast.Call, statement):
        if isinstance(node.func, DOTTED):
            name = _spelled(node.func)
            yield rounds.get(name, name)


def _rounds(source: str, line: int) -> Mapping[str, str]:
    """Return what the loops around a line go through, by the name that they give its elements."""
    found: dict[str, str] = {}
    for node in around(ast.For, parsed(source), line):
        match node.target, node.iter:
            case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=values):
                pairs = list(zip(targets, values, strict=False))
            case ast.Tuple(elts=[_, target]), ast.Call(func=ast.Name(id="enumerate"), args=values):
                pairs = [(target, value) for value in values[:1]]
            case target, value:
                pairs = [(target, value)]
        found |= {ast.unparse(target): ast.unparse(value) for target, value in pairs}
    return found


def _is_under(path: str, called: list[str]) -> bool:
    return any(path == each or path.startswith((f"{each}[", f"{each}.")) for each in called)


def _made(source: str, line: int) -> tuple[Module, ...]:
    """Return every module that is given a name, with those in it, in the order of the text.

    What another class calls `self.fc` is not what a `line` of this one does.
    """
    tree = parsed(source)
    switched, related = _switched_on(tree), _related(tree, line)
    found = [
        module
        for node in nodes(ast.Assign, tree)
        if related is None or (inside := _class_around(tree, node.lineno)) in related or not inside
        for target, value in bindings(node)
        if isinstance(target, ast.Name | ast.Attribute)
        for module in _within(ast.unparse(target), value, switched)
    ]
    return tuple(sorted(found, key=lambda each: each.line))


def _class_around(tree: ast.AST, line: int) -> str | None:
    found = around(ast.ClassDef, tree, line)
    return found[-1].name if found else None


def _related(tree: ast.AST, line: int) -> set[str] | None:
    """Return the class around a line with those above and below it; None outside of any."""
    inside = _class_around(tree, line)
    if inside is None:
        return None
    bases = {each.name: set(map(ast.unparse, each.bases)) for each in nodes(ast.ClassDef, tree)}
    above, below = {inside}, {inside}
    for _ in bases:
        above |= {base for name in above for base in bases.get(name, ())}
        below |= {name for name, over in bases.items() if over & below}
    return above | below


def _kind(call: ast.Call) -> str:
    """Return the name of what is called, without what stands before it; empty if it has none."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def in_place_flag(call: ast.Call) -> ast.expr | None:
    """Return the argument that says `inplace=True`."""
    place = _POSITIONAL.get(_kind(call))
    positional = call.args[place] if place is not None and len(call.args) > place else None
    flag = next((each.value for each in call.keywords if each.arg == "inplace"), positional)
    return flag if isinstance(flag, ast.Constant) and flag.value is True else None


def flags_set(tree: ast.AST) -> list[tuple[ast.Assign, ast.expr, ast.expr]]:
    """Return where `module.inplace = True` is said: the statement, the module and the flag."""
    return [
        (node, target.value, node.value)
        for node in nodes(ast.Assign, tree)
        for target in node.targets[:1]
        if isinstance(target, ast.Attribute) and target.attr == "inplace"
        if isinstance(node.value, ast.Constant) and node.value.value is True
    ]


def _within(path: str, value: ast.expr, switched: frozenset[str]) -> Iterator[Module]:
    if not isinstance(value, ast.Call) or not (kind := _kind(value)):
        return
    in_place = kind in switched or in_place_flag(value) is not None
    if kind[:1].isupper():
        yield Module(path=path, line=value.lineno, kind=kind, in_place=in_place)
    parts: list[tuple[str, ast.expr]] = []
    if kind in CONTAINERS:
        one = value.args[0] if len(value.args) == 1 else None
        elements = one.elts if isinstance(one, ast.List | ast.Tuple) else value.args
        parts = [(f"{path}[{at}]", each) for at, each in enumerate(elements)]
    elif kind == "ModuleDict" and value.args and isinstance(value.args[0], ast.Dict):
        parts = [
            (f'{path}["{key.value}"]', each)
            for key, each in zip(value.args[0].keys, value.args[0].values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
    for inner, each in parts:
        yield from _within(inner, each, switched)


def _switched_on(tree: ast.AST) -> frozenset[str]:
    """Return the classes that a loop over modules sets `inplace` on."""
    if not flags_set(tree):
        return frozenset()
    return frozenset(
        each.attr if isinstance(each, ast.Attribute) else each.id
        for node in nodes(ast.Call, tree)
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        for kinds in node.args[1:]
        for each in ast.walk(kinds)
        if isinstance(each, ast.Attribute) or (isinstance(each, ast.Name) and each.id[:1].isupper())
    )
