"""What an app draws."""

from __future__ import annotations

from typing import Any

from textual._context import visible_screen_stack
from textual.app import App
from textual.strip import Strip


def strips(app: App[Any]) -> list[Strip]:
    """Return the lines on the screen.

    A dialog finds what is behind it in a context variable, which Textual sets whenever it draws
    by itself. Drawn without it a dialog would have nothing behind it, and cache that.
    """
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


def text(app: App[Any]) -> str:
    """Return the lines on the screen as plain text."""
    return "\n".join(strip.text.rstrip() for strip in strips(app))
