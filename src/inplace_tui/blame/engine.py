"""Sees a backward begin, fail and end, without a frame of its own.

The function of torch that calls the C++ engine gets a `try` around its body, in its own
file and on its own lines: tracebacks, warnings and `inspect` show what they always did.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from typing import Any

NAME = "_inplace_tui_blame"
"""The name under which the changed function finds whom to tell, in its module."""

WATCHED = f"""
_began = {NAME}.begin()
try:
    pass
except BaseException as _error:
    {NAME}.failed(_error, _began)
    raise
finally:
    {NAME}.ended(_began)
"""


class Engine:
    """The functions of torch that start the engine, while they are watched."""

    def __init__(self) -> None:
        import torch
        from torch.autograd import graph

        if hasattr(graph, "_engine_run_backward"):  # from 2.2
            self._functions = [graph._engine_run_backward]
        else:
            self._functions = [torch.autograd.backward, torch.autograd.grad]
        self._before: list[tuple[Any, types.CodeType]] = []

    def install(self, watcher: Any) -> None:
        for function in self._functions:
            watched = with_try(function)
            self._before.append((function, function.__code__))
            function.__globals__[NAME] = watcher
            function.__code__ = watched

    def uninstall(self) -> None:
        while self._before:
            function, code = self._before.pop()
            function.__code__ = code
            function.__globals__.pop(NAME, None)


def with_try(function: Any) -> types.CodeType:
    """Return the code of a function with its body inside `WATCHED`."""
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list.clear()
    frame = ast.parse(WATCHED).body
    for statement in frame:
        for node in ast.walk(statement):
            if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler)):
                node.lineno = node.end_lineno = definition.lineno
    (guarded,) = (each for each in frame if isinstance(each, ast.Try))
    guarded.body = definition.body
    definition.body = frame
    ast.increment_lineno(tree, first - 1)
    module = compile(tree, function.__code__.co_filename, "exec", dont_inherit=True)
    codes = [each for each in module.co_consts if isinstance(each, types.CodeType)]
    (code,) = (each for each in codes if each.co_name == function.__name__)
    return code.replace(co_firstlineno=function.__code__.co_firstlineno)
