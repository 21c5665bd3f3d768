"""The panels, each in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_tui.tutorial.ui.panels.code import BesidePanel, CodePanel
from inplace_tui.tutorial.ui.panels.graph import GraphPanel
from inplace_tui.tutorial.ui.panels.lanes import LanesPanel
from inplace_tui.tutorial.ui.panels.narration import NarrationPanel, RecapPanel
from inplace_tui.tutorial.ui.panels.output import OutputPanel
from inplace_tui.tutorial.ui.panels.panel import Panel
from inplace_tui.tutorial.ui.panels.question import QuestionPanel
from inplace_tui.tutorial.ui.panels.steps import StepsPanel, TimelineStrip
from inplace_tui.tutorial.ui.panels.tensors import TensorTable
from inplace_tui.tutorial.ui.panels.why import WhyPanel

PANELS: Mapping[str, type[Panel]] = {
    "state": TensorTable,
    "graph": GraphPanel,
    "why": WhyPanel,
    "output": OutputPanel,
    "timeline": StepsPanel,
    "lanes": LanesPanel,
}
"""The panels of every run beside code and words, by their ids.

In the order of their digits and tabs; the layout of each screen size is made of them.
"""
