"""What the editor of the sandbox says: finding, completing, running while one types."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class EditorTexts:
    """The editor."""

    editor = LocalText(en="Editor", zh="编辑器")
    empty = LocalText(
        en="Type a program here. {keys[run]} runs it, {keys[open]} opens a file,\n"
        "{keys[templates]} has programs to begin with.",
        zh="在这里输入程序。按 {keys[run]} 运行，{keys[open]} 打开文件，\n"
        "{keys[templates]} 从模板开始。",
    )
    nothing_to_undo = LocalText(en="There is nothing to undo.", zh="没有可以撤销的修改。")
    nothing_to_redo = LocalText(
        en="There is nothing to do again: nothing was undone.", zh="没有撤销过，无需重做。"
    )
    nothing_copied = LocalText(
        en="Nothing was copied here. Your terminal's own key pastes what was copied elsewhere.",
        zh="这里还没有复制过内容。要粘贴别处复制的内容，请用终端自己的粘贴键。",
    )
    in_editor = LocalText(
        en="{key} works in the editor: {keys[type]} goes there.",
        zh="{key} 在编辑器中使用：按 {keys[type]} 进入编辑器。",
    )
    find = LocalText(en="Find", zh="查找")
    replace = LocalText(en="Replace", zh="替换")
    found = LocalText(en="{at}/{count}", zh="{at}/{count}")
    found_none = LocalText(en="not found", zh="没有找到")
    find_keys = LocalText(
        en="Enter next · ↑ back · Tab replace · Esc", zh="Enter 下一处 · ↑ 上一处 · Tab 替换 · Esc"
    )
    replace_keys = LocalText(
        en="Enter replaces · ↓ skips · Alt-A all · Esc", zh="Enter 替换 · ↓ 跳过 · Alt-A 全部 · Esc"
    )
    find_keys_short = LocalText(en="Enter ↑ Tab Esc", zh="Enter ↑ Tab Esc")
    replace_keys_short = LocalText(en="Enter ↓ Alt-A Esc", zh="Enter ↓ Alt-A Esc")
    in_place = LocalText(en="in place, version +1", zh="原地修改，版本 +1")
    can_save = LocalText(en="can save {names}", zh="可能保存 {names}")
    kind_class = LocalText(en="class", zh="类")
    kind_module = LocalText(en="module", zh="模块")
    kind_attribute = LocalText(en="attribute", zh="属性")
    live = LocalText(en="live", zh="实时")
    live_running = LocalText(en="live · running", zh="实时 · 运行中")
    live_older = LocalText(en="panels show an older text", zh="面板显示的是旧版本")
    live_mistake = LocalText(en="line {line}: {message}", zh="第 {line} 行：{message}")
    other_file = LocalText(
        en="{name} is not edited here: change it in an editor of yours, it is read at each run. "
        "Here is {main}.",
        zh="{name} 不在这里编辑：请用自己的编辑器修改，每次运行都会重新读取。这里是 {main}。",
    )
    live_on = LocalText(
        en="Live: the program runs again whenever you stop typing.",
        zh="实时模式：停止输入后自动重新运行。",
    )
    live_off = LocalText(
        en="Live is off: the program runs when you ask for it.",
        zh="实时模式已关闭，需要时手动运行。",
    )
    nothing_to_complete = LocalText(en="Nothing to complete here.", zh="这里没有可以补全的内容。")
    nothing_sought = LocalText(en="Nothing was looked for yet.", zh="还没有查找过内容。")


OFFER_KINDS = {
    "class": EditorTexts.kind_class,
    "module": EditorTexts.kind_module,
    "attribute": EditorTexts.kind_attribute,
}
"""What a completion is; a function shows its signature instead."""
