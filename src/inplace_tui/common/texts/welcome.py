"""The welcome: what this is, one real crash, and where to go from there."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class WelcomeTexts:
    """What it says, a step a key."""

    title = T(en="Welcome {place}/{total}", zh="欢迎 {place}/{total}")
    what = T(
        en="This program runs PyTorch code line by line and shows what every in-place write, such "
        "as `w -= g`, does to the gradients. When backward fails, or is silently wrong, it names "
        "the line that did it.",
        zh="这个程序逐行运行 PyTorch 代码，展示每一次原地写入（例如 `w -= g`）对梯度的影响。"
        "反向传播报错、或者悄悄算错时，它会指出是哪一行造成的。",
    )
    program = T(en="Six lines that look harmless:", zh="六行看上去没有问题的代码：")
    run = T(en="`{key}` runs them.", zh="按 `{key}` 运行。")
    running = T(
        en="They are running; torch takes a moment to load …",
        zh="正在运行；加载 torch 需要一点时间……",
    )
    message = T(
        en="They ran, and this is all that PyTorch says:", zh="运行了。PyTorch 只说了这些："
    )
    ask_line = T(
        en="It names no line of the program. `{key}` does.",
        zh="它没有指出是程序的哪一行。按 `{key}` 就知道了。",
    )
    named = T(en="The same run, as it is shown here:", zh="同一次运行，在这里是这样的：")
    choose = T(en="`{key}` goes on to what you can do.", zh="按 `{key}` 看看接下来可以做什么。")
    choose_one = T(
        en="{keys[learn]}, {keys[ask]} or {keys[play]} goes on from here.",
        zh="请选择：{keys[learn]}、{keys[ask]} 或 {keys[play]}。",
    )
    where = T(en="What would you like to do?", zh="想做什么？")
    learn = T(
        en="Learn: a course of short lessons; it begins with one minute on the screen.",
        zh="学习：由短课组成的课程，先用一分钟熟悉界面。",
    )
    ask = T(
        en="Ask: open a script of your own that fails, and be told which line did it.",
        zh="诊断：打开自己出错的脚本，看看是哪一行造成的。",
    )
    play = T(
        en="Play: write any program, and watch what each line does.",
        zh="试验：随便写一段程序，看每一行做了什么。",
    )
    later = T(
        en="`{key}` leads to the contents; `{again}` there shows this again.",
        zh="按 `{key}` 进入目录；在目录里按 `{again}` 可以再看一遍。",
    )


CHOICES = (("learn", WelcomeTexts.learn), ("ask", WelcomeTexts.ask), ("play", WelcomeTexts.play))
"""Actions of the last step, in their order."""
