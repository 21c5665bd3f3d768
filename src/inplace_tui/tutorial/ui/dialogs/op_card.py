"""What the ops on a line of code keep, count and share, as the survey of torch has it."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.common.ops.survey import installed_survey
from inplace_tui.common.rows import Row
from inplace_tui.common.run.files import place_of
from inplace_tui.common.texts.ops import OpTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import op_card
from inplace_tui.tutorial.ui.dialogs.dialog import RowsDialog, closed_by


class OpCardDialog(RowsDialog[None]):
    """A card for each op, the outermost call first."""

    FOOTER = OpTexts.lead
    SHAPE = "-broad"
    BINDINGS = closed_by("op")

    def __init__(self, view: View, line: int) -> None:
        super().__init__()
        self._survey = installed_survey()
        self.line = op_card.line_of(self._survey, view, line)
        self.place = place_of(view.source, line).text

    def heading(self) -> str:
        return self.say(OpTexts.heading, line=self.place)

    def rows(self, room: int) -> Sequence[Row]:
        return op_card.cards(self._survey, self.line, room, self.language)
