"""How rewrites read expressions and calls, and edit the arguments of a call."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from inplace_tui.common.syntax import DOTTED, bindings, names, names_read, names_stored, nodes
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.fault_site import FaultSite


def last_name(node: ast.AST) -> str:
    """Return the last part of a dotted name, or of a method of anything: `f` of `a().f`."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def called(statement: ast.stmt) -> str:
    """Return the last part of what a statement does nothing but call; else nothing."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return last_name(value.func) if isinstance(value, ast.Call) else ""


def is_assignable(node: ast.AST) -> bool:
    """Whether a node is something that can be assigned to and read without doing anything."""
    return isinstance(node, DOTTED) and all(isinstance(each, _PLAIN) for each in ast.walk(node))


_PLAIN = (
    *(*DOTTED, ast.Constant, ast.expr_context),
    *(ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub),
)
"""What it may be made of: `layers[i - 1].weight`."""


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


ONLY_IN_PLACE = frozenset(
    [
        *("zero_", "fill_", "normal_", "uniform_", "random_", "bernoulli_", "exponential_"),
        *("geometric_", "log_normal_", "cauchy_", "copy_", "set_", "resize_", "resize_as_"),
        *("apply_", "map_", "map2_", "fill_diagonal_", "as_strided_", "rename_"),
    ]
)
"""Methods that exist in place only, or mean something else without the underscore."""


def new_value(site: FaultSite, statement: ast.AugAssign) -> str:
    """Return `y + 1` for `y += 1`, in parentheses what is right of it where it needs them."""
    target, right = ast.unparse(statement.target), site.text.of(statement.value)
    whole = ast.unparse(ast.BinOp(statement.target, statement.op, statement.value))
    operator, alone = whole.removeprefix(target).split()[0], ast.unparse(statement.value)
    if "\n" in right or not whole.endswith(f"{operator} {alone}"):
        right = f"({right})"
    return f"{site.text.of(statement.target)} {operator} {right}"


def written_and_new(site: FaultSite, node: ast.AST) -> tuple[ast.Name, str] | None:
    """Return the name that `y += 1` or `y.add_(1)` writes, and its value as an expression."""
    match node:
        case ast.Expr(value=value):
            return written_and_new(site, value)
        case ast.AugAssign(target=ast.Name() as name):
            return name, new_value(site, node)
        case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr=method)) if (
            is_in_place(method) and method not in ONLY_IN_PLACE
        ):
            rest = site.text.of(node).removeprefix(f"{name.id}.{method}")
            return name, f"{name.id}.{method[:-1]}{rest}"
        case _:
            return None


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
        if is_assignable(part)
        and (site.tensor(part, statement) is not None or site.had_memory(part))
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


def arguments_of(function: ast.FunctionDef | None) -> set[str]:
    return set() if function is None else {each.arg for each in function.args.args}


def defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return what the arguments of a function are where nobody says otherwise."""
    arguments = function.args
    behind = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    positional = zip(behind, arguments.defaults, strict=True)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {each.arg: value for each, value in (*positional, *named) if value is not None}


def must_write(site: FaultSite, statement: ast.stmt) -> bool:
    """Whether a write is there for somebody else: a new tensor under its name would be lost.

    It writes an argument of a function that returns nothing, or a row that a loop goes through,
    or what called a hook, or what holds a leaf.
    """
    function = site.function(statement)
    hooks = calls_of(site, "register_hook", "register_prehook")
    called_so = names(*(argument for call in hooks for argument in call.args))
    if site.updates_leaf(statement) or (function and function.name in called_so):
        return True
    # What is put into a dict or an object that somebody gave reaches them.
    written = {part.id for part in written_parts(site, statement) if isinstance(part, ast.Name)}
    returns = any(each.value is not None for each in nodes(ast.Return, function))
    if written & arguments_of(function) and not returns:
        return True
    loop = site.parent(statement)
    if not isinstance(loop, ast.For):
        return False
    behind = loop.body[loop.body.index(statement) + 1 :] if statement in loop.body else loop.body
    used = names(*(other for other in behind if not is_pure_write(other)))
    return bool(written & names(loop.target) - used)


def calls_of(site: FaultSite, *called: str) -> Iterator[ast.Call]:
    """Yield the program's calls of functions or methods with one of some names."""
    return (node for node in nodes(ast.Call, site.tree) if last_name(node.func) in called)


def bound_to(site: FaultSite, value: ast.expr) -> ast.expr:
    """Return what an expression is assigned to, or itself if that is nothing."""
    statement = site.statement_of(value)
    pairs = bindings(statement) if isinstance(statement, ast.Assign) else []
    return next((target for target, each in pairs if each is value), value)


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((each for each in call.keywords if each.arg == name), None)


def without_argument(site: FaultSite, argument: ast.keyword) -> Edit:
    """Take an argument out of a call."""
    call = site.parent(argument)
    assert isinstance(call, ast.Call)
    parts = [part for each in (call.args, call.keywords) for part in each]
    kept = ", ".join(site.text.of(each) for each in parts if each is not argument)
    return site.text.replace(call, f"{site.text.of(call.func)}({kept})")


def graphs_not_kept(site: FaultSite, *statements: ast.stmt) -> Iterator[Edit]:
    """Take `retain_graph` off backwards, or the last one, whose graphs nobody needs again."""
    for call in site.calls(*(statements or [site.reader])):
        kept = keyword(call, "retain_graph") if last_name(call.func) == "backward" else None
        if kept is not None:
            yield without_argument(site, kept)


def leading_to(needed: set[str], statements: Sequence[ast.stmt]) -> list[ast.Assign]:
    """Return the assignments that give some names their values, and add what those read to them."""
    found: list[ast.Assign] = []
    for each in reversed(statements):
        if isinstance(each, ast.Assign) and needed & names_stored(each):
            needed |= names_read(each)
            found.insert(0, each)
    return found


def set_argument(site: FaultSite, call: ast.Call, name: str, value: str) -> list[Edit]:
    """Give a keyword argument another value, or add it behind the others."""
    found = keyword(call, name)
    if found is not None:
        return [site.text.replace(found.value, value)]
    ends = [site.text.span(part)[1] for each in (call.args, call.keywords) for part in each]
    end = max(ends, default=site.text.span(call)[1] - 1)
    return [Edit(end, end, f", {name}={value}" if ends else f"{name}={value}")]


def free_name(site: FaultSite, *wanted: str) -> str:
    """Return the first name that the program does not use; the last one with a number if none."""
    taken = names(site.tree)
    numbered = (f"{wanted[-1]}_{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain(wanted, numbered) if name not in taken)
