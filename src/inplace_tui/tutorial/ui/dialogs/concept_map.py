"""The concept map over the contents, drawn around one lesson; the whole of it is a list."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inplace_tui.common.rows import Row, Style
from inplace_tui.common.texts.concept_map import ConceptMapTexts
from inplace_tui.tutorial.present.concept_map import (
    NARROWEST,
    MapView,
    around,
    boxes_in,
    drawing,
    rows,
)
from inplace_tui.tutorial.ui.course_rows import MARK_GLYPHS, Catalogue, marked
from inplace_tui.tutorial.ui.dialogs.dialog import EDGES, LETTER_QUITS, RowsDialog, closed_by
from inplace_tui.tutorial.ui.widgets.lines import Lines, edge_text

__all__ = ["NARROWEST", "ConceptListDialog", "ConceptMapDialog"]


def _marks(catalogue: Catalogue) -> dict[str, tuple[str, Style]]:
    lessons = catalogue.course.lessons
    return {each.lesson.id: MARK_GLYPHS[catalogue.mark_in_list(each)] for each in lessons}


class ConceptListDialog(RowsDialog[str]):
    """Lists what every lesson needs and leads to; the result is the id of the chosen lesson."""

    HEADING = ConceptMapTexts.list_title
    FOOTER = ConceptMapTexts.list_lead
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m,slash", "cancel", "back", id="map"),
        LETTER_QUITS,
    ]

    def __init__(self, catalogue: Catalogue, lesson: int | None = None) -> None:
        """List the course, with the cursor on the lesson of this place, else on the next one."""
        super().__init__()
        self._catalogue = catalogue
        suggested = catalogue.suggested
        if lesson is None and suggested is not None:
            lesson = catalogue.course.lessons.index(suggested)
        self.first = lesson

    def rows(self, room: int) -> list[Row]:
        glyphs = {key: glyph for key, (glyph, _) in _marks(self._catalogue).items()}
        return rows(self._catalogue.course, glyphs, room, self.language)

    def results(self) -> list[str]:
        return [loaded.lesson.id for loaded in self._catalogue.course.lessons]


class ConceptMapDialog(RowsDialog[str]):
    """Draws a lesson, what it needs and where it leads; the result is the id of the chosen one."""

    HEADING = ConceptMapTexts.title
    FOOTER = ConceptMapTexts.lead
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1, 0)", "left", show=False),
        Binding("right", "go(1, 0)", "right", show=False),
        Binding("up", "go(0, -1)", "up", show=False),
        Binding("down", "go(0, 1)", "down", show=False),
        Binding("home,g", "go(0, -1_000)", "first", show=False),
        Binding("end,G", "go(0, 1_000)", "last", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("enter", "open", "open", id="choose_row"),
        Binding("slash", "list", "list"),
        *closed_by("map"),
    ]

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__()
        self._catalogue = catalogue
        suggested = catalogue.suggested
        centre = 1 if suggested is None else catalogue.course.lessons.index(suggested) + 1
        self.map: MapView = around(catalogue.course, centre)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -page -broad"):
            lines = Lines()
            lines.can_focus = False  # the arrows go along the map
            yield lines

    @property
    def _height(self) -> int:
        return self.app.size.height * 9 // 10 - EDGES

    def rows(self, room: int) -> list[Row]:
        course, marks, language = self._catalogue.course, _marks(self._catalogue), self.language
        mark = self._catalogue.mark_in_list(course.lessons[self.map.cursor - 1])
        height, state = self._height, marked(mark, language)
        return drawing(
            course, self.map, marks, room=room, height=height, language=language, state=state
        )

    def results(self) -> list[str]:
        return [loaded.lesson.id for loaded in self._catalogue.course.lessons]

    def action_go(self, across: int, down: int) -> None:
        before, self.map = self.map, self.map.moved(self._catalogue.course, across, down)
        self.write()
        if self.map == before:
            self.note(edge_text(across, down))

    def action_page(self, down: int) -> None:
        self.action_go(0, down * boxes_in(self._height))

    def action_open(self) -> None:
        self.take(self.map.cursor - 1)

    def action_list(self) -> None:
        self.host.ask(ConceptListDialog(self._catalogue, self.map.cursor - 1), self.dismiss)
