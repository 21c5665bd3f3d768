"""What the themes are called."""

from __future__ import annotations

from inplace_tui.model.lesson import LocalText

THEME_NAMES = {
    "inplace-dark": LocalText(en="dark", zh="深色"),
    "inplace-light": LocalText(en="light", zh="浅色"),
    "inplace-contrast": LocalText(en="high contrast", zh="高对比度"),
    "inplace-colour-blind": LocalText(en="colour-blind safe", zh="色盲友好"),
}
"""By the name of the theme."""
