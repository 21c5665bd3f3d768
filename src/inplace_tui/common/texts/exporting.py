"""What the export says: what can be taken out, where it went, and why not."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class ExportTexts:
    """The export dialog and its notices."""

    export = LocalText(en="Export", zh="导出")
    lead = LocalText(en="1–9 or Enter takes it · Esc closes", zh="数字或 Enter 选择 · Esc 关闭")
    panel_copy = LocalText(
        en="{panel}, as text: to the clipboard", zh="{panel}的文字：复制到剪贴板"
    )
    panel_file = LocalText(en="{panel}, as text: to a file", zh="{panel}的文字：写入文件")
    picture = LocalText(en="This screen, as a picture (SVG)", zh="当前屏幕的图片（SVG）")
    graph_svg = LocalText(en="The graph, as a picture (SVG)", zh="计算图的图片（SVG）")
    graph_dot = LocalText(en="The graph, for Graphviz (DOT)", zh="计算图，供 Graphviz 使用（DOT）")
    timeline = LocalText(en="The timeline, with everything (JSON)", zh="完整的时间线（JSON）")
    script = LocalText(
        en="The program, as a script that ends the same (.py)", zh="程序脚本，运行结果相同（.py）"
    )
    lesson = LocalText(
        en="The program, as a lesson to fill in (YAML)", zh="做成待填写的课程（YAML）"
    )
    page = LocalText(en="The whole run, as a page (HTML)", zh="整个运行过程的网页（HTML）")
    about_page = LocalText(
        en="every step, for any browser; hides what a question hides",
        zh="每一步都在里面，任何浏览器都能看；提问隐藏的内容不会出现",
    )
    about_panel = LocalText(en="the focused panel", zh="当前面板")
    about_picture = LocalText(en="as it is seen now", zh="与现在看到的一样")
    about_graph = LocalText(en="at this step", zh="当前这一步的")
    about_timeline = LocalText(
        en="the same document as inplace-tui run --format json",
        zh="与 inplace-tui run --format json 的输出相同",
    )
    about_script = LocalText(
        en="with its seed, and above it what happened", zh="带随机种子，开头注明运行结果"
    )
    about_lesson = LocalText(
        en="with claims from this run; checked before it is written",
        zh="断言取自这次运行，写入前先检查",
    )
    # Why not.
    empty = LocalText(en="This panel is empty.", zh="这个面板是空的。")
    no_graph = LocalText(en="There is no graph at this step.", zh="这一步还没有计算图。")
    questions_open = LocalText(
        en="The timeline tells how it ends: answer every question first.",
        zh="时间线会透露结果：请先回答所有问题。",
    )
    question_open = LocalText(
        en="The run would tell the answer: answer the question first.",
        zh="运行过程会透露答案：请先回答问题。",
    )
    not_over = LocalText(
        en="The run, or the check of its gradients, still goes on.",
        zh="程序仍在运行，或梯度还在核对中。",
    )
    no_run = LocalText(en="Nothing has run yet.", zh="还没有运行过。")
    edited = LocalText(
        en="The text was edited since this run: run it again first.",
        zh="运行后程序已修改：请先重新运行。",
    )
    several_files = LocalText(en="The program has several files.", zh="程序由多个文件组成。")
    # Where it went.
    prompt = LocalText(en="Write to which file?", zh="写入哪个文件？")
    working = LocalText(en="Writing…", zh="正在写入……")
    written = LocalText(
        en="{name} is written ({count:byte|bytes}), in {folder}",
        zh="已写入 {name}（{count:,} 字节），位于 {folder}",
    )
    copied = LocalText(
        en="Copied {lines:line|lines}. If nothing arrives, this terminal refuses OSC 52; "
        "{key} writes a file.",
        zh="已复制 {lines} 行。如果剪贴板里没有内容，说明终端不支持 OSC 52，可按 {key} 写入文件。",
    )
    copied_large = LocalText(
        en="{lines:line|lines}: more than some terminals take. They are in {path}, too.",
        zh="共 {lines} 行，超出部分终端的上限；同时写入了 {path}。",
    )
    # Paths.
    paths_lead = LocalText(
        en="Enter accepts, Tab completes, Esc goes back. ~ is your home folder.",
        zh="Enter 确定，Tab 补全，Esc 返回。~ 表示主目录。",
    )
    paths_none = LocalText(en="Nothing begins like this.", zh="没有以此开头的文件。")
    paths_more = LocalText(en="{names} … {count} in all", zh="{names} …… 共 {count} 个")
