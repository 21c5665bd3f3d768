"""Messages about notebooks."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class NotebookTexts:
    """Why one can't be run or written, and what a program misses of it."""

    no_json = LocalText(
        "no notebook: it is not JSON ({why})", "不是笔记本：不是合法的 JSON（{why}）"
    )
    no_notebook = LocalText(
        "no notebook of format 3 or 4 ({why})", "不是格式 3 或 4 的笔记本（{why}）"
    )
    no_python = LocalText("its language is {language}", "它的语言是 {language}")
    no_code = LocalText("it has no code cell", "其中没有代码单元")
    unusable = LocalText("{path} can't be read: {why}.", "无法读取 {path}：{why}。")
    layout = LocalText(
        "its JSON is laid out in a way of its own, so writing it would change more than the cells",
        "它的 JSON 排版不同寻常，写回会改动单元以外的内容",
    )
    other_cells = LocalText(
        "cells can't be added, removed or renamed here; their border lines stay as they are",
        "这里不能增删单元，也不能改名；单元之间的分界行须保持原样",
    )
    unwritten = LocalText("{path} can't be written: {why}.", "无法写入 {path}：{why}。")
    left_out = LocalText(
        "{file}: of IPython's lines, these are left out: {lines}",
        "{file}：以下 IPython 语句被略去：{lines}",
    )
    order = LocalText(
        "{file}: its cells were run in another order; here they run from top to bottom.",
        "{file}：这些单元原先按另一种顺序运行；这里从上到下运行。",
    )
    annotations = LocalText(
        "--format {form} names lines of files, and a notebook's cells have none.",
        "--format {form} 标注的是文件行，而笔记本的单元没有文件行号。",
    )
