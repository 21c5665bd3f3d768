"""What the command line sets for the whole program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inplace_tui.tutorial.course.course import Course


@dataclass
class Settings:
    """What holds for every command. Options set it, before or after the command's name."""

    language: str
    chosen: str | None = None
    """The language if it was asked for, not merely the locale's."""

    course_filter: Callable[[Course], Course] | None = None
    """Takes from a course what is to be shown; None is all of it."""

    lessons: Path | None = None
    one_more: Path | None = None
    """A pack beside the others: that of an assignment, which names built-in lessons, too."""

    trust: bool = False
    """Packs are trusted as they are now."""

    plain: bool = False
    """Lines of text, even where there is a terminal for a screen."""
