"""What can be typed where there is no screen."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.common.local_text import LocalText as T


@dataclass(frozen=True)
class PlainCommand:
    """Something that can be typed."""

    letter: str
    """The short way; empty where a slip of the finger would cost something."""

    word: T
    help: T
    takes: str = ""
    """What may stand behind it, for the help."""


MOVES = {
    "next": PlainCommand(
        "n",
        T("next", "下一行"),
        T("run the next line; Enter does too", "运行下一行；直接按 Enter 也行"),
    ),
    "back": PlainCommand("b", T("back", "后退"), T("go back one line", "后退一行")),
    "into": PlainCommand(
        "i",
        T("into", "进入"),
        T("go into the function that the next line calls", "进入下一行所调用的函数"),
    ),
    "out": PlainCommand(
        "o", T("out", "跳出"), T("go on until this function has returned", "继续，直到当前函数返回")
    ),
    "continue": PlainCommand(
        "c",
        T("continue", "继续"),
        T("go on to the next question, failure, or the end", "继续到下一个问题、出错处或结尾"),
    ),
    "end": PlainCommand(
        "e", T("end", "结尾"), T("go as far as may be seen", "走到目前能看到的最后一步")
    ),
    "start": PlainCommand(
        "s", T("start", "开头"), T("go to before the first line", "回到第一行之前")
    ),
    "go": PlainCommand(
        "g",
        T("go", "到"),
        T(
            "go to where line N is about to run; #N is a step, N% a share of the run",
            "走到将要运行第 N 行的地方；#N 是步数，N% 是整个运行的百分比",
        ),
        "N|#N|N%",
    ),
    "wrote": PlainCommand(
        "",
        T("wrote", "上次写入"),
        T("go back to where tensor N or NAME was last written", "回到该张量上一次被写入的地方"),
        "N|NAME",
    ),
    "writes": PlainCommand(
        "",
        T("writes", "下次写入"),
        T("go on to where it is written next", "前往该张量下一次被写入的地方"),
        "N|NAME",
    ),
}
"""Ways through the run."""

PANELS = {
    "program": PlainCommand(
        "p",
        T("program", "程序"),
        T("the program, the step, and where questions wait", "程序、当前步，以及提问的位置"),
    ),
    "tensors": PlainCommand(
        "t",
        T("tensors", "张量"),
        T(
            "the table of all tensors; of one, every column in full",
            "所有张量的表；指定一个则列出它的每一栏",
        ),
        "[N|NAME]",
    ),
    "values": PlainCommand(
        "",
        T("values", "值"),
        T(
            "the values with statistics, from an index on if there is one (`values y[20]`); "
            "`step` or `version` behind it: what changed since the step before, or by the last "
            "write",
            "值和统计，可从某个下标开始（如 `值 y[20]`）；后面加 `step` 或 `version`："
            "与上一步相比，或最近一次写入带来的改变",
        ),
        "N|NAME",
    ),
    "graph": PlainCommand(
        "d",
        T("graph", "计算图"),
        T(
            "the backward graph: nodes by number, what they saved, where gradients go; `graph all` "
            "unfolds what repeats",
            "计算图：节点的编号、保存的内容、梯度的去向；`计算图 all` 展开重复的部分",
        ),
        "[all]",
    ),
    "storages": PlainCommand(
        "m",
        T("storages", "存储"),
        T(
            "what became of each storage; of one, step by step (a letter, or a tensor on it)",
            "每块存储的经过；指定一块（字母，或其上的张量）则逐步列出",
        ),
        "[LETTER|NAME]",
    ),
    "output": PlainCommand(
        "", T("output", "输出"), T("all that was printed so far", "到目前为止的输出")
    ),
    "why": PlainCommand(
        "w",
        T("why", "为什么"),
        T(
            "why it ended so; why a tensor is as it is (`why y grad`), or a node (`why node 3`)",
            "为什么是这个结果；张量为什么这样（如 `why y grad`），或节点（如 `why node 3`）",
        ),
        "[N|NAME [COLUMN]|node N]",
    ),
    "fixes": PlainCommand(
        "x",
        T("fixes", "改法"),
        T("what could be written instead: run, and right", "可行的改法（都运行过）"),
    ),
}
"""Things to look at."""

WATCH = {
    "pin": PlainCommand(
        "",
        T("pin", "固定"),
        T("keep a tensor at the top of the table, or no longer", "把张量固定在表的最上面，或取消"),
        "N|NAME",
    ),
    "modules": PlainCommand(
        "",
        T("modules", "模块"),
        T(
            "leave out what only modules and optimizers reach, or show it again",
            "隐藏只能通过模块和优化器取得的张量，或重新显示",
        ),
    ),
    "follow": PlainCommand(
        "",
        T("follow", "跟踪"),
        T(
            "tell of one tensor alone, its views and its gradient; without a name, of all again",
            "只看一个张量、它的视图和梯度；不带名称则恢复全部",
        ),
        "[N|NAME]",
    ),
}
"""What is watched."""

QUESTIONS = {
    "question": PlainCommand("", T("question", "问题"), T("the question again", "再看一遍问题")),
    "hint": PlainCommand("h", T("hint", "提示"), T("the next hint", "下一条提示")),
    "answer": PlainCommand(
        "a", T("answer", "答案"), T("give up and see the answer", "放弃作答，直接看答案")
    ),
    "leave": PlainCommand(
        "l",
        T("leave", "稍后"),
        T(
            "leave the question for later, or the variant",
            "问题留到以后再答；在变体中则回到原来的程序",
        ),
    ),
    "reopen": PlainCommand(
        "r", T("reopen", "未答"), T("back to the question that was left", "回到留下的问题")
    ),
    "variants": PlainCommand(
        "v",
        T("variants", "变体"),
        T(
            "what if: every edit, with its outcome once predicted; with ID or N, that one",
            "如果这样改：列出每个变体，预测之后显示结果；带 ID 或编号则逐行查看",
        ),
        "[ID|N]",
    ),
    "holds": PlainCommand(
        "",
        T("holds", "推翻"),
        T(
            "run the programs that would show the recap false; with N, step through one",
            "试着推翻小结：运行可能证明它不成立的程序；带编号则逐行查看那一个",
        ),
        "[N]",
    ),
    "restart": PlainCommand(
        "",
        T("restart", "重来"),
        T("run it again, with all questions open", "重新运行，所有问题重新作答"),
    ),
    "lesson": PlainCommand(
        "",
        T("lesson", "课程"),
        T("open the next lesson, or the one called ID", "打开下一课，或指定的一课"),
        "[ID]",
    ),
    "contents": PlainCommand("", T("contents", "目录"), T("list the course", "列出所有课程")),
}
"""What a lesson has besides."""

RUNS = {
    "run": PlainCommand(
        "r",
        T("run", "运行"),
        T("run it again, as it is in the file by now", "按文件现在的内容重新运行"),
    ),
    "history": PlainCommand(
        "h",
        T("history", "记录"),
        T(
            "the runs so far; N shows one again; N M is what changed between the two",
            "到目前为止的各次运行；N 再看一次；N M 对比两次",
        ),
        "[N [M]]",
    ),
}
"""What the sandbox has besides."""

DRILL_ONLY = {
    "leave": PlainCommand(
        "l", T("leave", "重选"), T("back to the endings, before it is told", "公布之前重新选择结果")
    ),
    "drill": PlainCommand(
        "",
        T("drill", "下一题"),
        T(
            "the next program; at the end of a run Enter does too",
            "下一题；走到结尾后按 Enter 也行",
        ),
    ),
}
"""What the drill has besides."""

QUIZ_ONLY = {
    "question": QUESTIONS["question"],
    "answer": QUESTIONS["answer"],
    "onward": PlainCommand(
        "",
        T("onward", "下一题"),
        T(
            "the next program; at the end of a run Enter does too",
            "下一题；走到结尾后按 Enter 也行",
        ),
    ),
    "leave": PlainCommand("l", T("leave", "稍后"), T("leave the rest for later", "剩下的以后再答")),
}
"""What a checkpoint and the review have besides."""

ALWAYS = {
    "language": PlainCommand(
        "", T("language", "语言"), T("speak the other language", "切换到另一种语言")
    ),
    "help": PlainCommand("?", T("help", "帮助"), T("this list", "显示这份列表")),
    "quit": PlainCommand("q", T("quit", "退出"), T("end; progress is kept", "结束；进度会保存")),
}

HEADS = {
    "moves": T("Through the run", "在运行中移动"),
    "panels": T("To look at", "查看"),
    "questions": T("In a lesson", "课程"),
    "watch": T("To keep an eye on", "关注"),
    "runs": T("In the sandbox", "沙盒"),
    "drill": T("In the drill", "练习"),
    "quiz": T("In a checkpoint or the review", "小测和复习"),
    "always": T("Always", "随时"),
}
"""Headings of the list of commands."""
