"""What `doctor` says of this machine."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class DoctorTexts:
    """What `doctor` prints."""

    versions = LocalText("Versions", "版本")
    missing = LocalText("not installed", "未安装")
    paths = LocalText("Paths", "路径")
    lessons = LocalText("lessons", "课程")
    lessons_in = LocalText(
        "{lessons:lesson|lessons}, {problems:problem|problems}", "{lessons} 课，{problems} 处问题"
    )
    packs = LocalText("packs of lessons", "课程包")
    progress = LocalText("progress", "进度")
    not_writable = LocalText("progress can't be kept there", "那里无法保存进度")
    terminal = LocalText("Terminal", "终端")
    no_terminal = LocalText("standard output is no terminal", "标准输出不是终端")
    size = LocalText("size", "大小")
    environment = LocalText("environment", "环境变量")
    colours = LocalText("colours", "颜色数")
    encoding = LocalText("encoding", "编码")
    wide = LocalText("cells of a Chinese character", "一个汉字占的格数")
    box = LocalText("cells of a line of a box", "一条制表线占的格数")
    boxes_in_ascii = LocalText(
        "lines of boxes are two cells wide here: ASCII is drawn in their place",
        "这里的制表线占两格：改用 ASCII 字符绘制",
    )
    unknown = LocalText("unknown", "未知")
    isolation = LocalText("Running programs", "运行程序")
    fork = LocalText("fork", "fork")
    leftovers = LocalText("what a run leaves behind", "运行遗留的进程")
    namespaces = LocalText(
        "ends with it: every run has a process namespace of its own",
        "随之结束：每次运行都有自己的进程命名空间",
    )
    subreaper = LocalText(
        "is looked for and killed one by one; no process namespace here ({why})",
        "逐个查找并终止；这里不能使用进程命名空间（{why}）",
    )
    replays = LocalText(
        "what `explain` writes to files when it runs a program again",
        "explain 再次运行程序时对文件的写入",
    )
    view = LocalText(
        "goes to a copy in memory, with a network of its own", "只进内存中的副本，网络也是独立的"
    )
    no_view = LocalText(
        "can't be kept from them: it runs once ({why})", "无法与原文件隔开：只运行一次（{why}）"
    )
    yes = LocalText("available", "可用")
    no = LocalText("not available", "不可用")
    writes = LocalText(
        "a lesson's writes outside of its scratch folder", "课程程序写入临时文件夹之外"
    )
    network = LocalText("a lesson's network", "课程程序访问网络")
    closed = LocalText("refused by the kernel", "由内核拒绝")
    open = LocalText("not kept from it: this kernel offers no way", "无法阻止：内核不提供这种限制")
    worker = LocalText("worker ready after", "工作进程就绪用时")
    torch = LocalText("torch in the worker", "工作进程中的 torch")
    refused = LocalText("the worker does not start", "工作进程无法启动")
    run = LocalText("a program runs", "运行程序")
    time = LocalText("the time limit", "时间上限")
    steps = LocalText("the limit of steps", "步数上限")
    reports = LocalText("the limit of what is recorded", "记录量上限")
    memory = LocalText("the limit of memory", "内存上限")
    recorder = LocalText(
        "Recorder (in the worker's Python and torch)", "记录器（在工作进程的 Python 和 torch 中）"
    )
    sees_writes = LocalText("in-place writes, with versions", "原地写入及版本号")
    sees_saved = LocalText("what backward keeps", "反向传播保存的内容")
    sees_values = LocalText("values", "张量的值")
    sees_libraries = LocalText("writes inside an optimizer", "优化器内部的写入")
    sees_truth = LocalText("whether gradients are right", "梯度是否正确")
    sees_witness = LocalText("who is to blame in one plain run", "直接运行一次即可找出出错的行")
    crash = LocalText("a crash is survived", "程序崩溃后仍能继续")
    holds = LocalText("ok", "正常")
    fails = LocalText("DOES NOT HOLD", "不起作用")
