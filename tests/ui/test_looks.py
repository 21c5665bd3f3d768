"""What a meaning looks like, against what Textual's own style sheet makes of it."""

from dataclasses import replace
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.widget import Widget

from inplace_tui.common.rows import Style
from inplace_tui.tutorial.ui.theme import ATTRIBUTES, STYLES, THEMES, colourless, theme_style

BARE = replace(colourless(THEMES[0]), name="bare")


class Judge(Widget):
    """Has each meaning as a component class."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"means--{style.value}" for style in Style}
    DEFAULT_CSS = "\n".join(
        f"Judge > .means--{style.value} {{ {css} }}" for style, css in STYLES.items()
    )


class Host(App[None]):
    """Shows it in any theme."""

    def compose(self) -> ComposeResult:
        """It alone."""
        yield Judge()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Where there are colours, nothing stands in for them."""
        return dict.fromkeys(ATTRIBUTES, "none")

    def on_mount(self) -> None:
        """Know our themes, with colours and without."""
        for theme in (*THEMES, BARE):
            self.register_theme(theme)


async def test_meanings_look_as_a_style_sheet_would_have_them_in_every_theme() -> None:
    app = Host()
    async with app.run_test() as pilot:
        judge = app.query_one(Judge)
        for theme in (*THEMES, BARE):
            app.theme = theme.name
            await pilot.pause()
            for style in Style:
                by_textual = judge.get_component_styles(f"means--{style.value}")
                ours = theme_style(style, app.theme_variables)
                assert ours.rich == by_textual.partial_rich_style, (theme.name, style)
                assert ours.attributes == by_textual.text_style, (theme.name, style)
                if ours.color is not None:
                    assert ours.color == by_textual.color, (theme.name, style)
                if ours.background is not None:
                    assert ours.background == by_textual.background, (theme.name, style)
