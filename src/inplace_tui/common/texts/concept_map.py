"""What is said of lessons that lead to lessons."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class ConceptMapTexts:
    """The concept map."""

    title = LocalText("What leads to what", "概念图")
    lead = LocalText(
        "← → ↑ ↓ go along · Enter opens · / as a list · Esc closes",
        "← → ↑ ↓ 移动 · Enter 打开 · / 列表 · Esc 关闭",
    )
    list_title = LocalText("All lessons: what leads to what", "全部课程的先后关系")
    list_lead = LocalText("Enter opens a lesson · Esc closes", "Enter 打开课程 · Esc 关闭")
    go_along = LocalText(
        "Go along the map: to what a lesson needs, to its chapter, to where it leads.",
        "在图上移动：去需要先学的课、同一章的课，或它通往的课。",
    )
    as_list = LocalText("Show the whole map as a list.", "把整张图显示为列表。")
    before = LocalText("needs", "需要先学")
    after = LocalText("leads to", "通往")
    nothing = LocalText("nothing", "无")
    needs = LocalText("needs    ", "需要  ")
    teaches = LocalText("teaches  ", "讲解  ")
    opens = LocalText("leads to ", "通往  ")
