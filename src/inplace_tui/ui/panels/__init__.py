"""The panels, each in a file of its own."""

from __future__ import annotations

from inplace_tui.ui.panels.code import CodePanel
from inplace_tui.ui.panels.graph import GraphPanel
from inplace_tui.ui.panels.lanes import LanesPanel
from inplace_tui.ui.panels.narration import NarrationPanel
from inplace_tui.ui.panels.output import OutputPanel
from inplace_tui.ui.panels.panel import Panel
from inplace_tui.ui.panels.question import QuestionPanel
from inplace_tui.ui.panels.strip import TimelineStrip
from inplace_tui.ui.panels.tensors import TensorTable

PANELS: tuple[type[Panel], ...] = (
    CodePanel,
    TensorTable,
    GraphPanel,
    LanesPanel,
    OutputPanel,
    TimelineStrip,
    NarrationPanel,
    QuestionPanel,
)
"""Every panel there is. A new one is a file and a line here."""

__all__ = [
    "PANELS",
    "CodePanel",
    "GraphPanel",
    "LanesPanel",
    "NarrationPanel",
    "OutputPanel",
    "Panel",
    "QuestionPanel",
    "TensorTable",
    "TimelineStrip",
]
