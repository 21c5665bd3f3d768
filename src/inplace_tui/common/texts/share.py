"""What a shared program says: the words that a lesson is begun with."""

from __future__ import annotations

from inplace_tui.common.local_text import T


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
    True: T("TO WRITE: why torch does this."),
    False: T("TO WRITE: where this idea comes from, without the answer."),
}


class ShareTexts:
    """Notices about exports."""

    no_ending = T("A lesson needs a run that ends by itself: to its end, or with an exception.")
    no_line = T(
        "No line of this program can be asked about: give each statement a line of its own."
    )
    not_a_lesson = T("This can't be a lesson: {why}")
    checking = T("Checking the lesson…")
    lesson_written = T(
        "{name} is written, and its claims are true. Its words (TO WRITE) are yours; check "
        "names the missing ones."
    )
