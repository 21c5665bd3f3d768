"""Each row of "Adding one thing" in CONTRIBUTING.md, done in a copy of the sources.

A test makes the change that its row says, and nothing else; then the tests pass that are about it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.scratch import Scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path / "copy")


def test_a_panel(scratch: Scratch) -> None:
    scratch.write(
        "tutorial/ui/panels/names.py",
        '''
from inplace_tui.common.rows import Row, Span
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.tutorial.ui.panels.panel import Panel


class NamesPanel(Panel):
    TITLE = PanelTitles.names

    def rows_of(self, view, width):
        tensors = view.snapshot.tensors.values()
        return [Row((Span(name[:width]),)) for each in tensors for name in each.names]
''',
    )
    scratch.say("common/texts/panels.py", "PanelTitles", "names", "Names", "名称")
    registry = "tutorial/ui/panels/__init__.py"
    imported = "from inplace_tui.tutorial.ui.panels.names import NamesPanel"
    scratch.put(registry, imported, before="PANELS")
    scratch.put(registry, '    "names": NamesPanel,', before="}")

    scratch.passes(
        "tests/ui/test_lesson_panels.py::test_every_panel_is_reached_and_seen",
    )
