"""Checkpoints and the review: what is asked outside of lessons, and how it went."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class QuizTexts:
    """Questions that are made up from the course."""

    checkpoint = T(en="Checkpoint", zh="小测")
    to_checkpoint = T(en="checkpoint", zh="小测")
    """The key of the next lesson, where the chapter ends."""

    review = T(en="Review", zh="复习")
    of_chapter = T(en="Checkpoint: {title}", zh="小测：{title}")
    next_checkpoint = T(en="the checkpoint of “{title}”", zh="“{title}”一章的小测")
    of_lesson = T(en="A variant of the program in “{title}”.", zh="“{title}”一课的一个变体。")
    made_up = T(en="A made-up program.", zh="一个随机生成的程序。")
    what_happens = T(en="{about} What happens when it runs?", zh="{about}运行它会怎样？")
    saver = T(
        en="This program fails: “one of the variables needed for gradient computation has been "
        "modified by an inplace operation”. Who saved the tensor? Choose the line.",
        zh="这个程序会失败：one of the variables needed for gradient computation has been modified "
        "by an inplace operation。是谁保存了那个张量？请选出那一行。",
    )
    version = T(
        en="At which version was it saved? It is the number that the message expects.",
        zh="那个张量保存时是哪个版本？也就是报错里 expected version 后面的数。",
    )
    at_version = T(en="Version {number}", zh="版本 {number}")
    writer = T(
        en="Who wrote it after that? Choose the first line that did.",
        zh="之后是谁改写了那个张量？请选出第一次改写的那一行。",
    )
    reader = T(
        en="Who needs it? Choose the line whose backward fails.",
        zh="谁需要那个张量？请选出反向传播失败的那一行。",
    )
    saver_why = T(
        en="An op saves what its own backward needs: an input, its result, or nothing.",
        zh="运算只保存自己的反向传播用得着的东西：输入、结果，或者什么都不存。",
    )
    version_why = T(
        en="The version counts the in-place writes that PyTorch sees; what an op saves keeps the "
        "count of that moment.",
        zh="版本号数的是对存储的写入次数；运算保存时记下当时的次数。",
    )
    writer_why = T(
        en="A write counts if it comes after the save, whatever name it goes through: an op with "
        "an underscore, an assignment to items, `step()`.",
        zh="保存之后的写入都算，不论经由哪个名字：带下划线的操作、下标赋值、`step()`。",
    )
    reader_why = T(
        en="The write itself raises nothing. The error comes from the backward that reads what was "
        "saved.",
        zh="改写本身并不报错。报错的是要读取所保存内容的那次反向传播。",
    )


class QuizScreenTexts:
    """The title row, the result and the rows of the contents."""

    question_of = T(en="question {number} of {total}", zh="第 {number}/{total} 题")
    score = T(en="first try: {right} of {answered}", zh="一次答对 {right}/{answered}")
    none_due = T(en="Nothing to review today.", zh="今天没有要复习的题。")
    done_today = T(
        en="Today's review is done. {later:question waits|questions wait} for tomorrow.",
        zh="今天的复习已经做完，还有 {later} 道题留到明天。",
    )
    later = T(
        en="A day has {most} questions; {later} more {later:comes|come} back from tomorrow on.",
        zh="每天最多复习 {most} 道题，另有 {later} 道从明天起再问。",
    )
    all_done = T(en="Every checkpoint is done.", zh="所有小测都已做完。")
    answer_first = T(
        en="Answer this question first; then {keys[next_drill]} goes on to the next.",
        zh="请先回答这道题，然后按 {keys[next_drill]} 到下一题。",
    )
    no_way_back = T(
        en="A question is asked once here; what you miss comes back in the review.",
        zh="这里每道题只问一次；答错的题会在复习里再次出现。",
    )
    no_variants = T(
        en="No variants here. Once the question is answered, {keys[edit]} edits a copy.",
        zh="这里没有变体。回答之后，按 {keys[edit]} 可以编辑一份副本。",
    )
    result_lead = T(en="Enter goes on · Esc to the contents", zh="Enter 继续 · Esc 回目录")
    right_of = T(
        en="You answered {right} of {total} right at the first try.",
        zh="{total} 道题中，一次答对 {right} 道。",
    )
    best = T(en="Your best here: {right} of {total}.", zh="这里的最好成绩：{right}/{total}。")
    comes_back = T(
        en="What you missed comes back in the review:", zh="答错的题会在复习里再次出现："
    )
    nothing_missed = T(en="Nothing missed.", zh="没有答错的题。")
    to_challenge = T(en="Now its challenge: {title}", zh="接着做这一章的挑战题：{title}")
    to_chapter = T(en="On to the next chapter: {title}", zh="继续下一章：{title}")
    again = T(en="The checkpoint again, with other questions", zh="换一批题再做一次小测")
    back = T(en="Back to the contents", zh="回到目录")
    waiting = T(
        en="{count:question waits|questions wait} for the review.", zh="有 {count} 道题等着复习。"
    )
    row = T(en="Checkpoint", zh="小测")
    row_best = T(en="{right} of {total}", zh="{right}/{total}")
    due = T(
        en="{count:question|questions} to review today: {keys[review]}",
        zh="今天有 {count} 道题要复习：{keys[review]}",
    )
    due_some = T(
        en="{count:question|questions} to review today, {later} more from tomorrow: {keys[review]}",
        zh="今天要复习 {count} 道题（另有 {later} 道从明天起再问）：{keys[review]}",
    )
    about = T(
        en="Five questions from this chapter's variants and from made-up programs, drawn anew each "
        "time. Then a program that fails, and the four questions: who saved it, at which version, "
        "who wrote it, who needs it. What you miss comes back in the review.",
        zh="五道题，取自本章的变体和随机生成的程序，每次重新抽取。然后是一个会失败的程序和四个问题："
        "谁保存了它、是哪个版本、谁改写了它、谁需要它。答错的题会在复习里再次出现。",
    )
    missed_four = T(en="The four questions: {title}", zh="四个问题：{title}")
    missed_made_up = T(en="A made-up program", zh="随机生成的程序")


class PlainQuizTexts:
    """Where there is no screen."""

    answer_first = T(
        en="Answer this question first; l leaves the rest for later.",
        zh="请先回答这道题；l 把剩下的留到以后。",
    )
    answered = T(
        en="Enter: on to the next. b steps back through this run, ? lists the commands, q ends.",
        zh="按 Enter 继续；b 逐行往回看，? 列出命令，q 结束。",
    )
    left = T(
        en="What was answered is kept; the same command goes on there.",
        zh="已经回答的都已保存；再次运行同一条命令会从这里继续。",
    )
