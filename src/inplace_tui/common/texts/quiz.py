"""Checkpoints and the review: what is asked outside of lessons, and how it went."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class QuizTexts:
    """Questions that are made up from the course."""

    checkpoint = T("Checkpoint")
    to_checkpoint = T("checkpoint")
    """The key of the next lesson, where the chapter ends."""

    review = T("Review")
    of_chapter = T("Checkpoint: {title}")
    next_checkpoint = T("the checkpoint of “{title}”")
    of_lesson = T("A variant of the program in “{title}”.")
    made_up = T("A made-up program.")
    what_happens = T("{about} What happens when it runs?")
    saver = T(
        "This program fails: “one of the variables needed for gradient computation has been "
        "modified by an inplace operation”. Who saved the tensor? Choose the line."
    )
    version = T("At which version was it saved? It is the number that the message expects.")
    at_version = T("Version {number}")
    writer = T("Who wrote it after that? Choose the first line that did.")
    reader = T("Who needs it? Choose the line whose backward fails.")
    saver_why = T("An op saves what its own backward needs: an input, its result, or nothing.")
    version_why = T(
        "The version counts the in-place writes that PyTorch sees; what an op saves keeps the "
        "count of that moment."
    )
    writer_why = T(
        "A write counts if it comes after the save, whatever name it goes through: an op with "
        "an underscore, an assignment to items, `step()`."
    )
    reader_why = T(
        "The write itself raises nothing. The error comes from the backward that reads what was "
        "saved."
    )


class QuizScreenTexts:
    """The title row, the result and the rows of the contents."""

    question_of = T("question {number} of {total}")
    score = T("first try: {right} of {answered}")
    none_due = T("Nothing to review today.")
    done_today = T("Today's review is done. {later:question waits|questions wait} for tomorrow.")
    later = T("A day has {most} questions; {later} more {later:comes|come} back from tomorrow on.")
    all_done = T("Every checkpoint is done.")
    answer_first = T("Answer this question first; then {keys[next_drill]} goes on to the next.")
    no_way_back = T("A question is asked once here; what you miss comes back in the review.")
    no_variants = T("No variants here. Once the question is answered, {keys[edit]} edits a copy.")
    result_lead = T("Enter goes on · Esc to the contents")
    right_of = T("You answered {right} of {total} right at the first try.")
    best = T("Your best here: {right} of {total}.")
    comes_back = T("What you missed comes back in the review:")
    nothing_missed = T("Nothing missed.")
    to_challenge = T("Now its challenge: {title}")
    to_chapter = T("On to the next chapter: {title}")
    again = T("The checkpoint again, with other questions")
    back = T("Back to the contents")
    waiting = T("{count:question waits|questions wait} for the review.")
    row = T("Checkpoint")
    row_best = T("{right} of {total}")
    today = T("today: {back:question comes|questions come} back: {keys[review]}")
    today_and_new = T("today: {back:question comes|questions come} back, 1 is new: {keys[review]}")
    today_new = T("today: 1 new question: {keys[review]}")
    about = T(
        "Five questions from this chapter's variants and from made-up programs, drawn anew each "
        "time. Then a program that fails, and the four questions: who saved it, at which version, "
        "who wrote it, who needs it. What you miss comes back in the review."
    )
    missed_four = T("The four questions: {title}")
    missed_made_up = T("A made-up program")


class PlainQuizTexts:
    """Where there is no screen."""

    answer_first = T("Answer this question first; l leaves the rest for later.")
    answered = T(
        "Enter: on to the next. b steps back through this run, ? lists the commands, q ends."
    )
    left = T("What was answered is kept; the same command goes on there.")
