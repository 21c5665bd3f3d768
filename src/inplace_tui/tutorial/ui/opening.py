"""What to show first, and in which language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inplace_tui.tutorial.activity.drill.record import ENDLESS, DrillOptions


@dataclass(frozen=True)
class Opening:
    """What to show first."""

    screen: str = "contents"
    """`contents`, `lesson`, `challenge`, `checkpoint`, `review`, `drill` or `sandbox`."""

    lesson: str | None = None
    """None resumes at the first one that is not done."""

    lesson_file: Path | None = None
    """Of a lesson in the built-in course, which is opened before that is read."""

    present: bool = False
    """Show lessons to a class."""

    step: int | None = None
    """As people count: 1 is after the first line."""

    file: Path | None = None
    module: str | None = None
    """How `file` is imported, where it is run as `python -m MODULE`."""

    is_imported: bool = False
    """The module is not the user's own and imports `file`, as pytest does."""

    content: bytes | None = None
    """The program, where it came through standard input."""

    arguments: tuple[str, ...] = ()
    """For the program."""

    environment: tuple[tuple[str, str], ...] = ()
    """What the program finds in its environment besides what is there."""

    challenge: str | None = None
    """None is the first one that is not solved."""

    checkpoint: str | None = None
    """The chapter whose it is; None is the first one that was not finished."""

    drill: DrillOptions = ENDLESS
    drills: tuple[DrillOptions, ...] = ()
    """What `d` in the contents opens: those of an assignment; none is up to the learner."""

    introduce: bool = False
    """Begin with the welcome, if the learner was never here before."""
