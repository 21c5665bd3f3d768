"""Short notices: why a key did nothing, what happens meanwhile."""

from __future__ import annotations

from inplace_tui.common.local_text import T
from inplace_tui.common.run.ending import Ending


class NoticeTexts:
    """Why a key did nothing, what happens meanwhile."""

    answer_first = T("Answer the question first, or press {keys[leave]} to leave it for later.")
    of_line = T("Line {line}: {text}")
    never_ran = T("The run never reached this line.")
    predict_first = T("Predict first what this variant does, or press {keys[leave]} to go back.")
    answer_all_first = T("A question is still open: this would give its answer away.")
    answer_to_see_more = T("There is more to see when the question that you left is answered.")
    left_for_later = T("Left for later. What would answer it stays hidden.")
    still_running = T("The run has not come there yet: done as soon as it has.")
    taken_back = T("The last step that you asked for is taken back.")
    at_the_end = T("This is the end of the run.")
    no_view = T(
        "The program runs once only: here another run could change your files. Whether "
        "gradients are right, fixes and values are left out; `inplace-tui doctor` says why."
    )
    here = T("This is that very step.")
    at_the_start = T("This is the start.")
    not_in_a_call = T("This line is not inside a call.")
    no_return = T("No call has returned before this line.")
    line_not_run = T("This line does not run.")
    never_written = T("Nothing has written to this tensor before this line.")
    not_written_again = T("This tensor is not written again after this step.")
    no_more_hints = T("There are no more hints.")
    no_question = T("No question is open here.")
    no_hints = T("This question has no hints.")
    no_variants = T("This lesson has no variants.", "NoticeTexts.no_variants")
    no_order = T("{key} moves a line of a question that asks for an order.")
    no_holds = T("This lesson has no programs that try to break its recap.")
    no_mend = T("This lesson has no program to fix.")
    none_left = T("No question was left for later.")
    checking = T("Your answer is being checked by running the program.")
    unjudged = T("What the program did here fits none of the answers, so yours is not judged.")
    run_again = T("The process that ran the lesson died. The lesson was started again.")
    no_code_there = T("There is no code on this line. Choose another.")
    type_numbers = T("Type a number, or several with commas between them, or `None`.")
    tried_before = T("You have tried this one already.")


class TypedTexts:
    """What is said to typed numbers that are not the right ones."""

    is_none = T("There are no numbers there.")
    is_not_none = T("It is not `None`.")
    is_more = T("The right number is larger.")
    is_less = T("The right number is smaller.")
    other_count = T("You typed {typed} in all. The tensor has a different number of elements.")
    some_right = T("Right elements: {right} of {count}.")


class PredictionTexts:
    """What is asked before a variant is shown, and what can be answered."""

    prompt = T("{title}\n\nThe rest is the same. What does the program do now?")
    raises = T("Raises")


ORDERS = {
    Ending.RUNS: T("Run in this order: it ends without an error."),
    Ending.RIGHT: T("Run in this order: it ends, and the gradients are right."),
    Ending.WRONG: T("Run in this order: it ends, but the gradients are silently wrong."),
    Ending.RAISES_IN_BACKWARD: T("Run in this order: `{code}` raises {exception} in backward."),
    Ending.RAISES_BEFORE: T(
        "Run in this order: `{code}` raises {exception}, outside of any backward."
    ),
}
"""What a program did with its lines in another order."""
