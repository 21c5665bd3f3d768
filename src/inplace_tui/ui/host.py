"""The app, as its screens know it: what they ask of it, without importing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from inplace_tui.model.lesson import LocalText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.content import Content
    from textual.screen import Screen

    from inplace_tui.drive.drill import DrillQueue
    from inplace_tui.drive.session_runner import SessionRunner
    from inplace_tui.engine.course.course import Course
    from inplace_tui.engine.drill.options import DrillOptions
    from inplace_tui.engine.state.watch import Watch
    from inplace_tui.model.program import Program
    from inplace_tui.progress import Progress
    from inplace_tui.ui.course_rows import Catalogue
    from inplace_tui.ui.keymap import Keymap


class Host(Protocol):
    """What a screen may ask of the app."""

    language: str
    keymap: Keymap
    course: Course | None
    """None while it is being read; so is the catalogue."""

    catalogue: Catalogue | None
    presenting: bool
    """Lessons are shown to a class: answers are locked, and nothing is kept."""

    guided: bool
    """Words are explained, and panels appear, where a learner first needs them."""

    is_loaded: bool
    """Whether all modules are imported; the contents are listed before that."""

    lessons_folder: Path
    watches: dict[str, Watch]

    @property
    def assigned_drills(self) -> Sequence[DrillOptions]:
        """The drills that a class was given; they are not in the list of lessons."""

    @property
    def learner(self) -> Progress: ...

    @property
    def screen(self) -> Screen[object]: ...

    @property
    def home(self) -> Path: ...

    # Going somewhere.

    def open_lesson(self, identity: str, *, step: int | None = None) -> None: ...
    def open_challenge(self, identity: str) -> None: ...
    def open_checkpoint(self, slug: str) -> None: ...
    def open_review(self) -> None: ...
    def open_drill(self) -> None: ...
    def open_introduction(self) -> None: ...
    def open_welcome(self) -> None: ...
    def open_sandbox(
        self,
        *,
        program: Program | None = None,
        cursor: int = -1,
        notice: LocalText | None = None,
        asking: bool = False,
    ) -> None: ...
    def show_contents(self, identity: str | None = None) -> None: ...
    def leave(self, screen: Screen[None]) -> None: ...

    # The worker.

    def worker_waits(self) -> bool: ...
    def worker_notice(self) -> Content | None: ...
    def worker_rest(self) -> Content: ...
    def retire(self, runner: SessionRunner | DrillQueue) -> None: ...

    def hand_on_keys(self) -> None:
        """Hand on what was pressed while the page in front caught up."""

    # Saying something on the page in front.

    def keep(self, save: Callable[[], None]) -> None:
        """Save something of the learner's progress; where that can't be, say why."""

    def notice(self, text: str, *, wrong: bool = False) -> None: ...

    # Commands.

    async def run_action(self, action: str) -> bool: ...
    def use_theme(self, name: str) -> None: ...
