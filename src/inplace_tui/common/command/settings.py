"""What the command line sets for the whole program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

    from inplace_tui.common.local_text import LocalText


class LessonName(Protocol):
    """What is said of a lesson where its concept comes up."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> LocalText: ...


LessonFinder: TypeAlias = "Callable[[str | None], LessonName | None]"
"""Returns the first lesson that teaches a concept."""

PageWriter: TypeAlias = "Callable[..., str]"
"""Returns the page of an explanation, with `file` and `lesson`."""


@dataclass
class CommandSettings:
    """What holds for every command. Options set it, before or after the command's name."""

    language: str
    chosen: str | None = None
    """The language if it was asked for, not merely the locale's."""

    lessons: Path | None = None
    lesson_finder: Callable[[Path | None], LessonFinder] = lambda _: lambda _: None
    """Reads the lessons of a folder, or those to use without one."""

    page: PageWriter | None = None
    """Writes `--format html`; None where there is no tutorial, whose panels the page shows."""

    trust: bool = False
    """Packs are trusted as they are now."""

    plain: bool = False
    """Lines of text, even where there is a terminal for a screen."""
