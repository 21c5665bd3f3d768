"""What is said where there is no screen: lessons and the sandbox as lines of text."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T
from inplace_tui.common.texts.session import NoticeTexts


class PlainTexts:
    """Around the panels' own words."""

    lesson = T(
        "Lesson {number}/{total}: {title} ({id}, {minutes} min)",
        "第 {number}/{total} 课：{title}（{id}，{minutes} 分钟）",
    )
    sandbox = T("Sandbox: {name}", "沙盒：{name}")
    variant = T("Variant {id}: {title}", "变体 {id}：{title}")
    own = T("The lesson's own program again.", "已回到本课原来的程序。")
    lead = T(
        "Enter runs the next line, ? lists the commands, q ends.",
        "按 Enter 运行下一行，? 列出命令，q 结束。",
    )
    numbers = T("A number from {first} to {last} answers.", "输入 {first} 到 {last} 的数字作答。")
    line_number = T(
        "The number of a line ({first} to {last}) answers.", "输入行号（{first} 到 {last}）作答。"
    )
    new_order = T(
        "The numbers in the new order answer, like {example}.",
        "按新的顺序输入编号作答，如 {example}。",
    )
    hints_left = T("h: hint ({shown} of {total} shown)", "h：提示（已显示 {shown}/{total}）")
    answer = T("a: answer", "a：看答案")
    later = T("l: later", "l：稍后再答")
    unknown = T("'{line}' is no command here. ? lists them.", "没有命令“{line}”。? 列出所有命令。")
    no_place = T(
        "go wants a line (7), a step (#12) or a share of the run (50%).",
        "请写行号（7）、步数（#12）或百分比（50%）。",
    )
    no_name = T(
        "Of which tensor? Add its number in the table, or a name.",
        "哪个张量？请写上它在表中的编号或名称。",
    )
    no_storage = T(
        "There is no storage or tensor '{name}' at this step. m lists the storages.",
        "这一步没有存储或张量“{name}”。m 列出所有存储。",
    )
    no_node = T(
        "There is no node {number} at this step. d lists them.",
        "这一步没有编号为 {number} 的节点。d 列出所有节点。",
    )
    no_element = T(
        "{name} has no element {index}: its shape is {shape}.",
        "{name} 没有元素 {index}：形状是 {shape}。",
    )
    no_run = T(
        "There is no run {number}. history lists them.",
        "没有第 {number} 次运行。history 列出所有运行。",
    )
    open_at = T(
        "{count:question|questions} open before step {steps}",
        "第 {steps} 步前有 {count} 个提问待回答",
    )
    passed_at = T(
        "{count:question|questions} left for later before step {steps}",
        "第 {steps} 步前有 {count} 个提问留到以后",
    )
    done_at = T(
        "{count:question|questions} answered before step {steps}",
        "第 {steps} 步前的 {count} 个提问已回答",
    )
    no_tensor = T(
        "There is no tensor '{name}' at this step. t lists them.",
        "这一步没有张量“{name}”。t 列出所有张量。",
    )
    no_column = T("'{name}' is none of: {columns}.", "“{name}” 不是以下各项之一：{columns}。")
    no_variant = T("There is no variant '{id}'. v lists them.", "没有变体“{id}”。v 列出所有变体。")
    no_variants = T("This lesson has no variants.", "本课没有变体。")
    no_holds = T("This lesson has no programs to break it with.", "本课没有用来推翻它的程序。")
    which_held = T("holds and a number steps through one.", "“推翻”加编号可逐行查看。")
    which_variant = T(
        "v and a number or an id steps through one; 1 is the lesson's own program.",
        "v 加编号或 ID 可逐行查看；1 是本课原来的程序。",
    )
    nothing_to_leave = T("There is nothing to leave here; q ends.", "这里没有可离开的；q 结束。")
    finished = T(
        "The lesson is done. `lesson` opens the next: {title} ({id}).",
        "本课完成。输入“课程”打开下一课：{title}（{id}）。",
    )
    finished_last = T("The lesson is done, and it is the last one.", "本课完成，这也是最后一课。")
    which_lesson = T(
        "Which lesson? Type its id; Enter opens {title} ({id}), q ends.",
        "打开哪一课？输入 ID；按 Enter 打开“{title}”（{id}），q 结束。",
    )
    which = T("Which lesson? Type its id; q ends.", "打开哪一课？输入 ID；q 结束。")
    fixes_none_needed = T(
        "Nothing has failed here, so there is nothing to fix.", "这里没有出错，不需要修改。"
    )
    fixes_not_yet = T(
        "Fixes are looked for where a run has failed: go to its end first (e).",
        "运行出错之后才会寻找改法：先走到结尾（e）。",
    )
    fixes_unknown = T(
        "This failure is not about autograd: no rewrite is known for it.",
        "这个错误与 autograd 无关，没有可以尝试的改法。",
    )
    why_not_yet = T(
        "The run has not come to its end here. Once it has, `why` says who saved, who changed and "
        "who needed the tensor at fault.",
        "在这一步，运行还没有到达结果。到达之后，`why` 会说明：谁保存、谁修改、谁需要出错的张量。",
    )
    why_hidden = T("Hidden until the question is answered.", "回答问题之后才会显示。")
    running = T("running…", "运行中……")
    trust = T("Type yes to run it, anything else not to.", "输入 yes 运行，其他则不运行。")
    type_program = T(
        "Type a program; a line with a single dot ends it.", "输入程序；单独一个点的一行表示结束。"
    )


NOTICES = {
    NoticeTexts.answer_first: T(
        "Answer the question first, or l leaves it for later.",
        "请先回答问题，或输入 l 留到以后再答。",
    ),
    NoticeTexts.predict_first: T(
        "Predict first what this variant does, or l goes back.",
        "请先预测这个变体的结果，或输入 l 返回。",
    ),
}
"""Notices of a session that speak of keys, said of commands."""


class PlainChallengeTexts:
    """Challenges."""

    head = T("Challenge {number}/{total}: {title} ({id})", "挑战 {number}/{total}：{title}（{id}）")
    lead = T(
        "Copy the program into a file, edit it there, and have it judged:",
        "把程序复制到文件里修改，然后判定：",
    )
    file = T("FILE", "文件")
    all_solved = T("Every challenge is solved.", "所有挑战题都已解出。")
