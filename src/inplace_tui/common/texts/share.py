"""What a shared program says: the words that a lesson is begun with, and a script's head."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class LessonParts:
    """Pieces of a lesson file, with both languages in it."""

    head = """\
# yaml-language-server: $schema={schema}
# Made from a program of the sandbox. What it claims was recorded and is true; its words are
# yours: write them where it says TO WRITE, in both languages, then run:
# inplace-tui check FILE --trust
schema: 1
id: {slug}
# At most 46 cells; a Chinese character takes two.
title: {title}
# Concepts, in words of your own; those required are taught by earlier lessons.
teaches: [{slug}]
requires: []
difficulty: 2  # 1 to 5
minutes: 4
seed: {seed}
watch: [{watch}]  # the first rows of the tensor table

# `#@ name` names a line; learners do not see it.
"""
    say = """\
  - at: {at}
    say: {{en: "TO WRITE: what this line does.", zh: "待写：这一行做了什么。"}}
"""
    ask = """\
  # Asked before the line runs. Which choice is right follows from the run: exactly one `when`.
  - at: {at}
    ask:
      id: how-it-ends
      kind: outcome
      prompt: {{en: "How does this program end?", zh: "这个程序会怎样结束？"}}
      choices:
{choices}\
      hints:
        - {{en: "TO WRITE: a hint.", zh: "待写：一条提示。"}}
    expect: {expect}
"""
    choice = """\
        - id: {id}
          when: {when}
          text: {text}
          why:
            en: {en}
            zh: {zh}
"""
    recap = """\

recap: {en: "TO WRITE: the rule, in a sentence.", zh: "待写：用一句话说出规律。"}
"""


WHYS = {
    True: LocalText(en="TO WRITE: why torch does this.", zh="待写：torch 为什么这样做。"),
    False: LocalText(
        en="TO WRITE: where this idea comes from, without the answer.",
        zh="待写：这个想法从何而来，但不要说出答案。",
    ),
}


class ScriptTexts:
    """Comments of an exported script."""

    title = LocalText(
        en="Shared from the sandbox of inplace-tui {version}. Run it: python {name}",
        zh="由 inplace-tui {version} 的沙盒导出。运行：python {name}",
    )
    versions = LocalText(
        en="Recorded with Python {python}, torch {torch}, seed {seed}.",
        zh="录制环境：Python {python}，torch {torch}，随机种子 {seed}。",
    )
    ended = LocalText(en="What happened: {how}", zh="结果：{how}")
    saved = LocalText(en="saved on line {line}", zh="第 {line} 行保存")
    changed = LocalText(en="changed on line {line}", zh="第 {line} 行修改")
    needed = LocalText(en="needed on line {line}", zh="第 {line} 行用到")
    between = LocalText(en=", ", zh="，")
    gradient = LocalText(
        en="gradient of {name}: {got}; by the saved values: {true}",
        zh="{name} 的梯度：{got}；按保存时的值应为：{true}",
    )
    seeding = LocalText(en="the seed of the sandbox", zh="沙盒使用的随机种子")


class ShareTexts:
    """Notices about exports."""

    no_ending = LocalText(
        en="A lesson needs a run that ends by itself: to its end, or with an exception.",
        zh="课程需要能自行结束的运行：正常结束，或抛出异常。",
    )
    no_line = LocalText(
        en="No line of this program can be asked about: give each statement a line of its own.",
        zh="这个程序没有可以提问的行：请让每条语句单独占一行。",
    )
    not_a_lesson = LocalText(en="This can't be a lesson: {why}", zh="无法做成课程：{why}")
    checking = LocalText(en="Checking the lesson…", zh="正在检查课程……")
    lesson_written = LocalText(
        en="{name} is written, and its claims are true. Its words (TO WRITE) are yours; check "
        "names the missing ones.",
        zh="已写入 {name}，其中的断言都成立。“待写”的文字由你来写，check 会指出还缺哪些。",
    )
