"""The concept map over the contents; Enter opens the lesson under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inplace_tui.present.concept_map import rows
from inplace_tui.texts.concept_map import MAP
from inplace_tui.ui.screens.course_rows import LOOKS, Catalogue, Mark
from inplace_tui.ui.screens.dialog import Dialog
from inplace_tui.ui.widgets.lines import Lines


class MapScreen(Dialog[str]):
    """Shows what leads to what; the result is the id of the lesson that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "cancel", "back", id="map"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__()
        self._catalogue = catalogue

    def compose(self) -> ComposeResult:
        """A list that scrolls."""
        with Vertical(classes="dialog -page"):
            yield Lines(id="map")

    def on_mount(self) -> None:
        """Draw once there is a width, with the cursor on what to take next."""
        box = self.query_one(".dialog")
        box.border_title = MAP["title"][self.program.language]
        box.border_subtitle = MAP["lead"][self.program.language]
        self.query_one(Lines).focus()
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        """Wrap anew."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        lines, catalogue = self.query_one(Lines), self._catalogue
        room = lines.scrollable_content_region.width
        if room <= 0:
            return
        marks = {key: LOOKS[mark][0] for key, mark in catalogue.marks.items()}
        suggested = catalogue.suggested
        if suggested is not None and catalogue.mark(suggested.lesson.id) is Mark.NEW:
            marks[suggested.lesson.id] = "▸"
        lines.draw(rows(catalogue.course, marks, room, self.program.language))
        if lines.cursor is None and suggested is not None:
            place = catalogue.course.lessons.index(suggested)
            lines.cursor = next(i for i, row in enumerate(lines.rows) if row.target.choice == place)
            lines.reveal(lines.cursor)

    @on(Lines.Chosen)
    def _chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        if event.target.choice is not None:
            self.dismiss(self._catalogue.course.lessons[event.target.choice].lesson.id)
