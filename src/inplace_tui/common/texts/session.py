"""Short notices: why a key did nothing, what happens meanwhile."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.ending import Ending


class NoticeTexts:
    """Why a key did nothing, what happens meanwhile."""

    answer_first = LocalText(
        en="Answer the question first, or press {keys[leave]} to leave it for later.",
        zh="请先回答问题，或按 {keys[leave]} 留到以后再答。",
    )
    of_line = LocalText("Line {line}: {text}", "第 {line} 行：{text}")
    never_ran = LocalText(en="The run never reached this line.", zh="程序没有运行到这一行。")
    predict_first = LocalText(
        en="Predict first what this variant does, or press {keys[leave]} to go back.",
        zh="请先预测这个变体的结果，或按 {keys[leave]} 返回。",
    )
    answer_all_first = LocalText(
        en="A question is still open: this would give its answer away.",
        zh="还有问题没有回答，现在打开会泄露答案。",
    )
    answer_to_see_more = LocalText(
        en="There is more to see when the question that you left is answered.",
        zh="回答了留下的问题之后，才能看到更多内容。",
    )
    left_for_later = LocalText(
        en="Left for later. What would answer it stays hidden.",
        zh="已留到以后再答。能看出答案的内容会继续隐藏。",
    )
    still_running = LocalText(
        en="The run has not come there yet: done as soon as it has.",
        zh="程序还没运行到那里，到了就执行。",
    )
    taken_back = LocalText(
        en="The last step that you asked for is taken back.", zh="最后要求的一步已取消。"
    )
    at_the_end = LocalText(en="This is the end of the run.", zh="运行到此结束。")
    no_view = LocalText(
        en="The program runs once only: here another run could change your files. Whether "
        "gradients are right, fixes and values are left out; `inplace-tui doctor` says why.",
        zh="程序只运行一次：在这里再次运行可能改动你的文件。因此不检验梯度，也不尝试改法、"
        "不读取数值；原因见 `inplace-tui doctor`。",
    )
    here = LocalText(en="This is that very step.", zh="已经在这一步了。")
    at_the_start = LocalText(en="This is the start.", zh="这里是开头。")
    not_in_a_call = LocalText(en="This line is not inside a call.", zh="当前行不在函数调用里。")
    no_return = LocalText(
        en="No call has returned before this line.", zh="这一行之前没有函数返回过。"
    )
    line_not_run = LocalText(en="This line does not run.", zh="这一行没有运行到。")
    never_written = LocalText(
        en="Nothing has written to this tensor before this line.",
        zh="这一行之前，没有任何代码写过这个张量。",
    )
    not_written_again = LocalText(
        en="This tensor is not written again after this step.",
        zh="这一步之后，这个张量没有再被写入。",
    )
    no_more_hints = LocalText(en="There are no more hints.", zh="没有更多提示了。")
    no_question = LocalText(en="No question is open here.", zh="这里没有待回答的问题。")
    no_hints = LocalText(en="This question has no hints.", zh="这道题没有提示。")
    no_variants = LocalText(en="This lesson has no variants.", zh="这一课没有变体。")
    no_order = LocalText(
        en="{key} moves a line of a question that asks for an order.",
        zh="{key} 用来在排序题中移动一行。",
    )
    no_holds = LocalText(
        en="This lesson has no programs that try to break its recap.",
        zh="这一课没有用来推翻小结的程序。",
    )
    none_left = LocalText(en="No question was left for later.", zh="没有留到以后再答的问题。")
    checking = LocalText(
        en="Your answer is being checked by running the program.", zh="正在运行程序来核对你的答案。"
    )
    unjudged = LocalText(
        en="What the program did here fits none of the answers, so yours is not judged.",
        zh="程序在这里的实际结果与任何选项都不符，因此不评判你的答案。",
    )
    run_again = LocalText(
        en="The process that ran the lesson died. The lesson was started again.",
        zh="运行课程的进程意外终止，课程已重新运行。",
    )
    no_code_there = LocalText(
        en="There is no code on this line. Choose another.", zh="这一行没有代码，请另选一行。"
    )
    tried_before = LocalText(en="You have tried this one already.", zh="这个答案已经试过了。")


class PredictionTexts:
    """What is asked before a variant is shown, and what can be answered."""

    prompt = LocalText(
        en="{title}\n\nThe rest is the same. What does the program do now?",
        zh="{title}\n\n其余不变。现在程序会怎样？",
    )
    raises = LocalText(en="Raises", zh="报错")


ORDERS = {
    Ending.RUNS: LocalText(
        en="Run in this order: it ends without an error.", zh="按这个顺序运行：正常结束，没有报错。"
    ),
    Ending.RIGHT: LocalText(
        en="Run in this order: it ends, and the gradients are right.",
        zh="按这个顺序运行：正常结束，梯度正确。",
    ),
    Ending.WRONG: LocalText(
        en="Run in this order: it ends, but the gradients are silently wrong.",
        zh="按这个顺序运行：正常结束，但梯度悄悄错了。",
    ),
    Ending.RAISES_IN_BACKWARD: LocalText(
        en="Run in this order: `{code}` raises {exception} in backward.",
        zh="按这个顺序运行：`{code}` 在反向传播中抛出 {exception}。",
    ),
    Ending.RAISES_BEFORE: LocalText(
        en="Run in this order: `{code}` raises {exception}, outside of any backward.",
        zh="按这个顺序运行：`{code}` 抛出 {exception}，不在反向传播之中。",
    ),
}
"""What a program did with its lines in another order."""
