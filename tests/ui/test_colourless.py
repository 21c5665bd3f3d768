"""What is left of a style without colours."""

from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.theme import COLOURLESS
from support.screens import opened

UNDER = Color.parse("#191c21")


def left(style: Style) -> Style | None:
    [segment] = COLOURLESS.apply([Segment("x", style)], UNDER)
    return segment.style


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("#d5d8df on #191c21", ""),
        ("bold #f0906a on #233044", "bold"),
        ("reverse #d5d8df on #191c21", "reverse"),
        ("#3a404a on #191c21", "dim"),  # a border
        ("reverse #3a404a", "reverse dim"),  # the scroll bar, on what the widget is on
        ("bold", "bold dim"),  # what lies behind a dialog was drawn before
    ],
)
def test_a_colour_leaves_its_attributes_and_what_is_hardly_seen_is_dim(
    style: str, expected: str
) -> None:
    assert left(Style.parse(style)) == Style.parse(expected)


def test_what_a_click_does_there_stays() -> None:
    drawn = left(Style(color="#d5d8df", bgcolor="#191c21", meta={"@click": "grab"}))

    assert drawn is not None
    assert drawn.meta == {"@click": "grab"}


async def test_what_is_typed_into_the_palette_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(Opening(), tmp_path) as stage:
        await stage.press(":", *"qqzz")

        assert "qqzz" in stage.text
