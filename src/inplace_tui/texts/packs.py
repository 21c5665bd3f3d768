"""What is said about packs of lessons from elsewhere."""

from __future__ import annotations

from inplace_tui.model.lesson import LocalText

TRUST: dict[str, LocalText] = {
    "not_kept": LocalText(
        "That the pack is trusted is not kept: {path} can't be written ({why}).",
        "对课程包的信任没有保存：无法写入 {path}（{why}）。",
    ),
    "unreadable": LocalText(
        "Which packs are trusted can't be read: {path} ({why}).",
        "无法读取信任的课程包：{path}（{why}）。",
    ),
    "set_aside": LocalText(
        "{path} could not be understood. It is kept as {aside}; no pack is trusted.",
        "无法理解 {path}。已另存为 {aside}；目前不信任任何课程包。",
    ),
    "question": LocalText(
        "The lessons in {folder} did not come with inplace-tui. Their programs are Python that "
        "runs on this machine with your rights: it can read, change and send your files. "
        "You are asked again when a file of the pack changes.",
        "{folder} 里的课程不是 inplace-tui 自带的。其中的程序是 Python 代码，"
        "会以你的权限在这台机器上运行：可以读取、修改、发送你的文件。"
        "课程包里的文件有改动时会再次询问。",
    ),
    "prompt": LocalText("Trust it, and run it? [y/N] ", "信任并运行？[y/N] "),
    "trust": LocalText("trust it, and go on", "信任，继续"),
}
"""What is asked about packs of lessons, and what becomes of the answers."""
