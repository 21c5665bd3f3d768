"""What is said about packs of lessons from elsewhere."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class TrustTexts:
    """What is asked about packs of lessons, and what becomes of the answers."""

    not_kept = LocalText(
        "That the pack is trusted is not kept: {path} can't be written ({why}).",
        "对课程包的信任没有保存：无法写入 {path}（{why}）。",
    )
    unreadable = LocalText(
        "Which packs are trusted can't be read: {path} ({why}).",
        "无法读取信任的课程包：{path}（{why}）。",
    )
    set_aside = LocalText(
        "{path} could not be understood. It is kept as {aside}; no pack is trusted.",
        "无法理解 {path}。已另存为 {aside}；目前不信任任何课程包。",
    )
    question = LocalText(
        "The lessons in {folder} did not come with inplace-tui. Their programs are Python that "
        "runs on this machine and can read what you can read. {files} {network} "
        "You are asked again when a file of the pack changes.",
        "{folder} 里的课程不是 inplace-tui 自带的。其中的程序是 Python 代码，"
        "会在这台机器上运行，能读取你能读取的内容。{files}{network}"
        "课程包里的文件有改动时会再次询问。",
    )
    files_kept = LocalText(
        "They can write nowhere but to a scratch folder of their own.",
        "它们只能写入自己的临时文件夹，不能写入其他任何地方。",
    )
    files_open = LocalText(
        "Nothing here can keep them from changing and deleting your files.",
        "这台机器无法阻止它们修改、删除你的文件。",
    )
    network_closed = LocalText("They have no network.", "它们不能访问网络。")
    network_open = LocalText(
        "Nothing here can keep them from the network: they could send what they read.",
        "这台机器无法阻止它们访问网络：它们可能把读到的内容发送出去。",
    )
    prompt = LocalText("Trust it, and run it? [y/N] ", "信任并运行？[y/N] ")
    trust = LocalText("trust it, and go on", "信任，继续")
