"""The program, with the line of the step."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from inplace_tui.common.cells import pad
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.files import FilePart, part_of, place_of, split_files
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.session.signals import RunToLine
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.lessons.kinds.kind import LinesView
from inplace_tui.tutorial.present import code
from inplace_tui.tutorial.present.question import open_answers
from inplace_tui.tutorial.ui.panels.panel import Panel


class CodePanel(Panel):
    """Shows the source with the line that ran and the line that runs next."""

    DEFAULT_CSS = """
    CodePanel { overflow-x: auto; }
    """

    TITLE = PanelTitles.code

    _drawn_file: str | None = None
    _drawn_source = ""
    _shown: object = None
    """The step that was drawn last, and the size it was drawn in."""

    _looked_at: tuple[object, int] | None = None
    """A line in another file than the step's that was asked for, and at which step."""

    @property
    def part(self) -> FilePart:
        """The file that is shown: the step's, until a line of another one is asked for."""
        if self._looked_at is not None and self._looked_at[0] == self._moment(self.view):
            return part_of(self.view.source, self._looked_at[1])
        return code.shown_part(self.view)

    @staticmethod
    def _moment(view: View) -> object:
        return view.source, view.cursor

    def kept_line(self, view: View) -> int | None:
        """Return the line to keep in view."""
        return code.current_line(view)

    @property
    def line(self) -> int | None:
        return None if self.cursor is None else self.part.before + self.cursor + 1

    def point_at(self, line: int) -> bool:
        """Put the cursor on a line, of whatever file; False if there is no such line."""
        if line < 1:
            return False
        self._looked_at = (self._moment(self.view), line)
        self.redraw()
        self.title_note = self.title_note_of(self.view)
        self.say_title()
        row = line - self.part.before - 1
        if row >= len(self.rows):
            return False
        self.cursor = row
        self.reveal(row)
        return True

    def title_note_of(self, view: View) -> str:
        """Return the file, where there are several, and where it goes on if that is in another."""
        if len(split_files(view.source)) == 1:
            return ""
        part = self.part
        note = part.name or view.main_name
        if view.next_line is not None:
            then = place_of(view.source, view.next_line)
            if then.file != part.name:
                name = then.text if then.file else f"{view.main_name}:{then.line}"
                note += f" · {code.NEXT} {name}"
        return note

    @property
    def says_more(self) -> LocalText | None:
        """A question that is asked before anything has run is answered from all of the code."""
        asked = self.view.cursor < 0 and open_answers(self.view) is not None
        return ScreenTexts.more_by_page if asked else None

    @property
    def pointing(self) -> bool:
        return isinstance(open_answers(self.view), LinesView)

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        return code.rows(view, width, self.language, self.part)

    def widest(self, width: int) -> int:
        """Long lines scroll."""
        return max(width, code.widest(self.part.source))

    def begin_pointing(self) -> None:
        """Put the cursor on the line before which it was asked, and take the keys."""
        if self.view.question is not None:
            self.cursor = self.view.question.line - self.part.before - 1
        self.redraw()
        self.screen.set_focus(self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While the cursor is there to answer with, Enter runs to no line."""
        if action == "choose" and self.pointing:
            return False
        return super().check_action(action, parameters)

    def redraw(self) -> None:
        """Keep in view the cursor that answers, else the line that ran, or is next."""
        if self._drawn_file != self.part.name:
            self.cursor, self._drawn_file = None, self.part.name
        super().redraw()
        if self._drawn_source != self.view.source:
            self._drawn_source = self.view.source
            if self.view.cursor < 0:  # another program is read from its first line
                self.scroll_to(y=0, animate=False, force=True, immediate=True)
        shown = self._moment(self.view), self.size
        again, self._shown = shown == self._shown, shown
        if self.pointing and self.cursor is not None:
            self.reveal(self.cursor)
        elif not (again and self.says_more):  # it is being read
            line = self.kept_line(self.view)
            row = -1 if line is None else line - self.part.before - 1
            if line is not None and 0 <= row < len(self.rows):
                if self.view.next_line == line + 1:  # in two rows, these two
                    self.reveal(row + 1, margin=0)
                self.reveal(row)

    def make_strip(self, row: Row, *, chosen: bool) -> Strip:
        """Draw the line that would be the answer as one bar, which no other line looks like."""
        if chosen and self.pointing:
            shown_to = self.scroll_offset.x + self.scrollable_content_region.width
            text = pad(row.text, shown_to)
            row = Row((Span(text, Style.CELL),), row.target)
        return super().make_strip(row, chosen=chosen)

    def action_page(self, direction: int) -> None:
        """Take the cursor along that answers."""
        if not self.pointing or self.cursor is None:
            super().action_page(direction)
            return
        page = max(1, self.scrollable_content_region.height - 1)
        self.go_to_edge(max(0, min(self.cursor + direction * page, len(self.rows) - 1)), direction)

    def chosen(self, target: Target) -> None:
        """Run to the line."""
        if target.line is not None and not self.pointing:
            self.post_message(self.Signalled(RunToLine(target.line)))


class BesidePanel(CodePanel):
    """Shows another file that has to do with a failure, beside that of the step."""

    @property
    def part(self) -> FilePart:
        """The file of the line at fault; if that is shown, of another one with a part in it."""
        line = self.kept_line(self.view)
        beside = self.screen.query_one("#code", CodePanel)
        return beside.part if line is None else part_of(self.view.source, line)

    def kept_line(self, view: View) -> int | None:
        shown = self.screen.query_one("#code", CodePanel).part
        lines = code.at_fault(view)
        return next((line for line in lines if part_of(view.source, line) != shown), None)

    def rows_of(self, view: View, width: int) -> Sequence[Row]:
        return code.rows(view.explained, width, self.language, self.part)

    def title_note_of(self, view: View) -> str:
        return self.part.name or view.main_name
