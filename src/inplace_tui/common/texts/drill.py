"""The drill: its questions, what it says to an answer, what it counts."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class DrillQuestionTexts:
    """What is asked, and what can be answered."""

    prompt = T("Nothing has run yet. What will this program do?")
    prompt_again = T("You were sure about this one, and wrong. What will it do?")
    how_sure = T("How sure are you?")
    you_said = T("You say: {prediction}")
    sure = T("Sure.")
    think = T("I think so.")
    guess = T("A guess.")


class DrillKeyTexts:
    """What can be pressed, below a question."""

    answer = T("{choices} or ↑↓ mark, {keys[commit]} answers")
    back = T("{keys[leave]} back to the endings")
    next = T("{keys[next_drill]} or {keys[next]}: next program")
    next_stepped = T("] next program")
    step = T("{keys[back]} steps back through it")
    lesson = T("{keys[taught]} opens the lesson")


class DrillReplyTexts:
    """What is said to an answer."""

    sure_right = T("✓ right, and you knew it")
    think_right = T("✓ right")
    guess_right = T("✓ right, by a guess: the level stays as it is")
    sure_wrong = T("✗ wrong, and you were sure: it will come back")
    think_wrong = T("✗ wrong")
    guess_wrong = T("✗ wrong")
    lesson = T("Lesson: {title} ({id})")


REASONS = {
    "unsaved": T("Line {line} `{code}` writes to numbers that no node had saved: nothing is lost."),
    "spent": T(
        "Line {line} `{code}` writes to what was saved, but that backward was over by then."
    ),
    "unneeded": T(
        "Line {line} `{code}` changes what line {saved} had saved, but backward does not come "
        "through there."
    ),
    "unneeded-somewhere": T(
        "Line {line} `{code}` changes something that was saved, but backward does not need it."
    ),
    "indifferent": T(
        "Line {line} `{code}` changes, unseen, what line {saved} had saved; this gradient does "
        "not depend on what was changed."
    ),
    "kept": T(
        "Line {line} `{code}` could go through the graph again: line {saved} kept what it had "
        "saved, and nothing of that has changed."
    ),
    "nothing-freed": T(
        "Line {line} `{code}` needs nothing that line {saved} freed: no node on its way had "
        "saved anything there."
    ),
    "nothing": T("Nothing is written in place that a node had saved."),
}
"""Why a program that writes is right all the same."""


class DrillTexts:
    """Bars and notices."""

    drill = T("Drill")
    which = T("Which of the drills that were assigned?")
    assigned = T("level {level}, {count} programs (seed {seed})")
    level = T("level {level}")
    again = T("comes back")
    which_lead = T("What would you like to open?")
    like_it = T("Practice on programs like it")
    score = T("{right}/{answered} right")
    preparing = T("Making up a program…")
    no_program = T(
        "No program could be run. Enter tries again; `inplace-tui doctor` says what is wrong."
    )
    predict_first = T("Predict first: nothing runs until you have answered.")
    no_help = T("A drill has no hints and shows no answer before yours: a guess may be wrong.")
    no_lesson = T("No lesson is about this program.")
    never = T("Drill: predict random small programs. Press {keys[drill]}.")
    brief = T("Drill ({keys[drill]}): level {level}, {right}/{answered} right")
    brief_missed = T(", {count} sure but wrong")


class DrillSummaryTexts:
    """Statistics."""

    none = T("No drill was answered yet.")
    session = T("This session: {right} of {answered} right.")
    total = T("Drill: level {level}, {right} of {answered} right.")
    sure = T("when sure")
    think = T("when it was “I think so”")
    guess = T("when guessing")
    confident_misses = T("Sure, but wrong: {count}.")
    waiting = T("Programs that will come back: {count}.")
    by_concept = T("By concept, the weakest first:")
    line = T("  {name}  {right}/{answered}")


CONCEPTS = {
    "in-place": T("plain in-place writes"),
    "saved-output": T("ops that save their result"),
    "saved-input": T("ops that save their input"),
    "leaf": T("writing to leaves"),
    "no-grad": T("torch.no_grad()"),
    "data": T(".data"),
    "detach": T(".detach()"),
    "numpy": T("numpy on the same memory"),
    "view": T("writing through views"),
    "item": T("item and slice assignment"),
    "clone": T(".clone()"),
    "rebinding": T("rebinding a name"),
    "optimizer": T("an optimizer's step"),
    "twice": T("two backwards"),
    "layer": T("nn.ReLU(inplace=True)"),
}
"""What a program is about."""


class PlainDrillTexts:
    """Where there is no screen."""

    head = T("Drill {number}   level {level}, seed {seed}")
    head_again = T("Drill {number}   level {level}, seed {seed} (comes back)")
    range = T(
        "Predict first: a number from {first} to {last} answers; ? lists the commands, q ends."
    )
    answered = T(
        "Enter: next program. b steps back through this one, ? lists the commands, q ends."
    )
    answered_last = T(
        "That was the last one; Enter ends. b steps back through it, ? lists the commands."
    )
    not_kept = T("Programs chosen by --seed or --level: nothing is kept of the answers.")
