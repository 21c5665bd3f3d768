"""The concept map over the contents; Enter opens the lesson under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from inplace_tui.present.concept_map import rows
from inplace_tui.present.rows import Row
from inplace_tui.texts import say
from inplace_tui.texts.concept_map import ConceptMapTexts
from inplace_tui.ui.course_rows import MARK_GLYPHS, Catalogue, Mark
from inplace_tui.ui.dialogs.dialog import RowsDialog


class ConceptMapDialog(RowsDialog[str]):
    """Shows what leads to what; the result is the id of the lesson that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "cancel", "back", id="map"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__()
        self._catalogue = catalogue

    def heading(self) -> str:
        return say(ConceptMapTexts.title, self.host.language)

    def footer(self) -> str:
        return say(ConceptMapTexts.lead, self.host.language)

    def rows(self, room: int) -> list[Row]:
        catalogue = self._catalogue
        marks = {key: MARK_GLYPHS[mark][0] for key, mark in catalogue.marks.items()}
        suggested = catalogue.suggested
        if suggested is not None and catalogue.mark(suggested.lesson.id) is Mark.NEW:
            marks[suggested.lesson.id] = "▸"
        return rows(catalogue.course, marks, room, self.host.language)

    def first(self) -> int | None:
        suggested = self._catalogue.suggested
        return None if suggested is None else self._catalogue.course.lessons.index(suggested)

    def results(self) -> list[str]:
        return [loaded.lesson.id for loaded in self._catalogue.course.lessons]
