"""Small programs to start from, with the chosen one beside the list where there is room."""

from __future__ import annotations

from collections.abc import Sequence

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from inplace_tui.common.cells import clip, clip_spans, hanging, wrapped
from inplace_tui.common.outcome_text import mark_of
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.common.texts.templates import ABOUT, NAMES, TemplateTexts
from inplace_tui.tutorial.editor.templates import Template, templates
from inplace_tui.tutorial.present.code import highlighted
from inplace_tui.tutorial.ui.dialogs.dialog import Choices, RowsDialog, closed_by
from inplace_tui.tutorial.ui.widgets.lines import Lines


class TemplatesDialog(RowsDialog[Template]):
    """The list; the result is the chosen one."""

    HEADING = TemplateTexts.templates
    FOOTER = TemplateTexts.lead
    BINDINGS = closed_by("templates")
    first = 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -page -broad"), Horizontal():
            yield Choices(id="templates")
            yield Lines(id="preview")

    def action_other_part(self) -> None:
        if not self.query_one("#preview").display:
            raise SkipAction
        self.focus_next()

    def rows(self, room: int) -> Sequence[Row]:
        """Return what each is called, and below what it shows."""
        rows = []
        for place, template in enumerate(templates()):
            target = Target(choice=place)
            name = clip(f" {self.say(NAMES[template.id])}", room)
            rows.append(Row((Span(name, Style.STRONG),), target))
            about = [Span(self.say(ABOUT[template.id]), Style.DIM)]
            rows += hanging(Span("   "), about, max(7, room), target)
        return rows

    def results(self) -> Sequence[Template]:
        return templates()

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
        choice = lines.under_cursor.choice
        if not preview.display or room <= 0 or choice is None:
            return
        template = templates()[choice]
        digits = len(str(template.source.count("\n")))
        code = [
            Row(clip_spans((Span(f"{number:>{digits}}  ", Style.DIM), *spans), room))
            for number, spans in enumerate(highlighted(template.source.rstrip("\n")), 1)
        ]
        glyph, style = mark_of(template.ends)
        phrase = f"{glyph} {self.say(ENDINGS[template.ends])}"
        preview.draw([*code, Row(), *wrapped([Span(phrase, style)], room)])
        preview.scroll_to(y=0, animate=False, force=True, immediate=True)
