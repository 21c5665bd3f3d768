"""Every look can be read in every theme, and right and wrong told apart without red and green."""

from __future__ import annotations

import pytest
from textual.color import Color

from inplace_tui.present.rows import Style
from inplace_tui.ui.panels import CodePanel
from inplace_tui.ui.theme import LOOKS, THEMES
from support.hosts import Host
from support.views import at

QUIET = {Style.DIM, Style.HEADING, Style.FREED, Style.COMMENT, Style.OPERATOR}


def luminance(color: Color) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in color.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: Color, other: Color) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_every_style_has_a_look() -> None:
    assert LOOKS.keys() == set(Style)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: str(theme.name))
@pytest.mark.parametrize("row", [Style.PLAIN, Style.CURRENT])
async def test_every_look_can_be_read(theme: object, row: Style) -> None:
    """The contrast that WCAG asks of text: 4.5, and 3 of what is only secondary."""
    panel = CodePanel()
    app = Host(panel, at(3))
    async with app.run_test() as pilot:
        app.theme = getattr(theme, "name", "")
        await pilot.pause()
        looks = {style: panel._look(row, style, chosen=False) for style in Style}

    for style, look in looks.items():
        assert look.color is not None
        assert look.bgcolor is not None
        ratio = contrast(Color.from_rich_color(look.color), Color.from_rich_color(look.bgcolor))
        assert ratio >= (3 if style in QUIET else 4.5), (style, round(ratio, 2))


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: str(theme.name))
async def test_right_is_blue_and_wrong_is_orange(theme: object) -> None:
    panel = CodePanel()
    app = Host(panel, at(3))
    async with app.run_test() as pilot:
        app.theme = getattr(theme, "name", "")
        await pilot.pause()
        right, wrong = (
            panel._look(Style.PLAIN, style, chosen=False).color
            for style in (Style.RIGHT, Style.WRONG)
        )

    assert right is not None
    assert wrong is not None
    assert Color.from_rich_color(right).b > Color.from_rich_color(right).r
    assert Color.from_rich_color(wrong).r > Color.from_rich_color(wrong).g
    assert Color.from_rich_color(wrong).g > Color.from_rich_color(wrong).b
