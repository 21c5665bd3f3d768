"""What is said of challenges: what an edit does and does not do, and around it."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class GradingTexts:
    """One line each: what holds and what doesn't."""

    but = LocalText("{what}; found: {seen}", "{what}；实际：{seen}")
    # What a goal asks for.
    match = LocalText("the message has “{text}”", "报错信息含“{text}”")
    raised_by = LocalText("raised by line {line}", "由第 {line} 行抛出")
    saved_by = LocalText("saved by line {line}", "由第 {line} 行保存")
    changed_by = LocalText("changed by line {line}", "由第 {line} 行改动")
    warns = LocalText("warns with “{text}”", "发出含“{text}”的警告")
    prints = LocalText("prints “{text}”", "输出“{text}”")
    field = LocalText("`{field}` is {value}", "`{field}` 为 {value}")
    shares = LocalText("`{name}` and `{other}` share memory", "`{name}` 与 `{other}` 共享内存")
    apart = LocalText("`{name}` and `{other}` share no memory", "`{name}` 与 `{other}` 不共享内存")
    view_of = LocalText("`{name}` is a view of `{other}`", "`{name}` 是 `{other}` 的视图")
    no_view = LocalText("`{name}` is not a view", "`{name}` 不是视图")
    # What was seen instead.
    raised = LocalText("raises {exception} on line {line}", "第 {line} 行抛出 {exception}")
    raised_in_backward = LocalText(
        "raises {exception} in backward, on line {line}", "第 {line} 行的 backward 抛出 {exception}"
    )
    it_is = LocalText("{seen}", "{seen}")
    no_tensor = LocalText("no `{name}`", "没有 `{name}`")
    another_line = LocalText("line {line}", "第 {line} 行")
    removed = LocalText("{line} (removed since)", "{line}（已删）")
    other_message = LocalText("“{seen}”", "“{seen}”")
    # Rules.
    same = LocalText("`{name}` ends as before", "`{name}` 的结果不变")
    once = LocalText(
        "`{name}` is computed once; found: {count}×", "`{name}` 只计算一次；实际：{count} 次"
    )
    is_now = LocalText("{now}, was {was}", "{now}，原为 {was}")
    dropped = LocalText(
        "`{code}` must stay; found: no such line", "`{code}` 必须保留；实际：没有这一行"
    )
    not_run = LocalText(
        "line {line} runs {wanted}×; found: {visits}×",
        "第 {line} 行运行 {wanted} 次；实际：{visits} 次",
    )
    forbidden = LocalText("`{name}` is not allowed: line {line}", "不能用 `{name}`：第 {line} 行")
    import_ = LocalText(
        "`import {name}` is not allowed: line {line}", "不能 `import {name}`：第 {line} 行"
    )
    crowded = LocalText(
        "one statement a line, please: line {line}", "请一行只写一条语句：第 {line} 行"
    )
    module_changed = LocalText(
        "`{name}` may not be changed: line {line}", "不能改动 `{name}`：第 {line} 行"
    )
    caught = LocalText(
        "line {line} raises, and the program catches it: that mends nothing",
        "第 {line} 行报错后被捕获：这不算修好",
    )
    by_hand = LocalText(
        "`{name}.grad` was written by line {line}, not by backward",
        "`{name}.grad` 是第 {line} 行写的，不是反向传播算出的",
    )
    cut = LocalText("no gradient arrives at `{name}`", "没有梯度到达 `{name}`")
    cut_partly = LocalText(
        "the values are those of the solution, the gradient of `{name}` is not",
        "各值与解法相同，但 `{name}` 的梯度不同",
    )
    not_python = LocalText("this is not Python yet", "还不是合法的 Python")
    unparsed = LocalText(
        "did not run: it is not valid Python ({why})", "没有运行：不是合法的 Python（{why}）"
    )
    unparsed_at = LocalText(
        "did not run: line {line} is not valid Python ({why})",
        "没有运行：第 {line} 行不是合法的 Python（{why}）",
    )
    unchanged = LocalText("nothing is changed yet", "还没有改动")
    lines = LocalText("lines changed: {changed}", "改动行数：{changed}")
    lines_over_par = LocalText(
        "lines changed: {changed} (the shortest solution: {par})",
        "改动行数：{changed}（最短的解法：{par}）",
    )


class ChallengeTexts:
    """On the screen of a challenge, and in the contents."""

    title = LocalText("Task", "题目")
    to_challenge = LocalText("challenge", "挑战题")
    """The key of the next lesson, where there is none."""

    hint = LocalText("Hint {number}/{total}: ", "提示 {number}/{total}：")
    line = LocalText("line {line}", "第 {line} 行")
    line_at_start = LocalText("line {line} at the start", "原第 {line} 行")
    par = LocalText(
        "the shortest solution changes {par:line|lines}", "最短的解法改动 {par} 行（含增、删）"
    )
    general = LocalText("What holds for every challenge", "每道挑战题的规则")
    general_rules = LocalText(
        "One statement a line. No error is caught, and gradients come from backward. "
        "Imports may be added for {modules} only, and none of their functions replaced. "
        "Hooks that replace values, private names (`_…`), `exec`, `getattr` and the like may not "
        "be added. Lines that are added or removed count as changed, so a moved one counts twice.",
        "一行只写一条语句。不得捕获错误，梯度必须由反向传播算出。"
        "新增的导入只能是 {modules}，其中的函数不能替换。"
        "不得新增替换数值的钩子、私有名称（`_…`）、`exec`、`getattr` 之类。"
        "增加或删除的行也算改动，所以移动一行算两行。",
    )
    forbid = LocalText("not allowed: {names}", "禁用：{names}")
    keep = LocalText("lines that must stay: {lines}", "必须保留的行：{lines}")
    same = LocalText("must come out the same: {names}", "结果须不变：{names}")
    grading = LocalText("running your program…", "正在运行你的程序……")
    not_judged = LocalText("{what}: not judged", "{what}：未判定")
    not_yet = LocalText("Not yet", "尚未解出")
    solved = LocalText("Solved", "已解出")
    # Around it.
    challenges = LocalText("Challenges: break it, or fix it", "挑战题：弄坏它，修好它")
    challenge_of = LocalText("Challenge {number}/{total}", "挑战 {number}/{total}")
    is_solved = LocalText("solved, {lines:line|lines} changed", "已解出，改动 {lines} 行")
    par_of = LocalText("change {par:line|lines}", "改 {par} 行")
    needs = LocalText("builds on: ", "需要：")
    recovered = LocalText(
        "This is your edit from last time. {keys[leave]}, then {keys[reset]}: back to the start.",
        "这是你上次的修改。先按 {keys[leave]}，再按 {keys[reset]}，即可恢复原样。",
    )
    reset = LocalText(
        "The program is as it was. Ctrl-Z in the editor takes that back.",
        "程序已恢复原样。在编辑器里按 Ctrl-Z 可以撤销。",
    )
    run_first = LocalText(
        "Edit the program, then {keys[run]} runs and judges it. The help has the rules.",
        "修改程序，再按 {keys[run]} 运行并判定。规则见帮助。",
    )
    no_hints = LocalText("This challenge has no hints.", "这道题没有提示。")
    no_file = LocalText(
        "A challenge has no file: what you type is kept by itself.",
        "挑战题没有文件：你输入的内容会自动保留。",
    )
    no_fixes = LocalText(
        "No fixes are listed here: to find the edit is the task.",
        "这里不列出改法：怎样修改正是要解的题。",
    )
    no_templates = LocalText(
        "A challenge begins with its own program: in the panels, {keys[reset]} takes it back.",
        "挑战题从自带的程序开始：在面板中按 {keys[reset]} 恢复原样。",
    )
    no_live = LocalText(
        "A challenge runs only when you say so: {keys[run]}.",
        "挑战题不会自动运行：按 {keys[run]} 运行。",
    )
    no_more_hints = LocalText("There are no more hints.", "没有更多提示了。")
    no_references = LocalText(
        "This challenge can't be judged: its own programs do not run here.",
        "无法判定：这道题自带的程序在这里无法运行。",
    )
    solution = LocalText("One solution", "一种解法")
    unknown = LocalText("There is no challenge {id!r}.", "没有挑战题 {id!r}。")
    all_solved = LocalText("Every challenge is solved.", "所有挑战题都已解出。")
    none = LocalText("There are no challenges here.", "这里没有挑战题。")
    go_to = LocalText("go to challenge: {title}", "打开挑战题：{title}")
    mark_solved = LocalText("solved", "已解出")
    mark_begun = LocalText("begun", "已开始")
    mark_new = LocalText("not begun", "未开始")
    was_shown = LocalText("after a look at the solution", "先看过解法")
