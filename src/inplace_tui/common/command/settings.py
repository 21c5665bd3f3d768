"""What the command line sets for the whole program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from inplace_tui.common.local_text import LocalText


class LessonName(Protocol):
    """What is said of a lesson where its concept comes up."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> LocalText: ...


@dataclass(frozen=True)
class Leads:
    """What a failure leads to."""

    lessons: tuple[LessonName, ...] = ()
    """At most three; the first is about it, the others stand next to that."""

    drill: str | None = None
    """The concept that `drill --about` takes, where the drill has such programs."""

    @property
    def lesson(self) -> str | None:
        """The id of the first lesson."""
        return self.lessons[0].id if self.lessons else None


LeadFinder: TypeAlias = "Callable[[Iterable[str]], Leads]"
"""Returns what concepts lead to, the most telling concept first."""

PageWriter: TypeAlias = "Callable[..., str]"
"""Returns the page of an explanation, with `file` and `leads`."""


@dataclass
class CommandSettings:
    """What holds for every command. Options set it, before or after the command's name."""

    language: str
    chosen: str | None = None
    """The language if it was asked for, not merely the locale's."""

    lessons: Path | None = None
    lead_finder: Callable[[Path | None], LeadFinder] = lambda _: lambda _: Leads()
    """Reads the lessons of a folder, or those to use without one."""

    page: PageWriter | None = None
    """Writes `--format html`; None where there is no tutorial, whose panels the page shows."""

    trust: bool = False
    """Packs are trusted as they are now."""

    plain: bool = False
    """Lines of text, even where there is a terminal for a screen."""
