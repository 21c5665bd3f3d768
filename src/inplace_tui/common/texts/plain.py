"""What is said where there is no screen: lessons and the sandbox as lines of text."""

from __future__ import annotations

from inplace_tui.common.local_text import T
from inplace_tui.common.texts.session import NoticeTexts


class PlainTexts:
    """Around the panels' own words."""

    lesson = T("Lesson {number}/{total}: {title} ({id}, {minutes} min)")
    sandbox = T("Sandbox: {name}")
    variant = T("Variant {id}: {title}")
    own = T("The lesson's own program again.")
    lead = T("Enter runs the next line, ? lists the commands, q ends.")
    numbers = T("A number from {first} to {last} answers.")
    line_number = T("The number of a line ({first} to {last}) answers.")
    new_order = T("The numbers in the new order answer, like {example}.")
    hints_left = T("h: hint ({shown} of {total} shown)")
    answer = T("a: answer")
    later = T("l: later")
    unknown = T("'{line}' is no command here. ? lists them.")
    no_place = T("go wants a line (7), a step (#12) or a share of the run (50%).")
    no_name = T("Of which tensor? Add its number in the table, or a name.")
    no_storage = T("There is no storage or tensor '{name}' at this step. m lists the storages.")
    no_node = T("There is no node {number} at this step. d lists them.")
    no_element = T("{name} has no element {index}: its shape is {shape}.")
    open_at = T("{count:question|questions} open before step {steps}")
    passed_at = T("{count:question|questions} left for later before step {steps}")
    done_at = T("{count:question|questions} answered before step {steps}")
    no_tensor = T("There is no tensor '{name}' at this step. t lists them.")
    no_column = T("'{name}' is none of: {columns}.")
    no_variant = T("There is no variant '{id}'. v lists them.")
    no_variants = T("This lesson has no variants.")
    no_holds = T("This lesson has no programs to break it with.")
    which_held = T("holds and a number steps through one.")
    which_variant = T("v and a number or an id steps through one; 1 is the lesson's own program.")
    nothing_to_leave = T("There is nothing to leave here; q ends.")
    finished = T("The lesson is done. `lesson` opens the next: {title} ({id}).")
    typed = T("Type what `{name}` will be: a number, several with commas between them, or None.")
    mend_offered = T("`mend` shows a program of this lesson to fix in your editor.")
    finished_last = T("The lesson is done, and it is the last one.")
    which_lesson = T("Which lesson? Type its id; Enter opens {title} ({id}), q ends.")
    which = T("Which lesson? Type its id; q ends.")
    fixes_none_needed = T("Nothing has failed here, so there is nothing to fix.")
    fixes_not_yet = T("Fixes are looked for where a run has failed: go to its end first (e).")
    fixes_unknown = T("This failure is not about autograd: no rewrite is known for it.")
    why_not_yet = T(
        "The run has not come to its end here. Once it has, `why` says who saved, who changed and "
        "who needed the tensor at fault."
    )
    why_hidden = T("Hidden until the question is answered.")
    running = T("running…")
    trust = T("Type yes to run it, anything else not to.")
    type_program = T("Type a program; a line with a single dot ends it.")


NOTICES = {
    NoticeTexts.answer_first: T("Answer the question first, or l leaves it for later."),
    NoticeTexts.predict_first: T("Predict first what this variant does, or l goes back."),
}
"""Notices of a session that speak of keys, said of commands."""


class PlainChallengeTexts:
    """Challenges."""

    head = T("Challenge {number}/{total}: {title} ({id})")
    lead = T("Copy the program into a file, edit it there, and have it judged:")
    file = T("FILE")
    all_solved = T("Every challenge is solved.")
