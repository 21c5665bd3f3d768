"""A challenge: a program to break or to mend, and what counts as having done so.

As with a lesson, the types are the file format, and nothing says by hand who
has won: the goal is a claim about what the edited program does.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from inplace_tui.common.local_text import LocalText
from inplace_tui.tutorial.course.lesson import Anchor, Claim, Slug

Name = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$(?!\n)", max_length=60)]
"""An identifier of Python."""


class Challenge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One program and one task: make it fail, or make it right."""

    schema: Annotated[int, Meta(ge=1, le=1)]
    id: Slug
    title: LocalText
    task: LocalText
    """What is wanted, in two or three sentences."""

    needs: list[Slug] = []
    """Concepts that lessons teach; nothing is locked without them."""

    difficulty: Annotated[int, Meta(ge=1, le=5)]
    seed: int = 0
    code: Annotated[str, Meta(min_length=1)]
    """The program to edit. It does not reach the goal."""

    goal: Claim
    """Must be true at the end of the edited program's run. Its anchors are kept ones."""

    keep: list[Anchor] = []
    """Statements that must stay as they are, and must still run. They may move."""

    same: list[str] = []
    """Names of tensors whose values at the end must be those of the program as it was."""

    once: list[str] = []
    """Names that may mean only one tensor in the whole run: it is not computed again."""

    forbid: list[Name] = []
    """Calls, attributes and arguments that the edited program may not have."""

    par: Annotated[int, Meta(ge=1, le=20)]
    """Lines changed, added or removed by a good solution."""

    solution: Annotated[dict[Anchor, str], Meta(min_length=1)]
    """Whole statements, as in a variant's `swap`."""

    explain: LocalText
    """Shown once it is solved."""

    hints: Annotated[list[LocalText], Meta(max_length=3)] = []
    """`{anchor}` in one is shown as where that line is in the edited program: `line 12`."""
