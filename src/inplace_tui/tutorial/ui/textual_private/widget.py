"""Widgets: their arrangement, their scroll bars and the keys that they inherit.

Textual arranges a widget's children anew only for a change that it knows of, draws all of a
scroll view when its content grows by a row, and can't take single keys from a base class.
"""

from __future__ import annotations

from collections.abc import Collection

from textual.widget import Widget


def rearrange(widget: Widget) -> None:
    """Have a widget's own layout arrange its children anew."""
    widget._clear_arrangement_cache()
    widget.refresh(layout=True)


def refresh_scroll_bars(widget: Widget) -> None:
    """Show and hide the scroll bars for the widget's virtual size."""
    widget._refresh_scrollbars()


def unbind(widget: Widget, keys: Collection[str]) -> None:
    """Leave these keys to the widgets above."""
    for key in keys:
        widget._bindings.key_to_bindings.pop(key, None)
