"""The drill: its questions, what it says to an answer, what it counts."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class DrillQuestionTexts:
    """What is asked, and what can be answered."""

    prompt = T(
        en="Nothing has run yet. What will this program do?", zh="程序还没有运行。它会怎样？"
    )
    prompt_again = T(
        en="You were sure about this one, and wrong. What will it do?",
        zh="这道题你曾经很有把握，却答错了。它会怎样？",
    )
    how_sure = T(en="How sure are you?", zh="你有多大把握？")
    you_said = T(en="You say: {prediction}", zh="你的回答：{prediction}")
    sure = T(en="Sure.", zh="很确定。")
    think = T(en="I think so.", zh="应该是。")
    guess = T(en="A guess.", zh="猜的。")


class DrillKeyTexts:
    """What can be pressed, below a question."""

    answer = T(
        en="{choices} or ↑↓ mark, {keys[commit]} answers",
        zh="{choices} 或 ↑↓ 标记，{keys[commit]} 作答",
    )
    back = T(en="{keys[leave]} back to the endings", zh="{keys[leave]} 重选结果")
    next = T(
        en="{keys[next_drill]} or {keys[next]}: next program",
        zh="{keys[next_drill]} 或 {keys[next]}：下一题",
    )
    next_stepped = T(en="] next program", zh="] 下一题")
    step = T(en="{keys[back]} steps back through it", zh="{keys[back]} 逐行往回看")
    lesson = T(en="{keys[taught]} opens the lesson", zh="{keys[taught]} 打开这一课")


class DrillReplyTexts:
    """What is said to an answer."""

    sure_right = T(en="✓ right, and you knew it", zh="✓ 正确，而且你心里有数")
    think_right = T(en="✓ right", zh="✓ 正确")
    guess_right = T(
        en="✓ right, by a guess: the level stays as it is", zh="✓ 正确，但是猜的：难度保持不变"
    )
    sure_wrong = T(
        en="✗ wrong, and you were sure: it will come back",
        zh="✗ 错误，而你很确定：这道题以后还会出现",
    )
    think_wrong = T(en="✗ wrong", zh="✗ 错误")
    guess_wrong = T(en="✗ wrong", zh="✗ 错误")
    lesson = T(en="Lesson: {title} ({id})", zh="相关课程：{title}（{id}）")


REASONS = {
    "unsaved": T(
        en="Line {line} `{code}` writes to numbers that no node had saved: nothing is lost.",
        zh="第 {line} 行 `{code}` 写的数没有被任何节点保存，因此不影响反向传播。",
    ),
    "spent": T(
        en="Line {line} `{code}` writes to what was saved, but that backward was over by then.",
        zh="第 {line} 行 `{code}` 写到了保存过的数，但用到它的反向传播已经结束。",
    ),
    "unneeded": T(
        en="Line {line} `{code}` changes what line {saved} had saved, but backward does not come "
        "through there.",
        zh="第 {line} 行 `{code}` 改了第 {saved} 行保存的数，但反向传播不经过那里。",
    ),
    "unneeded-somewhere": T(
        en="Line {line} `{code}` changes something that was saved, but backward does not need it.",
        zh="第 {line} 行 `{code}` 改了保存过的数，但反向传播用不到它。",
    ),
    "indifferent": T(
        en="Line {line} `{code}` changes, unseen, what line {saved} had saved; this gradient does "
        "not depend on what was changed.",
        zh="第 {line} 行 `{code}` 在版本号不知情的情况下改了第 {saved} 行保存的数；"
        "不过这里的梯度不取决于被改的部分。",
    ),
    "kept": T(
        en="Line {line} `{code}` could go through the graph again: line {saved} kept what it had "
        "saved, and nothing of that has changed.",
        zh="第 {line} 行 `{code}` 可以再走一遍计算图：第 {saved} 行保留了保存的数，"
        "而且它们没有变过。",
    ),
    "nothing-freed": T(
        en="Line {line} `{code}` needs nothing that line {saved} freed: no node on its way had "
        "saved anything there.",
        zh="第 {line} 行 `{code}` 用不到第 {saved} 行释放的东西：它经过的节点没有保存过任何数。",
    ),
    "nothing": T(
        en="Nothing is written in place that a node had saved.", zh="节点保存的数都没有被原地修改。"
    ),
}
"""Why a program that writes is right all the same."""


class DrillTexts:
    """Bars and notices."""

    drill = T(en="Drill", zh="练习")
    which = T(en="Which of the drills that were assigned?", zh="做哪一组布置的练习？")
    assigned = T(
        en="level {level}, {count} programs (seed {seed})",
        zh="难度 {level}，{count} 道题（种子 {seed}）",
    )
    level = T(en="level {level}", zh="难度 {level}")
    again = T(en="comes back", zh="错题重现")
    score = T(en="{right}/{answered} right", zh="答对 {right}/{answered}")
    preparing = T(en="Making up a program…", zh="正在出题……")
    no_program = T(
        en="No program could be run. Enter tries again; `inplace-tui doctor` says what is wrong.",
        zh="无法运行任何程序。按 Enter 重试；运行 `inplace-tui doctor` 可查看原因。",
    )
    predict_first = T(
        en="Predict first: nothing runs until you have answered.",
        zh="请先预测：作答之前程序不会运行。",
    )
    no_help = T(
        en="A drill has no hints and shows no answer before yours: a guess may be wrong.",
        zh="练习没有提示，作答之前也不显示答案：猜错也没关系。",
    )
    no_lesson = T(en="No lesson is about this program.", zh="没有与这个程序对应的课程。")
    never = T(
        en="Drill: predict random small programs. Press {keys[drill]}.",
        zh="练习：预测随机小程序的结果。按 {keys[drill]} 开始。",
    )
    brief = T(
        en="Drill ({keys[drill]}): level {level}, {right}/{answered} right",
        zh="练习（{keys[drill]}）：难度 {level}，答对 {right}/{answered}",
    )
    brief_missed = T(en=", {count} sure but wrong", zh="，很确定却答错 {count}")


class DrillSummaryTexts:
    """Statistics."""

    none = T(en="No drill was answered yet.", zh="还没有做过练习。")
    session = T(
        en="This session: {right} of {answered} right.", zh="本次：{answered} 题答对 {right} 题。"
    )
    total = T(
        en="Drill: level {level}, {right} of {answered} right.",
        zh="练习：难度 {level}，{answered} 题答对 {right} 题。",
    )
    sure = T(en="when sure", zh="很确定时")
    think = T(en="when it was “I think so”", zh="“应该是”时")
    guess = T(en="when guessing", zh="猜的时候")
    confident_misses = T(en="Sure, but wrong: {count}.", zh="很确定却答错：{count} 题。")
    waiting = T(en="Programs that will come back: {count}.", zh="以后还会重现的题：{count} 道。")
    by_concept = T(en="By concept, the weakest first:", zh="按概念（最弱的在前）：")
    line = T(en="  {name}  {right}/{answered}", zh="  {name}  {right}/{answered}")


CONCEPTS = {
    "in-place": T(en="plain in-place writes", zh="普通原地操作"),
    "saved-output": T(en="ops that save their result", zh="保存结果的运算"),
    "saved-input": T(en="ops that save their input", zh="保存输入的运算"),
    "leaf": T(en="writing to leaves", zh="写叶子张量"),
    "no-grad": T(en="torch.no_grad()", zh="torch.no_grad()"),
    "data": T(en=".data", zh=".data"),
    "detach": T(en=".detach()", zh=".detach()"),
    "numpy": T(en="numpy on the same memory", zh="共享内存的 numpy"),
    "view": T(en="writing through views", zh="通过视图写入"),
    "item": T(en="item and slice assignment", zh="下标与切片赋值"),
    "clone": T(en=".clone()", zh=".clone()"),
    "rebinding": T(en="rebinding a name", zh="重新绑定变量名"),
    "optimizer": T(en="an optimizer's step", zh="优化器的 step"),
    "twice": T(en="two backwards", zh="两次反向传播"),
    "layer": T(en="nn.ReLU(inplace=True)", zh="nn.ReLU(inplace=True)"),
}
"""What a program is about."""


class PlainDrillTexts:
    """Where there is no screen."""

    head = T(
        en="Drill {number}   level {level}, seed {seed}",
        zh="练习 {number}   难度 {level}，种子 {seed}",
    )
    head_again = T(
        en="Drill {number}   level {level}, seed {seed} (comes back)",
        zh="练习 {number}   难度 {level}，种子 {seed}（错题重现）",
    )
    range = T(
        en="Predict first: a number from {first} to {last} answers; ? lists the commands, q ends.",
        zh="请先预测：输入 {first} 到 {last} 的数字作答；? 列出命令，q 结束。",
    )
    answered = T(
        en="Enter: next program. b steps back through this one, ? lists the commands, q ends.",
        zh="按 Enter 进入下一题；b 逐行往回看，? 列出命令，q 结束。",
    )
    answered_last = T(
        en="That was the last one; Enter ends. b steps back through it, ? lists the commands.",
        zh="这是最后一题，按 Enter 结束；b 逐行往回看，? 列出命令。",
    )
    not_kept = T(
        en="Programs chosen by --seed or --level: nothing is kept of the answers.",
        zh="题目由 --seed 或 --level 指定：不记录这次的答案。",
    )
