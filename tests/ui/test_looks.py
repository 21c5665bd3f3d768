"""What a meaning looks like in each theme, with colours and without."""

import pytest
from rich.style import Style as RichStyle
from textual.app import App, ComposeResult

from inplace_tui.common.rows import Style
from inplace_tui.tutorial.ui.theme import THEMES, colourless
from inplace_tui.tutorial.ui.widgets.lines import Lines


class Host(App[None]):
    """Shows lines in any theme."""

    def __init__(self, *, bare: bool) -> None:
        super().__init__()
        self.no_color = bare
        for theme in THEMES:
            self.register_theme(colourless(theme) if bare else theme)

    def compose(self) -> ComposeResult:
        yield Lines()


@pytest.mark.parametrize("bare", [False, True])
async def test_attributes_stand_for_colours_in_every_theme_that_has_none(bare: bool) -> None:
    app = Host(bare=bare)
    async with app.run_test() as pilot:
        lines = app.query_one(Lines)
        for theme in THEMES:
            app.theme = theme.name
            await pilot.pause()
            plain = lines.style_of(Style.PLAIN, Style.PLAIN)
            current = lines.style_of(Style.CURRENT, Style.PLAIN)
            cursor = lines.style_of(Style.PLAIN, Style.PLAIN, chosen=True)
            muted = lines.style_of(Style.PLAIN, Style.DIM)

            assert len({plain.bgcolor, current.bgcolor, cursor.bgcolor}) == 3, theme.name
            assert muted.color != plain.color, theme.name
            found = [bool(each) for each in (current.bold, cursor.reverse, muted.dim)]
            assert found == [bare] * 3, theme.name


async def test_a_style_lies_over_that_of_its_row_and_both_over_the_panel() -> None:
    app = Host(bare=False)
    async with app.run_test():
        lines = app.query_one(Lines)
        row = lines.style_of(Style.CURRENT, Style.PLAIN)
        span = lines.style_of(Style.CURRENT, Style.RIGHT)

        assert (span.bgcolor, span.bold) == (row.bgcolor, True)
        assert span.color != row.color
        assert lines.style_of(Style.PLAIN, Style.MATCH) == RichStyle(
            color=lines.style_of(Style.PLAIN, Style.WARNING).color,
            bgcolor=lines.style_of(Style.PLAIN, Style.PLAIN).bgcolor,
            bold=True,
            underline=True,
        )
