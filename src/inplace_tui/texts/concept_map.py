"""What is said of lessons that lead to lessons."""

from __future__ import annotations

from inplace_tui.model.lesson import LocalText

MAP: dict[str, LocalText] = {
    "title": LocalText("What leads to what", "概念图"),
    "lead": LocalText("Enter opens a lesson; none is locked", "Enter 打开课程；哪一课都可以直接上"),
    "needs": LocalText("needs    ", "需要  "),
    "teaches": LocalText("teaches  ", "讲解  "),
    "opens": LocalText("leads to ", "通往  "),
    "comma": LocalText(", ", "、"),
}
"""The concept map."""
