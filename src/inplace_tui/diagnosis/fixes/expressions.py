"""How rewrites read expressions and calls, and edit the arguments of a call."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from inplace_tui.common.syntax import DOTTED, names, nodes
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.fault_site import FaultSite

HOOKS = frozenset({"register_hook", "register_prehook"})


def dotted_name(node: ast.AST) -> str | None:
    """Return a dotted name as it is written; None for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            owner = dotted_name(value)
            return None if owner is None else f"{owner}.{attribute}"
        case _:
            return None


def last_name(node: ast.AST) -> str:
    """Return the last part of a dotted name, or of a method of anything: `f` of `a().f`."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=attribute):
            return attribute
        case _:
            return ""


def called(statement: ast.stmt) -> str:
    """Return the last part of what a statement does nothing but call; else nothing."""
    match statement:
        case ast.Expr(value=ast.Call(func=function)):
            return last_name(function)
        case _:
            return ""


def is_assignable(node: ast.AST) -> bool:
    """Whether a node is something that can be assigned to and read without doing anything."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value):
            return is_assignable(value)
        case ast.Subscript(value=value, slice=index):
            return is_assignable(value) and all(
                isinstance(each, _OF_INDEX) for each in ast.walk(index)
            )
        case _:
            return False


_OF_INDEX = (
    *(ast.Constant, ast.Name, ast.Load, ast.UnaryOp, ast.USub),
    *(ast.BinOp, ast.Add, ast.Sub),
)
"""What an index may be made of: `layers[i - 1]`."""


def names_gradient(statement: ast.stmt) -> bool:
    """Whether a statement reads or writes a `.grad`."""
    return any(node.attr == "grad" for node in nodes(ast.Attribute, statement))


def is_in_place(name: str) -> bool:
    """Whether torch's names say that it writes."""
    return name.endswith("_") and not name.endswith("__") and name != "requires_grad_"


def is_pure_write(statement: ast.stmt | None) -> bool:
    """Whether a statement does nothing but write a tensor in place."""
    match statement:
        case ast.AugAssign():
            return True
        case ast.Assign(targets=[ast.Subscript()]):
            return True
        case ast.Expr(value=ast.Call() as call):
            function = call.func
            asks = last_name(function) in {"requires_grad_", "retain_grad", "detach_"}
            writes = is_in_place(last_name(function)) and not asks
            return writes or keyword(call, "out") is not None
        case _:
            return False


_ATOMS = ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript
_PRODUCTS = ast.Mult | ast.Div | ast.MatMult | ast.Pow


def is_tight(statement: ast.AugAssign) -> bool:
    """Whether what is right of `+=` needs no parentheses right of `+`."""
    value = statement.value
    is_sum = isinstance(statement.op, ast.Add | ast.Sub)
    is_product = isinstance(value, ast.BinOp) and isinstance(value.op, _PRODUCTS)
    return isinstance(value, _ATOMS) or (is_sum and is_product)


def tensor_part(site: FaultSite, node: ast.AST, statement: ast.stmt) -> ast.expr | None:
    """Return the part of a chain that names a tensor: `y` of `y.data[0]`, `d["a"]` of `d["a"].T`.

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
        if is_assignable(part) and site.tensor(ast.unparse(part), statement) is not None
    ]
    is_gradient = len(named) > 1 and isinstance(named[1], ast.Attribute) and named[1].attr == "grad"
    return None if not named else named[1 if is_gradient else 0]


def written_parts(site: FaultSite, statement: ast.stmt) -> list[ast.expr]:
    """Return the names on a statement whose memory was written; its target, if that is unknown."""
    named = {
        ast.unparse(part): part
        for node in site.parts(statement)
        if isinstance(node, DOTTED) and (part := tensor_part(site, node, statement)) is not None
    }
    shared = [part for name, part in named.items() if site.shares(name, statement)]
    return shared or [part for part in named.values() if _is_target(site, statement, part)]


def _is_target(site: FaultSite, statement: ast.stmt, part: ast.expr) -> bool:
    if isinstance(statement, ast.AugAssign):
        return statement.target is part or part in ast.walk(statement.target)
    if isinstance(statement, ast.Assign):
        return any(part in ast.walk(target) for target in statement.targets)
    parent = site.parent(part)
    return isinstance(parent, ast.Attribute) and (
        is_in_place(parent.attr) or parent.attr == "requires_grad"
    )


def is_for_caller(site: FaultSite, statement: ast.stmt) -> bool:
    """Whether a write is there for somebody else: a new tensor under its name would be lost.

    It writes an argument of a function that returns nothing, or a row that a loop goes through.
    """
    written = names(*written_parts(site, statement))
    function = site.function(statement)
    if function is not None:
        returns = nodes(ast.Return, function)
        given = {each.arg for each in function.args.args}
        if written & given and not any(each.value is not None for each in returns):
            return True
    loop = site.parent(statement)
    if not isinstance(loop, ast.For):
        return False
    behind = loop.body[loop.body.index(statement) + 1 :] if statement in loop.body else loop.body
    used = names(*(other for other in behind if not is_pure_write(other)))
    return bool(written & names(loop.target) - used)


def in_hook(site: FaultSite, statement: ast.stmt) -> bool:
    """Whether a statement stands in a hook: what it writes has to be returned."""
    function = site.function(statement)
    return function is not None and function.name in hook_names(site)


def hook_names(site: FaultSite) -> set[str]:
    return {
        argument.id
        for node in nodes(ast.Call, site.tree)
        if last_name(node.func) in HOOKS
        for argument in node.args
        if isinstance(argument, ast.Name)
    }


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((each for each in call.keywords if each.arg == name), None)


def without_argument(site: FaultSite, argument: ast.keyword) -> Edit:
    """Take an argument out of a call, with the comma that parted it."""
    start, end = site.text.span(argument)
    source = site.text.source
    before = source[:start].rstrip()
    if before.endswith(","):
        return Edit(len(before) - 1, end, "")
    rest = source[end:]
    if rest.lstrip().startswith(","):
        past = end + rest.index(",") + 1
        return Edit(start, past + len(source[past:]) - len(source[past:].lstrip(" ")), "")
    return Edit(start, end, "")


def graphs_not_kept(site: FaultSite, statements: Sequence[ast.stmt]) -> Iterator[Edit]:
    """Take `retain_graph` off backwards whose graphs nobody needs again."""
    for statement in statements:
        for call in site.calls(statement) if called(statement) == "backward" else ():
            if (kept := keyword(call, "retain_graph")) is not None:
                yield without_argument(site, kept)


def set_argument(site: FaultSite, call: ast.Call, name: str, value: str) -> list[Edit]:
    """Give a keyword argument another value, or add it behind the others."""
    found = keyword(call, name)
    if found is not None:
        return [site.text.replace(found.value, value)]
    ends = [site.text.span(each)[1] for each in call.args]
    ends += [site.text.span(each)[1] for each in call.keywords]
    if not ends:
        end = site.text.span(call)[1] - 1
        return [Edit(end, end, f"{name}={value}")]
    return [Edit(max(ends), max(ends), f", {name}={value}")]


def free_name(site: FaultSite, *wanted: str) -> str:
    """Return the first name that the program does not use; the last one with a number if none."""
    taken = names(site.tree)
    numbered = (f"{wanted[-1]}_{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain(wanted, numbered) if name not in taken)
