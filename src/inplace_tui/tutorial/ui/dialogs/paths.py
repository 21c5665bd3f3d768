"""Which path to take; five questions that place the learner are one of the answers."""

from __future__ import annotations

from inplace_tui.common.rows import Row
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.tutorial.ui import path_rows
from inplace_tui.tutorial.ui.course_rows import Catalogue
from inplace_tui.tutorial.ui.dialogs.dialog import NumberedDialog, closed_by

PLACEMENT = "placement"


class PathsDialog(NumberedDialog[str]):
    """Lists the paths; the result is the id of the chosen one, or `PLACEMENT`."""

    HEADING = PathTexts.which
    FOOTER = PathTexts.lead
    BINDINGS = closed_by("paths")
    first = 0

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__()
        self._catalogue = catalogue

    def rows(self, room: int) -> list[Row]:
        return path_rows.choices(self._catalogue, room, self.language)

    def results(self) -> list[str]:
        return [*self._catalogue.course.path_ids, PLACEMENT]
