"""What is said of lessons that lead to lessons."""

from __future__ import annotations

from inplace_tui.model.lesson import LocalText


class ConceptMapTexts:
    """The concept map."""

    title = LocalText("What leads to what", "概念图")
    lead = LocalText("Enter opens a lesson · Esc closes", "Enter 打开课程 · Esc 关闭")
    needs = LocalText("needs    ", "需要  ")
    teaches = LocalText("teaches  ", "讲解  ")
    opens = LocalText("leads to ", "通往  ")
    comma = LocalText(", ", "、")
