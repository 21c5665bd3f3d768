"""What is said of challenges: what an edit does and does not do, and around it."""

from __future__ import annotations

from inplace_tui.model.lesson import LocalText

GRADING: dict[str, LocalText] = {
    "yes": LocalText("{what}: yes", "{what}：是"),
    "no": LocalText("{what}: no", "{what}：否"),
    "no_seen": LocalText("{what}: no, {seen}", "{what}：否，{seen}"),
    # What a goal asks for.
    "ends": LocalText("{ends}", "{ends}"),
    "right": LocalText("every gradient right", "梯度全部正确"),
    "wrong": LocalText("a gradient silently wrong", "梯度悄悄出错"),
    "match": LocalText("the message has “{text}”", "报错信息含“{text}”"),
    "raised_by": LocalText("raised by line {line}", "由第 {line} 行抛出"),
    "saved_by": LocalText("saved by line {line}", "由第 {line} 行保存"),
    "changed_by": LocalText("changed by line {line}", "由第 {line} 行改动"),
    "warns": LocalText("warns with “{text}”", "发出含“{text}”的警告"),
    "prints": LocalText("prints “{text}”", "输出“{text}”"),
    "field": LocalText("`{field}` is {value}", "`{field}` 为 {value}"),
    "shares": LocalText("`{name}` and `{other}` share memory", "`{name}` 与 `{other}` 共享内存"),
    "apart": LocalText(
        "`{name}` and `{other}` share no memory", "`{name}` 与 `{other}` 不共享内存"
    ),
    "view_of": LocalText("`{name}` is a view of `{other}`", "`{name}` 是 `{other}` 的视图"),
    "no_view": LocalText("`{name}` is no view", "`{name}` 不是视图"),
    # What was seen instead.
    "it_ends": LocalText("it {how}", "实际{how}"),
    "it_is": LocalText("it is {seen}", "实际为 {seen}"),
    "no_tensor": LocalText("there is no `{name}`", "没有 `{name}`"),
    "another_line": LocalText("line {line}", "实际是第 {line} 行"),
    "other_message": LocalText("it is: {seen}", "实际为：{seen}"),
    # Rules.
    "same": LocalText("`{name}` ends as before", "`{name}` 的结果不变"),
    "is_now": LocalText("it was {was}, now {now}", "原为 {was}，现为 {now}"),
    "dropped": LocalText("line {line} must stay: `{code}`", "第 {line} 行必须保留：`{code}`"),
    "not_run": LocalText(
        "line {line} must run {wanted}×: ran {visits}×",
        "第 {line} 行须运行 {wanted} 次：实际 {visits} 次",
    ),
    "forbidden": LocalText("`{name}` is not allowed: line {line}", "不能用 `{name}`：第 {line} 行"),
    "import": LocalText(
        "`import {name}` is not allowed: line {line}", "不能 `import {name}`：第 {line} 行"
    ),
    "crowded": LocalText(
        "one statement a line, please: line {line}", "请一行只写一条语句：第 {line} 行"
    ),
    "module_changed": LocalText(
        "`{name}` may not be changed: line {line}", "不能改动 `{name}`：第 {line} 行"
    ),
    "caught": LocalText(
        "line {line} raises, and the program catches it: that mends nothing",
        "第 {line} 行报错后被捕获：这不算修好",
    ),
    "by_hand": LocalText(
        "`{name}.grad` was written by line {line}, not by backward",
        "`{name}.grad` 是第 {line} 行写的，不是反向传播算出的",
    ),
    "not_python": LocalText("this is not Python yet", "还不是合法的 Python"),
    "unchanged": LocalText("nothing is changed yet", "还没有改动"),
    "lines": LocalText("lines changed: {changed}, par {par}", "改动行数：{changed}，标准 {par}"),
}
"""One line each: what holds and what doesn't."""
