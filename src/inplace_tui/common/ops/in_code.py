"""Which ops a line of code calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.ops.survey import installed_survey
from inplace_tui.common.source_text import AUGMENTED, statement_on


def called(node: ast.AST) -> Iterator[str]:
    """Yield the names of what a statement calls, as `Survey.find` takes them, the outermost first.

    >>> [*called(ast.parse("z = F.relu(x.exp() * 2)"))]
    ['F.relu', 'torch.mul', 'x.exp']
    """
    match node:
        case ast.Call(func=ast.Name(id=name)):
            yield name
        case ast.Call(func=ast.Attribute(attr=name) as function):
            yield ast.unparse(function) if _is_path(function) else f"x.{name}"
        case ast.AugAssign(op=operator):
            yield f"Tensor.{AUGMENTED[type(operator)][1]}"
        case ast.BinOp(op=operator):
            method, _ = AUGMENTED[type(operator)]
            yield f"torch.{method.removeprefix('__i').strip('_')}"  # of `@`, torch.matmul
        case ast.Assign(targets=[ast.Subscript(), *_]):
            yield "Tensor.__setitem__"
        case ast.Subscript(ctx=ast.Load()):
            yield "Tensor.__getitem__"
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        yield from called(child)


def uncounted(source: str, line: int, op: str | None) -> str | None:
    """Return the call on a line that writes without being counted, as the survey found.

    Args:
        op: what is known to have written there, such as `Adam.step`.
    """
    statement = statement_on(source, line)
    if statement is None:
        return None
    survey = installed_survey()
    optimizers = [f"optim.{op}"] if op is not None and op.endswith(".step") else []
    for name in (*optimizers, *called(statement)):
        found = survey.named(name)
        if found is None:
            continue
        for case in found.cases:
            if 0 in case.written.values():
                options = f"({', '.join(case.options)})" if case.options else ""
                return f"{found.name}{options}"
    return None


def _is_path(node: ast.AST) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
