"""Every look can be read in every theme, and right and wrong told apart without red and green."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from rich.color import ColorSystem
from rich.segment import Segment
from textual.color import Color

from inplace_tui.common.rows import Style
from inplace_tui.common.texts.screen import THEME_NAMES
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel
from inplace_tui.tutorial.ui.theme import COLOUR_BLIND, CURSOR, LIGHT, STYLES, THEMES
from support.hosts import Host
from support.screens import SAVED_OUTPUT, opened
from support.views import at

HEAT = {style for style in Style if style.startswith(("cold-", "warm-"))}
"""Looks of numbers in a grid, which has no line that ran."""


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
    assert STYLES.keys() == {*Style, CURSOR}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: str(theme.name))
async def test_every_look_can_be_read(theme: object) -> None:
    """The contrast that WCAG asks of text, in the line that ran and under the cursor, too."""
    panel = CodePanel()
    app = Host(panel, at(3))
    async with app.run_test() as pilot:
        app.theme = getattr(theme, "name", "")
        await pilot.pause()
        looks = {
            (row, style, chosen): panel.style_of(row, style, chosen=chosen)
            for row in (Style.PLAIN, Style.CURRENT)
            for style in (set(Style) if row is Style.PLAIN else set(Style) - HEAT)
            for chosen in (False, True)
        }

    for meaning, look in looks.items():
        assert look.color is not None
        assert look.bgcolor is not None
        ratio = contrast(Color.from_rich_color(look.color), Color.from_rich_color(look.bgcolor))
        assert ratio >= 4.5, (meaning, round(ratio, 2))


NOT_FOR_WHITE = {2, 3, 6, 7, 9, 10, 11, 12, 13, 14, 15}
"""Those of sixteen colours that are hardly seen on white: green, yellow, cyan, all bright ones."""


async def test_every_look_of_the_light_theme_is_seen_where_there_are_sixteen_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were drawn in yellow on white."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLORTERM", raising=False)
    async with opened(SAVED_OUTPUT, tmp_path, size=(120, 40)) as stage:
        stage.app.use_theme("inplace-light")
        await stage.ran()
        panel = stage.lesson.query_one(CodePanel)
        looks = {style: panel.style_of(Style.PLAIN, style, chosen=False) for style in Style}
        few = stage.app.get_line_filters()
    ground = Color.parse(LIGHT.surface)

    for meaning, look in looks.items():
        segments = [Segment("x", look)]
        for each in few:
            segments = each.apply(segments, ground)
        drawn = segments[0].style
        assert drawn is not None
        assert drawn.color is not None
        assert drawn.bgcolor is not None
        text = drawn.color.downgrade(ColorSystem.STANDARD)
        under = drawn.bgcolor.downgrade(ColorSystem.STANDARD)
        assert text.number not in NOT_FOR_WHITE, meaning
        seen_as = (Color(*each.get_truecolor()) for each in (text, under))
        assert contrast(*seen_as) >= 3, meaning  # its greys are the terminal's


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: str(theme.name))
async def test_right_is_blue_and_wrong_is_orange(theme: object) -> None:
    panel = CodePanel()
    app = Host(panel, at(3))
    async with app.run_test() as pilot:
        app.theme = getattr(theme, "name", "")
        await pilot.pause()
        right, wrong = (
            panel.style_of(Style.PLAIN, style, chosen=False).color
            for style in (Style.RIGHT, Style.WRONG)
        )

    assert right is not None
    assert wrong is not None
    assert Color.from_rich_color(right).b > Color.from_rich_color(right).r
    assert Color.from_rich_color(wrong).r > Color.from_rich_color(wrong).g
    assert Color.from_rich_color(wrong).g > Color.from_rich_color(wrong).b


async def test_every_page_stands_on_the_ground_that_screens_have(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path) as stage:
        ground = stage.app.theme_variables["surface"]
        assert stage.app.screen.styles.background == Color.parse(ground)

        await stage.press("e")

        assert stage.app.screen.styles.background == Color.parse(ground)


def test_every_theme_has_a_name() -> None:
    assert {theme.name for theme in THEMES} == THEME_NAMES.keys()


_SIGHTS = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""What is left of linear RGB without one kind of cone: Machado, Oliveira, Fernandes 2009."""

_APART = 15.0
"""CIE76: 2.3 is only just seen; beside each other, in small letters, it takes more."""


def seen(color: Color, sight: str) -> tuple[float, float, float]:
    """Return L*a*b* of a colour as somebody with this sight has it."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in color.normalized
    ]
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, linear, strict=True))))
        for row in _SIGHTS[sight]
    )
    white = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in white)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("sight", _SIGHTS)
def test_no_two_colours_fall_together_in_the_colour_blind_theme(sight: str) -> None:
    names = ("primary", "secondary", "accent", "warning", "error", "foreground")
    lab = {name: seen(Color.parse(getattr(COLOUR_BLIND, name)), sight) for name in names}

    for one, other in itertools.combinations(names, 2):
        assert math.dist(lab[one], lab[other]) >= _APART, (one, other)
