"""What every action is called (footer, palette) and what it does (help)."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText

LABELS = {
    "next": LocalText(en="next", zh="下一行"),
    "back": LocalText(en="back", zh="后退"),
    "into": LocalText(en="into", zh="进入"),
    "out": LocalText(en="out", zh="跳出"),
    "to_call": LocalText(en="back to call", zh="退到调用处"),
    "to_return": LocalText(en="back into call", zh="退进调用"),
    "continue": LocalText(en="continue", zh="继续"),
    "continue_back": LocalText(en="continue back", zh="反向继续"),
    "start": LocalText(en="start", zh="开头"),
    "end": LocalText(en="end", zh="结尾"),
    "restart": LocalText(en="restart", zh="重来"),
    "last_write": LocalText(en="last write", zh="上次写入"),
    "next_write": LocalText(en="next write", zh="下次写入"),
    "goto": LocalText(en="go to", zh="跳转"),
    "scrub": LocalText(en="on a column", zh="前进一列"),
    "scrub_back": LocalText(en="back a column", zh="后退一列"),
    "lanes_in": LocalText(en="zoom lanes in", zh="放大时间"),
    "lanes_out": LocalText(en="zoom lanes out", zh="缩小时间"),
    "choice": LocalText(en="mark", zh="标记"),
    "commit": LocalText(en="answer", zh="作答"),
    "line_up": LocalText(en="line up", zh="上移"),
    "line_down": LocalText(en="line down", zh="下移"),
    "hint": LocalText(en="hint", zh="提示"),
    "answer": LocalText(en="show answer", zh="看答案"),
    "question": LocalText(en="question", zh="问题"),
    "variants": LocalText(en="variants", zh="变体"),
    "holds": LocalText(en="break it", zh="试着推翻"),
    "edit": LocalText(en="edit a copy", zh="改一改"),
    "review": LocalText(en="review", zh="复习"),
    "next_lesson": LocalText(en="next lesson", zh="下一课"),
    "previous_lesson": LocalText(en="previous lesson", zh="上一课"),
    "panel": LocalText(en="panel", zh="面板"),
    "next_panel": LocalText(en="next panel", zh="下个面板"),
    "previous_panel": LocalText(en="previous panel", zh="上个面板"),
    "why": LocalText(en="why", zh="为什么"),
    "fixes": LocalText(en="fixes", zh="改法"),
    "zoom": LocalText(en="zoom", zh="放大"),
    "copy": LocalText(en="copy", zh="复制"),
    "export": LocalText(en="export", zh="导出"),
    "pointers": LocalText(en="pointers", zh="地址"),
    "open_tensor": LocalText(en="values", zh="全部值"),
    "pin": LocalText(en="pin", zh="置顶"),
    "modules": LocalText(en="modules", zh="模块"),
    "follow": LocalText(en="follow", zh="跟踪"),
    "mode": LocalText(en="mode", zh="显示方式"),
    "plane_after": LocalText(en="next plane", zh="下一平面"),
    "plane_before": LocalText(en="plane before", zh="上一平面"),
    "odd": LocalText(en="NaN, inf", zh="NaN、inf"),
    "heat": LocalText(en="colours", zh="着色"),
    "leave": LocalText(en="leave", zh="返回"),
    "type": LocalText(en="edit", zh="编辑"),
    "save": LocalText(en="save", zh="保存"),
    "present": LocalText(en="present to a class", zh="课堂演示"),
    "save_as": LocalText(en="save as", zh="另存为"),
    "open": LocalText(en="open file", zh="打开文件"),
    "run": LocalText(en="run", zh="运行"),
    "live": LocalText(en="live", zh="实时"),
    "run_here": LocalText(en="run to here", zh="运行到此"),
    "find": LocalText(en="find", zh="查找"),
    "find_next": LocalText(en="find next", zh="查找下一处"),
    "complete": LocalText(en="complete", zh="补全"),
    "comment": LocalText(en="comment", zh="注释"),
    "history": LocalText(en="runs", zh="运行记录"),
    "templates": LocalText(en="templates", zh="模板"),
    "reset": LocalText(en="start over", zh="恢复原样"),
    "challenges": LocalText(en="challenges", zh="挑战题"),
    "next_challenge": LocalText(en="next challenge", zh="下一题"),
    "next_drill": LocalText(en="next program", zh="下一题"),
    "taught": LocalText(en="lesson", zh="相关课程"),
    "drill": LocalText(en="drill", zh="练习"),
    "open_lesson": LocalText(en="open", zh="打开"),
    "resume": LocalText(en="continue", zh="继续学习"),
    "sandbox": LocalText(en="sandbox", zh="沙盒"),
    "map": LocalText(en="map", zh="概念图"),
    "introduction": LocalText(en="welcome", zh="欢迎"),
    "onward": LocalText(en="go on", zh="继续"),
    "backward": LocalText(en="go back", zh="后退"),
    "learn": LocalText(en="learn", zh="学习"),
    "ask": LocalText(en="ask", zh="诊断"),
    "play": LocalText(en="play", zh="试验"),
    "filter": LocalText(en="filter", zh="筛选"),
    "choose_row": LocalText(en="choose", zh="选择"),
    "search": LocalText(en="search", zh="查找"),
    "next_match": LocalText(en="next match", zh="下一处"),
    "previous_match": LocalText(en="match before", zh="上一处"),
    "to_input": LocalText(en="to input", zh="到输入"),
    "to_output": LocalText(en="to user", zh="到使用者"),
    "retrace": LocalText(en="back on the way", zh="沿路返回"),
    "to_node": LocalText(en="line ⇄ node", zh="行 ⇄ 节点"),
    "language": LocalText(en="中文", zh="English"),
    "theme": LocalText(en="theme", zh="主题"),
    "commands": LocalText(en="commands", zh="命令"),
    "help": LocalText(en="help", zh="帮助"),
    "quit": LocalText(en="quit", zh="退出"),
}
"""Two or three words each: a footer has little room."""

NEXT_CHAPTER = LocalText(en="next chapter", zh="下一章")
"""What `next_challenge` is called where a chapter's challenge is solved."""

NEXT_QUESTION = LocalText(en="next question", zh="下一题")
"""What `next_drill` is called where no program follows."""

LATER = LocalText(en="later", zh="稍后再答")
CLOSE_REPLY = LocalText(en="close reply", zh="关闭解答")
UNZOOM = LocalText(en="unzoom", zh="还原")
TO_CODE = LocalText(en="to code", zh="回到代码")
TO_QUESTION = LocalText(en="to question", zh="回到问题")
TO_PANELS = LocalText(en="to panels", zh="到面板")
STOP = LocalText(en="stop", zh="停止运行")
TO_ENDINGS = LocalText(en="to endings", zh="重选结果")
"""What `leave` is called while it leaves a question, reply, zoom, panel, editor, run or choice."""

HELP = {
    "next": LocalText(
        en="Run the next line; a call in it is stepped over.",
        zh="运行下一行；其中的函数调用一步跨过。",
    ),
    "back": LocalText(en="Go back one line. Nothing is run again.", zh="后退一行，不会重新运行。"),
    "into": LocalText(
        en="Go into the function that the next line calls.", zh="进入下一行所调用的函数。"
    ),
    "out": LocalText(en="Go on until this function has returned.", zh="继续，直到当前函数返回。"),
    "to_call": LocalText(
        en="Go back to the line that called this function.", zh="退回到调用当前函数的那一行。"
    ),
    "to_return": LocalText(
        en="Go back into the call that returned last.", zh="退回到最近一次返回的函数调用里。"
    ),
    "continue": LocalText(
        en="Go on to the next question, failure, or the end.", zh="继续到下一个问题、出错处或结尾。"
    ),
    "continue_back": LocalText(
        en="Go back to the question or failure before, or to the start.",
        zh="退回到上一个问题、出错处或开头。",
    ),
    "start": LocalText(en="Go to before the first line.", zh="回到第一行之前。"),
    "end": LocalText(en="Go as far as you can see by now.", zh="走到目前能到的最后一步。"),
    "restart": LocalText(
        en="Run it again from the start, with all questions open.",
        zh="从头重新运行，所有问题重新作答。",
    ),
    "next_write": LocalText(
        en="Go to the next write to the tensor chosen; in the lanes, to what happens next there.",
        zh="跳到所选张量的下一次写入；在存储面板中，跳到该行的下一个事件。",
    ),
    "goto": LocalText(
        en="Go to a step (123), a share of the run (50%) or a line (:7).",
        zh="跳到某一步（123）、运行的某个百分比（50%）或某一行（:7）。",
    ),
    "scrub": LocalText(
        en="Go on by one column of the lanes: a step, or many where they are zoomed out.",
        zh="在时间上前进存储面板的一列：一步，缩小时为多步。",
    ),
    "scrub_back": LocalText(
        en="Go back by one column of the lanes.", zh="在时间上后退存储面板的一列。"
    ),
    "lanes_in": LocalText(
        en="Zoom the lanes in: fewer steps a column.", zh="放大存储面板的时间：每列步数更少。"
    ),
    "lanes_out": LocalText(
        en="Zoom the lanes out, up to the whole run.", zh="缩小存储面板的时间，直到整个运行过程。"
    ),
    "last_write": LocalText(
        en="Go to the line that wrote to the chosen tensor last.",
        zh="跳到最近一次写入所选张量的那一行。",
    ),
    "choice": LocalText(
        en="Mark this choice; nothing is answered yet.", zh="标记这个选项；还没有作答。"
    ),
    "commit": LocalText(
        en="Answer: with the marked choice, the line under the cursor, or the order of the lines.",
        zh="作答：用标记的选项、光标所在的行，或排好的顺序。",
    ),
    "line_up": LocalText(en="Move the chosen line up.", zh="把选中的行上移。"),
    "line_down": LocalText(en="Move the chosen line down.", zh="把选中的行下移。"),
    "hint": LocalText(en="Show the next hint.", zh="显示下一条提示。"),
    "answer": LocalText(en="Give up and show the answer.", zh="放弃作答，直接看答案。"),
    "question": LocalText(
        en="Go back to the open question, or to the one that you left for later.",
        zh="回到未答的问题，或之前留下的问题。",
    ),
    "variants": LocalText(
        en="What if? The same program with one edit, and all outcomes side by side.",
        zh="如果改一处会怎样？逐个查看，并对比所有结果。",
    ),
    "holds": LocalText(
        en="Try to break the recap: run the programs that would show it false.",
        zh="试着推翻本课的小结：运行那些可能证明它不成立的程序。",
    ),
    "edit": LocalText(
        en="Open a copy of this program in the sandbox, at this step.",
        zh="在沙盒中打开这个程序的副本，停在当前这一步。",
    ),
    "next_lesson": LocalText(en="Open the lesson that follows.", zh="打开后面一课。"),
    "previous_lesson": LocalText(en="Open the lesson before.", zh="打开前面一课。"),
    "panel": LocalText(en="Go to the panel of this number.", zh="切换到这个编号的面板。"),
    "next_panel": LocalText(en="Go to the next panel.", zh="切换到下一个面板。"),
    "previous_panel": LocalText(en="Go to the panel before.", zh="切换到上一个面板。"),
    "why": LocalText(
        en="Why it ended so: who saved, who changed, who needed the tensor.",
        zh="为什么是这个结果：谁保存、谁修改、谁需要这个张量。",
    ),
    "fixes": LocalText(
        en="The fixes that were run and work, with all they change; open one in the sandbox.",
        zh="查看运行过、确实可行的改法及其全部改动，并在沙盒中打开。",
    ),
    "zoom": LocalText(
        en="Give this panel the whole screen, or take it back.",
        zh="当前面板占满屏幕，再按一次恢复。",
    ),
    "copy": LocalText(
        en="Copy this panel as text to the clipboard (OSC 52).",
        zh="把当前面板的文字复制到剪贴板（OSC 52）。",
    ),
    "export": LocalText(
        en="Take something out of here: the panel, a picture, the graph, the timeline.",
        zh="导出：面板文字、屏幕图片、计算图、时间线。",
    ),
    "pointers": LocalText(
        en="Show or hide the column of data_ptr.", zh="显示或隐藏 data_ptr 一列。"
    ),
    "open_tensor": LocalText(
        en="Open the chosen tensor to see every element; again, close it.",
        zh="打开所选张量查看全部元素；再按一次关闭。",
    ),
    "pin": LocalText(
        en="Keep the chosen tensor at the top of the table, or no longer.",
        zh="把所选张量固定在表的最上面；再按一次取消。",
    ),
    "modules": LocalText(
        en="Hide or show what is reached through modules and optimizers only.",
        zh="隐藏或显示只能通过模块和优化器取得的张量。",
    ),
    "follow": LocalText(
        en="Follow one tensor: its views, its gradient, what holds it; again, let go.",
        zh="跟踪一个张量：它的视图、梯度以及持有它的节点；再按一次取消。",
    ),
    "mode": LocalText(
        en="Values, their change since the step before, by the last write, or with the gradient.",
        zh="依次显示：值、与上一步之差、最近一次写入的改变、与梯度对照。",
    ),
    "plane_after": LocalText(
        en="Go to the next plane: the index before the last two dimensions.",
        zh="转到下一个平面（最后两维之前的下标）。",
    ),
    "plane_before": LocalText(en="Go to the plane before.", zh="转到上一个平面。"),
    "odd": LocalText(en="Go to the next NaN or inf.", zh="跳到下一个 NaN 或 inf。"),
    "heat": LocalText(en="Colour the cells by value, or not.", zh="按值给单元格着色，或取消。"),
    "filter": LocalText(
        en="List only what is called like what you type, has that number, or teaches that concept.",
        zh="只列出名称、编号或概念与输入相符的课程。",
    ),
    "leave": LocalText(
        en="Leave: the question for later, its reply, the zoom, the variant, this screen.",
        zh="返回：问题留待以后、关闭解答、取消放大、离开变体或当前界面。",
    ),
    "present": LocalText(
        en="Present this lesson to a class, or no longer: code and one panel, answers are locked "
        "until they are shown, nothing is kept.",
        zh="向全班演示这一课，或结束演示：只有代码和一个面板，揭晓之前不能作答，不记录进度。",
    ),
    "type": LocalText(en="Go into the editor.", zh="进入编辑器。"),
    "save": LocalText(en="Save the program to its file.", zh="把程序保存到文件。"),
    "save_as": LocalText(en="Save the program to another file.", zh="把程序保存到另一个文件。"),
    "open": LocalText(en="Open a file in the sandbox.", zh="在沙盒中打开文件。"),
    "run": LocalText(en="Run the program and record every line.", zh="运行程序并记录每一行。"),
    "live": LocalText(
        en="Run again by itself whenever you stop typing, or no longer. Off at first.",
        zh="停止输入后自动重新运行；再按一次关闭。默认关闭。",
    ),
    "run_here": LocalText(
        en="Run, and stop where the line of the cursor is about to run; again: its next visit.",
        zh="运行并停在光标所在行执行之前；再按一次到下一次经过这一行时。",
    ),
    "find": LocalText(
        en="Find a text in the editor, and replace it: Tab leads to what it is replaced by.",
        zh="在编辑器中查找文本；按 Tab 输入要替换成的内容。",
    ),
    "find_next": LocalText(
        en="Go to the next place where the text was found.", zh="跳到查找内容的下一处。"
    ),
    "complete": LocalText(
        en="Propose how the name under the cursor may go on.", zh="列出光标处名称的补全候选。"
    ),
    "comment": LocalText(
        en="Make comments of the selected lines, or code again.",
        zh="把选中的行变成注释，再按一次恢复成代码。",
    ),
    "history": LocalText(
        en="The runs of this session: show one again, or compare two of them.",
        zh="本次的运行记录：再次查看某次运行，或对比其中两次。",
    ),
    "templates": LocalText(
        en="Start from a small program; your text comes back with undo.",
        zh="从一个小程序开始；撤销即可恢复原来的内容。",
    ),
    "reset": LocalText(
        en="Take the program back to how it was; Ctrl-Z in the editor undoes that.",
        zh="把程序恢复原样；在编辑器里按 Ctrl-Z 可以撤销。",
    ),
    "next_challenge": LocalText(en="Open the challenge that follows.", zh="打开后面一题。"),
    "challenges": LocalText(
        en="Go to the challenges: break a program, or mend one.",
        zh="跳到挑战题：弄坏或修好一个程序。",
    ),
    "next_drill": LocalText(en="Go on to the next program of the drill.", zh="继续下一道练习题。"),
    "taught": LocalText(
        en="Open the lesson about what this program showed.", zh="打开讲这道题内容的那一课。"
    ),
    "review": LocalText(
        en="Answer again what you got wrong and what is due today.",
        zh="再答一遍曾经答错、今天到期的题。",
    ),
    "drill": LocalText(
        en="Predict random small programs, at your level.", zh="按你的水平预测随机小程序。"
    ),
    "open_lesson": LocalText(en="Open this lesson or challenge.", zh="打开这一课或这道题。"),
    "resume": LocalText(
        en="Go on with the lesson that is suggested next.", zh="继续学习建议的下一课。"
    ),
    "introduction": LocalText(
        en="What this program is, and the screen in one minute.",
        zh="这个程序是什么；再用一分钟熟悉界面。",
    ),
    "onward": LocalText(en="Go on with the welcome.", zh="继续看下去。"),
    "backward": LocalText(en="Go back a step of the welcome.", zh="退回上一步。"),
    "learn": LocalText(
        en="The screen in one minute, by doing; then the course.",
        zh="动手一分钟，熟悉界面；然后开始课程。",
    ),
    "ask": LocalText(
        en="Open a script of your own that fails, and see which line did it.",
        zh="打开自己出错的脚本，看是哪一行造成的。",
    ),
    "play": LocalText(
        en="Open the sandbox: any program, line by line.", zh="打开沙盒：任何程序，逐行运行。"
    ),
    "map": LocalText(
        en="What each lesson needs and teaches, and where it leads.",
        zh="每一课需要什么、讲什么、通往哪里。",
    ),
    "sandbox": LocalText(en="Write and run a program of your own.", zh="编写并运行你自己的程序。"),
    "choose_row": LocalText(
        en="Choose this row: run to a line, go to a step, take an answer.",
        zh="选择这一行：运行到该行、跳到该步或选定答案。",
    ),
    "search": LocalText(
        en="Search in this panel; in the graph also a line (:7), stale, leaf.",
        zh="在当前面板中查找；在计算图中还可以查行号（:7）、stale、leaf。",
    ),
    "next_match": LocalText(
        en="Go to the next match of your last search.", zh="跳到上次查找的下一处。"
    ),
    "previous_match": LocalText(en="Go to the match before.", zh="跳到上次查找的上一处。"),
    "to_input": LocalText(
        en="Follow the edge to an input of this node; at a leaf: to the next input.",
        zh="沿着边走到该节点的输入；在叶子上则走到下一个输入。",
    ),
    "to_output": LocalText(
        en="Follow the edge back to the node that uses this one.", zh="沿着边回到使用该节点的节点。"
    ),
    "retrace": LocalText(
        en="Go back along the edges that you followed; from there the next edge is taken.",
        zh="沿走过的边退回；再往前走就换下一条边。",
    ),
    "to_node": LocalText(
        en="Jump from a line to the nodes that it made, and from a node to its line.",
        zh="从代码行跳到它创建的节点，或从节点跳到它的代码行。",
    ),
    "language": LocalText(en="Switch between English and Chinese.", zh="在中文和英文之间切换。"),
    "theme": LocalText(
        en="Next theme: dark, light, high contrast, colour-blind safe. It is kept. Right and wrong "
        "are blue and orange in all.",
        zh="切换主题：深色、浅色、高对比度、色盲友好，选择会保存。对错一律用蓝色和橙色区分。",
    ),
    "commands": LocalText(
        en="Search all commands, and go to any lesson.", zh="查找所有命令，或直接打开任意一课。"
    ),
    "help": LocalText(en="What the keys do here.", zh="查看这里可用的按键。"),
    "quit": LocalText(en="Quit. Progress is kept.", zh="退出，进度会保存。"),
}
"""A sentence each, for the help page."""
