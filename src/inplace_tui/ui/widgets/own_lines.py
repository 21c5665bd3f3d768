"""What our widgets have in common that draw line by line."""

from __future__ import annotations

from collections.abc import Iterable

from textual.color import Color
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class OwnLines(Widget):
    """Each line is drawn by itself, and is neither tinted nor see-through.

    So a part of the content can be had without what Textual does for a widget of any kind.
    """

    _ground: Color | None = None

    @property
    def ground(self) -> Color:
        """The colour beneath, looked up once."""
        if self._ground is None:
            self._ground = self.background_colors[1]
        return self._ground

    def notify_style_update(self) -> None:
        """Forget the colour of before."""
        self._ground = None
        super().notify_style_update()

    def part(self, region: Region) -> list[Strip] | None:
        """Return a region of the widget as it goes to the terminal.

        None where border or padding belong to it.
        """
        gutter, size = self.styles.gutter, self.size
        left, top = region.x - gutter.left, region.y - gutter.top
        right, bottom = left + region.width, top + region.height
        if left < 0 or top < 0 or right > size.width or bottom > size.height:
            return None
        return self.filtered(self.render_line(y).crop(left, right) for y in range(top, bottom))

    def filtered(self, strips: Iterable[Strip]) -> list[Strip]:
        """Return strips as the terminal takes them."""
        found, ground = list(strips), self.ground
        for each in self.get_line_filters():
            found = [strip.apply_filter(each, ground) for strip in found]
        return found
