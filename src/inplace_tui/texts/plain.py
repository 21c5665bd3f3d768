"""What is said where there is no screen: lessons and the sandbox as lines of text."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.model.lesson import LocalText as T


@dataclass(frozen=True)
class Command:
    """Something that can be typed."""

    letter: str
    """The short way; empty where a slip of the finger would cost something."""

    word: str
    word_zh: str
    help: T
    takes: str = ""
    """What may stand behind it, for the help."""


MOVES = {
    "next": Command(
        "n",
        "next",
        "下一行",
        T("run the next line; Enter does too", "运行下一行；直接按 Enter 也行"),
    ),
    "back": Command("b", "back", "后退", T("go back one line", "后退一行")),
    "into": Command(
        "i",
        "into",
        "进入",
        T("go into the function that the next line calls", "进入下一行所调用的函数"),
    ),
    "out": Command(
        "o", "out", "跳出", T("go on until this function has returned", "继续，直到当前函数返回")
    ),
    "continue": Command(
        "c",
        "continue",
        "继续",
        T("go on to the next question, failure, or the end", "继续到下一个问题、出错处或结尾"),
    ),
    "end": Command("e", "end", "结尾", T("go as far as may be seen", "走到目前能看到的最后一步")),
    "start": Command("s", "start", "开头", T("go to before the first line", "回到第一行之前")),
    "go": Command(
        "g", "go", "到", T("go to where line N is about to run", "走到将要运行第 N 行的地方"), "N"
    ),
}
"""Ways through the run."""

SIGHTS = {
    "program": Command(
        "p", "program", "程序", T("the program, and where it is", "程序，以及运行到哪里")
    ),
    "tensors": Command("t", "tensors", "张量", T("the table of all tensors", "所有张量的表")),
    "values": Command(
        "",
        "values",
        "值",
        T(
            "every value of tensor N or NAME, with statistics: its first rows",
            "编号 N 或名称 NAME 的张量的全部值和统计（先列前面几行）",
        ),
        "N|NAME",
    ),
    "graph": Command(
        "d",
        "graph",
        "计算图",
        T("the backward graph, with what it saved", "计算图，以及它保存了什么"),
    ),
    "storages": Command(
        "m", "storages", "存储", T("what became of each storage", "每块存储的经过")
    ),
    "output": Command("", "output", "输出", T("all that was printed so far", "到目前为止的输出")),
    "why": Command(
        "w",
        "why",
        "为什么",
        T(
            "why it ended so; with N or a name, why that tensor is as it is (`why y grad`)",
            "为什么是这个结果；带编号或名称则解释那个张量（如 `why y grad`）",
        ),
        "[N|NAME [COLUMN]]",
    ),
    "fixes": Command(
        "x",
        "fixes",
        "改法",
        T("what could be written instead: run, and right", "可行的改法（都运行过）"),
    ),
}
"""Things to look at."""

QUESTIONS = {
    "question": Command("", "question", "问题", T("the question again", "再看一遍问题")),
    "hint": Command("h", "hint", "提示", T("the next hint", "下一条提示")),
    "answer": Command(
        "a", "answer", "答案", T("give up and see the answer", "放弃作答，直接看答案")
    ),
    "leave": Command(
        "l",
        "leave",
        "稍后",
        T(
            "leave the question for later, or the variant",
            "问题留到以后再答；在变体中则回到原来的程序",
        ),
    ),
    "reopen": Command(
        "r", "reopen", "未答", T("back to the question that was left", "回到留下的问题")
    ),
    "variants": Command(
        "v",
        "variants",
        "变体",
        T(
            "what if: every edit with its outcome; with ID or N, step through that one",
            "如果这样改：列出每个变体和结果；带 ID 或编号则逐行查看",
        ),
        "[ID|N]",
    ),
    "restart": Command(
        "",
        "restart",
        "重来",
        T("run it again, with all questions open", "重新运行，所有问题重新作答"),
    ),
    "lesson": Command(
        "",
        "lesson",
        "课程",
        T("open the next lesson, or the one called ID", "打开下一课，或指定的一课"),
        "[ID]",
    ),
    "contents": Command("", "contents", "目录", T("list the course", "列出所有课程")),
}
"""What a lesson has besides."""

RUNS = {
    "run": Command(
        "r",
        "run",
        "运行",
        T("run it again, as it is in the file by now", "按文件现在的内容重新运行"),
    ),
}
"""What the sandbox has besides."""

ALWAYS = {
    "language": Command("", "language", "语言", T("speak the other language", "切换到另一种语言")),
    "help": Command("?", "help", "帮助", T("this list", "显示这份列表")),
    "quit": Command("q", "quit", "退出", T("end; progress is kept", "结束；进度会保存")),
}

SAID = {
    "lesson": T(
        "Lesson {number}/{total}: {title} ({id}, {minutes} min)",
        "第 {number}/{total} 课：{title}（{id}，{minutes} 分钟）",
    ),
    "sandbox": T("Sandbox: {name}", "沙盒：{name}"),
    "variant": T("Variant {id}: {title}", "变体 {id}：{title}"),
    "own": T("The lesson's own program again.", "已回到本课原来的程序。"),
    "lead": T(
        "Enter runs the next line, ? lists the commands, q ends.",
        "按 Enter 运行下一行，? 列出命令，q 结束。",
    ),
    "numbers": T("A number from {first} to {last} answers.", "输入 {first} 到 {last} 的数字作答。"),
    "line-number": T(
        "The number of a line ({first} to {last}) answers.",
        "输入行号（{first} 到 {last}）作答。",
    ),
    "new-order": T(
        "The numbers in the new order answer, like {example}.",
        "按新的顺序输入编号作答，如 {example}。",
    ),
    "hints-left": T("h: hint ({shown} of {total} shown)", "h：提示（已显示 {shown}/{total}）"),
    "answer": T("a: answer", "a：看答案"),
    "later": T("l: later", "l：稍后再答"),
    "unknown": T(
        "'{line}' is no command here. ? lists them.", "没有命令“{line}”。? 列出所有命令。"
    ),
    "no-number": T("{word} wants the number of a line.", "{word} 需要一个行号。"),
    "no-tensor": T(
        "There is no tensor '{name}' at this step. t lists them.",
        "这一步没有张量“{name}”。t 列出所有张量。",
    ),
    "no-column": T("'{name}' is none of: {columns}.", "“{name}” 不是以下各项之一：{columns}。"),
    "no-variant": T(
        "There is no variant '{id}'. v lists them.", "没有变体“{id}”。v 列出所有变体。"
    ),
    "no-variants": T("This lesson has no variants.", "本课没有变体。"),
    "which-variant": T(
        "v and a number or an id steps through one; 1 is the lesson's own program.",
        "v 加编号或 ID 可逐行查看；1 是本课原来的程序。",
    ),
    "nothing-to-leave": T("There is nothing to leave here; q ends.", "这里没有可离开的；q 结束。"),
    "finished": T(
        "The lesson is done. `lesson` opens the next: {title} ({id}).",
        "本课完成。输入 lesson 打开下一课：{title}（{id}）。",
    ),
    "finished-last": T("The lesson is done, and it is the last one.", "本课完成，这也是最后一课。"),
    "which-lesson": T(
        "Which lesson? Type its id; Enter opens {title} ({id}), q ends.",
        "打开哪一课？输入 ID；按 Enter 打开“{title}”（{id}），q 结束。",
    ),
    "which": T("Which lesson? Type its id; q ends.", "打开哪一课？输入 ID；q 结束。"),
    "all-done": T("Every lesson is done.", "全部课程已完成。"),
    "fixes-none-needed": T(
        "Nothing has failed here, so there is nothing to fix.", "这里没有出错，不需要修改。"
    ),
    "fixes-not-yet": T(
        "Fixes are looked for where a run has failed: go to its end first (e).",
        "运行出错之后才会寻找改法：先走到结尾（e）。",
    ),
    "fixes-unknown": T(
        "This failure is not about autograd: no rewrite is known for it.",
        "这个错误与 autograd 无关，没有可以尝试的改法。",
    ),
    "why-not-yet": T(
        "The run has not come to its end here. Once it has, `why` says who saved, who changed and "
        "who needed the tensor at fault.",
        "在这一步，运行还没有到达结果。到达之后，`why` 会说明：谁保存、谁修改、谁需要出错的张量。",
    ),
    "why-hidden": T("Hidden until the question is answered.", "回答问题之后才会显示。"),
    "running": T("running…", "运行中……"),
    "trust": T("Type yes to run it, anything else not to.", "输入 yes 运行，其他则不运行。"),
    "type-program": T(
        "Type a program; a line with a single dot ends it.", "输入程序；单独一个点的一行表示结束。"
    ),
}
"""Around the panels' own words."""

HEADS = {
    "moves": T("Through the run", "在运行中移动"),
    "sights": T("To look at", "查看"),
    "questions": T("In a lesson", "课程"),
    "runs": T("In the sandbox", "沙盒"),
    "always": T("Always", "随时"),
}
"""Headings of the list of commands."""

NOTICES = {
    "answer-first": T(
        "Answer the question first, or l leaves it for later.",
        "请先回答问题，或输入 l 留到以后再答。",
    ),
}
"""Notices of a session that speak of keys, said of commands."""

CHALLENGE = {
    "head": T(
        "Challenge {number}/{total}: {title} ({id})", "挑战 {number}/{total}：{title}（{id}）"
    ),
    "lead": T(
        "Copy the program into a file, edit it there, and have it judged:",
        "把程序复制到文件里修改，然后判定：",
    ),
    "file": T("FILE", "文件"),
    "all-solved": T("Every challenge is solved.", "所有挑战题都已解出。"),
}
"""Challenges."""
