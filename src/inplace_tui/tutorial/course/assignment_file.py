"""An assignment: what a class is given, as a file."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from inplace_tui.common.local_text import LocalText
from inplace_tui.tutorial.course.lesson import Slug


class DrillSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Programs to predict, the same for everybody."""

    seed: Annotated[int, Meta(ge=0, le=999_999)]
    level: Annotated[int, Meta(ge=1, le=5)] = 1
    count: Annotated[int, Meta(ge=1, le=100)] = 5


class Assignment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lessons, checkpoints, challenges and drills, in the order in which they are listed."""

    schema: Annotated[int, Meta(ge=1, le=1)]
    title: LocalText
    lessons: list[Slug] = []
    checkpoints: list[Slug] = []
    """The names of chapters."""

    challenges: list[Slug] = []
    drills: list[DrillSet] = []
