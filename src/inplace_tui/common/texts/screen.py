"""What the screens say around the panels: bars, titles, notices, prompts."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class ScreenTexts:
    """Titles, bars, notices and dialogs."""

    # The worker.
    starting = LocalText(en="starting the Python process…", zh="正在启动 Python 进程……")
    loading_torch = LocalText(
        en="loading torch… (once; the screen works meanwhile)",
        zh="正在加载 torch……（只需一次，期间可以正常操作）",
    )
    loading_optimizers = LocalText(en="loading torch.optim…", zh="正在加载 torch.optim……")
    ready = LocalText(en="torch {torch} ready", zh="torch {torch} 已就绪")
    refused = LocalText(
        en="Programs can't run: {reason}. Install torch with: pip install torch==2.13.0 "
        "--index-url https://download.pytorch.org/whl/cpu",
        zh="无法运行程序：{reason}。请安装 torch：pip install torch==2.13.0 "
        "--index-url https://download.pytorch.org/whl/cpu",
    )
    worker_died = LocalText(
        en="The worker process died; a new one starts. What was recorded is kept.",
        zh="工作进程意外终止，正在启动新的进程。已记录的内容都在。",
    )
    waiting_worker = LocalText(
        en="torch is being loaded: done as soon as the program runs.",
        zh="正在加载 torch，程序一运行就执行。",
    )
    # Runs.
    waits = LocalText(en="waiting for torch", zh="等待 torch")
    running = LocalText(en="running… {steps:step|steps}", zh="运行中……已有 {steps} 步")
    step = LocalText(en="step {at}", zh="第 {at} 步")
    verifying = LocalText(en="checking the gradients…", zh="正在核对梯度……")
    ended_unasked = LocalText(en="runs; it asks for no gradient", zh="正常运行；没有求任何梯度")
    ended_ahead = LocalText(
        en="The run is over: {how}. {keys[end]} goes there.",
        zh="运行已结束：{how}。按 {keys[end]} 跳到那里。",
    )
    raised = LocalText(en="{exception} on line {line}", zh="第 {line} 行抛出 {exception}")
    raised_in_backward = LocalText(
        en="{exception} in backward, on line {line}", zh="第 {line} 行的 backward 抛出 {exception}"
    )
    brief_wrong = LocalText(en="silently wrong gradient", zh="梯度悄悄错了")
    brief_right = LocalText(en="gradients right", zh="梯度正确")
    brief_unasked = LocalText(en="no gradient asked for", zh="没有求梯度")
    brief_in_backward = LocalText(en="{exception} in backward", zh="backward 抛出 {exception}")
    raised_nowhere = LocalText(en="{exception}", zh="抛出 {exception}")
    timed_out = LocalText(
        en="stopped after {seconds:g} s, while line {line} was running",
        zh="运行超过 {seconds:g} 秒被终止，当时正在运行第 {line} 行",
    )
    stopped = LocalText(
        en="stopped at its limit of {value:,} {limit}", zh="达到 {value:,} {limit}的上限而终止"
    )
    crashed_signal = LocalText(
        en="the process was killed by {signal} on line {line}",
        zh="进程在第 {line} 行被 {signal} 信号终止",
    )
    crashed_exit = LocalText(
        en="the process ended itself with exit code {code} on line {line}",
        zh="进程在第 {line} 行自行退出，退出码 {code}",
    )
    worker_took_it = LocalText(
        en="the worker process died, and this run with it", zh="工作进程终止，这次运行也随之终止"
    )
    question_ahead = LocalText(en="? question ahead", zh="? 后面有提问")
    question_open = LocalText(en="? question open", zh="? 有提问未答")
    # Bars and titles.
    brand = LocalText(en="inplace-tui", zh="inplace-tui")
    lesson_of = LocalText(en="Lesson {number}/{total}", zh="第 {number}/{total} 课")
    contents = LocalText(en="Contents", zh="目录")
    sandbox = LocalText(en="Sandbox", zh="沙盒")
    no_question_yet = LocalText(
        en="No question is open yet: {keys[continue]} goes to the next one.",
        zh="还没有题目要回答：按 {keys[continue]} 去下一道题。",
    )
    panel_chosen = LocalText(
        en="Panel {number} has the focus already.", zh="焦点已在面板 {number}。"
    )
    at_question = LocalText(en="This is the question.", zh="已经在题目这里了。")
    answered_already = LocalText(en="This question is answered already.", zh="这道题已经答过了。")
    presenting = LocalText(en="presented", zh="演示")
    variant_of = LocalText(en="variant: {title}", zh="变体：{title}")
    unsaved = LocalText(en="* not saved", zh="* 未保存")
    edited_since = LocalText(
        en="edited since this run; {keys[run]} runs it again",
        zh="运行后已修改，按 {keys[run]} 重新运行",
    )
    editor = LocalText(en="Editor", zh="编辑器")
    why_not_yet = LocalText(
        en="The run has not come to its end here. Once it has, this says who saved, "
        "who changed and who needed the tensor at fault.",
        zh="在这一步，运行还没有到达结果。到达之后，这里会说明：谁保存、谁修改、谁需要出错的张量。",
    )
    why_hidden = LocalText(en="Hidden until the question is answered.", zh="回答问题之后才会显示。")
    recorded = LocalText(en="all steps", zh="全部步骤")
    more_below = LocalText(en="▾ more below", zh="▾ 下面还有")
    more_by_page = LocalText(en="▾ more below: PageDown", zh="▾ 下面还有：PageDown")
    steps_none = LocalText(en="Nothing has run yet.", zh="还没有运行任何一行。")
    # Contents.
    reading = LocalText(en="reading the lessons…", zh="正在读取课程……")
    no_lessons = LocalText(en="There are no lessons in {folder}.", zh="{folder} 里没有课程。")
    done_of = LocalText(en="{done} of {total} done", zh="已完成 {done}/{total}")
    minutes = LocalText(en="{minutes} min", zh="{minutes} 分钟")
    difficulty = LocalText(en="difficulty", zh="难度")
    mark_done = LocalText(en="done", zh="已完成")
    mark_begun = LocalText(en="begun", zh="已开始")
    mark_open = LocalText(en="open question", zh="有提问未答")
    mark_next = LocalText(en="next", zh="建议")
    mark_new = LocalText(en="not begun", zh="未开始")
    requires = LocalText(en="builds on", zh="需要先学")
    leads_to = LocalText(en="leads to", zh="之后可学")
    variants_count = LocalText(en="variants: {count}", zh="{count} 个变体")
    questions_count = LocalText(en="questions: {count}", zh="{count} 处提问")
    problems = LocalText(en="Lesson files that can't be used", zh="无法使用的课程文件")
    assigned_drills = LocalText(
        en="Drills that were assigned: {count}. Press {keys[drill]}.",
        zh="布置的练习：{count} 组。按 {keys[drill]} 开始。",
    )
    all_done = LocalText(
        en="Every lesson is done. The sandbox ({keys[sandbox]}) is yours.",
        zh="全部课程已完成。按 {keys[sandbox]} 打开沙盒，随意尝试。",
    )
    unknown_lesson = LocalText(en="There is no lesson {lesson!r}.", zh="没有课程 {lesson!r}。")
    last_lesson = LocalText(en="This is the last lesson.", zh="这是最后一课。")
    first_lesson = LocalText(en="This is the first lesson.", zh="这是第一课。")
    # Copying.
    copied = LocalText(
        en="Copied {lines:line|lines}. If nothing arrives, this terminal refuses OSC 52.",
        zh="已复制 {lines} 行。如果剪贴板里没有内容，说明终端不支持 OSC 52。",
    )
    pinned = LocalText(en="{name} stays at the top of the table.", zh="{name} 固定在表的最上面。")
    unpinned = LocalText(en="{name} is no longer pinned.", zh="{name} 不再固定。")
    modules_hidden = LocalText(
        en="What only modules and optimizers reach is hidden.",
        zh="已隐藏只能通过模块和优化器取得的张量。",
    )
    modules_shown = LocalText(
        en="What modules and optimizers reach is shown.", zh="显示模块和优化器中的张量。"
    )
    followed = LocalText(
        en="Following {name}: its views, its gradient and what holds it.",
        zh="正在跟踪 {name}：它的视图、梯度以及持有它的节点。",
    )
    followed_none = LocalText(en="No tensor is followed.", zh="不再跟踪张量。")
    pointers_on = LocalText(en="data_ptr is shown.", zh="已显示 data_ptr。")
    pointers_off = LocalText(en="data_ptr is hidden.", zh="已隐藏 data_ptr。")
    choose_tensor = LocalText(
        en="Choose a tensor in the table first: {keys[panel.1]}, then the arrow keys.",
        zh="请先在张量表里选一行：按 {keys[panel.1]}，再用方向键。",
    )
    # Variants.
    variants = LocalText(en="What if?", zh="如果这样改？")
    variants_lead = LocalText(
        en="1–9 or Enter: predict it, then see it · Esc closes",
        zh="数字或 Enter：先预测，再查看 · Esc 关闭",
    )
    try_to_break = LocalText(en="Try to break it", zh="试着推翻它")
    try_to_break_lead = LocalText(
        en="1–9 or Enter steps through one · Esc closes", zh="数字或 Enter：逐行查看 · Esc 关闭"
    )
    holds = LocalText(en="the sentence holds", zh="这句话成立")
    does_not_hold = LocalText(en="the sentence does not hold here", zh="这句话在这里不成立")
    not_predicted = LocalText(en="? predict it first", zh="? 请先预测")
    predicted = LocalText(en="you said: {prediction}", zh="你的预测：{prediction}")
    predicted_right = LocalText(en="as you said", zh="与你的预测一致")
    as_written = LocalText(en="the lesson as it is", zh="本课原来的程序")
    variant_runs = LocalText(en="running…", zh="运行中……")
    back_to_lesson = LocalText(en="Back to the lesson's own program.", zh="已回到本课原来的程序。")
    # Fixes.
    fixes = LocalText(en="What to write instead", zh="可以怎样改")
    fixes_lead = LocalText(
        en="Enter opens in sandbox · Esc closes", zh="Enter 在沙盒中打开 · Esc 关闭"
    )
    fixes_not_yet = LocalText(
        en="Fixes are looked for where a run has failed: go to its end ({keys[end]}).",
        zh="运行出错之后才会寻找改法：先走到结尾（{keys[end]}）。",
    )
    fixes_none_needed = LocalText(
        en="Nothing failed here, so there is nothing to fix.", zh="这里没有出错，不需要修改。"
    )
    fixes_unknown = LocalText(
        en="This failure is not about autograd: no rewrite is known for it.",
        zh="这个错误与 autograd 无关，没有可以尝试的改法。",
    )
    fix_opened = LocalText(
        en="This is the fixed copy. {keys[leave]} leads back.",
        zh="这是修改后的副本，按 {keys[leave]} 返回。",
    )
    fix_in_editor = LocalText(
        en="The fix is in the editor, in no file yet. Ctrl-Z in the editor takes it back.",
        zh="改法已写入编辑器，尚未保存。在编辑器里按 Ctrl-Z 可以撤销。",
    )
    unsaved_others = LocalText(en="* {names} not saved", zh="* {names} 未保存")
    fix_in_files = LocalText(
        en="The fix is in {names}, which runs so and is not saved yet: {keys[save]} saves, an "
        "earlier run ({keys[history]}) takes it back.",
        zh="改动在 {names} 中：已按它运行，尚未保存。按 {keys[save]} 保存，"
        "选较早的运行（{keys[history]}）可撤回。",
    )
    # Sandbox.
    untitled = LocalText(en="not yet a file", zh="尚未保存为文件")
    saved = LocalText(en="Saved to {path}.", zh="已保存到 {path}。")
    not_saved = LocalText(en="Not saved to {path}: {reason}", zh="无法保存到 {path}：{reason}")
    opened = LocalText(
        en="Opened; {keys[run]} runs it: {path}", zh="已打开，按 {keys[run]} 运行：{path}"
    )
    file_new = LocalText(
        en="{path} does not exist yet; saving makes it.", zh="{path} 尚不存在，保存时会创建。"
    )
    file_missing = LocalText(en="{path}: there is no such file.", zh="{path}：没有这个文件。")
    file_folder = LocalText(en="{path} is a folder.", zh="{path} 是一个文件夹。")
    file_unreadable = LocalText(en="{path} can't be read: {reason}", zh="无法读取 {path}：{reason}")
    file_huge = LocalText(
        en="{path} has {size:,} bytes; the sandbox takes up to {limit:,}.",
        zh="{path} 有 {size:,} 字节，沙盒最多接受 {limit:,} 字节。",
    )
    file_binary = LocalText(
        en="{path} is no text: it has a zero byte at offset {offset:,}.",
        zh="{path} 不是文本：偏移 {offset:,} 处有零字节。",
    )
    file_separators = LocalText(
        en="{path} has {code} in line {line}, which the editor would make an end of line of.",
        zh="{path} 第 {line} 行含有 {code}，编辑器会把它变成换行。",
    )
    file_ends = LocalText(
        en="{path} mixes LF and CRLF: line {line} ends otherwise than those before it, and the "
        "editor would make all alike. Make them alike first.",
        zh="{path} 混用了 LF 与 CRLF 换行：第 {line} 行与前面的不同，编辑器会把它们全部统一。"
        "请先统一换行符。",
    )
    file_encoding = LocalText(
        en="{path} is not UTF-8 (byte {byte:#04x} at offset {offset:,}). Save it as UTF-8 first.",
        zh="{path} 不是 UTF-8（偏移 {offset:,} 处的字节 {byte:#04x}）。请先转存为 UTF-8。",
    )
    recovered = LocalText(
        en="This is your text from last time, which was never saved.",
        zh="这是上次没有保存的内容，已为你恢复。",
    )
    recovered_more = LocalText(
        en="This is your text from last time, never saved. Older ones come when it is done with.",
        zh="这是上次没有保存的内容，已为你恢复；更早的副本会在处理完它之后显示。",
    )
    recovered_file = LocalText(
        en="This is what you typed last time and never saved. {key}: back to the file as it is.",
        zh="这是上次输入但没有保存的内容。按 {key} 回到文件现在的内容。",
    )
    recovered_changed = LocalText(
        en="You typed this last time and never saved it. The file has changed since. "
        "{key}: back to the file as it is.",
        zh="这是上次输入但没有保存的内容，此后文件又被修改过。按 {key} 回到文件现在的内容。",
    )
    recovered_files = LocalText(
        en="Never saved last time, and here again: {names}. {keys[save]} saves.",
        zh="上次没有保存，已恢复：{names}。按 {keys[save]} 保存。",
    )
    recovered_elsewhere = LocalText(
        en="{key} opens what you typed last time and never saved: {path}",
        zh="按 {key} 打开上次输入但没有保存的内容：{path}",
    )
    offers_last = LocalText(
        en="{keys[open]} offers your last programs: {names}",
        zh="按 {keys[open]} 打开最近的程序：{names}",
    )
    last_programs = LocalText(en="Your last programs (Up, Down)", zh="最近的程序（上、下键选择）")
    recovered_broken = LocalText(
        en="A copy of what you typed last time can't be read: {path}",
        zh="上次输入内容的副本无法读取：{path}",
    )
    paste_cut = LocalText(
        en="The paste was ended: no end of it came, or it has more than 1,000,000 characters.",
        zh="粘贴已中止：未收到结束标记，或超过 1,000,000 个字符。",
    )
    not_kept = LocalText(
        en="No copy can be kept of what is not saved ({reason}): save it yourself.",
        zh="无法为未保存的内容保留副本（{reason}），请自行保存。",
    )
    unsaved_unkept = LocalText(en="* not saved, no copy", zh="* 未保存，无副本")
    edit_first = LocalText(
        en="Write a program and press {keys[run]} to run it.",
        zh="写一段程序，按 {keys[run]} 运行。",
    )
    ask_save = LocalText(
        en="Your program has changes that are not saved: {names}.",
        zh="程序有未保存的修改：{names}。",
    )
    ask_overwrite = LocalText(en="{path} exists already.", zh="{path} 已存在。")
    ask_reload = LocalText(
        en="{path} was changed by another program since it was opened.",
        zh="{path} 打开之后被其他程序修改过。",
    )
    ask_half_saved = LocalText(
        en="Saving was cut short: {written} was written, {missing} was not.",
        zh="保存被中断：已写入 {written}，未写入 {missing}。",
    )
    do_complete = LocalText(en="write {missing}, too", zh="也写入 {missing}")
    do_undo = LocalText(en="put {written} back as before", zh="把 {written} 恢复原样")
    do_save = LocalText(en="save", zh="保存")
    do_discard = LocalText(en="leave without saving", zh="不保存，离开")
    do_overwrite = LocalText(en="overwrite", zh="覆盖")
    do_cancel = LocalText(en="go back", zh="返回")
    prompt_save = LocalText(en="Save to which file?", zh="保存到哪个文件？")
    prompt_open = LocalText(en="Open which file?", zh="打开哪个文件？")
    prompt_empty = LocalText(
        en="Nothing is typed yet. Esc goes back.", zh="还没有输入内容，Esc 返回。"
    )
    # Help and palette.
    help = LocalText(en="Keys that work here", zh="这里可用的按键")
    help_close = LocalText(en="Esc closes", zh="Esc 关闭")
    help_lead = LocalText(
        en="Enter or a click does it. Esc closes.", zh="按 Enter 或点击即执行，Esc 关闭。"
    )
    help_foot = LocalText(
        en="Enter or a click does it. End: what words mean. Esc closes.",
        zh="按 Enter 或点击即执行，按 End 看术语，Esc 关闭。",
    )
    help_panel = LocalText(en="In this panel: {panel}", zh="在此面板：{panel}")
    help_screen = LocalText(en="On this screen", zh="在此界面")
    help_everywhere = LocalText(en="Everywhere", zh="任何地方")
    help_marks = LocalText(en="Marks", zh="记号")
    mark_changed = LocalText(en="~ changed by this line   + new", zh="~ 此行改变   + 新出现")
    mark_stale = LocalText(
        en="! stale: saved at an older version   ∅ freed", zh="! 过期：保存时是旧版本   ∅ 已释放"
    )
    mark_hidden = LocalText(en="? hidden until you have answered", zh="? 回答之前不显示")
    help_wide_keys = LocalText(
        en="Full-width keys of an input method work too.", zh="中文输入法下的全角按键同样有效。"
    )
    theme = LocalText(en="theme: {name}", zh="主题：{name}")
    palette = LocalText(en="Commands, lessons, themes", zh="命令、课程、主题")
    palette_line = LocalText(en="type to search", zh="输入以查找")
    filtered = LocalText(
        en="{count} listed · Enter opens · Esc lists all",
        zh="列出 {count} 项 · Enter 打开 · Esc 全部列出",
    )
    interrupt = LocalText(
        en="Ctrl-C does not quit here: {quit} does.", zh="Ctrl-C 在这里不会退出；退出请按 {quit}。"
    )
    key_unused = LocalText(
        en="{key} does nothing here. {help} lists the keys that do.",
        zh="{key} 在这里没有作用。按 {help} 查看可用的按键。",
    )
    key_unused_in_help = LocalText(
        en="{key} does nothing here. Esc closes the help.",
        zh="{key} 在这里没有作用。按 Esc 关闭帮助。",
    )
    choose_row = LocalText(en="Choose a row first: ↑ or ↓.", zh="请先用 ↑ 或 ↓ 选一行。")
    at_top = LocalText(en="This is the top.", zh="已经到顶了。")
    at_bottom = LocalText(en="This is the bottom.", zh="已经到底了。")
    at_side = LocalText(en="There is no more on this side.", zh="这一侧没有更多内容了。")
    taken_back = LocalText(en="Taken back: you stay at this step.", zh="已取消，仍停在这一步。")
    leave_again = LocalText(
        en="{keys[leave]} once more leaves the lesson; you come back to this step.",
        zh="再按一次 {keys[leave]} 离开这一课；下次会回到这一步。",
    )
    restart_again = LocalText(
        en="{keys[restart]} once more starts over and forgets your answers to this lesson.",
        zh="再按一次 {keys[restart]} 从头开始，并清除你在这一课的回答。",
    )
    leave_sandbox = LocalText(
        en="{keys[leave]} once more leaves; you may want to look at this run first.",
        zh="再按一次 {keys[leave]} 离开；也可以先看看这次运行。",
    )
    run_stopped = LocalText(
        en="You stopped this run. {keys[run]} runs it again; {keys[leave]} twice leaves.",
        zh="你停止了这次运行。按 {keys[run]} 重新运行，按两次 {keys[leave]} 离开。",
    )
    palette_none = LocalText(en="Nothing is called like that.", zh="没有找到。")
    go_to = LocalText(en="go to lesson: {title}", zh="打开课程：{title}")
    go_back = LocalText(en="Go back.", zh="返回。")
    take_number = LocalText(en="Take the one of this number.", zh="选择这个编号的一项。")
    mark_run = LocalText(en="Mark a run; two are compared.", zh="标记一次运行，标记两次即对比。")
    complete_path = LocalText(en="Complete the name.", zh="补全文件名。")
    move_up = LocalText(en="Move up and down.", zh="上下移动。")
    move_sideways = LocalText(en="Scroll sideways.", zh="左右滚动。")
    page_up = LocalText(en="Scroll by a page.", zh="翻页。")


LOADING = {"torch": ScreenTexts.loading_torch, "optimizers": ScreenTexts.loading_optimizers}
"""By what the worker imports."""

LIMITS = {
    "steps": LocalText(en="steps", zh="步"),
    "bytes": LocalText(en="bytes of recorded steps", zh="字节的运行记录"),
    "memory": LocalText(en="bytes of memory", zh="字节的内存"),
    "processes": LocalText(en="processes", zh="个进程"),
}
"""What a program may have only so many of."""

THEME_NAMES = {
    "inplace-dark": LocalText(en="dark", zh="深色"),
    "inplace-light": LocalText(en="light", zh="浅色"),
    "inplace-contrast": LocalText(en="high contrast", zh="高对比度"),
    "inplace-colour-blind": LocalText(en="colour-blind safe", zh="色盲友好"),
}
"""By the name of the theme."""
