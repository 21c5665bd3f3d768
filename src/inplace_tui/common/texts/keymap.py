"""What is said about a learner's own keys, and by `inplace-tui keys`."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class KeymapTexts:
    """What is wrong with a keymap."""

    unreadable = LocalText("can't be read: {why}", "无法读取：{why}")
    too_deep = LocalText("nested too deeply", "嵌套太深")
    no_toml = LocalText("not TOML: {why}", "不是 TOML：{why}")
    no_action = LocalText("no action is called '{name}'{hint}", "没有名为 '{name}' 的操作{hint}")
    no_key = LocalText("no key is called '{key}'{hint}", "没有名为 '{key}' 的按键{hint}")
    no_keys = LocalText(
        "'{name}' needs a key, like \"n\", or a list of keys",
        "'{name}' 需要一个按键（如 \"n\"）或按键列表",
    )
    same_key = LocalText(
        "a terminal sends {key} as {other}; '{name}' keeps its keys",
        "终端会把 {key} 发成 {other}；'{name}' 保留原来的按键",
    )
    taken = LocalText(
        "{key} has a meaning of its own in every panel; '{name}' keeps its keys",
        "{key} 在每个面板里另有用途；'{name}' 保留原来的按键",
    )
    conflict = LocalText(
        "{key} would be '{name}' and '{other}' on one screen; '{name}' keeps its keys",
        "{key} 会在同一界面上同时是 '{name}' 和 '{other}'；'{name}' 保留原来的按键",
    )
    locked_in = LocalText(
        "'quit' needs a key that works while you type, like Ctrl-Q; it keeps its keys",
        "'quit' 需要一个在输入文字时也有效的按键（如 Ctrl-Q）；保留原来的按键",
    )
    more = LocalText(
        "`inplace-tui keys` tells {count} more. {first}",
        "另有 {count} 处，运行 `inplace-tui keys` 查看。{first}",
    )


class KeyTexts:
    """What `keys` says."""

    lead = LocalText(
        "Press keys to see what this terminal sends. q twice, or Ctrl-C, leaves.",
        "按任意键，查看终端实际发送的内容。连按两次 q 或按 Ctrl-C 退出。",
    )
    file = LocalText("Your own keys: {path}", "自定义按键文件：{path}")
    no_file = LocalText("there is none yet", "尚未创建")
    key = LocalText("key", "按键")
    bytes = LocalText("bytes", "字节")
    character = LocalText("character", "字符")
    action = LocalText("action", "操作")
    none = LocalText("none", "无")
    not_a_key = LocalText("not a key", "不是按键")
