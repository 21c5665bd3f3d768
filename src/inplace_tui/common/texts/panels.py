"""What the panels say."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class PanelTitles:
    """What the panels are called."""

    why = T(en="Why", zh="为什么")
    code = T(en="Code", zh="代码")
    tensors = T(en="Tensors", zh="张量")
    graph = T(en="Graph", zh="计算图")
    lanes = T(en="Storages", zh="存储")
    output = T(en="Output", zh="输出")
    timeline = T(en="Timeline", zh="时间线")
    narration = T(en="Step", zh="这一步")
    question = T(en="Question", zh="提问")
    recap = T(en="Lesson done", zh="本课完成")


class TableTexts:
    """The table of tensors."""

    yes = T(en="yes", zh="是")
    no = T(en="no", zh="否")
    gone = T(en="no name left", zh="已无名称")
    freed = T(en="freed", zh="已释放")
    kept = T(en="no name left, kept by {holders}", zh="已无名称，仍由 {holders} 持有")
    kept_by = T(en="kept by {holders}", zh="仍由 {holders} 持有")
    none = T(en="No tensors yet.", zh="还没有张量。")
    none_left = T(
        en="No tensors here: nothing names one any more. Earlier steps have them.",
        zh="这里没有张量：已经没有名称指向张量。之前的步骤里有。",
    )
    not_there = T(
        en="The tensor that is followed is not there at this step.", zh="这一步没有正在跟踪的张量。"
    )
    hidden = T(en="{count} hidden", zh="隐藏 {count} 个")
    following = T(en="{name}, {count} hidden", zh="{name}，隐藏 {count} 个")
    changed = T(en="changed by line {line}: {facets}", zh="第 {line} 行修改了：{facets}")
    new = T(en="new from line {line}", zh="由第 {line} 行新建")
    shares = T(en="storage {letter} also belongs to {names}", zh="存储 {letter} 也属于 {names}")
    apart = T(en="{name} (other elements)", zh="{name}（不同的元素）")
    held = T(en="saved by {holders}", zh="被 {holders} 保存")
    sample = T(
        en="a sample: the first {head} and the last {tail} of {count} elements",
        zh="抽样显示：共 {count} 个元素，只记录了前 {head} 个和后 {tail} 个",
    )
    masked = T(en="▒▒ hidden until you answer", zh="▒▒ 回答之后才会显示")
    column = T(en="{about} `{keys[why]}`: why?", zh="{about}按 `{keys[why]}` 看原因。")


REASONS = {
    "no storage": T(en="no storage to read", zh="没有可读取的存储"),
    "not recorded": T(en="not recorded", zh="未记录"),
    "storage resized to 0 bytes": T(en="storage resized to 0 bytes", zh="存储被缩减为 0 字节"),
    "reaches beyond its storage": T(en="reaches beyond its storage", zh="超出了存储的范围"),
}
"""Why values can't be shown, where the reason is the reader's own and not torch's."""


class CodeTexts:
    """Marks beside the code."""

    saves = T(en="saves {names}", zh="保存 {names}")
    unseen = T(en="{name} written, version kept", zh="{name} 被写入，版本号不变")
    wrote = T(en="{name} written", zh="{name} 被写入")
    refused = T(en="write to {name} refused", zh="对 {name} 的写入被拒绝")
    rebound = T(en="{name} is a new tensor", zh="{name} 是新张量")
    visits = T(en="run {count}×", zh="第 {count} 次")
    more = T(en="and {count} more", zh="另有 {count} 个")
    question = T(en="? question", zh="? 提问")
    saver = T(en="◆ saved here: {name} v{version}", zh="◆ 在此保存：{name} v{version}")
    saver_plain = T(en="◆ saved here", zh="◆ 在此保存")
    changer = T(en="~ changed here", zh="~ 在此修改")
    changer_versions = T(
        en="~ changed here: v{before} → v{after}", zh="~ 在此修改：v{before} → v{after}"
    )
    freer = T(en="~ freed here", zh="~ 在此释放")
    reader = T(en="✗ failed here", zh="✗ 在此报错")
    reader_warned = T(en="! warned here", zh="! 在此警告")
    reader_silent = T(en="≠ wrong gradient", zh="≠ 梯度有误")
    was_running = T(en="… was running", zh="… 运行到此")


class OutputTexts:
    """The output panel."""

    none = T(en="Nothing printed up to here.", zh="到这一步还没有输出。")
    warning = T(en="warning", zh="警告")
    raised = T(en="✗ raised", zh="✗ 抛出")
    muted = T(
        en="The program writes on; only its first {count} bytes are kept.",
        zh="程序还在输出；这里只保留前 {count} 字节。",
    )
    earlier = T(en="… {count:line|lines} before these", zh="… 前面还有 {count:,} 行")
    masked = T(en="▒▒▒▒ hidden until you answer", zh="▒▒▒▒ 回答之后才会显示")
    timed_out = T(
        en="✗ stopped: still running after {seconds:g} seconds",
        zh="✗ 已停止：运行超过 {seconds:g} 秒",
    )
    stopped = T(en="✗ stopped: more than {value} {limit}", zh="✗ 已停止：超过 {value} {limit}")
    crashed = T(en="✗ the process died ({how})", zh="✗ 进程意外终止（{how}）")
    signal = T(en="signal {number}", zh="信号 {number}")
    exit_code = T(en="exit code {number}", zh="退出码 {number}")
    worker_died = T(en="the worker was lost", zh="工作进程丢失")
    cancelled = T(en="cancelled", zh="已取消")


class StripTexts:
    """The timeline strip."""

    start = T(en="start", zh="开始")
    end = T(en="end", zh="结束")
    step = T(en="step {step} of {total}", zh="第 {step}/{total} 步")
    step_open = T(en="step {step}", zh="第 {step} 步")
    before = T(en="not started", zh="尚未开始")


class NarrationTexts:
    """What the narration says of a line."""

    start = T(
        en="Nothing has run yet. The first line is next.",
        zh="程序还没有开始运行，下一步执行第一行。",
    )
    wrote = T(
        en="`{op}` wrote {target} in place: version {before} → {after}.",
        zh="`{op}` 原地修改了{target}：版本号 {before} → {after}。",
    )
    wrote_unseen = T(
        en="{target} was written, and no version counter saw it.",
        zh="{target}被写入，但版本号没有变化。",
    )
    wrote_masked = T(en="{target} was written in place.", zh="{target}被原地修改。")
    target = T(en="`{name}` (storage {letter})", zh=" `{name}`（存储 {letter}）")
    unnamed = T(en="an unnamed tensor (storage {letter})", zh="没有名字的张量（存储 {letter}）")
    rebound = T(
        en="The name `{name}` now means another tensor; nothing was written.",
        zh="名称 `{name}` 现在指向另一个张量；没有发生写入。",
    )
    made = T(en="New: {names}.", zh="新建：{names}。")
    saved = T(en="{node} saved {names} for backward.", zh="{node} 为反向传播保存了 {names}。")
    raised = T(en="This line raised {error}", zh="这一行抛出了 {error}")
    raised_briefly = T(
        en="This line raised {error}; Why has the message.",
        zh="这一行抛出了 {error}；报错信息见“为什么”。",
    )
    marked = T(
        en="Line {line} ran; `~` in the table marks what changed.",
        zh="第 {line} 行已运行；表中用 `~` 标出了改变之处。",
    )
    plain = T(en="Line {line} ran; no tensor changed.", zh="第 {line} 行已运行；没有张量变化。")
    plain_at_ends = T(
        en="Line {line} ran; no change was seen. Of storages above 32 KiB only both ends are "
        "compared.",
        zh="第 {line} 行已运行；没有看到变化。超过 32 KiB 的存储只比较两端。",
    )
    hidden = T(
        en="Line {line} ran; what it did is hidden until you answer.",
        zh="第 {line} 行已运行；它做了什么，回答之后才会显示。",
    )
    no_grad = T(en="Grad mode is off here.", zh="这里梯度模式已关闭。")
    inference = T(en="Inference mode is on here.", zh="这里处于推理模式。")
    recap = T(en="To take with you", zh="小结")
    goal = T(en="This lesson is about: {names}", zh="这一课讲：{names}")
    score = T(en="Right at the first try: {right} of {total}.", zh="一次答对：{right}/{total}。")
    after = T(en="Next: {title}", zh="接下来：{title}")
    running = T(en="Running …", zh="运行中……")


class QuestionTexts:
    """Questions of a lesson."""

    none = T(en="No question at this step.", zh="这一步没有提问。")
    open = T(
        en="{choices} or ↑↓ mark, {keys[commit]} answers",
        zh="{choices} 或 ↑↓ 标记，{keys[commit]} 作答",
    )
    locked = T(
        en="Answers are locked for a class. {keys[answer]} shows the right one.",
        zh="演示时不能作答。按 {keys[answer]} 揭晓答案。",
    )
    marked_already = T(en="This one is marked already.", zh="这一项已经选中。")
    mark_first = T(
        en="Mark a choice first: {choices} or ↑↓.", zh="请先标记一个选项：{choices} 或 ↑↓。"
    )
    point = T(
        en="↑↓ move the cursor in the code, {keys[commit]} answers",
        zh="↑↓ 在代码中移动光标，{keys[commit]} 作答",
    )
    arrange = T(
        en="{choices} or ↑↓ choose, {keys[line_up]}/{keys[line_down]} move, {keys[commit]} answers",
        zh="{choices} 或 ↑↓ 选行，{keys[line_up]}/{keys[line_down]} 移动，{keys[commit]} 作答",
    )
    later = T(en="{keys[leave]} later", zh="{keys[leave]} 稍后再答")
    again = T(en="✗ Not right. One more try.", zh="✗ 不对，还可以再试一次。")
    checking = T(en="… checking by running it", zh="……正在运行以核对答案")
    ordering = T(en="… running your order", zh="……正在按你的顺序运行")
    seeking = T(
        en="… running other orders, to find one that works", zh="……正在运行其他顺序，找出可行的一种"
    )
    right = T(en="✓ right", zh="✓ 正确")
    wrong = T(en="✗ wrong", zh="✗ 错误")
    shown = T(en="the answer was shown", zh="已显示答案")
    is_right = T(en="correct answer", zh="正确答案")
    is_wrong = T(en="incorrect", zh="不对")
    your_choice = T(en="your choice", zh="你的选择")
    tried = T(en="tried", zh="已试过")
    hint = T(en="Hint {number} of {total}", zh="提示 {number}/{total}")
    hints_left = T(
        en="{keys[hint]} hint ({shown} of {total} shown)",
        zh="{keys[hint]} 提示（已显示 {shown}/{total}）",
    )
    answer = T(en="{keys[answer]} answer", zh="{keys[answer]} 看答案")
    works = T(en="An order that works:", zh="可行的顺序：")
