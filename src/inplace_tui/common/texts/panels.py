"""What the panels say."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class PanelTitles:
    """What the panels are called."""

    why = T("Why")
    code = T("Code")
    tensors = T("Tensors")
    graph = T("Graph")
    lanes = T("Storages")
    output = T("Output")
    timeline = T("Timeline")
    narration = T("Step")
    question = T("Question")
    recap = T("Lesson done")


class TableTexts:
    """The table of tensors."""

    yes = T("yes")
    no = T("no")
    gone = T("no name left")
    freed = T("freed")
    kept = T("no name left, kept by {holders}")
    kept_by = T("kept by {holders}")
    none = T("No tensors yet.")
    none_left = T("No tensors here: nothing names one any more. Earlier steps have them.")
    hidden = T("{count} hidden")
    changed = T("changed by line {line}: {facets}")
    new = T("new from line {line}")
    shares = T("storage {letter} also belongs to {names}")
    apart = T("{name} (other elements)")
    held = T("saved by {holders}")
    sample = T("a sample: the first {head} and the last {tail} of {count} elements")
    masked = T("▒▒ hidden until you answer")
    column = T("{about} `{keys[why]}`: why?")


REASONS = {
    "no storage": T("no storage to read"),
    "not recorded": T("not recorded", "REASONS.not recorded"),
    "storage resized to 0 bytes": T("storage resized to 0 bytes"),
    "reaches beyond its storage": T("reaches beyond its storage"),
}
"""Why values can't be shown, where the reason is the reader's own and not torch's."""


class CodeTexts:
    """Marks beside the code."""

    saves = T("saves {names}")
    unseen = T("{name} written, version kept")
    wrote = T("{name} written")
    refused = T("write to {name} refused")
    rebound = T("{name} is a new tensor")
    visits = T("run {count}×")
    more = T("and {count} more")
    question = T("? question")
    saver = T("◆ saved here: {name} v{version}")
    saver_plain = T("◆ saved here")
    changer = T("~ changed here")
    changer_versions = T("~ changed here: v{before} → v{after}")
    freer = T("~ freed here")
    carrier = T("~ graph carried over")
    reader = T("✗ failed here")
    reader_warned = T("! warned here")
    reader_silent = T("≠ wrong gradient")
    was_running = T("… was running")


class OutputTexts:
    """The output panel."""

    none = T("Nothing printed up to here.")
    warning = T("warning")
    raised = T("✗ raised")
    muted = T("The program writes on; only its first {count} bytes are kept.")
    earlier = T("… {count:line|lines} before these")
    masked = T("▒▒▒▒ hidden until you answer")


class StripTexts:
    """The timeline strip."""

    start = T("start", "StripTexts.start")
    end = T("end", "StripTexts.end")
    step = T("step {step} of {total}")
    step_open = T("step {step}")
    before = T("not started")


class NarrationTexts:
    """What the narration says of a line."""

    start = T("Nothing has run yet. The first line is next.")
    wrote = T("`{op}` wrote {target} in place: version {before} → {after}.")
    wrote_unseen = T("{target} was written, and no version counter saw it.")
    wrote_masked = T("{target} was written in place.")
    target = T("`{name}` (storage {letter})")
    unnamed = T("an unnamed tensor (storage {letter})")
    rebound = T("The name `{name}` now means another tensor; nothing was written.")
    made = T("New: {names}.")
    saved = T("{node} saved {names} for backward.")
    raised = T("This line raised {error}")
    raised_briefly = T("This line raised {error}; Why has the message.")
    marked = T("Line {line} ran; `~` in the table marks what changed.")
    plain = T("Line {line} ran; no tensor changed.")
    plain_at_ends = T(
        "Line {line} ran; no change was seen. Of storages above 32 KiB only both ends are compared."
    )
    hidden = T("Line {line} ran; what it did is hidden until you answer.")
    no_grad = T("Grad mode is off here.")
    inference = T("Inference mode is on here.")
    recap = T("To take with you")
    goal = T("This lesson is about: {names}")
    score = T("Right at the first try: {right} of {total}.")
    after = T("Next: {title}")
    own_program = T("Your own program fails? In the contents, a finds the line and a fix.")
    running = T("Running …")


class QuestionTexts:
    """Questions of a lesson."""

    none = T("No question at this step.")
    open = T("{choices} or ↑↓ mark, {keys[commit]} answers")
    locked = T("Answers are locked for a class. {keys[answer]} shows the right one.")
    marked_already = T("This one is marked already.")
    mark_first = T("Mark a choice first: {choices} or ↑↓.")
    point = T("↑↓ move the cursor in the code, {keys[commit]} answers")
    type = T("type it, {keys[commit]} answers")
    arrange = T(
        "{choices} or ↑↓ choose, {keys[line_up]}/{keys[line_down]} move, {keys[commit]} answers"
    )
    guess = T("{keys[guess]} guess")
    later = T("{keys[leave]} later")
    again = T("✗ Not right. One more try.")
    checking = T("… checking by running it")
    ordering = T("… running your order")
    seeking = T("… running other orders, to find one that works")
    right = T("✓ right")
    wrong = T("✗ wrong")
    shown = T("the answer was shown")
    is_right = T("correct answer")
    is_wrong = T("incorrect")
    your_choice = T("your choice")
    tried = T("tried")
    hint = T("Hint {number} of {total}")
    hints_left = T("{keys[hint]} hint {shown}/{total}")
    answer = T("{keys[answer]} answer")
    works = T("An order that works:")
