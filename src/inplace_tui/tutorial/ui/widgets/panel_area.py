"""The area between the bars, where panels have the regions of a plan."""

from __future__ import annotations

from textual import events
from textual.geometry import Offset, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from inplace_tui.tutorial.ui.arrangement import Needs, Plan, plan
from inplace_tui.tutorial.ui.textual_private.widget import rearrange


class _PlanLayout(Layout):
    """Puts every child into its region of the plan."""

    name = "planned"

    def arrange(
        self,
        parent: Widget,
        children: list[Widget],
        size: Size,
        greedy: bool = True,  # noqa: ARG002  (a plan has no greed)
    ) -> ArrangeResult:
        assert isinstance(parent, PanelArea)
        regions = parent.planned(size).regions
        nowhere = Spacing()
        return [
            WidgetPlacement(regions[child.id], Offset(), nowhere, child)
            for child in children
            if child.id is not None and child.id in regions
        ]


class PanelArea(Widget):
    """Shows those of its children that the plan for its size has."""

    DEFAULT_CSS = """
    PanelArea { width: 1fr; height: 1fr; overflow: hidden; }
    """

    def __init__(self, *children: Widget, id: str | None = None) -> None:  # noqa: A002
        super().__init__(*children, id=id)
        self._planned = _PlanLayout()
        self.needs = Needs(code_rows=1)
        self._made: tuple[Size, Needs, Plan] | None = None
        self._shown: Plan | None = None

    @property
    def layout(self) -> Layout:
        return self._planned

    @property
    def plan(self) -> Plan:
        return self.planned(self.size)

    def planned(self, size: Size) -> Plan:
        """Return what is shown at a size; made when that or what is needed is another."""
        if self._made is None or self._made[:2] != (size, self.needs):
            self._made = size, self.needs, plan(size.width, size.height, self.needs)
        return self._made[2]

    def arrange_for(self, needs: Needs) -> None:
        """Arrange anew, if that changes anything."""
        self.needs = needs
        self._show()

    def on_mount(self) -> None:
        self._show()

    def on_resize(self, _: events.Resize) -> None:
        self._show()

    def _show(self) -> None:
        before, self._shown = self._shown, self.plan
        if self._shown != before:
            for child in self.children:
                child.display = child.id in self._shown.regions
            rearrange(self)
