"""The screen as a picture: SVG that every renderer shows alike."""

from __future__ import annotations

from typing import TypeVar

from textual.app import App

Result = TypeVar("Result")


def screen_svg(app: App[Result]) -> str:
    # Simplified it is drawn by Textual: ours are pieces, each for its place on a terminal.
    # Without `xml:space`, renderers other than browsers swallow leading spaces.
    return app.export_screenshot(simplify=True).replace("<svg ", '<svg xml:space="preserve" ', 1)
