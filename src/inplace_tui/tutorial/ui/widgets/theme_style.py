"""The style of each meaning in the current theme, computed once for all widgets.

As component classes of a widget they would be matched with every rule there is whenever
it gets the focus or loses it: for each of two panels that was longer than drawing them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rich.style import Style as RichStyle
from textual.color import Color
from textual.css.parse import parse_declarations

from inplace_tui.common.rows import Style
from inplace_tui.tutorial.ui.theme import STYLES

CURSOR = "background: $foreground 10%; text-style: $chosen;"
"""The row that Enter would choose."""

_VARIABLE = re.compile(r"\$([\w-]+)")


@dataclass(frozen=True)
class ThemeStyle:
    """Colours, which may let through what is under them, and attributes; None where all stays."""

    color: Color | None
    background: Color | None
    attributes: RichStyle

    @property
    def rich(self) -> RichStyle:
        return (
            RichStyle(
                color=None if self.color is None else self.color.rich_color,
                bgcolor=None if self.background is None else self.background.rich_color,
            )
            + self.attributes
        )


def theme_style(style: Style, variables: Mapping[str, str]) -> ThemeStyle:
    return parsed_style(STYLES[style], variables)


def parsed_style(css: str, variables: Mapping[str, str]) -> ThemeStyle:
    """Return the style of CSS declarations; a variable that the theme lacks is none."""
    return _parsed(_VARIABLE.sub(lambda found: variables.get(found[1], "none"), css))


@lru_cache(maxsize=1024)
def _parsed(css: str) -> ThemeStyle:
    styles = parse_declarations(css, ("looks", ""))
    # As parsed it is a word or two; a stylesheet makes a style of it when it is applied.
    words = styles.get_rule("text_style", "")
    return ThemeStyle(
        color=styles.color if styles.has_rule("color") else None,
        background=styles.background if styles.has_rule("background") else None,
        attributes=RichStyle.parse(str(words)),
    )
