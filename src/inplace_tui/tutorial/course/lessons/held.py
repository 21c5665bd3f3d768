"""Whether a program under `holds` tries what its lesson says, and something new."""

from __future__ import annotations

import ast
import re

from inplace_tui.common.syntax import parsed
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson

_ANYWHERE = {"torch", "backward", "sum", "ones", "zeros", "tensor", "requires_grad", "print"}
"""Names that most programs have, and that say nothing of what one is about."""


def mentions(loaded: LoadedLesson, code: str) -> bool:
    """Whether a program has a name or an operator that the recap speaks of."""
    recap = loaded.lesson.recap.en
    words = set(map(_stem, re.findall(r"\w+", recap)))
    return any(
        name in recap
        if not name[0].isidentifier()
        else {*map(_stem, (name, *name.split("_")))} & words
        for name in _names(code)
    )


def adds(loaded: LoadedLesson, code: str) -> bool:
    """Whether a program has anything that the lesson's own one has not."""
    return not _names(code) <= _names(loaded.anchored.code)


def _stem(word: str) -> str:
    return word.lower().rstrip("s_")


def _names(code: str) -> set[str]:
    """Return what a program loads, calls, passes by name and does in place, but its variables."""
    found: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(parsed(code)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                bound.add(name)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                found.add(name.rstrip("_"))
            case ast.AugAssign():
                found.add("=")
            case ast.Subscript():
                found.add("[")
            case _:
                pass
    return found - bound - _ANYWHERE
