"""What the command line says: help, errors, and the pages for people."""

from __future__ import annotations

import errno

from inplace_tui.common.local_text import LocalText


class HelpTexts:
    """Commands and options."""

    program = LocalText(
        "Learn what PyTorch's in-place operations do to autograd, one line at a time.\n\n"
        "Without a command: the contents, where lessons are chosen and resumed.",
        "逐行学习 PyTorch 的原地操作对 autograd 的影响。\n\n"
        "不带命令时打开目录，可选课、继续上次的课。",
    )
    lesson = LocalText(
        "Open a lesson; without ID, the one to go on with. ID@STEP opens it at that step.",
        "打开一课；不给 ID 则继续上次的课。ID@STEP 直接到那一步。",
    )
    present = LocalText(
        "Present it to a class: code and one panel, answers locked until A shows them, nothing "
        "is kept.",
        "向全班演示：只有代码和一个面板，按 A 揭晓之前不能作答，不记录进度。",
    )
    challenge = LocalText(
        "Open a challenge, to break or to mend a program; without ID, the first unsolved one.\n\n"
        "With --grade no screen is opened: the edited program in FILE is run and judged. "
        "Exit code: 0 it solves the challenge, 1 it does not, 2 nothing to judge.",
        "打开一道挑战题：弄坏或修好一个程序；不给 ID 则打开第一道未解的题。\n\n"
        "给出 --grade 时不打开界面，直接运行并判定 FILE 里改好的程序。"
        "退出码：0 解出，1 未解出，2 没有可判定的。",
    )
    checkpoint = LocalText(
        "Open the checkpoint of a chapter; without CHAPTER, the first one that was not "
        "finished.\n\n"
        "CHAPTER is a number or a name, as `inplace-tui list` has them. Five questions are drawn "
        "anew each time; then a program that fails is asked about. Without a terminal, or with "
        "--plain, it is asked line by line: answers are numbers, q ends, and it goes on there the "
        "next time.",
        "打开一章的小测；不给 CHAPTER 则打开第一个没有做完的小测。\n\n"
        "CHAPTER 是 `inplace-tui list` 列出的编号或名称。五道题每次重新抽取，然后针对"
        "一个会失败的程序提问。没有终端，或给出 --plain 时，逐行提问：输入数字作答，"
        "q 结束，下次从那里继续。",
    )
    review = LocalText(
        "Ask again what you answered wrong and what is due today, the most overdue first.\n\n"
        "Twelve questions a day at most; the others wait for the next day. Without a terminal, or "
        "with --plain, it is asked line by line: answers are numbers, q ends.",
        "再问一遍今天到期的错题，最早到期的在前。\n\n"
        "每天最多十二题，其余的留到第二天。没有终端，或给出 --plain 时，逐行提问："
        "输入数字作答，q 结束。",
    )
    sandbox = LocalText(
        "Write and run a program of your own; FILE is opened in the editor.\n\n"
        "With -m MODULE it runs as `python -m MODULE` would; what stands behind that, or behind "
        "--, goes to the program. Each run that you ask for is in place, as `python FILE` is; what "
        "follows from it (fixes, values, whether gradients are right) changes no file of yours. "
        "Files that it imports and that are not installed are recorded, "
        "too, as they are on disk at each run; only FILE is edited.\n\n"
        "FILE may be a notebook, or - for standard input. Of a MODULE that is not yours, as "
        "pytest, the file that is edited is the first one among its arguments.",
        "编写并运行自己的程序；FILE 会在编辑器中打开。\n\n"
        "给出 -m MODULE 时，运行方式与 `python -m MODULE` 相同；其后或 -- 之后的内容传给程序。"
        "你发起的每次运行都像 `python FILE` 那样就地进行；其后的检验、改法和取值不会改动你的文件。"
        "程序导入的文件只要不是已安装的，也会按每次运行时磁盘上的内容记录；只有 FILE 可编辑。\n\n"
        "FILE 可以是笔记本，也可以是 -，即标准输入。MODULE 不是你自己的模块（如 pytest）时，"
        "可编辑的是其参数中的第一个文件。",
    )
    drill = LocalText(
        "Predict how random small programs end; each was run before it is shown.\n\n"
        "The programs follow your level, and what you were sure about and got wrong comes back. "
        "Without a terminal, or with --plain, it is asked line by line: answers are numbers, q "
        "ends. With --seed or --level the programs are chosen by that, and nothing is kept.",
        "预测随机小程序的结果，每个程序出题前都实际运行过。\n\n"
        "难度随你的水平变化；很有把握却答错的题以后会再次出现。没有终端，或给出 --plain 时，"
        "逐行提问：输入数字作答，q 结束。给出 --seed 或 --level 时，题目由它们决定，且不记录答案。",
    )
    plain = LocalText(
        "Lines of text instead of a screen, as where there is no terminal, or TERM=dumb.",
        "用逐行文本代替全屏界面；没有终端或 TERM=dumb 时也是如此。",
    )
    seed = LocalText(
        "Begin with the program of this number; those after it follow.",
        "从这个编号的程序开始，随后依次往下。",
    )
    level = LocalText("Programs of this level only, 1 to 5.", "只出这个难度的题（1 到 5）。")
    count = LocalText("End after this many programs.", "做完这么多题后结束。")
    assignment = LocalText(
        "Open what a class was given: the lessons, checkpoints, challenges and drills that FILE "
        "names.\n\n"
        "FILE is YAML: `schema: 1`, `title` in both languages, and `lessons`, `checkpoints` (names "
        "of chapters), `challenges` and `drills` (each a seed, a level and a count). Learners hand "
        "in the file that `inplace-tui progress --export` writes; `inplace-tui results` reads "
        "them.",
        "打开布置给全班的作业：FILE 里列出的课程、小测、挑战题和练习。\n\n"
        "FILE 是 YAML：`schema: 1`、两种语言的 `title`，以及 `lessons`、`checkpoints`（章的名称）、"
        "`challenges` 和 `drills`"
        "（每项有 seed、level 和 count）。学生提交 `inplace-tui progress --export` 写出的文件，"
        "由 `inplace-tui results` 读取。",
    )
    assigned_drill = LocalText(
        "Begin with the drill that is this one in the file; the answers are kept.",
        "直接开始文件里的第几组练习；会记录答案。",
    )
    results = LocalText(
        "Print as CSV what learners got wrong: a row for each wrong answer, the commonest "
        "first.\n\n"
        "FILE is what `inplace-tui progress --export` wrote, one for each learner, who is called "
        "as the file is; without one, it is your own progress. One that can't be read is named and "
        "left out, and the exit code is 1.",
        "以 CSV 输出答错的内容：每个错误答案一行，最常见的在前。\n\n"
        "FILE 是 `inplace-tui progress --export` 写出的文件，每位学生一个，以文件名称呼；"
        "不给则使用你自己的进度。读不了的文件会指出并略过，退出码为 1。",
    )
    results_of = LocalText(
        "Only what this assignment file names.", "只统计这个作业文件里列出的内容。"
    )
    results_by_learner = LocalText(
        "Instead, a row for each learner and each lesson, checkpoint, challenge and assigned "
        "drill: whether it is done, and how much was right at the first try.",
        "改为每位学生、每一课（小测、挑战题、布置的练习）一行：是否完成，第一次就答对多少。",
    )
    results_for_excel = LocalText(
        "Begin with the byte order mark that Excel needs to read Chinese.",
        "在开头加上字节顺序标记（BOM），Excel 需要它才能正确显示中文。",
    )
    list = LocalText("List the lessons and challenges.", "列出所有课程和挑战题。")
    run = LocalText(
        "Record a lesson or a Python file and print what every line did.\n\n"
        "What stands behind -- goes to the program. A FILE runs as `python FILE` would, in place. "
        "A program that completes is run three more times, to see whether its gradients are "
        "right; those runs change no file of yours.\n\n"
        "Exit code: 0 the program is fine, 1 it failed or its gradients are wrong, 2 nothing to "
        "run, 70 our own fault.",
        "记录一课或一个 Python 文件的运行，并输出每一行做了什么。\n\n"
        "-- 之后的内容传给程序。FILE 像 `python FILE` 那样就地运行。正常结束的程序会再运行三次，"
        "以检验梯度是否正确；"
        "这几次运行不会改动你的文件。\n\n"
        "退出码：0 正常，1 出错或梯度错误，2 无法运行，70 是本程序自身的错误。",
    )
    explain = LocalText(
        "Run Python programs, name the line at fault, and show fixes that were run.\n\n"
        "FILE runs as `python FILE` would, -m MODULE as `python -m MODULE`; - reads a program "
        "from stdin, and what follows goes to it, but for options of explain. What stands behind "
        "-- goes to every program; what is piped in is read once, and every run is given it as "
        "its standard input. All files that it imports and that are not installed are looked "
        "into. A program is run several times, one run after the other: twice if it is fine, more "
        "often if there is something to find. Only the first run writes to your files.\n\n"
        "Exit code: 0 all are fine, 1 a fault was found in one, 2 a file can't be read, 3 one did "
        "not end in time, 4 of one it can't be told whether its gradients are right, 70 our own "
        "fault.",
        "运行 Python 程序，指出出错的那一行，并给出实际运行过的改法。\n\n"
        "FILE 的运行方式与 `python FILE` 相同，-m MODULE 与 `python -m MODULE` 相同；"
        "- 表示从标准输入读取程序，其后不属于本命令选项的内容都传给它。"
        "-- 之后的内容传给每个程序；管道送来的内容只读一次，每次运行都作为程序的标准输入。"
        "程序导入的文件只要不是已安装的，"
        "都会查看。程序会依次运行多次：没有问题时两次，需要查找原因时更多。"
        "只有第一次运行会写入你的文件。\n\n"
        "退出码：0 全部正常，1 有程序出错，2 有文件无法读取，3 有程序没有按时结束，"
        "4 有程序无法判断梯度是否正确，70 是本程序自身的错误。",
    )
    check = LocalText(
        "Load and run lessons and challenges, and verify every claim in them.\n\n"
        "PATH is a file or a folder of them, or a lesson or challenge by its id or number; "
        "without one, everything that is built in is checked. Exit code: 0 all is true, 1 "
        "something is not, 2 nothing to check.",
        "加载并运行课程和挑战题，核对其中每一条断言。\n\n"
        "PATH 是文件或文件夹，也可以是课程或挑战题的编号或 id；不给则检查所有内置的课程和挑战题。"
        "退出码：0 全部成立，1 有不成立的，2 没有可检查的。",
    )
    new = LocalText(
        "Write a lesson to fill in; it is true before a word of it is changed.\n\n"
        "It goes into the current folder, or into a chapter, which is made if need be. "
        "docs/lesson-authoring.md says how to go on.",
        "写出一课的模板；一个字不改就能通过检查。\n\n"
        "写到当前文件夹，或 --chapter 给出的章节（没有就新建）。"
        "接下来怎么做见 docs/lesson-authoring.md。",
    )
    chapter = LocalText(
        "The chapter's folder, like my-lessons/01-basics.", "章节文件夹，如 my-lessons/01-basics。"
    )
    progress = LocalText(
        "Show, export, import or reset what you have done.", "查看、导出、导入或重置学习进度。"
    )
    serve = LocalText(
        "Show the screens in a browser, to this machine alone unless told otherwise; every "
        "visit is a session of its own.",
        "在浏览器里显示各个界面，默认只对本机开放；每次访问是一个独立的会话。",
    )
    host = LocalText("The address to listen on.", "监听的地址。")
    port = LocalText("The port to listen on.", "监听的端口。")
    keys = LocalText(
        "Show what this terminal really sends for each key, and what the key does here.",
        "显示终端对每个按键实际发送的内容，以及该按键在本程序中的作用。",
    )
    doctor = LocalText(
        "Show versions, paths, the terminal, and whether programs can be run here.",
        "显示版本、路径、终端情况，以及这里能否运行程序。",
    )
    grade = LocalText(
        "Judge the edited program in FILE (- is stdin) instead.",
        "不打开界面，判定 FILE（- 为标准输入）里改好的程序。",
    )
    help = LocalText("Show this page.", "显示本页。")
    version = LocalText("Show the version.", "显示版本。")
    lang = LocalText("Language; by default that of the locale.", "语言；默认随系统区域设置。")
    lessons = LocalText(
        "A folder of lessons to use instead of the built-in ones, and of packs.",
        "用这个文件夹里的课程代替内置课程和课程包。",
    )
    trust = LocalText(
        "Trust the lessons of packs as they are now: their programs run on this machine.",
        "信任课程包现在的内容：其中的程序会在这台机器上运行。",
    )
    map = LocalText(
        "Say what each lesson needs and teaches, and where it leads.",
        "列出每一课需要什么、讲什么、通往哪里。",
    )
    json = LocalText("Print JSON.", "输出 JSON。")
    coverage = LocalText(
        "Say which verdicts no lesson provokes, and which concepts none teaches or asks for.",
        "列出没有课程引出的结论，以及没有课程讲解或提问的概念。",
    )
    format = LocalText(
        "How to print it: html is a page to step through; dot and svg print the backward graph "
        "(of LESSON@STEP: as it was there).",
        "输出格式：html 是可以逐步查看的网页；dot 和 svg 输出反向传播计算图"
        "（LESSON@STEP 则为那一步时的图）。",
    )
    variant = LocalText("Run this variant of the lesson.", "运行这一课的某个变体。")
    once = LocalText(
        "Run it once only: whether the gradients are right is not verified.",
        "只运行一次：不检验梯度是否正确。",
    )
    patch = LocalText(
        "Print fix N (the first if none is named) as a patch for `git apply` and `patch -p1`.",
        "以补丁形式输出第 N 种改法（不写则为第一种），可用于 `git apply` 和 `patch -p1`。",
    )
    apply = LocalText(
        "Write fix N to the file, keep the old one beside it as FILE.orig, and run it once more.",
        "把第 N 种改法写入文件，原文件保存为 FILE.orig，然后再运行一次。",
    )
    explain_format = LocalText(
        "How to print it: text, json, github (annotations of a pull request) or sarif.",
        "输出格式：text、json、github（拉取请求的标注）或 sarif。",
    )
    module = LocalText(
        "Run a module as `python -m MODULE` would; all that follows goes to it.",
        "按 `python -m MODULE` 的方式运行模块；其后的内容都传给它。",
    )
    include = LocalText(
        "Look into these files, too, though they are installed; can be given several times.",
        "即使是已安装的文件，也查看与之匹配的文件；可多次给出。",
    )
    exclude = LocalText(
        "Don't look into these files of yours; can be given several times.",
        "不查看自己的这些文件；可多次给出。",
    )
    explain_once = LocalText(
        "Run it once only: who saved, changed and needed it; no fixes, and gradients unchecked.",
        "只运行一次：只指出谁保存、谁修改、谁需要，不尝试改法，也不检验梯度。",
    )
    in_place = LocalText(
        "Let the runs after the first write to your files, too, and reach the network.",
        "允许第一次之后的运行也写入你的文件，并访问网络。",
    )
    budget = LocalText(
        "Seconds for all runs after the program's own (12 times as many as that took, 30 to 300).",
        "程序自身的运行之后，所有重放总共可用的秒数（默认为该次运行的 12 倍，限 30 到 300）。",
    )
    explain_seconds = LocalText(
        "End the program's own run after this many seconds (no limit).",
        "程序自身的运行超过这么多秒就结束它（默认不限）。",
    )
    memory = LocalText(
        "Gigabytes that a process of the program may hold (nine tenths of the machine's memory).",
        "程序的一个进程最多可占用的内存，单位 GB（默认为本机内存的九成）。",
    )
    error = LocalText(
        "Explain a pasted error message or traceback, number by number; - reads it from stdin.",
        "逐个数字解释粘贴的报错信息或 traceback；- 表示从标准输入读取。",
    )
    python = LocalText(
        "Run the programs with this interpreter, its torch and its packages.",
        "用这个解释器（及其 torch 和其他包）运行程序。",
    )
    pointers = LocalText(
        "Show data_ptr, which differs from run to run.", "显示 data_ptr（每次运行都不同）。"
    )
    seconds = LocalText(
        "Stop a run after this many seconds (10 for a lesson, 60 for a file).",
        "运行多少秒后终止（课程默认 10，文件默认 60）。",
    )
    export = LocalText(
        "Write progress to this file; - is stdout.", "把进度写入文件；- 为标准输出。"
    )
    import_ = LocalText(
        "Take in an exported file: what it has of a lesson or challenge replaces yours.",
        "导入导出的文件：其中的课程和挑战题覆盖现有记录。",
    )
    reset = LocalText(
        "Forget what you did in this lesson or challenge; `drill` for the drill.",
        "忘记这一课或这道题的进度；`drill` 表示练习。",
    )


FRAME: dict[str, LocalText] = {
    "Usage": LocalText("Usage: ", "用法："),
    "Options": LocalText("Options:", "选项："),
    "Commands": LocalText("Commands:", "命令："),
}
"""Headings of a help page."""


class ErrorTexts:
    """One sentence each."""

    no_server = LocalText(
        "It needs textual-serve: pip install 'inplace-tui[serve]'.",
        "需要 textual-serve：pip install 'inplace-tui[serve]'。",
    )
    cannot_serve = LocalText(
        "Nothing can be served on {address}: {why} (--port takes another port)",
        "无法在 {address} 上提供服务：{why}（可用 --port 换一个端口）",
    )
    no_option = LocalText("There is no option {name}{hint}.", "没有选项 {name}{hint}。")
    programs_option = LocalText(
        "{what} What is meant for the program goes behind --: {line}",
        "{what}传给程序的参数写在 -- 后面：{line}",
    )
    no_command = LocalText("There is no command '{name}'{hint}.", "没有命令 '{name}'{hint}。")
    file_alone = LocalText(
        "{name} is a file, and a command goes before it: `inplace-tui explain {name}` finds the "
        "line at fault, `inplace-tui sandbox {name}` shows it line by line.",
        "{name} 是文件，前面要写命令：`inplace-tui explain {name}` 找出出错的行，"
        "`inplace-tui sandbox {name}` 逐行显示。",
    )
    no_such_drill = LocalText(
        "The assignment has {count} drills: there is no drill {number}.",
        "这份作业有 {count} 组练习，没有第 {number} 组。",
    )
    missing = LocalText("{name} is missing.", "缺少 {name}。")
    bad_value = LocalText("{name}: {why}", "{name}：{why}")
    not_one_of = LocalText("{name} must be one of: {choices}.", "{name} 只能是：{choices}。")
    no_whole_number = LocalText(
        "{name} must be a whole number from {least} on{most}.",
        "{name} 须是整数，从 {least} 起{most}。",
    )
    no_number = LocalText(
        "{name} must be a number above {least}{most}.", "{name} 须是大于 {least} 的数{most}。"
    )
    at_most = LocalText(", at most {most}", "，最大 {most}")
    no_value = LocalText("{name} needs a value.", "{name} 后面要写上值。")
    too_many = LocalText("That is too many arguments: {names}.", "参数太多：{names}。")
    usage = LocalText("{why}", "{why}")
    see_help = LocalText("Try '{command} --help'.", "请看 '{command} --help'。")
    no_lesson = LocalText(
        "There is no lesson '{id}'{hint}. 'inplace-tui list' names them all.",
        "没有课程 '{id}'{hint}。'inplace-tui list' 列出所有课程。",
    )
    no_challenge = LocalText(
        "There is no challenge '{id}'{hint}. 'inplace-tui list' names them all.",
        "没有挑战题 '{id}'{hint}。'inplace-tui list' 列出所有挑战题。",
    )
    no_checkpoint = LocalText(
        "There is no chapter '{name}' with a checkpoint{hint}. 'inplace-tui list' names them all.",
        "没有带小测的章 '{name}'{hint}。'inplace-tui list' 列出所有的章。",
    )
    is_challenge = LocalText(
        "'{id}' is a challenge: open it with 'inplace-tui challenge {id}'.",
        "'{id}' 是挑战题：请用 'inplace-tui challenge {id}' 打开。",
    )
    no_target = LocalText(
        "'{name}' is neither a lesson nor a file{hint}.", "'{name}' 既不是课程也不是文件{hint}。"
    )
    no_keyboard = LocalText(
        "There is no terminal here whose keys could be shown.", "这里没有可以显示按键的终端。"
    )
    no_step = LocalText(
        "'{name}' is no step of '{id}': give an anchor like {example}, or a number.",
        "'{name}' 不是 '{id}' 的步骤：请用 {example} 这样的锚点，或数字。",
    )
    no_variant = LocalText(
        "The lesson '{id}' has no variant '{name}'{hint}.", "课程 '{id}' 没有变体 '{name}'{hint}。"
    )
    variant_of_file = LocalText("Only a lesson has variants.", "只有课程才有变体。")
    arguments_of_lesson = LocalText("A lesson takes no arguments.", "课程不接受参数。")
    launcher_option = LocalText(
        "explain starts the script of a launcher itself, and can't with {name}.",
        "explain 会自行启动启动器的脚本，无法配合 {name}。",
    )
    one_process = LocalText(
        "explain looks into one process, and {name} asks for others. With one the error is often "
        "the same; for all of them: torchrun … -m inplace_tui.blame FILE.",
        "explain 只能查看一个进程，而 {name} 需要更多。用一个进程往往会出现同样的错误；"
        "要查看所有进程：torchrun … -m inplace_tui.blame FILE。",
    )
    accelerate = LocalText(
        "accelerate launch starts FILE in a process of its own, which explain can't look into. "
        "With one process, FILE does the same without it: inplace-tui explain FILE -- ARGS. To "
        "watch all processes: accelerate launch … -m inplace_tui.blame FILE.",
        "accelerate launch 会在另一个进程里启动 FILE，explain 无法查看。只用一个进程时，"
        "不经过它效果相同：inplace-tui explain FILE -- ARGS。"
        "要查看所有进程：accelerate launch … -m inplace_tui.blame FILE。",
    )
    no_file_named = LocalText(
        "{name} is not yours, and no Python file of yours is among its arguments: sandbox -m "
        "{name} FILE.py … opens FILE.py; explain -m {name} … finds the files by itself.",
        "{name} 不是你的模块，参数中也没有你的 Python 文件：sandbox -m {name} FILE.py … 会打开 "
        "FILE.py；explain -m {name} … 会自己找到文件。",
    )
    endless_line = LocalText(
        "Stdin has a line of more than {limit:,} bytes, which nobody typed.",
        "标准输入有一行超过 {limit:,} 字节，不可能是键入的。",
    )
    no_view = LocalText(
        "Here your files can't be protected from what a program writes when it runs again "
        "({why}): it runs once, as with --once. --in-place lets it run again anyway.",
        "这里无法在程序再次运行时保护你的文件（{why}）：只运行一次，等同于 --once。"
        "加上 --in-place 则照样再次运行。",
    )
    run_once = LocalText(
        "Here your files can't be protected from what a program writes when it runs again: it "
        "runs once, and whether its gradients are right is left out. `inplace-tui explain "
        "--in-place` runs it again anyway; `inplace-tui doctor` says why.",
        "这里无法在程序再次运行时保护你的文件：只运行一次，不检验梯度是否正确。"
        "`inplace-tui explain --in-place` 照样再次运行；原因见 `inplace-tui doctor`。",
    )
    cannot_read = LocalText("{path} can't be read: {why}.", "无法读取 {path}：{why}。")
    no_file = LocalText("no such file", "没有这个文件")
    no_path = LocalText("no such file or folder", "没有这个文件或文件夹")
    is_folder = LocalText("is a folder", "是一个文件夹")
    unwritten = LocalText(
        "Not all of the output could be written: {why}.", "输出未能全部写出：{why}。"
    )
    cannot_write = LocalText("{path} can't be written: {why}.", "无法写入 {path}：{why}。")
    bad_slug = LocalText(
        "'{name}' is no id: lower-case words and digits joined by hyphens, like saved-output.",
        "'{name}' 不能作 id：请用连字符连接的小写单词和数字，如 saved-output。",
    )
    bad_chapter = LocalText(
        "{path} is no chapter: its name must be <number>-<words>, like 01-basics.",
        "{path} 不是章节：名字必须是 <编号>-<单词>，如 01-basics。",
    )
    id_taken = LocalText(
        "There is a lesson '{id}' already: {path}.", "课程 '{id}' 已存在：{path}。"
    )
    file_exists = LocalText("{path} is there already.", "{path} 已存在。")
    untrusted = LocalText(
        "{question} If you trust them as they are, add --trust.",
        "{question}如果信任它现在的内容，请加 --trust。",
    )
    no_lessons = LocalText("There are no lessons in {folder}.", "{folder} 里没有课程。")
    not_a_folder = LocalText("{path} is not a folder.", "{path} 不是文件夹。")
    one_of = LocalText("Only one of {names} can be given.", "{names} 只能给其中一个。")
    import_failed = LocalText("{path} can't be imported: {why}.", "无法导入 {path}：{why}。")
    no_record = LocalText("{path} can't be used: {why}.", "无法使用 {path}：{why}。")
    no_progress = LocalText(
        "There is no progress for '{id}'{hint}. 'inplace-tui progress' shows what there is.",
        "没有 '{id}' 的进度{hint}。'inplace-tui progress' 列出已有的进度。",
    )
    worker_refused = LocalText("Programs can't be run here: {why}", "这里无法运行程序：{why}")
    python_not_run = LocalText(
        "{path} can't be run as Python: {why}.", "无法把 {path} 作为 Python 运行：{why}。"
    )
    python_unfit = LocalText(
        "{path} has Python {python} with torch {torch}; "
        "Python {wanted_python} and torch {wanted_torch} or later are needed",
        "{path} 是 Python {python}，torch {torch}；"
        "需要 Python {wanted_python} 和 torch {wanted_torch} 或更高版本",
    )
    active_python = LocalText(
        "Programs run with {path}, which is active: this program has no torch of its own.",
        "程序用已激活的 {path} 运行：本程序自己没有 torch。",
    )
    linux_needed = LocalText("it needs Linux", "它需要 Linux")
    witness_instead = LocalText(
        "The recorder can't serve here: {why}. A witness watches one run instead; "
        "it names who saved, changed and needed a tensor, and tries no fixes.",
        "这里无法逐行记录：{why}。改为只运行一次并旁观："
        "指出谁保存、谁改动、谁需要张量，不尝试改法。",
    )
    python_bare = LocalText(
        "{path} has Python {python} without torch; "
        "Python {wanted_python} and torch {wanted_torch} or later are needed.",
        "{path} 是 Python {python}，没有 torch；"
        "需要 Python {wanted_python} 和 torch {wanted_torch} 或更高版本。",
    )
    interrupted = LocalText("Interrupted.", "已中断。")
    ours = LocalText(
        "This is a fault of inplace-tui itself ({error}). Please report it with the lines above.",
        "这是 inplace-tui 自身的错误（{error}）。请附上以上内容报告。",
    )


class ResultTexts:
    """In the CSV of results."""

    shown = LocalText("(asked for the answer)", "（直接看了答案）")


class CommandTexts:
    """Pages for people, on stdout."""

    assigned_checkpoint = LocalText("Checkpoint: {command}", "小测：{command}")
    assigned_challenge = LocalText("Challenge: {command}", "挑战题：{command}")
    assigned_drill = LocalText("Drill: {command}", "练习：{command}")

    input_cut = LocalText(
        "Standard input is longer than {most} MiB: the program is given no more than that.",
        "标准输入超过 {most} MiB：只把前面这部分交给程序。",
    )
    visit = LocalText("time {visit}", "第 {visit} 次")
    muted = LocalText(
        "output beyond {kept:,} bytes is not kept", "超过 {kept:,} 字节的输出不再保留"
    )
    left_out = LocalText(
        "… {count} lines of the run are left out here; --format json has all of them …",
        "…… 此处略去运行过的 {count} 行；--format json 有全部 ……",
    )
    forecasts_left_out = LocalText(
        "… the graph has {count} nodes, too many to go through at every line: from here on, what "
        "backward would do is `?` …",
        "…… 计算图已有 {count} 个节点，逐行查看太慢：此后反向传播的结果写作 `?` ……",
    )
    serve_rights = LocalText(
        "Whoever opens the page runs programs with your rights, in the sandbox as in a shell, "
        "and shares your progress.",
        "打开网页的人会以你的权限运行程序（沙盒就等于命令行），并共用你的学习进度。",
    )
    # As textual-serve has them in its page.
    session_ended = LocalText("Session ended.", "会话已结束。")
    session_restart = LocalText("Restart", "重新开始")
    serve_open = LocalText(
        "{host} is not this machine alone: everybody who can reach it can do that, and nobody "
        "is asked for a password.",
        "{host} 不限于本机：能连到它的人都可以这样做，而且不需要密码。",
    )
    list_problems = LocalText("These files can't be used:", "以下文件无法使用：")
    minutes = LocalText("{minutes} min", "{minutes} 分钟")
    check_ok = LocalText(
        "ok    {path}  {programs:program|programs}, {claims:claim|claims}",
        "通过  {path}  {programs} 个程序，{claims} 条断言",
    )
    check_sum_ok = LocalText(
        "lessons: {lessons}, checkpoints: {checkpoints}, challenges: {challenges}, "
        "programs: {programs}, claims: {claims}; all true.",
        "{lessons} 课，{checkpoints} 次小测，{challenges} 道挑战题，{programs} 个程序，"
        "{claims} 条断言：全部成立。",
    )
    check_sum_bad = LocalText(
        "lessons: {lessons}, checkpoints: {checkpoints}, challenges: {challenges}, "
        "programs: {programs}, claims: {claims}; problems: {problems}.",
        "{lessons} 课，{checkpoints} 次小测，{challenges} 道挑战题，{programs} 个程序，"
        "{claims} 条断言：{problems} 处问题。",
    )
    asked = LocalText(
        "questions: {questions}, predictions with the variants: {predictions}.",
        "{questions} 个提问；连同变体共 {predictions} 次预测。",
    )
    endings = LocalText("outcome questions: {parts}.", "关于结局的提问：{parts}。")
    variant_endings = LocalText("variants: {parts}.", "变体：{parts}。")
    places = LocalText(
        "place of the right choice in its file: {parts}.", "正确选项在文件中的位置：{parts}。"
    )
    coverage = LocalText(
        "{provoked} of {total} verdicts are provoked by a lesson.",
        "{total} 种结论中，课程能引出 {provoked} 种。",
    )
    unprovoked = LocalText("Verdicts that no lesson provokes:", "没有课程引出的结论：")
    untaught = LocalText("Concepts that no lesson teaches:", "没有课程讲的概念：")
    unasked = LocalText("Concepts whose lessons ask nothing:", "讲了却没有提问的概念：")
    new_next = LocalText(
        "Change it, then:\n"
        "  inplace-tui check {path} --trust\n"
        "  inplace-tui --lessons {root} lesson {id} --trust",
        "修改之后：\n"
        "  inplace-tui check {path} --trust\n"
        "  inplace-tui --lessons {root} lesson {id} --trust",
    )
    new_next_alone = LocalText(
        "Change it, then:\n"
        "  inplace-tui check {path} --trust\n"
        "To play it, it needs a chapter: inplace-tui new {id} --chapter my-lessons/01-basics",
        "修改之后：\n"
        "  inplace-tui check {path} --trust\n"
        "要在程序里上这一课，它需要一个章节：inplace-tui new {id} --chapter my-lessons/01-basics",
    )
    check_bar = LocalText("checking {done}/{total}  {name}", "检查中 {done}/{total}  {name}")
    loading = LocalText("loading torch", "正在加载 torch")
    progress_none = LocalText("Nothing done yet.", "还没有学习记录。")
    progress_line = LocalText(
        "{mark} {id}  {title}  {right} of {total} right at the first try",
        "{mark} {id}  {title}  一次答对 {right}/{total}",
    )
    progress_later = LocalText(", {later} later", "，后来答对 {later}")
    progress_variants = LocalText("; variants {done} of {of}", "；变体 {done}/{of}")
    progress_sum = LocalText("{done} of {total} lessons done.", "已完成 {done}/{total} 课。")
    progress_file = LocalText("Kept in {path}", "保存在 {path}")
    progress_gone = LocalText("(no such lesson any more)", "（课程已不存在）")
    exported = LocalText(
        "Wrote the progress of {count:lesson or challenge|lessons and challenges} to {path}.",
        "已将 {count} 课（题）的进度写入 {path}。",
    )
    imported = LocalText(
        "Took in the progress of {count:lesson or challenge|lessons and challenges} from {path}.",
        "已从 {path} 导入 {count} 课（题）的进度。",
    )
    challenges = LocalText("Challenges (fewest lines to change)", "挑战题（最少要改的行数）")
    par = LocalText("{par:line|lines}", "{par} 行")
    solved_in = LocalText("solved in {lines}", "{lines} 行解出")
    challenge_line = LocalText("{mark} {id}  {title}  {how}", "{mark} {id}  {title}  {how}")
    challenge_begun = LocalText("begun", "已开始")
    challenges_sum = LocalText(
        "{solved} of {total} challenges solved.", "已解出 {solved}/{total} 道挑战题。"
    )
    reset_done = LocalText("Forgot what was done in '{id}'.", "已忘记 '{id}' 的进度。")


"""What `doctor` looks at."""


OS_REASONS = {
    errno.ENOENT: "没有这个文件或文件夹",
    errno.EACCES: "没有访问权限",
    errno.EISDIR: "是一个文件夹",
    errno.ENOTDIR: "路径中有一项不是文件夹",
    errno.EROFS: "文件系统是只读的",
    errno.ENOSPC: "磁盘已满",
}
"""The system's commonest reasons in Chinese, by number; in English its own words are shown."""
