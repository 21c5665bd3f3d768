"""What the editor draws after a key is what it would draw if it drew everything anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.strip import Strip

from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.widgets.editor import Editor
from support.screens import Stage, opened

PROGRAM = "import torch\n" + "".join(
    f"def f{n}(x):\n    return (x + {n}).exp()  # {n}\n" for n in range(12)
)
QUOTE, OPEN = "quotation_mark", "left_parenthesis"
WAYS = {
    "a string that begins swallows all that follows": [QUOTE] * 3 + ["backspace"] * 3,
    "a bracket shows its partner in another line": [
        "end", "enter", OPEN, "enter", "1", "right_parenthesis", "left", "left", "up", "left",
    ],
    "lines move": ["down", "enter", "enter", "backspace", "pagedown", "enter", "ctrl+z", "pageup"],
    "lines are chosen": ["shift+down", "shift+down", "tab", "ctrl+slash", "backspace"],
    "a list lies over lines": ["end", "enter", "t", "o", "down", "escape", "backspace"],
    "places are found": ["ctrl+f", "x", "p", "escape", "ctrl+g"],
}  # fmt: skip


def drawn(editor: Editor) -> list[Strip]:
    """Return the lines as the screen has them."""
    return editor.render_lines(editor.size.region)


async def redrawn(stage: Stage, editor: Editor) -> list[Strip]:
    """Return the lines, all of them drawn anew."""
    editor.notify_style_update()
    editor.refresh(editor.size.region)
    await stage.pilot.pause()
    return drawn(editor)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.whole(every=3)
async def test_a_key_leaves_no_line_as_it_was_that_looks_otherwise(
    way: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(PROGRAM)
    opening = Opening(screen="sandbox", file=tmp_path / "mine.py")
    async with opened(opening, tmp_path) as stage:
        editor = stage.sandbox.editor
        editor.cursor_blink = False
        for key in WAYS[way]:
            await stage.press(key)
            now = drawn(editor)

            assert now == await redrawn(stage, editor), key
