"""The editor in the code panel's place: into it, out of it, and what is done to its text there."""

from __future__ import annotations

from textual.content import Content

from inplace_tui.engine.templates import Template
from inplace_tui.model.outcome import Raised
from inplace_tui.texts import say
from inplace_tui.texts.templates import NAMES, TemplateTexts
from inplace_tui.texts.writing import EditorTexts
from inplace_tui.ui.dialogs.templates import TemplatesDialog
from inplace_tui.ui.keymap import key_labels
from inplace_tui.ui.keys import ACTIONS, Where, shown
from inplace_tui.ui.panels import CodePanel
from inplace_tui.ui.run.panel_layout import PanelLayout
from inplace_tui.ui.sandbox.editor_page import EditorPage
from inplace_tui.ui.widgets.editor_pane import EditorPane

IN_THE_EDITOR = ("find", "find_next", "comment", "complete")
"""Actions that are of no use anywhere else."""

UNDO = shown("ctrl+z")
"""Textual's own key in an editor."""


class Writing:
    """Shows the editor while one types."""

    def __init__(self, page: EditorPage, layout: PanelLayout, text: str) -> None:
        self._page = page
        self._layout = layout
        self.pad = EditorPane(text, id="editor")

    def begin(self) -> None:
        """Let the editor know which keys are not its own."""
        ours = (each.id for each in ACTIONS if each.where in (Where.SANDBOX, Where.EVERYWHERE))
        self.pad.editor.leave_keys(self._page.host.keymap.keys(*ours))

    def update_texts(self) -> None:
        """Write its title again, and in an empty editor what can be done there."""
        language = self._page.language
        self.pad.border_title = Content(say(EditorTexts.editor, language))
        empty = say(EditorTexts.empty, language, keys=key_labels(self._page.app))
        self.pad.editor.placeholder = Content(empty)
        self.pad.update_texts(language)

    def check_action(self, action: str) -> bool | None:
        """Whether an action is of use now; None if that is not for the editor to say."""
        if action == "type":
            return not self._layout.editing
        return self._layout.editing if action in IN_THE_EDITOR else None

    def edit(self, *, editing: bool) -> None:
        self.pad.close()
        self._layout.editing = editing
        self._layout.zoomed = None
        self._page.refresh_view()
        self._page.set_focus(self._page.first_focus())  # now: the next key may be here already

    def close(self) -> None:
        """Have nothing in front of the code, from the next refresh on."""
        self._layout.editing = False
        self._layout.zoomed = None

    def action_type(self) -> None:
        """Go into the editor, at the line that the code panel points at."""
        page, line = self._page, self._line_of_interest()
        program = page.program_shown()
        shown = None if program is None else page.query_one(CodePanel).part
        self.edit(editing=True)
        if program is None or shown is None:
            return
        if not program.is_main(shown.before + 1):
            page.note(EditorTexts.other_file, name=shown.name, main=page.view.main_name)
        elif line is not None:
            self.pad.editor.move_cursor((line - 1, 0))

    def _line_of_interest(self) -> int | None:
        """Return it as it is numbered in the editor."""
        page = self._page
        if page.ran_text is None:
            return None
        line, outcome = page.query_one(CodePanel).line, page.view.outcome
        if line is None and isinstance(outcome, Raised):
            line = outcome.line
        return None if line is None else page.line_now(line)

    def action_find(self) -> None:
        """Ask what to find; who is asked already goes to the next match."""
        if self.pad.is_finding:
            self.action_find_next()
        else:
            self.pad.find(self._page.language)

    def action_find_next(self) -> None:
        if not self.pad.find_next():
            self._page.note(EditorTexts.nothing_sought)

    def action_comment(self) -> None:
        self.pad.editor.action_comment()

    def action_templates(self) -> None:
        self._page.app.push_screen(TemplatesDialog(), self._template_chosen)

    def _template_chosen(self, template: Template | None) -> None:
        if template is None:
            return
        self.pad.editor.replace_all(template.source)
        self.edit(editing=True)
        name = say(NAMES[template.id], self._page.language)
        self._page.note(TemplateTexts.put, name=name, undo=UNDO)
