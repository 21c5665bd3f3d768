"""Small programs to start from, with the chosen one beside the list where there is room."""

from __future__ import annotations

from collections.abc import Sequence

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from inplace_tui.engine.templates import TEMPLATES, Template
from inplace_tui.present import templates
from inplace_tui.present.rows import Row
from inplace_tui.texts.templates import TemplateTexts
from inplace_tui.ui.dialogs.dialog import Choices, RowsDialog, closed_by
from inplace_tui.ui.widgets.lines import Lines


class TemplatesDialog(RowsDialog[Template]):
    """The list; the result is the chosen one."""

    HEADING = TemplateTexts.templates
    FOOTER = TemplateTexts.lead
    BINDINGS = closed_by("templates")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -page -broad"), Horizontal():
            yield Choices(id="templates")
            yield Lines(id="preview")

    def action_other_part(self) -> None:
        if not self.query_one("#preview").display:
            raise SkipAction
        self.focus_next()

    def rows(self, room: int) -> Sequence[Row]:
        return templates.listing(TEMPLATES, room, self.host.language)

    def first(self) -> int | None:
        return 0

    def results(self) -> Sequence[Template]:
        return TEMPLATES

    def on_mount(self) -> None:
        super().on_mount()
        self.watch(self.query_one("#templates", Lines), "cursor", self._preview, init=False)

    def write(self) -> None:
        super().write()
        self._preview()

    def _preview(self) -> None:
        if not self.is_there:
            return
        lines, preview = self.query_one("#templates", Lines), self.query_one("#preview", Lines)
        room = preview.scrollable_content_region.width
        choice = None if lines.cursor is None else lines.rows[lines.cursor].target.choice
        if preview.display and room > 0 and choice is not None:
            preview.draw(templates.preview(TEMPLATES[choice], room, self.host.language))
            preview.scroll_to(y=0, animate=False, force=True, immediate=True)
