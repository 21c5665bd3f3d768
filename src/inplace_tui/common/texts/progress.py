"""Whether and where progress is kept."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class ProgressTexts:
    """Notices about the file."""

    not_kept = LocalText("Progress is not kept.", "进度不会被保存。")
    unwritable = LocalText(
        "Progress is not kept ({why}): {path} can't be written.",
        "进度不会被保存（{why}）：无法写入 {path}。",
    )
    no_home = LocalText(
        "Progress is not kept: this user has no home folder. Name a folder in {variable}.",
        "进度不会被保存：当前用户没有主目录。请在 {variable} 中指定一个文件夹。",
    )
    unlocked = LocalText(
        "Another inplace-tui has locked {path} and does not answer; progress is kept all the same.",
        "另一个 inplace-tui 锁住了 {path} 且没有响应；进度照常保存。",
    )
    unreadable = LocalText(
        "Progress is not kept ({why}): {path} can't be read.",
        "进度不会被保存（{why}）：无法读取 {path}。",
    )
    newer = LocalText(
        "Progress is not kept: {path} was written by a newer version (schema {schema}). "
        "It is left as it is.",
        "进度不会被保存：{path} 由更新的版本写成（schema {schema}），保持原样不动。",
    )
    newer_schema = LocalText(
        "it was written by a newer version (schema {schema})",
        "它由更新的版本写成（schema {schema}）",
    )
    broken = LocalText(
        "Progress is not kept: {path} is no progress file ({why}).",
        "进度不会被保存：{path} 不是进度文件（{why}）。",
    )
    set_aside = LocalText(
        "{path} could not be understood ({why}). It is kept as {aside}; progress begins anew.",
        "无法理解 {path}（{why}）。已另存为 {aside}，进度从头开始。",
    )
    no_record = LocalText("it is no progress record: {why}", "不是进度记录：{why}")
