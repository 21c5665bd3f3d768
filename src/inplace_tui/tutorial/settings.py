"""What the command line sets for the tutorial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inplace_tui.common.command.settings import CommandSettings

if TYPE_CHECKING:
    from pathlib import Path

    from inplace_tui.tutorial.course.course import Course


@dataclass
class Settings(CommandSettings):
    """What an assignment sets besides."""

    course_filter: Callable[[Course], Course] | None = None
    """Takes from a course what is to be shown; None is all of it."""

    one_more: Path | None = None
    """A pack beside the others: that of an assignment, which names built-in lessons, too."""
