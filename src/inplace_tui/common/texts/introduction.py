"""What the introduction asks for. `{keys[0]}` is the key that does it at this moment."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T

TASK_TEXTS = {
    "next": T(
        en="Press `{keys[0]}` to run the first line. A program runs one line at a time here.",
        zh="按 `{keys[0]}` 执行第一行。程序在这里一次执行一行。",
    ),
    "write": T(
        en="Press `{keys[0]}` until `y.add_(1)` has run. `~` marks what a line changed: here "
        "the version and the values of `y`.",
        zh="继续按 `{keys[0]}`，直到 `y.add_(1)` 执行完。"
        "`~` 标出这一行改变了什么：这里是 `y` 的版本号和值。",
    ),
    "back": T(
        en="Press `{keys[0]}` to go back a line. Nothing runs twice: everything was recorded.",
        zh="按 `{keys[0]}` 退回一行。什么都不会重新执行：一切都已记录下来。",
    ),
    "graph": T(
        en="Press `{keys[0]}` for the graph that backward will walk, with what it saved. Every "
        "panel has a number.",
        zh="按 `{keys[0]}` 查看反向传播要走的计算图，以及它保存的内容。每个面板都有编号。",
    ),
    "zoom": T(
        en="Press `{keys[0]}` to give this panel the whole screen, and `{keys[0]}` again to put "
        "it back.",
        zh="按 `{keys[0]}` 让这个面板占满屏幕，再按一次 `{keys[0]}` 恢复原样。",
    ),
    "continue": T(
        en="Press `{keys[0]}` to run on to the next question.",
        zh="按 `{keys[0]}` 一直执行到下一个提问。",
    ),
    "answer": T(
        en="What will happen? `{keys[0]}` or `{keys[1]}` marks an answer, `{keys[2]}` gives it. "
        "Until then, whatever gives it away is hidden; a wrong answer costs nothing.",
        zh="会发生什么？按 `{keys[0]}` 或 `{keys[1]}` 标记选项，再按 `{keys[2]}` 作答。"
        "作答之前，会泄露答案的内容都不显示；答错没有任何损失。",
    ),
    "why": T(
        en="Press `{keys[0]}`: why did it end so? With the cursor on a cell of the table or on a "
        "node, the same key explains that.",
        zh="按 `{keys[0]}`：为什么是这个结果？光标在表格的某一格或某个节点上时，"
        "这个键解释的就是它。",
    ),
    "done": T(
        en="That is all. `{keys[2]}` opens the first lesson; `{keys[0]}` lists every key where "
        "you are, `{keys[1]}` every command.",
        zh="就是这些。按 `{keys[2]}` 打开第一课；"
        "`{keys[0]}` 列出当前可用的全部按键，`{keys[1]}` 列出全部命令。",
    ),
}


class IntroductionTexts:
    """Around the tasks."""

    title = T(en="Introduction {place}/{total}", zh="入门 {place}/{total}")
    over = T(en="Introduction", zh="入门")
    skip = T(
        en="One minute, once. {key} ends it; {again} in the contents shows it again.",
        zh="只需一分钟，只出现这一次。按 {key} 结束；在目录里按 {again} 可以再看。",
    )
